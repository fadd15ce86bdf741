// The texture path: a chase whose texels hit, and one whose texels come from memory (Arafa2019 figure 6b).
#include "probes/bench.h"
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
  const auto chase = [&](const std::vector<std::uint64_t>& order, std::uint32_t warm, std::uint32_t rounds) {
    make_ring(bench, memory, order);
    bench.run(bench.kernel("texture", "chase_texture"), {}, {},
              Parameters()
                  .add(out.address())
                  .add(texture)
                  .add(static_cast<std::uint32_t>(order[0] / texel))
                  .add(warm)
                  .add(rounds));
    const auto words = out.read<std::uint64_t>(2);
    return static_cast<double>(words[0]) / static_cast<double>(words[1]);
  };
  for (const std::uint64_t bytes : {1024, 4096, 16384, 65536, 131072, 196608, 262144, 524288, 1048576}) {
    const auto lines = bytes / 128;
    findings.sample("texture latency against footprint", "bytes", "cycles", static_cast<double>(bytes),
                    chase(random_order(lines, 128, bytes), static_cast<std::uint32_t>(lines / 8 + 8),
                          static_cast<std::uint32_t>(lines / 16 + 16)));
  }
  // Lines that nothing has read since the fill of a larger region drove them out.
  const Buffer flush = bench.allocate(std::max<std::uint64_t>(4 * bench.facts().l2_bytes, 64 * mib));
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto order = random_order(4096, 16384 + 128, static_cast<std::uint64_t>(repeat));
    make_ring(bench, memory, order);
    flush.fill(static_cast<std::uint8_t>(repeat));
    bench.run(bench.kernel("texture", "chase_texture"), {}, {},
              Parameters()
                  .add(out.address())
                  .add(texture)
                  .add(static_cast<std::uint32_t>(order[0] / texel))
                  .add(std::uint32_t{4})
                  .add(std::uint32_t{128}));
    const auto words = out.read<std::uint64_t>(2);
    findings.sample("texture latency of lines in memory", "repetition", "cycles", repeat,
                    static_cast<double>(words[0]) / static_cast<double>(words[1]));
  }
}

void conclude(const TargetFacts&, Findings& findings) {
  const std::string hits = "texture latency against footprint";
  report_median_at(findings, "l1.texture_hit_latency", calib::Unit::cycles, hits, 4096);
  report_median(findings, "l1.texture_miss_latency", calib::Unit::cycles,
                "texture latency of lines in memory");
}

}  // namespace

extern const Probe texture_latency{"texture.latency",
                                   "Latency of texture fetches that hit and that go to memory",
                                   "Arafa2019 figure 6b",
                                   70,
                                   measure,
                                   conclude};

}  // namespace warpgauge::probes
