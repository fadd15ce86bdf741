#include "probes/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace warpgauge::probes {

double median(std::span<const double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double half_width(std::span<const double> values) {
  if (values.size() < 2) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (sorted[high] - sorted[low]) * (place - static_cast<double>(low));
  };
  return (at(0.975) - at(0.025)) / 2;
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double above = 0, below = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (x[i] - mean_x) * (y[i] - mean_y);
    below += (x[i] - mean_x) * (x[i] - mean_x);
  }
  const double slope = below > 0 ? above / below : 0;
  return {slope, mean_y - slope * mean_x};
}

std::vector<double> values_at(const calib::Series& series, double x) {
  std::vector<double> values;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (series.x[i] == x) values.push_back(series.y[i]);
  }
  return values;
}

Curve curve_of(const calib::Series& series) {
  std::map<double, std::vector<double>> by_x;
  for (std::size_t i = 0; i < series.x.size(); ++i) by_x[series.x[i]].push_back(series.y[i]);
  Curve curve;
  for (const auto& [x, values] : by_x) {
    curve.x.push_back(x);
    curve.y.push_back(median(values));
  }
  return curve;
}

std::vector<Plateau> plateaus(const Curve& curve, double tolerance, std::size_t points) {
  std::vector<Plateau> found;
  for (std::size_t first = 0; first < curve.x.size();) {
    std::size_t last = first;
    double low = curve.y[first], high = curve.y[first];
    while (last + 1 < curve.x.size()) {
      const double next_low = std::min(low, curve.y[last + 1]);
      const double next_high = std::max(high, curve.y[last + 1]);
      if (next_high - next_low > 2 * tolerance * (next_high + next_low) / 2) break;
      low = next_low;
      high = next_high;
      ++last;
    }
    const std::size_t count = last - first + 1;
    if (count >= points) {
      found.push_back({median(std::span(curve.y).subspan(first, count)), curve.x[first], curve.x[last], count});
      first = last + 1;
    } else {
      ++first;
    }
  }
  return found;
}

}  // namespace warpgauge::probes
