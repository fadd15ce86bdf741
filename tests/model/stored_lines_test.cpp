// Which stores join one that has not left the SM (docs/h200.md), and when each leaves.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "model/sm/stored_lines.h"
#include "model/sm/way_out.h"

namespace warpgauge::model {
namespace {

constexpr unsigned sector_bytes = 32;
constexpr Cycle way_out = 20;  // from being taken to leaving, where nothing is in the way

MemoryUnitSpec spec_of() {
  MemoryUnitSpec spec;
  spec.store_hold = 11;
  spec.stored_lines = 6;
  spec.stored_narrow_lines = 3;
  return spec;
}

StoredLines::Store part(std::uint64_t line, std::uint8_t sectors = 1, unsigned bytes = 4) {
  return {line, sectors, false, bytes, 0};
}
StoredLines::Store byte(std::uint64_t line) { return {line, 1, true, 1, 0}; }

class StoredLinesTest : public ::testing::Test {
 protected:
  // What a store taken at `at` does: the id of the one that it joins, or its own.
  std::uint32_t store(const StoredLines::Store& made, Cycle at) {
    const StoredLines::Joined joined = lines.join(made, at, {at + way_out, way.own(at + way_out)});
    full = joined.full;
    more = joined.more;
    if (joined.id != StoredLines::none) return joined.id;
    leave(made, ++last, at);
    return last;
  }
  void leave(const StoredLines::Store& made, std::uint32_t id, Cycle at) {
    way.pass(at + way_out, 1 + std::popcount(made.sectors), 1);
    lines.leave(made, id, 0, at, {way.passed_alone(), way.turn_before(spec.stores_in_line)});
  }

  MemoryUnitSpec spec = spec_of();
  TagBanks banks{1};
  StoredLines lines{spec, sector_bytes, banks};
  WayOut way;
  std::uint32_t last = 0;
  bool full = false;
  std::uint8_t more = 0;
};

TEST_F(StoredLinesTest, AStoreToTheSameLineJoinsWithinTheHold) {
  const std::uint32_t first = store(part(5), 100);
  EXPECT_EQ(store(part(5), 105), first);
  EXPECT_EQ(store(part(5), 115), first) << "eleven cycles from the last that joined, not from the first";
  EXPECT_NE(store(part(5), 115 + 11), first);
}

TEST_F(StoredLinesTest, AStoreToOtherSectorsOfTheLineJoinsToo) {
  const std::uint32_t first = store(part(5, 0b0011), 100);
  EXPECT_EQ(store(part(5, 0b0110), 101), first);
  EXPECT_EQ(more, 0b0100) << "what the first has not to be told of again";
  EXPECT_EQ(store(part(5, 0b0111), 102), first);
  EXPECT_EQ(more, 0);
}

TEST_F(StoredLinesTest, ItIsToldWhetherTheSectorsOfAllThatJoinedAreFull) {
  const std::uint32_t first = store(part(5, 1, 28), 100);
  EXPECT_EQ(store(part(5, 1, 4), 101), first);
  EXPECT_TRUE(full);
  EXPECT_EQ(store(part(5, 2, 16), 102), first);
  EXPECT_FALSE(full) << "half of the second sector";
  EXPECT_EQ(store(part(5, 2, 16), 103), first);
  EXPECT_TRUE(full);
}

TEST_F(StoredLinesTest, StoresToOtherLinesBetweenDoNotMatterWhileThereIsRoom) {
  std::vector<std::uint32_t> first;
  for (std::uint64_t line = 0; line < 6; ++line) first.push_back(store(part(line), 100 + line));
  for (std::uint64_t line = 0; line < 6; ++line) EXPECT_EQ(store(part(line), 106 + line), first[line]);
  for (std::uint64_t line = 0; line < 6; ++line) EXPECT_EQ(store(part(line), 112 + line), first[line]) << "what joins takes none";
}

TEST_F(StoredLinesTest, ThereIsRoomForSixLinesOfWordsOrThreeOfBytes) {
  std::uint32_t first = store(part(50), 100);
  for (std::uint64_t line = 0; line < 6; ++line) store(part(line), 100);
  EXPECT_NE(store(part(50), 101), first) << "six came behind it";
  first = store(byte(51), 200);
  for (std::uint64_t line = 10; line < 12; ++line) store(byte(line), 200);
  EXPECT_EQ(store(byte(51), 201), first);
  first = store(byte(52), 300);
  for (std::uint64_t line = 20; line < 23; ++line) store(byte(line), 300);
  EXPECT_NE(store(byte(52), 301), first) << "three came behind it";
}

TEST(StoredLinesOfBanks, LinesThatABankHasNoRoomForTakeTheOldestRowsPlace) {
  MemoryUnitSpec spec = spec_of();
  spec.stored_open_rows = 2;
  spec.stored_lines = 8;
  spec.stored_narrow_lines = 4;
  const TagBanks banks{4};
  StoredLines lines{spec, sector_bytes, banks};
  std::uint32_t last = 0;
  const auto store = [&](const StoredLines::Store& made) {
    const StoredLines::Joined joined = lines.join(made, 100, {120, 120});
    if (joined.id != StoredLines::none) return joined.id;
    lines.leave(made, ++last, 0, 100, {120, 120});
    return last;
  };
  std::vector<std::uint32_t> first;
  for (std::uint64_t line = 0; line < 8; ++line) first.push_back(store(part(line)));
  for (std::uint64_t line = 0; line < 8; ++line)
    EXPECT_EQ(store(part(line)), first[line]) << "two in each bank";
  store(part(8));
  EXPECT_NE(store(part(0)), first[0]) << "a third has come in its bank";
  EXPECT_NE(store(part(1)), first[1]) << "none in this one, but it has been in that row";
  EXPECT_EQ(store(part(5)), first[5]) << "of the next row";
  const std::uint32_t of_bytes = store(byte(102));
  EXPECT_EQ(store(byte(102)), of_bytes);
  store(byte(106));
  EXPECT_NE(store(byte(102)), of_bytes) << "a bank has room for one line of bytes";
}

TEST_F(StoredLinesTest, ALineIsUnderWayUntilTheL2HasIt) {
  const std::uint32_t first = store(part(5), 100);
  EXPECT_TRUE(lines.under_way(5));
  EXPECT_FALSE(lines.under_way(6));
  EXPECT_EQ(lines.arrived(5, first), 0U);
  EXPECT_FALSE(lines.under_way(5));
  EXPECT_NE(store(part(5), 103), first);
}

TEST_F(StoredLinesTest, NothingJoinsAStoreBehindWhichAnAtomicOfItsLineHasGone) {
  store(part(5), 100);
  lines.close(6);
  EXPECT_NE(lines.join(part(5), 101, {101 + way_out, way.own(101 + way_out)}).id, StoredLines::none) << "of another line";
  lines.close(5);
  EXPECT_FALSE(lines.under_way(5));
  EXPECT_EQ(lines.join(part(5), 102, {102 + way_out, way.own(102 + way_out)}).id, StoredLines::none);
  store(part(5), 103);
  EXPECT_TRUE(lines.under_way(5));
  EXPECT_NE(lines.join(part(5), 104, {104 + way_out, way.own(104 + way_out)}).id, StoredLines::none) << "the one behind the atomic";
}

TEST_F(StoredLinesTest, LoadsBeforeItKeepAStoreOpenForLonger) {
  way.pass(200 + way_out, 10, 0);  // ten cycles of requests for lines
  const std::uint32_t first = store(part(5), 200);
  EXPECT_EQ(store(part(5), 220), first) << "ten cycles of waiting and eleven of the hold";
  way.pass(400 + way_out, 10, 0);
  const std::uint32_t second = store(part(6), 400);
  EXPECT_NE(store(part(6), 421), second);
}

TEST_F(StoredLinesTest, WhatHoldsThePortUpKeepsAStoreOpenUntilThereIsAPlaceInLine) {
  way.pass(200 + way_out, 10, 0);
  const std::uint32_t first = store(part(5), 200);
  way.busy_until(200 + way_out + 12 + 300);  // ten cycles and two of the store were expected
  EXPECT_EQ(store(part(5), 505), first);
  EXPECT_NE(store(part(5), 505 + 11), first) << "it has had its turn, and the hold is over";
}

TEST_F(StoredLinesTest, WhatStandsInLineBeforeAPortThatIsHeldUpIsNotJoined) {
  spec.stores_in_line = 2;
  const std::uint32_t first = store(part(5), 200);
  const std::uint32_t second = store(part(6), 200);
  const std::uint32_t third = store(part(7), 200);
  way.busy_until(1000);
  EXPECT_NE(store(part(5), 300), first);
  EXPECT_NE(store(part(6), 300), second);
  EXPECT_EQ(store(part(7), 215), third) << "the first has not left yet";
}

TEST(WayOutTest, RequestsPassOneBehindTheOther) {
  WayOut way;
  EXPECT_EQ(way.pass(100, 5, 1), 100U);
  EXPECT_EQ(way.pass(101, 1, 0), 105U);
  EXPECT_EQ(way.pass(200, 1, 0), 200U);
}

TEST(WayOutTest, ThereIsRoomForAStoreWhenTheLastButSoManyHasItsTurn) {
  WayOut way;
  for (int i = 0; i < 4; ++i) way.pass(100, 10, 1);
  EXPECT_EQ(way.room(5), 0U) << "four wait";
  EXPECT_EQ(way.room(4), 100U);
  EXPECT_EQ(way.room(2), 120U);
  way.pass(100, 10, 0);
  EXPECT_EQ(way.room(2), 120U) << "loads do not count";
}

TEST(WayOutTest, EachTurnOfAnAtomicsLanesTakesAPlace) {
  WayOut way;
  EXPECT_EQ(way.pass(100, 32, 32), 100U);
  EXPECT_EQ(way.room(32), 100U);
  EXPECT_EQ(way.room(8), 124U);
  EXPECT_EQ(way.pass(100, 5, 1), 132U);
}

TEST(WayOutTest, ThePortIsHeldUpUntilWhatHasWaitedHasPassed) {
  WayOut way;
  for (int i = 0; i < 4; ++i) way.pass(100, 10, 1);
  EXPECT_FALSE(way.held_up(100));
  way.busy_until(140);
  EXPECT_FALSE(way.held_up(100)) << "no longer than expected";
  way.busy_until(500);
  way.pass(200, 10, 1);
  EXPECT_TRUE(way.held_up(400));
  EXPECT_TRUE(way.held_up(489)) << "the fourth waits";
  EXPECT_FALSE(way.held_up(490));
}

TEST(WayOutTest, WhatHoldsThePortUpPutsOffWhatWaits) {
  WayOut way;
  const Cycle turn = way.pass(100, 10, 1);
  EXPECT_EQ(way.at(turn), 100U);
  way.busy_until(110);
  EXPECT_EQ(way.at(turn), 100U) << "as expected";
  way.busy_until(150);
  EXPECT_EQ(way.at(turn), 140U);
  EXPECT_EQ(way.room(1), 140U);
  EXPECT_EQ(way.pass(120, 1, 1), 110U) << "in the port's own time";
  EXPECT_EQ(way.at(110), 150U);
}

StoredLines::Store words_of_five(std::uint32_t mask) {
  StoredLines::Store made = part(5);
  made.words = mask;
  return made;
}

TEST_F(StoredLinesTest, AStoreMeetsALineThatLeaves) {
  spec.leaving_cycles = 3;
  store(words_of_five(1), 100);
  EXPECT_TRUE(lines.leaving(words_of_five(2), 100 + 11)) << "it is not held any more";
  EXPECT_TRUE(lines.leaving(words_of_five(1), 100 + 11)) << "the same word";
  EXPECT_TRUE(lines.leaving(words_of_five(2), 100 + 13));
  EXPECT_FALSE(lines.leaving(words_of_five(2), 100 + 14)) << "it has left";
  store(words_of_five(2), 105);
  EXPECT_TRUE(lines.leaving(words_of_five(4), 105 + 13)) << "what joins a line puts off when it leaves";
  EXPECT_FALSE(lines.leaving(words_of_five(4), 105 + 14));
  EXPECT_FALSE(lines.leaving(part(6), 105 + 11)) << "nobody has stored there";
}

TEST_F(StoredLinesTest, LinesOfAStoreAreHeldForLongerAndLeaveOneBehindTheOther) {
  spec.leaving_cycles = 3;
  spec.store_hold_line = 1.5;
  spec.leaving_interval = 2;
  for (unsigned i = 0; i < 4; ++i) {
    StoredLines::Store made = part(20 + i);
    made.lines = 4;
    made.before = i;
    leave(made, ++last, 100);
  }
  const Cycle held = 100 + 11 + 4;  // three more lines, one and a half cycles each
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_TRUE(lines.leaving(part(20 + i), held + 2 + 2 * i)) << i;
    EXPECT_FALSE(lines.leaving(part(20 + i), held + 3 + 2 * i)) << i;
    EXPECT_NE(lines.join(part(20 + i), held - 1, {300, 300}).id, StoredLines::none) << i;
  }
  for (unsigned i = 0; i < 4; ++i) {
    const Cycle again = held - 1 + 11;  // a store of one line has joined each
    EXPECT_TRUE(lines.leaving(part(20 + i), again + 2)) << i;
    EXPECT_FALSE(lines.leaving(part(20 + i), again + 3)) << i << ": what joined has no lines before it";
  }
}

TEST_F(StoredLinesTest, AStoreOfOtherWordsMeetsALineThatHasLeftTheHoldForOthers) {
  spec.leaving_lines = 2;
  spec.leaving_cycles = 3;
  const std::uint32_t first = store(words_of_five(1), 100);
  for (std::uint64_t line = 10; line < 15; ++line) store(part(line), 100);
  EXPECT_TRUE(lines.leaving(words_of_five(2), 100));
  EXPECT_TRUE(lines.leaving(words_of_five(3), 100));
  EXPECT_FALSE(lines.leaving(words_of_five(1), 100)) << "the same word";
  EXPECT_TRUE(lines.leaving(words_of_five(2), 113));
  EXPECT_FALSE(lines.leaving(words_of_five(2), 114)) << "the data array has been idle since";
  store(part(15), 100);
  EXPECT_TRUE(lines.leaving(words_of_five(2), 100));
  store(part(16), 100);
  EXPECT_FALSE(lines.leaving(words_of_five(2), 100)) << "the eighth last";
  EXPECT_EQ(lines.arrived(5, first), 0U);
  EXPECT_FALSE(lines.leaving(words_of_five(2), 100));
}

TEST_F(StoredLinesTest, WordsThatJoinAStoreOnItsWayAreToldWhenItIsThereOrWithTheNext) {
  const auto words = [](std::uint32_t mask) { return StoredLines::Store{5, 1, false, 4, mask}; };
  const std::uint32_t first = store(words(1), 100);
  EXPECT_EQ(store(words(6), 101), first);
  lines.tell_later(words(6));
  EXPECT_EQ(lines.untold(5), 6U) << "with the next";
  EXPECT_EQ(lines.untold(5), 0U) << "once";
  lines.tell_later(words(8));
  EXPECT_EQ(lines.arrived(5, first), 8U);
  EXPECT_EQ(lines.untold(5), 0U) << "nothing is under way";
}

TEST_F(StoredLinesTest, NothingJoinsWhereNoLineIsKept) {
  spec.stored_lines = 0;
  const std::uint32_t first = store(part(5), 100);
  EXPECT_NE(store(part(5), 101), first);
}

}  // namespace
}  // namespace warpgauge::model
