// MUFU and FCHK.
// The hardware interpolates in tables that are not public; here each function is computed in binary64 and
// rounded to nearest, which is within the error that CUDA documents for the hardware, and its special values
// are exact. Inputs and results that are denormal binary32 numbers are flushed, as the hardware's tables do.
#include <cmath>

#include "traces/emulator/access.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/float_format.h"
#include "traces/sass/modifier.h"

namespace warpgauge::emulator::scalar {
namespace {

using sass::MufuFunction;

constexpr double pi = 3.14159265358979323846;

double evaluate(MufuFunction function, double x) {
  switch (function) {
    case MufuFunction::cos:
      return std::isinf(x) ? std::nan("") : std::cos(2 * pi * std::remainder(x, 1.0));
    case MufuFunction::sin:
      return std::isinf(x) ? std::nan("") : std::sin(2 * pi * std::remainder(x, 1.0));
    case MufuFunction::ex2:
      return std::exp2(x);
    case MufuFunction::lg2:
      return std::log2(x);
    case MufuFunction::rcp:
      return 1 / x;
    case MufuFunction::rsq:
      return 1 / std::sqrt(x);
    case MufuFunction::sqrt:
      return std::sqrt(x);
    case MufuFunction::tanh:
      return std::tanh(x);
    default:
      return x;
  }
}

// The upper word of a binary64 value whose lower word is taken as zero; the result likewise, rounded to the
// 20 fraction bits that the upper word holds.
std::uint32_t upper_word(MufuFunction function, std::uint32_t high) {
  const double x = as_double(std::uint64_t{high} << 32);
  const std::uint32_t magnitude = high & 0x7fffffffU;
  if (magnitude > 0x7ff00000U) return 0x7fffffffU;
  // Denormal operands count as zero.
  const bool zero = magnitude < 0x00100000U;
  if (function == MufuFunction::rcp64h) {
    if (zero) return (high & 0x80000000U) | 0x7ff00000U;
    const std::uint32_t result = static_cast<std::uint32_t>((as_bits(1 / x) + 0x80000000U) >> 32);
    return (result & 0x7ff00000U) == 0 ? high & 0x80000000U : result;
  }
  if (zero) return (high & 0x80000000U) | 0x7ff00000U;
  if ((high & 0x80000000U) != 0) return 0x7fffffffU;
  return static_cast<std::uint32_t>((as_bits(1 / std::sqrt(x)) + 0x80000000U) >> 32);
}

std::uint32_t single(MufuFunction function, std::uint32_t bits) {
  // EX2 alone takes denormals: their results round to one all the same. RSQ, RCP, SQRT and LG2 read them as
  // zero unless the compiler has scaled them.
  const float x = as_float(flush32(bits));
  if (function == MufuFunction::rsq && x == 0) return as_bits(std::copysign(INFINITY, x));
  const auto result = static_cast<float>(evaluate(function, static_cast<double>(x)));
  return flush32(canonical32(result));
}

std::uint32_t half(MufuFunction function, std::uint32_t bits) {
  const double x = static_cast<double>(half_to_float(bits & 0xffffU));
  return round_to_half(evaluate(function, x), round_nearest);
}

}  // namespace

// mode: MufuFunction; mode2: 1 = binary16.
void special_function(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  const auto function = static_cast<MufuFunction>(op.mode);
  const bool upper = function == MufuFunction::rcp64h || function == MufuFunction::rsq64h;
  each_lane(mask, [&](unsigned i) {
    const std::uint32_t bits = (b[i] & op.and_mask[1]) ^ op.xor_mask[1];
    destination[i] = op.mode2 != 0 ? half(function, bits)
                     : upper       ? upper_word(function, bits)
                                   : single(function, bits);
  });
}

// FCHK: must a / b be computed the slow way? It must where the fast sequence (a reciprocal, Newton steps in
// binary32) could leave the normal range: exponents of b, a or of the quotient too near the ends.
void check_division(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t slow = 0;
  each_lane(mask, [&](unsigned i) {
    const int numerator = static_cast<int>((a[i] >> 23) & 255U);
    const int denominator = static_cast<int>((b[i] >> 23) & 255U);
    const int quotient = numerator - denominator;
    const bool safe = denominator >= 2 && denominator <= 252 && numerator != 255 && numerator >= 24 &&
                      quotient >= -125 && quotient <= 126;
    if (!safe) slow |= 1U << i;
  });
  set_predicate(warp, op.predicate_destination, slow, mask);
}

}  // namespace warpgauge::emulator::scalar
