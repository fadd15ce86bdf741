// Small types that all parts of the SM share.
#pragma once

#include <cstdint>

namespace warpgauge::model {

using Cycle = std::uint64_t;  // of the SM clock, from the start of the kernel

inline constexpr Cycle never = ~Cycle{0};
inline constexpr unsigned max_subcores = 4;  // processing blocks of an SM
inline constexpr unsigned max_warps_per_subcore = 16;
inline constexpr unsigned max_warps_per_sm = max_subcores * max_warps_per_subcore;
inline constexpr unsigned dependence_counters = 6;
inline constexpr unsigned max_memory_queue = 16;  // instructions that a processing block's memory queue holds

}  // namespace warpgauge::model
