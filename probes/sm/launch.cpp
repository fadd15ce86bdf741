// Launch, block placement, barriers, fences, warps and their schedulers, clocks under load.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "probes/bench.h"
#include "probes/each_sm.h"
#include "probes/probe.h"
#include "probes/records.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

void measure_empty(Bench& bench, Findings& findings) {
  const FunctionId empty = bench.kernel("launch", "empty");
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  for (const std::uint32_t blocks : {1U, sms, 8 * sms, 32 * sms, 128 * sms, 1024 * sms}) {
    for (const std::uint32_t threads : {32U, 1024U}) {
      for (int repeat = 0; repeat < 5; ++repeat) {
        findings.sample("time of an empty kernel of " + std::to_string(threads) + " threads against blocks", "blocks", "ns", blocks,
                        bench.run(empty, {blocks}, {threads}, Parameters()) * 1e9);
      }
    }
  }
  Launch launch;
  launch.function = empty;
  for (const std::size_t count : {1, 2, 10, 100, 1000}) {
    const std::vector<Launch> many(count, launch);
    for (int repeat = 0; repeat < 3; ++repeat) {
      findings.sample("time of empty kernels against their number", "kernels", "ns", static_cast<double>(count),
                      bench.target().run(many) * 1e9);
    }
  }
}

void conclude_empty(const TargetFacts&, Findings& findings) {
  const calib::Series& row = findings.at("time of empty kernels against their number");
  findings.figure("launch.host_launch", slope_from(row, 10), calib::Unit::ns, 0, row.x.size(), row.label);
}

void measure_placement(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const auto record = [&](const std::string& label, std::uint32_t blocks, std::uint32_t threads, std::uint64_t spin) {
    const Buffer out = bench.allocate(std::uint64_t{blocks} * 40);
    bench.run(bench.kernel("launch", "place"), {blocks}, {threads}, Parameters().add(out.address()).add(spin));
    const auto records = block_records(out, blocks);
    std::uint64_t first = records[0].timer_start;
    for (const BlockRecord& block : records) first = std::min(first, block.timer_start);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto b = static_cast<double>(i);
      findings.sample("SM of block, " + label, "block", "SM", b, static_cast<double>(records[i].sm));
      findings.sample("start of block by the timer, " + label, "block", "ns", b, static_cast<double>(records[i].timer_start - first));
      findings.sample("start of block by its SM's clock, " + label, "block", "cycles", b, static_cast<double>(records[i].clock_start % (1ULL << 40)));
      findings.sample("end of block by its SM's clock, " + label, "block", "cycles", b, static_cast<double>(records[i].clock_end % (1ULL << 40)));
    }
  };
  record("one a SM", sms, 1024, 20000);
  record("two a SM", 2 * sms, 1024, 20000);
  record("three waves of two", 6 * sms, 1024, 20000);
  record("small blocks", 4 * sms, 32, 50000);
  record("full of small blocks", 32 * sms, 32, 100000);
  record("short small blocks", 64 * sms, 32, 0);
}

// The timer stands still between its steps: all that it shows are multiples of one.
void conclude_placement(const TargetFacts&, Findings& findings) {
  std::uint64_t step = 0;
  std::uint64_t samples = 0;
  for (const calib::Series& series : findings.result.samples) {
    if (!series.label.starts_with("start of block by the timer")) continue;
    samples += series.y.size();
    for (const double ns : series.y) step = std::gcd(step, static_cast<std::uint64_t>(ns));
  }
  if (step != 0) findings.figure("clocks.globaltimer_step", static_cast<double>(step), calib::Unit::ns, 0, samples, "");
}

void measure_barrier(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  constexpr std::uint32_t rounds = 16;
  for (std::uint32_t warps = 1; warps <= 32; ++warps) {
    bench.run(bench.kernel("launch", "barrier"), {1}, {warps * 32}, Parameters().add(out.address()).add(std::uint32_t{2}).add(rounds));
    double slowest = 0;
    for (const WarpRecord& warp : warp_records(out, warps)) slowest = std::max(slowest, static_cast<double>(warp.end - warp.start));
    findings.sample("cycles of a barrier against warps", "warps", "cycles", warps, slowest / (16.0 * rounds));
  }
}

void conclude_barrier(const TargetFacts&, Findings& findings) {
  const calib::Series& series = findings.at("cycles of a barrier against warps");
  findings.figure("issue.barrier_per_warp", slope(series), calib::Unit::cycles, 0, series.x.size(), series.label);
}

constexpr const char* block_fence = "fence_cta alone against warps";

void measure_fences(Bench& bench, Findings& findings) {
  // Where the warps of a block stand to each other when they come to their fences is another at every launch and SM. A fence of
  // the block does not leave its SM: all of a card are asked, at once.
  const bool all_sms = !bench.facts().simulated;
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  constexpr std::uint32_t most_warps = 32;
  constexpr int launches = 8;
  const Buffer out = bench.allocate(all_sms ? std::uint64_t{sms} * most_warps * sizeof(WarpRecord) : 4096);
  const Buffer memory = bench.allocate(1 << 20);
  const auto slowest_of = [](std::span<const WarpRecord> warps) {
    double slowest = 0;
    for (const WarpRecord& warp : warps) slowest = std::max(slowest, static_cast<double>(warp.end - warp.start));
    return slowest / (4.0 * 16);
  };
  for (const char* fence : {"fence_cta", "fence_gpu", "fence_sys"}) {
    for (const std::uint32_t stores : {0U, 1U}) {
      for (const std::uint32_t warps : {1U, 4U, 8U, 16U, 32U}) {
        const std::string label = std::string(fence) + (stores != 0 ? " after a store" : " alone") + " against warps";
        const bool each = all_sms && label == block_fence;
        std::vector<double> cycles(each ? sms : 1);
        const auto blocks = static_cast<std::uint32_t>(cycles.size());
        for (int launch = 0; launch < (each ? launches : 1); ++launch) {
          bench.run(bench.kernel("launch", fence), {blocks}, {warps * 32},
                    Parameters().add(out.address()).add(memory.address()).add(stores).add(std::uint32_t{2}).add(std::uint32_t{16}),
                    each ? shared_bytes_of_one_block_an_sm(bench.facts()) : 0);
          const auto records = warp_records(out, std::size_t{blocks} * warps);
          for (std::size_t block = 0; block < blocks; ++block)
            cycles[block] += slowest_of(std::span(records).subspan(block * warps, warps)) / (each ? launches : 1);
        }
        for (const double of_block : cycles) findings.sample(label, "warps", "cycles", warps, of_block);
      }
    }
  }
}

// One MEMBAR after the other: with many warps each waits for all others.
void conclude_fences(const TargetFacts&, Findings& findings) {
  const calib::Series& series = findings.at(block_fence);
  constexpr double from = 8, to = 32;
  const calib::Estimate few = calib::bootstrap(values_at(series, from), middle_mean);
  const calib::Estimate many = calib::bootstrap(values_at(series, to), middle_mean);
  findings.figure("issue.membar_interval", (many.value - few.value) / (to - from), calib::Unit::cycles,
                  std::hypot(many.half_width(), few.half_width()) / (to - from), series.x.size(), series.label);
}

void measure_schedulers(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  constexpr std::uint32_t rounds = 16;
  for (std::uint32_t first = 0; first < 4; ++first) {
    for (std::uint32_t second = 0; second < 16; ++second) {
      if (second == first) continue;
      const std::uint64_t mask = 1ULL << first | 1ULL << second;
      bench.run(bench.kernel("launch", "busy_warps"), {1}, {16 * 32},
                Parameters().add(out.address()).add(mask).add(std::uint32_t{2}).add(rounds).add(1.5F).add(0.25F));
      const auto warps = warp_records(out, 16);
      findings.sample("cycles an FFMA of two warps, one of them warp " + std::to_string(first), "other warp", "cycles", second,
                      span_of(std::vector<WarpRecord>{warps[first], warps[second]}) / (64.0 * rounds));
    }
  }
  for (std::uint32_t warps = 1; warps <= 32; ++warps) {
    bench.run(bench.kernel("launch", "busy_warps"), {1}, {warps * 32},
              Parameters().add(out.address()).add(~std::uint64_t{0}).add(std::uint32_t{2}).add(rounds).add(1.5F).add(0.25F));
    findings.sample("FFMAs a cycle of an SM against warps", "warps", "instructions/cycle", warps,
                    warps * 64.0 * rounds / span_of(warp_records(out, warps)));
  }
}

// Warps of one scheduler share its pipe: their FFMAs take twice as long (Jia2018 table 2.1).
void conclude_schedulers(const TargetFacts&, Findings& findings) {
  const calib::Series& series = findings.at("cycles an FFMA of two warps, one of them warp 0");
  const double fast = *std::min_element(series.y.begin(), series.y.end());
  double apart = 0;
  for (std::size_t i = 0; i < series.x.size() && apart == 0; ++i) {
    if (series.y[i] > 1.4 * fast) apart = series.x[i];
  }
  if (apart == 0) throw ProbeRefusal("no other warp shares warp 0's scheduler");
  findings.figure("chip.schedulers_per_sm", apart, calib::Unit::count, 0, series.x.size(), series.label);
}

void measure_clocks(Bench& bench, Findings& findings) {
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  const Buffer out = bench.allocate(std::uint64_t{2} * sms * 40);
  for (int second = 0; second < 40; ++second) {
    bench.run(bench.kernel("launch", "burn"), {2 * sms}, {1024},
              Parameters().add(out.address()).add(std::uint64_t{200000000}).add(1.0009765625F).add(0.25F));
    const Span span = span_of(block_records(out, 2 * sms));
    findings.sample("SM clock under load, by clock and timer", "tenths of a second", "MHz", second, span.mhz);
    const ClockReading reading = bench.target().read_clock();
    if (reading.sm_mhz) findings.sample("SM clock under load, by sensor", "tenths of a second", "MHz", second, *reading.sm_mhz);
    if (reading.memory_mhz) findings.sample("memory clock under load", "tenths of a second", "MHz", second, *reading.memory_mhz);
    if (reading.power_w) findings.sample("power under load", "tenths of a second", "W", second, *reading.power_w);
    if (reading.temperature_c) findings.sample("temperature under load", "tenths of a second", "C", second, *reading.temperature_c);
    if (reading.throttle_reasons) {
      findings.sample("throttle reasons under load", "tenths of a second", "mask", second, static_cast<double>(*reading.throttle_reasons));
    }
  }
}

void conclude_clocks(const TargetFacts& facts, Findings& findings) {
  report_median(findings, "clocks.sm", calib::Unit::MHz, "SM clock under load, by clock and timer");
  if (facts.clock_mhz > 0) findings.figure("clocks.sm_max", facts.clock_mhz, calib::Unit::MHz, 0, 1, "");
  if (facts.memory_clock_mhz > 0) findings.figure("clocks.dram", facts.memory_clock_mhz, calib::Unit::MHz, 0, 1, "");
}

}  // namespace

extern const Probe launch_empty{"launch.empty", "Time of empty kernels, alone and in a row", "launch", 70, measure_empty, conclude_empty};
extern const Probe launch_placement{"launch.placement", "Which SM runs which block, and when", "launch", 70, measure_placement, conclude_placement};
extern const Probe issue_barrier{"issue.barrier", "Cost of a barrier by number of warps", "barrier cost", 70, measure_barrier, conclude_barrier};
extern const Probe issue_fences{"issue.fences", "Cost of fences, with and without a store before", "fence cost", 70, measure_fences, conclude_fences};
extern const Probe issue_schedulers{"issue.schedulers", "Which warps share a scheduler", "Jia2018 section 2.2, table 2.1", 70,
                                    measure_schedulers, conclude_schedulers};
extern const Probe clocks_load{"clocks.load", "Clocks, power and temperature under sustained load", "Jia2019 section 4.5", 70, measure_clocks,
                               conclude_clocks, false};

}  // namespace warpgauge::probes
