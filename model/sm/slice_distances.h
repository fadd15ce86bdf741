// How much farther than the mean the slices are that the lines of one load lie in.
//
// An SM's slices are not equally far, and a load is there when the farthest of its lines is. Which slice a line lies in is a matter of physical
// addresses, which nobody knows beforehand: so a line that comes alone is as far as the mean, and n lines are where n places drawn evenly
// between the nearest and the farthest slice lie in the mean, in no order of their addresses (docs/h200.md, "How far the slices are").
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "model/sm/coalescer.h"

namespace warpgauge::model {

class SliceDistances {
 public:
  // `spread`: cycles between the nearest and the farthest, up to 254.
  explicit SliceDistances(double spread) : spread_(spread) {}

  // Of line `i` of `lines`.
  [[nodiscard]] std::int8_t of(unsigned lines, unsigned i) const {
    if (lines < 2) return 0;
    const unsigned place = i * steps[lines] % lines;
    return static_cast<std::int8_t>(std::lround(farther(spread_, lines, place)));
  }

  // How much farther than the mean the slice at `place`, from 0 for the nearest, of `slices` drawn evenly over `spread` lies.
  [[nodiscard]] static double farther(double spread, unsigned slices, unsigned place) {
    return spread * (2.0 * (place + 1.0) - (slices + 1.0)) / (2.0 * (slices + 1.0));
  }

 private:
  // A step that goes through all places, from each far on to the next.
  static constexpr std::array<std::uint8_t, max_lines_per_access + 1> steps = [] {
    std::array<std::uint8_t, max_lines_per_access + 1> made{};
    for (unsigned lines = 1; lines <= max_lines_per_access; ++lines) {
      unsigned step = lines * 5 / 8;
      while (std::gcd(step, lines) != 1) ++step;
      made[lines] = static_cast<std::uint8_t>(step);
    }
    return made;
  }();

  double spread_;
};

}  // namespace warpgauge::model
