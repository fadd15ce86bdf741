// The calendar of events, against a sorted list.
#include "model/sm/calendar.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace warpgauge::model::test {
namespace {

TEST(Calendar, EventsComeInTheOrderOfTimeAndThoseOfACycleInTheOrderInWhichTheyWentIn) {
  std::mt19937 random(1);
  Calendar<int> calendar;
  std::multimap<Cycle, int> list;  // keeps the order of equal keys
  int next = 0;
  Cycle now = 0;
  const auto add = [&] {
    // Near, at the end of the ring, a whole round ahead, and farther.
    const Cycle ahead[] = {random() % 4, random() % 300, 1020 + random() % 8, random() % 5000};
    const Cycle at = now + ahead[random() % 4];
    calendar.add(at, next);
    list.emplace(at, next++);
  };
  for (int i = 0; i < 20; ++i) add();
  while (!list.empty()) {
    ASSERT_EQ(calendar.next(now), list.begin()->first);
    now = list.begin()->first;
    std::vector<int> taken;
    calendar.take(now, [&](int event) {
      taken.push_back(event);
      if (next < 20000 && random() % 3 != 0) add();
      if (next < 20000 && random() % 3 != 0) add();
    });
    std::vector<int> expected;
    const auto [first, last] = list.equal_range(now);
    for (auto each = first; each != last; ++each) expected.push_back(each->second);
    list.erase(first, last);
    ASSERT_EQ(taken, expected);
    ASSERT_EQ(calendar.size(), list.size());
    const Cycle until = now + 1 + random() % 500;
    std::vector<int> ahead;
    calendar.look_ahead(now + 1, until, [&](int event) { ahead.push_back(event); });
    expected.clear();
    for (auto each = list.begin(); each != list.end() && each->first < until; ++each)
      expected.push_back(each->second);
    ASSERT_EQ(ahead, expected);
  }
  EXPECT_TRUE(calendar.empty());
  EXPECT_EQ(calendar.next(now), never);
}

}  // namespace
}  // namespace warpgauge::model::test
