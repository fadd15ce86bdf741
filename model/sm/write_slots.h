// How results of loads find a cycle in which the registers are written by nobody else.
//
// A fixed-latency instruction writes its banks a fixed time behind its issue, so that a cycle of issue stands
// for a cycle of writing, and nothing keeps it from it. A load's register takes the first cycle in which its
// bank is not written; shared memory's 64 and 128 bits are written two registers at a time, and need both
// banks, where lanes share words, else one register after the other. By as much as the last one is late, so
// is the end of the load (by hand, loads_beside_additions). What has not found its cycle after sixteen stops
// dispatch for three, in which it does; a result of the special-function unit after two, for one (probe
// registers.load_writes).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "model/sm/types.h"

namespace warpgauge::model {

// The registers that a load writes, as they look for their cycles.
struct LoadResults {
  std::uint8_t even = 0;
  std::uint8_t odd = 0;
  std::uint8_t pairs = 0;
  bool special_function = false;
  bool in_turn = false;  // one register a cycle, an even one first

  [[nodiscard]] bool none() const { return even == 0 && odd == 0 && pairs == 0; }
  [[nodiscard]] std::uint32_t packed() const {
    return even | std::uint32_t{odd} << 8 | std::uint32_t{pairs} << 16 |
           std::uint32_t{special_function} << 24 | std::uint32_t{in_turn} << 25;
  }
  static LoadResults unpacked(std::uint32_t word) {
    return {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
            static_cast<std::uint8_t>(word >> 16), (word >> 24 & 1) != 0, (word >> 25 & 1) != 0};
  }
};

class WriteSlots {
 public:
  static constexpr std::uint8_t even = 1;
  static constexpr std::uint8_t odd = 2;
  // Its dependents read the registers so much later than they are written.
  static constexpr Cycle written_before = 8;

  // A load's results may be read by what issues from `now` on, or so many cycles later: `unknown` if some of
  // them wait, whose end late_by() tells.
  static constexpr unsigned unknown = ~0U;
  unsigned arrive(const LoadResults& results, Cycle now);
  // Results that are known to come when their instruction issues: they may be written from `from` on. Named; 0 if there is no place.
  std::uint16_t expect(const LoadResults& results, Cycle from, Cycle now);
  // Names what arrive() has not known the end of.
  [[nodiscard]] std::uint16_t last_ticket() const { return ticket_; }
  // By how many cycles the results of that name were late, or `unknown`.
  unsigned late_by(std::uint16_t ticket, Cycle now);

  // Something issues at `now` and writes these banks, perhaps none. For so many cycles from the next one on
  // nothing issues.
  unsigned issue(std::uint8_t banks, Cycle now) {
    if (waiting_ != 0) return issue_beside(banks, now);
    pass_to(now);
    mark(now, banks);
    passed_ = now + 1;
    return 0;
  }

 private:
  static constexpr unsigned patience = 16;
  static constexpr unsigned stop = 3;
  static constexpr unsigned special_function_patience = 2;
  static constexpr unsigned special_function_stop = 1;
  static constexpr unsigned most_waiting = 16;

  struct Waiting {
    LoadResults results;
    Cycle from = 0;   // the first of them may be written
    Cycle since = 0;  // it waits, if it is first
    Cycle expected = 0;  // when the last of them is written if nobody else writes
    std::uint16_t ticket = 0;
  };

  unsigned issue_beside(std::uint8_t banks, Cycle now);
  // Nothing was issued from passed_ to `now`.
  void pass_to(Cycle now) {
    if (now <= passed_) return;
    if (now - passed_ >= 64) {
      taken_ = {};
    } else {
      const std::uint64_t cleared = ((std::uint64_t{1} << (now - passed_)) - 1);
      const int at = static_cast<int>(passed_ % 64);
      for (std::uint64_t& bank : taken_) bank &= ~std::rotl(cleared, at);
    }
    passed_ = now;
  }
  void mark(Cycle at, std::uint8_t banks) {
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    taken_[0] = (banks & even) != 0 ? taken_[0] | bit : taken_[0] & ~bit;
    taken_[1] = (banks & odd) != 0 ? taken_[1] | bit : taken_[1] & ~bit;
  }
  // Writes what can be written at `at` of the first that waits, and of those behind it; true if any was.
  bool serve(Cycle at);
  // Who waits the longest of those whose cycle has come; waiting_ if there is none.
  [[nodiscard]] unsigned first_due(Cycle at) const {
    unsigned first = 0;
    while (first < waiting_ && queue_[first].from > at) ++first;
    return first;
  }
  // Nothing issues from passed_ to `now`.
  void idle_to(Cycle now);

  std::array<std::uint64_t, 2> taken_{};  // bit n of a bank: it is written in a cycle that is n modulo 64
  Cycle passed_ = 0;                      // of all cycles before it is known who writes
  std::array<Waiting, most_waiting> queue_{};
  unsigned waiting_ = 0;
  std::uint16_t ticket_ = 0;
  std::array<unsigned, 2 * most_waiting> late_{};  // by ticket
};

}  // namespace warpgauge::model
