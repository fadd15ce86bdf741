// FFMAs whose sources lie in the two banks by a pattern of one to three instructions that repeats: every pattern there is,
// with sources that nothing waits for and with sums in chains. What a pattern costs in the long run says in which cycle
// which source is read.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int body = 96;
constexpr int longest = 3;
constexpr int triples = 8;  // bit 2, 1, 0: the bank of the first, second, third source

using Pattern = std::vector<int>;

// One of each class of patterns that are the same but for where they begin, or a shorter one repeated.
std::vector<Pattern> all_patterns() {
  std::vector<Pattern> patterns;
  std::set<Pattern> seen;
  for (int length = 1; length <= longest; ++length) {
    int count = 1;
    for (int i = 0; i < length; ++i) count *= triples;
    for (int code = 0; code < count; ++code) {
      Pattern pattern;
      for (int i = 0, rest = code; i < length; ++i, rest /= triples) pattern.push_back(rest % triples);
      bool known = false;
      for (int turn = 0; turn < length; ++turn) {
        Pattern turned(pattern.begin() + turn, pattern.end());
        turned.insert(turned.end(), pattern.begin(), pattern.begin() + turn);
        known |= seen.count(turned) != 0;
      }
      bool shorter = length > 1;
      for (int i = 1; i < length; ++i) shorter &= pattern[static_cast<std::size_t>(i)] == pattern[0];
      if (known || shorter) continue;
      seen.insert(pattern);
      patterns.push_back(std::move(pattern));
    }
  }
  return patterns;
}

std::string name_of(const Pattern& pattern) {
  std::string name;
  for (const int triple : pattern) {
    if (!name.empty()) name += ' ';
    for (const int bit : {2, 1, 0}) name += (triple >> bit & 1) != 0 ? 'O' : 'E';
  }
  return name;
}

// A register of a bank among R40 to R55, another one for each source and for neighbours.
int value(int bank, int slot, int instruction) { return 40 + 2 * ((slot * 3 + instruction) % 8) + bank; }

// With `distance` 0 the third source is a value like the others, and results go to registers of their own, in either bank
// in turn. Otherwise it is what was written so many instructions before, in its bank, to which the result is added.
SassKernel pattern_kernel(int sm, const std::string& name, const Pattern& pattern, int distance, int stall_count) {
  Program p(sm);
  p.begin();
  for (int i = 40; i < 56; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  for (int i = 8; i < 40; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  p.only_warps_of_mask();
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(120);
    p.start_clock();
    for (int i = 0; i < body; ++i) {
      const int triple = pattern[static_cast<std::size_t>(i) % pattern.size()];
      const int third = triple & 1;
      const int c = distance == 0 ? value(third, 2, i) : 8 + 2 * (i % distance) + third;
      const int to = distance == 0 ? 8 + i % 32 : c;
      p.op(stall(stall_count), "FFMA " + reg(to) + ", " + reg(value(triple >> 2 & 1, 0, i)) + ", " +
                                   reg(value(triple >> 1 & 1, 1, i)) + ", " + reg(c));
    }
    p.end_clock();
    p.idle(60);
  });
  p.finish();
  return p.kernel(name, 0, 1);
}

struct Shape {
  const char* name;
  int distance;
  int stall_count;
};
// A chain that changes its bank is not one: its links are as far apart as the pattern has it.
constexpr Shape shapes[] = {{"values", 0, 1}, {"values, stall 2", 0, 2}, {"sums 4 back", 4, 1}, {"sums 6 back", 6, 1}, {"sums 12 back", 12, 1}};

void measure(Bench& bench, Findings& findings) {
  const std::vector<Pattern> patterns = all_patterns();
  constexpr std::pair<std::uint32_t, std::uint32_t> masks[] = {{1, 0x1}, {5, 0x11}, {13, 0x1111}};
  for (const Shape& shape : shapes) {
    std::vector<SassKernel> kernels;
    for (std::size_t i = 0; i < patterns.size(); ++i)
      kernels.push_back(pattern_kernel(bench.facts().sm, "pattern" + std::to_string(i), patterns[i], shape.distance,
                                       shape.stall_count));
    SassModule module(bench, kernels);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      for (const auto& [warps, mask] : masks) {
        SassArguments arguments;
        arguments.warps = warps;
        arguments.a = mask;
        const SassOutcome outcome = module.run(kernels[i].name, arguments);
        for (std::uint32_t warp = 0; warp < warps; warp += 4) {
          findings.sample(std::string(shape.name) + ", " + name_of(patterns[i]) + ", warps " +
                              std::to_string(1 + (warps - 1) / 4),
                          "warp", "cycles", warp / 4, outcome.cycles(warp));
        }
      }
    }
  }
}

}  // namespace

extern const Probe register_patterns{"registers.patterns",
                                     "FFMAs whose sources lie in the banks by every pattern of one to three instructions",
                                     "Jia2018 figure 3.8",
                                     70,
                                     measure,
                                     nullptr};

}  // namespace warpgauge::probes
