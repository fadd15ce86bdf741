// Warps of one processing block that take turns at the register ports: FFMAs with conflicts in some warps and
// without in others, independent or in chains, at every stall count that compilers use.
#include <string>
#include <string_view>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int body = 96;

// Sources of a row's instructions, each letter one of them: '-' reads one register of each bank, 'e' two even
// and one odd, 'o' two odd and one even, 'E' three even, 'O' three odd, 'r' as 'e' with its registers kept
// for the next.
struct Pattern {
  const char* name;
  std::string_view letters;
};
constexpr Pattern patterns[] = {
    {"none", "-"},
    {"two", "e"},
    {"three", "E"},
    {"two in turn", "eo"},
    {"pairs in turn", "eeoo"},
    {"fours in turn", "eeeeoooo"},
    {"three in turn", "EO"},
    {"mixed", "eoe-oEo-eeo-Oe-o"},
    {"kept", "r"},
    {"three and none", "E-"},
    {"three kept", "K"},
    {"the other three kept", "J"},
};

std::string sources(char letter, int third) {
  const auto list = [&](int a, int b, int c, bool keep) {
    const std::string reuse = keep ? ".reuse" : "";
    return reg(a) + reuse + ", " + reg(b) + reuse + ", " + reg(third >= 0 ? third : c);
  };
  switch (letter) {
    case 'e':
      return list(40, 42, 45, false);
    case 'o':
      return list(41, 43, 44, false);
    case 'E':
      return list(40, 42, 44, false);
    case 'O':
      return list(41, 43, 45, false);
    case 'K':
      return list(40, 42, 44, true);
    case 'J':
      return list(41, 43, 45, true);
    case 'r':
      return list(40, 42, 45, true);
    default:
      return list(40, 41, 40, false);
  }
}
constexpr std::size_t pattern_count = std::size(patterns);
constexpr std::uint32_t kept_even = 10;
constexpr std::uint32_t kept_odd = 11;
constexpr int stalls[] = {1, 2, 4};

// Warps 0 to 3 run pattern b, warps 4 to 7 pattern c, and so on by the parity of warp / 4. Accumulators: with
// `chains` of them, each FFMA adds to the one that was written that many instructions ago, and reads it in
// place of its third source.
SassKernel mixed_kernel(int sm, int stall_count, int chains) {
  Program p(sm);
  p.begin();
  for (int i = 40; i <= 45; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  for (int i = 8; i < 24; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  p.op(stall(15), "SHF.R.U32.HI R60, RZ, 0x2, R1");
  p.op(stall(15), "LOP3.LUT R60, R60, 0x1, RZ, 0xc0, !PT");
  p.op(stall(15), "ISETP.EQ.AND P3, PT, R60, RZ, PT");
  p.op(stall(15), "MOV R60, " + p.parameter(Parameter::b));
  p.op(stall(15), "MOV R61, " + p.parameter(Parameter::c));
  p.op(stall(15), "SEL R60, R60, R61, P3");
  p.only_warps_of_mask();
  p.loop(3, [&] {
    const std::string done = p.fresh_label("DONE");
    std::vector<std::string> labels;
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    for (std::size_t i = 0; i < pattern_count; ++i) {
      labels.push_back(p.fresh_label("PATTERN"));
      p.op(stall(15), "ISETP.EQ.AND P4, PT, R60, " + hex(i) + ", PT");
      p.op(stall(15), "@P4 BRA `(" + labels.back() + ")");
    }
    for (std::size_t i = 0; i < pattern_count; ++i) {
      p.label(labels[i]);
      // All have come, whichever way is longer, and their code is near.
      p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
      p.idle(120);
      p.start_clock();
      for (int k = 0; k < body; ++k) {
        const std::string_view letters = patterns[i].letters;
        const int to = chains == 0 ? 8 + k % 16 : 8 + k % chains;
        p.op(stall(stall_count),
             "FFMA " + reg(to) + ", " +
                 sources(letters[static_cast<std::size_t>(k) % letters.size()], chains == 0 ? -1 : to));
      }
      p.end_clock();
      p.op(stall(15), "BRA `(" + done + ")");
    }
    p.label(done);
    p.idle(60);
  });
  p.finish();
  return p.kernel("mixed_s" + std::to_string(stall_count) + "_c" + std::to_string(chains), 0, 1);
}

// Of chains, the least stall count that keeps every dependence.
int chain_stall(int chains) {
  return chains >= 4 ? 1 : chains == 2 ? 2 : 4;
}

std::string label_of(const std::string& how, const char* first, const char* second, std::uint32_t warps) {
  return "cycles of " + std::to_string(body) + " FFMAs, " + how + ", " + first + " beside " + second + ", warps " +
         std::to_string(warps);
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<std::pair<int, int>> shapes;
  for (const int s : stalls) shapes.emplace_back(s, 0);
  for (const int chains : {1, 2, 4, 8}) shapes.emplace_back(chain_stall(chains), chains);
  std::vector<SassKernel> kernels;
  for (const auto& [s, chains] : shapes) kernels.push_back(mixed_kernel(sm, s, chains));
  SassModule module(bench, kernels);
  // One, two, four and six warps of a processing block.
  constexpr std::pair<std::uint32_t, std::uint32_t> masks[] = {
      {1, 0x1}, {5, 0x11}, {13, 0x1111}, {21, 0x111111}};
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const std::string how = shapes[k].second == 0 ? "stall " + std::to_string(shapes[k].first)
                                                  : std::to_string(shapes[k].second) + " chains";
    for (std::uint32_t first = 0; first < pattern_count; ++first) {
      for (std::uint32_t second = first; second < pattern_count; ++second) {
        for (const auto& [warps, mask] : masks) {
          // Others beside each other: what needs no ports, what needs them often, and what takes turns.
          const bool both_kept = first == kept_even && second == kept_odd && shapes[k].second == 0;
          if (second != first && (mask == 0x1 || (shapes[k] != std::pair(1, 0) && !both_kept))) continue;
          SassArguments arguments;
          arguments.warps = warps;
          arguments.a = mask;
          arguments.b = first;
          arguments.c = second;
          const SassOutcome outcome = module.run(kernels[k].name, arguments);
          for (std::uint32_t warp = 0; warp < warps; warp += 4) {
            findings.sample(label_of(how, patterns[first].name, patterns[second].name, 1 + (warps - 1) / 4), "warp", "cycles",
                            warp / 4, outcome.cycles(warp));
          }
        }
      }
    }
  }
}

// Two warps that alternate, one with its factors in one bank, the other in the other: do flags still save their reads?
void conclude(const TargetFacts&, Findings& findings) {
  const std::string kept = label_of("stall 2", patterns[kept_even].name, patterns[kept_odd].name, 2);
  const calib::Series& cycles = findings.at(kept);
  findings.result.figures.push_back({"registers.reuse_survives_warp_switch", cycles.y.front() < 2.5 * body, calib::Unit::flag, 0,
                                     cycles.y.size(), kept});
}

}  // namespace

extern const Probe register_warps{"registers.warps",
                                  "FFMAs with and without bank conflicts, of warps that take turns",
                                  "Jia2018 figure 3.8",
                                  70,
                                  measure,
                                  conclude};

}  // namespace warpgauge::probes
