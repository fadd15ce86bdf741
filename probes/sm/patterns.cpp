// One warp instruction with chosen addresses: widths, conflicts, lines a load, atomics; latency and rate of each.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "probes/bench.h"
#include "probes/draw.h"
#include "probes/probe.h"
#include "probes/records.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

// Every point of a sweep on a card, every fourth and the first on a simulated one.
bool wanted(const Bench& bench, std::uint32_t point) { return !bench.facts().simulated || point % 4 == 1 || point == 32; }

constexpr std::uint64_t mib = 1024 * 1024;
using Offsets = std::array<std::uint32_t, 32>;

Offsets strided(std::uint32_t stride) {
  Offsets offsets{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = lane * stride;
  return offsets;
}

// Groups of lanes on one word each: `distinct` words, `stride` apart.
Offsets shared_by(std::uint32_t distinct, std::uint32_t stride) {
  Offsets offsets{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = lane % distinct * stride;
  return offsets;
}

// Patterns of all kinds, the same in every run: strides, groups of lanes on one word, words repeated by distance,
// two strides, words at random.
Offsets random_pattern(std::uint32_t number, std::uint32_t bytes) {
  Draw draw(number * 0x9e3779b97f4a7c15ULL + 1);
  const std::uint32_t stride = 1 + draw.below(40), other = draw.below(70), shift = draw.below(5), group = 2U << draw.below(4),
                      words = 2U << draw.below(9);
  Offsets offsets{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t word = 0;
    switch (number % 5) {
      case 0:
        word = lane * stride;
        break;
      case 1:
        word = (lane >> shift) * stride;
        break;
      case 2:
        word = (lane & ((2U << shift) - 1)) * stride;
        break;
      case 3:
        word = lane % group * stride + lane / group * other;
        break;
      default:
        word = draw.below(words);
        break;
    }
    offsets[lane] = word * bytes % (32 * 1024);
  }
  return offsets;
}

class Patterns {
 public:
  explicit Patterns(Bench& bench)
      : bench_(bench), memory_(bench.allocate(256 * mib)), list_(bench.allocate(128)), out_(bench.allocate(1 << 20)) {
    memory_.fill(0);
  }

  // Cycles of one access in a chain of dependent ones, the slowest warp's.
  double chain(const std::string& kernel, const Offsets& offsets, std::uint32_t warps = 1, std::uint32_t rounds = 16,
               std::uint32_t blocks = 1, std::uint32_t block_stride = 0) {
    list_.write(std::vector<std::uint32_t>(offsets.begin(), offsets.end()));
    bench_.run(bench_.kernel("pattern", kernel), {blocks}, {warps * 32},
               Parameters().add(out_.address()).add(memory_.address()).add(list_.address()).add(block_stride).add(std::uint32_t{2}).add(rounds),
               48 * 1024);
    double slowest = 0;
    for (const WarpRecord& warp : warp_records(out_, std::size_t{blocks} * warps)) {
      slowest = std::max(slowest, static_cast<double>(warp.end - warp.start));
    }
    return slowest / (16.0 * rounds);
  }

  struct Rate {
    double cycles_per_instruction;  // of one SM
    double instructions_per_cycle;  // of all blocks together
  };
  Rate flood(const std::string& kernel, const Offsets& offsets, std::uint32_t warps, std::uint32_t warp_stride,
             std::uint32_t step_stride, std::uint32_t blocks = 1, std::uint64_t block_stride = 0, std::uint32_t rounds = 64,
             std::uint64_t from = 0) {
    list_.write(std::vector<std::uint32_t>(offsets.begin(), offsets.end()));
    bench_.run(bench_.kernel("pattern", kernel), {blocks}, {warps * 32},
               Parameters()
                   .add(out_.address())
                   .add(memory_.address() + from)
                   .add(list_.address())
                   .add(warp_stride)
                   .add(step_stride)
                   .add(block_stride)
                   .add(std::uint32_t{2})
                   .add(rounds),
               48 * 1024);
    const auto records = block_records(out_, blocks);
    double cycles = 0;
    for (const BlockRecord& record : records) cycles += static_cast<double>(record.clock_end - record.clock_start);
    cycles /= blocks;
    const double instructions = 16.0 * rounds * warps;
    const Span span = span_of(records);
    return {cycles / instructions, instructions * blocks / span.cycles};
  }

 private:
  Bench& bench_;
  Buffer memory_, list_, out_;
};

struct Width {
  const char* name;
  std::uint32_t bytes;
};
constexpr std::array<Width, 3> widths = {{{"32", 4}, {"64", 8}, {"128", 16}}};

void measure_shared(Bench& bench, Findings& findings) {
  Patterns patterns(bench);
  for (const Width& width : widths) {
    const std::string load = std::string("lds") + width.name, store = std::string("sts") + width.name;
    for (std::uint32_t stride = 1; stride <= 32; ++stride) {
      if (!wanted(bench, stride)) continue;
      const Offsets offsets = strided(stride * width.bytes);
      if (31 * stride * width.bytes + width.bytes > 48 * 1024) continue;
      findings.sample("latency of LDS." + std::string(width.name) + " against stride", "words", "cycles", stride,
                      patterns.chain("chain_" + load, offsets));
      for (const auto& [kernel, label] : {std::pair{"flood_" + load, "interval of LDS."}, {"flood_" + store, "interval of STS."}}) {
        findings.sample(std::string(label) + width.name + " against stride", "words", "cycles", stride,
                        patterns.flood(kernel, offsets, 16, 0, 0).cycles_per_instruction);
      }
    }
    for (const std::uint32_t distinct : {1U, 2U, 4U, 8U, 16U, 32U}) {
      findings.sample(std::string("interval of LDS.") + width.name + " against distinct words", "words", "cycles", distinct,
                      patterns.flood("flood_" + load, shared_by(distinct, width.bytes), 16, 0, 0).cycles_per_instruction);
      findings.sample(std::string("interval of LDS.") + width.name + " against words in one bank", "words", "cycles", distinct,
                      patterns.flood("flood_" + load, shared_by(distinct, 128), 16, 0, 0).cycles_per_instruction);
      findings.sample(std::string("latency of LDS.") + width.name + " against words in one bank", "words", "cycles", distinct,
                      patterns.chain("chain_" + load, shared_by(distinct, 128)));
    }
    for (std::uint32_t number = 0; number < 100; ++number) {
      if (!wanted(bench, number)) continue;
      for (const auto& [kernel, label] : {std::pair{"flood_" + load, "interval of LDS."}, {"flood_" + store, "interval of STS."}}) {
        findings.sample(std::string(label) + width.name + " in patterns of all kinds", "pattern", "cycles", number,
                        patterns.flood(kernel, random_pattern(number, width.bytes), 16, 0, 0).cycles_per_instruction);
      }
    }
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, 32U}) {
      findings.sample(std::string("interval of LDS.") + width.name + " against warps", "warps", "cycles", warps,
                      patterns.flood("flood_" + load, strided(width.bytes), warps, 0, 0).cycles_per_instruction);
      findings.sample(std::string("interval of STS.") + width.name + " against warps", "warps", "cycles", warps,
                      patterns.flood("flood_" + store, strided(width.bytes), warps, 0, 0).cycles_per_instruction);
    }
  }
}

void conclude_shared(const TargetFacts&, Findings& findings) {
  using calib::Unit;
  report_median_at(findings, "shared.latency", Unit::cycles, "latency of LDS.32 against stride", 1);
  const auto at = [&](const std::string& label, double x) { return calib::median(values_at(findings.at(label), x)); };
  const std::string bytes = "interval of LDS.128 against warps";
  findings.figure("shared.bytes_per_cycle", 512 / at(bytes, 32), Unit::bytes_per_cycle, 0, 1, bytes);
  const calib::Series& conflicts = findings.at("interval of LDS.32 against words in one bank");
  findings.figure("shared.conflict_pass_cost", slope(conflicts), Unit::cycles, 0, conflicts.x.size(), conflicts.label);
  const calib::Series& delays = findings.at("latency of LDS.32 against words in one bank");
  findings.figure("shared.conflict_pass_latency", slope(delays), Unit::cycles, 0, delays.x.size(), delays.label);
  const double one_pass = at("interval of LDS.32 against warps", 32);
  findings.figure("shared.passes_64", at("interval of LDS.64 against warps", 32) / one_pass, Unit::count, 0, 2, "interval of LDS.64 against warps");
  findings.figure("shared.passes_128", at(bytes, 32) / one_pass, Unit::count, 0, 2, bytes);
  // The stride that makes every lane meet in one bank is the number of banks.
  const calib::Series& strides = findings.at("interval of LDS.32 against stride");
  const auto worst = std::max_element(strides.y.begin(), strides.y.end());
  findings.figure("shared.banks", strides.x[static_cast<std::size_t>(worst - strides.y.begin())], Unit::count, 0, strides.x.size(), strides.label);
  // A wide load whose lanes all read one word takes fewer passes than one whose lanes read words of their own.
  const std::string merged = "interval of LDS.128 against distinct words";
  findings.result.figures.push_back({"shared.wide_loads_merge", at(merged, 1) < 0.75 * at(merged, 32), Unit::flag, 0, 2, merged});
}

void measure_l1(Bench& bench, Findings& findings) {
  Patterns patterns(bench);
  for (const Width& width : widths) {
    const std::string load = std::string("flood_ca") + width.name;
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, 32U}) {
      const double cycles = patterns.flood(load, strided(width.bytes), warps, 0, 0).cycles_per_instruction;
      findings.sample(std::string("interval of LDG.") + width.name + " against warps, one line set", "warps", "cycles", warps, cycles);
      findings.sample("bytes of LDG." + std::string(width.name) + " against warps", "warps", "bytes/cycle", warps,
                      32 * width.bytes / patterns.flood(load, strided(width.bytes), warps, 32 * width.bytes, 32 * width.bytes * warps)
                                             .cycles_per_instruction);
    }
    for (std::uint32_t stride = 1; stride <= 33; ++stride) {
      if (!wanted(bench, stride)) continue;
      findings.sample(std::string("interval of LDG.") + width.name + " against stride", "words", "cycles", stride,
                      patterns.flood(load, strided(stride * width.bytes), 16, 0, 0).cycles_per_instruction);
    }
    for (std::uint32_t lines = 1; lines <= 32; ++lines) {
      if (!wanted(bench, lines)) continue;
      findings.sample(std::string("interval of LDG.") + width.name + " against lines", "lines", "cycles", lines,
                      patterns.flood(load, shared_by(lines, 128), 16, 0, 0).cycles_per_instruction);
      findings.sample(std::string("interval of LDG.") + width.name + " against lines, no two in one bank", "lines", "cycles", lines,
                      patterns.flood(load, shared_by(lines, 128 + width.bytes), 16, 0, 0).cycles_per_instruction);
    }
  }
  for (std::uint32_t lines = 1; lines <= 32; ++lines) {
    if (!wanted(bench, lines)) continue;
    findings.sample("latency of LDG.64 against lines", "lines", "cycles", lines,
                    patterns.chain("chain_ld64", shared_by(lines, 128)));
  }
}

void conclude_l1(const TargetFacts&, Findings& findings) {
  report_largest(findings, "l1.measured_bytes_per_cycle", calib::Unit::bytes_per_cycle, "bytes of LDG.128 against warps");
  const calib::Series& lines = findings.at("interval of LDG.32 against lines, no two in one bank");
  findings.figure("l1.tag_lines_per_cycle", std::max(1.0, std::round(1 / slope_from(lines, 8))), calib::Unit::count, 0, lines.x.size(), lines.label);
}

void measure_stores(Bench& bench, Findings& findings) {
  Patterns patterns(bench);
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  for (const Width& width : widths) {
    const std::string store = std::string("flood_st") + width.name;
    for (const std::uint32_t blocks : {1U, 2U, sms}) {
      const std::string on = blocks == 1 ? "one SM" : blocks == 2 ? "two SMs" : "all SMs";
      for (const std::uint32_t stride : {1U, 2U, 4U, 8U, 32U}) {
        const auto rate = patterns.flood(store, strided(stride * width.bytes), 32, 32 * stride * width.bytes, 0, blocks,
                                         std::uint64_t{32} * 32 * stride * width.bytes, 32);
        findings.sample(std::string("STG.") + width.name + " against stride, " + on, "words", "bytes/cycle", stride,
                        rate.instructions_per_cycle * 32 * width.bytes);
      }
    }
  }
}

void conclude_stores(const TargetFacts&, Findings& findings) {
  report_largest(findings, "l1.store_bytes_per_cycle", calib::Unit::bytes_per_cycle, "STG.128 against stride, one SM");
}

constexpr const char* one_word_by_place = "all blocks on one word, by place";
constexpr const char* block_word_by_place = "each block its word, by place";
constexpr const char* lane_word_by_place = "each lane its word, by place";
constexpr const char* line_by_place = "each lane a word of one line, by place";

void measure_atomics(Bench& bench, Findings& findings) {
  Patterns patterns(bench);
  const auto sms = static_cast<std::uint32_t>(bench.facts().sm_count);
  for (const std::uint32_t sharing : {1U, 2U, 4U, 8U, 16U, 32U}) {  // lanes on one word (Jia2018 table 4.2)
    const Offsets shared = shared_by(32 / sharing, 4), global = shared_by(32 / sharing, 8);
    for (const char* kernel : {"chain_atoms_add32", "chain_atoms_exch32", "chain_atoms_cas32"}) {
      findings.sample(std::string("latency against contention, ") + kernel, "lanes", "cycles", sharing, patterns.chain(kernel, shared));
    }
    for (const char* kernel : {"chain_atom_add64", "chain_atom_exch64", "chain_atom_cas64", "chain_ldcg64"}) {
      findings.sample(std::string("latency against contention, ") + kernel, "lanes", "cycles", sharing, patterns.chain(kernel, global, 1, 8));
    }
    findings.sample("rate against contention, ATOMS.ADD", "lanes", "operations/cycle", sharing,
                    32 / patterns.flood("flood_atoms32", shared, 16, 0, 0).cycles_per_instruction);
    findings.sample("rate against contention, ATOMS.CAS", "lanes", "operations/cycle", sharing,
                    32 / patterns.flood("flood_atoms_cas32", shared, 16, 0, 0).cycles_per_instruction);
    findings.sample("rate against contention, one SM, ATOMG.ADD", "lanes", "operations/cycle", sharing,
                    32 * patterns.flood("flood_atom32", shared, 16, 128, 0).instructions_per_cycle);
    findings.sample("rate against contention, one SM, RED.ADD", "lanes", "operations/cycle", sharing,
                    32 * patterns.flood("flood_red32", shared, 16, 128, 0).instructions_per_cycle);
  }
  for (const std::uint32_t distance : {4U, 8U, 16U, 32U, 64U, 128U, 256U, 4096U}) {
    findings.sample("rate against distance, one SM, RED.ADD", "bytes", "operations/cycle", distance,
                    32 * patterns.flood("flood_red32", strided(distance), 8, 32 * distance, 0).instructions_per_cycle);
    findings.sample("rate against distance, all SMs, RED.ADD", "bytes", "operations/cycle", distance,
                    32 * patterns.flood("flood_red32", strided(distance), 8, 32 * distance, 0, sms, 0, 16).instructions_per_cycle);
  }
  // Jia2018 figure 4.1, scenarios 1 to 4, blocks of 1024 threads.
  // Millions of additions one after the other: not for a simulated device.
  if (bench.facts().simulated) return;
  for (const std::uint32_t blocks : {1U, 2U, 4U, 8U, 16U, 32U, 64U, sms, 2 * sms}) {
    for (const char* kernel : {"flood_atom32", "flood_red32", "flood_redf32", "flood_cas32"}) {
      findings.sample(std::string("all blocks on one word, ") + kernel, "blocks", "operations/cycle", blocks,
                      32 * patterns.flood(kernel, strided(0), 32, 0, 0, blocks, 0, 8).instructions_per_cycle);
      findings.sample(std::string("each block its word, ") + kernel, "blocks", "operations/cycle", blocks,
                      32 * patterns.flood(kernel, strided(0), 32, 0, 0, blocks, 4096 + 128, 8).instructions_per_cycle);
      findings.sample(std::string("each lane its word, ") + kernel, "blocks", "operations/cycle", blocks,
                      32 * patterns.flood(kernel, strided(4), 32, 128, 0, blocks, 4096, 8).instructions_per_cycle);
      findings.sample(std::string("each lane a word of one line, ") + kernel, "blocks", "operations/cycle", blocks,
                      32 * patterns.flood(kernel, strided(4), 32, 0, 0, blocks, 0, 8).instructions_per_cycle);
    }
  }
  // Which words share a slice of the L2 is the address's: the same at many places, and at more of them where few words leave more
  // to chance.
  constexpr std::uint64_t places = 480, to_next = mib / 2 + 128 * 37, every = 20;
  for (std::uint64_t place = 0; place < places; ++place) {
    const std::uint64_t from = place * to_next;
    const auto rate = [&](const char* label, const Offsets& lanes, std::uint32_t warp_stride, std::uint64_t block_stride,
                          std::uint32_t rounds) {
      findings.sample(label, "place", "operations/cycle", static_cast<double>(place),
                      32 * patterns.flood("flood_red32", lanes, 32, warp_stride, 0, 2 * sms, block_stride, rounds, from)
                               .instructions_per_cycle);
    };
    // Rounds enough that the blocks' beginnings and ends do not weigh.
    if (place % (4 * every) == 0) rate(one_word_by_place, strided(0), 0, 0, 16);
    rate(block_word_by_place, strided(0), 0, 4096 + 128, 32);
    rate(lane_word_by_place, strided(4), 128, 4096, 64);
    if (place % every == 0) rate(line_by_place, strided(4), 0, 0, 16);
  }
  for (const std::uint32_t sharing : {1U, 2U, 4U, 8U, 16U, 32U}) {
    findings.sample("scenario 1: one block, sequential words", "threads on one word", "operations/cycle", sharing * 32,
                    32 * patterns.flood("flood_atom32", shared_by(32 / sharing, 4), 32, 128 / sharing, 0).instructions_per_cycle);
    findings.sample("scenario 2: one block, sequential lines", "threads on one word", "operations/cycle", sharing * 32,
                    32 * patterns.flood("flood_atom32", shared_by(32 / sharing, 128), 32, 4096 / sharing, 0).instructions_per_cycle);
  }
}

void conclude_atomics(const TargetFacts&, Findings& findings) {
  using calib::Unit;
  const calib::Series& shared = findings.at("latency against contention, chain_atoms_add32");
  const auto list = [&](const char* key, const std::vector<double>& values, Unit unit, const std::string& label) {
    findings.result.figures.push_back({key, values, unit, 0, values.size(), label});
  };
  const auto whole = [](std::vector<double> values) {
    for (double& value : values) value = std::round(value);
    return values;
  };
  list("atomics.contention", shared.x, Unit::count, shared.label);
  list("atomics.shared_latency", whole(shared.y), Unit::cycles, shared.label);
  report_median_at(findings, "atomics.shared_rate", Unit::operations_per_cycle, "rate against contention, ATOMS.ADD", 1);
  findings.figure("atomics.shared_same_word_interval", slope(shared), Unit::cycles, 0, shared.x.size(), shared.label);
  if (findings.find(one_word_by_place) == nullptr) return;
  report_median(findings, "atomics.global_one_address", Unit::operations_per_cycle, one_word_by_place);
  report_median(findings, "atomics.global_line_per_warp", Unit::operations_per_cycle, line_by_place);
  report_median(findings, "atomics.global_line_per_block", Unit::operations_per_cycle, block_word_by_place);
  report_median(findings, "atomics.global_spread", Unit::operations_per_cycle, lane_word_by_place);
}

}  // namespace

extern const Probe shared_patterns{"shared.patterns", "Latency and interval of shared accesses by width, stride, conflict",
                                   "Jia2018 section 3.6, figures 3.9 and 3.10", 70, measure_shared, conclude_shared};
extern const Probe l1_patterns{"l1.patterns", "Interval of L1 hits by width, stride and number of lines",
                               "Jia2018 table 3.2", 70, measure_l1, conclude_l1};
extern const Probe l1_stores{"l1.stores", "Bytes a cycle that stores send out", "store behaviour", 70, measure_stores, conclude_stores};
extern const Probe atomics_patterns{"atomics.patterns", "Latency and rate of atomics by contention and placement",
                                    "Jia2018 section 4.2, table 4.2, figure 4.1", 70, measure_atomics, conclude_atomics};

}  // namespace warpgauge::probes
