// The paths of a warp whose lanes have parted: the one that runs, and those that wait to run. A few are at
// hand; where there are more, the one that has waited longest goes away and comes back when none is at hand
// any more (docs/h200.md, branches; keys issue.held_paths and path_return_cost). So does one that stands back
// at a YIELD, which makes room for another.
#pragma once

#include <cstdint>

namespace warpgauge::model {

class Paths {
 public:
  Paths() = default;
  // Lanes that come to a branch or a YIELD: if no others are left, they are one path again, wherever they
  // have met.
  void together(std::uint32_t lanes) {
    left_ |= lanes;
    if (left_ == lanes) *this = Paths(lanes);
  }
  void exited(std::uint32_t lanes) {
    left_ &= ~lanes;
    back_ &= ~lanes;
  }
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
  // The path that runs stands back for that of `next`. Returns whether this one is at hand.
  bool stand_back(std::uint32_t lanes, std::uint32_t next) {
    back_ |= lanes;
    if (comes_back(next) || here_ == 1) return false;
    --here_;
    return true;
  }
  [[nodiscard]] bool any_back() const { return back_ != 0; }
  // Lanes that run next: did they stand back?
  bool comes_back(std::uint32_t next) {
    const bool back = (back_ & next) != 0;
    back_ &= ~next;
    return back;
  }

 private:
  explicit Paths(std::uint32_t lanes) : left_(lanes) {}

  std::uint32_t left_ = 0;  // lanes that have been seen and have not exited
  std::uint32_t back_ = 0;  // those of paths that stand back
  std::uint8_t here_ = 1;
  std::uint8_t away_ = 0;
};

// The places of a collective's lanes (docs/h200.md, collectives): each path that comes to a WARPSYNC.COLLECTIVE of its own is a
// place to which ENDCOLLECTIVE sends lanes back, one after the other. While lanes that have met so are apart, the warp
// gathers those that a BSYNC lets go on.
class MeetingPlaces {
 public:
  // Before each instruction: the lanes that are together there.
  void together(std::uint32_t lanes) {
    if ((apart_ & ~lanes) == 0) apart_ = 0;
  }
  void exited(std::uint32_t lanes) { apart_ &= ~lanes; }
  void meet() { ++met_; }
  // Lanes leave the collective: how many places they go to beyond the first.
  unsigned end(std::uint32_t lanes) {
    const unsigned further = met_ > 1 ? met_ - 1U : 0U;
    met_ = 0;
    if (further != 0) apart_ = lanes;
    return further;
  }
  [[nodiscard]] bool apart() const { return apart_ != 0; }

 private:
  std::uint32_t apart_ = 0;
  std::uint8_t met_ = 0;
};

}  // namespace warpgauge::model
