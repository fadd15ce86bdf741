// Predicted against measured: errors case by case, and what they come to.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace warpgauge::cli {

struct CounterPair {
  double predicted = 0;
  double measured = 0;
};

struct Comparison {
  std::string name;
  std::string family;
  bool held_out = false;
  double predicted = 0;  // cycles
  double measured = 0;
  double spread = 0;     // the hardware's own
  std::map<std::string, CounterPair> counters;  // by metric
  std::string failure;   // why there is no prediction; empty otherwise

  // (predicted - measured) / measured
  [[nodiscard]] double error() const { return (predicted - measured) / measured; }
};

struct Summary {
  std::size_t cases = 0;
  double mean_absolute_error = 0;  // of cycles; all as fractions, 0.1 is 10 %
  double median_absolute_error = 0;
  double percentile_90 = 0;
  double worst = 0;
  double mean_error = 0;  // with its sign: a bias
  double pearson = 0;     // of the logarithms of cycles
  double rank_correlation = 0;
};

// Of the cases that have a prediction.
Summary summarize(const std::vector<Comparison>& comparisons);

// The share of cases whose counter is within `relative` of the measured value or within `absolute` of it.
double share_within(const std::vector<Comparison>& comparisons, const std::string& metric, double relative,
                    double absolute);

}  // namespace warpgauge::cli
