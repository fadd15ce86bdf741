// The suite run on the model and set beside a card's results; the same as text, CSV and JSON.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "cli/validate/comparison.h"
#include "cli/validate/suite.h"

namespace warpgauge::cli {

// Which cases.
struct Selection {
  std::string only;                   // in the name
  std::vector<std::string> families;  // these only; empty: all
  std::string half = "both";          // "open", "held_out"
  unsigned every = 1;                 // every Nth of what is left
  bool tenth = false;                 // the fixed tenth
};

// One comparison of a device with its model; what is written out.
struct Validation {
  std::string device;
  std::string driver;
  std::string recorded;  // date
  std::string calibration;
  std::vector<Comparison> comparisons;  // the worst first
};

// A fixed tenth of the suite, by the bits from 32 on of the 64-bit FNV-1a hash of the case's name.
bool in_tenth(const std::string& case_name);

// The suite's cases that were recorded (`hardware`, if given) and run on the architecture ("sm_90"), as
// selected; the longest to run on the model are not known beforehand, so the order is the suite's.
std::vector<const SuiteCase*> select(const Suite& suite, const Hardware* hardware,
                                     const std::string& architecture, const Selection& selection);

// Predicts the cases on that many threads. What goes wrong with a case becomes its `failure`.
std::vector<Comparison> compare(const calib::Calibration& calibration, const Suite& suite,
                                const Hardware& hardware, const std::vector<const SuiteCase*>& cases,
                                unsigned threads);

std::string to_text(const Validation& validation);

// A line a counter of a case, cycles among them: case, family, half, metric, predicted, measured, error,
// spread, failure. Empty where there is no such number.
std::string to_csv(const Validation& validation);

// Tables of halves, the ten worst cases and families.
std::string to_markdown(const Validation& validation);

// {"schema": "warpgauge-validation/2", "device", "driver", "recorded", "calibration", "groups": […],
// "counters": {metric: …}, "cases": [{"name", "family", "half", "predicted", "measured", "error", "spread",
// "counters": {metric: {"predicted", "measured", "error", "spread"}}}]}
std::string to_json(const Validation& validation);
// Reads what to_json wrote. Throws Failure (bad_file).
Validation read_validation(const std::filesystem::path& file);

}  // namespace warpgauge::cli
