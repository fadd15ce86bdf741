// Floating-point formats and roundings, written out in integers and exact binary64 steps, so that they give
// the same bits on every host. Included by files that are compiled for several instruction sets: internal
// linkage.
#pragma once

#include <cstdint>

namespace warpgauge::emulator {
namespace {

constexpr std::uint32_t canonical_nan32 = 0x7fffffffU;
constexpr std::uint32_t canonical_nan16 = 0x7fffU;

inline float as_float(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
inline std::uint32_t as_bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
inline double as_double(std::uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}
inline std::uint64_t as_bits(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}

inline bool is_nan(float x) {
  return x != x;
}
inline bool is_nan(double x) {
  return x != x;
}

// NVIDIA's Rounding field.
enum : unsigned { round_nearest = 0, round_down = 1, round_up = 2, round_zero = 3 };

// Denormals become zeros of the same sign.
inline std::uint32_t flush32(std::uint32_t bits) {
  return (bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits;
}

inline std::uint32_t canonical32(float x) {
  return is_nan(x) ? canonical_nan32 : as_bits(x);
}

// [0, 1]; NaN and negative zero become positive zero.
inline float saturate(float x) {
  const float low = x > 0.0F ? x : 0.0F;
  return low < 1.0F ? low : 1.0F;
}

// a + b rounded to odd: whatever is lost leaves the last bit set, so that a later rounding to at most 51 bits
// is the rounding of the exact sum. Finite operands whose sum does not overflow.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  const double error = (a - a_part) + (b - b_part);
  const std::uint64_t bits = as_bits(sum);
  const bool away = (error > 0) == (sum > 0);  // the exact sum is larger in magnitude
  const std::uint64_t nudged = away ? bits + 1 : bits - 1;
  return error != 0 && (bits & 1U) == 0 ? as_double(nudged) : sum;
}

// To the float below or above, crossing zero.
inline float next_float(float x, bool up) {
  const std::uint32_t bits = as_bits(x);
  if ((bits & 0x7fffffffU) == 0) return as_float(up ? 1U : 0x80000001U);
  const bool away = ((bits >> 31) == 0) == up;
  return as_float(away ? bits + 1 : bits - 1);
}

inline double next_double(double x, bool up) {
  const std::uint64_t bits = as_bits(x);
  if ((bits << 1) == 0) return as_double(up ? 1U : 0x8000000000000001U);
  const bool away = ((bits >> 63) == 0) == up;
  return as_double(away ? bits + 1 : bits - 1);
}

// Any rounding of a binary64 value that is exact or rounded to odd.
inline float round_to_float(double x, unsigned rounding) {
  const auto nearest = static_cast<float>(x);
  if (rounding == round_nearest || is_nan(x)) return nearest;
  const auto back = static_cast<double>(nearest);
  if (back == x) return nearest;
  const bool down = rounding == round_down || (rounding == round_zero && x > 0);
  if (down) return back > x ? next_float(nearest, false) : nearest;
  return back < x ? next_float(nearest, true) : nearest;
}

// A binary16 value widened exactly.
inline float half_to_float(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7fffU;
  const std::uint32_t normal = (magnitude << 13) + 0x38000000U;
  const std::uint32_t special = (magnitude << 13) | 0x7f800000U;
  // Exact: a denormal half is an integer of at most 10 bits times 2^-24.
  const std::uint32_t denormal = as_bits(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  const std::uint32_t bits = magnitude >= 0x7c00U ? special : magnitude < 0x400U ? denormal : normal;
  return as_float(sign | bits);
}

inline float bfloat_to_float(std::uint32_t b) {
  return as_float(b << 16);
}

// Rounds a binary64 value, exact or rounded to odd, to a multiple of 2^(exponent - bits) where `exponent` is
// that of x, at least `lowest`: the value in a format with `bits` fraction bits. NaN and infinity pass
// through.
inline double round_fraction(double x, unsigned bits, int lowest, unsigned rounding) {
  const std::uint64_t raw = as_bits(x);
  const int exponent = static_cast<int>((raw >> 52) & 0x7ffU) - 1023;
  if (exponent == 1024) return x;
  const int quantum = (exponent < lowest ? lowest : exponent) - static_cast<int>(bits);
  // x / 2^quantum is below 2^12: adding and subtracting 1.5 * 2^52 rounds it to an integer.
  const double unit = as_double(static_cast<std::uint64_t>(quantum + 1023) << 52);
  const double magic = 6755399441055744.0 * unit;
  const double nearest = (x + magic) - magic;
  double result = nearest;
  if (rounding != round_nearest && nearest != x) {
    const bool down = rounding == round_down || (rounding == round_zero && x > 0);
    if (down && nearest > x) result = nearest - unit;
    if (!down && nearest < x) result = nearest + unit;
  }
  return as_double((as_bits(result) & 0x7fffffffffffffffU) | (raw & 0x8000000000000000U));
}

// The bits of a value that binary16 represents, or of an overflow: infinity, or the largest where the
// rounding goes towards zero.
inline std::uint32_t encode_half(double rounded, unsigned rounding) {
  const std::uint64_t raw = as_bits(rounded);
  const std::uint32_t sign = static_cast<std::uint32_t>(raw >> 48) & 0x8000U;
  const double magnitude = as_double(raw & 0x7fffffffffffffffU);
  if (is_nan(rounded)) return canonical_nan16;
  if (magnitude > 65504.0) {
    const bool infinite = (raw & 0x7fffffffffffffffU) == 0x7ff0000000000000U || rounding == round_nearest ||
                          (rounding == round_up && sign == 0) || (rounding == round_down && sign != 0);
    return sign | (infinite ? 0x7c00U : 0x7bffU);
  }
  if (magnitude < 0x1p-14)
    return sign | static_cast<std::uint32_t>(static_cast<std::int32_t>(magnitude * 0x1p24));
  const auto exponent = static_cast<std::uint32_t>(((raw >> 52) & 0x7ffU) - 1023 + 15);
  return sign | (exponent << 10) | (static_cast<std::uint32_t>(raw >> 42) & 0x3ffU);
}

inline std::uint32_t round_to_half(double x, unsigned rounding) {
  return encode_half(round_fraction(x, 10, -14, rounding), rounding);
}

inline std::uint32_t round_to_bfloat(double x, unsigned rounding) {
  if (is_nan(x)) return canonical_nan16;
  const double rounded = round_fraction(x, 7, -126, rounding);
  const std::uint64_t raw = as_bits(rounded);
  const auto sign = static_cast<std::uint32_t>(raw >> 48) & 0x8000U;
  const double magnitude = as_double(raw & 0x7fffffffffffffffU);
  if (magnitude > 0x1.fep127) {
    const bool infinite = (raw & 0x7fffffffffffffffU) == 0x7ff0000000000000U || rounding == round_nearest ||
                          (rounding == round_up && sign == 0) || (rounding == round_down && sign != 0);
    return sign | (infinite ? 0x7f80U : 0x7f7fU);
  }
  return as_bits(static_cast<float>(rounded)) >> 16;
}

}  // namespace
}  // namespace warpgauge::emulator
