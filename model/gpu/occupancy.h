// How many blocks of a launch an SM holds, and what limits them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/report/report.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

struct OccupancySpec {
  unsigned sms = 1;
  unsigned max_warps = 64;
  unsigned max_blocks = 32;
  unsigned max_threads = 2048;
  unsigned max_threads_per_block = 1024;
  unsigned registers = 65536;
  unsigned registers_per_block = 65536;
  unsigned register_unit = 256;  // of a warp
  unsigned warp_granularity = 4;
  unsigned max_registers_per_thread = 255;
  unsigned subcores = 4;
  std::uint64_t shared_unit = 128;
  std::uint64_t shared_reserved = 0;  // of each block
  std::uint64_t max_shared_per_block = 48 << 10;
  std::uint64_t max_shared_per_sm = 96 << 10;
  unsigned barriers_per_block = 16;
  std::vector<std::uint64_t> carveouts;  // ascending
  std::uint64_t unified = 0;             // bytes that the L1 and shared memory have together
};

struct Fit {
  Occupancy occupancy;
  std::uint64_t shared_per_block = 0;  // as allocated
  std::uint64_t carveout = 0;          // the least that holds all blocks of an SM
  bool exact_carveout = false;         // the launch's wish, with which an SM must be divided for its blocks
  // What an SM without blocks is divided to for this launch, and the L1 has the rest; it leaves room for others (docs/h200.md,
  // "Several kernels at once"): a launch that comes later and needs more carve-out than that does not share the SM. At least `carveout`.
  std::uint64_t division = 0;
  unsigned most_blocks = ~0U;  // of an SM, by their shared memory, however many of their warps have ended
  unsigned block_warps = 0;
  unsigned cluster_blocks = 1;  // which start together, on SMs of one GPC
  bool in_clusters = false;     // see traces::LaunchShape
  std::uint64_t warp_registers = 0;  // which it takes of one processing block
};

// Throws MachineError, one line, for a launch that the device cannot hold. Where the launch has a wish (LaunchShape::carveout_percent),
// the least carve-out is taken that grants it and holds a block, and the SM then has no more blocks than that. The wish is for what
// blocks ask for; what the architecture reserves of each comes on top (docs/h200.md, "Wishes for a carve-out").
Fit occupancy(const OccupancySpec& spec, const traces::LaunchShape& shape);

}  // namespace warpgauge::model
