// Packed binary16 and bfloat16 instructions of a whole warp. Compiled once per host instruction set.
// Each half is computed in binary64 with what is lost kept in the last bit, then rounded once.
#include "traces/emulator/float_format.h"
#include "traces/emulator/half_flags.h"
#include "traces/emulator/vector/lanes.h"
#include "traces/emulator/vector/variant.h"

namespace warpgauge::emulator {
namespace {

inline std::uint32_t flush16(std::uint32_t half, bool bf16) {
  const std::uint32_t exponent = bf16 ? 0x7f80U : 0x7c00U;
  return (half & exponent) == 0 ? half & 0x8000U : half;
}

// A source operand: which halves it selects and its modifiers.
struct Packed {
  const std::uint32_t* words;
  std::uint32_t and_mask, xor_mask;
  unsigned selector;
  unsigned flags;

  [[nodiscard]] std::uint32_t word(unsigned i) const { return (words[i] & and_mask) ^ xor_mask; }
  [[nodiscard]] std::uint32_t half(unsigned i, unsigned k) const {
    const unsigned which = selector == half_low      ? 0
                           : selector == half_high   ? 1
                           : selector == half_turned ? 1 - k
                                                     : k;
    const std::uint32_t sign = selector == half_turned && k == 0 ? 0x8000U : 0U;
    const std::uint32_t bits = ((word(i) >> (16 * which)) & 0xffffU) ^ sign;
    return (flags & half_ftz) != 0 ? flush16(bits, (flags & half_bf16) != 0) : bits;
  }
  [[nodiscard]] double value(unsigned i, unsigned k) const {
    if (selector == half_f32) return static_cast<double>(as_float(word(i)));
    const std::uint32_t bits = half(i, k);
    return static_cast<double>((flags & half_bf16) != 0 ? bfloat_to_float(bits) : half_to_float(bits));
  }
};

inline Packed packed_a(const Warp& w, const MicroOp& op) {
  return {source(w, op.a), op.and_mask[0], op.xor_mask[0], op.mode, op.extra};
}
inline Packed packed_b(const Warp& w, const MicroOp& op) {
  return {source(w, op.b), op.and_mask[1], op.xor_mask[1], op.mode2, op.extra};
}
inline Packed packed_c(const Warp& w, const MicroOp& op) {
  return {source(w, op.c), op.and_mask[2], op.xor_mask[2], op.mode3, op.extra};
}

inline bool is_finite(double x) {
  return (as_bits(x) & 0x7ff0000000000000U) != 0x7ff0000000000000U;
}

inline double sum(double a, double b) {
  return is_finite(a) && is_finite(b) ? add_to_odd(a, b) : a + b;
}

inline std::uint32_t round_half(double exact, unsigned flags) {
  double x = exact;
  if ((flags & half_saturate) != 0) x = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
  if ((flags & half_relu) != 0 && !(x > 0) && !is_nan(x)) x = 0.0;
  const bool bf16 = (flags & half_bf16) != 0;
  const std::uint32_t bits = bf16 ? round_to_bfloat(x, round_nearest) : round_to_half(x, round_nearest);
  return (flags & half_ftz) != 0 ? flush16(bits, bf16) : bits;
}

template <class F>
inline void both_halves(Warp& w, const MicroOp& op, std::uint32_t mask, F exact) {
  std::uint32_t result[lanes];
  const unsigned flags = op.extra;
  if ((flags & half_f32_result) != 0) {
    for (unsigned i = 0; i < lanes; ++i) result[i] = canonical32(static_cast<float>(exact(i, 0)));
  } else {
    for (unsigned i = 0; i < lanes; ++i)
      result[i] = round_half(exact(i, 0), flags) | (round_half(exact(i, 1), flags) << 16);
  }
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return result[i]; });
}

inline double product(double a, double b, unsigned flags) {
  return (flags & half_fmz) != 0 && (a == 0 || b == 0) ? 0.0 : a * b;
}

void hadd2(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Packed a = packed_a(w, op);
  const Packed b = packed_b(w, op);
  both_halves(w, op, mask, [&](unsigned i, unsigned k) { return sum(a.value(i, k), b.value(i, k)); });
}

void hmul2(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Packed a = packed_a(w, op);
  const Packed b = packed_b(w, op);
  both_halves(w, op, mask,
              [&](unsigned i, unsigned k) { return product(a.value(i, k), b.value(i, k), op.extra); });
}

void hfma2(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Packed a = packed_a(w, op);
  const Packed b = packed_b(w, op);
  const Packed c = packed_c(w, op);
  both_halves(w, op, mask, [&](unsigned i, unsigned k) {
    return sum(product(a.value(i, k), b.value(i, k), op.extra), c.value(i, k));
  });
}

// The smaller or larger of two halves.
struct HalfChoice {
  explicit HalfChoice(unsigned flags)
      : propagate((flags & half_nan) != 0), infinity((flags & half_bf16) != 0 ? 0x7f80U : 0x7c00U) {}
  bool propagate;
  std::uint32_t infinity;

  std::uint32_t operator()(std::uint32_t x, std::uint32_t y, bool take_smaller) const {
    const bool x_nan = (x & 0x7fffU) > infinity;
    const bool y_nan = (y & 0x7fffU) > infinity;
    if ((x_nan && y_nan) || (propagate && (x_nan || y_nan))) return canonical_nan16;
    if (x_nan || y_nan) return x_nan ? y : x;
    const auto x_key = static_cast<std::int16_t>(x ^ ((x & 0x8000U) != 0 ? 0x7fffU : 0U));
    const auto y_key = static_cast<std::int16_t>(y ^ ((y & 0x8000U) != 0 ? 0x7fffU : 0U));
    return (x_key < y_key) == take_smaller ? x : y;
  }
};

// p: minimum where it holds.
void hmnmx2(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Packed a = packed_a(w, op);
  const Packed b = packed_b(w, op);
  const std::uint32_t smaller = value(w, op.p);
  const HalfChoice choose(op.extra);
  std::uint32_t result[lanes];
  for (unsigned i = 0; i < lanes; ++i) {
    const bool take_smaller = (smaller & lane_bit[i]) != 0;
    result[i] = choose(a.half(i, 0), b.half(i, 0), take_smaller) |
                (choose(a.half(i, 1), b.half(i, 1), take_smaller) << 16);
  }
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return result[i]; });
}

// Of three. p: minimum where it holds.
void hmnmx3(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Packed a = packed_a(w, op);
  const Packed b = packed_b(w, op);
  const Packed c = packed_c(w, op);
  const std::uint32_t smaller = value(w, op.p);
  const HalfChoice choose(op.extra);
  std::uint32_t result[lanes];
  for (unsigned i = 0; i < lanes; ++i) {
    const bool take_smaller = (smaller & lane_bit[i]) != 0;
    const auto of_three = [&](unsigned k) {
      return choose(choose(a.half(i, k), b.half(i, k), take_smaller), c.half(i, k), take_smaller);
    };
    result[i] = of_three(0) | (of_three(1) << 16);
  }
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return result[i]; });
}

inline std::uint32_t compare_half(const Packed& a, const Packed& b, unsigned k, unsigned how) {
  std::uint32_t holds = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    const double x = a.value(i, k);
    const double y = b.value(i, k);
    const unsigned outcome = x < y ? 1U : x == y ? 2U : x > y ? 4U : 8U;
    holds |= (how & outcome) != 0 ? lane_bit[i] : 0U;
  }
  return holds;
}

// extra2: comparison | combination << 4 | H_AND << 8. Two predicates, one a half; with H_AND one for both and
// its opposite.
void hsetp2(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Packed a = packed_a(w, op);
  const Packed b = packed_b(w, op);
  const unsigned how = op.extra2 & 15U;
  const unsigned join = (op.extra2 >> 4) & 3U;
  const std::uint32_t other = value(w, op.p);
  const std::uint32_t low = compare_half(a, b, 0, how);
  const std::uint32_t high = compare_half(a, b, 1, how);
  const bool both = ((op.extra2 >> 8) & 1U) != 0;
  const std::uint32_t first = both ? low & high : low;
  const std::uint32_t second = both ? ~(low & high) : high;
  set_predicate(w, op.predicate_destination, combine(join, first, other), mask);
  set_predicate(w, op.predicate_destination2, combine(join, second, other), mask);
}

// immediate: what true is written as in each half.
void hset2(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Packed a = packed_a(w, op);
  const Packed b = packed_b(w, op);
  const unsigned how = op.extra2 & 15U;
  const unsigned join = (op.extra2 >> 4) & 3U;
  const std::uint32_t other = value(w, op.p);
  const std::uint32_t low = combine(join, compare_half(a, b, 0, how), other);
  const std::uint32_t high = combine(join, compare_half(a, b, 1, how), other);
  const auto one = static_cast<std::uint32_t>(op.immediate);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    return ((low & lane_bit[i]) != 0 ? one : 0U) | ((high & lane_bit[i]) != 0 ? one << 16 : 0U);
  });
}

}  // namespace

void WARPGAUGE_VARIANT(fill_half)(VectorKernels& table) {
#define FILL(KERNEL) table.KERNEL = KERNEL;
  FILL(hadd2) FILL(hmul2) FILL(hfma2) FILL(hmnmx2) FILL(hmnmx3) FILL(hsetp2) FILL(hset2)
#undef FILL
}

}  // namespace warpgauge::emulator
