// When the banks of the device's memory are refreshed: lines are read from it again and again, and those that wait
// show it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint32_t times = 100;
constexpr const char* waits_label = "what loads of one line wait beyond their usual latency";
constexpr const char* ends_label = "when loads of one line that waited have ended";
constexpr const char* phase_label = "turn of a line's refreshes after those of the first line";

struct Load {
  double end;      // cycles since the first
  double latency;  // cycles
};

// Those that waited, beyond the latency that three in four loads of the line come close to.
struct Waits {
  std::vector<double> ends;
  std::vector<double> cycles;
};

Waits waits_of(const std::vector<Load>& loads) {
  constexpr double least = 70;
  std::vector<double> sorted;
  for (const Load& load : loads) sorted.push_back(load.latency);
  std::sort(sorted.begin(), sorted.end());
  const double usual = sorted[sorted.size() / 4];
  Waits waits;
  for (const Load& load : loads) {
    if (load.latency <= usual + least) continue;
    // The way back from the memory is each line's own.
    waits.ends.push_back(load.end - usual);
    waits.cycles.push_back(load.latency - usual);
  }
  return waits;
}

// How well events follow each other by multiples of a period, 0 to 1, and when, as a part of it.
std::complex<double> turn(const std::vector<double>& events, double period) {
  std::complex<double> sum = 0;
  for (const double event : events) sum += std::polar(1.0, 2 * std::numbers::pi * std::fmod(event, period) / period);
  return events.empty() ? sum : sum / static_cast<double>(events.size());
}

// The period of events. A half or a third of it fits them as well, and better where one now and then falls between:
// the longest multiple of the best one that most of them keep to.
double period_of(const std::vector<std::vector<double>>& lines) {
  const auto fit = [&](double period) {
    double sum = 0;
    for (const auto& events : lines) sum += std::abs(turn(events, period));
    return sum / static_cast<double>(lines.size());
  };
  // The best period between two, and how well it fits.
  const auto best_between = [&](double from, double to) {
    std::pair<double, double> best{from, 0};
    for (double period = from; period < to; period *= 1.0003) {
      const double fits = fit(period);
      if (fits > best.second) best = {period, fits};
    }
    return best;
  };
  const auto best = best_between(1500, 6000);
  double found = best.first;
  for (int multiple = 2; multiple <= 4; ++multiple) {
    const auto other = best_between(multiple * best.first * 0.995, multiple * best.first * 1.005);
    if (other.second > 0.85 * best.second) found = other.first;
  }
  return found;
}

// Loads come at any time of a refresh and wait for its end: as many wait long as wait short, and hardly any longer than
// all of it. Where the ascent of the share that waited no longer than this ends.
double longest_of(std::vector<double> waits) {
  std::sort(waits.begin(), waits.end());
  double longest = 0, most = 0;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const double above =
        static_cast<double>(i + 1) / static_cast<double>(waits.size()) - waits[i] / waits.back();
    if (above > most) {
      most = above;
      longest = waits[i];
    }
  }
  return longest;
}

void measure_refresh(Bench& bench, Findings& findings) {
  if (bench.facts().simulated) throw ProbeRefusal("the simulated L2 does not discard lines");
  if (bench.facts().sm < 80) throw ProbeRefusal("lines are discarded from the L2 from sm_80 on");
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < 64; ++i) offsets.push_back(i * 256);              // 16 KiB
  for (std::uint64_t i = 0; i < 32; ++i) offsets.push_back(i * 2 * kib);          // 64 KiB
  for (std::uint64_t i = 1; i < 64; ++i) offsets.push_back(i * (64 * kib + 512)); // beyond
  const Buffer memory = bench.allocate(8 * kib * kib);
  memory.fill(0);
  // What is written stays, discarded or not: the lines go to the memory first.
  const Buffer flush = bench.allocate_flush();
  flush.fill(0);
  const Buffer list = bench.allocate(offsets.size() * 8);
  const Buffer out = bench.allocate((4 + offsets.size() * times * 2) * 8);
  std::vector<std::uint64_t> lines = offsets;
  for (std::uint64_t& line : lines) line += memory.address();
  list.write(lines);
  bench.run(bench.kernel("random", "lines_anew"), {}, {1},
            Parameters()
                .add(out.address())
                .add(list.address())
                .add(static_cast<std::uint32_t>(lines.size()))
                .add(times));
  const auto words = out.read<std::uint64_t>(4 + lines.size() * times * 2);
  const double ns_per_cycle = static_cast<double>(words[2] - words[0]) / static_cast<double>(words[3] - words[1]);

  std::vector<std::vector<double>> first_ends;  // of the first line, beside each line
  std::vector<Waits> others;
  std::uint64_t turns = 0, before = 0;  // of the clock's lower half
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<Load> loads[2];
    for (std::size_t k = 0; k < 2 * times; ++k) {
      const std::uint64_t word = words[4 + i * 2 * times + k];
      const std::uint64_t low = word >> 32;
      if (low < before) ++turns;
      before = low;
      loads[k % 2].push_back({static_cast<double>(low + (turns << 32)), static_cast<double>(word & 0xffffffff)});
    }
    first_ends.push_back(waits_of(loads[0]).ends);
    others.push_back(waits_of(loads[1]));
    for (const double wait : others.back().cycles)
      findings.sample(waits_label, "bytes", "ns", static_cast<double>(offsets[i]), wait * ns_per_cycle);
  }
  const double origin = first_ends.front().empty() ? 0 : first_ends.front().front();
  for (const double end : first_ends.front())
    findings.sample(ends_label, "cycles", "ns", end - origin, (end - origin) * ns_per_cycle);
  const double period = period_of(first_ends);
  findings.sample("period of a line's refreshes", "loads", "ns", times, period * ns_per_cycle);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto one = turn(first_ends[i], period), other = turn(others[i].ends, period);
    if (std::abs(one) < 0.8 || std::abs(other) < 0.8) continue;  // too few waited to say
    const double after = (std::arg(other) - std::arg(one)) / (2 * std::numbers::pi);
    findings.sample(phase_label, "bytes", "turns", static_cast<double>(offsets[i]), after - std::floor(after));
  }
}

void conclude_refresh(const TargetFacts&, Findings& findings) {
  report_median(findings, "dram.refresh_interval", calib::Unit::ns, "period of a line's refreshes");
  const calib::Series& waits = findings.at(waits_label);
  findings.figure("dram.refresh_time", longest_of(waits.y), calib::Unit::ns, 0, waits.y.size(), waits_label);
}

}  // namespace

extern const Probe memory_refresh{
    "memory.refresh",
    "When lines of the device's memory cannot be read because their banks are refreshed",
    "a line that the L2 is told to discard comes from the memory again",
    80,
    measure_refresh,
    conclude_refresh};

}  // namespace warpgauge::probes
