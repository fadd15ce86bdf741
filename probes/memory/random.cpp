// Loads of places that lie nowhere near each other: how many lines the L1's tags hold, and what the rows of
// the device's memory give.
#include <algorithm>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;

void measure_scattered(Bench& bench, Findings& findings) {
  const Buffer memory = bench.allocate(16 * mib);
  const Buffer out = bench.allocate(64);
  memory.fill(0);
  for (const bool drawn : {false, true}) {
    for (const std::uint32_t lines : {256U, 512U, 768U, 1024U, 1280U, 1536U, 1664U, 1792U, 2048U, 2560U}) {
      if (bench.facts().simulated && lines % 512 != 0) continue;
      bench.run(bench.kernel("random", "scattered"), {}, {32},
                Parameters()
                    .add(out.address())
                    .add(memory.address())
                    .add(lines)
                    .add(3 * lines)
                    .add(4 * lines)
                    .add(std::uint32_t{drawn ? 1U : 0U}),
                0, 0);
      findings.sample(std::string("cycles of a load of scattered lines, ") + (drawn ? "drawn" : "in order"),
                      "lines", "cycles", lines,
                      static_cast<double>(out.read<std::uint64_t>(1)[0]) / (4.0 * lines));
    }
  }
}

void measure_random(Bench& bench, Findings& findings) {
  const TargetFacts& facts = bench.facts();
  const auto sms = static_cast<std::uint32_t>(facts.sm_count);
  const std::uint64_t bytes = std::min<std::uint64_t>(1024 * mib, facts.memory_bytes / 4);
  const Buffer memory = bench.allocate(bytes);
  const Buffer out = bench.allocate((1 + std::uint64_t{sms}) * 8);
  const std::uint32_t steps = facts.simulated ? 12 : 40;
  for (const std::uint32_t lanes : {1U, 4U, 32U}) {
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, 32U}) {
      if (facts.simulated && (warps == 2 || warps == 8 || warps * lanes > 256)) continue;
      for (int repeat = 0; repeat < (facts.simulated ? 1 : 3); ++repeat) {
        if (!facts.simulated) memory.fill(0);  // drives out what was loaded before
        bench.run(bench.kernel("random", "sectors"), {sms}, {warps * 32},
                  Parameters()
                      .add(out.address())
                      .add(memory.address())
                      .add(static_cast<std::uint32_t>(bytes / 32))
                      .add(steps)
                      .add(lanes));
        const auto cycles = out.read<std::uint64_t>(1 + sms);
        double sum = 0;
        for (std::uint32_t b = 1; b <= sms; ++b) sum += static_cast<double>(cycles[b]);
        const double step = sum / sms / steps;
        const std::string of = std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes");
        findings.sample("cycles of a load of random sectors, " + of, "warps", "cycles", warps, step);
        findings.sample("random sectors loaded, " + of, "warps", "sectors/cycle", warps,
                        static_cast<double>(sms) * warps * lanes / step);
      }
    }
  }
}

}  // namespace

extern const Probe l1_scattered{
    "l1.scattered",
    "How many scattered lines the L1 holds, by how long walking through them takes",
    "sets and ways of the tags",
    70,
    measure_scattered,
    nullptr};
extern const Probe memory_random{
    "memory.random",
    "Latency of random sectors of the device's memory against how many are under way",
    "rows and banks of the memory",
    70,
    measure_random,
    nullptr};

}  // namespace warpgauge::probes
