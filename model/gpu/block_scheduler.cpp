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

std::vector<unsigned> spread(const LaunchSpec& spec, unsigned sms, std::uint64_t blocks) {
  struct Cluster {
    unsigned first = 0;
    unsigned size = 0;
  };
  const unsigned loose = std::min(spec.loose_sms, sms);
  std::vector<Cluster> clusters{{0, loose}};
  unsigned sum = 0;
  for (const unsigned size : spec.gpc_sms) {
    const unsigned first = std::max(sum, loose);
    sum += size;
    clusters.push_back({first, sum - std::min(first, sum)});
  }
  if (sum < sms) clusters.push_back({std::max(sum, loose), sms - std::max(sum, loose)});
  const unsigned per_tpc = std::max(1U, spec.sms_per_tpc);
  std::vector<unsigned> chosen;
  const auto deal = [&](std::size_t begin, std::size_t end) {
    for (unsigned member = 0; member < per_tpc; ++member) {
      for (unsigned at = member; at < sms; at += per_tpc) {
        for (std::size_t c = begin; c < end; ++c) {
          const unsigned sm = clusters[c].first + at;
          if (at < clusters[c].size && sm < sms && chosen.size() < blocks) chosen.push_back(sm);
        }
      }
    }
  };
  deal(0, 1);
  deal(1, clusters.size());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

namespace {

constexpr auto later = [](const auto& a, const auto& b) {
  return a.at != b.at ? a.at > b.at : a.order > b.order;
};

}  // namespace

BlockScheduler::BlockScheduler(const LaunchSpec& spec, unsigned sms, std::uint64_t blocks,
                               unsigned blocks_per_sm)
    : spec_(spec),
      blocks_(blocks),
      // The begin overhead reaches to the first instruction of the first block.
      free_(spec.begin_overhead - std::min(spec.begin_overhead, spec.block_start_latency)),
      sm_free_(sms, 0) {
  const std::vector<unsigned> order = placement_order(spec, sms);
  // One block for every SM before any gets a second one.
  for (unsigned wave = 0; wave < blocks_per_sm; ++wave) {
    const std::uint64_t dealt = std::uint64_t{wave} * sms;
    const bool last = spec.order == PlacementOrder::most_room && blocks < dealt + sms;
    if (blocks <= dealt) break;
    for (const unsigned sm : last ? spread(spec, sms, blocks - dealt) : order)
      rooms_.push_back({0, sm, sequence_++, false});
  }
  std::make_heap(rooms_.begin(), rooms_.end(), later);
}

Cycle BlockScheduler::freed(unsigned sm, Cycle at) {
  note_free_ = std::max(note_free_, static_cast<double>(at)) + spec_.block_end_interval;
  const auto noted = static_cast<Cycle>(note_free_);
  rooms_.push_back({noted, sm, sequence_++, true});
  std::push_heap(rooms_.begin(), rooms_.end(), later);
  return noted;
}

void BlockScheduler::place(Cycle earliest, const std::function<void(const Placed&)>& start) {
  while (!rooms_.empty() && next_ != blocks_) {
    std::pop_heap(rooms_.begin(), rooms_.end(), later);
    const Room room = rooms_.back();
    rooms_.pop_back();
    send(room, earliest, start);
  }
}

void BlockScheduler::send(const Room& room, Cycle earliest, const std::function<void(const Placed&)>& start) {
  const double ready = std::max(static_cast<double>(std::max(room.at, sm_free_[room.sm])), free_);
  free_ = std::max(free_, static_cast<double>(room.at)) + spec_.block_interval;
  const auto sent = static_cast<Cycle>(std::ceil(ready));
  sm_free_[room.sm] = sent + static_cast<Cycle>(spec_.sm_block_interval);
  const unsigned latency = room.replaces ? spec_.block_replace_latency : spec_.block_start_latency;
  start({next_++, room.sm, std::max(earliest, sent + latency)});
}

}  // namespace warpgauge::model
