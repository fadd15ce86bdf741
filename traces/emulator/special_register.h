// The values of S2R's and CS2R's special registers.
#pragma once

#include "traces/emulator/block.h"

namespace warpgauge::emulator {

inline constexpr unsigned special_zero = 255;

// CLOCKLO, CLOCKHI, GLOBALTIMERLO, GLOBALTIMERHI
constexpr bool is_clock(unsigned number) {
  return number >= 80 && number <= 83;
}

// Numbers as in the word; a register without a meaning here reads as zero.
std::uint32_t special_register(const Block& block, const Warp& warp, unsigned number, unsigned lane);
// Of all lanes.
void special_register_row(const Block& block, const Warp& warp, unsigned number, std::uint32_t* row);

}  // namespace warpgauge::emulator
