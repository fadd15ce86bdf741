#include "cli/validate/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <thread>

#include "cli/prediction.h"
#include "model/machine.h"

namespace warpgauge::cli {
namespace {

constexpr const char* warning = "not validated on a card";

std::optional<double> number(const calib::Reference& reference, const char* key, std::string& source) {
  const calib::ReferenceFigure* figure = reference.find(key);
  if (figure == nullptr) return std::nullopt;
  const auto* value = std::get_if<double>(&figure->value);
  if (value == nullptr) return std::nullopt;
  source = fmt::format("{}: {} {}", figure->provenance.reference, calib::to_text(figure->value),
                       calib::name(figure->unit));
  return *value;
}

// What a kernel asks of each resource, in the rates' units.
double work(const model::KernelReport& report, const std::string& resource) {
  const auto metric = [&](const char* name) {
    const auto found = report.metrics.find(name);
    return found == report.metrics.end() ? 0 : found->second;
  };
  if (resource == "DRAM") return metric("dram__bytes_read.sum") + metric("dram__bytes_write.sum");
  if (resource == "L2") return 32 * metric("lts__t_sectors.sum");
  if (resource == "FP32") return 32 * metric("sm__inst_executed_pipe_fma.sum");
  if (resource == "FP64") return 32 * metric("sm__inst_executed_pipe_fp64.sum");
  return 0;
}

struct Ratios {
  std::size_t cases = 0;
  double logs = 0;
  double least = 1e300;
  double most = 0;
};

std::map<std::string, Ratios> by_resource(const Roofline& roofline) {
  std::map<std::string, Ratios> all;
  for (const RooflineCase& c : roofline.cases) {
    if (!c.bound_matters()) continue;
    Ratios& r = all[c.resource];
    const double ratio = c.predicted / c.bound;
    ++r.cases;
    r.logs += std::log(ratio);
    r.least = std::min(r.least, ratio);
    r.most = std::max(r.most, ratio);
  }
  return all;
}

}  // namespace

std::vector<Rate> published_rates(const calib::Calibration& calibration, const std::string& device,
                                  const std::vector<calib::Reference>& references) {
  const double hz = calibration.clocks.sm * 1e6;
  struct Wanted {
    const char* resource;
    const char* key;
    double per_second;  // of one unit of the figure
  };
  // A multiply-add is two operations of one lane.
  static constexpr Wanted wanted[] = {{"DRAM", "dram.measured_bandwidth", 1e9},
                                      {"L2", "l2.read_bandwidth", 1e9},
                                      {"FP32", "gemm.single", 1e9 / 2},
                                      {"FP64", "gemm.double", 1e9 / 2}};
  std::vector<Rate> rates;
  for (const Wanted& w : wanted) {
    for (const calib::Reference& reference : references) {
      if (reference.name != device || reference.architecture != calibration.architecture) continue;
      std::string source;
      const std::optional<double> value = number(reference, w.key, source);
      if (!value) continue;
      rates.push_back({w.resource, *value * w.per_second / hz, source});
      break;
    }
  }
  return rates;
}

Roofline roofline(const calib::Calibration& calibration, std::vector<Rate> rates, const Suite& suite,
                  const std::vector<const SuiteCase*>& cases, unsigned threads) {
  Roofline result{calibration.device, calibration.id, std::move(rates), {}};
  result.cases.resize(cases.size());
  const model::Machine machine(calibration);
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i; (i = next++) < cases.size();) {
      RooflineCase& c = result.cases[i];
      c.name = cases[i]->name;
      c.family = cases[i]->family;
      try {
        const auto cubin = suite.cubin(*cases[i], *sass::parse_architecture(calibration.architecture));
        const model::KernelReport report =
            predict(machine, calibration.architecture, cubin, cases[i]->launch, {});
        c.predicted = static_cast<double>(report.cycles);
        for (const Rate& rate : result.rates) {
          const double cycles = work(report, rate.resource) / rate.per_cycle;
          if (cycles <= c.bound) continue;
          c.bound = cycles;
          c.resource = rate.resource;
        }
      } catch (const std::exception& error) {
        c.failure = error.what();
      }
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(run);
  run();
  others.clear();
  std::stable_sort(result.cases.begin(), result.cases.end(),
                   [](const RooflineCase& a, const RooflineCase& b) {
                     if (a.bound_matters() != b.bound_matters()) return a.bound_matters();
                     return a.bound_matters() && a.predicted / a.bound < b.predicted / b.bound;
                   });
  return result;
}

std::string to_text(const Roofline& r) {
  std::string out = fmt::format("{}, calibration {}: predictions, {}\n", r.device, r.calibration, warning);
  for (const Rate& rate : r.rates)
    out += fmt::format("  {:<6} {:>9.1f} a cycle  {}\n", rate.resource, rate.per_cycle, rate.reference);
  out += fmt::format("\n{:<32} {:<14} {:>10} {:>10} {:>7}  {}\n", "case", "family", "predicted", "bound",
                     "ratio", "busiest at the papers' rates");
  for (const RooflineCase& c : r.cases) {
    if (!c.failure.empty()) {
      out += fmt::format("{:<32} {:<14} failed: {}\n", c.name, c.family, c.failure);
    } else if (c.bound_matters()) {
      out += fmt::format("{:<32} {:<14} {:>10.0f} {:>10.0f} {:>7.2f}  {}\n", c.name, c.family, c.predicted,
                         c.bound, c.predicted / c.bound, c.resource);
    } else {
      out += fmt::format("{:<32} {:<14} {:>10.0f}\n", c.name, c.family, c.predicted);
    }
  }
  out += '\n';
  for (const auto& [resource, s] : by_resource(r)) {
    out += fmt::format("{:<6} {:>4} cases  predicted / bound: geometric mean {:.2f}, {:.2f} to {:.2f}\n",
                       resource, s.cases, std::exp(s.logs / static_cast<double>(s.cases)), s.least, s.most);
  }
  return out;
}

std::string to_csv(const Roofline& r) {
  std::string out = "case,family,predicted,bound,resource,failure\n";
  for (const RooflineCase& c : r.cases) {
    out += fmt::format("{},{},{},{:.0f},{},\"{}\"\n", c.name, c.family, c.predicted, c.bound, c.resource,
                       c.failure);
  }
  return out;
}

std::string to_markdown(const Roofline& r) {
  std::string out = fmt::format("{}, calibration `{}`, **{}**.\n\n", r.device, r.calibration, warning);
  out += "| resource | work a cycle | from |\n| --- | --- | --- |\n";
  for (const Rate& rate : r.rates)
    out += fmt::format("| {} | {:.1f} | {} |\n", rate.resource, rate.per_cycle, rate.reference);
  out +=
      "\n| busiest | cases | predicted / bound, geometric mean | least | most |\n| --- | --- | --- | --- | "
      "--- |\n";
  for (const auto& [resource, s] : by_resource(r)) {
    out += fmt::format("| {} | {} | {:.2f} | {:.2f} | {:.2f} |\n", resource, s.cases,
                       std::exp(s.logs / static_cast<double>(s.cases)), s.least, s.most);
  }
  out += "\n| case | predicted | bound | ratio | busiest |\n| --- | --- | --- | --- | --- |\n";
  for (const RooflineCase& c : r.cases) {
    if (!c.bound_matters()) continue;
    out += fmt::format("| {} | {:.0f} | {:.0f} | {:.2f} | {} |\n", c.name, c.predicted, c.bound,
                       c.predicted / c.bound, c.resource);
  }
  return out;
}

}  // namespace warpgauge::cli
