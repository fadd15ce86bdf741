// A probe: a question to the silicon, the kernels that ask it, and how the answer becomes figures.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calib/measurements.h"
#include "probes/target.h"

namespace warpgauge::probes {

class Bench;

// A probe refuses to report: the timed instructions are not the ones it meant, or the samples make no sense.
class ProbeRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Everything that a probe found so far; `measure` adds samples, `conclude` adds figures.
struct Findings {
  calib::ProbeResult result;

  // The series of that label, made when there is none.
  calib::Series& series(const std::string& label, const std::string& x_unit, const std::string& y_unit);
  // Throws ProbeRefusal when there is no such series.
  [[nodiscard]] const calib::Series& at(const std::string& label) const;
  [[nodiscard]] const calib::Series* find(const std::string& label) const;
  void sample(const std::string& label, const std::string& x_unit, const std::string& y_unit, double x, double y);
  void figure(const std::string& key, double value, calib::Unit unit, double spread, std::uint64_t n,
              const std::string& series);
};

struct Probe {
  std::string_view name;   // "l1.latency"
  std::string_view asks;   // one line
  std::string_view cites;  // paper and section
  int from_sm = 70;        // the first architecture that has what it asks for
  void (*measure)(Bench& bench, Findings& findings) = nullptr;
  void (*conclude)(const TargetFacts& facts, Findings& findings) = nullptr;  // may be null: samples only
  bool steady_clock = true;  // its samples are void when the SM clock moved while they were taken
};

// All probes, in the order in which they run.
std::span<const Probe* const> all_probes();

}  // namespace warpgauge::probes
