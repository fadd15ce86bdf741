// An error budget: what the errors of some cases were when it was written, and by how much they may grow.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/validate/validation.h"

namespace warpgauge::cli {

struct Budget {
  struct Case {
    double error = 0;               // of cycles, with its sign; fractions all
    double instructions_error = 0;  // of smsp__inst_executed.sum
  };
  std::string calibration;         // with which it was written
  double mean_absolute_error = 0;  // of cycles
  double percentile_90 = 0;
  std::map<std::string, Case> cases;
};

// By how much an absolute error may exceed the one in the budget.
inline constexpr double budget_case_margin = 0.03;
inline constexpr double budget_mean_margin = 0.005;
inline constexpr double budget_percentile_margin = 0.015;
inline constexpr double budget_instructions_margin = 0.001;

// Of the cases that have a prediction.
Budget make_budget(const Validation& validation);

// A sentence for everything that is worse than the budget allows: a case, one that fails or is not there, the
// mean, the 90th percentile. Empty: all within it.
std::vector<std::string> over_budget(const Budget& budget, const Validation& validation);

// {"schema": "warpgauge-budget/1", "calibration", "mean_absolute_error", "percentile_90", "cases": {name:
// {"error", "instructions_error"}}}
std::string to_json(const Budget& budget);
// Throws Failure (bad_file).
Budget read_budget(const std::filesystem::path& file);

}  // namespace warpgauge::cli
