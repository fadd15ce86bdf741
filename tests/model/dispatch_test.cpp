// What instructions take of a processing block's dispatch, and of the units that an SM's blocks share: tables of the probes
// issue.mixes and pipes.sharing on an H200.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using sass::Opcode;

AddressOf shared_word() {
  return [](const Where& w) { return std::uint64_t{4} * w.lane; };
}

AddressOf global_word() {
  return [](const Where& w) { return 0x10000000ULL + 4ULL * w.lane; };
}

// Cycles that one body takes of a processing block with so many warps: those between the starts of the first and of the last
// of many, shared out.
double cycles_of(const std::vector<FakeOp>& body, unsigned warps, const char* device = "h200") {
  constexpr unsigned copies = 64;
  std::vector<FakeOp> row;
  for (unsigned i = 0; i < copies; ++i) row.insert(row.end(), body.begin(), body.end());
  std::uint64_t last = 0;
  for (const auto& turn : second_turn(one_sm(device), row, 4 * warps)) last = std::max(last, turn[row.size() - body.size()]);
  return static_cast<double>(last) / (copies * warps - 1);
}

std::vector<FakeOp> among_ffmas(const FakeOp& op, unsigned ffmas) {
  std::vector<FakeOp> body{op};
  for (unsigned i = 0; i < ffmas; ++i) body.push_back(ffma(30 + static_cast<int>(i), 12, 13, 12));
  return body;
}

struct Reader {
  const char* name;
  FakeOp op;
  double cycles;  // with seven FFMAs
};

// Seven FFMAs and one more instruction would take eight cycles. The registers that the one reads, but the first of an
// address alone, each take one from the others.
TEST(Dispatch, RegistersThatAreReadLaterTakeACycleEachOfARowOfFfmas) {
  const std::vector<Reader> readers{
      {"LDS", load(Opcode::LDS, 20, 14, 4, shared_word()), 8},
      {"LDG", load(Opcode::LDG, 20, 8, 4, global_word()), 9},
      {"STS", store(Opcode::STS, 14, 12, 4, shared_word()), 10},
      {"STG", store(Opcode::STG, 8, 12, 4, global_word()), 11},
      {"SHFL", op(Opcode::SHFL, 20, {12}), 9},
      {"SHFL of three", op(Opcode::SHFL, 20, {12, 14, 13}), 11},
      {"MUFU", op(Opcode::MUFU, 20, {12}), 9},
      {"POPC", op(Opcode::POPC, 20, {12}), 9},
  };
  for (const Reader& reader : readers) {
    for (const unsigned warps : {1U, 2U}) {
      EXPECT_NEAR(cycles_of(among_ffmas(reader.op, 7), warps), reader.cycles, 0.3) << reader.name << ", warps: " << warps;
    }
  }
}

TEST(Dispatch, RegistersThatAreReadLaterTakeNothingWhereCyclesAreLeft) {
  std::vector<FakeOp> body{load(Opcode::LDG, 20, 8, 4, global_word())};
  for (int i = 0; i < 3; ++i) body.push_back(op(Opcode::LOP3, 30 + i, {12, 13}));
  EXPECT_NEAR(cycles_of(body, 1), 6, 0.1);
}

TEST(Dispatch, ReadsLaterAreNotKnownOfVoltaAndTuring) {
  for (const char* device : {"v100", "t4"}) {
    EXPECT_NEAR(cycles_of(among_ffmas(op(Opcode::SHFL, 20, {12, 14, 13}), 7), 1, device),
                cycles_of(among_ffmas(op(Opcode::NOP), 7), 1, device), 0.1)
        << device;
  }
}

// A wide multiplication stays in the allocate stage for three cycles, whoever is behind it.
TEST(Dispatch, AWideMultiplicationHoldsBackOtherWarpsToo) {
  const FakeOp wide = op(Opcode::IMAD_WIDE, 20, {12});
  const FakeOp lop = op(Opcode::LOP3, 30, {12, 13});
  for (const unsigned warps : {1U, 2U}) {
    EXPECT_NEAR(cycles_of({wide, lop}, warps), 4, 0.15) << warps;
    EXPECT_NEAR(cycles_of({wide, lop, lop}, warps), 6, 0.1) << warps;
    EXPECT_NEAR(cycles_of({wide, lop, lop, lop}, warps), 8, 0.1) << warps;
    EXPECT_NEAR(cycles_of({wide, lop, ffma(32, 12, 13, 12)}, warps), 5, 0.15) << warps;
  }
}

// Cycles that an instruction takes of each of the four processing blocks, alone or in turn with another, when all queues
// are full.
double on_all_blocks(const FakeOp& one, const FakeOp* other = nullptr) {
  std::vector<FakeOp> row;
  for (unsigned i = 0; i < 32; ++i) {
    row.push_back(one);
    if (other != nullptr) row.push_back(*other);
  }
  return cycles_each(one_sm(), row, 4) * (other != nullptr ? 2 : 1);
}

TEST(SharedUnits, S2rTakesTheUnitOfSharedMemoryForTwoCyclesAndS2urThatOfConstants) {
  const FakeOp s2r = op(Opcode::S2R, 20).writes(1);
  const FakeOp s2ur = op(Opcode::S2UR).writes(1);
  const FakeOp redux = op(Opcode::REDUX, -1, {12}).writes(1);
  const FakeOp lds = load(Opcode::LDS, 22, 14, 4, shared_word()).writes(1);
  EXPECT_NEAR(on_all_blocks(s2r), 8, 0.3);
  EXPECT_NEAR(on_all_blocks(s2ur), 8, 0.3);
  EXPECT_NEAR(on_all_blocks(redux), 8, 0.3);
  EXPECT_NEAR(on_all_blocks(s2r, &lds), 12, 0.5);
  EXPECT_NEAR(on_all_blocks(s2ur, &redux), 16, 0.5);
  EXPECT_NEAR(on_all_blocks(s2ur, &lds), 8, 0.3);
  EXPECT_NEAR(on_all_blocks(s2ur, &s2r), 8, 0.3);
}

}  // namespace
}  // namespace warpgauge::model::test
