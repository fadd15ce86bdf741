#include "model/memory/crossbar_tree.h"

#include <algorithm>
#include <array>

#include "model/memory/cluster_places.h"

namespace warpgauge::model {

CrossbarTree::CrossbarTree(const std::vector<unsigned>& gpc_of_sm, unsigned sms_per_tpc, unsigned cpcs) {
  const auto sms = static_cast<unsigned>(gpc_of_sm.size());
  // By SM, the ways that it has at each joint: cluster, CPC, TPC, its own.
  constexpr unsigned joints = 4;
  std::vector<std::array<unsigned, joints>> ways;
  for (const ClusterPlace& place : cluster_places(gpc_of_sm, sms, sms_per_tpc, cpcs)) ways.push_back({place.gpc, place.cpc, place.tpc, place.in_tpc});
  std::vector<unsigned> order(sms);
  for (unsigned sm = 0; sm < sms; ++sm) order[sm] = sm;
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return ways[a] < ways[b]; });

  // Joint by joint, so that a node's children follow each other.
  node_of_sm_.resize(sms);
  nodes_.push_back({});
  std::vector<std::uint32_t> at(sms, root);
  for (unsigned joint = 0; joint < joints; ++joint) {
    for (unsigned i = 0; i < sms; ++i) {
      const unsigned sm = order[i];
      const std::uint32_t parent = at[sm];
      const bool same = i != 0 && nodes_.back().parent == parent && at[order[i - 1]] == nodes_.size() - 1 &&
                        ways[order[i - 1]][joint] == ways[sm][joint];
      if (!same) {
        const auto node = static_cast<std::uint32_t>(nodes_.size());
        if (nodes_[parent].children++ == 0) nodes_[parent].first_child = node;
        nodes_.push_back({parent, 0, 0, sm});
      }
      at[sm] = static_cast<std::uint32_t>(nodes_.size() - 1);
    }
  }
  for (unsigned sm = 0; sm < sms; ++sm) node_of_sm_[sm] = at[sm];
}

}  // namespace warpgauge::model
