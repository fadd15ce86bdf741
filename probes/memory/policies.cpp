#include "probes/memory/policies.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "probes/draw.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint32_t empty = ~std::uint32_t{0};

// One set of a cache. A line takes the first empty way; then the policy says which makes way.
class Set {
 public:
  Set(Policy policy, unsigned ways, std::uint64_t seed, unsigned age)
      : policy_(policy),
        age_(age),
        lines_(ways, empty),
        order_(ways),
        hit_(ways),
        used_(ways),
        turns_(ways),
        draw_(seed * 2 + 1) {
    for (unsigned way = 0; way < ways; ++way) order_[way] = way;
  }

  bool access(std::uint32_t line) {
    const auto found = std::find(lines_.begin(), lines_.end(), line);
    const bool hit = found != lines_.end();
    const auto way = static_cast<unsigned>(hit ? found - lines_.begin() : victim());
    lines_[way] = line;
    if (!hit || policy_ != Policy::fifo) {
      order_.erase(std::find(order_.begin(), order_.end(), way));
      order_.push_back(way);
    }
    hit_[way] = hit ? ++hits_ : hits_ - age_;
    used_[way] = 1;
    point_away_from(way);
    return hit;
  }

 private:
  std::ptrdiff_t victim() {
    const auto room = std::find(lines_.begin(), lines_.end(), empty);
    if (room != lines_.end()) return room - lines_.begin();
    switch (policy_) {
      case Policy::lru:
      case Policy::fifo:
        return order_.front();
      case Policy::aged:  // the first in turn of those whose last hit is as long ago
        return *std::min_element(order_.begin(), order_.end(),
                                 [&](unsigned a, unsigned b) { return hit_[a] < hit_[b]; });
      case Policy::tree:
        return leaf();
      case Policy::clock:
        while (std::exchange(used_[hand_], 0) != 0) hand_ = (hand_ + 1) % used_.size();
        return static_cast<std::ptrdiff_t>(std::exchange(hand_, (hand_ + 1) % used_.size()));
      case Policy::unused_first:
      case Policy::unused_random:
        return unused();
      case Policy::random:
        return static_cast<std::ptrdiff_t>(draw_.below(lines_.size()));
    }
    return 0;
  }

  std::ptrdiff_t unused() {
    if (std::find(used_.begin(), used_.end(), 0) == used_.end()) std::fill(used_.begin(), used_.end(), 0);
    std::size_t skip = 0;
    if (policy_ == Policy::unused_random)
      skip = draw_.below(static_cast<std::size_t>(std::count(used_.begin(), used_.end(), 0)));
    std::size_t way = 0;
    while (used_[way] != 0 || skip-- > 0) ++way;
    return static_cast<std::ptrdiff_t>(way);
  }

  // Node n of the tree has 2n and 2n + 1 below it; each bit points to the half that was used longer ago.
  std::ptrdiff_t leaf() const {
    std::size_t node = 1;
    while (node < lines_.size()) node = 2 * node + static_cast<std::size_t>(turns_[node]);
    return static_cast<std::ptrdiff_t>(node - lines_.size());
  }
  void point_away_from(unsigned way) {
    if (policy_ != Policy::tree) return;
    for (std::size_t node = way + lines_.size(); node > 1; node /= 2)
      turns_[node / 2] = node % 2 == 0 ? 1 : 0;
  }

  Policy policy_;
  std::int64_t age_;
  std::vector<std::uint32_t> lines_;
  std::vector<unsigned> order_;  // ways, whose turn it is first
  std::vector<std::int64_t> hit_;
  std::int64_t hits_ = 0;
  std::vector<char> used_;  // 0 or 1
  std::vector<char> turns_;
  std::size_t hand_ = 0;
  Draw draw_;
};

// By how many other lines were used since a line's last use: how often it was, and how often it hit.
struct Profile {
  std::vector<double> uses, hits;
};

std::vector<std::size_t> distances(std::span<const std::uint32_t> lines) {
  std::vector<std::size_t> result;
  std::vector<std::uint32_t> recent;  // the last used at the end
  for (const std::uint32_t line : lines) {
    const auto found = std::find(recent.rbegin(), recent.rend(), line);
    result.push_back(found == recent.rend() ? lines.size()
                                            : static_cast<std::size_t>(found - recent.rbegin()));
    if (found != recent.rend()) recent.erase(std::next(found).base());
    recent.push_back(line);
  }
  return result;
}

// In so few steps that each has uses enough.
Profile profile(std::span<const std::size_t> at, const std::vector<bool>& hits) {
  constexpr std::size_t steps = 16;
  std::size_t most = 0;
  for (const std::size_t distance : at) {
    if (distance != at.size()) most = std::max(most, distance);
  }
  const std::size_t step = most / steps + 1;
  Profile p{std::vector<double>(most / step + 1), std::vector<double>(most / step + 1)};
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] == at.size()) continue;  // a first use
    ++p.uses[at[i] / step];
    if (hits[i]) ++p.hits[at[i] / step];
  }
  return p;
}

double agreement(const std::vector<bool>& hits, const std::vector<bool>& expected) {
  double share = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) share += hits[i] == expected[i] ? 1 : 0;
  return share / static_cast<double>(hits.size());
}

constexpr unsigned most_age = 4;
constexpr std::uint64_t draws_of_a_policy = 16;
constexpr double explained = 0.98;           // of the accesses, at least
constexpr double explained_by_draws = 0.97;  // frequencies of some thousand accesses are no nearer

// Whether the next of its kind comes as near. Of one that does not draw it must leave twice as much
// unexplained.
bool rivals(const Match& best, const Match& other) {
  if (draws(best.policy)) return other.share > best.share - 0.01;
  return 1 - other.share < 2 * (1 - best.share) + 0.001;
}

double enough(Policy policy) {
  return draws(policy) ? explained_by_draws : explained;
}

}  // namespace

std::string_view name_of(Policy policy) {
  switch (policy) {
    case Policy::lru:
      return "LRU";
    case Policy::aged:
      return "LRU with aged new lines";
    case Policy::fifo:
      return "FIFO";
    case Policy::tree:
      return "tree pseudo-LRU";
    case Policy::clock:
      return "clock";
    case Policy::unused_first:
      return "first not used";
    case Policy::unused_random:
      return "random of those not used";
    case Policy::random:
      return "random";
  }
  return "";
}

std::string_view choice_of(Policy policy) {
  switch (policy) {
    case Policy::lru:
      return "lru";
    case Policy::fifo:
      return "fifo";
    case Policy::random:
      return "random";
    default:
      return "not_lru";
  }
}

std::vector<bool> hits_of(Policy policy, unsigned ways, std::span<const std::uint32_t> lines,
                          std::uint64_t seed, unsigned age) {
  Set set(policy, ways, seed, age);
  std::vector<bool> hits;
  hits.reserve(lines.size());
  for (const std::uint32_t line : lines) hits.push_back(set.access(line));
  return hits;
}

std::vector<Match> matches(unsigned ways, std::span<const std::uint32_t> lines,
                           const std::vector<bool>& hits) {
  std::vector<Match> found;
  const std::vector<std::size_t> at = distances(lines);
  const Profile seen = profile(at, hits);
  for (const Policy policy : all_policies) {
    if (policy == Policy::tree && !std::has_single_bit(ways)) continue;
    double share = 0;
    unsigned age = 0;
    if (policy == Policy::aged) {
      for (unsigned each = 1; each <= most_age; ++each) {
        const double of = agreement(hits, hits_of(policy, ways, lines, 1, each));
        if (of > share) age = each;
        share = std::max(share, of);
      }
    } else if (!draws(policy)) {
      share = agreement(hits, hits_of(policy, ways, lines));
    } else {
      Profile mean;
      mean.hits.resize(seen.hits.size());
      for (std::uint64_t seed = 1; seed <= draws_of_a_policy; ++seed) {
        const Profile one = profile(at, hits_of(policy, ways, lines, seed));
        for (std::size_t d = 0; d < mean.hits.size(); ++d) mean.hits[d] += one.hits[d] / draws_of_a_policy;
      }
      double off = 0, uses = 0;
      for (std::size_t d = 0; d < seen.uses.size(); ++d) {
        off += std::abs(seen.hits[d] - mean.hits[d]);
        uses += seen.uses[d];
      }
      share = uses == 0 ? 0 : 1 - off / uses;
    }
    found.push_back({policy, share, age});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Match& a, const Match& b) { return a.share > b.share; });
  return found;
}

std::optional<Policy> explanation(std::span<const Match> best_first) {
  // A policy that explains every access beats one whose frequencies happen to be alike.
  const Match* best = nullptr;
  for (const bool drawing : {false, true}) {
    for (const Match& match : best_first) {
      if (best == nullptr && draws(match.policy) == drawing && match.share >= enough(match.policy))
        best = &match;
    }
  }
  if (best == nullptr) return std::nullopt;
  for (const Match& other : best_first) {
    if (&other != best && draws(other.policy) == draws(best->policy) && rivals(*best, other))
      return std::nullopt;
  }
  return best->policy;
}

}  // namespace warpgauge::probes
