// Latency against offered bandwidth: the load is set by how many SMs and warps read or write as fast as they
// can.
#include <algorithm>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;
constexpr std::uint64_t gib = 1024 * mib;

struct Load {
  std::uint32_t sms, warps;  // that take part, the chase's own SM aside
};

std::vector<Load> loads(const TargetFacts& facts) {
  const auto most = static_cast<std::uint32_t>(facts.sm_count) - 1;
  std::vector<Load> list = {{0, 1}};
  if (facts.simulated) {
    for (const Load load : {Load{most / 4, 8}, {most, 1}, {most, 2}, {most, 4}, {most, 8}, {most, 16}})
      list.push_back(load);
    return list;
  }
  for (const std::uint32_t sms : {1U, 2U, 4U, 8U, 16U, 24U, 33U, 48U, 66U, 84U, 99U, 115U, most}) {
    if (sms > most || (sms == most && list.back().sms == most)) continue;
    for (const std::uint32_t warps : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 24U, 32U})
      list.push_back({sms, warps});
  }
  list.push_back({most, 64});
  return list;
}

struct Level {
  const char* name;
  std::uint64_t region;  // that the load walks
  std::uint64_t slots;   // of the chase
  std::uint64_t stride;  // between them
};

void measure(Bench& bench, Findings& findings) {
  const TargetFacts& facts = bench.facts();
  const auto sms = static_cast<std::uint32_t>(facts.sm_count);
  const std::uint64_t large = std::min<std::uint64_t>(4 * gib, facts.memory_bytes / 4);
  const Buffer memory = bench.allocate(large);
  const Buffer out = bench.allocate((4 + std::uint64_t{2} * (2 * sms + 2)) * 8);
  const std::uint64_t window = facts.simulated ? 12000 : 400000;
  if (!facts.simulated) memory.fill(0);
  const Level levels[] = {
      {"L2", facts.simulated ? 2 * mib : facts.l2_bytes / 4, facts.simulated ? 32U : 2048U, 128},
      {"DRAM", large, facts.simulated ? 4096U : 60000U, 16384 + 128}};
  for (const Level& level : levels) {
    const Buffer ring = bench.allocate(level.slots * level.stride);
    const auto order = random_order(level.slots, level.stride, 7);
    // Written by the host, so that no cache of a simulated device holds it; on a GPU filling the region
    // drives it out.
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint64_t next = ring.address() + order[i + 1 == order.size() ? 0 : i + 1];
      bench.target().write(ring.address() + order[i], std::as_bytes(std::span(&next, 1)));
    }
    const bool in_l2 = level.region <= facts.l2_bytes;
    std::size_t chased = 0;
    for (const char* mix : {"reads", "writes", "mixed"}) {
      for (const Load& load : loads(facts)) {
        if (!in_l2 && !facts.simulated) memory.fill(0);
        out.fill(0);
        const std::uint32_t blocks_an_sm = load.warps > 32 ? 2 : 1;
        // Shared memory keeps a second block off the SM, or a third.
        const std::uint32_t shared =
            std::min(facts.shared_bytes_per_block_optin, facts.shared_bytes_per_sm / blocks_an_sm * 3 / 4);
        const std::uint32_t blocks = blocks_an_sm == 2 ? 2 * sms : 1 + load.sms;
        bench.run(bench.kernel("load", std::string("load_") + mix), {blocks},
                  {load.warps / blocks_an_sm * 32},
                  Parameters()
                      .add(out.address())
                      .add(ring.address() + order[chased % order.size()])
                      .add(memory.address())
                      .add(level.region)
                      .add(window)
                      .add(static_cast<std::uint32_t>(in_l2 ? level.slots / 4 : 0))
                      .add(std::uint32_t{in_l2 ? 2U : 0U}),
                  shared);
        const auto words = out.read<std::uint64_t>(4 + std::size_t{2} * blocks);
        chased += words[1];
        double rate = 0;
        for (std::uint32_t b = 1; b < blocks; ++b) {
          if (words[5 + 2 * b] > 0)
            rate += static_cast<double>(words[4 + 2 * b]) / static_cast<double>(words[5 + 2 * b]);
        }
        if (words[1] == 0) throw ProbeRefusal("the chase took no step within the window");
        const double latency = static_cast<double>(words[0]) / static_cast<double>(words[1]);
        const std::string of = std::string(level.name) + ", " + mix;
        findings.sample(of + ": latency against load", "bytes/cycle", "cycles", rate, latency);
        findings.sample(of + ", " + std::to_string(load.warps) + " warps: load against SMs", "SMs",
                        "bytes/cycle", load.sms, rate);
        findings.sample(of + ", " + std::to_string(load.warps) + " warps: latency against SMs", "SMs",
                        "cycles", load.sms, latency);
      }
    }
  }
}

}  // namespace

extern const Probe memory_load_curve{
    "memory.load_curve",
    "Latency of L2 and DRAM against the bandwidth that SMs and warps ask for, by mix",
    "latency under load",
    70,
    measure,
    nullptr};

}  // namespace warpgauge::probes
