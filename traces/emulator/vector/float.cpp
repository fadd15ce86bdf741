// Binary32 instructions of a whole warp. Compiled once per host instruction set; never contracted.
// Semantics: PTX ISA, floating-point instructions. A NaN result is 0x7fffffff.
#include "traces/emulator/float_format.h"
#include "traces/emulator/vector/lanes.h"
#include "traces/emulator/vector/variant.h"

namespace warpgauge::emulator {
namespace {

// mode: rounding. mode2: flags.
enum : unsigned { flag_ftz = 1, flag_saturate = 2, flag_fmz = 4, flag_nan = 8 };

// A source with its absolute value and negation.
struct Float {
  const std::uint32_t* words;
  std::uint32_t and_mask, xor_mask;
  [[nodiscard]] std::uint32_t bits(unsigned i) const { return (words[i] & and_mask) ^ xor_mask; }
  float operator[](unsigned i) const { return as_float(bits(i)); }
  [[nodiscard]] float flushed(unsigned i) const { return as_float(flush32(bits(i))); }
};

inline Float float_a(const Warp& w, const MicroOp& op) {
  return {source(w, op.a), op.and_mask[0], op.xor_mask[0]};
}
inline Float float_b(const Warp& w, const MicroOp& op) {
  return {source(w, op.b), op.and_mask[1], op.xor_mask[1]};
}
inline Float float_c(const Warp& w, const MicroOp& op) {
  return {source(w, op.c), op.and_mask[2], op.xor_mask[2]};
}

void fadd(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) { return canonical32(a[i] + b[i]); });
}

void fadd_ftz(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  for_lanes(row(w, op.destination), mask,
            [=](unsigned i) { return flush32(canonical32(a.flushed(i) + b.flushed(i))); });
}

void fmul(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) { return canonical32(a[i] * b[i]); });
}

void fmul_ftz(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  for_lanes(row(w, op.destination), mask,
            [=](unsigned i) { return flush32(canonical32(a.flushed(i) * b.flushed(i))); });
}

void ffma(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  const Float c = float_c(w, op);
  for_lanes(row(w, op.destination), mask,
            [=](unsigned i) { return canonical32(__builtin_fmaf(a[i], b[i], c[i])); });
}

void ffma_ftz(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  const Float c = float_c(w, op);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    return flush32(canonical32(__builtin_fmaf(a.flushed(i), b.flushed(i), c.flushed(i))));
  });
}

inline bool is_finite(double x) {
  return (as_bits(x) & 0x7ff0000000000000U) != 0x7ff0000000000000U;
}

inline std::uint32_t finish(double exact, unsigned rounding, unsigned flags) {
  float result = round_to_float(exact, rounding);
  if ((flags & flag_saturate) != 0) result = saturate(result);
  const std::uint32_t bits = canonical32(result);
  return (flags & flag_ftz) != 0 ? flush32(bits) : bits;
}

// The sum of a product (exact in binary64) and a float, ready for any rounding to binary32.
inline double sum_for_rounding(double a, double b, unsigned rounding) {
  if (!is_finite(a) || !is_finite(b)) return a + b;
  const double sum = add_to_odd(a, b);
  const bool opposite = ((as_bits(a) ^ as_bits(b)) >> 63) != 0;
  return sum == 0 && opposite && rounding == round_down ? -0.0 : sum;
}

template <class F>
inline void general(Warp& w, const MicroOp& op, std::uint32_t mask, F exact) {
  std::uint32_t result[lanes];
  for (unsigned i = 0; i < lanes; ++i) result[i] = finish(exact(i), op.mode, op.mode2);
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return result[i]; });
}

inline float read(const Float& x, unsigned i, unsigned flags) {
  return (flags & (flag_ftz | flag_fmz)) != 0 ? x.flushed(i) : x[i];
}

// 0 times anything is 0 under FMZ.
inline double product(float a, float b, unsigned flags) {
  if ((flags & flag_fmz) != 0 && (a == 0 || b == 0)) return 0;
  return static_cast<double>(a) * static_cast<double>(b);
}

void fadd_general(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  general(w, op, mask, [&](unsigned i) {
    return sum_for_rounding(static_cast<double>(read(a, i, op.mode2)),
                            static_cast<double>(read(b, i, op.mode2)), op.mode);
  });
}

// immediate: the power of two that the product is scaled by.
void fmul_general(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  const double scale = as_double(static_cast<std::uint64_t>(op.immediate + 1023) << 52);
  general(w, op, mask,
          [&](unsigned i) { return product(read(a, i, op.mode2), read(b, i, op.mode2), op.mode2) * scale; });
}

void ffma_general(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  const Float c = float_c(w, op);
  general(w, op, mask, [&](unsigned i) {
    return sum_for_rounding(product(read(a, i, op.mode2), read(b, i, op.mode2), op.mode2),
                            static_cast<double>(read(c, i, op.mode2)), op.mode);
  });
}

// The smaller or larger, -0 below +0; a NaN loses unless .NAN is asked for.
// `smaller` and `propagate` are all ones or zero.
inline std::uint32_t choose_float(std::uint32_t a, std::uint32_t b, std::uint32_t smaller,
                                  std::uint32_t propagate) {
  const std::uint32_t a_nan = (a & 0x7fffffffU) > 0x7f800000U ? all_lanes : 0U;
  const std::uint32_t b_nan = (b & 0x7fffffffU) > 0x7f800000U ? all_lanes : 0U;
  // Ordered as integers after the magnitude of negative values is turned round.
  const auto a_key = static_cast<std::int32_t>(a ^ (0x7fffffffU & (0U - (a >> 31))));
  const auto b_key = static_cast<std::int32_t>(b ^ (0x7fffffffU & (0U - (b >> 31))));
  const std::uint32_t less = a_key < b_key ? all_lanes : 0U;
  const std::uint32_t take_b = ((less ^ smaller) & ~b_nan) | a_nan;
  const std::uint32_t chosen = (a & ~take_b) | (b & take_b);
  const std::uint32_t none = (a_nan & b_nan) | (propagate & (a_nan | b_nan));
  return (chosen & ~none) | (canonical_nan32 & none);
}

void fmnmx(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  const std::uint32_t smaller = value(w, op.p);
  const std::uint32_t propagate = (op.mode2 & flag_nan) != 0 ? all_lanes : 0U;
  const std::uint32_t flushed = (op.mode2 & flag_ftz) != 0 ? all_lanes : 0U;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint32_t x = a.bits(i);
    const std::uint32_t y = b.bits(i);
    return choose_float((flush32(x) & flushed) | (x & ~flushed), (flush32(y) & flushed) | (y & ~flushed),
                        (smaller & lane_bit[i]) != 0 ? all_lanes : 0U, propagate);
  });
}

void fsel(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  const std::uint32_t choose = value(w, op.p);
  const bool ftz = (op.mode2 & flag_ftz) != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint32_t x = (choose & lane_bit[i]) != 0 ? a.bits(i) : b.bits(i);
    return ftz ? flush32(x) : x;
  });
}

// FloatCompare values are sums of 1 = less, 2 = equal, 4 = greater, 8 = unordered.
inline std::uint32_t compare(const Warp& w, const MicroOp& op, unsigned how, bool ftz) {
  const Float a = float_a(w, op);
  const Float b = float_b(w, op);
  float x[lanes];
  float y[lanes];
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) {
    x[i] = ftz ? a.flushed(i) : a[i];
    y[i] = ftz ? b.flushed(i) : b[i];
  }
  const std::uint32_t less = gather_bits([&](unsigned i) { return x[i] < y[i]; });
  const std::uint32_t equal = gather_bits([&](unsigned i) { return x[i] == y[i]; });
  const std::uint32_t greater = gather_bits([&](unsigned i) { return x[i] > y[i]; });
  return ((how & 1U) != 0 ? less : 0U) | ((how & 2U) != 0 ? equal : 0U) | ((how & 4U) != 0 ? greater : 0U) |
         ((how & 8U) != 0 ? ~(less | equal | greater) : 0U);
}

// mode: comparison, mode2: how it is combined with p, mode3: FTZ.
void fsetp(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  store_comparison(w, op, compare(w, op, op.mode, op.mode3 != 0), mask);
}

// extra: what true is written as.
void fset(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t holds = combine(op.mode2, compare(w, op, op.mode, op.mode3 != 0), value(w, op.p));
  const std::uint32_t when_true = op.extra;
  for_lanes(row(w, op.destination), mask,
            [=](unsigned i) { return (holds & lane_bit[i]) != 0 ? when_true : 0U; });
}

// To an integral value, of a magnitude below 2^50. The sum's rounding is to nearest, ties to even.
inline double integral(double x, unsigned rounding) {
  constexpr double magic = 0x1.8p52;
  const double nearest = (x + magic) - magic;
  const double below = nearest > x ? nearest - 1 : nearest;
  const double above = nearest < x ? nearest + 1 : nearest;
  const double towards_zero = x < 0 ? above : below;
  return rounding == round_nearest ? nearest
         : rounding == round_down  ? below
         : rounding == round_up    ? above
                                   : towards_zero;
}

inline double clamp(double x, double low, double high) {
  const double raised = x < low ? low : x;
  return raised > high ? high : raised;
}

// binary32 to 32-bit integers. mode3: rounding, extra: 1 = FTZ. Out of range becomes the nearest end of the
// range; a NaN 0.
template <bool is_signed>
void f2i(Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Float b = float_b(w, op);
  const std::uint32_t flushed = (op.extra & 1U) != 0 ? all_lanes : 0U;
  const unsigned rounding = op.mode3;
  constexpr double middle = is_signed ? 0.0 : 0x1p31;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint32_t bits = b.bits(i);
    const std::uint32_t known = (flush32(bits) & flushed) | (bits & ~flushed);
    const bool none = (known & 0x7fffffffU) > 0x7f800000U;
    const double x = clamp(static_cast<double>(as_float(none ? 0U : known)), -0x1p40, 0x1p40);
    const double whole = clamp(integral(x, rounding) - middle, -0x1p31, 0x1p31 - 1);
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(whole)) ^ (is_signed ? 0U : 0x80000000U);
  });
}

void f2i_signed(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  f2i<true>(w, op, mask);
}
void f2i_unsigned(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  f2i<false>(w, op, mask);
}

// 32-bit integers to binary32, to nearest.
void i2f_signed(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain b{source(w, op.b)};
  for_lanes(row(w, op.destination), mask,
            [=](unsigned i) { return as_bits(static_cast<float>(static_cast<std::int32_t>(b[i]))); });
}

void i2f_unsigned(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain b{source(w, op.b)};
  // Through binary64, which holds every 32-bit integer exactly.
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const double x = static_cast<double>(static_cast<std::int32_t>(b[i] ^ 0x80000000U)) + 0x1p31;
    return as_bits(static_cast<float>(x));
  });
}

}  // namespace

void WARPGAUGE_VARIANT(fill_float)(VectorKernels& table) {
#define FILL(KERNEL) table.KERNEL = KERNEL;
  FILL(fadd)
  FILL(fadd_ftz)
  FILL(fadd_general)
  FILL(fmul) FILL(fmul_ftz) FILL(fmul_general) FILL(ffma) FILL(ffma_ftz) FILL(ffma_general) FILL(fmnmx)
      FILL(fsel) FILL(fset) FILL(fsetp) FILL(i2f_signed) FILL(i2f_unsigned) FILL(f2i_signed)
      FILL(f2i_unsigned)
#undef FILL
}

}  // namespace warpgauge::emulator
