// The special function unit's tables: a quadratic in each segment of a function's argument.
//
// The structure is that of S. Oberman and M. Siu, "A high-performance area-efficient multifunction
// interpolator" (ARITH 2005). The coefficients are integers that reproduce every result that an H200 gave
// over whole binades; special_function_tables/README.md says how they were found.
#pragma once

#include <cstdint>

namespace warpgauge::emulator {

// In units of 2^-41 (TANH: 2^-50) a segment's value is C0 + C1 x + C2 q, x the 17 bits below those that
// number the segment, q = truncated_square(x). RCP has 16-bit arguments: there x is twice that argument.
struct SpecialSegment {
  std::int64_t c0;  // times 2^15, plus the function's bias; TANH: times 2^12
  std::int32_t c1;  // TANH: times 2^10
  std::int32_t c2;  // likewise
};

inline constexpr std::int64_t reciprocal_bias = 8092;
inline constexpr std::int64_t root_bias = 32766;  // RSQ and SQRT
inline constexpr std::int64_t power_bias = 16144;
inline constexpr std::int64_t sine_bias = 0;
inline constexpr std::int64_t logarithm_bias = 6696;

extern const SpecialSegment reciprocal_segments[128];
extern const SpecialSegment inverse_root_segments[128];
extern const SpecialSegment root_segments[128];
extern const SpecialSegment power_segments[64];
extern const SpecialSegment sine_segments[64];
extern const SpecialSegment logarithm_segments[64];
extern const SpecialSegment tangent_segments[51];

// Segments of a binade of TANH, 2^-8 the first: their number as a power of two, and the first one's index.
struct TangentBinade {
  std::uint8_t bits;
  std::uint8_t first;
};
inline constexpr int tangent_first_exponent = -8;
inline constexpr TangentBinade tangent_binades[11] = {{0, 0},  {0, 1},  {0, 2},  {1, 3},  {1, 5}, {2, 7},
                                                      {2, 11}, {2, 15}, {3, 19}, {4, 27}, {3, 43}};

// A function of the special function unit, bit by bit. Functions of 64H take and give a double's upper word.
enum class SpecialFunction : std::uint8_t { cos, sin, ex2, lg2, rcp, rsq, rcp64h, rsq64h, sqrt, tanh };
std::uint32_t special_function_value(SpecialFunction function, std::uint32_t bits);
// Of the elements in `mask`.
void special_function_values(SpecialFunction function, std::uint32_t mask, const std::uint32_t* bits,
                             std::uint32_t* results);

// EX2 and TANH of a binary16 or bfloat16 number: the binary32 function's result, cut off. Overflow gives
// infinity.
std::uint32_t special_function_half(SpecialFunction function, bool bfloat, std::uint32_t bits);

}  // namespace warpgauge::emulator
