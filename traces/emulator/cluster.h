// The blocks of a cluster while they run: whose shared memory is whose, and the barrier that they have in common.
//
// Addresses in the shared window have a block's rank in its cluster above their offset (mapa, SR_CgaCtaId). Blocks of a
// cluster come and go together as far as memory is concerned: what one has left stays until the last has ended, so that
// a program which reads it too late reads what was there.
#pragma once

#include <array>
#include <cstdint>

#include "traces/emulator/block.h"

namespace warpgauge::emulator {

using traces::most_cluster_blocks;
using traces::shared_rank_bit;
static_assert(shared_window_bytes == std::uint64_t{1} << shared_rank_bit);

struct Cluster {
  std::array<Block*, most_cluster_blocks> blocks{};
  unsigned size = 0;
  unsigned begun = 0;
  unsigned ended = 0;
  // The barrier (UCGABAR_ARV, UCGABAR_WAIT): warps of all blocks. One that has exited has arrived for good.
  unsigned warps = 0;
  unsigned exited = 0;
  unsigned arrived = 0;
};

constexpr std::uint64_t shared_offset(std::uint64_t address) { return address & (shared_window_bytes - 1); }
constexpr std::uint32_t shared_offset(std::uint32_t address) {
  return address & static_cast<std::uint32_t>(shared_window_bytes - 1);
}
constexpr unsigned shared_rank(std::uint32_t address) { return address >> shared_rank_bit; }

// The cluster's block of that rank; `lane` is who is told that there is none.
Block& block_of_rank(Block& block, std::uint64_t rank, unsigned lane);
// The block whose shared memory an address in the shared window (without the window's own address) names.
inline Block& block_of_shared(Block& block, std::uint64_t address, unsigned lane) {
  return block_of_rank(block, address >> shared_rank_bit, lane);
}

// The warp's lanes of `mask` arrive at the cluster's barrier, or wait until all have. Lanes that come apart count once
// the last of the warp's is there.
void arrive_at_cluster(Block& block, Warp& warp, std::uint32_t mask);
void wait_for_cluster(Block& block, Warp& warp, std::uint32_t mask);
// Some of the warp's lanes have exited: those that are left may all have arrived.
void count_at_cluster(Block& block, Warp& warp);
// The warp has no lanes left.
void leave_cluster(Block& block, Warp& warp);

}  // namespace warpgauge::emulator
