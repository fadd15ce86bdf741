// A trace's instructions, warp by warp, without an order between warps.
#pragma once

#include <cstdint>

#include "traces/native/replay.h"

namespace warpgauge::native {

// The warp's next instruction; a barrier lets it go on at once. Returns the instruction's index.
inline std::uint32_t advance(BlockStreams& streams, unsigned warp, traces::Issued& issued) {
  const std::uint32_t index = streams.warp(warp).index();
  streams.step(warp, issued);
  if (streams.warp(warp).blocked()) streams.warp(warp).release();
  return index;
}

// Calls `f(block, warp, index, issued)` for every instruction of every warp, blocks in order.
template <class F>
void walk(const KernelTrace& trace, F f) {
  BlockStreams streams;
  traces::Issued issued;
  for (std::uint64_t block = 0; block < trace.blocks(); ++block) {
    streams.begin(trace, block);
    for (unsigned warp = 0; warp < streams.warps(); ++warp) {
      while (!streams.warp(warp).exited()) {
        const std::uint32_t index = advance(streams, warp, issued);
        f(block, warp, index, issued);
      }
    }
  }
}

}  // namespace warpgauge::native
