#include "cli/validate/comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>

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

std::optional<double> CounterPair::error() const {
  if (predicted == measured) return 0;
  if (measured == 0) return std::nullopt;
  return (predicted - measured) / measured;
}

Summary summarize(const std::vector<Comparison>& comparisons) {
  Summary summary;
  std::vector<double> errors;
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Comparison& c : comparisons) {
    if (!c.failure.empty()) continue;
    errors.push_back(std::abs(c.error()));
    summary.mean_error += c.error();
    predicted.push_back(c.predicted);
    measured.push_back(c.measured);
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
  if (summary.cases < 3) return summary;
  summary.pearson = correlation(predicted, measured);
  summary.rank_correlation = correlation(ranks(predicted), ranks(measured));
  for (double& cycles : predicted) cycles = std::log(cycles);
  for (double& cycles : measured) cycles = std::log(cycles);
  summary.pearson_log = correlation(predicted, measured);
  return summary;
}

std::vector<Group> summarize_groups(const std::vector<Comparison>& comparisons) {
  std::map<std::string, std::vector<Comparison>> families;
  for (const Comparison& c : comparisons) families[c.family].push_back(c);
  std::vector<Group> groups;
  const auto add = [&](const std::string& family, const std::vector<Comparison>& members) {
    for (const char* half : {"both", "open", "held_out"}) {
      std::vector<Comparison> some;
      std::copy_if(members.begin(), members.end(), std::back_inserter(some), [&](const Comparison& c) {
        return half == std::string_view("both") || (half == std::string_view("held_out")) == c.held_out;
      });
      Group group{family, half, summarize(some)};
      if (group.summary.cases != 0) groups.push_back(std::move(group));
    }
  };
  add("all", comparisons);
  for (const auto& [family, members] : families) add(family, members);
  return groups;
}

std::map<std::string, CounterSummary> summarize_counters(const std::vector<Comparison>& comparisons) {
  std::map<std::string, CounterSummary> summaries;
  std::map<std::string, std::size_t> with_error;
  for (const Comparison& c : comparisons) {
    for (const auto& [metric, pair] : c.counters) {
      CounterSummary& s = summaries[metric];
      ++s.cases;
      const std::optional<double> error = pair.error();
      if (!error) continue;
      s.within_1_percent += std::abs(*error) <= 0.01;
      s.within_3_percent += std::abs(*error) <= 0.03;
      s.within_10_percent += std::abs(*error) <= 0.1;
      if (pair.measured == 0) continue;
      ++with_error[metric];
      s.mean_absolute_error += std::abs(*error);
    }
  }
  for (auto& [metric, s] : summaries) {
    const auto cases = static_cast<double>(s.cases);
    s.within_1_percent /= cases;
    s.within_3_percent /= cases;
    s.within_10_percent /= cases;
    if (const std::size_t n = with_error[metric]; n != 0) s.mean_absolute_error /= static_cast<double>(n);
  }
  return summaries;
}

void sort_worst_first(std::vector<Comparison>& comparisons) {
  std::stable_sort(comparisons.begin(), comparisons.end(), [](const Comparison& a, const Comparison& b) {
    if (a.failure.empty() != b.failure.empty()) return !a.failure.empty();
    return std::abs(a.error()) > std::abs(b.error());
  });
}

}  // namespace warpgauge::cli
