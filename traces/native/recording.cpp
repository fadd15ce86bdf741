#include "traces/native/recording.h"

#include "traces/native/error.h"

namespace warpgauge::native {
namespace {

constexpr std::size_t most_handles = std::size_t{1} << 16;

}  // namespace

RecordingStream::RecordingStream(traces::WarpStream& inner, traces::StreamObserver& observer)
    : inner_(inner), observer_(observer), blocks_(most_handles, nullptr) {}

traces::BlockHandle RecordingStream::begin_block(std::uint64_t linear_block,
                                                 const traces::Placement& placement) {
  const traces::BlockHandle handle = inner_.begin_block(linear_block, placement);
  if (handle >= blocks_.size()) throw Error("too many blocks at the same time");
  blocks_[handle] = &observer_.begin_block(linear_block);
  return handle;
}

void RecordingStream::end_block(traces::BlockHandle block) {
  observer_.end_block(*blocks_[block]);
  inner_.end_block(block);
}

void RecordingStream::issue(traces::BlockHandle block, unsigned warp, std::uint64_t cycle,
                            traces::Issued& issued) {
  const std::uint32_t index = inner_.next(block, warp).index;
  inner_.issue(block, warp, cycle, issued);
  blocks_[block]->issued(warp, index, issued);
}

}  // namespace warpgauge::native
