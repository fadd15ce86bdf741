#include "cli/validate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/failure.h"
#include "cli/prediction.h"
#include "cli/shipped.h"
#include "cli/validate/comparison.h"
#include "cli/validate/suite.h"

namespace warpgauge::cli {
namespace {

struct ValidateOptions {
  std::string gpu = "h200";
  std::vector<std::string> changes;
  std::string suite;
  std::string hardware;
  std::string only;
  std::string half = "both";
  std::string json_path;
  unsigned every = 0;  // 0 or 1: all cases; 10: every tenth
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  bool csv = false;
};

bool chosen(const ValidateOptions& options, const SuiteCase& c, unsigned architecture, const Hardware& hardware) {
  if (c.minimum_architecture > architecture || !hardware.cold.contains(c.name)) return false;
  if (c.name.find(options.only) == std::string::npos) return false;
  return options.half == "both" || (options.half == "held_out") == c.held_out;
}

Comparison compare(const model::Machine& machine, const std::string& architecture, const Suite& suite,
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
      const auto measured = hardware.counters.find(metric);
      if (measured != hardware.counters.end()) result.counters[metric] = {value, measured->second};
    }
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  return result;
}

std::vector<Comparison> compare_all(const ValidateOptions& options, const calib::Calibration& calibration,
                                    const Suite& suite, const Hardware& hardware) {
  std::vector<const SuiteCase*> cases;
  const auto architecture = static_cast<unsigned>(sass::parse_architecture(calibration.architecture).value());
  for (const SuiteCase& c : suite.cases) {
    if (chosen(options, c, architecture, hardware)) cases.push_back(&c);
  }
  if (options.every != 0) {
    std::vector<const SuiteCase*> some;
    for (std::size_t i = 0; i < cases.size(); i += options.every) some.push_back(cases[i]);
    cases = std::move(some);
  }
  const model::Machine machine(calibration);
  std::vector<Comparison> comparisons(cases.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < cases.size();) {
      comparisons[i] = compare(machine, calibration.architecture, suite, *cases[i], hardware.cold.at(cases[i]->name));
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned t = 1; t < options.threads; ++t) threads.emplace_back(work);
  work();
  threads.clear();
  std::stable_sort(comparisons.begin(), comparisons.end(), [](const Comparison& a, const Comparison& b) {
    if (a.failure.empty() != b.failure.empty()) return !a.failure.empty();
    return std::abs(a.error()) > std::abs(b.error());
  });
  return comparisons;
}

void print_summary(const char* title, const std::vector<Comparison>& comparisons) {
  const Summary s = summarize(comparisons);
  if (s.cases == 0) return;
  fmt::print("{:<12} {:>4} cases  mean |error| {:>5.1f} %  median {:>5.1f} %  p90 {:>5.1f} %  worst {:>6.1f} %  "
             "bias {:>+6.1f} %  r {:.3f}  rank {:.3f}\n",
             title, s.cases, 100 * s.mean_absolute_error, 100 * s.median_absolute_error, 100 * s.percentile_90,
             100 * s.worst, 100 * s.mean_error, s.pearson, s.rank_correlation);
}

std::vector<Comparison> where(const std::vector<Comparison>& all, const auto& condition) {
  std::vector<Comparison> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), condition);
  return some;
}

void print_text(const std::vector<Comparison>& comparisons, const Hardware& hardware) {
  fmt::print("hardware: {}, driver {}, recorded {}, cold caches\n\n", hardware.device, hardware.driver, hardware.date);
  fmt::print("{:<32} {:<14} {:>10} {:>10} {:>8} {:>7}\n", "case", "family", "predicted", "measured", "error", "spread");
  for (const Comparison& c : comparisons) {
    if (!c.failure.empty()) {
      fmt::print("{:<32} {:<14} failed: {}\n", c.name, c.family, c.failure);
      continue;
    }
    fmt::print("{:<32} {:<14} {:>10.0f} {:>10.0f} {:>+7.1f}% {:>6.1f}%{}\n", c.name, c.family, c.predicted, c.measured,
               100 * c.error(), 100 * c.spread, c.spread > 0.05 ? " unsteady" : "");
  }
  fmt::print("\n");
  print_summary("all", comparisons);
  print_summary("open", where(comparisons, [](const Comparison& c) { return !c.held_out; }));
  print_summary("held out", where(comparisons, [](const Comparison& c) { return c.held_out; }));
  std::map<std::string, std::vector<Comparison>> families;
  for (const Comparison& c : comparisons) families[c.family].push_back(c);
  fmt::print("\n");
  for (const auto& [family, members] : families) print_summary(family.c_str(), members);
  fmt::print("\n{:<56} {:>8} {:>8} {:>8}\n", "counter: share of cases within", "1 %", "3 %", "10 %");
  std::map<std::string, int> metrics;
  for (const Comparison& c : comparisons) {
    for (const auto& [metric, pair] : c.counters) ++metrics[metric];
  }
  for (const auto& [metric, count] : metrics) {
    fmt::print("{:<56} {:>7.0f}% {:>7.0f}% {:>7.0f}%\n", metric, 100 * share_within(comparisons, metric, 0.01, 0),
               100 * share_within(comparisons, metric, 0.03, 0), 100 * share_within(comparisons, metric, 0.1, 0));
  }
}

void print_csv(const std::vector<Comparison>& comparisons) {
  fmt::print("case,family,half,predicted,measured,error,spread,failure\n");
  for (const Comparison& c : comparisons) {
    fmt::print("{},{},{},{},{},{:.5f},{:.5f},\"{}\"\n", c.name, c.family, c.held_out ? "held_out" : "open", c.predicted,
               c.measured, c.failure.empty() ? c.error() : 0, c.spread, c.failure);
  }
}

nlohmann::ordered_json to_json(const Summary& s) {
  return {{"cases", s.cases},
          {"mean_absolute_error", s.mean_absolute_error},
          {"median_absolute_error", s.median_absolute_error},
          {"percentile_90", s.percentile_90},
          {"worst", s.worst},
          {"mean_error", s.mean_error},
          {"pearson_log", s.pearson},
          {"rank_correlation", s.rank_correlation}};
}

void write_json(const std::string& path, const std::vector<Comparison>& comparisons, const Hardware& hardware,
                const calib::Calibration& calibration) {
  nlohmann::ordered_json document;
  document["schema"] = "warpgauge-validation/1";
  document["device"] = hardware.device;
  document["driver"] = hardware.driver;
  document["recorded"] = hardware.date;
  document["calibration"] = calibration.id;
  document["summary"]["all"] = to_json(summarize(comparisons));
  document["summary"]["open"] =
      to_json(summarize(where(comparisons, [](const Comparison& c) { return !c.held_out; })));
  document["summary"]["held_out"] =
      to_json(summarize(where(comparisons, [](const Comparison& c) { return c.held_out; })));
  for (const Comparison& c : comparisons) {
    nlohmann::ordered_json entry{{"name", c.name}, {"family", c.family}, {"half", c.held_out ? "held_out" : "open"}};
    if (!c.failure.empty()) {
      entry["failure"] = c.failure;
    } else {
      entry["predicted"] = c.predicted;
      entry["measured"] = c.measured;
      entry["error"] = c.error();
      entry["spread"] = c.spread;
      for (const auto& [metric, pair] : c.counters) entry["counters"][metric] = {pair.predicted, pair.measured};
    }
    document["cases"].push_back(std::move(entry));
  }
  std::ofstream out(path, std::ios::binary);
  out << document.dump(1) << '\n';
  if (!out.flush()) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be written", path));
}

void run_validate(const ValidateOptions& options) {
  const calib::Calibration calibration = read_calibration(options.gpu, options.changes);
  const std::filesystem::path folder = examples_folder() / "validation";
  const Suite suite = read_suite(options.suite.empty() ? folder / "suite.json" : std::filesystem::path(options.suite));
  const Hardware hardware = read_hardware(options.hardware.empty() ? folder / "hardware" / (options.gpu + ".json")
                                                                   : std::filesystem::path(options.hardware));
  const std::vector<Comparison> comparisons = compare_all(options, calibration, suite, hardware);
  if (comparisons.empty()) throw Failure(ExitCode::usage, "no case of the suite is chosen");
  if (!options.json_path.empty()) write_json(options.json_path, comparisons, hardware, calibration);
  if (options.csv) {
    print_csv(comparisons);
  } else {
    print_text(comparisons, hardware);
  }
}

}  // namespace

void add_validate_command(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = app.add_subcommand("validate", "Compare predictions with stored hardware results, worst first");
  command->add_option("--gpu", options->gpu, "A device whose hardware results are stored")->capture_default_str();
  command->add_option("--set", options->changes, "What if: KEY=VALUE changes the calibration");
  command->add_option("--suite", options->suite, "Suite file; the shipped one by default");
  command->add_option("--hardware", options->hardware, "Hardware results; those shipped for the device by default");
  command->add_option("--only", options->only, "Cases whose name contains this");
  command->add_option("--half", options->half, "open, held_out or both")
      ->check(CLI::IsMember({"open", "held_out", "both"}))
      ->capture_default_str();
  command->add_option("--every", options->every, "Every Nth case only");
  command->add_option("--threads", options->threads, "Cases that run at the same time")->check(CLI::PositiveNumber);
  command->add_option("--json", options->json_path, "Write the comparison as JSON to this file");
  command->add_flag("--csv", options->csv, "Print comma-separated values");
  command->callback([options] { run_validate(*options); });
}

}  // namespace warpgauge::cli
