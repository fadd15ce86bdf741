#include "model/memory/slice_distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace warpgauge::model {
namespace {

constexpr unsigned clusters = 8;
constexpr unsigned slices = 94;

CrossbarSpec h200() {
  CrossbarSpec spec;
  spec.slice_spread = 23;
  spec.slice_far_extra = 31;
  spec.slice_mean_extra = 4;
  return spec;
}

TEST(SliceDistances, ThoseOfEachClusterAreInTheMeanWhatTheCalibrationSays) {
  const SliceDistances distances(h200(), clusters, slices, 2);
  for (unsigned cluster = 0; cluster < clusters; ++cluster) {
    for (unsigned first : {0U, slices / 2}) {
      int near = 0;
      int far = 0;
      for (unsigned slice = first; slice < first + slices / 2; ++slice) {
        near += distances.of(cluster, slice, false);
        far += distances.of(cluster, slice, true);
      }
      EXPECT_NEAR(near / (slices / 2.0), 4 - 15.5, 0.5);
      EXPECT_NEAR(far / (slices / 2.0), 4 + 15.5, 0.5);
    }
  }
}

TEST(SliceDistances, TheNearestAndTheFarthestOfAPartitionAreAsFarApartAsItsSpread) {
  const SliceDistances distances(h200(), clusters, slices, 2);
  int least = 1000;
  int most = -1000;
  for (unsigned slice = 0; slice < slices / 2; ++slice) {
    least = std::min(least, distances.of(3, slice, false));
    most = std::max(most, distances.of(3, slice, false));
  }
  EXPECT_NEAR(most - least, 23, 1.5);
}

TEST(SliceDistances, EachClusterHasAnOrderOfItsOwn) {
  const SliceDistances distances(h200(), clusters, slices, 2);
  double apart = 0;
  for (unsigned slice = 0; slice < slices; ++slice) apart += std::abs(distances.of(0, slice, false) - distances.of(1, slice, false));
  EXPECT_GT(apart / slices, 23 / 4.0) << "of two places drawn evenly a third of the spread";
}

// Of n places drawn evenly from 0 to 1 the farthest is n / (n + 1) in the mean.
TEST(SliceDistances, TheFarthestOfSomeSlicesIsAsFarAsTheFarthestOfSomeDraws) {
  for (const unsigned n : {1U, 2U, 8U, 90U}) EXPECT_NEAR(SliceDistances::farthest(h200(), n), 54 * (n / (n + 1.0) - 0.5), 1e-9);
}

TEST(SliceDistances, OnePartitionHasNoFarSlicesAndWithoutASpreadAllAreAlike) {
  CrossbarSpec spec = h200();
  spec.slice_spread = 0;
  const SliceDistances distances(spec, 1, 64, 1);
  for (unsigned slice = 0; slice < 64; ++slice) {
    EXPECT_EQ(distances.of(0, slice, false), 4);
    EXPECT_EQ(distances.of(0, slice, true), 4);
  }
}

}  // namespace
}  // namespace warpgauge::model
