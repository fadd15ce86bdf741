#include "cli/validate/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpgauge::cli {
namespace {

// The value below which `share` of the sorted values lie, interpolated.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return std::lerp(sorted[low], sorted[high], place - static_cast<double>(low));
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

// Equal values share the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) result[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return result;
}

}  // namespace

Summary summarize(const std::vector<Comparison>& comparisons) {
  Summary summary;
  std::vector<double> errors;
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Comparison& c : comparisons) {
    if (!c.failure.empty()) continue;
    errors.push_back(std::abs(c.error()));
    summary.mean_error += c.error();
    predicted.push_back(std::log(c.predicted));
    measured.push_back(std::log(c.measured));
  }
  summary.cases = errors.size();
  if (errors.empty()) return summary;
  const auto n = static_cast<double>(errors.size());
  summary.mean_error /= n;
  summary.mean_absolute_error = std::accumulate(errors.begin(), errors.end(), 0.0) / n;
  std::sort(errors.begin(), errors.end());
  summary.median_absolute_error = quantile(errors, 0.5);
  summary.percentile_90 = quantile(errors, 0.9);
  summary.worst = errors.back();
  summary.pearson = correlation(predicted, measured);
  summary.rank_correlation = correlation(ranks(predicted), ranks(measured));
  return summary;
}

double share_within(const std::vector<Comparison>& comparisons, const std::string& metric, double relative,
                    double absolute) {
  std::size_t within = 0;
  std::size_t all = 0;
  for (const Comparison& c : comparisons) {
    const auto found = c.counters.find(metric);
    if (found == c.counters.end()) continue;
    ++all;
    const double distance = std::abs(found->second.predicted - found->second.measured);
    if (distance <= std::max(absolute, relative * std::abs(found->second.measured))) ++within;
  }
  return all == 0 ? 0 : static_cast<double>(within) / static_cast<double>(all);
}

}  // namespace warpgauge::cli
