// Which line makes way in a set, of caches whose index nobody knows. A line's set is found by what drives the
// line out: of many lines that do, halves, quarters and so on are left out as long as the rest still does,
// until each that is left is needed. Those and the line are one more than the set holds. A row of accesses to
// them is then held against policies.
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "probes/draw.h"
#include "probes/memory/policies.h"
#include "probes/sass/walk.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint32_t l1_line = 128;
constexpr std::uint32_t mib = 1024 * 1024;
constexpr std::uint32_t constant_line = 64, bank_bytes = 65536;

// A load that takes this much longer than one that hits, at least, was no hit.
constexpr double miss_share = 1.5;

// Whether laps over the others drive the line out.
using DrivenOut = std::function<bool(std::uint32_t line, const std::vector<std::uint32_t>& others)>;

// Of these lines as many as it takes to drive the line out, none of which can be left out; none if that takes
// too long, as where a set has hundreds of ways.
std::vector<std::uint32_t> needed(const DrivenOut& driven_out, std::uint32_t line,
                                  std::vector<std::uint32_t> others) {
  int questions_left = 4000;
  for (std::size_t chunk = others.size() / 2;; chunk = std::max<std::size_t>(chunk / 2, 1)) {
    bool dropped = false;
    for (std::size_t at = 0; at < others.size();) {
      if (--questions_left < 0) return {};
      const auto part = others.begin() + static_cast<std::ptrdiff_t>(at);
      std::vector<std::uint32_t> rest(others.begin(), part);
      if (at + chunk < others.size())
        rest.insert(rest.end(), part + static_cast<std::ptrdiff_t>(chunk), others.end());
      if (!rest.empty() && driven_out(line, rest)) {
        others = std::move(rest);
        dropped = true;
      } else {
        at += chunk;
      }
    }
    if (chunk <= 1 && !dropped) return others;
  }
}

std::string ways_label(const std::string& cache) {
  return "lines that drive another out, " + cache;
}
std::string crowded_label(const std::string& cache) {
  return "lines of many that others drive out, " + cache;
}
std::string accesses_label(const std::string& cache, int set) {
  return "accesses to lines of one set, " + cache + ", set " + std::to_string(set);
}
std::string hit_label(const std::string& cache) {
  return "load of a place again, " + cache;
}
std::string share_label(const std::string& cache, Policy policy) {
  return "accesses that " + std::string(name_of(policy)) + " explains, " + cache;
}

constexpr int most_sets = 3;

// Accesses to lines drawn from these, each with its cycles; x: the line.
void sample_accesses(Walk& walk, Findings& findings, const std::string& label,
                     const std::vector<std::uint32_t>& lines, std::size_t count, Draw& draw) {
  std::vector<std::uint32_t> which(count), places(count);
  for (std::size_t i = 0; i < count; ++i) {
    which[i] = draw.below(lines.size());
    places[i] = lines[which[i]];
  }
  const auto cycles = walk(places);
  for (std::size_t i = 0; i < count; ++i) findings.sample(label, "line", "cycles", which[i], cycles[i]);
}

// Samples a load that hits, and returns the cycles beyond which a load was none.
double sample_hits(Walk& walk, Findings& findings, const std::string& cache, std::uint32_t place) {
  const auto cycles = walk(std::vector<std::uint32_t>(32, place));
  for (const std::uint32_t each : cycles) findings.sample(hit_label(cache), "load", "cycles", 0, each);
  return miss_share * *std::min_element(cycles.begin(), cycles.end());
}

// Sets of the cache, found among the pool's lines by those that are driven out, and accesses to the lines of
// each.
void sample_sets(Bench& bench, Findings& findings, Walk& walk, const std::string& cache,
                 const DrivenOut& driven_out, const std::vector<std::uint32_t>& pool,
                 const std::vector<std::uint32_t>& crowded, std::size_t accesses) {
  Draw draw(pool.size());
  int found = 0, tried = 0;
  std::set<std::uint32_t> known;
  for (const std::uint32_t line : crowded) {
    if (found == (bench.facts().simulated ? 1 : most_sets) || tried == 4 * most_sets) break;
    if (known.contains(line)) continue;  // of a set that has been asked
    ++tried;
    std::vector<std::uint32_t> others = pool;
    std::erase(others, line);
    if (!driven_out(line, others)) continue;
    std::vector<std::uint32_t> lines = needed(driven_out, line, std::move(others));
    if (lines.empty()) return;
    findings.sample(ways_label(cache), "set", "lines", ++found, static_cast<double>(lines.size()));
    lines.push_back(line);
    known.insert(lines.begin(), lines.end());
    sample_accesses(walk, findings, accesses_label(cache, found), lines, accesses, draw);
  }
}

// The same of a cache that one walk can crowd.
void sample_small_sets(Bench& bench, Findings& findings, Walk& walk, const std::string& cache,
                       std::vector<std::uint32_t> pool) {
  Draw draw(pool.size());
  draw.shuffle(pool);
  const double miss = sample_hits(walk, findings, cache, pool.front());
  const std::size_t steps = bench.facts().simulated ? 1024 : 4096;
  const DrivenOut driven_out = [&](std::uint32_t line, const std::vector<std::uint32_t>& others) {
    std::vector<std::uint32_t> places{line};
    const std::size_t laps = std::clamp<std::size_t>(steps / others.size(), 2, 16);
    for (std::size_t lap = 0; lap < laps; ++lap) places.insert(places.end(), others.begin(), others.end());
    places.push_back(line);
    return walk(places).back() > miss;
  };
  std::vector<std::uint32_t> places, crowded;
  for (int lap = 0; lap < 3; ++lap) places.insert(places.end(), pool.begin(), pool.end());
  const auto cycles = walk(places);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (cycles[2 * pool.size() + i] > miss) crowded.push_back(pool[i]);
  }
  findings.sample(crowded_label(cache), "lines", "share", static_cast<double>(pool.size()),
                  static_cast<double>(crowded.size()) / static_cast<double>(pool.size()));
  sample_sets(bench, findings, walk, cache, driven_out, pool, crowded, 2048);
}

const char* const l1_tags = "tags of the L1";
const char* const l1_data = "data of the L1";
const char* const constant_l1 = "constant cache";
const char* const unknown = "no policy explains what hits and what misses";

// Lines that have a set each, and tags enough: what is short is room for data.
void sample_data(Findings& findings, Walk& walk) {
  const double miss = sample_hits(walk, findings, l1_data, 0);
  const auto stay = [&](std::uint32_t count) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < 3 * count; ++i) places.push_back(i % count * l1_line);
    const auto cycles = walk(places);
    return std::none_of(cycles.end() - count, cycles.end(), [&](std::uint32_t each) { return each > miss; });
  };
  std::uint32_t within = 1, beyond = static_cast<std::uint32_t>(most_steps / 3);
  if (stay(beyond)) return;
  while (beyond - within > 1) {
    const std::uint32_t middle = (within + beyond) / 2;
    (stay(middle) ? within : beyond) = middle;
  }
  findings.sample(ways_label(l1_data), "set", "lines", 1, within);
  std::vector<std::uint32_t> lines;
  for (std::uint32_t i = 0; i < within + within / 8 + 1; ++i) lines.push_back(i * l1_line);
  Draw draw(within);
  sample_accesses(walk, findings, accesses_label(l1_data, 1), lines, 4096, draw);
}

void measure_l1(Bench& bench, Findings& findings) {
  SassModule module(bench, {walk_kernel(bench.facts().sm, Space::global)});
  const Buffer memory = bench.allocate(16 * mib);
  memory.fill(0);
  constexpr int no_shared = 0, all_shared = 100;
  Walk wide(bench, module, Space::global, memory.address(), no_shared);
  // So few that the data has room for all of them, and some sets too little.
  constexpr std::uint32_t pool_lines = 1024;
  std::set<std::uint32_t> pool;
  for (Draw draw(1); pool.size() < pool_lines;) pool.insert(draw.below(16 * mib / l1_line) * l1_line);
  sample_small_sets(bench, findings, wide, l1_tags, {pool.begin(), pool.end()});
  Walk narrow(bench, module, Space::global, memory.address(), all_shared);
  sample_data(findings, narrow);
}

void measure_constant(Bench& bench, Findings& findings) {
  SassModule module(bench, {walk_kernel(bench.facts().sm, Space::constant)},
                    std::vector<std::uint32_t>(bank_bytes / 4));
  Walk walk(bench, module, Space::constant, 0, 0);
  std::vector<std::uint32_t> pool;
  for (std::uint32_t place = 0; place < bank_bytes; place += constant_line) pool.push_back(place);
  sample_small_sets(bench, findings, walk, constant_l1, pool);
}

// The policy that explains the accesses to all sets that were found; nothing where none does, or where there
// is no set.
std::optional<Match> policy_of(Findings& findings, const std::string& cache) {
  const calib::Series* ways = findings.find(ways_label(cache));
  if (ways == nullptr) return std::nullopt;
  const calib::Series hit = findings.at(hit_label(cache));
  const double miss = miss_share * *std::min_element(hit.y.begin(), hit.y.end());
  const std::vector<double> sizes = ways->y;
  std::vector<Match> sum;
  for (std::size_t set = 0; set < sizes.size(); ++set) {
    const calib::Series accesses = findings.at(accesses_label(cache, static_cast<int>(set) + 1));
    const std::vector<std::uint32_t> lines(accesses.x.begin(), accesses.x.end());
    std::vector<bool> hits;
    for (const double cycles : accesses.y) hits.push_back(cycles <= miss);
    for (const Match& match : matches(static_cast<unsigned>(sizes[set]), lines, hits)) {
      findings.sample(share_label(cache, match.policy), "ways", "share", sizes[set], match.share);
      const auto known =
          std::find_if(sum.begin(), sum.end(), [&](const Match& m) { return m.policy == match.policy; });
      if (known == sum.end()) {
        sum.push_back({match.policy, match.share / static_cast<double>(sizes.size()), match.age});
      } else {
        known->share += match.share / static_cast<double>(sizes.size());
      }
    }
  }
  std::stable_sort(sum.begin(), sum.end(), [](const Match& a, const Match& b) { return a.share > b.share; });
  const auto policy = explanation(sum);
  const auto found = std::find_if(sum.begin(), sum.end(), [&](const Match& m) { return policy == m.policy; });
  return found == sum.end() ? std::nullopt : std::optional(*found);
}

void report(Findings& findings, const std::string& key, const Match& found, const std::string& cache) {
  const std::uint64_t accesses =
      findings.at(accesses_label(cache, 1)).x.size() * findings.at(ways_label(cache)).x.size();
  findings.result.figures.push_back({key, std::string(choice_of(found.policy)), calib::Unit::choice, 0,
                                     accesses, share_label(cache, found.policy)});
}

std::optional<Match> conclude_on(Findings& findings, const std::string& key, const std::string& cache) {
  const auto found = policy_of(findings, cache);
  if (found) report(findings, key, *found, cache);
  return found;
}

// Where the tags have sets they tell; what makes way where data is short beside them is in the samples.
void conclude_l1(const TargetFacts&, Findings& findings) {
  const auto data = policy_of(findings, l1_data);
  if (const auto tags = conclude_on(findings, "l1.replacement", l1_tags)) {
    if (tags->policy == Policy::lru || tags->policy == Policy::aged)
      findings.figure("l1.new_line_age", tags->age, calib::Unit::count, 0,
                      findings.at(ways_label(l1_tags)).x.size(), share_label(l1_tags, tags->policy));
    return;
  }
  if (findings.find(ways_label(l1_tags)) != nullptr || !data) throw ProbeRefusal(unknown);
  report(findings, "l1.replacement", *data, l1_data);
}

void conclude_constant(const TargetFacts&, Findings& findings) {
  if (!conclude_on(findings, "constant.l1_replacement", constant_l1)) throw ProbeRefusal(unknown);
}

}  // namespace

extern const Probe l1_replacement{
    "l1.replacement",
    "Which line makes way in a set of the L1's tags, and which where its data is full",
    "Jia2018 section 3.2, table 3.1; Jia2019 section 3.1.2",
    70,
    measure_l1,
    conclude_l1};
extern const Probe constant_replacement{
    "constant.replacement", "Which line makes way in a set of the constant cache",
    "Jia2018 section 3.4",  70,
    measure_constant,       conclude_constant};

}  // namespace warpgauge::probes
