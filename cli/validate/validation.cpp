#include "cli/validate/validation.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "cli/prediction.h"
#include "model/machine.h"
#include "traces/launch_fill.h"

namespace warpgauge::cli {
namespace {

constexpr std::string_view cycles_metric = "gpc__cycles_elapsed.max";

// Nsight Compute counts pipes by processing block; the sums are the same. Of the pipes that both have: what
// the model calls by the others' names takes other instructions too.
std::string recorded_name(const std::string& metric) {
  static constexpr std::string_view by_sm = "sm__inst_executed_pipe_";
  if (!metric.starts_with(by_sm)) return metric;
  const std::string pipe = metric.substr(by_sm.size());
  for (const char* same : {"alu.sum", "fma.sum", "fp64.sum", "xu.sum", "tensor.sum"}) {
    if (pipe == same) return "smsp__inst_executed_pipe_" + pipe;
  }
  return metric;
}

Comparison compare_one(const model::Machine& machine, const std::string& architecture, const Suite& suite,
                       const SuiteCase& c, const HardwareCase& hardware) {
  Comparison result;
  result.name = c.name;
  result.family = c.family;
  result.held_out = c.held_out;
  result.measured = hardware.cycles;
  result.spread = hardware.spread;
  try {
    const auto cubin = suite.cubin(c, *sass::parse_architecture(architecture));
    const model::KernelReport report = predict(machine, architecture, cubin, c.launch, {});
    result.predicted = static_cast<double>(report.cycles);
    for (const auto& [metric, value] : report.metrics) {
      const std::string name = recorded_name(metric);
      if (name == cycles_metric) continue;  // the case itself, of which there are several launches
      const auto measured = hardware.counters.find(name);
      if (measured == hardware.counters.end()) continue;
      const auto spread = hardware.counter_spreads.find(name);
      result.counters[name] = {
          value, measured->second,
          spread == hardware.counter_spreads.end() ? std::nullopt : std::optional(spread->second)};
    }
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  return result;
}

}  // namespace

bool in_tenth(const std::string& case_name) {
  return (launch::fnv1a(case_name.data(), case_name.size()) >> 32) % 10 == 0;
}

std::vector<const SuiteCase*> select(const Suite& suite, const Hardware* hardware,
                                     const std::string& architecture, const Selection& selection) {
  const auto number = static_cast<unsigned>(sass::parse_architecture(architecture).value());
  std::vector<const SuiteCase*> cases;
  std::size_t place = 0;
  for (const SuiteCase& c : suite.cases) {
    if (c.minimum_architecture > number || c.name.find(selection.only) == std::string::npos) continue;
    if (hardware != nullptr && !hardware->cold.contains(c.name)) continue;
    if (selection.half != "both" && (selection.half == "held_out") != c.held_out) continue;
    const auto& families = selection.families;
    if (!families.empty() && std::find(families.begin(), families.end(), c.family) == families.end())
      continue;
    if (selection.tenth && !in_tenth(c.name)) continue;
    if (place++ % std::max(1U, selection.every) == 0) cases.push_back(&c);
  }
  return cases;
}

std::vector<Comparison> compare(const calib::Calibration& calibration, const Suite& suite,
                                const Hardware& hardware, const std::vector<const SuiteCase*>& cases,
                                unsigned threads) {
  const model::Machine machine(calibration);
  std::vector<Comparison> comparisons(cases.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < cases.size();) {
      comparisons[i] =
          compare_one(machine, calibration.architecture, suite, *cases[i], hardware.cold.at(cases[i]->name));
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  others.clear();
  sort_worst_first(comparisons);
  return comparisons;
}

}  // namespace warpgauge::cli
