// What kernels call outside their own code: vprintf, malloc, free, __assertfail.
#pragma once

#include <cstdint>

#include "traces/emulator/block.h"

namespace warpgauge::emulator {

// A linker binds undefined functions of a module to addresses inside [system_call_window, + window_bytes).
// Arguments lie in R4 and up, 64-bit ones in aligned pairs; results go to R4 (and R5).
class SystemCalls {
 public:
  static constexpr std::uint64_t window_bytes = 1U << 20;
  virtual ~SystemCalls() = default;

  // Serves the lanes in `mask`. May be called from several host threads.
  virtual void call(Block& block, Warp& warp, std::uint64_t address, std::uint32_t mask) = 0;
};

}  // namespace warpgauge::emulator
