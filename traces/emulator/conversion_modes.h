// Formats of conversion instructions' micro-ops.
#pragma once

#include <cstdint>

namespace warpgauge::emulator {

enum class FloatFormat : std::uint8_t { f16, f32, f64, bf16, e5m2, e4m3 };

// MicroOp::extra of conversions.
enum : unsigned {
  convert_ftz = 1,
  convert_saturate = 2,
  convert_high_half = 4,  // the source is the upper half of its register
  convert_relu = 8,
  convert_satfinite = 16,
};

}  // namespace warpgauge::emulator
