// MUFU and FCHK.
#include "traces/emulator/access.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/special_function_tables.h"
#include "traces/sass/modifier.h"

namespace warpgauge::emulator::scalar {
// mode: MufuFunction; mode2: 1 = binary16, 2 = bfloat16; mode3: 1 = of the operand's upper half.
void special_function(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  const auto function = static_cast<SpecialFunction>(op.mode);
  if (op.mode2 == 0) {
    std::uint32_t bits[lanes];
    for (unsigned i = 0; i < lanes; ++i) bits[i] = (b[i] & op.and_mask[1]) ^ op.xor_mask[1];
    special_function_values(function, mask, bits, destination);
    return;
  }
  each_lane(mask, [&](unsigned i) {
    const std::uint32_t bits = (b[i] & op.and_mask[1]) ^ op.xor_mask[1];
    destination[i] =
        special_function_half(function, op.mode2 == 2, op.mode3 != 0 ? bits >> 16 : bits & 0xffffU);
  });
}

// FCHK: must a / b be computed the slow way? It must where the fast sequence (a reciprocal, Newton steps in
// binary32) could leave the normal range: exponents of b, a or of the quotient too near the ends. Where these are was read off all
// pairs of exponents, with several mantissas and both signs, by the time that divisions take on an H200 (2026-11-30).
void check_division(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t slow = 0;
  each_lane(mask, [&](unsigned i) {
    const int numerator = static_cast<int>((a[i] >> 23) & 255U);
    const int denominator = static_cast<int>((b[i] >> 23) & 255U);
    const int quotient = numerator - denominator;
    const bool safe = denominator >= 2 && denominator <= 251 && numerator != 255 && numerator >= 25 &&
                      quotient >= -124 && quotient <= 126;
    if (!safe) slow |= 1U << i;
  });
  set_predicate(warp, op.predicate_destination, slow, mask);
}

}  // namespace warpgauge::emulator::scalar
