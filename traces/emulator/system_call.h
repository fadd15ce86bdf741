// What kernels call outside their own code: vprintf, malloc, free, __assertfail.
#pragma once

#include <cstdint>

#include "traces/emulator/block.h"

namespace warpgauge::emulator {

// Arguments lie in R4 and up, 64-bit ones in aligned pairs; results go to R4 (and R5).
class SystemCalls {
 public:
  virtual ~SystemCalls() = default;

  // Serves the lanes in `mask`. May be called from several host threads. Throws LaneFault for a function that
  // is not served, and for a failed assertion.
  virtual void call(Block& block, Warp& warp, const std::string& function, std::uint32_t mask) = 0;
};

}  // namespace warpgauge::emulator
