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
inline constexpr std::uint64_t local_lines = std::uint64_t{1} << 52;  // lines from here on are of local memory
inline constexpr unsigned max_memory_queue = 16;  // instructions that a processing block's memory queue holds

// What a load's or store's line is to the L1, as its machine code says (by hand, operators_of_the_l1): brought like others; first to make
// way (.EF); as if it were just hit (.EL); read for the last time (.LU); of the age it has (.EU); not brought (.NA). What LU and NA find there
// makes way first.
enum class Keep : std::uint8_t { as_others, first_to_go, longer, last_use, unchanged, not_at_all };

}  // namespace warpgauge::model
