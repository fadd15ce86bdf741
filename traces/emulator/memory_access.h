// How memory instructions' micro-ops are filled.
#pragma once

#include <cstdint>

namespace warpgauge::emulator {

// MicroOp::mode of loads and stores: what one lane moves.
enum class Cell : std::uint8_t { u8, s8, u16, s16, b32, b64, b128 };

constexpr unsigned cell_bytes(Cell cell) {
  switch (cell) {
    case Cell::u8:
    case Cell::s8:
      return 1;
    case Cell::u16:
    case Cell::s16:
      return 2;
    case Cell::b32:
      return 4;
    case Cell::b64:
      return 8;
    case Cell::b128:
      return 16;
  }
  return 0;
}

// Registers that it takes.
constexpr unsigned cell_words(Cell cell) { return cell_bytes(cell) < 4 ? 1 : cell_bytes(cell) / 4; }

// MicroOp::mode2 of loads and stores.
enum : std::uint8_t { access_strong = 1 };

// MicroOp::mode of atomics.
enum class AtomicFunction : std::uint8_t {
  add,
  min,
  max,
  inc,
  dec,
  and_,
  or_,
  xor_,
  exchange,
  compare_and_swap
};

// MicroOp::mode2 of atomics. Vectors of floats are `count` (mode3) elements.
enum class AtomicType : std::uint8_t { u32, s32, u64, s64, b128, f16x2, bf16x2, f32, f32_ftz, f64 };

// MicroOp::extra of atomics.
enum : std::uint32_t {
  atomic_returns = 1,
  atomic_success = 2,  // ATOMS.CAST: the result is whether the swap took place
  atomic_spin = 4,     // ATOMS.CAST.SPIN: of the lanes whose words share a bank one is tried, the others have failed
};

}  // namespace warpgauge::emulator
