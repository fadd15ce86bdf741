// How long loads, and how long atomics, take from every SM to every line of lists in the L2.
#include <algorithm>
#include <string>

#include "probes/bench.h"
#include "probes/each_sm.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;
constexpr const char* near_by_line = "L2 latency of the nearer SMs, by line";
constexpr const char* far_by_line = "L2 latency of the farther SMs, by line";
constexpr const char* near_atomics = "latency of atomics from the nearer SMs, by line";
constexpr const char* far_atomics = "latency of atomics from the farther SMs, by line";

// Every line is near to some SMs and far from the others: the SMs' latencies to one line fall in two groups where the L2
// has two partitions. The median of each group.
std::pair<double, double> near_and_far(std::vector<double> latency) {
  std::sort(latency.begin(), latency.end());
  // The widest gap between neighbours of the middle half divides the groups.
  std::size_t cut = latency.size() / 4;
  for (std::size_t i = latency.size() / 4; i < latency.size() * 3 / 4; ++i) {
    if (latency[i + 1] - latency[i] > latency[cut + 1] - latency[cut]) cut = i;
  }
  return {calib::median(std::span(latency).first(cut + 1)), calib::median(std::span(latency).subspan(cut + 1))};
}

// Asks the lines that lie `stride` apart from `first`: cycles of each SM, line by line.
class LatencyMap {
 public:
  LatencyMap(Bench& bench, const char* kernel, std::uint32_t lines)
      : bench_(bench),
        kernel_(bench.kernel("chase", kernel)),
        lines_(lines),
        list_(bench.allocate(lines * 8)),
        out_(bench.allocate(std::uint64_t{sms()} * lines * 4)) {}

  [[nodiscard]] std::uint32_t sms() const { return static_cast<std::uint32_t>(bench_.facts().sm_count); }

  std::vector<std::vector<double>> ask(DeviceAddress first, std::uint64_t stride) {
    std::vector<std::uint64_t> addresses(lines_);
    for (std::uint32_t i = 0; i < lines_; ++i) {
      addresses[i] = first + i * stride;
      bench_.target().write(addresses[i], std::as_bytes(std::span(&addresses[i], 1)));
    }
    list_.write(addresses);
    out_.fill(0);
    // One block an SM: each asks for most of the shared memory.
    bench_.run(kernel_, {sms()}, {1},
               Parameters().add(out_.address()).add(list_.address()).add(lines_).add(std::uint32_t{5}),
               shared_bytes_of_one_block_an_sm(bench_.facts()));
    const auto words = out_.read<std::uint32_t>(std::size_t{sms()} * lines_);
    std::vector<std::vector<double>> cycles(sms());
    for (std::size_t i = 0; i < words.size(); ++i) cycles[i / lines_].push_back(words[i] / 4.0);
    return cycles;
  }

 private:
  Bench& bench_;
  FunctionId kernel_;
  std::uint32_t lines_;
  Buffer list_;
  Buffer out_;
};

// The two groups' medians of each line; `first_line` numbers them.
void sample_groups(Findings& findings, const std::vector<std::vector<double>>& cycles, std::uint64_t first_line,
                   const char* near_label, const char* far_label) {
  for (std::size_t i = 0; i < cycles.front().size(); ++i) {
    std::vector<double> latency;
    for (const auto& sm : cycles) latency.push_back(sm[i]);
    const auto [near, far] = near_and_far(latency);
    const auto line = static_cast<double>(first_line + i);
    findings.sample(near_label, "line", "cycles", line, near);
    findings.sample(far_label, "line", "cycles", line, far);
  }
}

constexpr std::uint64_t apart = 65536 + 128;

void measure_map(Bench& bench, Findings& findings) {
  // Every SM against lines of one region, 64 KiB and a line apart and, of one page, 128 B apart.
  const std::uint32_t lines = bench.facts().simulated ? 32 : 512;
  const std::uint64_t regions = bench.facts().simulated ? 1 : 8;
  constexpr std::uint64_t region_bytes = 64 * mib;
  const Buffer memory = bench.allocate(regions * region_bytes);
  memory.fill(0);
  LatencyMap map(bench, "latency_map", lines);
  for (const auto& [stride, label] : {std::pair{apart, "spread"}, {std::uint64_t{128}, "neighbours"}}) {
    // The samples of the first region are kept whole, of the others what each group's median is.
    for (std::uint64_t region = 0; region < regions; ++region) {
      const auto cycles = map.ask(memory.address() + region * region_bytes, stride);
      if (region == 0) {
        for (std::uint32_t sm = 0; sm < map.sms(); ++sm) {
          for (std::uint32_t i = 0; i < lines; ++i) {
            findings.sample(std::string("L2 latency of ") + label + " lines, SM " + std::to_string(sm), "line", "cycles", i,
                            cycles[sm][i]);
          }
        }
      }
      if (std::string_view(label) != "spread") break;
      sample_groups(findings, cycles, region * lines, near_by_line, far_by_line);
    }
  }
}

void conclude_map(const TargetFacts&, Findings& findings) {
  const calib::Series& near = findings.at(near_by_line);
  report_median(findings, "l2.hit_latency", calib::Unit::cycles, near_by_line);
  findings.figure("l2.far_extra", calib::median(findings.at(far_by_line).y) - calib::median(near.y), calib::Unit::cycles, 0,
                  near.y.size(), far_by_line);
}

void measure_atomics(Bench& bench, Findings& findings) {
  const std::uint32_t lines = bench.facts().simulated ? 32 : 256;
  const Buffer memory = bench.allocate(32 * mib);
  memory.fill(0);
  LatencyMap map(bench, "atomic_map", lines);
  sample_groups(findings, map.ask(memory.address(), apart), 0, near_atomics, far_atomics);
}

void conclude_atomics(const TargetFacts&, Findings& findings) {
  const calib::Series& near = findings.at(near_atomics);
  report_median(findings, "access.atomic_global.raw", calib::Unit::cycles, near_atomics);
  findings.figure("l2.atomic_far_extra", calib::median(findings.at(far_atomics).y) - calib::median(near.y),
                  calib::Unit::cycles, 0, near.y.size(), far_atomics);
}

}  // namespace

extern const Probe l2_map{"l2.map", "L2 hit latency from every SM to many lines: partitions and slices",
                          "near and far partition", 70, measure_map, conclude_map};
extern const Probe l2_atomics{"l2.atomics", "Latency of atomics from every SM to many lines in the L2",
                              "near and far partition", 70, measure_atomics, conclude_atomics};

}  // namespace warpgauge::probes
