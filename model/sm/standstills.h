// Cycles in which a processing block issues nothing, and the clock of its stall counts, which does not count
// them.
//
// Most of the time none lies ahead: then everything asked here is one comparison and one sum.
#pragma once

#include <algorithm>
#include <array>

#include "model/sm/types.h"

namespace warpgauge::model {

class Standstills {
 public:
  // The first cycle from `at` on in which nothing stands still.
  [[nodiscard]] Cycle behind(Cycle at) const {
    if (at >= until_) return at;
    for (unsigned i = 0; i < count_; ++i) at = stretches_[i].holds(at) ? stretches_[i].end() : at;
    return at;
  }
  [[nodiscard]] bool holds(Cycle now) const { return now < until_ && any_holds(now); }
  // Cycles up to `now` in which nothing stood still.
  [[nodiscard]] Cycle clock(Cycle now) const {
    if (now >= until_) return now - all_;
    Cycle stood = stood_;
    for (unsigned i = 0; i < count_; ++i) {
      const Stretch& s = stretches_[i];
      stood += std::min<Cycle>(now - std::min(now, s.from), s.cycles);
    }
    return now - stood;
  }
  // When that clock, as far as is known, goes on from `clock`.
  [[nodiscard]] Cycle when(Cycle clock) const {
    if (clock + all_ >= until_) return clock + all_;
    Cycle at = clock + stood_;
    for (unsigned i = 0; i < count_; ++i) at += at >= stretches_[i].from ? stretches_[i].cycles : 0;
    return at;
  }

  // `cycles` from `from` on, as is known at `now`.
  void add(Cycle from, unsigned cycles, Cycle now) {
    unsigned kept = 0;
    for (unsigned i = 0; i < count_; ++i) {
      if (stretches_[i].end() <= now) {
        stood_ += stretches_[i].cycles;
      } else {
        stretches_[kept++] = stretches_[i];
      }
    }
    // Of two that would hold up the same cycles one comes behind the other.
    if (kept != 0) from = std::max(from, stretches_[kept - 1].end());
    if (kept == stretches_.size()) {
      stretches_[kept - 1].cycles += cycles;
    } else if (cycles != 0) {
      stretches_[kept++] = {from, cycles};
    }
    count_ = kept;
    all_ += cycles;
    until_ = count_ != 0 ? stretches_[count_ - 1].end() : 0;
  }

 private:
  struct Stretch {
    Cycle from = 0;
    unsigned cycles = 0;
    [[nodiscard]] Cycle end() const { return from + cycles; }
    [[nodiscard]] bool holds(Cycle at) const { return at >= from && at < end(); }
  };
  [[nodiscard]] bool any_holds(Cycle now) const {
    return std::any_of(stretches_.begin(), stretches_.begin() + count_,
                       [&](const Stretch& s) { return s.holds(now); });
  }

  // In their order and apart. At most two lie ahead by the read stages, that of the instruction in control or
  // allocate and that of the one behind it, and others by loads; those that are over are counted in stood_
  // when another comes.
  std::array<Stretch, 4> stretches_{};
  unsigned count_ = 0;
  Cycle stood_ = 0;  // cycles of those that are no longer kept
  Cycle all_ = 0;    // of these and of those that are
  Cycle until_ = 0;  // the last one's end
};

}  // namespace warpgauge::model
