// The texture path: a chase whose texels hit, and one whose texels come from memory (Arafa2019 figure 6b).
#include "probes/bench.h"
#include "probes/each_sm.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;
constexpr std::uint32_t texel = 4;

// A ring of texels in the order given, in bytes.
void make_ring(Bench& bench, const Buffer& memory, const std::vector<std::uint64_t>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(order[i + 1 == order.size() ? 0 : i + 1] / texel);
    bench.target().write(memory.address() + order[i], std::as_bytes(std::span(&next, 1)));
  }
}

constexpr const char* memory_by_sm = "texture latency of lines in memory, by SM";

void measure(Bench& bench, Findings& findings) {
  const Buffer memory = bench.allocate(256 * mib);
  const Buffer out = bench.allocate(4096 * 8 + 64);
  std::uint64_t texture = 0;
  try {
    texture = bench.target().make_texture(memory.address(), memory.size() / texel);
  } catch (const TargetError& why) {
    throw ProbeRefusal(why.what());
  }
  memory.fill(0);
  // One SM's chase from a place of the ring that is in memory.
  const auto chase = [&](std::uint64_t first, std::uint32_t warm, std::uint32_t rounds, std::uint32_t sm) {
    return step_on(bench, bench.kernel("texture", "chase_texture"),
                   Parameters()
                       .add(out.address())
                       .add(texture)
                       .add(static_cast<std::uint32_t>(first / texel))
                       .add(warm)
                       .add(rounds),
                   out, sm);
  };
  for (const std::uint64_t bytes : {1024, 4096, 16384, 65536, 131072, 196608, 262144, 524288, 1048576}) {
    const auto lines = bytes / 128;
    const auto order = random_order(lines, 128, bytes);
    make_ring(bench, memory, order);
    const auto cycles = chase(order[0], static_cast<std::uint32_t>(lines / 8 + 8),
                              static_cast<std::uint32_t>(lines / 16 + 16), any_sm);
    if (!cycles) throw ProbeRefusal("the chase left no record");
    findings.sample("texture latency against footprint", "bytes", "cycles", static_cast<double>(bytes), *cycles);
  }
  // Lines that nothing has read since the fill of a larger region drove them out.
  const Buffer flush = bench.allocate_flush();
  const auto order = random_order(4096, 16384 + 128, 0);
  make_ring(bench, memory, order);
  sample_each_sm(bench.facts(), findings, memory_by_sm, "cycles", [&](std::uint32_t sm) {
    flush.fill(static_cast<std::uint8_t>(sm));
    return chase(order[(sm * std::uint64_t{61}) % order.size()], 4, 64, sm);
  });
}

void conclude(const TargetFacts&, Findings& findings) {
  const std::string hits = "texture latency against footprint";
  report_median_at(findings, "l1.texture_hit_latency", calib::Unit::cycles, hits, 4096);
  report_over_sms(findings, "l1.texture_miss_latency", calib::Unit::cycles, memory_by_sm);
}

}  // namespace

extern const Probe texture_latency{"texture.latency",
                                   "Latency of texture fetches that hit and that go to memory",
                                   "Arafa2019 figure 6b",
                                   70,
                                   measure,
                                   conclude};

}  // namespace warpgauge::probes
