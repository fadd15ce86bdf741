// The stores of an SM on their way to the L2, and which later ones join them.
//
// A line that is being stored is known until the L2 has it: what is stored there meanwhile counts as a hit. The last store
// to a line can be joined, by stores to no other sectors, as long as it has not left the SM: while it waits behind others
// for its turn, and, if it fills its sectors only in part, for a while after its warp wrote it, as long as that warp
// accesses nothing else (docs/h200.md; keys lsu.store_hold, store_hold_line, stored_lines, open_stores).
#pragma once

#include <array>
#include <cstdint>

#include "model/sm/spec.h"

namespace warpgauge::model {

class StoredLines {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // One line of a warp's store.
  struct Store {
    std::uint64_t line = 0;
    std::uint8_t sectors = 0;
    std::uint8_t warp = 0;
    unsigned bytes = 0;  // that it writes here
    unsigned lines = 1;  // of the whole instruction
  };

  // A store that is joined.
  struct Joined {
    std::uint32_t id = none;
    std::uint32_t place = 0;
    bool filled = false;  // with this one its sectors are full
  };

  StoredLines(const MemoryUnitSpec& spec, unsigned sector_bytes) : spec_(spec), sector_bytes_(sector_bytes) {}

  // A warp accesses lines, of which this is the first.
  void accessed(unsigned warp, std::uint64_t first_line) {
    if (last_accessed_[warp] == first_line) return;
    last_accessed_[warp] = first_line;
    ++rows_[warp];
  }
  // A store of any warp is taken.
  void taken() { ++stores_; }

  [[nodiscard]] bool under_way(std::uint64_t line) const {
    const Line& stored = lines_[place_of(line)];
    return stored.stores != 0 && stored.line == line;
  }

  // The store that one at `at` joins, which would leave at `leaves` in the time of the way out; its `id` is `none` where
  // there is no such.
  Joined join(const Store& store, Cycle at, Cycle leaves);

  // A store that joins none leaves; `id` and `place` are the caller's names for it. It is taken at `at`, and has its turn
  // at `turn` in the time of the way out.
  void leave(const Store& store, std::uint32_t id, std::uint32_t place, Cycle at, Cycle turn);

  // The L2 has it.
  void arrived(std::uint64_t line, std::uint32_t id);

 private:
  struct Line {
    std::uint64_t line = 0;
    std::uint64_t lines_before = 0;   // stored lines of the SM when it was last written
    std::uint64_t stores_before = 0;  // and its stores
    Cycle turn = 0;                   // at the way out, in its time
    Cycle held_until = 0;             // while its warp accesses nothing else
    std::uint32_t stores = 0;         // under way
    std::uint32_t last = none;        // of them
    std::uint32_t place = 0;          // of the last
    std::uint32_t row = 0;            // of its warp's accesses, when it was last written
    unsigned bytes = 0;               // that the last has
    std::uint8_t sectors = 0;
    std::uint8_t warp = 0;
  };
  static constexpr std::size_t size = 1024;
  static constexpr std::size_t warps = std::size_t{max_subcores} * max_warps_per_subcore;

  [[nodiscard]] static std::size_t place_of(std::uint64_t line) {
    return (line * 0x9e3779b97f4a7c15ULL >> 32) % size;
  }
  // Returns whether the line's sectors are full now.
  bool write(Line& stored, const Store& store, Cycle at);

  const MemoryUnitSpec& spec_;
  unsigned sector_bytes_;
  std::array<Line, size> lines_{};
  std::array<std::uint32_t, warps> rows_{};           // of accesses to one line after the other, by warp
  std::array<std::uint64_t, warps> last_accessed_{};  // by warp
  std::uint64_t left_ = 0;                            // lines that joined no others
  std::uint64_t stores_ = 0;
};

}  // namespace warpgauge::model
