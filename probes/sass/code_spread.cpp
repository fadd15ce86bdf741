// Straight-line code that no second level holds: the rate at which its lines come from the L2, for one warp
// and for warps that each run code of their own.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int kib = 1024;
constexpr int instruction_bytes = 16;
constexpr double instructions_a_line = 8;

struct Spread {
  int regions;  // warps that run code of their own
  int bytes;    // of each
};
constexpr Spread spreads[] = {{1, 16 * kib},  {1, 64 * kib},  {1, 112 * kib}, {1, 144 * kib}, {1, 192 * kib},
                              {1, 256 * kib}, {1, 384 * kib}, {2, 48 * kib},  {2, 96 * kib},  {2, 160 * kib},
                              {4, 8 * kib},   {4, 24 * kib},  {4, 48 * kib},  {4, 96 * kib},  {8, 12 * kib},
                              {8, 24 * kib},  {8, 48 * kib}};

std::string kernel_name(const Spread& spread) {
  return "spread_" + std::to_string(spread.regions) + "_" + std::to_string(spread.bytes);
}

// Parameter b: passes; the clocks are those of the last one. On one SM of a grid that covers all, where that is asked for.
SassKernel spread_kernel(int sm, const Spread& spread, bool on_one_sm = false) {
  Program program(sm);
  program.begin();
  if (on_one_sm) program.only_on_sm();
  set_operands(program);
  program.op(stall(15), "MOV R60, " + program.parameter(Parameter::b));
  program.op(stall(15), "MOV R61, RZ");
  const std::string end = program.fresh_label("END");
  std::vector<std::string> heads;
  for (int region = 0; region < spread.regions; ++region) {
    heads.push_back(program.fresh_label("REGION"));
    program.op(stall(15), "ISETP.EQ.U32.AND P4, PT, R1, " + hex(static_cast<std::uint64_t>(region)) + ", PT");
    program.op(stall(15), "@P4 BRA `(" + heads.back() + ")");
  }
  program.op(stall(15), "BRA `(" + end + ")");
  for (const std::string& head : heads) {
    program.label(head);
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(60);
    program.start_clock();
    for (int i = 0; i < spread.bytes / instruction_bytes; ++i)
      program.op(stall(1), "FFMA " + reg(20 + i % 16) + ", R12, R13, R14");
    program.end_clock();
    program.op(stall(15), "IADD3 R61, R61, 0x1, RZ");
    program.op(stall(15), "ISETP.LT.U32.AND P6, PT, R61, R60, PT");
    program.op(stall(15), "@P6 BRA `(" + head + ")");
    program.op(stall(15), "BRA `(" + end + ")");
  }
  program.label(end);
  program.finish();
  return program.kernel(kernel_name(spread), 0, 1);
}

std::string series_of(int regions, const std::string& when) {
  return "cycles a line, " + std::to_string(regions) +
         (regions == 1 ? " warp, " : " warps of code of their own, ") + when;
}

// On a simulated device the code of one warp that fits the L0 and that fits no level, and what the figure is taken from.
bool wanted(const TargetFacts& facts, const Spread& spread) {
  return !facts.simulated || &spread == std::begin(spreads) || &spread == std::begin(spreads) + 3 ||
         &spread == std::end(spreads) - 1;
}

constexpr const char* most_by_sm = "cycles a line, 8 warps of code of their own, third pass, by SM";

// What comes from the L2 comes from another distance to each SM, and by the code's address: every SM of a card, and the code
// at several places.
void measure_most_of_each_sm(Bench& bench, Findings& findings) {
  constexpr int places = 4;
  const Spread& most = *std::rbegin(spreads);
  std::vector<SassModule> modules;
  for (int place = 0; place < places; ++place)
    modules.emplace_back(bench, std::vector<SassKernel>{spread_kernel(bench.facts().sm, most, true)});
  const double lines = most.bytes / instruction_bytes / instructions_a_line;
  sample_each_sm(bench.facts(), findings, most_by_sm, "cycles", [&](std::uint32_t sm) -> std::optional<double> {
    double cycles = 0;
    for (SassModule& module : modules) {
      SassArguments arguments;
      arguments.warps = static_cast<std::uint32_t>(most.regions);
      arguments.b = 3;
      arguments.sm = sm;
      const SassOutcome outcome = module.run(kernel_name(most), arguments);
      if (!outcome.answered()) return std::nullopt;
      cycles += span_of(outcome.warps) / lines;
    }
    return cycles / places;
  });
}

void measure(Bench& bench, Findings& findings) {
  for (const Spread& spread : spreads) {
    if (!wanted(bench.facts(), spread)) continue;
    SassModule module(bench, {spread_kernel(bench.facts().sm, spread)});
    const double lines = spread.bytes / instruction_bytes / instructions_a_line;
    const auto sample = [&](const std::string& when, std::uint32_t passes) {
      SassArguments arguments;
      arguments.warps = static_cast<std::uint32_t>(spread.regions);
      arguments.b = passes;
      const double cycles = span_of(module.run(kernel_name(spread), arguments).warps);
      findings.sample(series_of(spread.regions, when), "bytes of each", "cycles", spread.bytes,
                      cycles / lines);
    };
    sample("first launch", 1);
    sample("second launch", 1);
    sample("second pass", 2);
    sample("third pass", 3);
    if (lines * instructions_a_line * instruction_bytes < 24 * kib || bench.facts().simulated) continue;
    // Every SM the same code at the same time: what SMs share shows.
    SassArguments arguments;
    arguments.warps = static_cast<std::uint32_t>(spread.regions);
    arguments.blocks = static_cast<std::uint32_t>(bench.facts().sm_count);
    arguments.b = 2;
    double slowest = 0;
    for (const WarpRecord& warp : module.run(kernel_name(spread), arguments).warps)
      slowest = std::max(slowest, static_cast<double>(warp.end - warp.start));
    findings.sample(series_of(spread.regions, "second pass, all SMs"), "bytes of each", "cycles",
                    spread.bytes, slowest / lines);
  }
  if (!bench.facts().simulated) measure_most_of_each_sm(bench, findings);
}

// One warp's rate is a latency's; those of many warps add up to what an SM gets at least.
void fit(const TargetFacts&, Findings& findings) {
  const Spread& most = *std::rbegin(spreads);
  if (findings.find(most_by_sm) != nullptr) {
    const calib::Estimate cycles = over_sms(findings, most_by_sm);
    const double rate = most.regions / cycles.value;
    findings.figure("front_end.l2_lines_per_cycle", rate, calib::Unit::lines_per_cycle,
                    rate * cycles.half_width() / cycles.value, cycles.samples, most_by_sm);
    return;
  }
  const calib::Series& series = findings.at(series_of(most.regions, "third pass"));
  const double cycles = series.y.back();
  findings.figure("front_end.l2_lines_per_cycle", most.regions / cycles, calib::Unit::lines_per_cycle, 0,
                  1, series.label);
}

}  // namespace

extern const Probe fetch_spread{
    "fetch.spread",
    "Cycles a line of straight code, of one warp and of warps at different places",
    "Jia2018 section 3.3, figure 3.7",
    70,
    measure,
    fit};

}  // namespace warpgauge::probes
