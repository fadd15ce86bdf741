// The modifiers of packed half instructions as their lowering hands them to their executors.
#pragma once

namespace warpgauge::emulator {

enum : unsigned {
  half_ftz = 1,
  half_saturate = 2,
  half_relu = 4,
  half_bf16 = 8,
  half_fmz = 16,
  half_f32_result = 32,
  half_nan = 64,
};

// Which halves of a register a source selects. Turned: .H0_NH1, i times the complex number in the register:
// the lower half is the upper one negated, the upper half the lower one.
enum : unsigned { half_both = 0, half_f32 = 1, half_low = 2, half_high = 3, half_turned = 4 };

}  // namespace warpgauge::emulator
