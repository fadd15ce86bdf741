// How matrix instructions' micro-ops are filled, and how the tensor cores of each architecture add.
#pragma once

#include <cstdint>

#include "traces/sass/architecture.h"

namespace warpgauge::emulator {

// MicroOp::mode2 of HMMA.
enum class MatrixInput : std::uint8_t { f16, bf16, tf32 };

// MicroOp::extra of matrix instructions.
enum : std::uint32_t {
  matrix_f16_result = 1,
  matrix_saturate = 2,
  matrix_a_signed = 4,
  matrix_b_signed = 8,
  matrix_a_column = 16,  // Volta: how the fragment lies
  matrix_b_column = 32,
  matrix_and = 64,  // BMMA: AND in place of XOR
};

// A tensor core adds `group` products and the accumulator at once: exact products, aligned to the largest
// exponent, each cut off `fraction_bits` below it; the sum is cut off to binary32. Public experiments report
// 9 addends and 24 bits for the A100, 17 and 25 for the H100; on V100 and T4 5 addends and 23 bits (Fasi et
// al., Numerical behavior of NVIDIA tensor cores, 2021).
struct TensorSum {
  unsigned group = 4;
  int fraction_bits = 23;
};

constexpr TensorSum tensor_sum(sass::Architecture architecture) {
  switch (architecture) {
    case sass::Architecture::sm70:
    case sass::Architecture::sm75:
      return {4, 23};
    case sass::Architecture::sm80:
    case sass::Architecture::sm86:
    case sass::Architecture::sm89:
      return {8, 24};
    case sass::Architecture::sm90:
      return {16, 25};
  }
  return {};
}

}  // namespace warpgauge::emulator
