// When the warps of a block issue their first instruction: a clock read there, of blocks whose code the SM has run before.
#include <algorithm>
#include <string>
#include <vector>

#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint32_t most_warps = 16;  // which leaves an SM room for one block only
constexpr const char* starts = "first instruction of a warp of a block, of those of its scheduler";

// The clock is the first instruction. Block b, which comes to an SM that has run others, leaves its records.
SassKernel kernel(int sm) {
  Program program(sm);
  program.op(stall(15), "CS2R R10, SR_CLOCKLO");
  program.idle(30);
  program.op(stall(2).writing(0), "S2R R8, SR_CTAID.X");
  program.op(stall(15), "MOV R9, " + program.parameter(Parameter::b));
  program.op(stall(15).waiting(1), "ISETP.NE.U32.AND P5, PT, R8, R9, PT");
  program.op(stall(15), "@P5 EXIT");
  program.begin();
  program.op(stall(15), "MOV R4, R10");
  program.op(stall(15), "MOV R5, R11");
  program.end_clock();
  program.finish();
  return program.kernel("first_instructions");
}

void measure(Bench& bench, Findings& findings) {
  SassModule module(bench, {kernel(bench.facts().sm)});
  for (int repeat = 0; repeat < 5; ++repeat) {
    SassArguments arguments;
    arguments.warps = most_warps;
    // One wave fills the SMs, the next finds the code there.
    arguments.blocks = static_cast<std::uint32_t>(bench.facts().sm_count) * 4;
    arguments.b = arguments.blocks - 1;
    const SassOutcome outcome = module.run("first_instructions", arguments);
    std::uint64_t first = outcome.warps[0].start;
    for (const WarpRecord& warp : outcome.warps) first = std::min(first, warp.start);
    for (std::size_t warp = 0; warp < most_warps; ++warp) {
      findings.sample(starts, "warp", "cycles", static_cast<double>(warp / 4), static_cast<double>(outcome.warps[warp].start - first));
    }
  }
}

void conclude(const TargetFacts&, Findings& findings) {
  const calib::Series& series = findings.at(starts);
  findings.figure("launch.warp_interval", slope(series), calib::Unit::cycles, 0, series.x.size(), series.label);
}

}  // namespace

extern const Probe launch_warps{"launch.warps", "When the warps of a block issue their first instruction", "launch", 70, measure, conclude};

}  // namespace warpgauge::probes
