#include "calib/plateaus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace warpgauge::calib {
namespace {

struct Curve {
  std::vector<double> x;
  std::vector<double> y;
};

// A pointer chase over footprints: `levels` with ends, noise, and now and then a sample far off.
Curve chase(const std::vector<double>& levels, const std::vector<double>& ends, double deviation,
            std::uint64_t seed, double outliers = 0) {
  Random random(seed);
  Curve curve;
  for (double kib = 1; kib <= ends.back(); kib += 1) {
    const std::size_t level =
        static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), kib) - ends.begin());
    for (int repetition = 0; repetition < 3; ++repetition) {
      curve.x.push_back(kib);
      curve.y.push_back(levels[level] + deviation * random.normal() +
                        (random.uniform() < outliers ? 400 : 0));
    }
  }
  return curve;
}

TEST(Plateaus, OfACurveWithoutNoiseAreExact) {
  const Curve curve = chase({28, 193, 375}, {121, 180, 240}, 0, 1);
  const std::vector<Plateau> found = find_plateaus(curve.x, curve.y);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].last_x, 121);
  EXPECT_EQ(found[1].first_x, 122);
  EXPECT_EQ(found[1].last_x, 180);
  EXPECT_EQ(found[0].level.value, 28);
  EXPECT_EQ(found[1].level.value, 193);
  EXPECT_EQ(found[2].level.value, 375);
}

class NoisyPlateaus : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(NoisyPlateaus, KeepTheirEndsAndLevels) {
  const Curve curve = chase({32, 188, 510}, {57, 130, 200}, 2, GetParam(), 0.05);
  const std::vector<Plateau> found = find_plateaus(curve.x, curve.y);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].last_x, 57);
  EXPECT_EQ(found[1].last_x, 130);
  EXPECT_NEAR(found[0].level.value, 32, 1);
  EXPECT_NEAR(found[1].level.value, 188, 1);
  EXPECT_NEAR(found[2].level.value, 510, 1);
}

TEST_P(NoisyPlateaus, AreNotFoundInNoiseAlone) {
  Random random(GetParam());
  Curve curve;
  for (int i = 0; i < 150; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(280 + 3 * random.normal());
  }
  EXPECT_EQ(find_plateaus(curve.x, curve.y).size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NoisyPlateaus, ::testing::Range<std::uint64_t>(1, 13));

TEST(Plateaus, LeaveOutARampBetweenTwoLevels) {
  Curve curve;
  for (int i = 0; i < 100; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i < 40 ? 30.0 : i < 44 ? 30 + 40.0 * (i - 39) : 200.0);
  }
  const std::vector<Plateau> found = find_plateaus(curve.x, curve.y);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].last_x, 39);
  EXPECT_EQ(found[1].first_x, 44);
}

TEST(Plateaus, CountAStepBelowTheLeastAsNone) {
  Curve curve;
  for (int i = 0; i < 60; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i < 30 ? 100.0 : 103.0);
  }
  EXPECT_EQ(find_plateaus(curve.x, curve.y).size(), 1U);
  EXPECT_EQ(find_plateaus(curve.x, curve.y, {.least_step = 0.01}).size(), 2U);
}

TEST(Plateaus, DoNotNeedSortedPoints) {
  Curve curve = chase({28, 193}, {32, 80}, 0, 1);
  std::reverse(curve.x.begin(), curve.x.end());
  std::reverse(curve.y.begin(), curve.y.end());
  const std::vector<Plateau> found = find_plateaus(curve.x, curve.y);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].last_x, 32);
}

TEST(Plateaus, RefuseACurveThatIsNone) {
  EXPECT_THROW((void)find_plateaus({}, {}), std::invalid_argument);
  EXPECT_THROW((void)find_plateaus(std::vector<double>{1, 2}, std::vector<double>{1}), std::invalid_argument);
  EXPECT_THROW((void)find_plateaus(std::vector<double>{1}, std::vector<double>{std::nan("")}),
               std::invalid_argument);
  EXPECT_THROW((void)find_plateaus(std::vector<double>{INFINITY}, std::vector<double>{1}),
               std::invalid_argument);
}

TEST(EndOfLevel, LiesBetweenTheLastPointOnItAndTheNext) {
  const Curve curve = chase({28, 193}, {25, 60}, 0, 1);
  EXPECT_DOUBLE_EQ(end_of_level(curve.x, curve.y, 28), 25.5);
  EXPECT_DOUBLE_EQ(end_of_level(curve.x, curve.y, 193), 60);
  EXPECT_THROW((void)end_of_level(curve.x, curve.y, 1000), std::invalid_argument);
}

TEST(EndOfLevel, DoesNotCountAReturnToTheLevel) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  const std::vector<double> y{10, 10, 50, 10, 50, 50};
  EXPECT_DOUBLE_EQ(end_of_level(x, y, 10), 2.5);
}

}  // namespace
}  // namespace warpgauge::calib
