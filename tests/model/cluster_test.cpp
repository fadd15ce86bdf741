// Clusters of blocks: where they go, which blocks they are, and how long who waits at a barrier object does.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "model/gpu/block_scheduler.h"
#include "model/sm/cluster.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {
namespace {

// Two loose SMs, which are the first GPC's, and three GPCs of eight.
LaunchSpec some_gpcs() {
  LaunchSpec spec;
  spec.order = PlacementOrder::most_room;
  spec.sms_per_tpc = 2;
  spec.gpc_sms = {8, 8, 8};
  spec.loose_sms = 2;
  return spec;
}

OccupancySpec sms(unsigned count) {
  OccupancySpec spec;
  spec.sms = count;
  return spec;
}

Fit blocks_of(unsigned warps, unsigned cluster) {
  Fit fit;
  fit.block_warps = warps;
  fit.warp_registers = 32;
  fit.cluster_blocks = cluster;
  fit.in_clusters = true;
  return fit;
}

struct Dealt {
  std::vector<BlockScheduler::Placed> blocks;
  void operator()(const BlockScheduler::Placed& placed) { blocks.push_back(placed); }
};

Dealt deal(unsigned warps, unsigned cluster, std::uint64_t blocks) {
  const LaunchSpec spec = some_gpcs();
  BlockScheduler scheduler(spec, sms(24));
  scheduler.begin(0, blocks_of(warps, cluster), blocks, 0, 0);
  Dealt dealt;
  scheduler.place(0, std::ref(dealt));
  return dealt;
}

unsigned gpc_of(unsigned sm) { return sm / 8; }

TEST(ClustersOfBlocks, GoToSmsOfOneGpcAndStartTogether) {
  const Dealt dealt = deal(4, 4, 40);
  ASSERT_EQ(dealt.blocks.size(), 40U);
  for (std::size_t first = 0; first < dealt.blocks.size(); first += 4) {
    std::set<unsigned> sms;
    for (std::size_t i = first; i < first + 4; ++i) {
      EXPECT_EQ(gpc_of(dealt.blocks[i].sm), gpc_of(dealt.blocks[first].sm));
      EXPECT_EQ(dealt.blocks[i].at, dealt.blocks[first].at);
      EXPECT_EQ(dealt.blocks[i].block, i);
      sms.insert(dealt.blocks[i].sm);
    }
    EXPECT_EQ(sms.size(), 4U);
  }
}

TEST(ClustersOfBlocks, LeaveLooseSmsToThoseOfOneTpc) {
  const Dealt pairs = deal(4, 2, 2);
  EXPECT_EQ(pairs.blocks[0].sm, 0U);
  EXPECT_EQ(pairs.blocks[1].sm, 1U);
  for (const auto& placed : deal(4, 4, 12).blocks) EXPECT_GE(placed.sm, 2U);
}

TEST(ClustersOfBlocks, TakeGpcsInTurn) {
  const Dealt dealt = deal(4, 4, 12);
  std::set<unsigned> gpcs;
  for (std::size_t first = 0; first < 12; first += 4) gpcs.insert(gpc_of(dealt.blocks[first].sm));
  EXPECT_EQ(gpcs.size(), 3U);
}

TEST(ClustersOfBlocks, OfOneBlockTakeGpcsInTurnToo) {
  const Dealt named = deal(4, 1, 8);
  EXPECT_EQ(named.blocks[0].sm, 0U) << "a loose SM";
  EXPECT_EQ(named.blocks[1].sm, 1U);
  for (const std::size_t first : {2, 5}) {
    std::set<unsigned> gpcs;
    for (std::size_t i = first; i < first + 3; ++i) gpcs.insert(gpc_of(named.blocks[i].sm));
    EXPECT_EQ(gpcs.size(), 3U);
  }
}

TEST(ClustersOfBlocks, AreNeverPlacedInPart) {
  // An SM holds one block of 64 warps: the GPCs have room for 6, 8 and 8.
  const Dealt dealt = deal(64, 4, 40);
  EXPECT_EQ(dealt.blocks.size(), 20U);
}

TEST(ClustersOfBlocks, WaitUntilTheirGpcHasRoomForAll) {
  const LaunchSpec spec = some_gpcs();
  BlockScheduler scheduler(spec, sms(24));
  scheduler.begin(0, blocks_of(64, 8), 24, 0, 0);
  Dealt dealt;
  scheduler.place(0, std::ref(dealt));
  ASSERT_EQ(dealt.blocks.size(), 16U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(dealt.blocks.size(), 16U);
    const unsigned sm = dealt.blocks[i].sm;
    for (unsigned warp = 0; warp < 64; ++warp) scheduler.left(0, sm, warp % 4, 100 + i);
    scheduler.freed(0, sm, 100 + i);
    scheduler.place(200, std::ref(dealt));
  }
  ASSERT_EQ(dealt.blocks.size(), 24U);
  for (std::size_t i = 16; i < 24; ++i) EXPECT_EQ(gpc_of(dealt.blocks[i].sm), gpc_of(dealt.blocks[0].sm));
}

TEST(ClustersOfBlocks, AreTheGridsBlocksEachOnce) {
  for (const traces::Dim3 cluster : {traces::Dim3{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {3, 2, 2}, {1, 4, 2}}) {
    const traces::Dim3 grid{6, 4, 4};
    std::map<std::uint64_t, unsigned> seen;
    for (std::uint64_t n = 0; n < grid.count(); ++n) ++seen[traces::block_of_clusters(grid, cluster, n)];
    EXPECT_EQ(seen.size(), grid.count());
    EXPECT_EQ(seen.rbegin()->first, grid.count() - 1);
  }
  // The second block of a cluster of 2 by 2 is the first one's neighbour, the third lies in the next row.
  const traces::Dim3 grid{8, 8, 1}, square{2, 2, 1};
  EXPECT_EQ(traces::block_of_clusters(grid, square, 1), 1U);
  EXPECT_EQ(traces::block_of_clusters(grid, square, 2), 8U);
  EXPECT_EQ(traces::block_of_clusters(grid, square, 4), 2U);
}

TEST(BarrierObjects, LetThoseGoWhosePhaseHasEndedOneAfterTheOther) {
  BarrierObjects objects;
  const BarrierObjects::Place place{1, 64};
  objects.wait({place, 3, 2, 900});
  objects.wait({{1, 72}, 4, 2, 900});
  objects.wait({{2, 64}, 5, 2, 900});
  objects.wait({place, 6, 2, 900});
  std::vector<std::pair<unsigned, unsigned>> woken;
  const auto release = [&](const BarrierObjects::Waiter& waiter, unsigned which) { woken.emplace_back(waiter.warp, which); };
  const auto all_but_4 = [](std::uint8_t warp) { return warp != 4; };
  objects.wake(1, [](std::uint8_t) { return false; }, release);
  EXPECT_TRUE(woken.empty());
  objects.wake(1, all_but_4, release);
  EXPECT_EQ(woken, (std::vector<std::pair<unsigned, unsigned>>{{3, 0}, {6, 1}}));
  objects.wake(1, all_but_4, release);
  EXPECT_EQ(woken.size(), 2U) << "nobody goes twice";
}

TEST(BarrierObjects, AreLeftByWhoHasWaitedForLongEnough) {
  BarrierObjects objects;
  objects.wait({{1, 64}, 3, 2, 900});
  EXPECT_FALSE(objects.give_up(3, 899)) << "the end of an earlier wait";
  EXPECT_FALSE(objects.give_up(4, 900));
  EXPECT_TRUE(objects.give_up(3, 900));
  EXPECT_FALSE(objects.give_up(3, 900));
}

TEST(BarrierObjects, OfOtherBlocksAndPlacesDoNotWait) {
  BarrierObjects objects;
  objects.not_before({1, 64}, 50);
  EXPECT_EQ(objects.ready({1, 64}), 50U);
  EXPECT_EQ(objects.ready({1, 72}), 0U);
  EXPECT_EQ(objects.ready({2, 64}), 0U);
  objects.not_before({2, 64}, 90);
  EXPECT_EQ(objects.ready({2, 64}), 90U);
  objects.forget(1);
  EXPECT_EQ(objects.ready({1, 64}), 0U);
  EXPECT_EQ(objects.ready({2, 64}), 90U);
}

}  // namespace
}  // namespace warpgauge::model
