#include "model/gpu/block_scheduler.h"

#include <algorithm>
#include <cmath>

namespace warpgauge::model {

std::vector<unsigned> placement_order(const LaunchSpec& spec, unsigned sms) {
  std::vector<unsigned> order;
  order.reserve(sms);
  const unsigned per_tpc = std::max(1U, spec.sms_per_tpc);
  switch (spec.order) {
    case PlacementOrder::linear:
    case PlacementOrder::most_room:
      for (unsigned sm = 0; sm < sms; ++sm) order.push_back(sm);
      break;
    case PlacementOrder::tpc_first:
      for (unsigned member = 0; member < per_tpc; ++member) {
        for (unsigned sm = member; sm < sms; sm += per_tpc) order.push_back(sm);
      }
      break;
    case PlacementOrder::gpc_interleaved: {
      std::vector<unsigned> first;
      std::vector<unsigned> size = spec.gpc_sms;
      unsigned sum = 0;
      for (const unsigned count : size) {
        first.push_back(sum);
        sum += count;
      }
      if (sum < sms) {
        first.push_back(sum);
        size.push_back(sms - sum);
      }
      const unsigned longest = *std::max_element(size.begin(), size.end());
      for (unsigned member = 0; member < per_tpc; ++member) {
        for (unsigned at = member; at < longest; at += per_tpc) {
          for (std::size_t gpc = 0; gpc < size.size(); ++gpc) {
            if (at < size[gpc] && first[gpc] + at < sms) order.push_back(first[gpc] + at);
          }
        }
      }
      break;
    }
  }
  return order;
}

namespace {

struct Cluster {
  unsigned first = 0;
  unsigned size = 0;
};

// The loose SMs, and then what each cluster has beside them.
std::vector<Cluster> clusters_of(const LaunchSpec& spec, unsigned sms) {
  const unsigned loose = std::min(spec.loose_sms, sms);
  std::vector<Cluster> clusters{{0, loose}};
  unsigned sum = 0;
  for (const unsigned size : spec.gpc_sms) {
    const unsigned first = std::max(sum, loose);
    sum += size;
    clusters.push_back({first, sum - std::min(first, sum)});
  }
  if (sum < sms) clusters.push_back({std::max(sum, loose), sms - std::max(sum, loose)});
  return clusters;
}

}  // namespace

std::vector<unsigned> spread_order(const LaunchSpec& spec, unsigned sms) {
  const std::vector<Cluster> clusters = clusters_of(spec, sms);
  const unsigned per_tpc = std::max(1U, spec.sms_per_tpc);
  std::vector<unsigned> chosen;
  const auto deal = [&](std::size_t begin, std::size_t end) {
    for (unsigned member = 0; member < per_tpc; ++member) {
      for (unsigned at = member; at < sms; at += per_tpc) {
        for (std::size_t c = begin; c < end; ++c) {
          const unsigned sm = clusters[c].first + at;
          if (at < clusters[c].size && sm < sms) chosen.push_back(sm);
        }
      }
    }
  };
  deal(0, 1);
  deal(1, clusters.size());
  return chosen;
}

std::vector<unsigned> spread(const LaunchSpec& spec, unsigned sms, std::uint64_t blocks) {
  std::vector<unsigned> chosen = spread_order(spec, sms);
  if (blocks < chosen.size()) chosen.resize(blocks);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

namespace {

constexpr auto later = [](const auto& a, const auto& b) {
  return a.at != b.at ? a.at > b.at : a.order > b.order;
};

}  // namespace

BlockScheduler::BlockScheduler(const LaunchSpec& spec, const OccupancySpec& sm)
    : spec_(spec),
      order_(placement_order(spec, sm.sms)),
      spread_(spread_order(spec, sm.sms)),
      rooms_(sm.sms, SmRoom(sm)),
      fits_(max_running_launches),
      left_(sm.sms),
      sm_free_(sm.sms, 0),
      tpc_free_(sm.sms, 0) {}

void BlockScheduler::begin(std::uint8_t launch, const Fit& fit, std::uint64_t blocks, int priority, Cycle first) {
  fits_[launch] = fit;
  Waiting waiting;
  waiting.launch = launch;
  waiting.priority = priority;
  waiting.blocks = blocks;
  waiting.sm_interval = std::max(spec_.sm_block_interval, spec_.sm_warp_interval * fit.block_warps);
  const auto behind = std::upper_bound(waiting_.begin(), waiting_.end(), priority,
                                       [](int mine, const Waiting& other) { return mine > other.priority; });
  waiting_.insert(behind, waiting);
  // What comes before the first instruction reaches to that of the first block.
  change({first - std::min<Cycle>(first, spec_.block_start_latency), sequence_++, Change::everywhere, launch, 0});
}

void BlockScheduler::left(std::uint8_t launch, unsigned sm, unsigned subcore, Cycle at) {
  left_[sm].push_back({at, launch, static_cast<std::uint8_t>(subcore)});
}

Cycle BlockScheduler::freed(std::uint8_t launch, unsigned sm, Cycle at) {
  note_free_ = std::max(note_free_, static_cast<double>(at)) + spec_.block_end_interval;
  const auto noted = static_cast<Cycle>(note_free_);
  change({noted, sequence_++, sm, launch, at});
  return noted;
}

void BlockScheduler::change(const Change& change) {
  changes_.push_back(change);
  std::push_heap(changes_.begin(), changes_.end(), later);
}

void BlockScheduler::learn(const Change& change) {
  const unsigned per_tpc = std::max(1U, spec_.sms_per_tpc);
  const unsigned first = tpc_of(change.sm) * per_tpc;
  for (unsigned sm = first; sm < std::min<std::size_t>(first + per_tpc, rooms_.size()); ++sm) {
    std::erase_if(left_[sm], [&](const Left& warp) {
      if (warp.at > change.ended) return false;
      rooms_[sm].leave(fits_[warp.launch], warp.subcore);
      return true;
    });
  }
  rooms_[change.sm].give_back(change.launch, fits_[change.launch]);
}

unsigned BlockScheduler::room_in_tpc(unsigned sm, const Waiting& waiting) const {
  const Fit& fit = fits_[waiting.launch];
  if (rooms_[sm].fits(waiting.launch, fit)) return sm;
  const unsigned per_tpc = std::max(1U, spec_.sms_per_tpc);
  const unsigned first = tpc_of(sm) * per_tpc;
  for (unsigned other = first; other < std::min<std::size_t>(first + per_tpc, rooms_.size()); ++other) {
    if (rooms_[other].fits(waiting.launch, fit)) return other;
  }
  return Change::everywhere;
}

std::vector<unsigned> BlockScheduler::next_sms(const Waiting& waiting) const {
  const Fit& fit = fits_[waiting.launch];
  unsigned fewest = ~0U;
  std::size_t count = 0;
  for (const SmRoom& room : rooms_) {
    if (room.warps() > fewest || !room.fits(waiting.launch, fit)) continue;
    if (room.warps() < fewest) count = 0;
    fewest = room.warps();
    ++count;
  }
  const std::uint64_t left = waiting.blocks - waiting.next;
  const bool few = spec_.order == PlacementOrder::most_room && left < count;
  std::vector<unsigned> sms;
  for (const unsigned sm : few ? spread_ : order_) {
    if (sms.size() == left) break;
    if (rooms_[sm].warps() == fewest && rooms_[sm].fits(waiting.launch, fit)) sms.push_back(sm);
  }
  if (few) std::sort(sms.begin(), sms.end());
  return sms;
}

void BlockScheduler::place(Cycle earliest, const std::function<void(const Placed&)>& start) {
  while (!changes_.empty()) {
    std::pop_heap(changes_.begin(), changes_.end(), later);
    const Change change = changes_.back();
    changes_.pop_back();
    bool everywhere = change.sm == Change::everywhere;
    if (!everywhere) learn(change);
    while (!waiting_.empty()) {
      Waiting& waiting = waiting_.front();
      if (fits_[waiting.launch].in_clusters) {
        send_clusters(waiting, change, earliest, start);
        if (waiting.next != waiting.blocks) break;
      } else if (everywhere) {
        if (waiting.next == 0 && takes_turns()) deal_turns(waiting, change, earliest, start);
        const std::vector<unsigned> sms = next_sms(waiting);
        for (const unsigned sm : sms) send(waiting, change, sm, earliest, start);
        if (sms.empty() && waiting.next != waiting.blocks) break;
      } else {
        const unsigned sm = room_in_tpc(change.sm, waiting);
        if (sm == Change::everywhere) break;
        send(waiting, change, sm, earliest, start);
      }
      if (waiting.next != waiting.blocks) continue;
      // Who comes next may fit where this one did not.
      waiting_.erase(waiting_.begin());
      everywhere = true;
    }
  }
}

bool BlockScheduler::takes_turns() const {
  return spec_.order == PlacementOrder::most_room && spec_.loose_first != 0 &&
         std::all_of(rooms_.begin(), rooms_.end(), [](const SmRoom& room) { return room.warps() == 0; });
}

void BlockScheduler::deal_turns(Waiting& waiting, const Change& change, Cycle earliest,
                                const std::function<void(const Placed&)>& start) {
  const Fit& fit = fits_[waiting.launch];
  const std::uint64_t each = waiting.blocks / rooms_.size();
  const std::vector<Cluster> clusters = clusters_of(spec_, static_cast<unsigned>(rooms_.size()));
  std::vector<std::uint64_t> rounds(clusters.size(), 0);
  const auto turn = [&](std::size_t c) {
    bool any = false;
    for (unsigned sm = clusters[c].first; sm < clusters[c].first + clusters[c].size; ++sm) {
      if (rounds[c] == each || !rooms_[sm].fits(waiting.launch, fit)) continue;
      send(waiting, change, sm, earliest, start);
      any = true;
    }
    rounds[c] += any ? 1 : 0;
    return any;
  };
  unsigned until_loose = 0;
  for (bool dealt = true; dealt;) {
    dealt = false;
    for (std::size_t c = 1; c < clusters.size(); ++c) {
      if (until_loose == 0) {
        dealt |= turn(0);
        until_loose = rounds[0] > 1 ? spec_.loose_every : spec_.loose_first;
      }
      if (!turn(c)) continue;
      dealt = true;
      --until_loose;
    }
  }
}

std::vector<unsigned> BlockScheduler::room_for_cluster(const Waiting& waiting, unsigned first, unsigned size) const {
  const Fit& fit = fits_[waiting.launch];
  std::vector<SmRoom> rooms(rooms_.begin() + first, rooms_.begin() + first + size);
  std::vector<unsigned> sms;
  while (sms.size() < fit.cluster_blocks) {
    unsigned best = size;
    for (unsigned sm = 0; sm < size; ++sm) {
      if (rooms[sm].fits(waiting.launch, fit) && (best == size || rooms[sm].warps() < rooms[best].warps())) best = sm;
    }
    if (best == size) return {};
    rooms[best].take(waiting.launch, fit);
    sms.push_back(first + best);
  }
  return sms;
}

// On an H200 clusters of two go to the loose SMs first, then GPC after GPC gets one; larger ones have no place on loose SMs
// (by hand, clusters: where blocks of 1 to 256 in clusters of 2 to 16 find themselves).
void BlockScheduler::send_clusters(Waiting& waiting, const Change& change, Cycle earliest,
                                   const std::function<void(const Placed&)>& start) {
  const auto count = static_cast<unsigned>(rooms_.size());
  const std::vector<Cluster> gpcs = clusters_of(spec_, count);
  const unsigned blocks = fits_[waiting.launch].cluster_blocks;
  const std::size_t begin = blocks <= std::max(1U, spec_.sms_per_tpc) ? 0 : 1;
  while (waiting.next != waiting.blocks) {
    std::vector<unsigned> sms;
    unsigned fewest = ~0U;
    for (std::size_t g = begin; g < gpcs.size(); ++g) {
      const Cluster& gpc = gpcs[g];
      const bool elsewhere = change.sm != Change::everywhere && (change.sm < gpc.first || change.sm >= gpc.first + gpc.size);
      if (gpc.size == 0 || elsewhere) continue;
      const std::vector<unsigned> room = room_for_cluster(waiting, gpc.first, gpc.size);
      if (room.empty()) continue;
      unsigned warps = 0;
      for (const unsigned sm : room) warps += rooms_[sm].warps();
      // Of GPCs with as much room those that have been sent least have their turn, the loose SMs before all.
      unsigned used = 0;
      for (unsigned sm = gpc.first; sm < gpc.first + gpc.size; ++sm) used += rooms_[sm].warps();
      const unsigned cost = warps * 1024 + (g == 0 ? 0 : used + 1);
      if (cost >= fewest) continue;
      fewest = cost;
      sms = room;
    }
    if (sms.empty()) return;
    Cycle at = 0;
    for (const unsigned sm : sms) at = std::max(at, sent(waiting, change, sm, earliest));
    for (const unsigned sm : sms) {
      const SmRoom::Taken taken = rooms_[sm].take(waiting.launch, fits_[waiting.launch]);
      start({waiting.launch, waiting.next++, sm, at, taken.first, taken.divides});
    }
  }
}

Cycle BlockScheduler::sent(const Waiting& waiting, const Change& change, unsigned sm, Cycle earliest) {
  Cycle& tpc_free = tpc_free_[tpc_of(sm)];
  const double ready = std::max(static_cast<double>(std::max({change.at, sm_free_[sm], tpc_free})), free_);
  free_ = std::max(free_, static_cast<double>(change.at)) + spec_.block_interval;
  const auto sent = static_cast<Cycle>(std::ceil(ready));
  sm_free_[sm] = sent + static_cast<Cycle>(waiting.sm_interval);
  tpc_free = sent + static_cast<Cycle>(waiting.sm_interval / std::max(1U, spec_.sms_per_tpc));
  const bool replaces = change.sm != Change::everywhere && tpc_of(sm) == tpc_of(change.sm);
  const unsigned latency = replaces ? spec_.block_replace_latency : spec_.block_start_latency;
  return std::max(earliest, sent + latency);
}

void BlockScheduler::send(Waiting& waiting, const Change& change, unsigned sm, Cycle earliest,
                          const std::function<void(const Placed&)>& start) {
  const Cycle at = sent(waiting, change, sm, earliest);
  const SmRoom::Taken taken = rooms_[sm].take(waiting.launch, fits_[waiting.launch]);
  start({waiting.launch, waiting.next++, sm, at, taken.first, taken.divides});
}

}  // namespace warpgauge::model
