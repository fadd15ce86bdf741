// Results of loads and those of FFMAs on their way into the registers: loads, then FFMAs that write one bank or both in
// turn, with an issue slot or two left empty at each place: which empty slot spares the FFMAs the wait for the loads' results?
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int ffmas = 72;

struct Load {
  const char* name;
  const char* text;  // %d: the first register
};
constexpr Load loads[] = {
    {"LDS", "LDS %d, [R48]"},
    {"LDS.64", "LDS.64 %d, [R48]"},
    {"LDS.128", "LDS.128 %d, [R48]"},
    {"LDG", "LDG.E %d, desc[UR4][R50.64]"},
    {"LDG.64", "LDG.E.64 %d, desc[UR4][R50.64]"},
    {"LDG.128", "LDG.E.128 %d, desc[UR4][R50.64]"},
    {"MUFU", "MUFU.RSQ %d, R48"},
    {"SHFL", "SHFL.BFLY PT, %d, R48, 0x1, 0x1f"},
};
// Banks of the results, again and again.
constexpr const char* patterns[] = {"E", "EO"};

struct Case {
  int loads = 1;
  std::vector<int> gaps;  // FFMAs behind which an issue slot stays empty
};

SassKernel writes_kernel(int sm, const std::string& name, const Load& load, const std::string& pattern, const Case& c) {
  Program p(sm);
  p.begin();
  for (int i = 8; i < 48; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  p.op(stall(15), "MOV R48, 0x40");
  p.op(stall(15), "MOV R49, 0x3f800000");
  p.op(stall(15), "MOV R50, " + p.parameter(Parameter::in));
  p.op(stall(15), "MOV R51, " + p.parameter(Parameter::in, 1));
  p.only_warps_of_mask();
  p.loop(4, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(120);
    p.start_clock();
    for (int i = 0; i < c.loads; ++i) {
      std::string text = load.text;
      text.replace(text.find("%d"), 2, reg(32 + 4 * i));
      p.op(stall(1).writing(0), text);
    }
    int even = 0, odd = 0;
    for (int i = 0; i < ffmas; ++i) {
      const bool is_odd = pattern[static_cast<std::size_t>(i) % pattern.size()] == 'O';
      const int to = is_odd ? 9 + 2 * (odd++ % 12) : 8 + 2 * (even++ % 12);
      const bool gap = std::find(c.gaps.begin(), c.gaps.end(), i) != c.gaps.end();
      p.op(stall(gap ? 2 : 1), "FFMA " + reg(to) + ", R49, R49, R49");
    }
    p.end_clock();
    p.op(stall(15).waiting(1), "NOP");
    p.idle(60);
  });
  p.finish();
  return p.kernel(name, 1024, 1);
}

void measure(Bench& bench, Findings& findings) {
  const Buffer memory = bench.allocate(1024);
  const auto series = [&](const std::string& name, const Load& load, const std::string& pattern, const std::vector<Case>& cases) {
    std::vector<SassKernel> kernels;
    for (std::size_t i = 0; i < cases.size(); ++i)
      kernels.push_back(writes_kernel(bench.facts().sm, "writes" + std::to_string(i), load, pattern, cases[i]));
    SassModule module(bench, kernels);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      SassArguments arguments;
      arguments.warps = 1;
      arguments.a = 1;
      arguments.in = memory.address();
      findings.sample(std::string(load.name) + " beside results in " + pattern + ", " + name, "place", "cycles",
                      static_cast<double>(i), module.run(kernels[i].name, arguments).cycles(0));
    }
  };
  for (const Load& load : loads) {
    for (const char* pattern : patterns) {
      for (const int count : {1, 2}) {
        std::vector<Case> one;
        for (int at = 0; at < ffmas; ++at) one.push_back({count, {at}});
        series(std::to_string(count) + " at once, one slot left empty", load, pattern, one);
        for (const int apart : {1, 8}) {
          std::vector<Case> two;
          for (int at = 0; at + apart < ffmas; ++at) two.push_back({count, {at, at + apart}});
          series(std::to_string(count) + " at once, two slots left empty, " + std::to_string(apart) + " apart", load, pattern, two);
        }
      }
    }
  }
}

}  // namespace

extern const Probe load_writes{"registers.load_writes",
                               "results of loads and those of FFMAs on their way into the registers",
                               "Huerta et al. 2025 section 5.3",
                               80,
                               measure,
                               nullptr};

}  // namespace warpgauge::probes
