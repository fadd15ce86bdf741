// Warps that spin on a flag in global memory: their rate, and when they see that it has changed.
#include <algorithm>
#include <string>

#include "probes/bench.h"
#include "probes/each_sm.h"
#include "probes/probe.h"
#include "probes/records.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;

void measure_rate(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const Buffer flags = bench.allocate(mib);
  const Buffer out = bench.allocate(std::uint64_t{sms} * 32 * 16);
  flags.fill(0);
  constexpr std::uint32_t polls = 32;
  const auto cycles = [&](const std::string& kernel, std::uint32_t blocks, std::uint32_t warps,
                          std::uint32_t stride, std::uint32_t block_stride) {
    bench.run(bench.kernel("spin", kernel), {blocks}, {warps * 32},
              Parameters().add(out.address()).add(flags.address()).add(stride).add(block_stride).add(polls));
    double total = 0;
    const auto records = warp_records(out, std::size_t{blocks} * warps);
    for (const WarpRecord& warp : records) total += static_cast<double>(warp.end - warp.start);
    return total / static_cast<double>(records.size()) / polls;
  };
  for (const char* kind : {"volatile", "relaxed", "acquire"}) {
    const std::string kernel = std::string("poll_") + kind;
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, 32U}) {
      findings.sample(std::string("cycles of a poll against warps of one SM, one flag, ") + kind, "warps",
                      "cycles", warps, cycles(kernel, 1, warps, 0, 0));
      findings.sample(std::string("cycles of a poll against warps of one SM, each its line, ") + kind,
                      "warps", "cycles", warps, cycles(kernel, 1, warps, 128, 0));
    }
    for (const std::uint32_t blocks : {2U, 8U, 32U, sms}) {
      for (const std::uint32_t warps : {1U, 8U}) {
        if (bench.facts().simulated && blocks == sms && warps > 1) continue;
        findings.sample(std::string("cycles of a poll against SMs, one flag, ") + std::to_string(warps) +
                            " warps each, " + kind,
                        "SMs", "cycles", blocks, cycles(kernel, blocks, warps, 0, 0));
        findings.sample(std::string("cycles of a poll against SMs, each its line, ") + std::to_string(warps) +
                            " warps each, " + kind,
                        "SMs", "cycles", blocks, cycles(kernel, blocks, warps, 0, 256));
      }
    }
  }
}

void measure_seen(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const Buffer flag = bench.allocate(4096);
  const Buffer out = bench.allocate(4096);
  for (const char* kind : {"volatile", "acquire"}) {
    // Of the writer's own SM, by its clock.
    for (const std::uint32_t warps : {2U, 4U, 8U, 16U, 32U}) {
      for (const std::uint32_t blocks : {1U, sms}) {
        if (blocks > 1 && bench.facts().simulated && warps > 4) continue;
        for (int repeat = 0; repeat < 3; ++repeat) {
          flag.fill(0);
          bench.run(bench.kernel("spin", std::string("seen_") + kind), {blocks}, {warps * 32},
                    Parameters()
                        .add(out.address())
                        .add(flag.address())
                        .add(std::uint32_t{20000U + 37U * static_cast<std::uint32_t>(repeat)}));
          const auto words = out.read<std::uint64_t>(2 * std::size_t{warps});
          double total = 0, most = 0;
          for (std::uint32_t w = 1; w < warps; ++w) {
            const auto later = static_cast<double>(words[2 * w] - words[0]);
            total += later;
            most = std::max(most, later);
          }
          const std::string of =
              std::string(", ") + kind + (blocks == 1 ? ", one SM spins" : ", all SMs spin");
          findings.sample("from a store to when the mean warp has seen it" + of, "warps", "cycles", warps,
                          total / (warps - 1));
          findings.sample("from a store to when the last warp has seen it" + of, "warps", "cycles", warps,
                          most);
          findings.sample("cycles of the store itself" + of, "warps", "cycles", warps,
                          static_cast<double>(words[1] - words[0]));
        }
      }
    }
    // From SM to SM and back.
    for (const auto& [blocks, warps] : {std::pair{2U, 1U}, {2U, 8U}, {8U, 8U}, {32U, 8U}}) {
      if (blocks > sms || (bench.facts().simulated && blocks > 8)) continue;
      constexpr std::uint32_t rounds = 32;
      flag.fill(0);
      bench.run(
          bench.kernel("spin", std::string("ping_pong_") + kind), {blocks}, {warps * 32},
          Parameters().add(out.address()).add(flag.address()).add(rounds),
          shared_bytes_of_one_block_an_sm(bench.facts()));
      const auto words = out.read<std::uint64_t>(4);
      findings.sample(std::string("cycles of a hand-over between two SMs against warps that spin, ") + kind,
                      "warps", "cycles", blocks * warps,
                      static_cast<double>(words[1] - words[0]) / (2 * rounds));
    }
  }
}

}  // namespace

extern const Probe spin_rate{"spin.rate",
                             "How often warps can ask for a flag in global memory",
                             "flags in global memory",
                             70,
                             measure_rate,
                             nullptr};
extern const Probe spin_seen{"spin.seen",
                             "When a store to a flag is seen by warps that spin on it",
                             "flags in global memory",
                             70,
                             measure_seen,
                             nullptr};

}  // namespace warpgauge::probes
