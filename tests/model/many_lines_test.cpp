// Requests whose lanes lie in many lines, as the SM takes them: what an H200 takes for them is in
// docs/h200.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using sass::Opcode;

// Lanes side by side in so many lines, at the same words of each; `own` puts each into a bank of its own.
// Every warp has lines of its own, and each turn as well if they are `fresh`.
AddressOf in_lines(unsigned lines, bool own = false, bool fresh = false, std::uint64_t first = 0) {
  return [=](const Where& w) {
    const unsigned side = 32 / lines;
    const std::uint64_t line =
        first + std::uint64_t{w.warp} * 64 + (fresh ? 65536 * (w.iteration + 1) : 0) + w.lane / side;
    return 0x10000000ULL + line * 128 + 4ULL * (own ? w.lane : w.lane % side);
  };
}

FakeOp strong(FakeOp read) {
  constexpr unsigned strong_gpu = 7;
  return read.modifier(sass::Modifier::ordering, strong_gpu);
}

// Until all of a row of such loads by one warp are there.
std::uint64_t until_there(const FakeOp& read, unsigned loads = 1, MachineSpec spec = one_sm()) {
  std::vector<FakeOp> body;
  for (unsigned i = 0; i < loads; ++i) body.push_back(FakeOp(read).stall(2).writes(0));
  body.push_back(op(Opcode::NOP).waits(1));
  const auto turn = second_turn(spec, body)[0];
  return turn.back() - turn.front();
}

// On an H200 45, 47, 51, 60, 78 and 114 cycles, whatever the lines' stride.
TEST(ManyLines, OfALoneWarpsHitTakeTwoCyclesEachBehindTheirTurnsAtTheTags) {
  const std::uint64_t one = until_there(load(Opcode::LDG, 8, 4, 4, in_lines(1)));
  const std::map<unsigned, std::uint64_t> longer{{2, 2}, {4, 6}, {8, 15}, {16, 33}, {32, 69}};
  for (const auto& [lines, cycles] : longer)
    EXPECT_EQ(until_there(load(Opcode::LDG, 8, 4, 4, in_lines(lines))), one + cycles) << lines;
}

// 45, 45, 45, 46, 48 and 52.
TEST(ManyLines, OfAHitWhoseLanesHaveBanksOfTheirOwnTakeTheirTurnsAtTheTagsAlone) {
  const std::uint64_t one = until_there(load(Opcode::LDG, 8, 4, 4, in_lines(1)));
  for (const auto& [lines, cycles] : std::map<unsigned, std::uint64_t>{{4, 0}, {8, 1}, {16, 3}, {32, 7}})
    EXPECT_EQ(until_there(load(Opcode::LDG, 8, 4, 4, in_lines(lines, true))), one + cycles) << lines;
}

// By hand (words_of_local_memory): stores to local memory keep loads from the data array as those to global memory do, when their lines
// leave: turns of a store and a load of 64 words a lane were 20 % too fast where they did not.
TEST(ManyLines, ThatStoresLeaveAreTheSameInLocalMemory) {
  const auto cycles = [](Opcode stored, Opcode loaded, const AddressOf& at) {
    std::vector<FakeOp> body;
    for (unsigned i = 0; i < 4; ++i) body.push_back(store(stored, 4, 12, 4, at).stall(2));
    body.push_back(load(loaded, 8, 4, 4, at).stall(2).writes(0));
    body.push_back(op(Opcode::NOP).waits(1));
    const auto turn = second_turn(one_sm(), body)[0];
    return static_cast<double>(turn.back() - turn.front());
  };
  const auto word_of_its_own = [](const Where& w) { return 4ULL * w.lane; };
  const double global = cycles(Opcode::STG, Opcode::LDG, in_lines(32, true));
  EXPECT_NEAR(cycles(Opcode::STL, Opcode::LDL, word_of_its_own), global, 0.15 * global);
}

// By hand (rows_of_stores_by_distance): a load behind a store of 32 lines waits for longer where more than eight of these have one bank
// of the tags, for two lines on their way out for each: up to ten of them have at a distance of three lines, twelve at one of five.
TEST(ManyLines, OfAStoreThatCrowdInABankHoldUpWhatIsBehindIt) {
  const MachineSpec spec = one_sm();
  const auto cycles = [&](std::uint64_t distance) {
    const auto stored = [=](const Where& w) { return 0x10000000ULL + w.lane * distance * 128; };
    const auto loaded = [](const Where&) { return 0x20000000ULL; };
    const auto turn = second_turn(spec, {store(Opcode::STG, 4, 12, 4, stored).stall(2),
                                         load(Opcode::LDG, 8, 4, 4, loaded).stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
    return static_cast<int>(turn.back() - turn.front());
  };
  const auto most_in_a_bank = [&](std::uint64_t distance) {
    std::vector<unsigned> lines(spec.sm.l1.tag_banks.count());
    for (std::uint64_t lane = 0; lane < 32; ++lane) ++lines[spec.sm.l1.tag_banks.of(0x10000000ULL / 128 + lane * distance)];
    return static_cast<int>(std::ranges::max(lines));
  };
  for (const std::uint64_t distance : {1, 2, 4, 8, 64}) {
    ASSERT_EQ(most_in_a_bank(distance), 8) << distance;
    EXPECT_EQ(cycles(distance), cycles(1)) << distance;
  }
  for (const std::uint64_t distance : {3, 5, 7, 12, 24}) {
    ASSERT_GT(most_in_a_bank(distance), 8) << distance;
    EXPECT_NEAR(cycles(distance) - cycles(1), 4 * (most_in_a_bank(distance) - 8), 3 + most_in_a_bank(distance) - 8) << distance;
  }
}

// 297 cycles for one line in the mean, 341 for 32 whose words lie in banks of their own, and 366 for 32 in
// the same.
TEST(ManyLines, ThatHaveComeFromTheL2AreReadOneACycleOrFourOfBanksOfTheirOwn) {
  const std::uint64_t own = until_there(strong(load(Opcode::LDG, 8, 4, 4, in_lines(32, true))));
  const std::uint64_t same = until_there(strong(load(Opcode::LDG, 8, 4, 4, in_lines(32))));
  EXPECT_EQ(same - own, 32 - 32 / 4);
}

// Rows 4,160 bytes apart put the lanes' words into two banks: 16 passes where the L1 has their lines. What has to come is read as it
// passed the tags, 20 passes for four times as many rows on an H200 (docs/h200.md, "Lines that are read in turns").
TEST(ManyLines, ThatHaveToComeAreReadByTheirTurnsAtTheTagsAndThoseThatAreHereAllAtOnce) {
  const auto rows = [](const Where& w) { return 0x10000000ULL + (w.warp * 32ULL + 96 + w.lane) * 4160; };
  const FakeOp hit = load(Opcode::LDG, 8, 4, 4, rows);
  const auto spacing = [](const FakeOp& read) {
    return until_there(read, 8) - until_there(read, 4);
  };
  EXPECT_EQ(spacing(hit), 4 * 16 * 2U) << "every second cycle is another warp's";
  EXPECT_GE(spacing(strong(hit)), 4 * 18U);
}

// 365, 466 and 752 cycles for one, four and eight loads of 32 lines that the L2 has.
TEST(ManyLines, OfALoneWarpsLoadsThatHaveComeFollowEachOtherWithoutAPause) {
  const FakeOp read = strong(load(Opcode::LDG, 8, 4, 4, in_lines(32)));
  EXPECT_EQ(until_there(read, 4) - until_there(read, 1), 3 * 32U);
}

// The first of eight warps' loads of 32 lines is there after 341 cycles, as one warp's, and 552 to 567 the
// last.
TEST(ManyLines, OfALoadLeaveForTheL2BeforeThoseOfTheNext) {
  const FakeOp read = strong(load(Opcode::LDG, 8, 4, 4, in_lines(32, true))).stall(2).writes(0);
  const auto turns = second_turn(slices_alike(one_sm()), {read, op(Opcode::NOP).waits(1)}, 8);
  std::vector<std::uint64_t> there;
  for (const auto& turn : turns) there.push_back(turn[1]);
  std::ranges::sort(there);
  for (unsigned i = 0; i + 1 < there.size(); ++i)
    EXPECT_NEAR(static_cast<double>(there[i + 1] - there[i]), 32, 4) << i;
}

// Beside loads of the L1 a store of 32 lines takes 42 to 60 cycles of an H200, whichever banks its words lie in, and one of 8 little more
// than its passes (docs/h200.md, "Stores of many lines").
TEST(ManyLines, OfAStoreKeepWhatIsBehindItFromTheDataUntilAllButSomeHaveLeft) {
  const auto until_load = [](unsigned lines, unsigned outgoing) {
    MachineSpec spec = one_sm();
    spec.sm.memory.outgoing_lines = outgoing;
    const auto turn = second_turn(spec, {store(Opcode::STG, 4, 12, 4, in_lines(lines, true, true, 1 << 20)).stall(2),
                                         load(Opcode::LDG, 8, 4, 4, in_lines(1)).stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
    return turn.back() - turn.front();
  };
  const MemoryUnitSpec memory = one_sm().sm.memory;
  const unsigned each = 2 * memory.request_header / static_cast<unsigned>(memory.port_bytes_per_cycle);
  ASSERT_EQ(each, 2U) << "a sector and its header";
  // Else the load's data come behind the store's turns, four lines each, and the one in which what leaves is read.
  EXPECT_EQ(until_load(32, 10) - until_load(32, 256), (32 - 10) * each - (32 / 4 + 1));
  EXPECT_EQ(until_load(8, 10), until_load(8, 256));
}

// 32 warps' ATOMs of word 0 of 32 lines take 63 cycles each on an SM of an H200, of words in banks of their own 32, as REDs do (33); of
// words 0 and 1 of 16 lines 51, of words 0 to 3 of 8 lines 26 and of four in banks of their own 17.
TEST(ManyLines, OfAnAtomicComeBackByTheBanksOfTheirWords) {
  constexpr unsigned warps = 32;
  const auto each = [](unsigned lines, bool own, traces::MemoryAccess access) {
    FakeOp made = store(Opcode::ATOMG, 4, 12, 4, in_lines(lines, own)).stall(2).writes(0);
    made.access = access;
    std::vector<FakeOp> body;
    for (unsigned i = 0; i < 8; ++i) body.insert(body.end(), {made, op(Opcode::NOP).waits(1)});
    const auto turn = second_turn(one_sm(), body, warps)[0];
    return static_cast<double>(turn.back() - turn[1]) / 7 / warps;
  };
  EXPECT_NEAR(each(32, false, traces::MemoryAccess::atomic), 64, 5);
  EXPECT_NEAR(each(32, true, traces::MemoryAccess::atomic), 33, 2);
  EXPECT_NEAR(each(32, false, traces::MemoryAccess::reduction), 33, 2);
  EXPECT_NEAR(each(16, false, traces::MemoryAccess::atomic), 51, 6);
  EXPECT_NEAR(each(8, false, traces::MemoryAccess::atomic), 26, 3);
  EXPECT_NEAR(each(8, true, traces::MemoryAccess::atomic), 17, 2);
}

// 256 lines of a lone warp take 560 cycles, and 700 where shared memory leaves the L1 176 lines.
TEST(ManyLines, UnderWayAreNoMoreThanTheDataOfTheL1Holds) {
  std::vector<FakeOp> body;
  for (unsigned i = 0; i < 8; ++i)
    body.push_back(load(Opcode::LDG, 8, 4, 4, in_lines(32, true, true, 1024 * i)).stall(2).writes(0));
  body.push_back(op(Opcode::NOP).waits(1));
  const auto cycles = [&](unsigned lines) {
    MachineSpec spec = one_sm();
    spec.sm.l1.carveouts.clear();
    spec.sm.l1.max_data_bytes = lines * 128;
    const auto turn = second_turn(spec, body)[0];
    return turn.back() - turn.front();
  };
  EXPECT_EQ(cycles(288), cycles(1024)) << "all find a place";
  EXPECT_GT(cycles(160), cycles(288) + 100) << "the last wait until others have come";
}

}  // namespace
}  // namespace warpgauge::model::test
