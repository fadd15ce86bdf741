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

// Which halves of a register a source selects.
enum : unsigned { half_both = 0, half_f32 = 1, half_low = 2, half_high = 3 };

}  // namespace warpgauge::emulator
