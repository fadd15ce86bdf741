// Every sequence of up to four FFMAs by the slots in which they read one bank, a cycle apart or, after the first and the
// second, two: how long do they keep what follows from issuing? Four that read nothing come behind, and the clock.
#include <cstdint>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int masks = 8;  // bit n: source n is in the bank

// A register of the even bank, another one for each slot and for neighbours.
int value(int slot, int instruction) { return 40 + 2 * ((slot * 3 + instruction) % 8); }

// Each of a sequence reads one bank in the slots of a mask, and nothing else.
SassKernel sequence_kernel(int sm, const std::string& name, const std::vector<int>& sequence, int longer) {
  Program p(sm);
  p.begin();
  for (int i = 40; i < 56; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  p.only_warps_of_mask();
  p.loop(2, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(90);
    p.start_clock();
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const int at = static_cast<int>(i);
      const auto source = [&](int slot) { return (sequence[i] >> slot & 1) != 0 ? reg(value(slot, at)) : std::string("RZ"); };
      p.op(stall(1 + (longer >> i & 1)), "FFMA " + reg(8 + at) + ", " + source(0) + ", " + source(1) + ", " + source(2));
    }
    for (int i = 0; i < 4; ++i) p.op(stall(1), "FFMA " + reg(20 + i) + ", RZ, RZ, RZ");
    p.end_clock();
    p.idle(60);
  });
  p.finish();
  return p.kernel(name, 0, 1);
}

void measure_length(Bench& bench, Findings& findings, int length, int longer) {
  int count = 1;
  for (int i = 0; i < length; ++i) count *= masks;
  std::vector<SassKernel> kernels;
  for (int code = 0; code < count; ++code) {
    std::vector<int> sequence;
    for (int i = 0, rest = code; i < length; ++i, rest /= masks) sequence.push_back(rest % masks);
    kernels.push_back(sequence_kernel(bench.facts().sm, "sequence" + std::to_string(code), sequence, longer));
  }
  SassModule module(bench, kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    SassArguments arguments;
    arguments.warps = 1;
    arguments.a = 1;
    findings.sample("length " + std::to_string(length) + ", longer " + std::to_string(longer), "code", "cycles",
                    static_cast<double>(i), module.run(kernels[i].name, arguments).cycles(0));
  }
}

void measure(Bench& bench, Findings& findings) {
  for (int length = 1; length <= 4; ++length) measure_length(bench, findings, length, 0);
  for (int longer = 1; longer < 4; ++longer) measure_length(bench, findings, 3, longer);
}

}  // namespace

extern const Probe register_sequences{"registers.sequences",
                                     "every sequence of up to four FFMAs by the slots in which they read one bank",
                                     "Jia2018 figure 3.8",
                                     70,
                                     measure,
                                     nullptr};

}  // namespace warpgauge::probes
