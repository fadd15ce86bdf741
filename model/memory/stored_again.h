// Lines that a slice of the L2 has just stored: another store to one of them takes it longer (docs/h200.md, words stored to few lines).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/memory/servers.h"

namespace warpgauge::model {

class StoredAgain {
 public:
  // `within`: cycles from one store to the next.
  explicit StoredAgain(double within = 0) : within_(within) {}

  // A store to `line` comes: whether another to it has just come.
  bool store(std::uint64_t line, Cycle now) {
    Place& place = places_[line * 0x9e3779b97f4a7c15ULL >> (64 - bits)];
    const bool again = place.line == line && static_cast<double>(now - place.at) <= within_;
    place = {line, now};
    return again;
  }

 private:
  // Far more places than stores that count: two of their lines seldom share one.
  static constexpr unsigned bits = 7;
  struct Place {
    std::uint64_t line = ~std::uint64_t{0};
    Cycle at = 0;
  };
  std::array<Place, std::size_t{1} << bits> places_{};
  double within_;
};

}  // namespace warpgauge::model
