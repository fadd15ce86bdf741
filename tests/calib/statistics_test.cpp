#include "calib/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace warpgauge::calib {
namespace {

std::vector<double> normal_samples(std::size_t count, double mean, double deviation, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(mean + deviation * random.normal());
  return samples;
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwo) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

TEST(Median, IsNotMovedByAFewOutliers) {
  std::vector<double> samples(51, 28);
  for (int i = 0; i < 20; ++i) samples.push_back(1e9);
  EXPECT_EQ(median(samples), 28);
}

TEST(Median, RefusesNothingAndWhatIsNotANumber) {
  EXPECT_THROW((void)median({}), std::invalid_argument);
  EXPECT_THROW((void)median(std::vector<double>{1, std::nan("")}), std::invalid_argument);
  EXPECT_THROW((void)quantile(std::vector<double>{1}, 1.5), std::invalid_argument);
}

TEST(Quantile, IsLinearBetweenNeighbours) {
  const std::vector<double> samples{10, 20, 30, 40, 50};
  EXPECT_EQ(quantile(samples, 0), 10);
  EXPECT_EQ(quantile(samples, 1), 50);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.125), 15);
}

TEST(MedianAbsoluteDeviation, IsZeroForConstantsAndEstimatesANormalsDeviation) {
  EXPECT_EQ(median_absolute_deviation(std::vector<double>{5, 5, 5, 9}), 0);
  EXPECT_NEAR(1.4826 * median_absolute_deviation(normal_samples(4000, 100, 3, 7)), 3, 0.2);
}

TEST(Random, GivesTheSameNumbersForASeed) {
  Random a(42);
  Random b(42);
  Random c(43);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.next(), c.next());
}

TEST(Bootstrap, IsTheSameEveryTime) {
  const std::vector<double> samples = normal_samples(60, 200, 5, 3);
  const Estimate a = estimate_median(samples, 9);
  const Estimate b = estimate_median(samples, 9);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

TEST(Bootstrap, HoldsTheTruthAboutAsOftenAsItSays) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Estimate estimate = estimate_median(normal_samples(41, 193, 4, 1000 + seed), seed);
    held += estimate.low <= 193 && 193 <= estimate.high;
  }
  EXPECT_GE(held, 88);
}

TEST(Bootstrap, HasNoWidthForEqualSamples) {
  const Estimate estimate = estimate_median(std::vector<double>(12, 28));
  EXPECT_EQ(estimate.value, 28);
  EXPECT_EQ(estimate.half_width(), 0);
  EXPECT_EQ(estimate.samples, 12U);
  EXPECT_THROW((void)bootstrap(
                   std::vector<double>{1}, [](auto) { return 0.0; }, 1, 0),
               std::invalid_argument);
}

TEST(FitLine, FindsAnExactLineWithNoUncertainty) {
  const std::vector<double> x{1e6, 1e6 + 1, 1e6 + 2, 1e6 + 5};
  std::vector<double> y;
  for (const double at : x) y.push_back(3 + 2 * at);
  const Line line = fit_line(x, y);
  EXPECT_NEAR(line.slope.value, 2, 1e-9);
  EXPECT_NEAR(line.intercept.value, 3, 1e-3);
  EXPECT_NEAR(line.residual, 0, 1e-6);
}

TEST(FitLine, HoldsTheTrueSlopeAndInterceptAboutAsOftenAsItSays) {
  int slopes = 0;
  int intercepts = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<double> x;
    std::vector<double> y;
    for (int i = 0; i < 12; ++i) {
      x.push_back(i);
      y.push_back(20 + 1.94 * i + random.normal());
    }
    const Line line = fit_line(x, y);
    slopes += line.slope.low <= 1.94 && 1.94 <= line.slope.high;
    intercepts += line.intercept.low <= 20 && 20 <= line.intercept.high;
  }
  EXPECT_GE(slopes, 180);
  EXPECT_GE(intercepts, 180);
}

TEST(FitLine, RefusesPointsThatDetermineNoLine) {
  EXPECT_THROW((void)fit_line(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}),
               std::invalid_argument);
  EXPECT_THROW((void)fit_line(std::vector<double>{1, 2}, std::vector<double>{1, 2}), std::invalid_argument);
  EXPECT_THROW((void)fit_line(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2}),
               std::invalid_argument);
}

TEST(FitLineWithOutliersRemoved, IsNotMovedByAThirdOfThePoints) {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 30; ++i) {
    x.push_back(i);
    y.push_back(i % 5 == 0 ? 900 + 10 * i : 19 + 2.0 * i);
  }
  const Line line = fit_line_with_outliers_removed(x, y);
  EXPECT_NEAR(line.slope.value, 2, 1e-9);
  EXPECT_NEAR(line.intercept.value, 19, 1e-6);
  EXPECT_EQ(line.slope.samples, 24U);
}

TEST(FitLinear, SeparatesCostsThatAddUp) {
  // cycles = 18 a loop + 1 an FFMA + 3 a bank conflict.
  Random random(5);
  std::vector<double> design;
  std::vector<double> y;
  for (int i = 0; i < 60; ++i) {
    const double ffma = 64 + 8 * (i % 7);
    const double conflicts = 5 * (i % 4);
    design.insert(design.end(), {1, ffma, conflicts});
    y.push_back(18 + ffma + 3 * conflicts + 0.1 * random.normal());
  }
  const std::vector<Estimate> costs = fit_linear(design, 3, y);
  EXPECT_NEAR(costs[0].value, 18, 0.5);
  EXPECT_NEAR(costs[1].value, 1, 0.01);
  EXPECT_NEAR(costs[2].value, 3, 0.01);
  EXPECT_LT(costs[2].half_width(), 0.02);
}

TEST(FitLinear, RefusesColumnsThatRepeatEachOther) {
  const std::vector<double> design{1, 2, 2, 4, 3, 6, 4, 8};
  EXPECT_THROW((void)fit_linear(design, 2, std::vector<double>{1, 2, 3, 4}), std::invalid_argument);
  EXPECT_THROW((void)fit_linear(design, 3, std::vector<double>{1, 2, 3, 4}), std::invalid_argument);
}

TEST(Student, FallsFromTheTableToTheNormalsValue) {
  EXPECT_EQ(student_95(1), 12.706);
  EXPECT_NEAR(student_95(40), 2.021, 0.002);
  EXPECT_NEAR(student_95(100000), 1.960, 0.001);
  for (std::size_t n = 1; n < 200; ++n) EXPECT_GE(student_95(n), student_95(n + 1));
  EXPECT_THROW((void)student_95(0), std::invalid_argument);
}

}  // namespace
}  // namespace warpgauge::calib
