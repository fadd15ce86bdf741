#include "model/registers/colouring.h"

#include <algorithm>
#include <numeric>

#include "model/registers/random.h"

namespace warpgauge::registers {

namespace {

constexpr std::uint8_t unplaced = 255;

enum class Order : std::uint8_t { widest_first, first_use, smallest_last };

class Builder {
 public:
  Builder(const Analysis& analysis, const ConflictCost& cost, unsigned limit)
      : analysis_(analysis), cost_(cost), limit_(limit), assignment_(analysis.webs.webs.size(), unplaced) {}

  std::optional<Assignment> build(Order order, Random& random) {
    for (const Group& g : analysis_.webs.groups)
      if (g.pinned)
        for (const WebId w : g.webs) assignment_[w] = analysis_.webs.webs[w].register_;
    for (const GroupId g : ordered(order, random))
      if (!analysis_.webs.groups[g].pinned && !place(analysis_.webs.groups[g])) return std::nullopt;
    return assignment_;
  }

 private:
  std::vector<GroupId> ordered(Order order, Random& random) const {
    const auto& groups = analysis_.webs.groups;
    std::vector<std::uint32_t> rank(groups.size(), 0xffffffff);
    if (order == Order::smallest_last) {
      std::uint32_t k = 0;
      for (const WebId w : analysis_.graph.smallest_last_order()) {
        std::uint32_t& r = rank[analysis_.webs.webs[w].group];
        r = std::min(r, k++);
      }
    } else {
      for (std::uint32_t i = 0; i < analysis_.code.size(); ++i)
        for (std::size_t k = 0; k < analysis_.accesses.of(i).size(); ++k) {
          const WebId w = analysis_.web_of(i, k);
          if (w == no_web) continue;
          std::uint32_t& r = rank[analysis_.webs.webs[w].group];
          r = std::min(r, i);
        }
    }
    std::vector<GroupId> sorted(groups.size());
    std::iota(sorted.begin(), sorted.end(), GroupId{0});
    std::vector<std::uint64_t> salt(groups.size());
    for (std::uint64_t& s : salt) s = random.next();
    std::sort(sorted.begin(), sorted.end(), [&](GroupId a, GroupId b) {
      if (order == Order::widest_first) {
        const auto wide = [&](GroupId g) { return std::pair(groups[g].alignment, groups[g].webs.size()); };
        if (wide(a) != wide(b)) return wide(a) > wide(b);
      }
      if (rank[a] != rank[b]) return rank[a] < rank[b];
      return salt[a] < salt[b];
    });
    return sorted;
  }

  bool place(const Group& group) {
    const auto& webs = analysis_.webs.webs;
    std::vector<RegisterSet> taken(group.webs.size());
    for (std::size_t k = 0; k < group.webs.size(); ++k)
      for (const WebId n : analysis_.graph.neighbours(group.webs[k]))
        if (assignment_[n] != unplaced) taken[k].set(assignment_[n]);
    const int low = webs[group.webs.front()].register_;
    const int high = webs[group.webs.back()].register_;
    const int step = static_cast<int>(group.alignment);
    int best = 0;
    double best_cost = -1;
    for (int shift = -(low / step) * step; high + shift < static_cast<int>(limit_); shift += step) {
      bool free = true;
      for (std::size_t k = 0; free && k < group.webs.size(); ++k)
        free = !taken[k].test(static_cast<unsigned>(webs[group.webs[k]].register_ + shift));
      if (!free) continue;
      const double here = cost_at(group, shift);
      if (best_cost < 0 || here < best_cost) {
        best = shift;
        best_cost = here;
      }
      // Low registers leave wide gaps above; look a little further for a better bank only.
      if (best_cost == 0 || shift >= best + 2 * step) break;
    }
    if (best_cost < 0) return false;
    for (const WebId w : group.webs) assignment_[w] = static_cast<std::uint8_t>(webs[w].register_ + best);
    return true;
  }

  // What the sites cost whose registers are all known once the group stands there.
  double cost_at(const Group& group, int shift) {
    for (const WebId w : group.webs)
      assignment_[w] = static_cast<std::uint8_t>(analysis_.webs.webs[w].register_ + shift);
    double sum = 0;
    for (const WebId w : group.webs)
      for (const std::uint32_t s : cost_.sites_of(w)) {
        const auto site = cost_.webs_of(s);
        if (std::all_of(site.begin(), site.end(), [&](WebId v) { return assignment_[v] != unplaced; }))
          sum += cost_.cost(s, assignment_);
      }
    for (const WebId w : group.webs) assignment_[w] = unplaced;
    return sum;
  }

  const Analysis& analysis_;
  const ConflictCost& cost_;
  unsigned limit_;
  Assignment assignment_;
};

}  // namespace

std::optional<Assignment> colour(const Analysis& analysis, const ConflictCost& cost, unsigned limit,
                                 std::uint64_t seed) {
  Random random(seed);
  for (const Order order : {Order::first_use, Order::widest_first, Order::smallest_last}) {
    std::optional<Assignment> built = Builder(analysis, cost, limit).build(order, random);
    if (built && is_valid(analysis, *built, limit)) return built;
  }
  return std::nullopt;
}

LowestCount lowest_register_count(const Analysis& analysis, const ConflictCost& cost, std::uint64_t seed) {
  LowestCount best{registers_used(analysis), original_assignment(analysis)};
  unsigned low = register_pressure(analysis.code, analysis.flow, analysis.accesses, analysis.live);
  for (const Web& w : analysis.webs.webs)
    if (w.pinned && w.reads + w.writes != 0) low = std::max(low, w.register_ + 1U);
  while (low < best.registers) {
    const unsigned middle = low + (best.registers - 1 - low) / 2;
    if (std::optional<Assignment> found = colour(analysis, cost, middle, seed)) {
      best = {middle, std::move(*found)};
    } else {
      low = middle + 1;
    }
  }
  return best;
}

}  // namespace warpgauge::registers
