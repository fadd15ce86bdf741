// For a device without recorded results: what the model predicts beside what the papers' tables imply, the
// time that the busiest resource takes at the rate that a paper measured. Not a validation on a card.
#pragma once

#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/reference.h"
#include "cli/validate/suite.h"

namespace warpgauge::cli {

// A rate that a paper gives, as work a cycle of the whole chip at the calibrated clock.
struct Rate {
  std::string resource;   // "DRAM", "L2", "FP32", "FP64"
  double per_cycle = 0;   // bytes, or lanes' instructions
  std::string reference;  // "Jia2019 table 3.1: 220 GB/s"
};

// Of the papers' figures of that device; empty where none is known.
std::vector<Rate> published_rates(const calib::Calibration& calibration, const std::string& device,
                                  const std::vector<calib::Reference>& references);

struct RooflineCase {
  std::string name;
  std::string family;
  double predicted = 0;  // cycles
  double bound = 0;      // cycles that the busiest resource takes at the published rate
  std::string resource;  // which
  std::string failure;   // why there is no prediction
  // A kernel this long is not a matter of launching, and so is set beside its bound.
  [[nodiscard]] bool bound_matters() const { return failure.empty() && bound >= 10000; }
};

struct Roofline {
  std::string device;
  std::string calibration;
  std::vector<Rate> rates;
  std::vector<RooflineCase> cases;
};

// The work is what the model counts: instructions as executed, bytes as its caches let them through.
Roofline roofline(const calib::Calibration& calibration, std::vector<Rate> rates, const Suite& suite,
                  const std::vector<const SuiteCase*>& cases, unsigned threads);

std::string to_text(const Roofline& roofline);
std::string to_csv(const Roofline& roofline);
std::string to_markdown(const Roofline& roofline);

}  // namespace warpgauge::cli
