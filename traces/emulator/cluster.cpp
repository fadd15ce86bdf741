#include "traces/emulator/cluster.h"

#include <fmt/format.h>

#include <bit>

namespace warpgauge::emulator {
namespace {

// Nobody is missing: all go on who wait, and the next phase begins.
void open_when_complete(Block& by) {
  Cluster& cluster = *by.cluster;
  if (cluster.begun != cluster.size || cluster.arrived != cluster.warps) return;
  cluster.arrived = cluster.exited;
  by.cluster_record.opens = true;
  make_progress(by);
  for (unsigned rank = 0; rank < cluster.size; ++rank) {
    Block& block = *cluster.blocks[rank];
    make_progress(block);
    for (Warp& warp : block.warps) {
      warp.cluster_arrived = 0;
      warp.cluster_counted = warp.alive == 0;
      if (warp.cluster_waiting == 0) continue;
      warp.active = warp.cluster_waiting;
      warp.cluster_waiting = 0;
    }
  }
}

}  // namespace

Block& block_of_rank(Block& block, std::uint64_t rank, unsigned lane) {
  if (rank == block.rank) return block;
  if (block.cluster == nullptr || rank >= block.cluster->size)
    throw LaneFault{FaultKind::illegal_address,
                    fmt::format("an access to the shared memory of block {} of a cluster of {}", rank,
                                block.cluster == nullptr ? 1 : block.cluster->size),
                    lane};
  return *block.cluster->blocks[rank];
}

void arrive_at_cluster(Block& block, Warp& warp, std::uint32_t mask) {
  if (block.cluster == nullptr) return;
  if (warp.cluster_counted)
    throw LaneFault{FaultKind::illegal_instruction, "arrives at the cluster's barrier again before it has waited",
                    static_cast<unsigned>(std::countr_zero(mask))};
  warp.cluster_arrived |= mask;
  count_at_cluster(block, warp);
}

void count_at_cluster(Block& block, Warp& warp) {
  if (warp.cluster_counted || warp.cluster_arrived == 0 || (warp.alive & ~warp.cluster_arrived) != 0) return;
  warp.cluster_counted = true;
  block.cluster_record.arrives = true;
  ++block.cluster->arrived;
  open_when_complete(block);
}

void wait_for_cluster(Block& block, Warp& warp, std::uint32_t mask) {
  if (block.cluster == nullptr) return;
  block.cluster_record.waits = true;
  if ((mask & warp.cluster_arrived) == 0) return;  // it has opened since
  if (mask == warp.active && mask == warp.alive) {
    warp.cluster_waiting = mask;
    warp.active = 0;
    return;
  }
  // Some of the warp's lanes are elsewhere, perhaps on their way here: these ask again.
  --warp.pc;
  poll(block, warp);
  warp.wants_switch = true;
}

void leave_cluster(Block& block, Warp& warp) {
  Cluster& cluster = *block.cluster;
  ++cluster.exited;
  // Lanes that had not arrived do so by leaving.
  if (warp.cluster_counted) return;
  warp.cluster_counted = true;
  block.cluster_record.arrives = true;
  ++cluster.arrived;
  open_when_complete(block);
}

}  // namespace warpgauge::emulator
