// How far an SM is from what its cluster's SMs have in common: the way to the L2 and back, the second level of code and of
// constants. All three take as many cycles more on the SMs of one TPC as on the next one's (docs/h200.md, "Instruction fetch").
#pragma once

#include <cstdint>
#include <vector>

namespace warpgauge::model {

struct ClusterShape {
  std::vector<unsigned> sms;   // of each cluster; they follow each other, as do those of a TPC
  unsigned sms_per_tpc = 2;
  unsigned cpcs_per_gpc = 1;   // every so many TPCs of a cluster one has the same CPC again
  unsigned loose_sms = 0;      // the first SMs of the first cluster, whose TPCs have the last turns on a card
};

// By SM: cycles beyond the mean of all SMs. `distances`: cycles beyond the nearest TPC, of each CPC's TPCs from its last one on,
// one CPC behind the other; with none all SMs are alike. A CPC with more TPCs than it has distances has the last one's for them.
std::vector<int> tpc_distances(const ClusterShape& shape, const std::vector<std::uint64_t>& distances);

}  // namespace warpgauge::model
