// What stores and atomics do to memory, wherever it lies: `base` + (addresses[lane] - origin) is the host
// address of a lane's cell. Lanes take effect in the order of their numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/emulator/memory_access.h"
#include "traces/emulator/micro_op.h"

namespace warpgauge::emulator {

// `data`: rows of 32 words, as many as a cell has.
void store_cells(const MicroOp& op, std::uint32_t mask, const std::uint64_t* addresses,
                 const std::uint32_t* data, std::byte* base, std::uint64_t origin);
// The other way: what loads bring to `destination`, rows of 32 words.
void load_cells(const MicroOp& op, std::uint32_t mask, const std::uint64_t* addresses, const std::byte* base,
                std::uint64_t origin, std::uint32_t* destination);

// Operands of an atomic; old values go to `destination`, all rows of 32 words.
struct AtomicRows {
  const std::uint32_t* operand = nullptr;  // what is added; of a compare-and-swap, what is expected
  const std::uint32_t* swap = nullptr;     // what a compare-and-swap writes
  std::uint32_t* destination = nullptr;
};

// `alone`: no other host thread uses this memory.
void update_cells(const MicroOp& op, std::uint32_t mask, const std::uint64_t* addresses,
                  const AtomicRows& rows, std::byte* base, std::uint64_t origin, bool alone);

// Combines `bytes` bytes of numbers from `from` on with those from `to` on, which lie at multiples of their
// size; of the packed types each half is a number.
void combine_run(AtomicFunction function, AtomicType type, const std::byte* from, std::byte* to,
                 std::size_t bytes, bool alone);

// Words that an operand of the atomic has.
unsigned atomic_words(const MicroOp& op);

}  // namespace warpgauge::emulator
