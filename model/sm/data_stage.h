// Where accesses to shared memory and the L1 go once the shared unit has taken them: a queue in order; from
// there, what asks the L1, to its tags and a short queue behind them; and the data array, which serves one
// pass after the other.
//
// Passes of one processing block come slower than those of several: on an H200 a lone block's every second
// cycle, those of two or more blocks every cycle (probe lsu.backlog, as the queues' places).
#pragma once

#include <algorithm>
#include <array>

#include "model/sm/spec.h"

namespace warpgauge::model {

class DataStage {
 public:
  static constexpr unsigned most_waiting = 64;

  // `share`: how many processing blocks it takes to keep the stage busy. `queued` accesses wait behind the
  // shared unit, `tagged` ones between tags and data: one to most_waiting.
  DataStage(unsigned share, unsigned queued, unsigned tagged)
      : share_(std::max(1U, share)),
        queued_(std::clamp(queued, 1U, most_waiting)),
        tagged_(std::clamp(tagged, 1U, most_waiting)) {}

  [[nodiscard]] unsigned share() const { return share_; }

  // From when on the queue has room for one more.
  [[nodiscard]] Cycle room() const { return left_.back(queued_); }

  // An access that enters the queue at `at` and asks no tags: when its data begin. `cycles`: that its passes
  // take of the whole stage.
  Cycle direct(unsigned subcore, Cycle at, unsigned cycles) {
    const Cycle start = data(subcore, std::max(at, left_.last()), cycles);
    left_.add(start);
    return start;
  }

  // One that enters the queue at `at` and takes so long over the tags: when it begins with them. tagged() or,
  // for one that misses, returned() follows.
  Cycle tags(Cycle at, unsigned cycles) {
    const Cycle start = std::max({at, left_.last(), tags_free_, data_starts_.back(tagged_)});
    tags_free_ = start + cycles;
    left_.add(start);
    return start;
  }
  // When the data of an access that has been at the tags at `at` begin.
  Cycle tagged(unsigned subcore, Cycle at, unsigned cycles) {
    const Cycle start = data(subcore, at, cycles);
    data_starts_.add(start);
    return start;
  }
  // The same of one whose lines have come at `at`. While the queue has accesses as well, the two take turns: neither does a
  // few hits behind many loads that have come keep all misses behind them from leaving, nor do accesses to shared memory
  // keep the loads from coming in.
  Cycle returned(unsigned subcore, Cycle at, unsigned cycles) {
    const Cycle from = std::max(at, returned_.free);
    const bool in_turn = queue_.free > from;
    owed_ += cycles;
    const Cycle start = returned_.take(subcore, at, cycles, share_);
    if (in_turn) returned_.free += cycles;
    return start;
  }

  // The stage does something else for so long.
  void hold(Cycle at, unsigned cycles) {
    queue_.hold(at, cycles);
    returned_.hold(at, cycles);
  }

 private:
  // The latest of a row of cycles.
  class Latest {
   public:
    void add(Cycle at) { cycles_[count_++ % most_waiting] = at; }
    [[nodiscard]] Cycle back(unsigned by) const {
      return count_ < by ? 0 : cycles_[(count_ - by) % most_waiting];
    }
    [[nodiscard]] Cycle last() const { return back(1); }

   private:
    std::array<Cycle, most_waiting> cycles_{};
    std::size_t count_ = 0;
  };

  // Accesses that take the data array one after the other.
  struct Row {
    Cycle free = 0;
    std::array<Cycle, max_subcores> block_free{};

    void hold(Cycle at, unsigned cycles) { free = std::max(free, at) + cycles; }
    Cycle take(unsigned subcore, Cycle at, unsigned cycles, unsigned share) {
      const Cycle start = std::max({at, free, block_free[subcore]});
      hold(at, cycles);  // others may have the cycles that the block must leave out
      block_free[subcore] = start + Cycle{cycles} * share;
      return start;
    }
  };

  Cycle data(unsigned subcore, Cycle at, unsigned cycles) {
    if (at > queue_.free) owed_ -= std::min(owed_, at - queue_.free);
    const Cycle turn = std::min<Cycle>(owed_, cycles);
    owed_ -= turn;
    const Cycle start = queue_.take(subcore, at, cycles, share_);
    queue_.free += turn;
    return start;
  }

  unsigned share_;
  unsigned queued_;
  unsigned tagged_;
  Cycle tags_free_ = 0;
  Row queue_;     // what comes from the queue, and hits
  Row returned_;  // loads whose lines have come
  Cycle owed_ = 0;  // cycles that those have taken, or will, and the queue has not yet left to them
  Latest left_;         // when accesses left the queue
  Latest data_starts_;  // when the data of those began that the tags had passed on
};

}  // namespace warpgauge::model
