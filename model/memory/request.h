// What passes between the SMs and the memory system.
#pragma once

#include <cstdint>

#include "model/sm/types.h"

namespace warpgauge::model {

// Where the L2 sees constant banks, of 256 KiB each: no data lies there.
inline constexpr std::uint64_t constant_window = std::uint64_t{1} << 50;

enum class RequestKind : std::uint8_t { load, store, atomic, reduction, code };

struct MemoryRequest {
  Cycle at = 0;            // leaves the SM
  std::uint64_t line = 0;  // byte address / line bytes
  std::uint32_t id = 0;    // the SM's own, returned with the reply
  std::uint16_t sm = 0;
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;  // mask within the line
  std::uint8_t lanes = 0;    // that take part
  // Of atomics: sector accesses. Lanes on one word take turns, and each turn comes back to the word's sector.
  std::uint8_t turns = 0;
  std::uint8_t deepest = 0;   // of atomics: most lanes on one word
  bool partial = false;       // of stores: a sector is covered in part
  bool floating = false;      // of atomics: floating-point addition
  bool two_operands = false;  // of atomics: compare and swap
};

// Loads and atomics return data, stores and reductions a notice that the L2 has them.
struct MemoryReply {
  Cycle at = 0;  // reaches the SM
  std::uint32_t id = 0;
  std::uint16_t sm = 0;
  bool of_code = false;  // or of constants
};

}  // namespace warpgauge::model
