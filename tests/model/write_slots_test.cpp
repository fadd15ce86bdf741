// What a probe of loads among FFMAs showed on an H200 (registers.load_writes): which empty issue slot spares
// the FFMAs the wait for a load's result.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "model/sm/write_slots.h"

namespace warpgauge::model::test {
namespace {

constexpr std::uint8_t even = WriteSlots::even;
constexpr std::uint8_t odd = WriteSlots::odd;

// FFMAs issue in every cycle but those that are left out, and write `banks` in turn; loads' results may be
// read from `arrival` on. For how many cycles is dispatch stopped?
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

// By hand on an H200 (loads_beside_additions): results that may be read from 40 on if nobody writes from 31
// on.
TEST(WriteSlots, ALoadEndsByAsMuchLaterAsItsLastRegisterIsWrittenLate) {
  const auto late = [](LoadResults results, std::initializer_list<std::pair<Cycle, std::uint8_t>> written) {
    WriteSlots slots;
    for (const auto& [at, banks] : written) slots.issue(banks, at);
    return slots.arrive(results, 40);
  };
  EXPECT_EQ(late({.even = 1}, {}), 0U);
  EXPECT_EQ(late({.even = 1}, {{31, even}, {33, even}}), 0U);
  EXPECT_EQ(late({.even = 1}, {{32, odd}}), 0U);
  EXPECT_EQ(late({.even = 1}, {{32, even}}), 1U);
  EXPECT_EQ(late({.even = 1}, {{32, even}, {33, even}, {34, even}}), 3U);
  EXPECT_EQ(late({.even = 1}, {{32, even}, {33, odd}, {34, even}}), 1U);
  EXPECT_EQ(late({.pairs = 1}, {{32, even}, {33, odd}}), 2U) << "64 bits that lanes share";
  EXPECT_EQ(late({.pairs = 2}, {{31, odd}}), 1U) << "128 bits, the first two registers";
  EXPECT_EQ(late({.pairs = 2}, {{32, even}, {33, even}}), 2U);
  EXPECT_EQ(late({.even = 1, .odd = 1, .in_turn = true}, {{31, odd}, {32, even}}), 0U)
      << "64 bits of their own";
  EXPECT_EQ(late({.even = 1, .odd = 1, .in_turn = true}, {{31, even}, {32, odd}}), 1U);
  EXPECT_EQ(late({.even = 1, .odd = 1, .in_turn = true}, {{32, odd}}), 1U);
}

TEST(WriteSlots, WhatHasFoundNoCycleYetIsAskedForByItsName) {
  WriteSlots slots;
  for (Cycle at = 20; at < 40; ++at) slots.issue(even, at);
  ASSERT_EQ(slots.arrive({.even = 1}, 40), WriteSlots::unknown);
  const std::uint16_t name = slots.last_ticket();
  slots.issue(even, 40);
  EXPECT_EQ(slots.late_by(name, 41), WriteSlots::unknown);
  EXPECT_EQ(slots.late_by(name, 42), 41U - 32U) << "nothing issued in 41";
  EXPECT_EQ(slots.late_by(name, 50), 41U - 32U);
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
