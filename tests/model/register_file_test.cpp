// The table of the register-file probe on an H200: cycles an FFMA of one warp, by the banks of its sources
// and the reuse flags; and what the same rule means for Volta and Turing.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

constexpr unsigned reuse_a = 1;
constexpr unsigned reuse_b = 2;
constexpr unsigned reuse_c = 4;

std::vector<FakeOp> stream_of(std::array<int, 3> sources, unsigned reuse, unsigned stall = 1,
                              unsigned count = 128) {
  std::vector<FakeOp> body;
  for (unsigned i = 0; i < count; ++i) {
    body.push_back(
        ffma(40 + static_cast<int>(i % 64), sources[0], sources[1], sources[2]).stall(stall).reuse(reuse));
  }
  return body;
}

struct Row {
  std::array<int, 3> sources;
  unsigned reuse;
  double cycles;
};

TEST(RegisterFile, AnFfmaCostsTheReadsOfItsBusierBank) {
  const MachineSpec h200 = one_sm("h200");
  constexpr std::array<int, 3> eee{2, 4, 6};
  constexpr std::array<int, 3> eeo{2, 4, 7};
  const std::vector<Row> measured{
      {eee, 0, 3},
      {eee, reuse_a, 2},
      {eee, reuse_b, 2},
      {eee, reuse_c, 2},
      {eee, reuse_a | reuse_b, 1},
      {eee, reuse_a | reuse_c, 1},
      {eee, reuse_b | reuse_c, 1},
      {eee, reuse_a | reuse_b | reuse_c, 1},
      {eeo, 0, 2},
      {eeo, reuse_a, 1},
      {eeo, reuse_b, 1},
      {eeo, reuse_c, 2},
      {eeo, reuse_a | reuse_b, 1},
      {eeo, reuse_a | reuse_c, 1},
      {eeo, reuse_b | reuse_c, 1},
      {eeo, reuse_a | reuse_b | reuse_c, 1},
      {{2, 5, 6}, 0, 2},
      {{3, 4, 6}, 0, 2},
      {{2, 5, 7}, 0, 2},
      {{3, 5, 7}, 0, 3},
      {{2, 2, 2}, 0, 1},
      {{2, 2, 5}, 0, 1},
      {{2, 2, 4}, 0, 2},
  };
  for (const Row& row : measured) {
    EXPECT_NEAR(cycles_each(h200, stream_of(row.sources, row.reuse)), row.cycles, 0.02)
        << "sources " << row.sources[0] << " " << row.sources[1] << " " << row.sources[2] << ", reuse "
        << row.reuse;
  }
}

TEST(RegisterFile, WithStallTwoEveryCaseCostsAtLeastTwoCycles) {
  const MachineSpec h200 = one_sm("h200");
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 6}, 0, 2)), 3, 0.02);
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 6}, 7, 2)), 2, 0.02);
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 7}, 0, 2)), 2, 0.02);
}

TEST(RegisterFile, ReuseHelpsNobodyWhenTwoWarpsAlternate) {
  const MachineSpec h200 = one_sm("h200");
  // Five warps put two on the first processing block; each then issues every second time.
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 6}, 7, 2), 5), 6, 0.05);
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 6}, 0, 2), 5), 6, 0.05);
}

TEST(RegisterFile, OnVoltaAndTuringOnlyThreeSourcesInOneBankHurt) {
  for (const char* device : {"v100", "t4"}) {
    const MachineSpec spec = one_sm(device);
    EXPECT_NEAR(cycles_each(spec, stream_of({2, 4, 7}, 0)), 2, 0.02) << device;
    EXPECT_NEAR(cycles_each(spec, stream_of({2, 5, 7}, 0)), 2, 0.02) << device;
    EXPECT_NEAR(cycles_each(spec, stream_of({2, 4, 6}, 0)), 3, 0.02) << device;
    EXPECT_NEAR(cycles_each(spec, stream_of({2, 4, 6}, reuse_b)), 2, 0.02) << device;
  }
}

}  // namespace
}  // namespace warpgauge::model::test
