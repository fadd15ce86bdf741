// When does each FFMA of a stream issue? A stream of registers drawn at random is cut off after one instruction, after two,
// and so on, and the clock read behind it: what the ports hold back, instruction by instruction.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "probes/draw.h"
#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int length = 20;
constexpr int values = 16;        // R40 to R55
constexpr int accumulators = 16;  // R8 to R23

struct Kind {
  const char* name;
  std::uint32_t streams;
  bool drawn_stalls;  // one to three; else one
  bool kept;          // each source is the one before in half of all cases, and has a reuse flag in half
  int sum_slot;       // the source that is an earlier result, or -1
  int distance;
};
constexpr Kind kinds[] = {
    {"values", 48, false, false, -1, 0},
    {"values, stalls drawn", 24, true, false, -1, 0},
    {"kept", 24, false, true, -1, 0},
    {"third source 4 back", 24, false, false, 2, 4},
    {"first source 4 back", 24, false, false, 0, 4},
    {"second source 4 back", 12, false, false, 1, 4},
    {"third source 5 back", 12, false, false, 2, 5},
};

struct Instruction {
  int stall_count;
  std::string text;
  std::string shown;  // banks by slot, a reuse flag as '*', a stall count
};

std::vector<Instruction> stream_of(const Kind& kind, std::uint32_t seed) {
  std::vector<Instruction> stream;
  Draw draws(seed);
  std::array<int, 3> previous{};
  for (int i = 0; i < length; ++i) {
    std::array<int, 3> source{};
    for (std::size_t slot = 0; slot < source.size(); ++slot) {
      bool again = true;
      while (again) {
        const bool repeat = kind.kept && i > 0 && draws.below(2) == 0;
        source[slot] = repeat ? previous[slot] : 40 + static_cast<int>(draws.below(values));
        again = false;
        for (std::size_t other = 0; other < slot; ++other) again |= source[other] == source[slot];
      }
    }
    previous = source;
    // A result's register has the bank that its stream drew for it.
    const auto result = [&](int at) { return 8 + (at + accumulators * length) % accumulators; };
    if (kind.sum_slot >= 0) source[static_cast<std::size_t>(kind.sum_slot)] = result(i - kind.distance);
    Instruction instruction{kind.drawn_stalls ? 1 + static_cast<int>(draws.below(3)) : 1, "FFMA " + reg(result(i)), ""};
    for (const int r : source) {
      const bool keep = kind.kept && draws.below(2) == 0;
      instruction.text += ", " + reg(r) + (keep ? ".reuse" : "");
      instruction.shown += (r % 2 != 0 ? "O" : "E") + std::string(keep ? "*" : "");
    }
    instruction.shown += std::to_string(instruction.stall_count);
    stream.push_back(std::move(instruction));
  }
  return stream;
}

SassKernel prefix_kernel(int sm, const std::string& name, const std::vector<Instruction>& stream, std::size_t count) {
  Program p(sm);
  p.begin();
  for (int i = 40; i < 40 + values; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  for (int i = 8; i < 8 + accumulators; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  p.only_warps_of_mask();
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(120);
    p.start_clock();
    for (std::size_t i = 0; i < count; ++i) p.op(stall(stream[i].stall_count), stream[i].text);
    p.end_clock();
    p.idle(60);
  });
  p.finish();
  return p.kernel(name, 0, 1);
}

void measure(Bench& bench, Findings& findings) {
  for (const Kind& kind : kinds) {
    for (std::uint32_t seed = 1; seed <= kind.streams; ++seed) {
      const std::vector<Instruction> stream = stream_of(kind, seed);
      std::vector<SassKernel> kernels;
      for (std::size_t count = 1; count <= stream.size(); ++count)
        kernels.push_back(prefix_kernel(bench.facts().sm, "prefix" + std::to_string(count), stream, count));
      SassModule module(bench, kernels);
      std::string shown;
      for (const Instruction& instruction : stream) shown += (shown.empty() ? "" : " ") + instruction.shown;
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        SassArguments arguments;
        arguments.warps = 1;
        arguments.a = 1;
        findings.sample(std::string(kind.name) + ", draw " + std::to_string(seed) + ": " + shown, "instructions", "cycles",
                        static_cast<double>(i + 1), module.run(kernels[i].name, arguments).cycles(0));
      }
    }
  }
}

}  // namespace

extern const Probe register_timelines{"registers.timelines",
                                      "when each of a stream of FFMAs with registers drawn at random issues",
                                      "Jia2018 figure 3.8",
                                      70,
                                      measure,
                                      nullptr};

}  // namespace warpgauge::probes
