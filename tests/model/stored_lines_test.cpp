// Which stores join one that has not left the SM (docs/h200.md), and when each leaves.
#include <gtest/gtest.h>

#include <bit>

#include "model/sm/stored_lines.h"
#include "model/sm/way_out.h"

namespace warpgauge::model {
namespace {

constexpr unsigned sector_bytes = 32;
constexpr Cycle way_out = 20;  // from being taken to leaving, where nothing is in the way

MemoryUnitSpec spec_of() {
  MemoryUnitSpec spec;
  spec.store_hold = 8;
  spec.store_hold_line = 3;
  spec.stored_lines = 4;
  spec.open_stores = 3;
  return spec;
}

StoredLines::Store part(std::uint64_t line, std::uint8_t sectors = 1, std::uint8_t warp = 0, unsigned bytes = 4) {
  return {line, sectors, warp, bytes, 1};
}

class StoredLinesTest : public ::testing::Test {
 protected:
  // What a store taken at `at` does: the id of the one that it joins, or its own.
  std::uint32_t store(const StoredLines::Store& made, Cycle at) {
    lines.accessed(made.warp, made.line);
    lines.taken();
    const StoredLines::Joined joined = lines.join(made, at, way.own(at + way_out));
    filled = joined.filled;
    if (joined.id != StoredLines::none) return joined.id;
    leave(made, ++last, at);
    return last;
  }
  void leave(const StoredLines::Store& made, std::uint32_t id, Cycle at) {
    lines.leave(made, id, 0, at, way.pass(at + way_out, 1 + std::popcount(made.sectors), true));
  }

  MemoryUnitSpec spec = spec_of();
  StoredLines lines{spec, sector_bytes};
  WayOut way;
  std::uint32_t last = 0;
  bool filled = false;
};

TEST_F(StoredLinesTest, AWarpsNextStoreToTheSameSectorJoinsWithinTheHold) {
  const std::uint32_t first = store(part(5), 100);
  EXPECT_EQ(store(part(5), 105), first);
  EXPECT_EQ(store(part(5), 115), first) << "eleven cycles from the last that joined, not from the first";
  EXPECT_NE(store(part(5), 115 + 11), first);
}

TEST_F(StoredLinesTest, AnotherWarpsStoreJoinsOnlyOneThatWaitsForItsTurn) {
  const std::uint32_t first = store(part(5), 100);
  EXPECT_NE(store(part(5, 1, 1), 101), first);
  // Four sectors keep the way out for five cycles: the next line waits behind them.
  store(part(6, 0xf, 0, 128), 200);
  const std::uint32_t waiting = store(part(7, 1, 0, 32), 200);
  EXPECT_EQ(store(part(7, 1, 1, 32), 201), waiting);
}

TEST_F(StoredLinesTest, AStoreToOtherSectorsOfTheLineJoinsNone) {
  const std::uint32_t first = store(part(5, 0b01), 100);
  EXPECT_NE(store(part(5, 0b10), 101), first);
}

TEST_F(StoredLinesTest, AFullSectorIsNotHeldForMore) {
  const std::uint32_t first = store(part(5, 1, 0, 28), 100);
  EXPECT_EQ(store(part(5, 1, 0, 4), 101), first);
  EXPECT_TRUE(filled);
  EXPECT_NE(store(part(5, 1, 0, 4), 102), first);
}

TEST_F(StoredLinesTest, AnAccessOfTheWarpToAnotherLineEndsTheHold) {
  const std::uint32_t first = store(part(5), 100);
  lines.accessed(0, 9);
  EXPECT_NE(store(part(5), 102), first);
}

TEST_F(StoredLinesTest, FourLinesOrThreeStoresBehindItCloseAStore) {
  // Sixteen full sectors wait at the way out, so that what comes behind them waits, too.
  for (std::uint64_t line = 0; line < 4; ++line) leave(part(line, 0xf, 0, 128), 50, 100);
  const std::uint32_t waiting = store(part(10, 1, 0, 32), 101);
  for (int i = 0; i < 3; ++i) lines.taken();
  EXPECT_NE(store(part(10, 1, 1, 32), 102), waiting) << "a fourth store";
  const std::uint32_t other = store(part(11, 1, 0, 32), 103);
  for (std::uint64_t line = 20; line < 25; ++line) leave(part(line, 1, 0, 32), 60, 103);
  EXPECT_NE(store(part(11, 1, 1, 32), 104), other) << "a fifth line";
}

TEST_F(StoredLinesTest, ALineIsUnderWayUntilTheL2HasIt) {
  const std::uint32_t first = store(part(5), 100);
  EXPECT_TRUE(lines.under_way(5));
  EXPECT_FALSE(lines.under_way(6));
  lines.arrived(5, first);
  EXPECT_FALSE(lines.under_way(5));
  EXPECT_NE(store(part(5), 103), first);
}

TEST_F(StoredLinesTest, LoadsBeforeItKeepAStoreOpenForOthers) {
  way.pass(200 + way_out, 10, false);  // ten cycles of requests for lines
  const std::uint32_t first = store(part(5, 1, 0, 32), 200);
  EXPECT_EQ(store(part(5, 1, 1, 32), 209), first);
  EXPECT_NE(store(part(5, 1, 1, 32), 210), first);
}

TEST_F(StoredLinesTest, WhatHoldsThePortUpKeepsStoresOpenForLonger) {
  way.pass(200 + way_out, 10, false);
  const std::uint32_t first = store(part(5, 1, 0, 32), 200);
  way.busy_until(200 + way_out + 12 + 300);  // ten cycles and two of the store were expected
  EXPECT_EQ(store(part(5, 1, 1, 32), 509), first);
  EXPECT_NE(store(part(5, 1, 1, 32), 510), first);
}

TEST(WayOutTest, RequestsPassOneBehindTheOther) {
  WayOut way;
  EXPECT_EQ(way.pass(100, 5, true), 100U);
  EXPECT_EQ(way.pass(101, 1, false), 105U);
  EXPECT_EQ(way.pass(200, 1, false), 200U);
}

TEST(WayOutTest, ThereIsRoomForAStoreWhenTheLastButSoManyHasItsTurn) {
  WayOut way;
  for (int i = 0; i < 4; ++i) way.pass(100, 10, true);
  EXPECT_EQ(way.room(5), 0U) << "four wait";
  EXPECT_EQ(way.room(4), 100U);
  EXPECT_EQ(way.room(2), 120U);
  way.pass(100, 10, false);
  EXPECT_EQ(way.room(2), 120U) << "loads do not count";
}

TEST(WayOutTest, WhatHoldsThePortUpPutsOffWhatWaits) {
  WayOut way;
  const Cycle turn = way.pass(100, 10, true);
  EXPECT_EQ(way.at(turn), 100U);
  way.busy_until(110);
  EXPECT_EQ(way.at(turn), 100U) << "as expected";
  way.busy_until(150);
  EXPECT_EQ(way.at(turn), 140U);
  EXPECT_EQ(way.room(1), 140U);
  EXPECT_EQ(way.pass(120, 1, true), 110U) << "in the port's own time";
  EXPECT_EQ(way.at(110), 150U);
}

TEST_F(StoredLinesTest, NothingJoinsWhereNoLineIsKept) {
  spec.stored_lines = 0;
  const std::uint32_t first = store(part(5), 100);
  EXPECT_NE(store(part(5), 101), first);
}

}  // namespace
}  // namespace warpgauge::model
