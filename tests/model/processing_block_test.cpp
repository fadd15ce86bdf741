// Who issues in one processing block, without the rest of its SM.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "model/sm/processing_block.h"

namespace warpgauge::model {
namespace {

constexpr unsigned forever = 1000;

// The cycles in which each warp issues, of `count` that could each go on `stall` cycles later, while a product runs until `end`.
std::vector<std::vector<Cycle>> issues(const StaticOp& op, unsigned count, Cycle stall, Cycle end) {
  SmSpec spec;
  spec.issue.policy = PickPolicy::greedy_then_youngest;
  spec.group_product.write_period = 4;
  spec.group_product.write_window = 2;
  ProcessingBlock block(spec);
  std::vector<std::vector<Cycle>> times(count);
  std::vector<Cycle> due(count, 0);
  for (unsigned warp = 0; warp < count; ++warp) block.set_order(warp, 0, warp);
  block.multiplies_until(end);
  const std::array<Cycle, unit_count> shared{};
  for (Cycle now = 0; now < 400; ++now) {
    for (unsigned warp = 0; warp < count; ++warp) {
      if (due[warp] == now) block.add_ready(warp, op, now);
    }
    const int picked = block.select(now, false, false, shared).warp;
    if (picked < 0) continue;
    const auto warp = static_cast<unsigned>(picked);
    block.remove_ready(warp);
    block.issued(warp, false, now);
    times[warp].push_back(now);
    due[warp] = now + stall;
  }
  return times;
}

StaticOp writing() {
  StaticOp op;
  op.writes_on_time = true;
  return op;
}

// On an H200 (by hand, writes_beside_products) FMULs with stall counts of 1 to 6 every 2.0, 4.3, 4.5, 4.7, 6.6 and 8.2 cycles.
TEST(ProcessingBlock, ALoneWarpWritesInTwoOfFourCyclesBesideAProduct) {
  const std::array<double, 6> each{2, 4, 4, 4, 6, 8};
  for (unsigned stall = 1; stall <= each.size(); ++stall) {
    const auto times = issues(writing(), 1, stall, forever)[0];
    EXPECT_NEAR(static_cast<double>(times.back() - times.front()) / static_cast<double>(times.size() - 1), each[stall - 1], 0.1)
        << stall;
  }
}

// There, two warps' FMULs with stall counts of 4 to 6 every 3.9, 4.0 and 4.4 cycles.
TEST(ProcessingBlock, OfTwoWarpsOneWritesInAWindowBesideAProduct) {
  for (const Cycle stall : {Cycle{4}, Cycle{5}, Cycle{6}}) {
    const auto times = issues(writing(), 2, stall, forever);
    EXPECT_NEAR(static_cast<double>(times[0].size() + times[1].size()), 100, 2) << stall;
  }
}

TEST(ProcessingBlock, WhatWritesNoRegisterIssuesBesideAProductAsEver) {
  EXPECT_EQ(issues(StaticOp{}, 1, 1, forever)[0].size(), 400U);
}

TEST(ProcessingBlock, BehindTheProductEveryCycleIsOpen) {
  const auto times = issues(writing(), 1, 1, 200)[0];
  EXPECT_EQ(std::count_if(times.begin(), times.end(), [](Cycle at) { return at >= 200; }), 200);
  EXPECT_EQ(std::count_if(times.begin(), times.end(), [](Cycle at) { return at < 200; }), 100);
}

// By hand, writes_beside_products: the two of three that begin first go on, whichever they are.
TEST(ProcessingBlock, WhoHasIssuedLastGoesBeforeWhoWaitsForLonger) {
  const auto times = issues(StaticOp{}, 3, 2, 0);
  EXPECT_EQ(times[0].size(), 0U);
  EXPECT_EQ(times[1].size(), 200U);
  EXPECT_EQ(times[2].size(), 200U);
}

}  // namespace
}  // namespace warpgauge::model
