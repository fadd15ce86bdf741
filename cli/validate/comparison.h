// Predicted against measured: errors case by case, and what they come to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpgauge::cli {

struct CounterPair {
  double predicted = 0;
  double measured = 0;
  std::optional<double> spread;  // the hardware's own; nothing where the counter was recorded once

  // (predicted - measured) / measured; nothing where only the measured one is 0
  [[nodiscard]] std::optional<double> error() const;
};

struct Comparison {
  std::string name;
  std::string family;
  bool held_out = false;
  double predicted = 0;  // cycles
  double measured = 0;
  double spread = 0;                            // the hardware's own
  std::map<std::string, CounterPair> counters;  // by metric
  std::string failure;                          // why there is no prediction; empty otherwise

  // (predicted - measured) / measured
  [[nodiscard]] double error() const { return (predicted - measured) / measured; }
  [[nodiscard]] bool unsteady() const { return spread > 0.05; }
};

struct Summary {
  std::size_t cases = 0;
  double mean_absolute_error = 0;  // of cycles; all as fractions, 0.1 is 10 %
  double median_absolute_error = 0;
  double percentile_90 = 0;
  double worst = 0;
  double mean_error = 0;  // with its sign: a bias
  // Correlations, which fewer than three cases do not have.
  std::optional<double> pearson;      // of cycles
  std::optional<double> pearson_log;  // of the logarithms of cycles
  std::optional<double> rank_correlation;
};

// Of the cases that have a prediction.
Summary summarize(const std::vector<Comparison>& comparisons);

// Summaries by family and half: "all" and then each family; of each both halves together, "open", "held_out".
// Groups without a case are left out.
struct Group {
  std::string family;
  std::string half;
  Summary summary;
};
std::vector<Group> summarize_groups(const std::vector<Comparison>& comparisons);

// One counter over the cases that have it.
struct CounterSummary {
  std::size_t cases = 0;
  double mean_absolute_error = 0;  // of the cases with something measured
  double within_1_percent = 0;     // share of the cases
  double within_3_percent = 0;
  double within_10_percent = 0;
};
std::map<std::string, CounterSummary> summarize_counters(const std::vector<Comparison>& comparisons);

// Failures first, then by the size of the error, the largest first.
void sort_worst_first(std::vector<Comparison>& comparisons);

}  // namespace warpgauge::cli
