// What an access of other blocks' shared memory asks of each of them, and what that takes of the ways between SMs.
#pragma once

#include <array>
#include <cstdint>

#include "model/sm/cluster_ports.h"
#include "model/sm/spec.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

// Of one block.
struct RemotePart {
  std::uint8_t rank = 0;     // in the cluster
  std::uint8_t lines = 0;
  std::uint8_t sectors = 0;
  std::uint8_t packets = 0;  // of a store: whole sectors, and halves of those that it fills in part
  std::uint8_t turns = 0;    // of an atomic: lanes that others precede at their bank
  std::uint8_t deepest = 0;  // and most of them on one word
};

struct RemoteParts {
  std::uint8_t count = 0;
  std::array<RemotePart, traces::most_cluster_blocks> parts;
};

// Of the lanes in `mask`, whose addresses have their block's rank from traces::shared_rank_bit on.
void find_parts(RemoteParts& found, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, traces::MemoryAccess access);

RemoteCosts costs(const ClusterSpec& spec, const RemotePart& part, traces::MemoryAccess access);

}  // namespace warpgauge::model
