// Sets, ways and replacement of the caches, by eviction sets: how many lines of one distance stay, and which
// of one more are lost. The larger the distance the fewer sets they share, until they all meet in one.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t l1_line = 128;

struct Steps {
  std::uint64_t warm, timed;
};

double chase(Bench& bench, const char* kernel, DeviceAddress start, Steps steps, const Buffer& out,
             std::optional<int> carveout) {
  bench.run(bench.kernel("chase", kernel), {}, {},
            Parameters()
                .add(out.address())
                .add(start)
                .add(static_cast<std::uint32_t>((steps.warm + 31) / 32))
                .add(static_cast<std::uint32_t>((steps.timed + 31) / 32)),
            0, carveout);
  const auto words = out.read<std::uint64_t>(2);
  return static_cast<double>(words[0]) / static_cast<double>(words[1]);
}

// Numbers of lines to try: each one up to 16, then so many an octave.
std::vector<std::uint64_t> counts_up_to(std::uint64_t most, std::uint64_t an_octave) {
  std::vector<std::uint64_t> counts;
  for (std::uint64_t n = 1; n <= std::min<std::uint64_t>(most, 16); ++n) counts.push_back(n);
  for (std::uint64_t octave = 16; octave < most; octave *= 2) {
    for (std::uint64_t i = 1; i <= an_octave; ++i) {
      const std::uint64_t n = octave + octave * i / an_octave;
      if (n <= most) counts.push_back(n);
    }
  }
  return counts;
}

std::string distance_label(const char* cache, std::uint64_t distance) {
  return std::string(cache) + " latency against lines, " + std::to_string(distance) + " bytes apart";
}

void sweep(Bench& bench, Findings& findings, const char* cache, const char* kernel, const Buffer& memory,
           const Buffer& out, std::uint64_t distance, std::uint64_t most, std::optional<int> carveout) {
  for (const std::uint64_t lines : counts_up_to(most, bench.facts().simulated ? 4 : 8)) {
    const auto order = random_order(lines, distance, lines + distance);
    bench.make_ring(memory, order);
    findings.sample(
        distance_label(cache, distance), "lines", "cycles", static_cast<double>(lines),
        chase(bench, kernel, memory.address() + order[0],
              {bench.facts().simulated ? lines + 32 : 2 * lines, std::max<std::uint64_t>(lines, 256)}, out,
              carveout));
  }
}

// Without shared memory, so that the data cache is as large as it gets.
constexpr int no_shared = 0;

void measure_l1(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096 * 8 + 64);
  const Buffer memory = bench.allocate(64 * mib);
  for (std::uint64_t distance = l1_line; distance <= 64 * kib; distance *= bench.facts().simulated ? 4 : 2) {
    sweep(bench, findings, "L1", "chase_ca64", memory, out, distance,
          std::min<std::uint64_t>(288 * kib / l1_line, 640 * kib / distance + 64), no_shared);
  }
  // Laps over more lines than there is room for, in order: every access of a true LRU would miss. The latency
  // of each access of the laps, hit or miss.
  constexpr std::uint32_t steps = 4096;
  for (const std::uint64_t lines : {std::uint64_t{1024}, std::uint64_t{1536}, std::uint64_t{1664},
                                    std::uint64_t{1792}, std::uint64_t{1920}}) {
    std::vector<std::uint64_t> order(lines);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i * l1_line;
    bench.make_ring(memory, order);
    bench.run(bench.kernel("chase", "fine_ca64"), {}, {},
              Parameters()
                  .add(out.address())
                  .add(memory.address())
                  .add(static_cast<std::uint32_t>(3 * lines))
                  .add(steps),
              steps * 4);
    const auto latency = out.read<std::uint64_t>(steps);
    for (std::size_t i = 0; i < latency.size(); ++i) {
      findings.sample("L1, laps in order over " + std::to_string(lines) + " lines", "access", "cycles",
                      static_cast<double>(i), static_cast<double>(latency[i]));
    }
  }
}

// The most lines of one distance that all stay: the last before the latency rises by that share. Nothing
// where it never does, as where the index mixes the address's bits.
std::optional<double> room(const calib::Series& series, double rise) {
  for (std::size_t i = 1; i < series.x.size(); ++i) {
    if (series.y[i] > (1 + rise) * series.y.front()) return series.x[i - 1];
  }
  return std::nullopt;
}

// All lines that stay meet in one set from the distance on at which their number no longer falls.
void conclude_l1(const TargetFacts&, Findings& findings) {
  std::vector<std::pair<std::uint64_t, double>> rooms;
  for (std::uint64_t distance = l1_line; distance <= 64 * kib; distance *= 2) {
    const calib::Series* series = findings.find(distance_label("L1", distance));
    if (series == nullptr) continue;
    const auto lines = room(*series, 0.05);
    if (lines) rooms.emplace_back(distance, *lines);
  }
  if (rooms.empty() || rooms.back().first != 64 * kib)
    throw ProbeRefusal("lines of one distance do not crowd each other out: the L1's index mixes the address");
  std::size_t at = rooms.size() - 1;
  while (at > 0 && rooms[at - 1].second < 1.25 * rooms[at].second) --at;
  findings.figure("l1.sets", static_cast<double>(rooms[at].first / l1_line), calib::Unit::count, 0,
                  rooms.size(), distance_label("L1", rooms[at].first));
}

void measure_l2(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  const std::uint64_t reach = std::min<std::uint64_t>(bench.facts().memory_bytes / 2, std::uint64_t{8} << 30);
  const Buffer memory = bench.allocate(reach);
  for (std::uint64_t distance = 64 * kib; distance <= 128 * mib; distance *= 2) {
    if (distance * 8 > reach) break;
    sweep(bench, findings, "L2", "chase_cg64", memory, out, distance,
          std::min<std::uint64_t>(reach / distance, bench.facts().simulated ? 64 : 256), std::nullopt);
  }
}

void measure_constant(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  const DeviceAddress ring = bench.symbol("chase", "constant_ring");
  constexpr std::uint64_t bank = 64 * kib;
  for (std::uint64_t distance = 64; distance <= 8 * kib; distance *= 2) {
    for (const std::uint64_t lines : counts_up_to(std::min<std::uint64_t>(bank / distance, 768), 8)) {
      std::vector<std::uint32_t> words(bank / 4);
      const auto order = random_order(lines, distance, lines + distance);
      for (std::size_t i = 0; i < order.size(); ++i) {
        words[order[i] / 4] = static_cast<std::uint32_t>(order[i + 1 == order.size() ? 0 : i + 1]);
      }
      bench.target().write(ring, std::as_bytes(std::span(words)));
      const auto rounds = static_cast<std::uint32_t>(std::max<std::uint64_t>(8, lines / 32 + 1));
      bench.run(bench.kernel("chase", "chase_constant"), {}, {},
                Parameters()
                    .add(out.address())
                    .add(static_cast<std::uint32_t>(order[0]))
                    .add(2 * rounds)
                    .add(rounds));
      const auto result = out.read<std::uint64_t>(2);
      findings.sample(distance_label("LDC", distance), "lines", "cycles", static_cast<double>(lines),
                      static_cast<double>(result[0]) / static_cast<double>(result[1]));
    }
  }
}

// The first level's ways: what stays of lines that all meet in one set.
void conclude_constant(const TargetFacts&, Findings& findings) {
  const calib::Series& far = findings.at(distance_label("LDC", 8 * kib));
  const auto ways = room(far, 0.15);
  if (!ways) throw ProbeRefusal("lines of one distance do not crowd each other out");
  findings.figure("constant.l1_ways", *ways, calib::Unit::count, 0, far.x.size(), far.label);
}

// Code: a jump from line to line of one distance, a clock read in each.
constexpr int first_stamp = 64;
constexpr int most_jumps = 40;
constexpr int instruction_bytes = 16;

std::string jumps_name(int distance) {
  return "jumps_" + std::to_string(distance);
}

// Parameter b: passes; parameter c: lines that each visits. The stamps of the last pass are stored.
SassKernel jumps_kernel(int sm, int distance, int jumps) {
  Program program(sm);
  program.begin();
  program.op(stall(15), "MOV R60, " + program.parameter(Parameter::b));
  program.op(stall(15), "MOV R59, " + program.parameter(Parameter::c));
  program.op(stall(15), "MOV R61, RZ");
  const std::string top = program.fresh_label("PASS"), end = program.fresh_label("END");
  program.label(top);
  program.start_clock(15);
  program.op(stall(15), "IADD3 R61, R61, 0x1, RZ");
  program.op(stall(15), "MOV R58, RZ");
  const auto count = [&] { return std::count(program.text().begin(), program.text().end(), ';'); };
  const int group = distance / instruction_bytes;
  while (count() % (128 / instruction_bytes) != 0) program.op(stall(1), "NOP");
  for (int i = 0; i < jumps; ++i) {
    const auto before = count();
    program.op(stall(5), "CS2R.32 " + reg(first_stamp + i) + ", SR_CLOCKLO");
    program.op(stall(6), "IADD3 R58, R58, 0x1, RZ");
    program.op(stall(13), "ISETP.LT.U32.AND P4, PT, R58, R59, PT");
    program.op(stall(5), "@!P4 BRA `(" + end + ")");
    if (i + 1 == jumps) break;
    const std::string next = program.fresh_label("NEXT");
    program.op(stall(5), "BRA `(" + next + ")");
    for (auto filled = count() - before; filled < group; ++filled) program.op(stall(1), "NOP");
    program.label(next);
  }
  program.label(end);
  program.end_clock();
  program.op(stall(15), "ISETP.LT.U32.AND P6, PT, R61, R60, PT");
  program.op(stall(15), "@P6 BRA `(" + top + ")");
  program.idle(30);
  for (int i = 0; i < jumps; ++i) program.store_result(first_stamp + i, i);
  program.finish();
  SassKernel kernel = program.kernel(jumps_name(distance));
  kernel.registers = 240;
  return kernel;
}

void measure_code(Bench& bench, Findings& findings) {
  for (const int distance : {4096, 8192, 16384, 32768}) {
    const int jumps = std::min(most_jumps, 655360 / distance);
    SassModule module(bench, {jumps_kernel(bench.facts().sm, distance, jumps)});
    for (int lines = 2; lines <= jumps; lines += lines < 12 ? 1 : 2) {
      SassArguments arguments;
      arguments.b = 6;
      arguments.c = static_cast<std::uint32_t>(lines);
      arguments.results = static_cast<std::size_t>(lines);
      const SassOutcome outcome = module.run(jumps_name(distance), arguments);
      for (int i = 1; i < lines; ++i) {
        const auto k = static_cast<std::size_t>(i);
        findings.sample(
            "code, " + std::to_string(lines) + " lines " + std::to_string(distance) + " bytes apart", "line",
            "cycles", i, static_cast<double>(outcome.results[k] - outcome.results[k - 1]));
      }
      findings.sample(
          "code, mean of a jump, lines " + std::to_string(distance) + " bytes apart", "lines", "cycles",
          lines,
          static_cast<double>(outcome.results[static_cast<std::size_t>(lines) - 1] - outcome.results[0]) /
              (lines - 1));
    }
  }
}

}  // namespace

extern const Probe l1_sets{"l1.sets",
                           "How many lines of one distance the L1 keeps, and which of more are lost",
                           "Jia2018 section 3.2, table 3.1",
                           70,
                           measure_l1,
                           conclude_l1};
extern const Probe l2_sets{
    "l2.sets", "How many lines of one distance the L2 keeps", "Jia2018 table 3.1", 70, measure_l2, nullptr};
extern const Probe constant_sets{"constant.sets",
                                 "How many lines of one distance the constant caches keep",
                                 "Jia2018 section 3.4, table 3.1",
                                 70,
                                 measure_constant,
                                 conclude_constant};
extern const Probe fetch_sets{
    "fetch.sets",          "How many lines of code of one distance the instruction caches keep",
    "Jia2018 section 3.3", 70,
    measure_code,          nullptr};

}  // namespace warpgauge::probes
