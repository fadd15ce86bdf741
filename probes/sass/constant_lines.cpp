// How much of a constant bank one load brings into each level: a load that no level of the SMs holds, then one at a distance.
#include <algorithm>
#include <string>
#include <vector>

#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint32_t bank_bytes = 65536;
constexpr std::uint32_t farthest = 1024;
constexpr std::uint32_t step = 16;
constexpr std::uint32_t first_address = 0x4000;
constexpr std::uint32_t next_address = 512;  // from one try to the next: other slices of the L2 have them
constexpr int before = 4;  // stall counts of the clock read and of the consumer
constexpr int after = 4;
constexpr int much_code = 20000;  // instructions, more than the second level holds, which has constants and code
constexpr const char* first_load = "latency of a first load of constants";
constexpr const char* first_load_by_sm = "latency of a first load of constants, by SM";
constexpr const char* second_load = "latency of a second load of constants, by its distance";

// Loads from parameter b, then from parameter c; the record has the second load's clocks, result slot 0 the first one's.
SassKernel loads_kernel(int sm) {
  Program program(sm);
  program.begin();
  program.only_on_sm();
  program.op(stall(15), "MOV R20, " + program.parameter(Parameter::b));
  program.op(stall(15), "MOV R21, " + program.parameter(Parameter::c));
  // The code of the second round is there.
  program.op(stall(15), "MOV R22, 0x10");
  program.op(stall(15), "MOV R23, 0x10");
  const auto load = [&](const char* address) {
    program.op(stall(2).writing(0), std::string("LDC R24, c[0x3][") + address + "]");
    program.op(stall(after).waiting(1), "MOV R25, R24");
  };
  program.loop(2, [&] {
    program.idle(500);
    program.clock_into(26, before);
    load("R22");
    program.clock_into(27, 15);
    program.op(stall(15), "IADD3 R27, R27, -R26, RZ");
    program.idle(200);
    program.start_clock(before);
    load("R23");
    program.end_clock();
    program.op(stall(15), "MOV R22, R20");
    program.op(stall(15), "MOV R23, R21");
  });
  program.store_result(27, 0);
  program.finish();
  return program.kernel("loads");
}

SassKernel code_kernel(int sm) {
  Program program(sm);
  program.begin();
  for (int i = 0; i < much_code; ++i) program.op(stall(1), "NOP");
  program.finish();
  return program.kernel("code");
}

// First loads of lines that the L2 has, all over the bank, from every SM of a card: to some of both it is nearer.
void measure_first_load_of_each_sm(Bench& bench, Findings& findings, SassModule& module) {
  constexpr std::uint32_t places = (bank_bytes - first_address) / next_address;
  constexpr std::uint32_t to_next = 37;  // places from one that is asked to the next: no common factor with their number
  constexpr int asked = 24;              // places of an SM
  std::uint32_t place = 0;
  sample_each_sm(bench.facts(), findings, first_load_by_sm, "cycles", [&](std::uint32_t sm) -> std::optional<double> {
    std::vector<double> cycles;
    for (int i = 0; i < asked; ++i) {
      place = (place + to_next) % places;
      SassArguments arguments;
      arguments.b = first_address + place * next_address;
      arguments.c = arguments.b + next_address / 2;
      arguments.sm = sm;
      arguments.results = 1;
      module.run("loads", arguments);
      SassArguments every_sm;
      every_sm.blocks = static_cast<std::uint32_t>(bench.facts().sm_count);
      module.run("code", every_sm);
      const SassOutcome outcome = module.run("loads", arguments);
      if (outcome.answered()) cycles.push_back(outcome.results[0] - before - after);
    }
    return cycles.empty() ? std::nullopt : std::optional(middle_mean(cycles));
  });
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  // A simulated kernel finds the caches of the SMs empty.
  const bool keeps = !bench.facts().simulated;
  std::vector<SassKernel> kernels = {loads_kernel(sm)};
  if (keeps) kernels.push_back(code_kernel(sm));
  SassModule module(bench, kernels, std::vector<std::uint32_t>(bank_bytes / 4, 1));
  const std::vector<std::uint32_t> sms = sms_to_ask(bench.facts());
  const auto loads = [&](std::uint32_t distance) {
    const std::uint32_t turn = distance / step;
    SassArguments arguments;
    arguments.b = first_address + turn * next_address;
    arguments.c = arguments.b + distance;
    arguments.sm = sms[turn * sms.size() / (farthest / step + 1)];
    arguments.results = 1;
    return module.run("loads", arguments);
  };
  for (std::uint32_t distance = step; distance <= farthest; distance += step) {
    if (keeps) {
      // The L2 holds both; what is nearer is then full of code.
      loads(distance);
      SassArguments every_sm;
      every_sm.blocks = static_cast<std::uint32_t>(bench.facts().sm_count);
      module.run("code", every_sm);
    }
    const SassOutcome outcome = loads(distance);
    findings.sample(first_load, "bytes", "cycles", distance, outcome.results[0] - before - after);
    findings.sample(second_load, "bytes", "cycles", distance, outcome.cycles() - before - after);
  }
  if (keeps) measure_first_load_of_each_sm(bench, findings, module);
}

// The first distance at which the load takes longer than that.
double first_beyond(const calib::Series& series, double cycles) {
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (series.y[i] > cycles) return series.x[i];
  }
  throw ProbeRefusal("\"" + series.label + "\" stays below what a level takes");
}

void conclude(const TargetFacts&, Findings& findings) {
  const calib::Series& second = findings.at(second_load);
  const double next = calib::median(findings.at(first_load).y);
  const double nearest = *std::min_element(second.y.begin(), second.y.end());
  if (findings.find(first_load_by_sm) != nullptr) {
    report_over_sms(findings, "constant.l2_latency", calib::Unit::cycles, first_load_by_sm);
  } else {
    findings.figure("constant.l2_latency", next, calib::Unit::cycles, 0, second.x.size(), first_load);
  }
  findings.figure("constant.l1_line", first_beyond(second, 1.5 * nearest), calib::Unit::bytes, 0, second.x.size(), second.label);
  findings.figure("constant.l15_line", first_beyond(second, 0.75 * next), calib::Unit::bytes, 0, second.x.size(), second.label);
}

}  // namespace

extern const Probe constant_lines{"constant.lines", "How much of a bank one load of constants brings into each level", "Jia2018 section 3.4, figure 3.8", 70, measure, conclude};

}  // namespace warpgauge::probes
