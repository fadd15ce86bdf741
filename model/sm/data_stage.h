// Where accesses to shared memory and the L1 go once the shared unit has taken them: a queue in order; from
// there, what asks the L1, to its tags and a short queue behind them; and the data array, which serves one
// pass after the other.
//
// Passes of one warp come slower than those of several: on an H200 a lone warp's every second cycle, those of two or
// more every cycle, be they of one processing block or of several (probes lsu.backlog, as the queues' places, and
// issue.turns).
//
// One access a cycle leaves the queue. What reads shared memory or hits in the L1 begins with its data in that cycle, and
// the next may leave while its other passes follow; what writes shared memory holds the way for all of its passes; a load
// that misses has used a cycle of the data array for nothing, if that was free (probe lsu.streams). A store or atomic of
// global memory waits, and keeps the tags, until the data of its warp's loads have been read (docs/h200.md, rounds of loads and stores);
// its sources have been read when it gets there.
#pragma once

#include <algorithm>
#include <array>

#include "model/sm/product_reads.h"
#include "model/sm/spec.h"

namespace warpgauge::model {

class DataStage {
 public:
  static constexpr unsigned most_waiting = 64;

  // `share`: how many warps it takes to keep the stage busy. `queued` accesses wait behind the
  // shared unit, `tagged` ones between tags and data, until their last passes begin: one to most_waiting, and one less of the latter.
  DataStage(unsigned share, unsigned queued, unsigned tagged)
      : share_(std::max(1U, share)),
        queued_(std::clamp(queued, 1U, most_waiting)),
        tagged_(std::clamp(tagged, 1U, most_waiting - 1)) {}

  [[nodiscard]] unsigned share() const { return share_; }

  // From when on the queue has room for one more.
  [[nodiscard]] Cycle room() const { return left_.back(queued_); }

  // An access that enters the queue at `at` and asks no tags: when its data begin. `cycles`: that its passes
  // take of the whole stage. `holds`: whether the way from the queue is its own until it is done.
  Cycle direct(unsigned warp, Cycle at, unsigned cycles, bool holds) {
    const Cycle ready = std::max(at, way_free_);
    const Cycle start = data(ready, direct_free_[warp], cycles);
    direct_free_[warp] = start + Cycle{cycles} * share_;
    busy(start, cycles);
    left_.add(start);
    way_free_ = holds ? start + cycles : ready + 1;
    return start;
  }

  // One that enters the queue at `at` and takes so long over the tags: when it begins with them. tagged(), or
  // for one that misses missed() and returned(), follow.
  Cycle tags(Cycle at, unsigned cycles) {
    // One that finds no place behind the tags stays there.
    const Cycle start = std::max({at, way_free_, tags_free_, data_last_.back(tagged_ + 1)});
    tags_free_ = start + cycles;
    leave(start, 1);
    return start;
  }
  // The same of a store of `warp`, or an atomic, which waits at the tags until the data of the warp's loads before it have been
  // read.
  Cycle store_tags(unsigned warp, Cycle at, unsigned cycles) { return tags(std::max(at, tagged_free_[warp]), cycles); }
  void missed(Cycle at) {
    pass_idle(at);
    queue_.free = std::max(queue_.free, at + 1);
  }
  // When the data of a load that has been at the tags at `at` begin.
  Cycle tagged(unsigned warp, Cycle at, unsigned cycles) {
    const Cycle placed = std::max(at, data_last_.back(tagged_));
    const Cycle start = data(placed, std::max({direct_free_[warp], tagged_free_[warp], lines_.free}), cycles);
    lines_.hold(placed, cycles);
    tagged_free_[warp] = start + Cycle{cycles} * share_;
    // Its place is free when its last pass begins.
    data_last_.add(start + Cycle{cycles - std::min(cycles, 1U)} * share_);
    busy(start, cycles);
    return start;
  }
  // The same of a store or an atomic, whose data stay where they are, and those of all behind them, until there is `room` for it
  // before the way out (docs/h200.md, reductions beside loads of shared memory).
  Cycle store_tagged(Cycle at, unsigned cycles, Cycle room = 0) {
    const Cycle ready = std::max({at, room, data_last_.back(tagged_)});
    const Cycle start = data(ready, lines_.free, cycles);
    data_last_.add(start);
    busy_between(at, start + cycles);
    lines_.hold(ready, cycles);
    return start;
  }
  // What it sends is read once more from `at` on, which keeps the L1's loads from the data, and no access to shared memory.
  void line_out(Cycle at, unsigned cycles) {
    lines_.hold(at, cycles);
    returned_.hold(at, cycles);
  }
  // What the tags have passed on begins from then on: so long do lines of stores wait to leave.
  void hold_lines(Cycle until) { lines_.free = std::max(lines_.free, until); }
  // The same of one whose lines have come at `at`. While the queue has accesses as well, the two take turns: neither does a
  // few hits behind many loads that have come keep all misses behind them from leaving, nor do accesses to shared memory
  // keep the loads from coming in.
  Cycle returned(Cycle at, unsigned cycles) {
    const bool in_turn = queue_.free > std::max(at, returned_.free);
    pass_idle(at);  // what has been idle so far pays for nothing that is owed from now on
    owed_ += cycles;
    const Cycle start = returned_.take(at, 0, cycles);
    if (in_turn) returned_.free += cycles;
    ceded_ = in_turn ? ceded_ + cycles : 0;
    busy(start, cycles);
    return start;
  }

  // A copy past the L1 whose lines have come at `at`, and which takes so many cycles on its way into shared memory: when it is there.
  // That way is the copies' own; the data array is not held by what they wait for there.
  Cycle copied(Cycle at, unsigned cycles) { return copied_.take(at, 0, cycles) + cycles; }

  // Cycles until `at` in which nothing takes the data array or waits for it, as far as is known now: neither loads nor what stores
  // write, those of shared memory taken to be like others. That a line is read once more when it leaves does not count, that a store
  // waits for lines to leave does.
  [[nodiscard]] Cycle idle(Cycle at) const {
    const Cycle to_come = taken_until_ > at ? taken_until_ - at : 0;
    return at - (taken_ - std::min(taken_, to_come));
  }

  // See ProductReads.
  void product(double begin, unsigned cycles) { products_.add(begin, cycles); }
  double product_odds(Cycle at) { return products_.odds(at); }

  // What others of the cluster read takes so many cycles from `at` on, which may be to come.
  void read_by_others(Cycle at, unsigned cycles) {
    if (others_count_ != 0) {
      ByOthers& last = others_[(others_first_ + others_count_ - 1) % others_.size()];
      if (at < last.at + together || others_count_ == others_.size()) {
        last.cycles += cycles;
        return;
      }
    }
    others_[(others_first_ + others_count_++) % others_.size()] = {at, cycles};
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

   private:
    std::array<Cycle, most_waiting> cycles_{};
    std::size_t count_ = 0;
  };

  // Accesses that take the data array one after the other.
  struct Row {
    Cycle free = 0;

    void hold(Cycle at, unsigned cycles) { free = std::max(free, at) + cycles; }
    // What may begin at `from`, and is there since `at`: others may have the cycles that its warp must leave out.
    Cycle take(Cycle at, Cycle from, unsigned cycles) {
      const Cycle start = std::max({at, free, from});
      hold(at, cycles);
      return start;
    }
  };

  static constexpr Cycle together = 32;  // so close, what others read is taken as one
  struct ByOthers {
    Cycle at = 0;
    unsigned cycles = 0;
  };
  void settle_first() {
    const ByOthers& first = others_[others_first_];
    hold(first.at, first.cycles);
    others_first_ = (others_first_ + 1) % others_.size();
    --others_count_;
  }
  void settle(Cycle until) {
    while (others_count_ != 0 && others_[others_first_].at <= until) settle_first();
  }

  // Cycles that the queue leaves idle go to the loads that have come back.
  void pass_idle(Cycle until) {
    if (until <= queue_.free) return;
    owed_ -= std::min(owed_, until - queue_.free);
    queue_.free = until;
  }

  void busy(Cycle at, unsigned cycles) {
    taken_until_ = std::max(taken_until_, at) + cycles;
    taken_ += cycles;
  }

  // What waits for the array from `at` on has it until then.
  void busy_between(Cycle at, Cycle until) {
    const Cycle from = std::max(at, taken_until_);
    if (until <= from) return;
    taken_ += until - from;
    taken_until_ = until;
  }

  void leave(Cycle at, unsigned cycles) {
    left_.add(at);
    way_free_ = at + cycles;
  }

  Cycle data(Cycle at, Cycle from, unsigned cycles) {
    settle(at);
    pass_idle(at);
    const Cycle turn = std::min<Cycle>(owed_, cycles);
    owed_ -= turn;
    Cycle start = queue_.take(at, from, cycles);
    if (const Cycle late = products_.delay(start, cycles); late != 0) {
      start += late;
      queue_.free += late;
    }
    queue_.free += turn;
    const Cycle given = std::min<Cycle>(ceded_, cycles);
    ceded_ -= given;
    if (returned_.free > start) returned_.free += cycles - given;
    return start;
  }

  // From when on a warp's next may begin.
  using ByWarp = std::array<Cycle, max_warps_per_sm>;

  unsigned share_;
  unsigned queued_;
  unsigned tagged_;
  Cycle tags_free_ = 0;
  Cycle way_free_ = 0;  // from when on the next may leave the queue
  Row queue_;     // what comes from the queue, and hits
  Row lines_;     // of the former, what the tags have passed on, and lines of stores that leave
  Row returned_;  // loads whose lines have come
  Row copied_;    // copies past the L1
  std::array<ByOthers, 256> others_{};  // what others have read or will, and has not yet been put in line
  std::size_t others_first_ = 0;
  std::size_t others_count_ = 0;
  ProductReads products_;
  ByWarp direct_free_{};    // behind those that ask no tags
  ByWarp tagged_free_{};    // behind those that the tags have passed on
  Cycle owed_ = 0;  // cycles that those have taken, or will, and the queue has not yet left to them
  Cycle ceded_ = 0;  // cycles between theirs that they have left to the queue, and it has not yet taken
  Cycle taken_ = 0;         // cycles of the data array that have been taken, or will be
  Cycle taken_until_ = 0;   // until when
  Latest left_;         // when accesses left the queue
  Latest data_last_;    // when the last passes of those began that the tags had passed on
};

}  // namespace warpgauge::model
