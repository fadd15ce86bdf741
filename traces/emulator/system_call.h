// What kernels call outside their own code: vprintf, malloc, free, __assertfail.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "traces/emulator/block.h"

namespace warpgauge::emulator {

// The functions that a program run under Warpgauge may call.
inline constexpr std::string_view system_calls[] = {"vprintf", "malloc", "__cuda_syscall_aligned_malloc", "free", "__assertfail"};

inline bool is_system_call(std::string_view function) {
  return std::find(std::begin(system_calls), std::end(system_calls), function) != std::end(system_calls);
}

// Arguments lie in R4 and up, 64-bit ones in aligned pairs; results go to R4 (and R5).
class SystemCalls {
 public:
  virtual ~SystemCalls() = default;

  // Serves the lanes in `mask`, and says what that takes. May be called from several host threads. Throws LaneFault for a
  // function that is not served, and for a failed assertion.
  virtual traces::DriverCall call(Block& block, Warp& warp, const std::string& function, std::uint32_t mask) = 0;
};

}  // namespace warpgauge::emulator
