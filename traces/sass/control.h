// The control word that the compiler attaches to each instruction: Jia2018 and Jia2019, section 2.1.
#pragma once

#include <cstdint>

namespace warpgauge::sass {

// Bits of the 128-bit instruction: [105:109) stall, 109 yield (inverted: 0 asks for a switch),
// [110:113) write barrier, [113:116) read barrier, [116:122) wait mask, [122:126) reuse.
struct Control {
  static constexpr std::uint8_t no_barrier = 7;

  std::uint8_t stall = 0;                   // cycles before this warp may issue again, 0…15
  bool yield = false;                       // true: prefer another warp next (bit 109 is 0)
  std::uint8_t write_barrier = no_barrier;  // counter 0…5 held until the result is written (RAW, WAW)
  std::uint8_t read_barrier = no_barrier;   // counter 0…5 held until the sources are read (WAR)
  std::uint8_t wait_mask = 0;               // bit n: dependence counter n must be zero before issue
  std::uint8_t reuse = 0;                   // bit 0, 1, 2: keep source slot A, B, C in the reuse cache

  friend bool operator==(const Control&, const Control&) = default;
};

}  // namespace warpgauge::sass
