// Results of loads and those of FFMAs on their way into the registers: a load, then FFMAs that write to the banks by a
// pattern, cut off after one, after two, and so on, and the clock read behind them.
#include <cstdint>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int longest = 56;

struct Load {
  const char* name;
  const char* text;
};
constexpr Load loads[] = {
    {"nothing", ""},
    {"LDS", "LDS R40, [R48]"},
    {"LDS at an odd one", "LDS R41, [R48]"},
    {"LDS.64", "LDS.64 R40, [R48]"},
    {"LDS.128", "LDS.128 R40, [R48]"},
    {"LDG", "LDG.E R40, desc[UR4][R50.64]"},
    {"LDG.128", "LDG.E.128 R40, desc[UR4][R50.64]"},
    {"MUFU", "MUFU.RSQ R40, R48"},
    {"SHFL", "SHFL.BFLY PT, R40, R48, 0x1, 0x1f"},
};
// Banks of the results, again and again.
constexpr const char* patterns[] = {"E", "O", "EO", "EEOO", "EEEO", "EEEEOOOO", "EEEEEEEEOOOOOOOO", "EOOOEEEOEOEEOEOO"};
constexpr const char* stalls[] = {"1", "2", "1112"};

SassKernel writes_kernel(int sm, const std::string& name, const Load& load, const std::string& pattern,
                         const std::string& stall_counts, int count) {
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
    if (load.text[0] != '\0') p.op(stall(1).writing(0), load.text);
    int even = 0, odd = 0;
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool is_odd = pattern[at % pattern.size()] == 'O';
      const int to = is_odd ? 9 + 2 * (odd++ % 12) : 8 + 2 * (even++ % 12);
      p.op(stall(stall_counts[at % stall_counts.size()] - '0'), "FFMA " + reg(to) + ", R49, R49, R49");
    }
    p.end_clock();
    p.op(stall(15).waiting(1), "NOP");
    p.idle(60);
  });
  p.finish();
  return p.kernel(name, 1024, 1);
}

void measure(Bench& bench, Findings& findings) {
  constexpr std::pair<std::uint32_t, std::uint32_t> masks[] = {{1, 0x1}, {4, 0xf}};
  const Buffer memory = bench.allocate(1024);
  for (const Load& load : loads) {
    for (const char* pattern : patterns) {
      for (const char* stall_counts : stalls) {
        std::vector<SassKernel> kernels;
        for (int count = 1; count <= longest; ++count)
          kernels.push_back(writes_kernel(bench.facts().sm, "prefix" + std::to_string(count), load, pattern, stall_counts, count));
        SassModule module(bench, kernels);
        for (const auto& [warps, mask] : masks) {
          for (std::size_t i = 0; i < kernels.size(); ++i) {
            SassArguments arguments;
            arguments.warps = warps;
            arguments.a = mask;
            arguments.in = memory.address();
            findings.sample(std::string(load.name) + " then results in " + pattern + ", stalls " + stall_counts + ", " +
                                std::to_string(warps) + " blocks of one warp",
                            "FFMAs", "cycles", static_cast<double>(i + 1), module.run(kernels[i].name, arguments).cycles(0));
          }
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
