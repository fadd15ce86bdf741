// How matrix instructions' micro-ops are filled, and how the tensor cores of each architecture add.
#pragma once

#include <cstdint>

#include "traces/sass/architecture.h"

namespace warpgauge::emulator {

// MicroOp::mode2 of HMMA and of the warpgroup's products: A's format, and B's four bits further up.
enum class MatrixInput : std::uint8_t { f16, bf16, tf32, e4m3, e5m2 };

constexpr std::uint8_t matrix_inputs(MatrixInput a, MatrixInput b) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(a) | static_cast<unsigned>(b) << 4);
}
constexpr MatrixInput matrix_input_a(std::uint8_t mode) {
  return static_cast<MatrixInput>(mode & 15U);
}
constexpr MatrixInput matrix_input_b(std::uint8_t mode) {
  return static_cast<MatrixInput>(mode >> 4);
}

constexpr unsigned elements_of_word(MatrixInput input) {
  return input == MatrixInput::tf32 ? 1 : input < MatrixInput::e4m3 ? 2 : 4;
}

// MicroOp::extra of matrix instructions.
enum : std::uint32_t {
  matrix_f16_result = 1,
  matrix_saturate = 2,
  matrix_a_signed = 4,
  matrix_b_signed = 8,
  matrix_a_column = 16,  // Volta: how the fragment lies
  matrix_b_column = 32,
  matrix_and = 64,  // BMMA: AND in place of XOR
  // Of a warpgroup: A comes from registers; operands whose rows (of A) or columns (of B) are contiguous.
  matrix_a_registers = 128,
  matrix_a_transposed = 256,
  matrix_b_transposed = 512,
  matrix_sparse = 1024,  // of A half is stored: sparse_places.h
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

// Hopper's products of 8-bit floats: 32 at once, of which fewer bits are kept (DeepSeek-V3 Technical Report,
// 2024, says 14 with the leading one). A binary32 result is cut off to as many; a binary16 one is rounded. An
// H200 gave these bits for all of them.
constexpr TensorSum byte_float_sum{32, 13};
constexpr std::uint32_t byte_float_kept_bits = 0xfffffc00U;  // of finite binary32

}  // namespace warpgauge::emulator
