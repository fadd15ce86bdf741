// The special function unit's arithmetic: table look-up, a squarer without its lower columns, one sum,
// truncation.
#include <bit>
#include <cmath>
#include <vector>

#include "traces/emulator/float_format.h"
#include "traces/emulator/special_function_tables.h"

namespace warpgauge::emulator {
namespace {

constexpr std::uint32_t sign_bit = 0x80000000U;
constexpr std::uint32_t infinity = 0x7f800000U;
constexpr std::uint32_t not_a_number = 0x7fffffffU;
constexpr std::uint32_t fraction_mask = 0x007fffffU;
constexpr unsigned x_bits = 17;
constexpr std::uint32_t x_mask = (1U << x_bits) - 1;

// x * x in units of 2^17 without the partial products whose column lies below 2^cut. The columns of the
// products b_i b_j (2^(i+j+1)) and b_i (2^2i): what is left out for bit i are the bits j < cut - 1 - i.
template <unsigned cut>
std::uint32_t square_columns(std::uint32_t x) {
  std::uint64_t sum = 0;
  for (std::uint32_t rest = x; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(rest));
    std::uint32_t others = x & (~0U << (i + 1));
    if (i + 1 < cut) others &= ~0U << (cut - 1 - i);
    sum += static_cast<std::uint64_t>(others) << (i + 1);
    if (2 * i >= cut) sum += std::uint64_t{1} << (2 * i);
  }
  return static_cast<std::uint32_t>(sum >> 17);
}

// The squares of all arguments, a quarter of each: they are multiples of 4 below 2^17.
template <unsigned bits, unsigned cut>
const std::uint16_t* square_table() {
  static const std::vector<std::uint16_t> table = [] {
    std::vector<std::uint16_t> squares(std::size_t{1} << bits);
    for (std::uint32_t x = 0; x < squares.size(); ++x)
      squares[x] = static_cast<std::uint16_t>(square_columns<cut>(x) >> (bits == x_bits ? 2 : 0));
    return squares;
  }();
  return table.data();
}

std::uint32_t truncated_square(std::uint32_t x) {
  static const std::uint16_t* const squares = square_table<x_bits, 19>();
  return std::uint32_t{squares[x]} << 2;
}

// The reciprocal's, of 16 bits.
std::uint32_t truncated_square_16(std::uint32_t x) {
  static const std::uint16_t* const squares = square_table<16, 17>();
  return std::uint32_t{squares[x]} << 2;
}

std::int64_t interpolate(const SpecialSegment& segment, std::int64_t bias, std::uint32_t x, std::uint32_t q) {
  return (segment.c0 << 15) + bias + std::int64_t{segment.c1} * x + std::int64_t{segment.c2} * q;
}

// magnitude * 2^-unit, cut off to a binary32 number; below the normal range it is zero.
std::uint32_t truncate(std::uint64_t magnitude, int unit, std::uint32_t sign) {
  if (magnitude == 0) return sign;
  const int top = 63 - std::countl_zero(magnitude);
  const int exponent = top - unit + 127;
  if (exponent <= 0) return sign;
  if (exponent >= 255) return sign | infinity;
  const std::uint64_t fraction = top >= 23 ? magnitude >> (top - 23) : magnitude << (23 - top);
  return sign | (static_cast<std::uint32_t>(exponent) << 23) |
         (static_cast<std::uint32_t>(fraction) & fraction_mask);
}

int exponent_of(std::uint32_t bits) {
  return static_cast<int>((bits >> 23) & 255U);
}

std::uint32_t reciprocal(std::uint32_t bits) {
  const std::uint32_t sign = bits & sign_bit;
  const int exponent = exponent_of(bits);
  const std::uint32_t fraction = bits & fraction_mask;
  if (exponent == 255) return fraction != 0 ? not_a_number : sign;
  if (exponent == 0) return sign | infinity;
  if (fraction == 0) return truncate(1, exponent - 127, sign);
  const std::uint32_t x = fraction & 0xffffU;
  const std::uint32_t q = truncated_square_16(x);
  const std::int64_t sum = interpolate(reciprocal_segments[fraction >> 16], reciprocal_bias, 2 * x, q);
  return truncate(static_cast<std::uint64_t>(sum), 41 + exponent - 127, sign);
}

// RSQ and SQRT: the exponent's parity picks the half of the table.
std::uint32_t root(const SpecialSegment* segments, bool inverse, std::uint32_t bits) {
  const int exponent = exponent_of(bits);
  const std::uint32_t fraction = bits & fraction_mask;
  if (exponent == 255 && fraction != 0) return not_a_number;
  if (exponent == 0) return inverse ? (bits & sign_bit) | infinity : bits & sign_bit;
  if ((bits & sign_bit) != 0) return not_a_number;
  if (exponent == 255) return inverse ? 0 : infinity;
  const int scale = exponent - 127;
  const int half = scale >> 1;
  const bool odd = (scale & 1) != 0;
  if (fraction == 0 && !odd) return truncate(1, inverse ? half : -half, 0);
  const std::uint32_t x = fraction & x_mask;
  const SpecialSegment& segment = segments[(odd ? 64 : 0) + (fraction >> x_bits)];
  const std::int64_t sum = interpolate(segment, root_bias, x, truncated_square(x));
  return truncate(static_cast<std::uint64_t>(sum), 41 + (inverse ? half : -half), 0);
}

// floor(|value| * 2^bits) modulo 2^(bits + 16), of a finite number.
std::uint64_t fixed_point(std::uint32_t bits, int fraction_bits) {
  const int exponent = exponent_of(bits);
  if (exponent == 0) return 0;
  const std::uint64_t significand = (bits & fraction_mask) | 0x800000U;
  const int shift = exponent - 150 + fraction_bits;
  if (shift >= 64) return 0;
  return shift >= 0 ? significand << shift : shift > -24 ? significand >> -shift : 0;
}

std::uint32_t power(std::uint32_t bits) {
  const int exponent = exponent_of(bits);
  if (exponent == 255) {
    if ((bits & fraction_mask) != 0) return not_a_number;
    return (bits & sign_bit) != 0 ? 0 : infinity;
  }
  const bool negative = (bits & sign_bit) != 0;
  if (exponent >= 127 + 8) return negative ? 0 : infinity;
  const auto magnitude = static_cast<std::int64_t>(fixed_point(bits, 23));
  // A negative argument that is no whole number is complemented, not negated.
  const std::int64_t argument = !negative                          ? magnitude
                                : (magnitude & fraction_mask) == 0 ? -magnitude
                                                                   : ~magnitude;
  const auto whole = static_cast<int>(argument >> 23);
  const auto fraction = static_cast<std::uint32_t>(argument) & fraction_mask;
  const std::uint32_t x = fraction & x_mask;
  const std::int64_t sum =
      interpolate(power_segments[fraction >> x_bits], power_bias, x, truncated_square(x));
  return truncate(static_cast<std::uint64_t>(sum), 41 - whole, 0);
}

std::uint32_t logarithm(std::uint32_t bits) {
  const int exponent = exponent_of(bits);
  const std::uint32_t fraction = bits & fraction_mask;
  if (exponent == 255 && fraction != 0) return not_a_number;
  if (exponent == 0) return sign_bit | infinity;
  if ((bits & sign_bit) != 0) return not_a_number;
  if (exponent == 255) return infinity;
  const int whole = exponent - 127;
  if (whole == 0 && fraction == 0) return 0;
  const std::uint32_t x = fraction & x_mask;
  constexpr std::int64_t step = 32;  // the sum's last place
  const std::int64_t sum =
      interpolate(logarithm_segments[fraction >> x_bits], logarithm_bias, x, truncated_square(x)) & -step;
  const std::int64_t value = (std::int64_t{whole} << 41) + sum;
  // A negative sum is complemented, not negated.
  if (value < 0) return truncate(static_cast<std::uint64_t>(-step - value), 41, sign_bit);
  return truncate(static_cast<std::uint64_t>(value), 41, 0);
}

// SIN and COS of 2 pi times the argument: 25 bits of its fraction count, the upper two number the quarter.
std::uint32_t sine(std::uint32_t bits, bool cosine) {
  if (exponent_of(bits) == 255) return not_a_number;
  const auto angle = static_cast<std::uint32_t>(fixed_point(bits, 25)) & 0x1ffffffU;
  const std::uint32_t quarter = ((angle >> 23) + (cosine ? 1U : 0U)) & 3U;
  std::uint32_t within = angle & fraction_mask;
  const bool exact_top = (quarter & 1U) != 0 && within == 0;
  std::uint32_t sign = (quarter & 2U) != 0 ? sign_bit : 0;
  if (!cosine) sign ^= bits & sign_bit;
  if (exact_top) return sign | 0x3f800000U;
  if ((quarter & 1U) != 0) within = ~within & fraction_mask;
  const std::uint32_t x = within & x_mask;
  const std::int64_t sum = interpolate(sine_segments[within >> x_bits], sine_bias, x, truncated_square(x));
  return truncate(static_cast<std::uint64_t>(sum), 41, sign);
}

std::uint32_t tangent(std::uint32_t bits) {
  const std::uint32_t sign = bits & sign_bit;
  const int exponent = exponent_of(bits) - 127;
  const std::uint32_t fraction = bits & fraction_mask;
  if (exponent == 128 && fraction != 0) return not_a_number;
  if (exponent < tangent_first_exponent) return bits;
  if (exponent > 2) return sign | 0x3f800000U;
  const TangentBinade binade = tangent_binades[exponent - tangent_first_exponent];
  const unsigned shift = 23 - binade.bits - x_bits;
  const std::uint32_t x = (fraction >> shift) & x_mask;
  const SpecialSegment& segment = tangent_segments[binade.first + (fraction >> (shift + x_bits))];
  const std::int64_t sum =
      (segment.c0 << 12) +
      (((std::int64_t{segment.c1} * x) + (std::int64_t{segment.c2} * truncated_square(x))) << 10);
  return truncate(static_cast<std::uint64_t>(sum), 50, sign);
}

// The upper word of a double as a binary32 number of the same significand's upper bits, and back.
std::uint32_t upper_word(bool inverse_root, std::uint32_t high) {
  const std::uint32_t sign = high & sign_bit;
  const int exponent = static_cast<int>((high >> 20) & 2047U);
  const std::uint32_t fraction = high & 0xfffffU;
  if (exponent == 2047) {
    if (fraction != 0) return not_a_number;
    return inverse_root && sign != 0 ? not_a_number : sign;
  }
  if (exponent == 0) return sign | 0x7ff00000U;
  if (inverse_root && sign != 0) return not_a_number;
  // Into a binade where binary32 has room, of the same parity.
  const int scale = exponent - 1023;
  const int odd = inverse_root ? scale & 1 : 0;
  const std::uint32_t single = (static_cast<std::uint32_t>(127 + odd) << 23) | (fraction << 3);
  const std::uint32_t result = inverse_root ? root(inverse_root_segments, true, single) : reciprocal(single);
  const int moved = inverse_root ? (scale - odd) / 2 : scale;
  const int out = exponent_of(result) - 127 - moved + 1023;
  if (out <= 0) return sign;
  return sign | (static_cast<std::uint32_t>(out) << 20) | ((result & fraction_mask) >> 3);
}

}  // namespace

namespace {

// One function of all lanes in the mask: each function's loop of its own is what makes it fast.
template <class F>
void each(std::uint32_t mask, const std::uint32_t* bits, std::uint32_t* results, F function) {
  for (; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(mask));
    results[i] = function(bits[i]);
  }
}

}  // namespace

void special_function_values(SpecialFunction function, std::uint32_t mask, const std::uint32_t* bits,
                             std::uint32_t* results) {
  switch (function) {
    case SpecialFunction::cos:
      return each(mask, bits, results, [](std::uint32_t x) { return sine(x, true); });
    case SpecialFunction::sin:
      return each(mask, bits, results, [](std::uint32_t x) { return sine(x, false); });
    case SpecialFunction::ex2:
      return each(mask, bits, results, power);
    case SpecialFunction::lg2:
      return each(mask, bits, results, logarithm);
    case SpecialFunction::rcp:
      return each(mask, bits, results, reciprocal);
    case SpecialFunction::rsq:
      return each(mask, bits, results, [](std::uint32_t x) { return root(inverse_root_segments, true, x); });
    case SpecialFunction::sqrt:
      return each(mask, bits, results, [](std::uint32_t x) { return root(root_segments, false, x); });
    case SpecialFunction::tanh:
      return each(mask, bits, results, tangent);
    case SpecialFunction::rcp64h:
      return each(mask, bits, results, [](std::uint32_t x) { return upper_word(false, x); });
    case SpecialFunction::rsq64h:
      return each(mask, bits, results, [](std::uint32_t x) { return upper_word(true, x); });
  }
}

std::uint32_t special_function_value(SpecialFunction function, std::uint32_t bits) {
  special_function_values(function, 1, &bits, &bits);
  return bits;
}

std::uint32_t special_function_half(SpecialFunction function, bool bfloat, std::uint32_t bits) {
  if (bfloat) return special_function_value(function, bits << 16) >> 16;
  const float x = half_to_float(bits);
  const float y = as_float(special_function_value(function, as_bits(x)));
  if (std::abs(y) >= 65536.0F) return y > 0 ? 0x7c00U : 0xfc00U;
  return round_to_half(static_cast<double>(y), round_zero);
}

}  // namespace warpgauge::emulator
