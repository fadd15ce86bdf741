// What the L2 keeps when more comes than it has room for. One SM reads lines until the L2 is full of them, then lines of
// which every other stretch is read again, then so many new ones, and times loads of samples: who is there still?
// If what was used longest ago makes way, lines that were read once go before those that were read again, one kind after the
// other; if what came first, both go at the same time; if any, both at the same rate from the first new line on. No
// line's set needs to be known for that, unlike what `l1.replacement` asks.
#include <algorithm>
#include <cmath>
#include <string>

#include "probes/bench.h"
#include "probes/draw.h"
#include "probes/probe.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint64_t line_bytes = 128;
constexpr std::uint32_t stretch = 64;  // lines that are read alike
constexpr std::uint32_t samples_of_a_kind = 512;
// Of half the L2: lines of which every other stretch is read again, and the most that come then.
constexpr std::uint32_t kept_eighths = 4, most_new = 20;

constexpr const char* once_label = "share of lines read once that are kept";
constexpr const char* again_label = "share of lines read again that are kept";
constexpr const char* new_label = "share of the new lines that are kept";
constexpr const char* hit_label = "latency of lines read last";

struct Range {
  std::uint32_t first, count, run, period;
};

// A line that the SM's own partition no longer has takes 1.8 times as long as one that it has, from the other partition,
// and more than twice as long from the memory.
constexpr double still_there = 1.4;

class Reader {
 public:
  Reader(Bench& bench, std::uint64_t lines)
      : bench_(bench),
        memory_(bench.allocate(lines * line_bytes)),
        ranges_(bench.allocate(4096)),
        samples_(bench.allocate(std::uint64_t{4} * 3 * samples_of_a_kind)),
        out_(bench.allocate(std::uint64_t{4} * 3 * samples_of_a_kind + 4)) {
    if (!bench.facts().simulated) memory_.fill(0);
  }

  // Cycles of a load of each of the lines after the ranges were read.
  std::vector<std::uint32_t> operator()(const std::vector<Range>& ranges, const std::vector<std::uint32_t>& lines) {
    std::vector<std::uint32_t> words;
    for (const Range& range : ranges) words.insert(words.end(), {range.first, range.count, range.run, range.period});
    ranges_.write(words);
    samples_.write(lines);
    bench_.run(bench_.kernel("l2", "read_ranges"), {1}, {1024},
               Parameters()
                   .add(out_.address())
                   .add(memory_.address())
                   .add(ranges_.address())
                   .add(static_cast<std::uint32_t>(ranges.size()))
                   .add(samples_.address())
                   .add(static_cast<std::uint32_t>(lines.size())),
               static_cast<std::uint32_t>(4 * lines.size()));
    return out_.read<std::uint32_t>(lines.size());
  }

 private:
  Bench& bench_;
  Buffer memory_, ranges_, samples_, out_;
};

// Numbers below `end` drawn without any that lies in the stretch of one before it, so that no sample brings another.
std::vector<std::uint32_t> drawn(Draw& draw, std::uint32_t end) {
  std::vector<std::uint32_t> stretches(end / stretch);
  for (std::uint32_t i = 0; i < stretches.size(); ++i) stretches[i] = i;
  draw.shuffle(stretches);
  stretches.resize(std::min<std::size_t>(stretches.size(), samples_of_a_kind));
  for (std::uint32_t& each : stretches) each = each * stretch + draw.below(stretch);
  return stretches;
}

void measure(Bench& bench, Findings& findings) {
  const bool simulated = bench.facts().simulated;
  // All parts in eighths of half the L2, which is what one SM finds of an L2 in two partitions.
  const auto eighth = static_cast<std::uint32_t>(bench.facts().l2_bytes / 2 / 8 / line_bytes / (2 * stretch) * (2 * stretch));
  // A simulated device begins with nothing in its L2.
  const std::uint32_t before = (simulated ? 16 : 24) * eighth, kept = kept_eighths * eighth;
  Reader read(bench, before + kept + std::uint64_t{most_new} * eighth);
  Draw draw(1);
  double hit = 0;
  for (std::uint32_t news = 0; news <= most_new; news += simulated ? 2 : 1) {
    const std::vector<Range> ranges = {{0, before, before, before},
                                       {before, kept, kept, kept},
                                       {before, kept / 2, stretch, 2 * stretch},
                                       {before + kept, news * eighth, most_new * eighth, most_new * eighth}};
    std::vector<std::uint32_t> lines;
    std::vector<const char*> kinds;
    for (const std::uint32_t line : drawn(draw, kept)) {
      lines.push_back(before + line);
      kinds.push_back(line / stretch % 2 == 0 ? again_label : once_label);
    }
    for (const std::uint32_t line : drawn(draw, news * eighth)) {
      lines.push_back(before + kept + line);
      kinds.push_back(new_label);
    }
    const auto cycles = read(ranges, lines);
    if (news == 0) {
      std::vector<double> last;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (kinds[i] == again_label) last.push_back(cycles[i]);
      }
      hit = calib::median(last);
      findings.sample(hit_label, "line", "cycles", 0, hit);
    }
    const double bytes = static_cast<double>(news) * eighth * line_bytes;
    for (const char* kind : {once_label, again_label, new_label}) {
      double asked = 0, there = 0;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (kinds[i] != kind) continue;
        ++asked;
        if (cycles[i] < still_there * hit) ++there;
      }
      if (asked == 0) continue;
      findings.sample(kind, "bytes", "share", bytes, there / asked);
    }
    const auto gone = [&](const char* kind) { return findings.at(kind).y.back() < 0.05; };
    if (simulated && gone(once_label) && gone(again_label)) break;
  }
}

// How many new lines it takes until half of those are gone that were there without any: between the last point with more
// and the first with less.
double half_gone(const calib::Series& kept) {
  const double half = 0.5 * kept.y.at(0);
  for (std::size_t i = 1; i < kept.y.size(); ++i) {
    if (kept.y[i] >= half) continue;
    const double part = (kept.y[i - 1] - half) / (kept.y[i - 1] - kept.y[i]);
    return kept.x[i - 1] + part * (kept.x[i] - kept.x[i - 1]);
  }
  throw ProbeRefusal("new lines have not driven out half of \"" + kept.label + "\"");
}

// How long the kind takes to go, from nine tenths to one, over what it takes to drive half out: at the same rate from the
// first new line on that is 3.2, where they go in the order in which they came a third of that or less.
double width(const calib::Series& kept) {
  double high = 0, low = kept.x.back();
  for (std::size_t i = 0; i < kept.y.size(); ++i) {
    if (kept.y[i] > 0.9 * kept.y[0]) high = kept.x[i];
    if (kept.y[i] < 0.1 * kept.y[0]) low = std::min(low, kept.x[i]);
  }
  return (low - high) / half_gone(kept);
}

void conclude(const TargetFacts& facts, Findings& findings) {
  const calib::Series& once = findings.at(once_label);
  const calib::Series& again = findings.at(again_label);
  const double apart = half_gone(again) - half_gone(once);
  // Half of the lines were read again: where what was used longest ago goes, they go half of all later.
  const double lines = static_cast<double>(facts.l2_bytes) / 2 / 8 * kept_eighths;
  std::string policy;
  if (apart > 0.35 * lines)
    policy = "lru";
  else if (apart > 0.15 * lines)
    policy = "not_lru";
  else
    policy = width(again) < 1.5 ? "fifo" : "random";
  findings.result.figures.push_back({"l2.replacement", policy, calib::Unit::choice, 0, once.x.size() + again.x.size(), again_label});
}

}  // namespace

extern const Probe l2_replacement{"l2.replacement", "Which lines the L2 keeps when more come than it has room for", "Jia2018 section 3.2", 70,
                                  measure, conclude};

}  // namespace warpgauge::probes
