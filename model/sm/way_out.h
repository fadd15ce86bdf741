// The port through which an SM's requests leave for the L2, as the SM sees it: one behind the other, each for as long as
// its bytes take. What holds the port up beyond that (full slices, the cluster's other SMs) only the memory system knows,
// which says at the end of every window how far it has come.
//
// Times are kept as if nothing had ever held the port up; what has held it up so far stands beside them. So what waits
// is put off by whatever is heard of later.
#pragma once

#include <algorithm>
#include <array>

#include "model/sm/spec.h"

namespace warpgauge::model {

class WayOut {
 public:
  static constexpr unsigned most_waiting = 256;
  static constexpr unsigned most_kept = 1024;

  // When a request that is ready at `at` and takes the port for `cycles` has its turn; in the port's own time.
  // `kept`: messages that keep places in the line before the port, those of stores and atomics.
  Cycle pass(Cycle at, double cycles, unsigned kept) {
    const double turn = std::max(static_cast<double>(own(at)), free_);
    free_ = turn + cycles;
    alone_ = std::max(static_cast<double>(at), alone_);
    passed_alone_ = static_cast<Cycle>(alone_);
    alone_ += cycles;
    for (unsigned i = 0; i < kept; ++i) turns_[count_++ % most_kept] = static_cast<Cycle>(turn + cycles * i / kept);
    return static_cast<Cycle>(turn);
  }
  // What has passed last takes the port for so many cycles more.
  void lengthen(double cycles) {
    free_ += cycles;
    alone_ += cycles;
  }
  // When what has passed last would have, had nothing held up the port.
  [[nodiscard]] Cycle passed_alone() const { return passed_alone_; }
  // In the port's own time: when the last store but `behind` had its turn.
  [[nodiscard]] Cycle turn_before(unsigned behind) const {
    return count_ <= behind ? 0 : turns_[(count_ - 1 - behind) % most_kept];
  }
  // From when on fewer than `stores` wait: up to most_waiting.
  [[nodiscard]] Cycle room(unsigned stores) const {
    return count_ < stores ? 0 : at(turns_[(count_ - stores) % most_kept]);
  }
  // Whether what waited when the port was last held up from beyond still does.
  [[nodiscard]] bool held_up(Cycle now) const {
    return held_ != 0 && count_ - held_ < most_kept && at(turns_[(held_ - 1) % most_kept]) > now;
  }
  // The port's own time of `at`.
  [[nodiscard]] Cycle own(Cycle at) const { return at > held_up_ ? at - held_up_ : 0; }
  // When what has its turn at `turn` passes the port, for all that is known.
  [[nodiscard]] Cycle at(Cycle turn) const { return turn + held_up_; }

  // The memory system has the port busy until `free` with what it has been given.
  void busy_until(Cycle free) {
    const auto expected = static_cast<Cycle>(free_) + held_up_;
    if (free <= expected) return;
    held_up_ += free - expected;
    held_ = count_;
  }

 private:
  std::array<Cycle, most_kept> turns_{};  // of the last stores
  std::size_t count_ = 0;
  std::size_t held_ = 0;  // of them, when the port was last held up
  double free_ = 0;
  double alone_ = 0;
  Cycle passed_alone_ = 0;
  Cycle held_up_ = 0;
};

}  // namespace warpgauge::model
