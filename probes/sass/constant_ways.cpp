// Size and ways of the cache for c[][] operands: how many lines of one distance it keeps, next to each other and of whatever
// distance.
#include <algorithm>
#include <string>
#include <vector>

#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int reach = 32768;  // bytes of a bank that an operand can name
constexpr int line = 64;  // as constant.operands finds it
constexpr int distances[] = {line, 128, 256, 512, 1024, 2048, 4096};
constexpr int counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 24, 25, 32, 33, 40};
constexpr int stall_count = 2;
constexpr double a_miss = 20;  // cycles: less than any costs

std::string kernel_name(int distance, int count) { return "operands_" + std::to_string(distance) + "_" + std::to_string(count); }
std::string label_of(int distance) { return "cycles of operands " + std::to_string(distance) + " bytes apart, beyond their stall counts"; }

// The clocks are the last pass's.
SassKernel operands_kernel(int sm, int distance, int count) {
  Program program(sm);
  program.begin();
  set_operands(program);
  program.loop(4, [&] {
    program.idle(200);
    program.start_clock();
    for (int i = 0; i < count; ++i) {
      program.op(stall(stall_count), "IADD3 " + reg(24 + i % 16) + ", R12, c[0x3][" + hex(static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(distance)) + "], RZ");
    }
    program.end_clock();
  });
  program.finish();
  return program.kernel(kernel_name(distance, count));
}

template <class Action>
void each(Action action) {
  for (const int distance : distances) {
    for (const int count : counts) {
      if ((count - 1) * distance < reach) action(distance, count);
    }
  }
}

void measure(Bench& bench, Findings& findings) {
  std::vector<SassKernel> kernels;
  each([&](int distance, int count) { kernels.push_back(operands_kernel(bench.facts().sm, distance, count)); });
  SassModule module(bench, kernels, std::vector<std::uint32_t>(65536 / 4, 1));
  each([&](int distance, int count) {
    findings.sample(label_of(distance), "lines", "cycles", count, module.run(kernel_name(distance, count)).cycles() - 2 - count * stall_count);
  });
}

void conclude(const TargetFacts&, Findings& findings) {
  double fewest = 0;
  std::string label;
  for (const int distance : distances) {
    const calib::Series& series = findings.at(label_of(distance));
    std::size_t kept = 0;
    while (kept < series.x.size() && series.y[kept] < a_miss) ++kept;
    if (kept == series.x.size()) continue;  // too few lines are in reach
    if (kept == 0) throw ProbeRefusal("a line alone is not kept");
    if (distance == line) findings.figure("constant.l0_bytes", series.x[kept - 1] * line, calib::Unit::bytes, 0, series.x.size(), series.label);
    if (fewest == 0 || series.x[kept - 1] < fewest) {
      fewest = series.x[kept - 1];
      label = series.label;
    }
  }
  if (fewest == 0) throw ProbeRefusal("all lines are kept");
  findings.figure("constant.l0_ways", fewest, calib::Unit::count, 0, findings.at(label).x.size(), label);
}

}  // namespace

extern const Probe constant_ways{"constant.ways", "How many lines of one distance the cache of constant operands keeps", "Jia2018 section 3.4", 70, measure, conclude};

}  // namespace warpgauge::probes
