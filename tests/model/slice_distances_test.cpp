#include "model/sm/slice_distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace warpgauge::model {
namespace {

constexpr double spread = 56;

TEST(SliceDistances, ALineAloneIsAsFarAsTheMean) {
  EXPECT_EQ(SliceDistances(spread).of(1, 0), 0);
}

TEST(SliceDistances, LinesTogetherAreAsFarAsTheMeanInTheMean) {
  const SliceDistances distances(spread);
  for (unsigned lines = 1; lines <= max_lines_per_access; ++lines) {
    int sum = 0;
    for (unsigned i = 0; i < lines; ++i) sum += distances.of(lines, i);
    EXPECT_LE(std::abs(sum), static_cast<int>(lines) / 2 + 1) << lines;
  }
}

// Of n places drawn evenly from 0 to 1 the farthest is n / (n + 1) in the mean.
TEST(SliceDistances, TheFarthestOfSomeLinesIsAsFarAsTheFarthestOfSomeDraws) {
  const SliceDistances distances(spread);
  for (unsigned lines = 2; lines <= max_lines_per_access; ++lines) {
    int farthest = -128;
    int nearest = 127;
    for (unsigned i = 0; i < lines; ++i) {
      farthest = std::max(farthest, int{distances.of(lines, i)});
      nearest = std::min(nearest, int{distances.of(lines, i)});
    }
    EXPECT_NEAR(farthest, spread * (lines / (lines + 1.0) - 0.5), 0.5) << lines;
    EXPECT_NEAR(nearest, -farthest, 1) << lines;
  }
}

TEST(SliceDistances, NoTwoOfEightLinesAreEquallyFarAndNeighboursAreNotNeighbours) {
  const SliceDistances distances(spread);
  std::set<int> seen;
  for (unsigned i = 0; i < 8; ++i) seen.insert(distances.of(8, i));
  EXPECT_EQ(seen.size(), 8U);
  for (unsigned i = 1; i < 8; ++i) {
    EXPECT_GT(std::abs(distances.of(8, i) - distances.of(8, i - 1)), spread / 9 * 1.5) << i;
  }
}

TEST(SliceDistances, WithoutASpreadAllAreAsFarAsTheMean) {
  const SliceDistances distances(0);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(distances.of(32, i), 0);
}

}  // namespace
}  // namespace warpgauge::model
