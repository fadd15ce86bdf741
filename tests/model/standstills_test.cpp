// Standstills, against a list of all cycles.
#include "model/sm/standstills.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace warpgauge::model::test {
namespace {

TEST(Standstills, AsksOfThemAnswerAsAListOfAllCyclesDoes) {
  constexpr Cycle cycles = 4000;
  std::mt19937 random(1);
  Standstills standstills;
  std::vector<bool> stands(cycles + 200, false);
  Cycle last = 0;  // the end of what is known to stand still
  const auto clock = [&](Cycle now) {
    Cycle passed = 0;
    for (Cycle at = 0; at < now; ++at) passed += stands[at] ? 0 : 1;
    return passed;
  };
  for (Cycle now = 0; now < cycles; ++now) {
    // No more than a few are known ahead of time.
    if (random() % 8 == 0 && last < now + 30) {
      const unsigned length = 1 + random() % 4;
      const Cycle from = std::max(now + random() % 6, last);
      standstills.add(from, length, now);
      for (Cycle at = from; at < from + length; ++at) stands[at] = true;
      last = from + length;
    }
    ASSERT_EQ(standstills.holds(now), stands[now]) << now;
    Cycle behind = now;
    while (stands[behind]) ++behind;
    ASSERT_EQ(standstills.behind(now), behind) << now;
    if (now % 16 != 0) continue;
    ASSERT_EQ(standstills.clock(now), clock(now)) << now;
    // A count that has so many cycles to go ends in a cycle in which nothing stands still.
    const Cycle due = clock(now) + random() % 20;
    const Cycle at = standstills.when(due);
    ASSERT_FALSE(stands[at]) << now;
    ASSERT_EQ(clock(at), due) << now;
  }
}

}  // namespace
}  // namespace warpgauge::model::test
