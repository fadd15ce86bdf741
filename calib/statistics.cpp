#include "calib/statistics.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace warpgauge::calib {
namespace {

void require_samples(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("no samples");
  for (const double sample : samples)
    if (!std::isfinite(sample)) throw std::invalid_argument(fmt::format("a sample is {}", sample));
}

std::vector<double> sorted(std::span<const double> samples) {
  require_samples(samples);
  std::vector<double> copy(samples.begin(), samples.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(const std::vector<double>& samples, double q) {
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  const double part = position - static_cast<double>(below);
  return samples[below] + part * (samples[above] - samples[below]);
}

Estimate with_error(double value, double standard_error, std::size_t samples, std::size_t parameters) {
  const double half = student_95(samples - parameters) * standard_error;
  return {value, value - half, value + half, samples};
}

}  // namespace

double median(std::span<const double> samples) {
  return quantile_of_sorted(sorted(samples), 0.5);
}

double quantile(std::span<const double> samples, double q) {
  if (!(q >= 0 && q <= 1)) throw std::invalid_argument(fmt::format("quantile {} is not between 0 and 1", q));
  return quantile_of_sorted(sorted(samples), q);
}

double median_absolute_deviation(std::span<const double> samples) {
  const double centre = median(samples);
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double sample : samples) deviations.push_back(std::abs(sample - centre));
  return median(deviations);
}

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::size_t Random::below(std::size_t bound) {
  // The bias of the remainder is below bound / 2^64.
  return static_cast<std::size_t>(next() % bound);
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

Estimate bootstrap(std::span<const double> samples, const Statistic& statistic, std::uint64_t seed,
                   std::size_t repetitions) {
  require_samples(samples);
  if (repetitions == 0) throw std::invalid_argument("no repetitions");
  Random random(seed);
  std::vector<double> resample(samples.size());
  std::vector<double> values;
  values.reserve(repetitions);
  for (std::size_t i = 0; i < repetitions; ++i) {
    for (double& sample : resample) sample = samples[random.below(samples.size())];
    values.push_back(statistic(resample));
  }
  std::sort(values.begin(), values.end());
  return {statistic(samples), quantile_of_sorted(values, 0.025), quantile_of_sorted(values, 0.975),
          samples.size()};
}

Estimate estimate_median(std::span<const double> samples, std::uint64_t seed) {
  return bootstrap(
      samples, [](std::span<const double> s) { return median(s); }, seed);
}

double student_95(std::size_t degrees_of_freedom) {
  constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                              2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                              2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees_of_freedom == 0) throw std::invalid_argument("no degrees of freedom");
  if (degrees_of_freedom <= std::size(table)) return table[degrees_of_freedom - 1];
  return 1.960 + 2.4 / static_cast<double>(degrees_of_freedom);  // within 0.002
}

std::vector<Estimate> fit_linear(std::span<const double> design, std::size_t columns,
                                 std::span<const double> y) {
  require_samples(y);
  require_samples(design);
  if (columns == 0 || design.size() != columns * y.size())
    throw std::invalid_argument(
        fmt::format("{} numbers for {} rows of {}", design.size(), y.size(), columns));
  if (y.size() <= columns)
    throw std::invalid_argument(fmt::format("{} points for {} coefficients", y.size(), columns));

  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(y.size());
  const auto width = static_cast<Eigen::Index>(columns);
  const Eigen::Map<const Matrix> a(design.data(), rows, width);
  const Eigen::Map<const Eigen::VectorXd> b(y.data(), rows);
  // Columns of one size, so that the rank is judged alike for bytes and for ones.
  const Eigen::VectorXd scale = a.colwise().norm().cwiseMax(1e-300);
  const Eigen::MatrixXd scaled = a * scale.cwiseInverse().asDiagonal();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled);
  if (qr.rank() < width) throw std::invalid_argument("the points do not determine the coefficients");
  const Eigen::VectorXd coefficients = qr.solve(b);
  const double variance = (b - scaled * coefficients).squaredNorm() / static_cast<double>(y.size() - columns);
  const Eigen::MatrixXd covariance = (scaled.transpose() * scaled).inverse() * variance;

  std::vector<Estimate> estimates;
  for (Eigen::Index i = 0; i < width; ++i)
    estimates.push_back(with_error(coefficients[i] / scale[i],
                                   std::sqrt(std::max(covariance(i, i), 0.0)) / scale[i], y.size(), columns));
  return estimates;
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) throw std::invalid_argument(fmt::format("{} x for {} y", x.size(), y.size()));
  require_samples(x);
  // About the mean of x, so that a far-off start does not cost digits.
  double mean = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  std::vector<double> design;
  design.reserve(2 * x.size());
  for (const double value : x) {
    design.push_back(1);
    design.push_back(value - mean);
  }
  const std::vector<Estimate> fitted = fit_linear(design, 2, y);
  Line line;
  line.slope = fitted[1];
  double squares = 0;
  double spread = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = y[i] - fitted[0].value - fitted[1].value * (x[i] - mean);
    squares += residual * residual;
    spread += (x[i] - mean) * (x[i] - mean);
  }
  line.residual = std::sqrt(squares / static_cast<double>(x.size() - 2));
  const double error = line.residual * std::sqrt(1 / static_cast<double>(x.size()) + mean * mean / spread);
  line.intercept = with_error(fitted[0].value - fitted[1].value * mean, error, x.size(), 2);
  return line;
}

Line fit_line_with_outliers_removed(std::span<const double> x, std::span<const double> y, double deviations) {
  if (x.size() != y.size()) throw std::invalid_argument(fmt::format("{} x for {} y", x.size(), y.size()));
  require_samples(x);
  require_samples(y);
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i + 1; j < x.size(); ++j)
      if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
  if (slopes.empty()) throw std::invalid_argument("the points do not determine the coefficients");
  const double slope = median(slopes);
  std::vector<double> offsets;
  for (std::size_t i = 0; i < x.size(); ++i) offsets.push_back(y[i] - slope * x[i]);
  const double offset = median(offsets);
  const double limit = deviations * 1.4826 * median_absolute_deviation(offsets);
  std::vector<double> near_x;
  std::vector<double> near_y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // Points that lie on one line but for rounding have a deviation of nearly 0.
    const double rounding = 1e-9 * (std::abs(y[i]) + std::abs(slope * x[i]));
    if (std::abs(offsets[i] - offset) > limit + rounding) continue;
    near_x.push_back(x[i]);
    near_y.push_back(y[i]);
  }
  return fit_line(near_x, near_y);
}

}  // namespace warpgauge::calib
