// The ways between an SM and others of its cluster: one out, for what it asks of them and what it answers, and one in.
//
// All work counts from when its instruction begins, as if nothing took the way there: what comes from elsewhere keeps a way from
// nothing that its SM asks meanwhile, however far away it still is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/sm/types.h"

namespace warpgauge::model {

// Cycles that an access takes on the way out of the SM that asks, into the one that is asked, and out of that again.
struct RemoteCosts {
  double request = 0;
  double arrival = 0;
  double answer = 0;
  unsigned packets = 0;  // with data that it sends
};

// Work of several CPCs' SMs that has yet to be done, which take even turns while they have some.
class EvenTurns {
 public:
  static constexpr unsigned most = 4;

  // How much is done by then, all turns counted, if no more comes.
  double add(unsigned cpc, double cycles) {
    const double own = left_[cpc % most] += cycles;
    double before = 0;
    for (const double other : left_) before += std::min(other, own);
    return before;
  }
  [[nodiscard]] double total() const { return left_[0] + left_[1] + left_[2] + left_[3]; }
  void pass(double cycles) {
    if (cycles >= total()) {
      left_.fill(0);
      return;
    }
    while (cycles > least) {
      unsigned busy = 0;
      double shortest = cycles;
      for (const double left : left_) {
        if (left <= least) continue;
        ++busy;
        shortest = std::min(shortest, left);
      }
      if (busy == 0) return;
      const double each = std::min(shortest, cycles / busy);
      for (double& left : left_) left = std::max(0.0, left - each);
      cycles -= each * busy;
    }
  }

 private:
  static constexpr double least = 1e-6;  // of rounding
  std::array<double, most> left_{};
};

// The way in.
class WayIn {
 public:
  // When what comes from there at `at` has been taken.
  double add(unsigned cpc, double at, double cycles) {
    if (at > at_) {
      turns_.pass(at - at_);
      at_ = at;
    }
    return at_ + turns_.add(cpc, cycles);
  }

 private:
  double at_ = 0;
  EvenTurns turns_;
};

// The way out: requests and answers take even turns.
class SharedWay {
 public:
  double request(double at, double cycles) {
    pass(at);
    requests_ += cycles;
    return at_ + requests_ + std::min(requests_, answers_.total());
  }
  double answer(unsigned cpc, double at, double cycles) {
    pass(at);
    const double before = answers_.add(cpc, cycles);
    return at_ + before + std::min(before, requests_);
  }

 private:
  void pass(double at) {
    if (at <= at_) return;
    const double time = at - at_;
    const double answers = answers_.total();
    const double both = std::min({time / 2, requests_, answers});
    // Either both last until then, or one of them is done and the rest of the time the other's.
    const double rest = time - 2 * both;
    answers_.pass(both + rest);
    requests_ = std::max(0.0, requests_ - both - rest);
    at_ = at;
  }

  double at_ = 0;
  double requests_ = 0;  // cycles of them that are left
  EvenTurns answers_;
};

class ClusterPorts {
 public:
  struct Times {
    double left = 0;      // the SM that asks
    double answered = 0;  // the last of it has left the one that is asked
  };

  // The SM's, which is of that CPC of its GPC.
  explicit ClusterPorts(unsigned cpc) : cpc_(cpc) {}

  // An access of another SM's shared memory that begins at `start`. `window`: packets with data that an SM sends before the first
  // of them has been answered; beyond them nothing leaves, for whichever SM.
  Times access(ClusterPorts& asked, const RemoteCosts& costs, Cycle start, double window) {
    const auto from = static_cast<double>(start);
    const double slot = std::max(1.0, window / slots);
    const auto first = static_cast<std::uint64_t>(sent_ / slot);
    Times times;
    times.left = out_.request(from, costs.request);
    if (costs.packets != 0) times.left = std::max(times.left, answered_[first % slots]);
    const double arrived = std::max(asked.in_.add(cpc_, from, costs.arrival), times.left);
    times.answered = std::max(asked.out_.answer(cpc_, from, costs.answer), arrived + costs.answer);
    sent_ += costs.packets;
    const auto last = static_cast<std::uint64_t>(sent_ / slot);
    for (std::uint64_t i = first; i != last; ++i) answered_[i % slots] = times.answered;
    return times;
  }

 private:
  static constexpr unsigned slots = 64;  // parts of the window

  unsigned cpc_;
  SharedWay out_;
  WayIn in_;
  double sent_ = 0;  // packets so far
  std::array<double, slots> answered_{};  // by part, when its packets have been
};

}  // namespace warpgauge::model
