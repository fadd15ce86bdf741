// The barrier objects of shared memory (mbarrier): how micro-ops say what an arrival does.
#pragma once

#include <cstdint>

namespace warpgauge::emulator {

struct Block;
struct ComingBytes;
struct Warp;

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

// sm_90: throws LaneFault where no barrier object can lie at that offset of the block's shared memory.
void check_object(Block& block, std::uint32_t offset, unsigned lane);
// So many bytes of transactions under way have come, for one that lies there; its phase ends if nothing else is missing.
void complete_transactions(Block& block, std::uint32_t offset, std::uint32_t bytes);
// A bulk copy has come.
void land(Block& block, const ComingBytes& come);
// Whether the phase that the warp's last check found to last has ended by now; its predicate says so then.
bool phase_has_ended(Warp& warp);

}  // namespace warpgauge::emulator
