// Who looks on while a launch executes: a recorder.
#pragma once

#include <cstdint>

#include "traces/warp_stream.h"

namespace warpgauge::traces {

// One block's instructions, in the order in which each warp executes them. Calls for one block never overlap.
class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  // Warp `warp` of the block has executed instruction `index` of code().
  virtual void issued(unsigned warp, std::uint32_t index, const Issued& issued) = 0;
};

// Calls for different blocks may come from different threads.
class StreamObserver {
 public:
  virtual ~StreamObserver() = default;
  virtual BlockObserver& begin_block(std::uint64_t linear_block) = 0;
  // All warps of the block have exited; the block's observer is not used any more.
  virtual void end_block(BlockObserver& block) = 0;
};

}  // namespace warpgauge::traces
