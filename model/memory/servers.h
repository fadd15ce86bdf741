// What requests pass one after the other: ports, slices, channels.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/sm/types.h"

namespace warpgauge::model {

// The cycle in which what is done at `at` can go on.
inline Cycle up(double at) { return static_cast<Cycle>(std::ceil(at)); }

// Serves one after the other at a rate.
class Server {
 public:
  explicit Server(double units_per_cycle = 0)
      : cycles_per_unit_(units_per_cycle > 0 ? 1 / units_per_cycle : 0) {}
  // When what arrives at `at` and takes `units` gets its turn.
  double serve(double at, double units) { return occupy(at, units * cycles_per_unit_); }
  double occupy(double at, double cycles) {
    const double start = at > free_ ? at : free_;
    free_ = start + cycles;
    busy_ += cycles;
    return start;
  }
  // Whoever is served keeps it for so many cycles more; one that is idle makes up for them.
  void lengthen(double cycles) {
    free_ += cycles;
    busy_ += cycles;
  }
  // One whose turn had not come does without.
  void give_back(double cycles) {
    free_ -= cycles;
    busy_ -= cycles;
  }
  // Nobody is served before `at`.
  void block(double at) { free_ = at > free_ ? at : free_; }
  [[nodiscard]] double free() const { return free_; }
  [[nodiscard]] double busy() const { return busy_; }

 private:
  double cycles_per_unit_;
  double free_ = 0;
  double busy_ = 0;
};

// A slice's last additions of floats: until when each is at its sectors. Such an addition takes longer than its turns, so that
// the next one of a sector waits, and what comes behind it in the slice does, too.
class Additions {
 public:
  [[nodiscard]] double end_of(std::uint64_t line, std::uint8_t sectors) const {
    double end = 0;
    for (const One& one : last_)
      if (one.line == line && (one.sectors & sectors) != 0) end = std::max(end, one.end);
    return end;
  }
  // Whether the last one was of some of these.
  [[nodiscard]] bool last_of(std::uint64_t line, std::uint8_t sectors) const {
    const One& one = last_[(next_ - 1) % last_.size()];
    return one.line == line && (one.sectors & sectors) != 0;
  }
  void add(std::uint64_t line, std::uint8_t sectors, double end) { last_[next_++ % last_.size()] = {line, end, sectors}; }

 private:
  struct One {
    std::uint64_t line = ~std::uint64_t{0};
    double end = 0;
    std::uint8_t sectors = 0;
  };
  // An addition takes less than three times its turns: no more than two others begin before it ends.
  std::array<One, 4> last_{};
  unsigned next_ = 0;
};

}  // namespace warpgauge::model
