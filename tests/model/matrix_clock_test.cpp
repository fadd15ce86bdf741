// What matrix instructions do to the clock of the SMs, and how the memory system's time and theirs are one another's.
#include "model/gpu/matrix_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/machine_spec.h"
#include "tests/model/by_hand.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

constexpr Cycle step = 50;  // of a window

MatrixClockSpec tenth() {
  MatrixClockSpec spec;
  spec.slow = 0.1;
  spec.hold = 1000;
  spec.start = 100;
  spec.start_more = 200;
  spec.start_more_time = 500;
  spec.start_time = 800;
  spec.own_latency = 150;
  return spec;
}

// Matrix instructions of the first SM at these times, and windows until the end; returns what is lost.
double lost(MatrixClock& clock, const std::vector<Cycle>& at, Cycle end) {
  auto next = at.begin();
  for (Cycle until = step; until <= end; until += step) {
    for (; next != at.end() && *next < until; ++next) clock.multiplied(0, *next, *next);
    clock.pass(until);
  }
  return clock.lost(end);
}

std::vector<Cycle> every(Cycle gap, unsigned times, Cycle first = step) {
  std::vector<Cycle> at;
  for (unsigned i = 0; i < times; ++i) at.push_back(first + i * gap);
  return at;
}

TEST(MatrixClock, WithoutMatrixInstructionsBothClocksAreTheSame) {
  MatrixClock clock(tenth(), {0, 0, 1, 1});
  EXPECT_EQ(lost(clock, {}, 10000), 0);
  EXPECT_EQ(clock.beyond(10020), 10020U);
  EXPECT_EQ(clock.within(10300), 10300U);
  EXPECT_EQ(clock.window(200, false), 200U);
  EXPECT_EQ(clock.way(244), 0U);
}

TEST(MatrixClock, TheFirstOneLosesCyclesEvenlyForAWhileAndHoldsTheClockDown) {
  MatrixClock clock(tenth(), {0});
  lost(clock, {step}, step + 400);
  EXPECT_NEAR(clock.lost(step + 400), 400 * 0.1 + 300 * 400 / 800.0, 1);
  EXPECT_NEAR(clock.lost(step + 800), 800 * 0.1 + 300, 1) << "what will be, should nothing come";
  EXPECT_NEAR(clock.lost(step + 1000), 1000 * 0.1 + 300, 1);
  EXPECT_NEAR(clock.lost(step + 9000), 1000 * 0.1 + 300, 1);
}

TEST(MatrixClock, OthersWithinTheHoldLoseNothingMore) {
  MatrixClock clock(tenth(), {0});
  const Cycle last = step + 900 * 9;
  EXPECT_NEAR(lost(clock, every(900, 10), last + 3000), (last - step + 1000) * 0.1 + 300, 2);
}

TEST(MatrixClock, OneLongAfterTheLastLosesMoreThanOneSoonAfterTheHold) {
  const auto second = [](Cycle gap) {
    MatrixClock clock(tenth(), {0});
    return lost(clock, every(gap, 2), 30000) - 300 - 2 * 1000 * 0.1;
  };
  EXPECT_NEAR(second(1010), 100 + 200 * (1 - std::exp(-10 / 500.0)), 1);
  EXPECT_NEAR(second(1500), 100 + 200 * (1 - std::exp(-1.0)), 1);
  EXPECT_NEAR(second(20000), 300, 1);
}

TEST(MatrixClock, WhatIsLeftOfAStartIsLostBesideTheNext) {
  MatrixClockSpec spec = tenth();
  spec.start_time = 2000;
  MatrixClock clock(spec, {0});
  const double each = 100 + 200 * (1 - std::exp(-200 / 500.0));
  EXPECT_NEAR(lost(clock, every(1200, 20), 60000), 300 + 19 * each + 20 * 1000 * 0.1, 20)
      << "1,200 cycles apart, in 2,000";
}

TEST(MatrixClock, NoMoreThanAWindowAllowsIsLostWhereStartsOverlap) {
  MatrixClockSpec spec = tenth();
  spec.start_time = 2000;
  MatrixClock clock(spec, {0});
  Cycle until = 0, next = 40;
  while (until < 30000) {
    const Cycle length = clock.window(200, true);
    const double before = clock.lost(until);
    for (; next < until + length; next += 1010) clock.multiplied(0, next, next);
    until += length;
    clock.pass(until);
    ASSERT_LE(static_cast<double>(length) + clock.lost(until) - before, 200 + 1e-9);
  }
}

TEST(MatrixClock, GpcsHaveTheMeanOfThoseThatHaveMultiplied) {
  MatrixClock clock(tenth(), {0, 0, 1, 1, 2});
  clock.multiplied(0, 0, 0);
  clock.multiplied(1, 40, 40);
  for (Cycle until = step; until <= 500; until += step) clock.pass(until);
  const double one = clock.lost(500);
  EXPECT_NEAR(one, 500 * 0.1 + 300 * 500 / 800.0, 1);
  clock.multiplied(3, 500, 500);
  for (Cycle until = 550; until <= 600; until += step) clock.pass(until);
  EXPECT_NEAR(clock.lost(600), one + 100 * (0.1 + 300 / 800.0), 1) << "two that lose as much";
  const std::vector<double> gpcs = clock.lost_by_gpc(600);
  EXPECT_NEAR(gpcs[0] - gpcs[1], one, 1);
  EXPECT_EQ(gpcs[2], 0);
}

TEST(MatrixClock, WhatIsForgottenHoldsNothingDown) {
  MatrixClock clock(tenth(), {0});
  const double so_far = lost(clock, {step}, 200);
  clock.forget();
  EXPECT_EQ(clock.lost(5000), so_far);
  EXPECT_EQ(clock.window(200, false), 200U);
}

TEST(MatrixClock, TimesThereAndBackAreTheSame) {
  MatrixClock clock(tenth(), {0});
  Cycle last = 0;
  for (Cycle until = step; until <= 6000; until += step) {
    if (until % 1250 == 0) clock.multiplied(0, until - 10, until - 10);
    clock.pass(until);
    const Cycle now = clock.beyond(until);
    EXPECT_GE(now, last + step) << "the memory system has no fewer cycles";
    EXPECT_EQ(clock.within(now), until);
    // Later ones are those of a clock that nothing more holds down.
    for (const Cycle later : {10U, 100U, 400U, 2000U}) {
      const double expected = static_cast<double>(until + later) + clock.lost(until + later);
      EXPECT_NEAR(static_cast<double>(clock.within(static_cast<Cycle>(expected))), static_cast<double>(until + later), 2);
    }
    last = now;
  }
}

TEST(MatrixClock, NoMoreOfTheMemorySystemsCyclesPassInAWindowThanAreAsked) {
  constexpr Cycle most = 200;
  for (const Cycle gap : {100U, 700U, 1100U, 1900U}) {
    MatrixClock clock(tenth(), {0});
    Cycle now = 0, beyond = 0, next = 0;
    while (now < 20000) {
      const Cycle until = now + clock.window(most, true);
      for (; next < until; next += gap) clock.multiplied(0, next, next);
      clock.pass(until);
      EXPECT_LE(clock.beyond(until) - beyond, most + 1) << gap << " at " << now;
      now = until;
      beyond = clock.beyond(until);
    }
  }
}

TEST(MatrixClock, TheSMsShareOfTheWayTakesAsManyOfTheirCyclesAsEver) {
  MatrixClock clock(tenth(), {0});
  lost(clock, every(500, 10), 5000);
  // 94 of 244 cycles, of which a tenth of the SMs' go by while the memory system's do.
  EXPECT_NEAR(static_cast<double>(clock.way(244)), 94 * 0.1 / 1.1, 1);
  EXPECT_EQ(clock.way(100), 0U);
}

// Loops with a product of two HMMAs, as long as the card's (clock_beside_products).
TEST(MatrixClock, LosesWhatAnH200DoesByTheTimeBetweenProducts) {
  const MachineSpec spec = device_spec("h200");
  double sum = 0;
  unsigned rows = 0;
  const nlohmann::json table = by_hand("clock_beside_products");
  for (const nlohmann::json& row : table["rows"]) {
    if (row[0] != 1 || row[2] != 1) continue;
    const Cycle gap = row[1];
    MatrixClock clock(spec.matrix_clock, {0});
    std::vector<Cycle> at;
    constexpr unsigned first = 10, rounds = 50;
    for (const Cycle each : every(gap, first + rounds)) {
      at.push_back(each);
      at.push_back(each + 14);  // its second HMMA
    }
    std::vector<Cycle> begin(at.begin(), at.begin() + 2 * first);
    MatrixClock same(spec.matrix_clock, {0});
    const double before = lost(same, begin, at[2 * first]);
    const double each = (lost(clock, at, at.back() + gap - 14) - before) / rounds;
    const double card = row[5];
    EXPECT_NEAR(each, card, 3 + 0.1 * card) << "every " << gap;
    sum += std::abs(each / card - 1);
    ++rows;
  }
  ASSERT_GT(rows, 30U);
  EXPECT_LT(sum / rows, 0.05);
}

}  // namespace
}  // namespace warpgauge::model::test
