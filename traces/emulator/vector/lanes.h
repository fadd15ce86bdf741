// Loops over the 32 lanes of a warp that the compiler turns into vector code.
// Included only by the files that are compiled once per host instruction set: everything here has internal
// linkage, so that the linker can never put one variant's code in another's place.
#pragma once

#include <cstdint>

#include "traces/emulator/micro_op.h"
#include "traces/emulator/warp.h"

#if defined(__clang__)
#define WARPGAUGE_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define WARPGAUGE_LANES _Pragma("GCC ivdep")
#endif

namespace warpgauge::emulator {
namespace {

constexpr std::uint32_t lane_bit[lanes] = {
    1U << 0,  1U << 1,  1U << 2,  1U << 3,  1U << 4,  1U << 5,  1U << 6,  1U << 7,
    1U << 8,  1U << 9,  1U << 10, 1U << 11, 1U << 12, 1U << 13, 1U << 14, 1U << 15,
    1U << 16, 1U << 17, 1U << 18, 1U << 19, 1U << 20, 1U << 21, 1U << 22, 1U << 23,
    1U << 24, 1U << 25, 1U << 26, 1U << 27, 1U << 28, 1U << 29, 1U << 30, 1U << 31};

inline std::uint64_t wide(std::uint32_t low, std::uint32_t high) {
  return (std::uint64_t{high} << 32) | low;
}
inline std::uint32_t low_word(std::uint64_t v) {
  return static_cast<std::uint32_t>(v);
}
inline std::uint32_t high_word(std::uint64_t v) {
  return static_cast<std::uint32_t>(v >> 32);
}

// A source row with its modifiers; `S` selects the operand (0 = a, 1 = b, 2 = c).
struct Input {
  const std::uint32_t* words;
  std::uint32_t and_mask, xor_mask, add;
  std::uint32_t operator[](unsigned i) const { return ((words[i] & and_mask) ^ xor_mask) + add; }
  // Without the +1 of a negation, whose carry counts where carries are seen.
  [[nodiscard]] std::uint32_t partial(unsigned i) const { return (words[i] & and_mask) ^ xor_mask; }
};

inline Input input_a(const Warp& w, const MicroOp& op) {
  return {source(w, op.a), op.and_mask[0], op.xor_mask[0], op.add[0]};
}
inline Input input_b(const Warp& w, const MicroOp& op) {
  return {source(w, op.b), op.and_mask[1], op.xor_mask[1], op.add[1]};
}
inline Input input_c(const Warp& w, const MicroOp& op) {
  return {source(w, op.c), op.and_mask[2], op.xor_mask[2], op.add[2]};
}

// A row without modifiers.
struct Plain {
  const std::uint32_t* words;
  std::uint32_t operator[](unsigned i) const { return words[i]; }
};

// destination[i] = compute(i) in the lanes of `mask`. Lanes are independent: a destination row is either
// apart from a source row or the same row.
template <class F>
inline void for_lanes(std::uint32_t* destination, std::uint32_t mask, F compute) {
  if (mask == all_lanes) {
    WARPGAUGE_LANES
    for (unsigned i = 0; i < lanes; ++i) destination[i] = compute(i);
  } else {
    WARPGAUGE_LANES
    for (unsigned i = 0; i < lanes; ++i) {
      const std::uint32_t result = compute(i);
      destination[i] = (lane_bit[i] & mask) != 0 ? result : destination[i];
    }
  }
}

// 64-bit results go to a pair of rows.
template <class F>
inline void for_lanes_wide(std::uint32_t* destination, std::uint32_t mask, F compute) {
  std::uint32_t* const high = destination + lanes;
  if (mask == all_lanes) {
    WARPGAUGE_LANES
    for (unsigned i = 0; i < lanes; ++i) {
      const std::uint64_t result = compute(i);
      destination[i] = low_word(result);
      high[i] = high_word(result);
    }
  } else {
    WARPGAUGE_LANES
    for (unsigned i = 0; i < lanes; ++i) {
      const std::uint64_t result = compute(i);
      const bool chosen = (lane_bit[i] & mask) != 0;
      destination[i] = chosen ? low_word(result) : destination[i];
      high[i] = chosen ? high_word(result) : high[i];
    }
  }
}

// Bit i = predicate(i).
template <class F>
inline std::uint32_t gather_bits(F predicate) {
  std::uint32_t bits = 0;
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) bits |= predicate(i) ? lane_bit[i] : 0U;
  return bits;
}

// 1 in the lanes where the predicate holds.
inline std::uint32_t lane_of(std::uint32_t bits, unsigned i) {
  return (bits & lane_bit[i]) != 0 ? 1U : 0U;
}

inline std::uint32_t combine(unsigned how, std::uint32_t x, std::uint32_t y) {
  return how == 0 ? x & y : how == 1 ? x | y : x ^ y;
}

// The two results of a comparison: Pd = cmp op Ps, Pq = !cmp op Ps.
inline void store_comparison(Warp& warp, const MicroOp& op, std::uint32_t compared, std::uint32_t mask) {
  const std::uint32_t other = value(warp, op.p);
  set_predicate(warp, op.predicate_destination, combine(op.mode2, compared, other), mask);
  set_predicate(warp, op.predicate_destination2, combine(op.mode2, ~compared, other), mask);
}

}  // namespace
}  // namespace warpgauge::emulator
