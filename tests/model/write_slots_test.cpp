// What a probe of loads among FFMAs showed on an H200 (registers.load_writes): which empty issue slot spares the FFMAs
// the wait for a load's result.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

#include "model/sm/write_slots.h"

namespace warpgauge::model::test {
namespace {

constexpr std::uint8_t even = WriteSlots::even;
constexpr std::uint8_t odd = WriteSlots::odd;

// FFMAs issue in every cycle but those that are left out, and write `banks` in turn; loads' results may be read from
// `arrival` on. For how many cycles is dispatch stopped?
unsigned stopped(LoadResults results, unsigned loads, std::initializer_list<Cycle> left_out,
                 std::initializer_list<std::uint8_t> banks = {even}) {
  constexpr Cycle arrival = 40;
  WriteSlots slots;
  unsigned total = 0;
  Cycle now = 0;
  for (unsigned i = 0; i < 90; ++i, ++now) {
    while (std::find(left_out.begin(), left_out.end(), now) != left_out.end()) ++now;
    if (now >= arrival && total == 0)
      for (; loads != 0; --loads) slots.arrive(results, arrival);
    const unsigned stop = slots.issue(*(banks.begin() + i % banks.size()), now);
    total += stop;
    now += stop;
  }
  return total;
}

TEST(WriteSlots, ALoadWhoseBankIsWrittenInEveryCycleStopsDispatchForThree) {
  EXPECT_EQ(stopped({.even = 1}, 1, {}), 3U);
  EXPECT_EQ(stopped({.odd = 1}, 1, {}), 0U);
  EXPECT_EQ(stopped({.even = 1}, 1, {}, {even, odd}), 0U);
}

TEST(WriteSlots, AnEmptySlotInTheSixteenFromEightBeforeItIsReadSparesThat) {
  for (Cycle slot = 20; slot < 70; ++slot) {
    const unsigned expected = slot < 32 || slot > 49 ? 3 : slot == 48 ? 1 : slot == 49 ? 2 : 0;
    EXPECT_EQ(stopped({.even = 1}, 1, {slot}), expected) << slot;
  }
}

TEST(WriteSlots, SharedMemorysPairsNeedBothBanksAtOnce) {
  EXPECT_EQ(stopped({.pairs = 1}, 1, {}, {even, odd}), 3U);
  EXPECT_EQ(stopped({.pairs = 1}, 1, {40}, {even, odd}), 0U);
  EXPECT_EQ(stopped({.even = 1, .odd = 1}, 1, {}, {even, odd}), 0U) << "those of global memory do not";
}

TEST(WriteSlots, OneStopIsEnoughForThreePairsAndAFourthTakesAnother) {
  EXPECT_EQ(stopped({.pairs = 2}, 1, {}), 3U);
  EXPECT_EQ(stopped({.pairs = 2}, 1, {40}), 3U) << "the second waits on";
  EXPECT_EQ(stopped({.pairs = 2}, 1, {40, 45}), 0U);
  EXPECT_EQ(stopped({.pairs = 1}, 3, {}), 3U);
  EXPECT_EQ(stopped({.pairs = 2}, 2, {}), 6U);
}

TEST(WriteSlots, WhoIsFirstAfterAnotherWasWrittenHasSixteenSlotsOfItsOwn) {
  EXPECT_EQ(stopped({.pairs = 2}, 1, {47, 63}), 0U);
  EXPECT_EQ(stopped({.pairs = 2}, 1, {47, 64}), 1U);
  EXPECT_EQ(stopped({.pairs = 2}, 1, {47, 66}), 3U);
}

TEST(WriteSlots, ASpecialFunctionsResultWaitsForOneSlotAndThenStopsDispatchForACycle) {
  EXPECT_EQ(stopped({.even = 1, .special_function = true}, 1, {}), 1U);
  EXPECT_EQ(stopped({.even = 1, .special_function = true}, 1, {}, {even, odd}), 0U);
}

TEST(WriteSlots, LongAfterTheLastIssueAllSlotsAreFree) {
  WriteSlots slots;
  slots.issue(even, 10);
  slots.arrive({.pairs = 2}, 5000);
  EXPECT_EQ(slots.issue(even, 5000), 0U);
  for (Cycle now = 5001; now < 5030; ++now) EXPECT_EQ(slots.issue(even, now), 0U);
}

}  // namespace
}  // namespace warpgauge::model::test
