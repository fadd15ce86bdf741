// Where each SM stands in its cluster: SMs of a cluster follow each other, as do those of a TPC, and of a cluster's TPCs every `cpcs`-th one has the
// same CPC.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <vector>

namespace warpgauge::model {

struct ClusterPlace {
  unsigned gpc = 0;
  unsigned cpc = 0;     // of the cluster's
  unsigned tpc = 0;     // of the CPC's
  unsigned in_tpc = 0;  // of the TPC's SMs
  auto operator<=>(const ClusterPlace&) const = default;
};

// Of so many SMs; those that `gpc_of_sm` does not name have the last cluster.
inline std::vector<ClusterPlace> cluster_places(const std::vector<unsigned>& gpc_of_sm, std::size_t sms, unsigned sms_per_tpc, unsigned cpcs) {
  cpcs = std::max(1U, cpcs);
  sms_per_tpc = std::max(1U, sms_per_tpc);
  std::vector<ClusterPlace> places(sms);
  unsigned first = 0;  // of the cluster
  for (unsigned sm = 0; sm < sms; ++sm) {
    const unsigned gpc = sm < gpc_of_sm.size() ? gpc_of_sm[sm] : sm == 0 ? 0 : places[sm - 1].gpc;
    if (sm != 0 && gpc != places[sm - 1].gpc) first = sm;
    const unsigned tpc = (sm - first) / sms_per_tpc;
    places[sm] = {gpc, tpc % cpcs, tpc / cpcs, (sm - first) % sms_per_tpc};
  }
  return places;
}

}  // namespace warpgauge::model
