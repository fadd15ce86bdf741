// Latency and rate of single instructions as the compiler makes them; constants; instruction caches.
#include <algorithm>
#include <cmath>
#include <string>

#include "probes/bench.h"
#include "probes/each_sm.h"
#include "probes/probe.h"
#include "probes/records.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr const char* chains[] = {"mufu_rsq", "mufu_ex2", "mufu_lg2", "mufu_tanh", "frnd", "ffma", "fadd", "fmul", "f2i_i2f", "f2f_f64",
                                  "f2f_f16", "dfma", "dadd", "dmul", "popc", "flo", "brev", "imad", "imad_wide", "hfma2", "hadd2",
                                  "shfl", "vote", "match_any", "redux", "idp4a", "i2f_f2i64"};

void measure_chains(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  constexpr std::uint32_t rounds = 8;
  const auto cycles = [&](const std::string& kernel, std::uint32_t warps) {
    bench.run(bench.kernel("instructions", kernel), {1}, {warps * 32},
              Parameters().add(out.address()).add(std::uint32_t{2}).add(rounds).add(std::uint32_t{0x3f800000}).add(std::uint32_t{0x3f000001}));
    return span_of(warp_records(out, warps)) / (64.0 * rounds);
  };
  for (const char* name : chains) {
    if (!bench.has_kernel("instructions", std::string("lat_") + name)) continue;
    for (int repeat = 0; repeat < 5; ++repeat) {
      findings.sample(std::string("latency of ") + name, "repetition", "cycles", repeat, cycles(std::string("lat_") + name, 1));
    }
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 12U, 16U, 32U}) {
      findings.sample(std::string("interval of ") + name + " against warps", "warps", "cycles", warps,
                      cycles(std::string("thr_") + name, warps) / warps);
    }
  }
  for (int repeat = 0; repeat < 5; ++repeat) {
    findings.sample("cycles between two clock reads", "repetition", "cycles", repeat, cycles("lat_clock", 1));
  }
}

constexpr const char* shapes[] = {"hmma_884_f32", "hmma_884_f16", "hmma_1688_f32", "hmma_1688_f16", "imma_8816", "hmma_16816_f32",
                                  "hmma_16816_f16", "hmma_16816_bf16", "hmma_1688_tf32", "imma_16832", "dmma_884"};

void measure_matrix(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  constexpr std::uint32_t rounds = 16;
  for (const char* shape : shapes) {
    if (!bench.has_kernel("matrix", std::string(shape) + "_1")) continue;
    for (const int accumulators : {1, 4}) {
      for (const std::uint32_t warps : {1U, 4U, 8U, 16U, 32U}) {
        bench.run(bench.kernel("matrix", std::string(shape) + "_" + std::to_string(accumulators)), {1}, {warps * 32},
                  Parameters().add(out.address()).add(std::uint32_t{2}).add(rounds).add(std::uint32_t{0x3c003c00}));
        const double steps = 8.0 * rounds * accumulators;
        findings.sample(std::string("cycles of ") + shape + ", " + std::to_string(accumulators) + " accumulators, against warps", "warps",
                        "cycles", warps, span_of(warp_records(out, warps)) / steps);
      }
    }
  }
}

void conclude_matrix(const TargetFacts&, Findings& findings) {
  for (const char* shape : shapes) {
    const std::string one = std::string("cycles of ") + shape + ", 1 accumulators, against warps";
    const std::string four = std::string("cycles of ") + shape + ", 4 accumulators, against warps";
    if (findings.find(one) == nullptr || findings.find(four) == nullptr) continue;
    const std::string key = std::string("matrix.") + shape;
    if (std::string_view(shape) == "hmma_16816_bf16") continue;  // the calibration has one row for it and F32
    // 32 warps: eight on each processing block.
    findings.figure(key + ".issue_interval", calib::median(values_at(findings.at(four), 32)) / 8, calib::Unit::cycles, 0, 1, four);
  }
}

constexpr const char* second_level_by_sm = "LDC latency out of the second level, by SM";

void measure_constant(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  const DeviceAddress ring = bench.symbol("chase", "constant_ring");
  struct Ring {
    std::uint32_t first, rounds;
  };
  const auto make_ring = [&](std::uint32_t bytes, std::uint32_t stride) {
    std::vector<std::uint32_t> words(16384);
    const std::uint32_t slots = bytes / stride;
    const auto order = random_order(slots, stride, bytes + stride);
    for (std::size_t i = 0; i < order.size(); ++i) {
      words[order[i] / 4] = static_cast<std::uint32_t>(order[i + 1 == order.size() ? 0 : i + 1]);
    }
    bench.target().write(ring, std::as_bytes(std::span(words)));
    return Ring{static_cast<std::uint32_t>(order[0]), std::max(8U, slots / 32 + 1)};
  };
  const auto chase = [&](std::uint32_t bytes, std::uint32_t stride) {
    const Ring made = make_ring(bytes, stride);
    bench.run(bench.kernel("chase", "chase_constant"), {}, {},
              Parameters().add(out.address()).add(made.first).add(2 * made.rounds).add(made.rounds));
    const auto result = out.read<std::uint64_t>(2);
    return static_cast<double>(result[0]) / static_cast<double>(result[1]);
  };
  for (const std::uint32_t stride : {16U, 32U, 64U, 128U, 256U}) {
    const std::string label = "LDC latency against footprint, stride " + std::to_string(stride);
    for (std::uint32_t bytes = 256; bytes <= 8192; bytes += 128) {
      if (bytes >= stride) findings.sample(label, "bytes", "cycles", bytes, chase(bytes, stride));
    }
    for (std::uint32_t bytes = 9216; bytes <= 65536; bytes += 1024) findings.sample(label, "bytes", "cycles", bytes, chase(bytes, stride));
  }
  // More than the first level holds of any architecture, less than the second.
  const Ring second_level = make_ring(16384, 64);
  sample_each_sm(bench.facts(), findings, second_level_by_sm, "cycles", [&](std::uint32_t sm) {
    return step_on(bench, bench.kernel("chase", "chase_constant_on"),
                   Parameters().add(out.address()).add(second_level.first).add(2 * second_level.rounds).add(second_level.rounds),
                   out, sm);
  });
  // n rings for 32 lanes: an LDC with n addresses.
  const Buffer starts = bench.allocate(128);
  for (std::uint32_t distinct = 1; distinct <= 32; ++distinct) {
    std::vector<std::uint32_t> words(16384), offsets(32);
    for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = 4 * i;
    for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = lane % distinct * 4;
    bench.target().write(ring, std::as_bytes(std::span(words)));
    starts.write(offsets);
    bench.run(bench.kernel("chase", "chase_constant_lanes"), {}, {32},
              Parameters().add(out.address()).add(starts.address()).add(std::uint32_t{4}).add(std::uint32_t{16}));
    const auto result = out.read<std::uint64_t>(2);
    findings.sample("LDC latency against distinct addresses", "addresses", "cycles", distinct,
                    static_cast<double>(result[0]) / static_cast<double>(result[1]));
  }
}

void conclude_constant(const TargetFacts&, Findings& findings) {
  const std::string label = "LDC latency against footprint, stride 64";
  const calib::Series& series = findings.at(label);
  const auto levels = calib::find_plateaus(series.x, series.y);
  const auto cycles = [&](const char* key, const calib::Estimate& level) {
    findings.figure(key, level.value, calib::Unit::cycles, level.half_width(), level.samples, label);
  };
  if (levels.size() < 2) throw ProbeRefusal("the constant caches show no step");
  cycles("constant.l1_latency", levels[0].level);
  findings.figure("constant.l1_bytes", levels[0].last_x, calib::Unit::bytes, 0, series.x.size(), label);
  report_over_sms(findings, "constant.l15_latency", calib::Unit::cycles, second_level_by_sm);
  // A plateau that reaches the end of the bank says nothing of the cache's size.
  if (levels[1].last_x < series.x.back()) {
    findings.figure("constant.l15_bytes", levels[1].last_x, calib::Unit::bytes, 0, series.x.size(), label);
  }
  if (levels.size() > 2) cycles("constant.l2_latency", levels[2].level);
  const calib::Series& serial = findings.at("LDC latency against distinct addresses");
  findings.figure("constant.cycles_per_address", slope(serial), calib::Unit::cycles, 0, serial.x.size(), serial.label);
}

void measure_fetch(Bench& bench, Findings& findings) {
  const bool simulated = bench.facts().simulated;
  const Buffer out = bench.allocate(4096);
  for (const auto& [mask, label] : {std::pair{std::uint64_t{1}, "one processing block"},
                                    {std::uint64_t{3}, "two processing blocks"},
                                    {std::uint64_t{15}, "four processing blocks"},
                                    {std::uint64_t{0x11}, "two warps of one processing block"}}) {
    if (simulated && mask == 3) continue;
    for (std::uint32_t groups = 1; groups <= 191; groups += groups < 24 ? 1 : simulated ? 8 : 4) {
      const std::uint32_t rounds = std::max(simulated ? 2U : 4U, (simulated ? 16 : 64) / groups);
      bench.run(bench.kernel("fetch", "straight"), {1}, {256},
                Parameters().add(out.address()).add(mask).add(groups).add(std::uint32_t{2}).add(rounds).add(1.5F).add(0.25F));
      const auto all = warp_records(out, 8);
      std::vector<WarpRecord> warps;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if ((mask >> i & 1) != 0) warps.push_back(all[i]);
      }
      findings.sample(std::string("cycles an instruction against code bytes, ") + label, "bytes", "cycles", groups * 2048.0,
                      span_of(warps) / (128.0 * groups * rounds));
    }
  }
  // One pass over code that no one has run: its rate from L2 or memory.
  for (const std::uint32_t groups : {4U, 16U, 64U, 128U, 191U}) {
    bench.run(bench.kernel("fetch", "straight"), {1}, {32},
              Parameters().add(out.address()).add(std::uint64_t{1}).add(groups).add(std::uint32_t{0}).add(std::uint32_t{1}).add(1.5F).add(0.25F));
    findings.sample("cycles an instruction of the first pass against code bytes", "bytes", "cycles", groups * 2048.0,
                    span_of(warp_records(out, 1)) / (128.0 * groups));
  }
}

// The frame of the loop and the prefetcher's lines take room: the size is the next multiple of what caches come in.
double cache_size(double seen, double unit) { return std::ceil(seen / unit) * unit; }

void conclude_fetch(const TargetFacts&, Findings& findings) {
  constexpr double kib = 1024;
  const calib::Series& one = findings.at("cycles an instruction against code bytes, one processing block");
  const double fast = *std::min_element(one.y.begin(), one.y.end());
  const double l0 = calib::end_of_level(one.x, one.y, fast, 0.25);  // a quarter: the loop's overhead weighs on short code
  findings.figure("front_end.l0_bytes", cache_size(l0, 4 * kib), calib::Unit::bytes, 0, one.x.size(), one.label);
  // The levels behind it: where the curve is flat again.
  const auto levels = calib::find_plateaus(one.x, one.y);
  std::vector<calib::Plateau> slower;
  for (const calib::Plateau& level : levels) {
    if (level.level.value > 1.5 * fast && level.last - level.first >= 4) slower.push_back(level);
  }
  if (slower.empty()) throw ProbeRefusal("no level behind the L0 shows");
  const double second_end = calib::end_of_level(one.x, one.y, slower[0].level.value, 0.3);
  if (second_end == one.x.back()) {
    throw ProbeRefusal("the curve has one step: the prefetcher hides a level, and which one ends there is not known");
  }
  findings.figure("front_end.l1_bytes", cache_size(second_end, 16 * kib), calib::Unit::bytes, 0,
                  one.x.size(), one.label);
}

}  // namespace

extern const Probe instruction_chains{"instructions.chains", "Latency and interval of instructions as compiled",
                                      "Jia2018 table 4.1; Arafa2019 table II", 70, measure_chains, nullptr};
extern const Probe matrix_shapes{"matrix.shapes", "Latency and interval of matrix instructions by shape", "Jia2018 section 4.3", 70,
                                 measure_matrix, conclude_matrix};
extern const Probe constant_chase{"constant.chase", "Levels of the constant caches, and serialisation",
                                  "Jia2018 section 3.4, figure 3.7; Jia2019 figure 3.9", 70, measure_constant, conclude_constant};
extern const Probe fetch_straight{"fetch.straight", "Cycles an instruction against the size of straight-line code",
                                  "Jia2018 section 3.3, figure 3.3", 70, measure_fetch, conclude_fetch};

}  // namespace warpgauge::probes
