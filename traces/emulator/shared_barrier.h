// The barrier objects of shared memory (mbarrier): how micro-ops say what an arrival does.
#pragma once

#include <cstdint>

namespace warpgauge::emulator {

struct Block;

// MicroOp::mode of arrivals: how many a lane is.
enum class Arrivals : std::uint8_t { none, one, given };
// MicroOp::mode2 of arrivals: by what the number of transactions under way grows.
enum class Transactions : std::uint8_t { none, one, minus_one, given, minus_given };
// MicroOp::mode3 of arrivals.
enum : std::uint8_t {
  arrival_drops = 1,      // the barrier expects as many fewer from the next phase on
  arrival_masked = 2,     // the result's lower word is the lanes that arrived together
  arrival_counts_up = 4,  // the layout before sm_90
};

// sm_90: so many bytes of transactions under way have come, for the barrier object at that offset of the
// block's shared memory; its phase ends if nothing else is missing. Throws LaneFault where none can lie.
void complete_transactions(Block& block, std::uint32_t offset, std::uint32_t bytes, unsigned lane);

}  // namespace warpgauge::emulator
