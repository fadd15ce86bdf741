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

  // When a request that is ready at `at` and takes the port for `cycles` has its turn; in the port's own time.
  Cycle pass(Cycle at, double cycles, bool store) {
    const double turn = std::max(static_cast<double>(own(at)), free_);
    free_ = turn + cycles;
    alone_ = std::max(static_cast<double>(at), alone_);
    passed_alone_ = static_cast<Cycle>(alone_);
    alone_ += cycles;
    if (store) turns_[count_++ % most_waiting] = static_cast<Cycle>(turn);
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
    return count_ <= behind ? 0 : turns_[(count_ - 1 - behind) % most_waiting];
  }
  // From when on fewer than `stores` wait: up to most_waiting.
  [[nodiscard]] Cycle room(unsigned stores) const {
    return count_ < stores ? 0 : at(turns_[(count_ - stores) % most_waiting]);
  }
  // The port's own time of `at`.
  [[nodiscard]] Cycle own(Cycle at) const { return at > held_up_ ? at - held_up_ : 0; }
  // When what has its turn at `turn` passes the port, for all that is known.
  [[nodiscard]] Cycle at(Cycle turn) const { return turn + held_up_; }

  // The memory system has the port busy until `free` with what it has been given.
  void busy_until(Cycle free) {
    const auto expected = static_cast<Cycle>(free_) + held_up_;
    if (free > expected) held_up_ += free - expected;
  }

 private:
  std::array<Cycle, most_waiting> turns_{};  // of the last stores
  std::size_t count_ = 0;
  double free_ = 0;
  double alone_ = 0;
  Cycle passed_alone_ = 0;
  Cycle held_up_ = 0;
};

}  // namespace warpgauge::model
