// Addresses of a warp's lanes and their checks: what loads, stores and atomics have in common.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "traces/emulator/block.h"
#include "traces/emulator/vector/kernels.h"

namespace warpgauge::emulator {

// Calls `f(lane)` for each set bit, lowest first.
template <class F>
inline void each_lane(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

// Those of `mask` that have the same of `values` as `lane`.
inline std::uint32_t lanes_like(unsigned lane, std::uint32_t mask, const std::uint32_t* values) {
  std::uint32_t same = 0;
  each_lane(mask, [&](unsigned i) {
    if (values[i] == values[lane]) same |= 1U << i;
  });
  return same;
}

// The addresses of [base + uniform + offset] of all lanes, into block.access.addresses.
void global_addresses(Block& block, const Warp& warp, const MicroOp& op);
// As above, 32-bit, with the base scaled by op.extra2.
void window_addresses(Block& block, const Warp& warp, const MicroOp& op);
// The block's own shared memory is asked for by its rank in the cluster, too: that is taken away.
void take_own_rank(const Block& block, std::span<std::uint64_t, lanes> addresses);

Bounds bounds_of(const Block& block, const std::uint64_t* addresses, std::uint32_t mask,
                 const Pattern& pattern, unsigned bytes);
// Do all accesses lie in the first `size` bytes?
bool inside(const Block& block, const std::uint64_t* addresses, std::uint32_t mask, const Pattern& pattern,
            unsigned bytes, std::uint64_t size);

// Throws LaneFault unless every lane's access is aligned and inside an allocation or the window.
Pattern check_global(Block& block, const MicroOp& op, std::uint32_t mask, unsigned bytes, const char* verb);
// The same of bytes of device memory that lie in a row; null where no allocation holds them and the card lets
// them pass, which it does only where they `may_pass`.
const Allocation* check_range(Block& block, std::uint64_t address, std::uint64_t bytes, bool may_pass,
                              const char* verb, unsigned lane);
Pattern check_shared(const Block& block, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                     const char* verb);
void check_local(const Block& block, std::uint32_t mask, unsigned bytes, const char* verb);

inline void record(Block& block, traces::MemorySpace space, traces::MemoryAccess access, unsigned bytes,
                   std::uint32_t mask) {
  block.access.space = space;
  block.access.mask |= mask;
  block.access.access = access;
  block.access.bytes = static_cast<std::uint8_t>(bytes);
  block.access.places = {};
}
// The same of lanes whose addresses lie so; what the instruction accesses beside them lies elsewhere.
inline void record(Block& block, traces::MemorySpace space, traces::MemoryAccess access, unsigned bytes,
                   std::uint32_t mask, const Pattern& pattern) {
  const bool alone = block.access.mask == 0;
  record(block, space, access, bytes, mask);
  if (alone) block.access.places = {pattern.same(), pattern.consecutive};
}

// Where a generic address points.
inline traces::MemorySpace space_of(const Block& block, std::uint64_t address) {
  if (address - shared_window < shared_windows_bytes)
    return (address - shared_window) / shared_window_bytes == block.rank ? traces::MemorySpace::shared
                                                                         : traces::MemorySpace::cluster;
  if (address - local_window < local_window_bytes) return traces::MemorySpace::local;
  return traces::MemorySpace::global;
}

// Runs `access(space, lanes)` once for each space that generic addresses point to; addresses are relative to
// the window meanwhile, those in other blocks' shared memory with their rank above.
template <class F>
inline void by_space(Block& block, std::uint32_t mask, F access) {
  std::uint32_t shared = 0;
  std::uint32_t local = 0;
  std::uint32_t cluster = 0;
  each_lane(mask, [&](unsigned i) {
    const traces::MemorySpace space = space_of(block, block.access.addresses[i]);
    if (space == traces::MemorySpace::shared) {
      shared |= 1U << i;
      block.access.addresses[i] = (block.access.addresses[i] - shared_window) & (shared_window_bytes - 1);
    } else if (space == traces::MemorySpace::cluster) {
      cluster |= 1U << i;
      block.access.addresses[i] -= shared_window;
    } else if (space == traces::MemorySpace::local) {
      local |= 1U << i;
      block.access.addresses[i] -= local_window;
    }
  });
  const std::uint32_t global = mask & ~shared & ~local & ~cluster;
  // The space with the last word is the one that the record keeps: global where there is any.
  if (local != 0) access(traces::MemorySpace::local, local);
  if (shared != 0) access(traces::MemorySpace::shared, shared);
  // Beside other blocks' addresses the own block's have its rank, too, since without one they would be the first block's.
  if (shared != 0 && cluster != 0)
    each_lane(shared, [&](unsigned i) { block.access.addresses[i] += block.rank * shared_window_bytes; });
  if (cluster != 0) access(traces::MemorySpace::cluster, cluster);
  if (global != 0) access(traces::MemorySpace::global, global);
}

}  // namespace warpgauge::emulator
