// What warps' fences of the GPU wait for together; what the L2 does for one is in memory_system_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using sass::Opcode;

// A store of so many lines by each of `warps`, and a fence behind it: from the first store until the last warp goes on.
std::uint64_t stored_and_fenced(unsigned warps, unsigned lines = 1) {
  const auto at = [lines](const Where& w) {
    return 0x10000000ULL + 4096 * (w.warp + 64 * std::uint64_t{w.iteration}) + 128 * (w.lane % lines);
  };
  const auto turns = second_turn(one_sm(), {store(Opcode::STG, 4, 12, 4, at).stall(1), membar(of_gpu).stall(6), op(Opcode::NOP)}, warps);
  std::uint64_t last = 0;
  for (const auto& turn : turns) last = std::max(last, turn[2]);
  return last;
}

// By hand on an H200, with what else a fence consists of: 590 cycles for two warps, 614 for 8, 990 for 32.
TEST(Fences, ThatStandBehindTheSameStoresAskTogether) {
  const std::uint64_t two = stored_and_fenced(2);
  EXPECT_NEAR(static_cast<double>(stored_and_fenced(8)), static_cast<double>(two), 40);
}

TEST(Fences, BehindStoresThatCameMeanwhileAskWhenTheFirstIsBack) {
  const auto two = static_cast<double>(stored_and_fenced(2));
  EXPECT_GT(static_cast<double>(stored_and_fenced(32)), 1.5 * two);
  EXPECT_LT(static_cast<double>(stored_and_fenced(32)), 2.3 * two);
}

// 744 cycles with 32 lines by two warps, 1,216 by eight.
TEST(Fences, WaitUntilWhatStandsBeforeThemHasLeft) {
  const auto one_line = static_cast<double>(stored_and_fenced(8));
  const auto many = static_cast<double>(stored_and_fenced(8, 32));
  EXPECT_GT(many, one_line + 8 * 32 * 1.5);
  EXPECT_LT(many, one_line + 8 * 32 * 3);
}

TEST(Fences, OfAnSmThatHasAskedTheL2ForNothingAskNothing) {
  const MachineSpec spec = one_sm();
  const auto turns = second_turn(spec, {membar(of_gpu).stall(6), op(Opcode::NOP)}, 8);
  for (const auto& turn : turns) EXPECT_LE(turn[1] - turn[0], spec.sm.issue.membar_gpu + 40U);
}

}  // namespace
}  // namespace warpgauge::model::test
