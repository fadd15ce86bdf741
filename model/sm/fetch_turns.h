// Turns of a processing block's fetch behind branches (by hand, branch_turns).
//
// Where a warp goes elsewhere, the block fetches its target's line, then fills its buffer with what follows.
// Meanwhile another warp's first request is refused, and comes again after a while; then it is only put off
// by a line that is fetched at that time. So warps that branch again and again lose some cycles each time,
// however many they are, and a lone warp none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/sm/spec.h"

namespace warpgauge::model {

class FetchTurns {
 public:
  explicit FetchTurns(const FrontEndSpec& spec)
      : line_(mask(spec.branch_line)), fill_(mask(spec.branch_fill)), wait_(spec.branch_turn_wait) {}

  // A warp's target is asked for `ahead` cycles from now: how many cycles later than it could be it is
  // fetched.
  unsigned turn(Cycle now, Cycle ahead) {
    if (wait_ == 0 || ahead >= most_ahead) return 0;
    const Cycle passed = now - now_;
    lines_ = passed < bits ? lines_ >> passed : 0;
    fills_ = passed < bits ? fills_ >> passed : 0;
    now_ = now;
    Cycle at = ahead;
    if ((((lines_ | fills_) >> at) & 1) != 0) at += wait_;
    while (at < bits && ((lines_ >> at) & 1) != 0) at += wait_;
    if (at >= bits) return static_cast<unsigned>(at - ahead);
    lines_ |= line_ << at;
    fills_ |= fill_ << at;
    return static_cast<unsigned>(at - ahead);
  }

 private:
  static constexpr Cycle bits = 64;
  static constexpr Cycle most_ahead = 48;  // who goes elsewhere so late finds the fetch free
  static constexpr std::uint64_t mask(unsigned cycles) {
    return (std::uint64_t{1} << std::min(cycles, 32U)) - 1;
  }

  // Bit n: cycle now_ + n.
  std::uint64_t lines_ = 0;  // in which a target's line is fetched
  std::uint64_t fills_ = 0;  // in which a first request is refused
  Cycle now_ = 0;
  std::uint64_t line_;
  std::uint64_t fill_;
  unsigned wait_;
};

}  // namespace warpgauge::model
