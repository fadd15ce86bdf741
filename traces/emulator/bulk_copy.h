// Hopper's bulk copies: how their micro-ops are filled, and what their executors share.
//
// Micro-ops: a words of the uniform registers that the first brackets name, b of the second, c of what
// follows; bytes a tensor's rank, extra BulkForm flags, mode AtomicFunction and mode2 AtomicType of a
// reduction. One copy is made whatever lanes ask for it. What it reads it reads when it is issued; what it brings to shared
// memory comes later (Block::coming).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "traces/emulator/block.h"
#include "traces/emulator/cluster.h"
#include "traces/emulator/memory_access.h"

namespace warpgauge::emulator {

enum : std::uint32_t {
  bulk_multicast = 1,  // to all blocks of a mask
  bulk_columns = 2,    // "im2col"
  bulk_reduces = 4,
};

// The one lane that is told of a fault.
inline unsigned first_lane(std::uint32_t mask) { return static_cast<unsigned>(std::countr_zero(mask)); }
// Word n of the uniform registers that a row begins, and the first two together.
inline std::uint32_t uniform_word(const Warp& warp, Row row, unsigned n) { return source(warp, row)[n * lanes]; }
inline std::uint64_t uniform_pair(const Warp& warp, Row row) {
  return (std::uint64_t{uniform_word(warp, row, 1)} << 32) | uniform_word(warp, row, 0);
}

// One copy while it is made: device memory as the block's SM sees it, the rows that it reads or writes, which
// are noted for the model. All throw LaneFault for addresses that nothing is at.
class BulkAccess {
 public:
  BulkAccess(Block& block, unsigned lane, traces::BulkCopy::Kind kind);

  [[nodiscard]] traces::BulkCopy& copy() const { return *block_.bulk; }

  void read(std::uint64_t address, std::span<std::byte> bytes);
  void write(std::uint64_t address, std::span<const std::byte> bytes);
  void combine(std::uint64_t address, std::span<const std::byte> bytes, AtomicFunction function,
               AtomicType type);
  // What may be read is noted; no fault.
  void prefetch(std::uint64_t address, std::uint64_t bytes);

  // Of the block that a shared address names: so many bytes from there on, at a multiple of `alignment`.
  std::span<std::byte> shared(std::uint32_t address, std::uint32_t bytes, unsigned alignment,
                              const char* verb);
  // Of the block of that rank, the place of a shared address whatever rank it has.
  std::span<std::byte> shared_of(unsigned rank, std::uint32_t address, std::uint32_t bytes,
                                 unsigned alignment, const char* verb);
  // The same for what will be there once the copy has come: its bytes until then, as they are now. The barrier object of that
  // address, of the block of that rank, will learn of `counted` bytes.
  std::span<std::byte> coming(unsigned rank, std::uint32_t address, std::uint32_t bytes, unsigned alignment,
                              std::uint32_t barrier, std::uint32_t counted);

  [[noreturn]] void misaligned(const char* what, std::uint64_t address, unsigned alignment) const;
  [[nodiscard]] unsigned lane() const { return lane_; }

 private:
  void note(std::uint64_t address, std::uint64_t bytes);
  void check(std::uint64_t address, std::uint64_t bytes, const char* verb);

  Block& block_;
  unsigned lane_;
  AllocationHint known_;  // an allocation that was found
};

}  // namespace warpgauge::emulator
