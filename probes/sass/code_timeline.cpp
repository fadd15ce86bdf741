// When each line of straight-line code arrives: a clock read at the head of every line, on the first pass
// over code that no cache holds and on later ones. Shows the latency of each level, what the prefetcher runs
// ahead, and its lines.
#include <algorithm>
#include <string>

#include "probes/records.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int stamps = 160;
constexpr int first_stamp = 64;
constexpr int instruction_bytes = 16;
constexpr std::uint64_t more_than_the_l2 = std::uint64_t{256} << 20;

struct Layout {
  const char* name;
  int group;  // instructions from one clock read to the next that runs
  int hop;    // groups from one that runs to the next: the others are jumped over
};
constexpr Layout layouts[] = {{"each 128 bytes", 8, 1},         {"each 64 bytes", 4, 1},
                              {"every second 128 bytes", 8, 2}, {"every fourth 128 bytes", 8, 4},
                              {"every ninth 128 bytes", 8, 9},  {"every 33rd 128 bytes", 8, 33}};

std::string kernel_name(std::size_t layout) {
  return "timeline" + std::to_string(layout);
}

// The passes are parameter b; the stamps of the last one are stored.
SassKernel timeline_kernel(int sm, std::size_t index) {
  const Layout& layout = layouts[index];
  Program program(sm);
  program.begin();
  program.op(stall(15), "MOV R60, " + program.parameter(Parameter::b));
  program.op(stall(15), "MOV R61, RZ");
  const std::string top = program.fresh_label("PASS");
  program.label(top);
  program.start_clock(15);
  program.op(stall(15), "IADD3 R61, R61, 0x1, RZ");
  const auto line = static_cast<std::ptrdiff_t>(layout.group);
  const auto count = [&] { return std::count(program.text().begin(), program.text().end(), ';'); };
  while (count() % line != 0) program.op(stall(1), "NOP");
  for (int i = 0; i < stamps; ++i) {
    program.op(stall(1), "CS2R.32 " + reg(first_stamp + i) + ", SR_CLOCKLO");
    int filled = 1;
    std::string next;
    if (layout.hop > 1) {
      next = program.fresh_label("NEXT");
      program.op(stall(1), "BRA `(" + next + ")");
      ++filled;
    }
    for (; filled < layout.group * layout.hop; ++filled) program.op(stall(1), "NOP");
    if (layout.hop > 1) program.label(next);
  }
  program.end_clock();
  program.op(stall(15), "ISETP.LT.U32.AND P6, PT, R61, R60, PT");
  program.op(stall(15), "@P6 BRA `(" + top + ")");
  program.idle(30);
  for (int i = 0; i < stamps; ++i) program.store_result(first_stamp + i, i);
  program.finish();
  SassKernel kernel = program.kernel(kernel_name(index));
  kernel.registers = 240;
  return kernel;
}

void measure_timeline(Bench& bench, Findings& findings) {
  std::vector<SassKernel> kernels;
  for (std::size_t i = 0; i < std::size(layouts); ++i)
    kernels.push_back(timeline_kernel(bench.facts().sm, i));
  for (std::size_t i = 0; i < std::size(layouts); ++i) {
    SassModule module(bench, {kernels[i]});
    const auto take = [&](const std::string& when, std::uint32_t passes, std::uint32_t blocks) {
      SassArguments arguments;
      arguments.b = passes;
      arguments.blocks = blocks;
      arguments.results = stamps;
      const SassOutcome outcome = module.run(kernel_name(i), arguments);
      const std::string label = std::string(layouts[i].name) + ", " + when;
      findings.sample(
          label, "stamp", "cycles", -1,
          static_cast<double>(outcome.results[0] - static_cast<std::uint32_t>(outcome.warps[0].start)));
      for (int k = 0; k < stamps; ++k) {
        findings.sample(label, "stamp", "cycles", k,
                        outcome.results[static_cast<std::size_t>(k)] - outcome.results[0]);
      }
    };
    const auto empty_the_l2 = [&] {
      const Buffer large = bench.allocate(std::min(more_than_the_l2, bench.facts().memory_bytes / 4));
      large.fill(1);
      large.fill(2);
    };
    take("first launch", 1, 1);
    take("second launch", 1, 1);
    take("second pass", 2, 1);
    take("third pass", 3, 1);
    empty_the_l2();
    take("L2 emptied", 1, 1);
    empty_the_l2();
    take("L2 emptied, all SMs", 1, static_cast<std::uint32_t>(bench.facts().sm_count));
  }
}

// Bytes of constant bank 0 up to the end of the parameters.
int constant_bytes(int sm) {
  return sm >= 90 ? 0x220 : 0x180;
}

// What one constant operand costs the first time that its line is read, then again.
SassKernel constants_kernel(int sm) {
  Program program(sm);
  program.begin();
  int stamp = first_stamp;
  const auto clock = [&] { program.op(stall(15), "CS2R.32 " + reg(stamp++) + ", SR_CLOCKLO"); };
  clock();
  for (int again = 0; again < 2; ++again) {
    for (int at = 0; at < constant_bytes(sm); at += 0x20) {
      program.op(stall(15), "MOV R20, c[0x0][" + hex(static_cast<std::uint64_t>(at)) + "]");
      clock();
    }
  }
  program.idle(30);
  for (int i = first_stamp; i < stamp; ++i) program.store_result(i, i - first_stamp);
  program.finish();
  SassKernel kernel = program.kernel("constants");
  kernel.registers = 240;
  return kernel;
}

void measure_constant_operands(Bench& bench, Findings& findings) {
  SassModule module(bench, {constants_kernel(bench.facts().sm)});
  const int operands = 2 * (constant_bytes(bench.facts().sm) / 0x20);
  for (const char* when : {"first launch", "second launch", "third launch"}) {
    SassArguments arguments;
    arguments.results = static_cast<std::size_t>(operands) + 1;
    const SassOutcome outcome = module.run("constants", arguments);
    for (int i = 0; i < operands; ++i) {
      const auto k = static_cast<std::size_t>(i);
      findings.sample(std::string(when) + (i < operands / 2 ? ", first read" : ", second read"), "bytes",
                      "cycles", i % (operands / 2) * 0x20, outcome.results[k + 1] - outcome.results[k]);
    }
  }
}

// How often an SM's constant unit takes an LDC whose lanes read n addresses.
constexpr std::uint32_t most_warps = 28;  // of 72 registers a thread
constexpr int loads_short = 8, loads_long = 24;

SassKernel divergent_kernel(int sm, int loads) {
  Program program(sm);
  program.begin();
  // Lane l reads word l & parameter b.
  program.op(stall(15), "MOV R20, " + program.parameter(Parameter::b));
  program.op(stall(15), "LOP3.LUT R20, R0, R20, RZ, 0xc0, !PT");
  program.op(stall(15), "SHF.L.U32 R20, R20, 0x2, RZ");
  program.only_warps_of_mask();
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(60);
    program.start_clock();
    for (int i = 0; i < loads; ++i)
      program.op(stall(1).writing(i % 4), "LDC " + reg(24 + i % 16) + ", c[0x0][R20+0x0]");
    program.op(stall(15).waiting(0xf), "NOP");
    program.end_clock();
    program.idle(600);
  });
  program.finish();
  return program.kernel("divergent" + std::to_string(loads), 0, 1);
}

std::string divergent_series(std::uint32_t addresses) {
  return "cycles of LDC with " + std::to_string(addresses) + " addresses against warps";
}

void measure_divergent(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  SassModule module(bench, {divergent_kernel(sm, loads_short), divergent_kernel(sm, loads_long)});
  for (const std::uint32_t addresses : {1U, 2U, 4U, 8U, 16U, 32U}) {
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, most_warps}) {
      SassArguments arguments;
      arguments.warps = warps;
      arguments.a = 0xffffffff;
      arguments.b = addresses - 1;
      const double few = span_of(module.run("divergent" + std::to_string(loads_short), arguments).warps);
      const double many = span_of(module.run("divergent" + std::to_string(loads_long), arguments).warps);
      findings.sample(divergent_series(addresses), "warps", "cycles", warps,
                      (many - few) / (loads_long - loads_short) / warps);
    }
  }
}

// Cycles of the unit an address, once warps enough keep it busy.
void conclude_divergent(const TargetFacts&, Findings& findings) {
  const auto busy = [&](std::uint32_t addresses) {
    return calib::median(values_at(findings.at(divergent_series(addresses)), most_warps));
  };
  findings.figure("constant.address_interval", (busy(32) - busy(8)) / 24, calib::Unit::cycles, 0, 4,
                  divergent_series(32));
}

// When the warps of a block leave a barrier: they arrive together, or one after the other.
constexpr int apart = 64;

SassKernel barrier_kernel(int sm, bool together) {
  Program program(sm);
  program.begin();
  program.op(stall(15), "MOV R60, RZ");
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(200);
    if (!together) {
      program.op(stall(15), "MOV R61, RZ");
      const std::string top = program.fresh_label("LATER");
      program.label(top);
      program.op(stall(15), "IADD3 R61, R61, 0x1, RZ");
      program.op(stall(15), "ISETP.LE.U32.AND P4, PT, R61, R1, PT");
      program.op(stall(15), "@P4 BRA `(" + top + ")");
    }
    program.start_clock();
    program.op(stall(2), "CS2R.32 R20, SR_CLOCKLO");
    program.op(stall(1), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.op(stall(2), "CS2R.32 R21, SR_CLOCKLO");
    program.end_clock();
    program.idle(200);
  });
  program.store_result_of_warp(20, 0, 2);
  program.store_result_of_warp(21, 1, 2);
  program.finish();
  return program.kernel(together ? "together" : "apart", 0, 1);
}

void measure_release(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  SassModule module(bench, {barrier_kernel(sm, true), barrier_kernel(sm, false)});
  for (const char* kernel : {"together", "apart"}) {
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, most_warps}) {
      SassArguments arguments;
      arguments.warps = warps;
      arguments.results = 2 * warps;
      const SassOutcome outcome = module.run(kernel, arguments);
      std::uint32_t last = outcome.results[0];
      for (std::uint32_t w = 0; w < warps; ++w)
        last = static_cast<std::int32_t>(outcome.results[2 * w] - last) > 0 ? outcome.results[2 * w] : last;
      const std::string of = std::string(", ") + kernel + ", " + std::to_string(warps) + " warps";
      for (std::uint32_t w = 0; w < warps; ++w) {
        findings.sample("arrival before the last" + of, "warp", "cycles", w,
                        static_cast<std::int32_t>(last - outcome.results[2 * w]));
        findings.sample("release after the last arrival" + of, "warp", "cycles", w,
                        static_cast<std::int32_t>(outcome.results[2 * w + 1] - last));
      }
    }
  }
}

}  // namespace

extern const Probe fetch_timeline{"fetch.timeline",
                                  "When each line of code arrives, first in no cache, then in each",
                                  "Huerta et al. 2025, section 5.2",
                                  70,
                                  measure_timeline,
                                  nullptr};
extern const Probe constant_operands{"constant.operands",
                                     "Cost of a constant operand whose line is read for the first time",
                                     "Huerta et al. 2025, section 5.1",
                                     70,
                                     measure_constant_operands,
                                     nullptr};
extern const Probe constant_divergent{
    "constant.divergent", "Interval of LDC by the number of addresses and of warps",
    "Jia2018 figure 3.9", 70,
    measure_divergent,    conclude_divergent};
extern const Probe barrier_release{
    "issue.release", "When the warps of a block leave a barrier", "barriers", 70, measure_release, nullptr};

}  // namespace warpgauge::probes
