// What waits for the tags and the data array of the L1 and of shared memory, and for how long.
#include "model/sm/data_stage.h"

#include <gtest/gtest.h>

namespace warpgauge::model {
namespace {

constexpr unsigned queued = 19;
constexpr unsigned tagged = 6;

// Products that take so many of every hundred cycles.
DataStage beside_products(unsigned cycles) {
  DataStage stage(1, queued, tagged);
  for (unsigned n = 0; n < 20; ++n) stage.product(n * 100.0, cycles);
  return stage;
}

TEST(DataStage, IsLeftToOthersForWhatProductsDoNotTake) {
  DataStage idle(1, queued, tagged);
  EXPECT_EQ(idle.product_odds(1050), 0);
  DataStage half = beside_products(50);
  EXPECT_NEAR(half.product_odds(1050), 1, 0.3) << "as much as they leave";
  DataStage most = beside_products(75);
  EXPECT_NEAR(most.product_odds(1050), 3, 0.8);
  EXPECT_EQ(beside_products(50).product_odds(100'000), 0) << "long ago";
  // Ten cycles of passes take as much longer.
  EXPECT_NEAR(static_cast<double>(half.direct(0, 1050, 10, false)), 1060, 2);
}

TEST(DataStage, ALoneWarpsPassesComeEverySecondCycle) {
  DataStage stage(2, queued, tagged);
  for (Cycle n = 0; n < 10; ++n) EXPECT_EQ(stage.direct(0, 0, 32, false), n * 64);
}

TEST(DataStage, CopiesPastTheL1GoOneAfterTheOtherAndHoldNobodyElse) {
  DataStage stage(2, queued, tagged);
  EXPECT_EQ(stage.copied(100, 20), 120U);
  EXPECT_EQ(stage.copied(100, 20), 140U);
  EXPECT_EQ(stage.direct(2, 110, 1, false), 110U);
}

TEST(DataStage, WhatOthersOfTheClusterReadIsInLineFromThenOn) {
  DataStage stage(1, queued, tagged);
  stage.read_by_others(100, 20);
  stage.read_by_others(110, 2);
  EXPECT_EQ(stage.direct(0, 50, 1, false), 50U);
  EXPECT_EQ(stage.direct(0, 115, 1, false), 122U);
  stage.read_by_others(300, 3);
  EXPECT_EQ(stage.direct(0, 400, 1, false), 400U);
}

TEST(DataStage, TwoWarpsKeepItBusy) {
  DataStage stage(2, queued, tagged);
  Cycle last = 0;
  for (int n = 0; n < 10; ++n) {
    stage.direct(0, 0, 32, false);
    last = stage.direct(1, 0, 32, false);
  }
  EXPECT_EQ(last, 19U * 32);
}

TEST(DataStage, AWarpThatTheStageServesAtFullRateNeedsNoOther) {
  DataStage stage(1, queued, tagged);
  for (Cycle n = 0; n < 10; ++n) EXPECT_EQ(stage.direct(0, 0, 4, false), n * 4);
}

TEST(DataStage, TheQueueHasRoomOnceSoManyBackHasLeftIt) {
  DataStage stage(2, queued, tagged);
  for (unsigned n = 0; n < queued; ++n) {
    EXPECT_EQ(stage.room(), 0U);
    stage.direct(0, 0, 32, false);
  }
  EXPECT_EQ(stage.room(), 0U);  // the first began at once
  stage.direct(0, 0, 32, false);
  EXPECT_EQ(stage.room(), 64U);
}

TEST(DataStage, WhatTakesLongOverTheTagsWaitsInTheQueue) {
  DataStage stage(2, queued, tagged);
  for (Cycle n = 0; n < 30; ++n) {
    const Cycle at = stage.tags(0, 8);
    EXPECT_EQ(at, n * 8);
    stage.tagged(0, at, 1);
  }
  EXPECT_EQ(stage.room(), (30 - queued) * 8);
}

TEST(DataStage, TheTagsStandStillWhileTheQueueBehindThemIsFull) {
  DataStage stage(2, queued, tagged);
  Cycle at = 0;
  for (unsigned n = 0; n <= tagged; ++n) {
    at = stage.tags(0, 1);
    stage.tagged(0, at, 32);
  }
  EXPECT_EQ(at, tagged);  // that many have gone through the tags one a cycle
  EXPECT_EQ(stage.tags(0, 1), 31 * 2U);  // when the first one's last pass begins
}

// by_hand_h200.json, "hits_in_a_row": seven loads of 32 lines and more by each of two to five warps.
TEST(DataStage, AnotherWarpsLoadComesToTheDataOnceTheSixthBeforeItHasItsLastPass) {
  DataStage stage(2, queued, tagged);
  constexpr unsigned loads = 20;
  for (unsigned n = 0; n < loads; ++n) stage.tagged(0, stage.tags(0, 1), 32);
  // The seventh before it lets it go to the tags.
  const Cycle at = stage.tags(0, 1);
  EXPECT_EQ(at, (loads - tagged - 1) * 64 + 31 * 2U);
  EXPECT_EQ(stage.tagged(1, at, 32), (loads - tagged) * 64 + 31 * 2U);
}

TEST(DataStage, AMissHoldsNoPlaceBehindTheTags) {
  DataStage stage(2, queued, tagged);
  for (Cycle n = 0; n < 100; ++n) EXPECT_EQ(stage.tags(0, 1), n);
  EXPECT_EQ(stage.returned(500, 4), 500U);
  EXPECT_EQ(stage.returned(500, 4), 504U) << "a lone warp's as well";
  EXPECT_EQ(stage.returned(500, 4), 508U);
}

TEST(DataStage, HitsDoNotWaitBehindLoadsThatHaveComeBack) {
  DataStage stage(1, queued, tagged);
  for (Cycle n = 0; n < 16; ++n) EXPECT_EQ(stage.returned(0, 32), n * 32);
  EXPECT_EQ(stage.tagged(1, 10, 1), 10U);
  EXPECT_EQ(stage.tagged(1, 10, 1), 12U) << "the cycle between is theirs";
  EXPECT_EQ(stage.tagged(2, 10, 1), 14U);
}

TEST(DataStage, LoadsThatHaveComeBackTakeTurnsWithAccessesToSharedMemory) {
  DataStage stage(1, queued, tagged);
  for (Cycle n = 0; n < 8; ++n) EXPECT_EQ(stage.direct(0, 0, 4, false), n * 4);
  EXPECT_EQ(stage.returned(0, 4), 0U) << "it waits for nobody";
  EXPECT_EQ(stage.returned(0, 4), 8U) << "between the two the queue has its turn";
  EXPECT_EQ(stage.direct(0, 0, 4, false), 32U);
  EXPECT_EQ(stage.direct(0, 0, 4, false), 40U) << "four of the eight cycles that the two took";
  EXPECT_EQ(stage.direct(0, 0, 4, false), 48U);
  EXPECT_EQ(stage.direct(0, 0, 4, false), 52U) << "nothing is owed any more";
}

TEST(DataStage, LoadsThatComeWhileTheQueueIsIdleCostItNothing) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.returned(0, 4), 0U);
  EXPECT_EQ(stage.returned(0, 4), 4U);
  EXPECT_EQ(stage.direct(0, 100, 4, false), 100U);
  EXPECT_EQ(stage.direct(0, 100, 4, false), 104U);
}

TEST(DataStage, OneAccessACycleLeavesTheQueueWhileThePassesOfTheOneBeforeFollow) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.direct(0, 0, 4, false), 0U);
  EXPECT_EQ(stage.tags(0, 1), 1U);
  EXPECT_EQ(stage.tags(0, 1), 2U);
  EXPECT_EQ(stage.direct(0, 0, 4, false), 4U) << "the lookups cost it nothing";
}

TEST(DataStage, WhatWaitsForTheDataArrayDoesNotKeepTheWayFromTheQueue) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.direct(0, 0, 32, false), 0U);
  EXPECT_EQ(stage.direct(1, 0, 1, false), 32U);
  EXPECT_EQ(stage.tags(0, 1), 2U);
}

TEST(DataStage, AStoreKeepsTheWayFromTheQueueUntilItIsDone) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.direct(0, 0, 4, true), 0U);
  EXPECT_EQ(stage.tags(0, 1), 4U);
}

TEST(DataStage, AccessesToSharedMemoryDoNotWaitForTheWarpsLoadsFromTheL1) {
  DataStage stage(2, queued, tagged);
  Cycle last = 0;
  for (unsigned warp = 0; warp < 8; ++warp) {
    EXPECT_EQ(stage.tagged(warp, stage.tags(0, 8), 32), warp * 33U);
    last = stage.direct(warp, 0, 1, false);
  }
  EXPECT_EQ(last, 8U * 33 - 1) << "one pass of each, behind the 32";
}

TEST(DataStage, AStoreWaitsAtTheTagsUntilTheDataOfItsWarpsLoadsHaveBeenRead) {
  DataStage stage(2, queued, tagged);
  stage.tagged(0, stage.tags(0, 1), 32);
  EXPECT_EQ(stage.store_tags(1, 0, 1), 1U) << "not for those of others";
  EXPECT_EQ(stage.store_tags(0, 0, 1), 64U) << "a lone warp's 32 passes";
  EXPECT_EQ(stage.tags(0, 1), 65U) << "what follows waits behind it";
}

TEST(DataStage, LoadsWaitForThePassesOfStoresOfWhateverWarp) {
  DataStage stage(2, queued, tagged);
  stage.store_tagged(stage.store_tags(0, 0, 1), 3);
  EXPECT_EQ(stage.tagged(0, stage.tags(0, 1), 1), 3U);
}

TEST(DataStage, WhatAStoreSendsKeepsLoadsOfTheL1FromTheDataAndNoOthers) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.store_tagged(stage.store_tags(0, 0, 1), 8), 0U);
  stage.line_out(8, 2);
  EXPECT_EQ(stage.direct(1, 1, 1, false), 8U) << "shared memory";
  EXPECT_EQ(stage.tagged(2, stage.tags(2, 1), 1), 10U) << "hits";
  EXPECT_EQ(stage.returned(2, 4), 12U) << "what has come, behind the lines and both loads";
}

TEST(DataStage, WhatTheTagsHavePassedOnWaitsForLinesOfStoresThatLeaveAndSharedMemoryDoesNot) {
  DataStage stage(1, queued, tagged);
  stage.store_tagged(stage.store_tags(0, 0, 1), 1);
  stage.hold_lines(40);
  EXPECT_EQ(stage.direct(1, 2, 1, false), 2U) << "shared memory";
  EXPECT_EQ(stage.tagged(2, stage.tags(2, 1), 4), 40U);
  EXPECT_EQ(stage.store_tagged(stage.store_tags(1, 3, 1), 1), 44U);
}

TEST(DataStage, LoadsThatHaveComeBackAreLaterByWhatTheQueueTakesMeanwhile) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.returned(0, 8), 0U);
  EXPECT_EQ(stage.direct(0, 2, 3, false), 2U);
  EXPECT_EQ(stage.returned(2, 4), 11U);
}

TEST(DataStage, AllWaitBehindAStoreThatHasNoRoomBeforeTheWayOut) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.store_tagged(stage.store_tags(0, 0, 1), 3, 100), 100U);
  EXPECT_EQ(stage.direct(1, 1, 1, false), 103U) << "shared memory";
  EXPECT_EQ(stage.tagged(2, stage.tags(2, 1), 1), 104U) << "hits";
}

TEST(DataStage, CyclesInWhichNothingIsReadOrStoredAreIdle) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.idle(50), 50U);
  stage.tagged(0, stage.tags(100, 8), 32);
  EXPECT_EQ(stage.idle(100), 100U);
  EXPECT_EQ(stage.idle(110), 100U);
  EXPECT_EQ(stage.idle(132), 100U);
  EXPECT_EQ(stage.idle(140), 108U);
  stage.store_tagged(stage.store_tags(0, 150, 1), 3);
  stage.line_out(153, 4);
  EXPECT_EQ(stage.idle(160), 125U) << "three passes, and not those by which its lines leave";
}

TEST(DataStage, AStoreThatWaitsForLinesToLeaveKeepsTheDataArrayFromBeingIdle) {
  DataStage stage(1, queued, tagged);
  stage.store_tagged(stage.store_tags(0, 100, 8), 32);
  stage.hold_lines(150);
  EXPECT_EQ(stage.store_tagged(stage.store_tags(0, 110, 8), 32), 150U);
  EXPECT_EQ(stage.idle(110), 100U);
  EXPECT_EQ(stage.idle(182), 100U) << "18 cycles of waiting and two stores' 32";
  EXPECT_EQ(stage.idle(190), 108U);
}

TEST(DataStage, AMissUsesACycleOfTheDataArrayThatNobodyElseHas) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.direct(0, 0, 1, false), 0U);
  const Cycle looked_up = stage.tags(0, 1);
  EXPECT_EQ(looked_up, 1U);
  stage.missed(looked_up);
  EXPECT_EQ(stage.returned(1, 1), 1U) << "it comes back by a way of its own";
  EXPECT_EQ(stage.direct(0, 0, 1, false), 2U);
  EXPECT_EQ(stage.direct(0, 0, 1, false), 4U) << "what came back is owed a cycle, the lookup's was none";
}

// On an H200 sixteen warps that stream from the L1 deliver 64 bytes a cycle and not more.
TEST(DataStage, WhatWasIdleBeforeALoadCameBackDoesNotPayForIt) {
  DataStage stage(1, queued, tagged);
  EXPECT_EQ(stage.returned(100, 50), 100U);
  Cycle last = 0;
  for (int n = 0; n < 100; ++n) last = stage.direct(1, 100, 1, false);
  EXPECT_EQ(last + 1, 250U) << "150 cycles of data from 100 on";
}

}  // namespace
}  // namespace warpgauge::model
