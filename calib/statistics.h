// Estimates from samples that hold outliers: medians, their intervals, and lines.
//
// All are deterministic: the bootstrap draws from a generator of its own, seeded by the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warpgauge::calib {

// All throw std::invalid_argument for no samples or one that is not finite.
double median(std::span<const double> samples);

// 0 ≤ q ≤ 1, linear between neighbours.
double quantile(std::span<const double> samples, double q);

// Median absolute deviation from the median, unscaled; 1.4826 times it estimates a normal's standard
// deviation.
double median_absolute_deviation(std::span<const double> samples);

// SplitMix64: the same numbers on every compiler.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::size_t below(std::size_t bound);  // bound > 0
  double uniform();                      // [0, 1)
  double normal();                       // mean 0, standard deviation 1

 private:
  std::uint64_t state_;
};

// A value and its 95 % interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::uint64_t samples = 0;
  // What Figure::spread holds.
  [[nodiscard]] double half_width() const { return (high - low) / 2; }
};

using Statistic = std::function<double(std::span<const double>)>;

// The statistic of the samples, with the interval between the 2.5 and 97.5 percentiles of the statistic over
// `repetitions` resamplings.
Estimate bootstrap(std::span<const double> samples, const Statistic& statistic, std::uint64_t seed = 1,
                   std::size_t repetitions = 500);

// The median with its bootstrapped interval.
Estimate estimate_median(std::span<const double> samples, std::uint64_t seed = 1);

// y = intercept + slope · x by least squares.
struct Line {
  Estimate slope;
  Estimate intercept;
  double residual = 0;  // standard deviation of y about the line
};

// Needs three points or more, not all of one x; throws std::invalid_argument. The intervals are Student's,
// which supposes normal errors.
Line fit_line(std::span<const double> x, std::span<const double> y);

// The line through the points whose distance from the median-of-slopes (Theil-Sen) line is within
// `deviations` robust standard deviations.
Line fit_line_with_outliers_removed(std::span<const double> x, std::span<const double> y,
                                    double deviations = 4);

// The coefficients that make design · coefficients nearest to y, each with its interval: for costs that add
// up, such as passes and rows. `design` is row by row, one row for each y.
std::vector<Estimate> fit_linear(std::span<const double> design, std::size_t columns,
                                 std::span<const double> y);

// Two-sided 95 % quantile of Student's distribution.
double student_95(std::size_t degrees_of_freedom);

}  // namespace warpgauge::calib
