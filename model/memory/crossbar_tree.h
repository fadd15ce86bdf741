// How the SMs' ways out join on their way to the L2: two SMs to a TPC, TPCs to a CPC, CPCs to a cluster. Where several wait,
// each branch has its turn at every joint, so that the SMs of a smaller branch are served more often: on an H200 the four
// of a CPC of two TPCs have half as much again as those of three (docs/h200.md, full_slices).
#pragma once

#include <cstdint>
#include <vector>

namespace warpgauge::model {

class CrossbarTree {
 public:
  // See cluster_places().
  CrossbarTree(const std::vector<unsigned>& gpc_of_sm, unsigned sms_per_tpc, unsigned cpcs);

  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t first_child = 0;  // of those that follow each other; none: an SM
    std::uint32_t children = 0;
    std::uint32_t sm = 0;  // of a node without children
  };
  static constexpr std::uint32_t root = 0;
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] std::uint32_t node_of(unsigned sm) const { return node_of_sm_[sm]; }
  [[nodiscard]] unsigned sms() const { return static_cast<unsigned>(node_of_sm_.size()); }

 private:
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> node_of_sm_;
};

}  // namespace warpgauge::model
