#include "calib/plateaus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace warpgauge::calib {
namespace {

struct Curve {
  std::vector<double> x;
  std::vector<double> y;
};

// One point for each x, in rising order.
Curve collapse(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) throw std::invalid_argument(fmt::format("{} x for {} y", x.size(), y.size()));
  if (x.empty()) throw std::invalid_argument("no points");
  std::map<double, std::vector<double>> by_x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) throw std::invalid_argument(fmt::format("a point's x is {}", x[i]));
    by_x[x[i]].push_back(y[i]);
  }
  Curve curve;
  for (const auto& [at, values] : by_x) {
    curve.x.push_back(at);
    curve.y.push_back(median(values));
  }
  return curve;
}

// Each point replaced by the median of itself and two neighbours on each side: takes out one or two points
// that are far off, and moves neither steps nor ramps.
std::vector<double> smooth(const std::vector<double>& y) {
  std::vector<double> result;
  result.reserve(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t reach = std::min({std::size_t{2}, i, y.size() - 1 - i});
    result.push_back(median(std::span(y).subspan(i - reach, 2 * reach + 1)));
  }
  return result;
}

// The variance of the noise, from differences of neighbours, of which steps are few.
double noise_variance(const std::vector<double>& y) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < y.size(); ++i) differences.push_back(y[i] - y[i - 1]);
  if (differences.empty()) return 0;
  const double deviation = 1.4826 * median_absolute_deviation(differences) / std::sqrt(2.0);
  return deviation * deviation;
}

// First points of the pieces, by dynamic programming over all cuts.
std::vector<std::size_t> cut(const std::vector<double>& y, double penalty) {
  const std::size_t n = y.size();
  std::vector<double> sum(n + 1, 0);
  std::vector<double> squares(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    sum[i + 1] = sum[i] + y[i];
    squares[i + 1] = squares[i] + y[i] * y[i];
  }
  const auto cost = [&](std::size_t begin, std::size_t end) {
    const double s = sum[end] - sum[begin];
    return std::max(squares[end] - squares[begin] - s * s / static_cast<double>(end - begin), 0.0);
  };
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> from(n + 1, 0);
  best[0] = 0;
  for (std::size_t end = 1; end <= n; ++end)
    for (std::size_t begin = 0; begin < end; ++begin) {
      const double total = best[begin] + cost(begin, end) + penalty;
      if (total < best[end]) {
        best[end] = total;
        from[end] = begin;
      }
    }
  std::vector<std::size_t> starts;
  for (std::size_t end = n; end > 0; end = from[end]) starts.push_back(from[end]);
  std::reverse(starts.begin(), starts.end());
  return starts;
}

double level_of(const std::vector<double>& y, std::size_t begin, std::size_t end) {
  return median(std::span(y).subspan(begin, end - begin));
}

// Joins neighbours whose levels are nearer than the least step, nearest first.
void join_near(std::vector<std::size_t>& starts, const std::vector<double>& y, double least_step) {
  while (starts.size() > 1) {
    std::size_t nearest = 0;
    double distance = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < starts.size(); ++i) {
      const double left = level_of(y, starts[i - 1], starts[i]);
      const double right = level_of(y, starts[i], i + 1 < starts.size() ? starts[i + 1] : y.size());
      const double lower = std::min(std::abs(left), std::abs(right));
      const double step = std::abs(right - left) / std::max(lower, 1e-300);
      if (step < distance) {
        distance = step;
        nearest = i;
      }
    }
    if (distance >= least_step) return;
    starts.erase(starts.begin() + static_cast<std::ptrdiff_t>(nearest));
  }
}

}  // namespace

std::vector<Plateau> find_plateaus(std::span<const double> x, std::span<const double> y,
                                   const PlateauOptions& options) {
  const Curve curve = collapse(x, y);
  const std::size_t n = curve.y.size();
  // Samples without noise still have a last digit: a step below a thousandth of the level is none.
  const double floor = 1e-3 * std::abs(median(curve.y));
  const double variance = std::max(noise_variance(curve.y), floor * floor);
  std::vector<std::size_t> starts =
      cut(smooth(curve.y), options.penalty * variance * (1 + std::log(static_cast<double>(n))));
  join_near(starts, curve.y, options.least_step);

  std::vector<Plateau> plateaus;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t begin = starts[i];
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : n;
    if (end - begin < options.least_points) continue;
    Plateau plateau;
    plateau.first = begin;
    plateau.last = end - 1;
    plateau.first_x = curve.x[begin];
    plateau.last_x = curve.x[end - 1];
    plateau.level = estimate_median(std::span(curve.y).subspan(begin, end - begin), options.seed);
    plateaus.push_back(plateau);
  }
  return plateaus;
}

double end_of_level(std::span<const double> x, std::span<const double> y, double level, double tolerance) {
  const Curve curve = collapse(x, y);
  const double limit = tolerance * std::abs(level);
  std::size_t last = curve.x.size();
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (std::abs(curve.y[i] - level) <= limit) {
      last = i;
      continue;
    }
    if (last != curve.x.size()) break;
  }
  if (last == curve.x.size())
    throw std::invalid_argument(fmt::format("no point within {} of the level {}", limit, level));
  if (last + 1 == curve.x.size()) return curve.x[last];
  return (curve.x[last] + curve.x[last + 1]) / 2;
}

}  // namespace warpgauge::calib
