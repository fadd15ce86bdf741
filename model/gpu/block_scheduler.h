// Which block goes to which SM, and when.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/sm/types.h"

namespace warpgauge::model {

enum class PlacementOrder : std::uint8_t { linear, tpc_first, gpc_interleaved, most_room };

struct LaunchSpec {
  unsigned begin_overhead = 0;
  unsigned end_overhead = 0;
  unsigned end_memory = 0;          // more if the kernel has accessed global or local memory
  unsigned end_acknowledged = 0;    // from the last store's acknowledgement to the end, at least
  unsigned first_code_latency = 0;  // from an SM's first block to the first code that it is given
  double block_interval = 0;        // between two blocks that leave the chip's scheduler
  double block_end_interval = 0;    // between two ends of blocks that it takes note of
  double sm_block_interval = 0;     // between two that one SM takes
  double sm_warp_interval = 0;      // the same for each warp of a block, if that is more
  unsigned block_start_latency = 0;
  unsigned warp_interval = 0;
  unsigned block_replace_latency = 0;
  PlacementOrder order = PlacementOrder::linear;
  unsigned sms_per_tpc = 2;
  std::vector<unsigned> gpc_sms;
  unsigned loose_sms = 0;  // the first, which get blocks before all others where the order is most_room
};

// The SMs in the order in which the first wave is dealt to them.
std::vector<unsigned> placement_order(const LaunchSpec& spec, unsigned sms);

// The SMs, in ascending order, that get one of `blocks` blocks when there are fewer than SMs and the order is most_room:
// the loose SMs are filled, then the clusters take turns, one TPC at a time; no TPC gets a second block before each has
// one (kernels of 1 to 400 blocks on an H200, docs/h200.md).
std::vector<unsigned> spread(const LaunchSpec& spec, unsigned sms, std::uint64_t blocks);

class BlockScheduler {
 public:
  BlockScheduler(const LaunchSpec& spec, unsigned sms, std::uint64_t blocks, unsigned blocks_per_sm);

  struct Placed {
    std::uint64_t block = 0;
    unsigned sm = 0;
    Cycle at = 0;  // first instruction
  };

  // A block of an SM has ended at `at`, not before any that ended earlier has been told. Returns when the
  // scheduler has taken note of it, one after the other: from then on its room is free, and a kernel ends no
  // sooner than its last block is noted.
  Cycle freed(unsigned sm, Cycle at);

  // Hands out all blocks for which there is room; none starts before `earliest`.
  void place(Cycle earliest, const std::function<void(const Placed&)>& start);

  [[nodiscard]] bool done() const { return next_ == blocks_; }

 private:
  struct Room {
    Cycle at = 0;
    unsigned sm = 0;
    std::uint64_t order = 0;
    bool replaces = false;
  };
  void send(const Room& room, Cycle earliest, const std::function<void(const Placed&)>& start);

  LaunchSpec spec_;
  std::uint64_t blocks_;
  std::uint64_t next_ = 0;
  std::vector<Room> rooms_;  // heap, earliest first
  std::uint64_t sequence_ = 0;
  double free_ = 0;             // when the scheduler sends its next block
  double note_free_ = 0;        // when it takes note of the next end
  std::vector<Cycle> sm_free_;  // when an SM takes its next block
};

}  // namespace warpgauge::model
