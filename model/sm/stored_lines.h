// The stores of an SM on their way to the L2, and which later ones join them.
//
// A line that is being stored is known until the L2 has it: what is stored there meanwhile counts as a hit.
// The last store to a line can be joined, by stores to any of its sectors, as long as the SM holds it: for
// its turn, which would come as if nothing had ever held up the way out, and a while after it was last
// written, which the caller counts in cycles in which nothing takes the data array; until there is a place
// for it in the line before the way out; and no longer than until so many rows of lines, one of each bank of the
// tags, have come behind its own that there is no room (docs/h200.md, stores that join, rounds of loads and stores,
// stores of all SMs to a few sectors; keys lsu.store_hold, store_hold_line, stored_lines,
// stored_narrow_lines, stores_in_line).
//
// Then it leaves, which takes it a while, the lines of a warp's store one behind the other. A store that
// comes for a line that is leaving takes it from the L1 with all that it had (docs/h200.md, lines that stores
// take from the L1; keys lsu.leaving_lines, leaving_cycles, leaving_interval).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/pool.h"
#include "model/sm/spec.h"
#include "model/sm/tag_banks.h"

namespace warpgauge::model {

class StoredLines {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // One line of a warp's store.
  struct Store {
    std::uint64_t line = 0;
    std::uint8_t sectors = 0;
    bool narrow = false;  // less than a word a lane
    unsigned bytes = 0;   // that it writes here
    std::uint32_t words = 0;  // mask within the line
    unsigned lines = 1;       // that the warp's store has, this one among them
    unsigned before = 0;      // of these
  };

  // A store that is joined.
  struct Joined {
    std::uint32_t id = none;
    std::uint32_t place = 0;
    std::uint8_t sectors = 0;  // of both
    std::uint8_t more = 0;     // of these, what it had not
    bool full = false;         // all of them are
  };

  // `spec` and `banks` have to outlive it.
  StoredLines(const MemoryUnitSpec& spec, unsigned sector_bytes, const TagBanks& banks)
      : spec_(spec), sector_bytes_(sector_bytes), banks_(banks), rows_(std::max(1U, spec.stored_open_rows)) {}

  [[nodiscard]] bool under_way(std::uint64_t line) const {
    const Line* const stored = find(line);
    return stored != nullptr && !stored->closed;
  }
  // An atomic goes after them: what is stored from now on is behind it, and joins none that is before.
  void close(std::uint64_t line) {
    if (Line* const stored = find(line)) stored->closed = true;
  }

  // A cycle by the SM's clock, and by the way out's own, which stands still while that is held up.
  struct Times {
    Cycle clock = 0;
    Cycle own = 0;
  };

  // Whether the last store to the line, which `store` does not join, is leaving: what comes to the line then takes it from the L1.
  // `at` as for join().
  [[nodiscard]] bool leaving(const Store& store, Cycle at) const {
    const Line* const stored = find(store.line);
    if (room() == 0 || stored == nullptr || stored->closed || at >= stored->left) return false;
    // The same words again lose nothing behind so many others, though they do a while later.
    const std::uint64_t behind = taken_since(*stored, store);
    if (behind >= room() && (store.words & ~stored->words) == 0) return false;
    return behind < room() + std::uint64_t{spec_.leaving_lines} * spec_.stored_narrow_lines;
  }

  // The store that one at `at` (of those cycles) joins, which is `now` ready to leave; its `id` is `none` where there is no such.
  Joined join(const Store& store, Cycle at, Times now);

  // A store that joins none leaves; `id` and `place` are the caller's names for it. It is taken at `at`. `turn.clock`: when it
  // would have its turn had nothing held up the way out; `turn.own`: when there is a place in the line before that.
  void leave(const Store& store, std::uint32_t id, std::uint32_t place, Cycle at, Times turn);

  // The store that this one has joined is on its way and cannot be told of its words.
  void tell_later(const Store& store);
  // Words that a store to the line has not been told of, if one is under way; it is for the caller to tell of them.
  [[nodiscard]] std::uint32_t untold(std::uint64_t line);
  // The L2 has it. The same, if no other store to the line follows it.
  [[nodiscard]] std::uint32_t arrived(std::uint64_t line, std::uint32_t id);

 private:
  struct Line {
    std::uint64_t line = 0;
    std::uint64_t room_before = 0;  // taken by the SM's stores to its bank before it
    Times turn;                     // as leave() has it
    Cycle held_until = 0;
    Cycle left = 0;             // when it has left, counted as that
    std::uint32_t stores = 0;   // under way
    std::uint32_t last = none;  // of them
    std::uint32_t place = 0;    // of the last
    unsigned bytes = 0;         // that the last has
    bool closed = false;
    std::uint8_t sectors = 0;  // and these are they
    std::uint32_t words = 0;   // the same
    std::uint32_t untold = 0;  // of them, those that joined it on its way
  };
  struct Row {
    std::uint64_t begin = 0;                    // room that had been taken before it
    std::uint32_t banks = ~std::uint32_t{0};  // that have a line in it
  };
  static constexpr std::size_t size = 1024;

  [[nodiscard]] static std::size_t place_of(std::uint64_t line) {
    return (line * 0x9e3779b97f4a7c15ULL >> 32) % size;
  }
  // A line that is known.
  [[nodiscard]] const Line* find(std::uint64_t line) const {
    const std::uint16_t known = known_[place_of(line)];
    return known != 0 && lines_[known - 1U].line == line ? &lines_[known - 1U] : nullptr;
  }
  [[nodiscard]] Line* find(std::uint64_t line) { return const_cast<Line*>(std::as_const(*this).find(line)); }
  // There is room for so many lines of words, or for so many of less, and a bank has its part: in units that
  // make all of them the same.
  [[nodiscard]] std::uint64_t room() const { return std::uint64_t{spec_.stored_lines} * spec_.stored_narrow_lines; }
  [[nodiscard]] unsigned room_of(const Store& store) const {
    return (store.narrow ? spec_.stored_lines : spec_.stored_narrow_lines) * banks_.count();
  }
  // The first of the last rows that has a place for the store's line, or as many as there are. What is narrow goes to the very last.
  [[nodiscard]] std::size_t open_row(const Store& store) const {
    const std::uint32_t bank = bank_of(store);
    std::size_t row = store.narrow ? rows_.size() - 1 : 0;
    while (row < rows_.size() && (rows_[row].banks & bank) != 0) ++row;
    return row;
  }
  [[nodiscard]] std::uint32_t bank_of(const Store& store) const { return std::uint32_t{1} << banks_.of(store.line); }
  // Of the room, by the row of the line's last store and those behind it, without the last one where that has a place for the line's bank.
  [[nodiscard]] std::uint64_t taken_since(const Line& stored, const Store& store) const {
    return (open_row(store) == rows_.size() ? room_taken_ : rows_.back().begin) - stored.room_before;
  }
  // Returns whether the last store's sectors are full now.
  bool write(Line& stored, const Store& store, Cycle at);

  const MemoryUnitSpec& spec_;
  unsigned sector_bytes_;
  const TagBanks& banks_;
  // By place: one more than where the line that is known there is kept. Lines that share a place are not told apart from it: the
  // first is known.
  std::array<std::uint16_t, size> known_{};
  Pool<Line> lines_;
  std::uint64_t room_taken_ = 0;  // by all rows
  std::vector<Row> rows_;  // the last ones
};

}  // namespace warpgauge::model
