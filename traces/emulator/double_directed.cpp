// DADD, DMUL and DFMA rounded down, up or to zero. The exact result is held in binary128 with what is lost
// kept in the last bit: products of two binary64 values are exact there, and their sums are rounded to odd.
#include "traces/emulator/access.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/float_format.h"

namespace warpgauge::emulator::scalar {
namespace {

__extension__ typedef __float128 Quad;
__extension__ typedef unsigned __int128 QuadBits;

Quad sum_to_odd(Quad a, Quad b) {
  const Quad sum = a + b;
  const Quad b_part = sum - a;
  const Quad error = (a - (sum - b_part)) + (b - b_part);
  QuadBits bits = __builtin_bit_cast(QuadBits, sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  bits = ((error > 0) == (sum > 0)) ? bits + 1 : bits - 1;
  return __builtin_bit_cast(Quad, bits);
}

double round_directed(Quad exact, unsigned rounding) {
  const auto nearest = static_cast<double>(exact);
  const Quad back = nearest;
  if (back == exact) return nearest;
  const bool down = rounding == round_down || (rounding == round_zero && exact > 0);
  if (down) return back > exact ? next_double(nearest, false) : nearest;
  return back < exact ? next_double(nearest, true) : nearest;
}

bool is_finite(double x) {
  return (as_bits(x) & 0x7ff0000000000000U) != 0x7ff0000000000000U;
}

std::uint64_t nan_of(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  for (const std::uint64_t operand : {a, b, c})
    if (is_nan(as_double(operand))) return operand | 0x0008000000000000U;
  return 0xfff8000000000000U;
}

}  // namespace

// mode: rounding. mode2: 0 a + b, 1 a * b, 2 a * b + c.
void double_directed(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const words[] = {source(warp, op.a), source(warp, op.b), source(warp, op.c)};
  std::uint32_t* const destination = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) {
    std::uint64_t value[3];
    std::uint64_t raw[3];  // neither negated nor made absolute: what a NaN keeps
    for (unsigned k = 0; k < 3; ++k) {
      const std::uint64_t high = (words[k][i + lanes] & op.and_mask[k]) ^ op.xor_mask[k];
      value[k] = (high << 32) | words[k][i];
      raw[k] = (std::uint64_t{words[k][i + lanes]} << 32) | words[k][i];
    }
    if (op.mode2 != 2) value[2] = raw[2] = 0;
    const double a = as_double(value[0]);
    const double b = as_double(value[1]);
    const double c = as_double(value[2]);
    double result = 0;
    if (!is_finite(a) || !is_finite(b) || !is_finite(c)) {
      result = op.mode2 == 0 ? a + b : op.mode2 == 1 ? a * b : a * b + c;
    } else if (op.mode2 == 1) {
      const Quad product = static_cast<Quad>(a) * static_cast<Quad>(b);
      result = product == 0 ? a * b : round_directed(product, op.mode);
    } else {
      const Quad first = op.mode2 == 0 ? static_cast<Quad>(a) : static_cast<Quad>(a) * static_cast<Quad>(b);
      const Quad second = op.mode2 == 0 ? static_cast<Quad>(b) : static_cast<Quad>(c);
      const Quad sum = sum_to_odd(first, second);
      if (sum == 0) {
        const bool first_negative = __builtin_signbit(static_cast<double>(first)) != 0;
        const bool second_negative = __builtin_signbit(static_cast<double>(second)) != 0;
        const bool negative = first_negative == second_negative ? first_negative : op.mode == round_down;
        result = negative ? -0.0 : 0.0;
      } else {
        result = round_directed(sum, op.mode);
      }
    }
    const std::uint64_t bits = is_nan(result) ? nan_of(raw[0], raw[1], raw[2]) : as_bits(result);
    destination[i] = static_cast<std::uint32_t>(bits);
    destination[i + lanes] = static_cast<std::uint32_t>(bits >> 32);
  });
}

}  // namespace warpgauge::emulator::scalar
