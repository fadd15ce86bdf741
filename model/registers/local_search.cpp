#include <algorithm>
#include <cmath>

#include "model/registers/colouring.h"
#include "model/registers/random.h"

namespace warpgauge::registers {

namespace {

constexpr std::size_t longest_chain = 96;

class Search {
 public:
  Search(const Analysis& analysis, const ConflictCost& cost, Assignment start, const SearchOptions& options)
      : analysis_(analysis),
        webs_(analysis.webs.webs),
        cost_(cost),
        options_(options),
        random_(options.seed),
        now_(std::move(start)),
        moved_stamp_(webs_.size(), 0),
        site_stamp_(cost.sites().size(), 0),
        site_cost_(cost.sites().size(), 0),
        costly_at_(cost.sites().size(), not_costly) {
    for (std::uint32_t s = 0; s < site_cost_.size(); ++s) set_cost(s, cost_.cost(s, now_));
  }

  Assignment run() {
    Assignment best = now_;
    double best_total = total_;
    const auto deadline = std::chrono::steady_clock::now() + options_.time;
    for (std::uint64_t n = 0; n < options_.evaluations && !costly_.empty(); ++n) {
      if (n % 512 == 0 && std::chrono::steady_clock::now() >= deadline) break;
      const std::uint32_t site = pick_site();
      const double heat = 0.4 * (1.0 - static_cast<double>(n) / static_cast<double>(options_.evaluations));
      attempt(site, heat * cost_.sites()[site].weight);
      if (total_ < best_total - 1e-9 * best_total) {
        best_total = total_;
        best = now_;
      }
    }
    return best;
  }

 private:
  static constexpr std::uint32_t not_costly = 0xffffffff;

  void set_cost(std::uint32_t site, double cost) {
    total_ += cost - site_cost_[site];
    site_cost_[site] = cost;
    std::uint32_t& at = costly_at_[site];
    if (cost > 0 && at == not_costly) {
      at = static_cast<std::uint32_t>(costly_.size());
      costly_.push_back(site);
    } else if (cost <= 0 && at != not_costly) {
      costly_[at] = costly_.back();
      costly_at_[costly_[at]] = at;
      costly_.pop_back();
      at = not_costly;
    }
  }

  // The dearer of two that are drawn, so that inner loops come first without starving the rest.
  std::uint32_t pick_site() {
    const std::uint32_t a = costly_[random_.below(costly_.size())];
    const std::uint32_t b = costly_[random_.below(costly_.size())];
    return site_cost_[b] > site_cost_[a] ? b : a;
  }

  void attempt(std::uint32_t site, double temperature) {
    const auto webs = cost_.webs_of(site);
    const WebId web = webs[random_.below(webs.size())];
    const Group& group = analysis_.webs.groups[webs_[web].group];
    if (group.pinned) return;
    undo_.clear();
    ++stamp_;
    const bool moved = group.webs.size() == 1 ? move_single(web) : move_group(group);
    if (!moved) {
      undo();
      return;
    }
    touched_.clear();
    double change = 0;
    for (const auto& [w, old] : undo_)
      for (const std::uint32_t s : cost_.sites_of(w)) {
        if (site_stamp_[s] == stamp_) continue;
        site_stamp_[s] = stamp_;
        touched_.emplace_back(s, cost_.cost(s, now_));
        change += touched_.back().second - site_cost_[s];
      }
    const bool accept = change <= 0 || (temperature > 0 && random_.unit() < std::exp(-change / temperature));
    if (!accept) {
      undo();
      return;
    }
    for (const auto& [s, value] : touched_) set_cost(s, value);
  }

  void put(WebId web, std::uint8_t to) {
    undo_.emplace_back(web, now_[web]);
    now_[web] = to;
    moved_stamp_[web] = stamp_;
  }

  void undo() {
    for (std::size_t k = undo_.size(); k-- > 0;) now_[undo_[k].first] = undo_[k].second;
  }

  [[nodiscard]] RegisterSet taken_around(WebId web) const {
    RegisterSet taken;
    for (const WebId n : analysis_.graph.neighbours(web)) taken.set(now_[n]);
    return taken;
  }

  // To a register of another bank: a free one when there is one and the coin says so, else by exchanging two
  // registers along the chain of webs that stand in each other's way.
  bool move_single(WebId web) {
    const unsigned limit = options_.limit;
    const unsigned from_bank = cost_.bank(now_[web]);
    const RegisterSet taken = taken_around(web);
    const auto start = static_cast<unsigned>(random_.below(limit));
    const bool want_free = random_.below(4) != 0;
    unsigned any = limit;
    for (unsigned k = 0; k < limit; ++k) {
      const unsigned r = start + k < limit ? start + k : start + k - limit;
      if (cost_.bank(r) == from_bank) continue;
      if (any == limit) any = r;
      if (!want_free) break;
      if (!taken.test(r)) {
        put(web, static_cast<std::uint8_t>(r));
        return true;
      }
    }
    return any != limit && exchange(web, static_cast<std::uint8_t>(any));
  }

  bool exchange(WebId web, std::uint8_t to) {
    const std::uint8_t from = now_[web];
    evicted_.clear();
    put(web, to);
    for (std::size_t k = 0; k < undo_.size(); ++k) {
      if (undo_.size() > longest_chain) return false;
      const WebId at = undo_[k].first;
      for (const WebId n : analysis_.graph.neighbours(at)) {
        if (now_[n] != now_[at] || moved_stamp_[n] == stamp_) continue;
        const Group& group = analysis_.webs.groups[webs_[n].group];
        if (group.pinned) return false;
        if (group.webs.size() == 1 && from < options_.limit) {
          put(n, now_[at] == to ? from : to);
        } else if (std::find(evicted_.begin(), evicted_.end(), webs_[n].group) == evicted_.end()) {
          evicted_.push_back(webs_[n].group);
        }
      }
    }
    for (const GroupId g : evicted_)
      if (!move_group(analysis_.webs.groups[g])) return false;
    return true;
  }

  // Shifts a whole group to a free place, nearest behind a random start.
  bool move_group(const Group& group) {
    const int step = static_cast<int>(group.alignment);
    const int low = webs_[group.webs.front()].register_;
    const int high = webs_[group.webs.back()].register_;
    const int first = -(low / step) * step;
    const int places = (static_cast<int>(options_.limit) - 1 - high - first) / step + 1;
    if (places <= 0 || static_cast<int>(options_.limit) - 1 - high < first) return false;
    group_taken_.assign(group.webs.size(), {});
    for (std::size_t k = 0; k < group.webs.size(); ++k)
      for (const WebId n : analysis_.graph.neighbours(group.webs[k]))
        if (webs_[n].group != webs_[group.webs[k]].group) group_taken_[k].set(now_[n]);
    const int now_shift = now_[group.webs.front()] - low;
    const auto start = static_cast<int>(random_.below(static_cast<std::uint64_t>(places)));
    for (int k = 0; k < places; ++k) {
      const int shift = first + step * ((start + k) % places);
      if (shift == now_shift) continue;
      bool free = true;
      for (std::size_t m = 0; free && m < group.webs.size(); ++m)
        free = !group_taken_[m].test(static_cast<unsigned>(webs_[group.webs[m]].register_ + shift));
      if (!free) continue;
      for (const WebId w : group.webs) put(w, static_cast<std::uint8_t>(webs_[w].register_ + shift));
      return true;
    }
    return false;
  }

  const Analysis& analysis_;
  const std::vector<Web>& webs_;
  const ConflictCost& cost_;
  SearchOptions options_;
  Random random_;
  Assignment now_;
  double total_ = 0;
  std::uint64_t stamp_ = 0;
  std::vector<std::uint64_t> moved_stamp_;
  std::vector<std::uint64_t> site_stamp_;
  std::vector<double> site_cost_;
  std::vector<std::uint32_t> costly_;
  std::vector<std::uint32_t> costly_at_;
  std::vector<std::pair<WebId, std::uint8_t>> undo_;
  std::vector<std::pair<std::uint32_t, double>> touched_;
  std::vector<GroupId> evicted_;
  std::vector<RegisterSet> group_taken_;
};

}  // namespace

Assignment improve(const Analysis& analysis, const ConflictCost& cost, Assignment start,
                   const SearchOptions& options) {
  return Search(analysis, cost, std::move(start), options).run();
}

}  // namespace warpgauge::registers
