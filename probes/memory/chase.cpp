// Pointer chases through global memory: L1, L2, DRAM, TLB, carve-outs.
#include <algorithm>
#include <cmath>
#include <string>

#include "probes/bench.h"
#include "probes/each_sm.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;

// Cycles a step of a chase from `start`, after `warm` steps.
double chase(Bench& bench, const std::string& kernel, DeviceAddress start, std::uint64_t warm, std::uint64_t steps,
             const Buffer& out, std::optional<int> carveout = std::nullopt, std::uint32_t shared_bytes = 0) {
  bench.run(bench.kernel("chase", kernel), {}, {},
            Parameters()
                .add(out.address())
                .add(start)
                .add(static_cast<std::uint32_t>((warm + 31) / 32))
                .add(static_cast<std::uint32_t>((steps + 31) / 32)),
            shared_bytes, carveout);
  const auto words = out.read<std::uint64_t>(2);
  return static_cast<double>(words[0]) / static_cast<double>(words[1]);
}

// Sizes from `first` to `last`: the powers of two and what lies at 1.25, 1.5, 1.75 between them.
std::vector<std::uint64_t> sizes_between(std::uint64_t first, std::uint64_t last, int per_octave) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = first; size <= last; size *= 2) {
    for (int i = 0; i < per_octave; ++i) {
      const std::uint64_t between = size + size * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(per_octave);
      if (between <= last) sizes.push_back(between);
    }
  }
  return sizes;
}

constexpr const char* step_of_l2 = "latency past L1 where the L2 ends";

// Sizes in even steps from where one SM's part of the L2 may end, half of it or less, to where the whole ends.
std::vector<std::uint64_t> sizes_about_l2(const TargetFacts& facts) {
  const std::uint64_t step = facts.l2_bytes / (facts.simulated ? 12 : 60) / kib * kib;
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = facts.l2_bytes * 3 / 8 / step * step; size < facts.l2_bytes * 7 / 8; size += step) sizes.push_back(size);
  for (const std::uint64_t eighths : {10, 12, 14}) sizes.push_back(facts.l2_bytes * eighths / 8);
  return sizes;
}

void measure_step_of_l2(Bench& bench, Findings& findings, const Buffer& memory, const Buffer& out) {
  constexpr std::uint64_t line = 128;
  for (const std::uint64_t bytes : sizes_about_l2(bench.facts())) {
    const std::uint64_t lines = bytes / line;
    const auto order = random_order(lines, line, bytes);
    bench.make_ring(memory, order);
    findings.sample(step_of_l2, "bytes", "cycles", static_cast<double>(bytes),
                    chase(bench, "chase_cg64", memory.address() + order[0], lines + 32, bench.facts().simulated ? 2048 : 16384, out));
  }
}

constexpr const char* memory_by_sm = "latency of lines in memory, by SM";

// Lines of a region far larger than the L2, each SM from another place of the ring.
void measure_memory_of_each_sm(Bench& bench, Findings& findings, const Buffer& memory, const Buffer& flush, const Buffer& out) {
  const std::uint64_t bytes = 8 * bench.facts().l2_bytes;
  constexpr std::uint64_t steps = 1024, most_lines = 131072;
  const std::uint64_t lines = std::min(bytes / 128, most_lines);
  const std::uint64_t spread = bytes / (lines * 128);
  std::vector<std::uint64_t> order = random_order(lines, 128 * spread, bytes);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] += i * 7919 % spread * 128;
  bench.make_ring(memory, order);
  sample_each_sm(bench.facts(), findings, memory_by_sm, "cycles", [&](std::uint32_t sm) {
    flush.fill(0);
    const std::uint64_t first = order[(sm == any_sm ? 0 : sm * steps * 7 / 8) % order.size()];
    return step_on(bench, bench.kernel("chase", "chase_ca64_on"),
                   Parameters()
                       .add(out.address())
                       .add(memory.address() + first)
                       .add(std::uint32_t{4})
                       .add(static_cast<std::uint32_t>(steps / 32)),
                   out, sm);
  });
}

void measure_footprints(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  const bool simulated = bench.facts().simulated;
  const std::uint64_t largest = simulated ? 8 * bench.facts().l2_bytes : std::min<std::uint64_t>(2 * gib, bench.facts().memory_bytes / 4);
  const Buffer memory = bench.allocate(largest);
  const Buffer flush = bench.allocate_flush();
  constexpr std::uint64_t line = 128;
  const std::uint64_t most = simulated ? 2048 : 16384;  // steps that one point times
  for (const std::uint64_t bytes : sizes_between(2 * kib, largest, simulated ? 2 : 4)) {
    const std::uint64_t lines = bytes / line;
    const bool whole_lap = lines <= (simulated ? 16384 : 8 * 65536);
    std::vector<std::uint64_t> order = random_order(whole_lap ? lines : std::min<std::uint64_t>(lines, 1 << 20), line, bytes);
    if (!whole_lap) {
      // A sample of the lines of the region, spread over all of it: no lap ends, and none is visited twice.
      const std::uint64_t spread = bytes / (order.size() * line);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = order[i] * spread + (i * 7919 % spread) * line;
      order.resize(3 * most);
    }
    bench.make_ring(memory, order);
    if (!whole_lap) flush.fill(0);
    const std::uint64_t steps = std::clamp<std::uint64_t>(lines, 1024, most);
    const std::uint64_t warm = whole_lap ? lines + 32 : most;
    for (const char* kernel : {"chase_ca64", "chase_cg64"}) {
      if (kernel[6] == 'c' && kernel[7] == 'g' && bytes > 64 * mib) continue;
      const double cycles = chase(bench, kernel, memory.address() + order[0], warm, steps, out);
      findings.sample(kernel[7] == 'a' ? "latency against footprint" : "latency past L1 against footprint", "bytes",
                      "cycles", static_cast<double>(bytes), cycles);
    }
  }
  measure_step_of_l2(bench, findings, memory, out);
  measure_memory_of_each_sm(bench, findings, memory, flush, out);
}

// The median of the samples whose x lies between two.
double median_between(const calib::Series& series, double from, double to) {
  std::vector<double> values;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (series.x[i] >= from && series.x[i] <= to) values.push_back(series.y[i]);
  }
  if (values.empty()) throw ProbeRefusal("no samples of \"" + series.label + "\" in the range");
  return calib::median(values);
}

// Where the latency is half way from the level to the next, which begins a little beyond the step. The step's foot is
// where the first of many sets is full and depends on which pages the driver gave; of its middle all sets have a say.
// Its place, in steps of `granule`, which are more than two cards differ by.
double half_way(const calib::Series& series, double level, double granule) {
  constexpr double rise = 1.08;
  std::size_t first = 0;
  while (first < series.x.size() && series.y[first] <= rise * level) ++first;
  if (first == 0 || first == series.x.size()) throw ProbeRefusal("the latency does not rise within \"" + series.label + "\"");
  const double half = (level + median_between(series, 1.4 * series.x[first], 1.75 * series.x[first])) / 2;
  std::size_t at = first;
  while (at < series.x.size() && series.y[at] < half) ++at;
  if (at == series.x.size()) throw ProbeRefusal("the latency does not rise by half within \"" + series.label + "\"");
  const double share = (half - series.y[at - 1]) / (series.y[at] - series.y[at - 1]);
  return std::round((series.x[at - 1] + share * (series.x[at] - series.x[at - 1])) / granule) * granule;
}

void conclude_footprints(const TargetFacts& facts, Findings& findings) {
  const auto l2 = static_cast<double>(facts.l2_bytes);
  const double hit = median_between(findings.at("latency past L1 against footprint"), 64 * kib, l2 / 8);
  const calib::Series& step = findings.at(step_of_l2);
  findings.figure("l2.effective_size", half_way(step, hit, l2 / 30), calib::Unit::bytes, 0, step.x.size(), step.label);
  report_over_sms(findings, "dram.latency", calib::Unit::cycles, memory_by_sm);
}

void measure_widths(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  const Buffer memory = bench.allocate(1 * mib);
  const auto order = random_order(64, 128, 1);
  bench.make_ring(memory, order);
  for (int repeat = 0; repeat < 5; ++repeat) {
    for (const auto& [kernel, bits] : {std::pair{"chase_ca32", 32}, {"chase_ca64", 64}, {"chase_ca128", 128}}) {
      findings.sample("L1 hit latency by width", "bits", "cycles", bits,
                      chase(bench, kernel, memory.address() + order[0], 128, 4096, out));
    }
    findings.sample("L1 hit latency of the read-only path", "bits", "cycles", 64,
                    chase(bench, "chase_nc64", memory.address() + order[0], 128, 4096, out));
    findings.sample("L1 hit latency of generic loads", "bits", "cycles", 64,
                    chase(bench, "chase_generic64", memory.address() + order[0], 128, 4096, out));
  }
}

void conclude_widths(const TargetFacts&, Findings& findings) {
  report_median_at(findings, "l1.hit_latency", calib::Unit::cycles, "L1 hit latency by width", 32);
}

// Shares of the shared memory, in percent, that choose each of the architecture's carve-outs, the least first. What the
// architecture reserves of each block comes on top: an sm_90 gets no carve-out of 0, and a kernel without shared memory of its
// own no less than 32 KiB, whatever it wishes. So blocks there ask for 4 KiB, which with the KiB reserved is a quarter more
// than the wish.
std::vector<int> carveouts(int sm) {
  if (sm >= 90) return {0, 5, 10, 20, 30, 40, 50, 65, 100};     // of 228 KiB: 8 16 32 64 100 132 164 196 228
  if (sm >= 80) return {0, 4, 9, 19, 39, 60, 80, 100};          // of 164 KiB
  if (sm >= 75) return {50, 100};                               // of 64 KiB
  return {0, 8, 16, 33, 66, 100};                               // of 96 KiB
}

std::uint32_t carveout_shared_bytes(int sm) { return sm >= 90 ? 4 * kib : 0; }

std::string carveout_label(int percent) { return "latency against footprint, carve-out " + std::to_string(percent) + " %"; }

constexpr std::uint64_t carveout_step = 4 * kib, carveout_most = 272 * kib;
constexpr double carveout_tolerance = 0.05;  // of a hit's latency

void measure_carveouts(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  const Buffer memory = bench.allocate(1 * mib);
  for (const int carveout : carveouts(bench.facts().sm)) {
    const std::string label = carveout_label(carveout);
    const auto ask = [&](std::uint64_t bytes) {
      const std::uint64_t lines = bytes / 128;
      const auto order = random_order(lines, 128, bytes);
      bench.make_ring(memory, order);
      const double cycles = chase(bench, "chase_ca64", memory.address() + order[0], 2 * lines,
                                  std::max<std::uint64_t>(lines, 512), out, carveout,
                                  carveout_shared_bytes(bench.facts().sm));
      findings.sample(label, "bytes", "cycles", static_cast<double>(bytes), cycles);
      return cycles;
    };
    if (!bench.facts().simulated) {
      for (std::uint64_t bytes = carveout_step; bytes <= carveout_most; bytes += carveout_step) ask(bytes);
      continue;
    }
    // Of the same sizes only those that find the end of the level: half of the way between one within and one beyond it.
    const double hit = ask(carveout_step);
    std::uint64_t within = 1, beyond = carveout_most / carveout_step;
    while (beyond - within > 1) {
      const std::uint64_t middle = (within + beyond) / 2;
      (ask(middle * carveout_step) <= (1 + carveout_tolerance) * hit ? within : beyond) = middle;
    }
  }
}

void conclude_carveouts(const TargetFacts& facts, Findings& findings) {
  std::vector<double> sizes;
  std::uint64_t n = 0;
  for (const int carveout : carveouts(facts.sm)) {
    const calib::Series& series = findings.at(carveout_label(carveout));
    sizes.push_back(calib::end_of_level(series.x, series.y, series.y.front(), carveout_tolerance));
    n += series.x.size();
  }
  if (facts.sm >= 90) sizes.insert(sizes.begin(), sizes.front());  // for the carve-out of 0, which is never chosen
  findings.result.figures.push_back({"l1.detected_sizes", sizes, calib::Unit::bytes, 0, n, ""});
}

constexpr std::uint64_t wide_stride = 32 * mib;  // as large as the entry of any level
constexpr const char* beyond_label = "latency beyond the last level of the TLB, by distance";
constexpr const char* within_label = "latency within it, by distance";

constexpr const char* miss_by_sm = "cycles that a miss of the last level of the TLB adds, by SM";

// A ring through `pages` pages, several times, always in the same order and each time through other lines: more lines than
// an L1 beside most of the shared memory holds, and of many slices of the L2. Rings of other `first_lap`s share no line.
constexpr std::uint64_t laps_of_ring = 4;

std::vector<std::uint64_t> laps_of_pages(std::uint64_t page, std::uint64_t pages, std::uint64_t first_lap) {
  constexpr std::uint64_t lines = 2 * mib / 128;
  const auto in_order = random_order(pages, 1, pages + 1);
  std::vector<std::uint64_t> ring;
  for (std::uint64_t lap = first_lap; lap < first_lap + laps_of_ring; ++lap) {
    for (const std::uint64_t i : in_order) ring.push_back(i * page + (i * 5281 + lap * 3571) % lines * 128);
  }
  return ring;
}

// A miss is answered beyond the SM: what it adds on each, lines beyond what the level covers less lines within.
void measure_miss_of_each_sm(Bench& bench, Findings& findings, const Buffer& memory, const Buffer& out) {
  const std::uint64_t pages = memory.size() / wide_stride;
  const auto beyond = laps_of_pages(wide_stride, pages, 0);
  const auto within = laps_of_pages(wide_stride, pages / 3, laps_of_ring);
  bench.make_ring(memory, beyond);
  bench.make_ring(memory, within);
  sample_each_sm(bench.facts(), findings, miss_by_sm, "cycles", [&](std::uint32_t sm) -> std::optional<double> {
    const auto step = [&](const std::vector<std::uint64_t>& ring) {
      const auto rounds = static_cast<std::uint32_t>(ring.size() / 32);
      return step_on(bench, bench.kernel("chase", "chase_ca64_on"),
                     Parameters().add(out.address()).add(memory.address() + ring[0]).add(rounds).add(rounds), out, sm);
    };
    const auto of_within = step(within), of_beyond = step(beyond);
    return of_within && of_beyond ? std::optional(*of_beyond - *of_within) : std::nullopt;
  });
}

std::string pages_label(std::uint64_t page) { return "latency against pages of " + std::to_string(page / mib) + " MiB"; }

void measure_tlb(Bench& bench, Findings& findings) {
  const Buffer out = bench.allocate(4096);
  std::uint64_t largest = 64 * gib;
  while (largest > bench.facts().memory_bytes * 3 / 4) largest /= 2;
  const bool beyond = bench.facts().memory_bytes > 128 * gib;
  if (beyond) largest = 96 * gib;
  const Buffer memory = bench.allocate(largest);
  const auto chase_pages = [&](std::uint64_t page, std::uint64_t pages, const std::string& label, const char* unit, double x) {
    auto order = random_order(pages, page, pages);
    // Another line in each page, so that the lines do not meet in the same sets.
    for (std::size_t i = 0; i < order.size(); ++i) order[i] += (order[i] / page * 5281 % (2 * mib / 128)) * 128;
    std::sort(order.begin() + 1, order.end());
    const auto permutation = random_order(pages, 1, pages + 1);
    std::vector<std::uint64_t> shuffled(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = order[permutation[i]];
    bench.make_ring(memory, shuffled);
    findings.sample(label, unit, "cycles", x,
                    chase(bench, "chase_cg64", memory.address() + shuffled[0], bench.facts().simulated ? pages + 32 : 2 * pages,
                          std::clamp<std::uint64_t>(pages, 512, bench.facts().simulated ? 2048 : 32768), out));
  };
  for (const std::uint64_t page : {2 * mib, wide_stride}) {
    const std::uint64_t most = page == wide_stride ? largest : std::min(largest, 64 * gib);
    for (const std::uint64_t pages : sizes_between(1, most / page, bench.facts().simulated ? 2 : 4)) {
      chase_pages(page, pages, pages_label(page), "pages", static_cast<double>(pages));
    }
  }
  if (!beyond) return;
  // Lines nearer to each other than an entry reaches find what their neighbour brought.
  for (const std::uint64_t distance : {2 * mib, 4 * mib, 8 * mib, 16 * mib, wide_stride}) {
    const auto x = static_cast<double>(distance / mib);
    chase_pages(distance, largest / distance, beyond_label, "MiB", x);
    chase_pages(distance, largest / 3 / distance, within_label, "MiB", x);
  }
  if (!bench.facts().simulated) measure_miss_of_each_sm(bench, findings, memory, out);
}

// The last level, whose step so few sizes lie beyond that no plateau shows it.
void conclude_last_level(Findings& findings) {
  const calib::Series& wide = findings.at(pages_label(wide_stride));
  const double visited = wide.x.back() * static_cast<double>(wide_stride);
  const calib::Series* beyond = findings.find(beyond_label);
  const calib::Series* within = findings.find(within_label);
  const double extra = beyond == nullptr ? 0 : beyond->y.back() - within->y.back();
  if (beyond == nullptr || extra < 0.1 * within->y.back()) {
    findings.figure("tlb.l1.coverage", visited, calib::Unit::bytes, 0, wide.x.size(), wide.label);
    return;
  }
  double covered = 0;
  for (std::size_t i = 0; i < wide.x.size(); ++i) {
    if (wide.y[i] < within->y.back() + extra / 2) covered = std::max(covered, wide.x[i]);
  }
  double page = beyond->x.back();
  for (std::size_t i = beyond->x.size(); i-- > 0 && beyond->y[i] - within->y[i] > 0.8 * extra;) page = beyond->x[i];
  findings.figure("tlb.l1.coverage", covered * static_cast<double>(wide_stride), calib::Unit::bytes, 0, wide.x.size(), wide.label);
  findings.figure("tlb.l1.page", page * static_cast<double>(mib), calib::Unit::bytes, 0, beyond->x.size(), beyond->label);
  if (findings.find(miss_by_sm) != nullptr) {
    report_over_sms(findings, "tlb.l1.miss_extra", calib::Unit::cycles, miss_by_sm);
  } else {
    findings.figure("tlb.l1.miss_extra", extra, calib::Unit::cycles, 0, beyond->x.size(), beyond->label);
  }
  // What is beyond misses this one alone: the next covers all that was visited, at least.
  findings.figure("tlb.l2.coverage", visited, calib::Unit::bytes, 0, wide.x.size(), wide.label);
}

void conclude_tlb(const TargetFacts&, Findings& findings) {
  const std::string label = pages_label(2 * mib);
  const calib::Series& series = findings.at(label);
  calib::PlateauOptions options;
  options.least_step = 0.1;  // L2 position makes single pages differ by less
  const auto levels = calib::find_plateaus(series.x, series.y, options);
  // Each step up is a level of the TLB that is full. A card on which one level covers all that was visited shows none:
  // then that is the least that the first level covers.
  if (levels.size() == 1) {
    conclude_last_level(findings);
    return;
  }
  constexpr const char* names[] = {"l1", "l2", "l3"};
  for (std::size_t i = 0; i + 1 < levels.size() && i < std::size(names); ++i) {
    const double extra = levels[i + 1].level.value - levels[i].level.value;
    if (extra <= 0) break;
    const std::string key = std::string("tlb.") + names[i];
    findings.figure(key + ".coverage", levels[i].last_x * static_cast<double>(2 * mib), calib::Unit::bytes, 0, series.x.size(), label);
    findings.figure(key + ".miss_extra", extra, calib::Unit::cycles, levels[i + 1].level.half_width(), series.x.size(), label);
  }
}

constexpr std::uint64_t fine_strides[] = {16, 32, 64, 128};

std::string stride_label(std::uint64_t stride) { return "first touches, stride " + std::to_string(stride); }

void measure_fine(Bench& bench, Findings& findings) {
  // The first touches of a fresh region: DRAM and TLB misses, then the sectors of one line, then its neighbours.
  constexpr std::uint32_t steps = 4096;
  const Buffer out = bench.allocate((steps + 1) * 8);
  const Buffer memory = bench.allocate(256 * mib);
  const Buffer flush = bench.allocate_flush();
  for (const std::uint64_t stride : fine_strides) {
    std::vector<std::uint64_t> order(steps);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i * stride;
    bench.make_ring(memory, order);
    flush.fill(0);
    bench.run(bench.kernel("chase", "fine_ca64"), {}, {},
              Parameters().add(out.address()).add(memory.address()).add(std::uint32_t{0}).add(std::uint32_t{1024}),
              1024 * 4);
    const auto latency = out.read<std::uint64_t>(1024);
    for (std::size_t i = 0; i < latency.size(); ++i) {
      findings.sample(stride_label(stride), "access", "cycles", static_cast<double>(i),
                      static_cast<double>(latency[i]));
    }
  }
}

// A stride at which nothing is there yet is one that the level brings no more of.
void conclude_fine(const TargetFacts&, Findings& findings) {
  constexpr double l1_hit = 100;  // less is one of the L1, more of the L2
  for (const std::uint64_t stride : fine_strides) {
    const calib::Series& series = findings.at(stride_label(stride));
    if (std::any_of(series.y.begin() + 1, series.y.end(), [](double cycles) { return cycles < l1_hit; })) continue;
    findings.figure("l1.sector", static_cast<double>(stride), calib::Unit::bytes, 0, 1024, series.label);
    break;
  }
}

}  // namespace

extern const Probe memory_footprints{
    "memory.footprints", "How long a load takes against the size of what is visited: L1, L2, DRAM",
    "Jia2018 section 3.1 and 3.2, figures 3.2 and 3.5; Jia2019 section 3", 70, measure_footprints, conclude_footprints};
extern const Probe l1_widths{"l1.widths", "L1 hit latency of 32, 64 and 128 bits",
                             "Jia2018 section 3.1.1", 70, measure_widths, conclude_widths};
extern const Probe l1_carveouts{"l1.carveouts", "Data cache that a chase finds for each carve-out",
                                "Jia2018 table 3.3", 70, measure_carveouts, conclude_carveouts};
extern const Probe tlb_pages{"tlb.pages", "Latency against the number of pages visited, past L1",
                             "Jia2018 section 3.8, figure 3.12", 70, measure_tlb, conclude_tlb};
extern const Probe memory_first_touch{"memory.first_touch", "Latency of each access of a first scan",
                                      "Jia2018 figure 3.2", 70, measure_fine, conclude_fine};

}  // namespace warpgauge::probes
