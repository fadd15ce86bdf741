#include "model/memory/cpc_ways.h"

#include <algorithm>

#include "model/memory/dram.h"
#include "model/memory/cluster_places.h"

namespace warpgauge::model {

CpcWays::CpcWays(const CrossbarSpec& spec)
    : kinds_(std::max(1U, spec.cpc_ways / std::max(1U, spec.cpc_ways_of_stretch))),
      of_stretch_(spec.cpc_way_bytes_per_cycle > 0 ? spec.cpc_ways_of_stretch : 0),
      stretch_lines_(std::max<std::uint64_t>(1, spec.cpc_way_stretch_lines)) {
  if (of_stretch_ == 0 || spec.gpc_of_sm.empty()) return;
  const unsigned ways = kinds_ * of_stretch_;
  for (const ClusterPlace& place : cluster_places(spec.gpc_of_sm, spec.gpc_of_sm.size(), spec.sms_per_tpc, spec.cpcs_per_gpc))
    first_of_sm_.push_back((place.gpc * spec.cpcs_per_gpc + place.cpc) * ways);
  const unsigned gpcs = 1 + *std::ranges::max_element(spec.gpc_of_sm);
  servers_.assign(std::size_t{gpcs} * spec.cpcs_per_gpc * ways, Server(spec.cpc_way_bytes_per_cycle));
}

unsigned CpcWays::way_of(std::uint64_t line) const {
  constexpr std::uint64_t ring = 47, turn = 17, begin = 5;
  const auto kind = static_cast<unsigned>((line / stretch_lines_ % ring * turn + begin) % ring * kinds_ / ring);
  return kind * of_stretch_ + static_cast<unsigned>(spread(line) % of_stretch_);
}

}  // namespace warpgauge::model
