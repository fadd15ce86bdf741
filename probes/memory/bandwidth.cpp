// Bandwidth of L2 and DRAM, latency under load, loads in flight.
#include <algorithm>
#include <cmath>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/records.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;
constexpr std::uint64_t gib = 1024 * mib;
constexpr const char* dealt_l2 = "L2 by the share of reads, blocks dealt out, by events";
constexpr const char* dealt_dram = "DRAM by the share of reads, blocks dealt out, by events";

// Bytes that `stream_*` moves in one round.
std::uint64_t streamed(std::uint64_t bytes, std::uint32_t blocks, std::uint32_t threads) {
  const std::uint64_t step = std::uint64_t{8} * blocks * threads * 16;
  return bytes / step * step;
}

void measure_stream(Bench& bench, Findings& findings, const std::string& label, const std::string& kernel,
                    const Buffer& memory, std::uint64_t bytes, std::uint32_t blocks, std::uint32_t threads,
                    std::uint32_t rounds, double x, const std::string& x_unit) {
  const Buffer out = bench.allocate(std::uint64_t{blocks} * 40);
  const auto parameters = [&](std::uint32_t r) {
    return Parameters().add(out.address()).add(memory.address()).add(bytes).add(r);
  };
  const FunctionId function = bench.kernel("stream", kernel);
  bench.run(function, {blocks}, {threads}, parameters(1));
  const double seconds = bench.run(function, {blocks}, {threads}, parameters(rounds));
  const Span span = span_of(block_records(out, blocks));
  const double moved = static_cast<double>(streamed(bytes, blocks, threads)) * rounds;
  findings.sample(label, x_unit, "bytes/cycle", x, moved / span.cycles);
  findings.sample(label + ", by the timer", x_unit, "GB/s", x, moved / span.nanoseconds);
  findings.sample(label + ", by events", x_unit, "GB/s", x, moved / seconds / 1e9);
  findings.sample(label + ", SM clock", x_unit, "MHz", x, span.mhz);
}

// Streams whose blocks are dealt out as SMs become free and walk `window` bytes again and again: of `every` blocks one reads with
// `reads` of its eight accesses.
struct Dealt {
  std::uint64_t window;
  int reads = 8;
  std::uint32_t every = 1;
  // What share of the accesses are reads.
  [[nodiscard]] double share() const {
    const double rarer = std::min(reads, 8 - reads) / 8.0 / every;
    return reads >= 4 ? 1 - rarer : rarer;
  }
};

// Their GB/s, from what `bytes` take longer than a quarter of them: neither the launch nor what the L2 holds at the end is in it.
double rate_of_dealt(Bench& bench, const Buffer& from, const Buffer& to, std::uint64_t bytes, const Dealt& dealt) {
  const Buffer out = bench.allocate(8);
  const FunctionId function =
      bench.kernel("stream", "dealt_" + std::to_string(dealt.reads) + "_" + std::to_string(8 - dealt.reads));
  constexpr std::uint32_t threads = 256;
  constexpr std::uint64_t block = threads * 8 * 16;
  const auto seconds = [&](std::uint64_t all) {
    return bench.run(function, {static_cast<std::uint32_t>(all / block)}, {threads},
                     Parameters()
                         .add(out.address())
                         .add(from.address())
                         .add(to.address())
                         .add(static_cast<std::uint32_t>(dealt.window / block))
                         .add(dealt.every));
  };
  seconds(bytes / 4);
  const double few = seconds(bytes / 4);
  const double many = seconds(bytes);
  return static_cast<double>(bytes - bytes / 4) / (many - few) / 1e9;
}

void measure_shares(Bench& bench, Findings& findings, const char* label, const Buffer& from, const Buffer& to, std::uint64_t bytes,
                    const Dealt& dealt) {
  findings.sample(label, "share", "GB/s", dealt.share(), rate_of_dealt(bench, from, to, bytes, dealt));
}

void measure_l2_bandwidth(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const Buffer memory = bench.allocate(256 * mib);
  memory.fill(0);
  const std::uint64_t fits = bench.facts().l2_bytes / 4 / mib * mib;
  const Buffer others = bench.allocate(fits);
  if (bench.facts().simulated) {
    // Each SM walks as much as with all of them; the first, untimed run brings it into the L2.
    for (const std::uint32_t blocks : {1U, sms}) {
      const std::uint64_t bytes = std::uint64_t{blocks} * 8 * 1024 * 16;
      measure_stream(bench, findings, "L2 read against SMs", "stream_8_0", memory, bytes, blocks, 1024, 6, blocks, "SMs");
    }
    for (int reads = 0; reads <= 8; reads += 2) measure_shares(bench, findings, dealt_l2, memory, others, 8 * fits, {fits, reads});
    return;
  }
  for (const std::uint32_t blocks : {1U, 2U, 4U, 8U, 16U, 33U, 66U, 99U, sms}) {
    if (blocks > sms) continue;
    const std::uint64_t step = std::uint64_t{8} * blocks * 1024 * 16;
    measure_stream(bench, findings, "L2 read against SMs", "stream_8_0", memory, std::max(fits, step), blocks, 1024,
                   std::max(2U, 128 * blocks / sms), blocks, "SMs");
  }
  for (const std::uint64_t bytes : {2 * mib, 4 * mib, 8 * mib, 16 * mib, 24 * mib, 32 * mib, 40 * mib, 48 * mib, 56 * mib, 64 * mib,
                                    96 * mib, 128 * mib, 256 * mib}) {
    findings.sample("read against footprint, blocks dealt out, by events", "bytes", "GB/s", static_cast<double>(bytes),
                    rate_of_dealt(bench, memory, others, 4 * gib, {bytes}));
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (int reads = 0; reads <= 8; ++reads) measure_shares(bench, findings, dealt_l2, memory, others, 4 * gib, {fits, reads});
  }
}

void measure_dram_bandwidth(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  if (bench.facts().simulated) {
    const std::uint64_t enough = 4 * bench.facts().l2_bytes / mib * mib;
    const Buffer some = bench.allocate(enough);
    const Buffer others = bench.allocate(enough);
    for (const int reads : {8, 7, 4, 1, 0}) measure_shares(bench, findings, dealt_dram, some, others, enough, {enough, reads});
    return;
  }
  const std::uint64_t bytes = std::min<std::uint64_t>(4 * gib, bench.facts().memory_bytes / 4 / mib * mib);
  const Buffer memory = bench.allocate(bytes);
  const Buffer others = bench.allocate(bytes);
  memory.fill(0);
  others.fill(0);
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const std::uint32_t every : {1U, 4U, 16U}) {
      for (int reads = 0; reads <= 8; ++reads) {
        if (every == 1 || reads == 1 || reads == 7) measure_shares(bench, findings, dealt_dram, memory, others, bytes, {bytes, reads, every});
      }
    }
  }
  for (int reads = 0; reads <= 8; ++reads) {
    measure_stream(bench, findings, "DRAM against the share of reads",
                   "stream_" + std::to_string(reads) + "_" + std::to_string(8 - reads), memory, bytes, 2 * sms, 1024, 1,
                   reads / 8.0, "share");
  }
  for (const std::uint32_t blocks : {1U, 4U, 16U, 33U, 66U, sms}) {
    if (blocks > sms) continue;
    measure_stream(bench, findings, "DRAM read against SMs", "stream_8_0", memory, bytes / 8, blocks, 1024, 1, blocks, "SMs");
  }
  for (const std::uint32_t threads : {32U, 64U, 128U, 256U, 512U, 1024U}) {
    measure_stream(bench, findings, "DRAM read against threads an SM", "stream_8_0", memory, bytes / 4, sms, threads, 1,
                   threads, "threads");
  }
}

void conclude_l2_bandwidth(const TargetFacts&, Findings& findings) {
  report_median_at(findings, "l2.sm_read_bytes_per_cycle", calib::Unit::bytes_per_cycle, "L2 read against SMs", 1);
  report_median_at(findings, "l2.read_bandwidth", calib::Unit::GB_per_s, dealt_l2, 1);
}

void conclude_dram_bandwidth(const TargetFacts& facts, Findings& findings) {
  report_largest(findings, "dram.measured_bandwidth", calib::Unit::GB_per_s, dealt_dram);
  const auto bus = facts.attributes.find("cu_device_attribute_37");  // width of the memory's bus, bits
  if (bus == facts.attributes.end() || facts.memory_clock_mhz == 0) return;
  const double peak = facts.memory_clock_mhz * 2 * static_cast<double>(bus->second) / 8 / 1000;  // two transfers a clock
  findings.figure("dram.peak_bandwidth", peak, calib::Unit::GB_per_s, 0, 1, "");
  constexpr std::pair<const char*, double> shares[] = {{"dram.read_efficiency", 1},
                                                       {"dram.read_mix_efficiency", 0.875},
                                                       {"dram.mixed_efficiency", 0.5},
                                                       {"dram.write_mix_efficiency", 0.125},
                                                       {"dram.write_efficiency", 0}};
  for (const auto& [key, share] : shares) {
    std::vector<double> percent = values_at(findings.at(dealt_dram), share);
    for (double& value : percent) value *= 100 / peak;
    const calib::Estimate estimate = calib::estimate_median(percent);
    findings.figure(key, estimate.value, calib::Unit::percent, estimate.half_width(), estimate.samples, dealt_dram);
  }
}

void measure_loaded(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const std::uint64_t region = std::min<std::uint64_t>(4 * gib, bench.facts().memory_bytes / 4);
  const Buffer memory = bench.allocate(region);
  memory.fill(0);
  const Buffer ring = bench.allocate(1 * gib);
  const Buffer out = bench.allocate((4 + std::uint64_t{6} * sms) * 8);
  const std::uint64_t fits = bench.facts().l2_bytes / 4;
  for (const auto& [level, bytes, stride] :
       {std::tuple{"L2", fits, std::uint64_t{128}}, {"DRAM", region, std::uint64_t{16384 + 128}}}) {
    const std::uint64_t count = std::string_view(level) == "L2" ? 4096 : 60000;
    const auto order = random_order(count, stride, 7);
    bench.make_ring(ring, order);
    for (const std::uint32_t pause : {100000U, 20000U, 10000U, 5000U, 3000U, 2000U, 1500U, 1200U, 1000U, 800U, 600U, 400U, 200U, 0U}) {
      out.fill(0);
      if (bytes == region) memory.fill(0);  // the ring was written through L2: drive it out
      bench.run(bench.kernel("stream", "loaded_latency"), {sms}, {1024},
                Parameters()
                    .add(out.address())
                    .add(ring.address() + order[0])
                    .add(memory.address())
                    .add(bytes)
                    .add(std::uint64_t{1000000})
                    .add(pause));
      const auto words = out.read<std::uint64_t>(4 + 6 * sms);
      double total = 0;
      for (std::uint32_t b = 1; b < sms; ++b) total += static_cast<double>(words[4 + 5 * sms + b]);
      findings.sample(std::string(level) + " latency against load", "bytes/cycle", "cycles", total / 1e6,
                      static_cast<double>(words[0]) / static_cast<double>(std::max<std::uint64_t>(1, words[1])));
    }
  }
}

void measure_in_flight(Bench& bench, Findings& findings) {
  const Buffer memory = bench.allocate(64 * mib);
  memory.fill(0);
  const Buffer out = bench.allocate(64 * 16);
  for (const std::uint32_t through_l1 : {0U, 1U}) {
    for (const std::uint32_t stride : {32U, 128U}) {
      for (const int loads : {1, 2, 4, 8, 16}) {
        for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 12U, 16U, 24U, 32U}) {
          // The burst must find its lines in L2: read them all once through a stream.
          const std::uint64_t bytes = std::uint64_t{2} * warps * 32 * static_cast<std::uint64_t>(loads) * stride;
          const Buffer records = bench.allocate(40 * 8);
          constexpr std::uint64_t step = 8 * 8 * 256 * 16;  // of eight blocks of 256 threads
          bench.run(bench.kernel("stream", "stream_8_0"), {8}, {256},
                    Parameters().add(records.address()).add(memory.address()).add((bytes + step - 1) / step * step).add(std::uint32_t{1}));
          bench.run(bench.kernel("stream", "burst_" + std::to_string(loads)), {1}, {warps * 32},
                    Parameters().add(out.address()).add(memory.address()).add(stride).add(through_l1));
          const auto records_of_warps = warp_records(out, warps);
          findings.sample(std::string("burst of loads, ") + (through_l1 != 0 ? "through L1" : "past L1") + ", stride " +
                              std::to_string(stride) + ", " + std::to_string(loads) + " a thread",
                          "loads", "cycles", static_cast<double>(warps) * 32 * loads, span_of(records_of_warps));
        }
      }
    }
  }
}

}  // namespace

extern const Probe l2_bandwidth{"l2.bandwidth", "Bytes a cycle from L2 by number of SMs, footprint, and mix",
                                "Jia2018 table 3.4", 70, measure_l2_bandwidth, conclude_l2_bandwidth};
extern const Probe dram_bandwidth{"dram.bandwidth", "Bytes a cycle from DRAM by mix of reads and writes",
                                  "Jia2018 section 3.7, figure 3.11", 70, measure_dram_bandwidth, conclude_dram_bandwidth};
extern const Probe memory_loaded{"memory.loaded", "Latency of L2 and DRAM under load", "latency under load", 70,
                                 measure_loaded, nullptr};
extern const Probe l1_in_flight{"l1.in_flight", "How many loads of an SM can be under way", "misses in flight", 70,
                                measure_in_flight, nullptr};

}  // namespace warpgauge::probes
