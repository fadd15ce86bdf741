// The paths of a warp whose lanes have parted: the one that runs, and those that wait to run. A few are at hand; where there
// are more, the one that has waited longest goes away and comes back when none is at hand any more (docs/h200.md, branches;
// keys issue.held_paths and path_return_cost).
#pragma once

#include <cstdint>

namespace warpgauge::model {

class Paths {
 public:
  // The path that runs parts into two. Returns whether one had to go away; `held`: how many can be at hand, 0: all.
  bool part(unsigned held) {
    if (++here_ <= held || held == 0) return false;
    --here_;
    ++away_;
    return true;
  }
  // The path that runs waits for others to join it, or ends, while others remain.
  void leave() {
    if (here_ > 1) {
      --here_;
    } else if (away_ != 0) {
      --away_;
    }
  }

 private:
  std::uint8_t here_ = 1;
  std::uint8_t away_ = 0;
};

}  // namespace warpgauge::model
