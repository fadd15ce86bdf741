// One processing block of an SM: its warps' wake-up times, the units that it owns, and the pick of the warp
// that issues. What an instruction does when it issues is the SM's.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "model/report/report.h"
#include "model/sm/decoded.h"
#include "model/sm/register_file.h"
#include "model/sm/write_slots.h"
#include "model/sm/spec.h"

namespace warpgauge::model {

using WarpMask = std::uint32_t;  // bit n: warp n of the processing block

class ProcessingBlock {
 public:
  explicit ProcessingBlock(const SmSpec& spec);

  // Warps that wait for the same thing stand together: a unit, either of the two FP32 halves, or both.
  static constexpr unsigned either_half = unit_count;
  static constexpr unsigned both_halves = unit_count + 1;
  static constexpr unsigned groups = unit_count + 2;
  static unsigned group_of(const StaticOp& op) {
    if (op.both_halves) return both_halves;
    return op.other_unit == Unit::none ? static_cast<unsigned>(op.unit) : either_half;
  }

  // Whoever is not yet ready comes back at a time: less than `horizon` cycles ahead here, else on the SM's
  // calendar.
  static constexpr unsigned horizon = 64;
  void wake_at(unsigned warp, Cycle at) {
    timed_.set(warp, at);
    if (at < next_) next_ = at;
  }
  // Whoever waits for its stall count, which issues at `now`.
  void wake_after_stall(unsigned warp, Cycle now, unsigned cycles) {
    const Cycle due = registers.stall_clock(now) + cycles;
    stalled_.set(warp, due);
    next_ = std::min(next_, registers.when(due));
  }
  WarpMask take_due(Cycle now) {
    WarpMask due = timed_.take(now);
    if (!registers.stands_still(now)) due |= stalled_.take(registers.stall_clock(now));
    return due;
  }

  // A warp whose next instruction waits for nothing but its turn.
  void add_ready(unsigned warp, const StaticOp& op, Cycle now) {
    const WarpMask bit = WarpMask{1} << warp;
    ready_ |= bit;
    const unsigned group = group_of(op);
    by_group_[group] |= bit;
    waited_for_ |= 1U << group;
    group_of_warp_[warp] = static_cast<std::uint8_t>(group);
    if (op.unit == Unit::memory && op.long_counter) long_memory_ |= bit;
    if (op.queued == QueuedKind::constant) constant_ |= bit;
    if (op.writes_on_time) writers_ |= bit;
    if (now < next_) next_ = now;
  }
  // One that is ready.
  void remove_ready(unsigned warp) {
    const WarpMask keep = ~(WarpMask{1} << warp);
    ready_ &= keep;
    long_memory_ &= keep;
    constant_ &= keep;
    writers_ &= keep;
    queued_ &= keep;
    const unsigned group = group_of_warp_[warp];
    by_group_[group] &= keep;
    if (by_group_[group] == 0) waited_for_ &= ~(1U << group);
    for (WarpMask& shown : shown_) shown &= keep;
  }
  [[nodiscard]] WarpMask ready() const { return ready_; }

  // Warps of the block that has come first go first, or of the last, be it of this launch or another (probe issue.blocks).
  // The `index`th warp of the SM's `block`th block stands where the policy has it among the block's: if the youngest go first, only
  // until some have issued, of which the last to do so goes first (by hand, writes_beside_products),
  void set_order(unsigned warp, std::uint64_t block, unsigned index) {
    const std::uint64_t own = policy_ == PickPolicy::greedy_then_oldest ? order_mask - index : index;
    order_[warp] = (block_priority_ == BlockPriority::oldest_first ? ~block : block) << order_bits | own;
    yielded_ &= ~(WarpMask{1} << warp);
    latest_[warp] = 0;
  }
  // up to its next barrier, behind which the youngest go first again (probe issue.policy, whose loops branch before it).
  void begin_anew(unsigned warp) { latest_[warp] = 0; }

  // Why the ready warps that were not picked did not issue; a warp is in one mask at most.
  enum Refusal : unsigned { not_selected, math_pipe, mio, lg, dispatch, refusals };
  // By reason; with some that never are one, so that the host takes four at a time.
  using Refused = std::array<WarpMask, 8>;
  static_assert(refusals <= std::tuple_size_v<Refused>);
  struct Selection {
    int warp = -1;
    Refused refused{};
    Cycle retry = never;  // earliest cycle in which the outcome may differ, other than by an event
  };

  // Who issues at `now`. Which queues of the memory unit are full. `shared_free`: units that the SM's blocks
  // share, by Unit.
  [[nodiscard]] Selection select(Cycle now, bool memory_full, bool constants_full,
                                 const std::array<Cycle, unit_count>& shared_free);

  // Whether any warp enters or leaves a refusal with this selection, and those that enter one; remembered when all have been
  // asked for.
  [[nodiscard]] bool any_new(const Refused& refused) const { return refused != shown_; }
  [[nodiscard]] WarpMask newly(Refusal reason, WarpMask refused) const { return refused & ~shown_[reason]; }
  void show(const Refused& refused) { shown_ = refused; }

  // The instruction's unit is taken from `now`, and for `late` cycles more than its interval because its
  // operands come so much later; returns when it starts there.
  Cycle occupy(const StaticOp& op, Cycle now, Cycle late, std::array<Cycle, unit_count>& shared_free);

  // The unit is busy for so much longer, if it is.
  void put_off(Unit unit, double cycles, Cycle now) {
    Cycle& free = free_[static_cast<std::size_t>(unit)];
    if (free <= now) {
      owed_ = 0;
      return;
    }
    owed_ += cycles;
    const auto whole = static_cast<Cycle>(owed_);
    owed_ -= static_cast<double>(whole);
    free += whole;
  }

  // A warpgroup product has the tensor core until then.
  void multiplies_until(Cycle end) { products_end_ = end; }
  [[nodiscard]] bool multiplies(Cycle now) const { return now < products_end_; }

  // With the yield flag a warp stands behind those without for a while, in turns of some instructions (probe issue.yields).
  void issued(unsigned warp, bool yields, Cycle now) {
    last_ = static_cast<int>(warp);
    latest_[warp] = yields ? -static_cast<std::int64_t>(now) : static_cast<std::int64_t>(now);
    const WarpMask bit = WarpMask{1} << warp;
    if (!yields || yield_wait_ == 0) {
      yielded_ &= ~bit;
      return;
    }
    const bool goes_on = (yielded_ & bit) != 0 && yields_still(warp, now) && in_turn_[warp] < yield_turn_;
    in_turn_[warp] = goes_on ? in_turn_[warp] + 1 : 1;
    issued_at_[warp] = now;
    yielded_ |= bit;
  }

  [[nodiscard]] Cycle next() const { return next_; }
  // After a step at `now`: the next cycle in which something may happen here.
  void settle(Cycle now, Cycle retry) {
    next_ = std::min(retry, timed_.next(now + 1));
    if (!stalled_.empty()) {
      const Cycle from = registers.stall_clock(now) + (registers.stands_still(now) ? 0 : 1);
      next_ = std::min(next_, registers.when(stalled_.next(from)));
    }
  }
  void look_again(Cycle at) {
    if (at < next_) next_ = at;
  }

  RegisterFile registers;
  WriteSlots writes;

 private:
  // Of warps that want the same queue: those that it turns away because it is full, because others of their block have
  // waited for longer (probe issue.turns) or because a block goes before theirs (probe issue.block_queues).
  WarpMask turn_away(WarpMask warps, bool full, Cycle now) {
    return warps != 0 && (full || (warps & queued_) != 0) ? refuse(warps, full, now) : 0;
  }
  WarpMask refuse(WarpMask warps, bool full, Cycle now);
  // Those of the warps whose results would find the registers' ports taken by a product's.
  [[nodiscard]] WarpMask crowded_out(WarpMask warps, Cycle now) const;
  [[nodiscard]] std::uint64_t block_of(unsigned warp) const { return order_[warp] >> order_bits; }
  [[nodiscard]] bool comes_first(unsigned a, unsigned b) const {
    if (policy_ == PickPolicy::greedy_then_youngest && latest_[a] != latest_[b]) return latest_[a] > latest_[b];
    return order_[a] > order_[b];
  }
  [[nodiscard]] unsigned first_in_line(WarpMask warps) const;
  [[nodiscard]] unsigned pick_of(WarpMask eligible, Cycle now) const;
  [[nodiscard]] bool yields_still(unsigned warp, Cycle now) const { return now - issued_at_[warp] < yield_wait_; }
  // Those of the warps that stand behind the others because of the yield flag.
  [[nodiscard]] WarpMask yielding(WarpMask warps, Cycle now) const;
  [[nodiscard]] WarpMask of_first_block(WarpMask warps) const;
  // Who goes first where all have yielded.
  [[nodiscard]] unsigned first_yielding(WarpMask warps) const;
  [[nodiscard]] Cycle group_free(unsigned group, const std::array<Cycle, unit_count>& shared_free) const;

  // Warps by the cycle in which they are due, less than `horizon` ahead.
  class Ring {
   public:
    void set(unsigned warp, Cycle at) {
      warps_[at % horizon] |= WarpMask{1} << warp;
      cycles_ |= std::uint64_t{1} << (at % horizon);
    }
    WarpMask take(Cycle at) {
      const unsigned slot = static_cast<unsigned>(at % horizon);
      const WarpMask due = warps_[slot];
      warps_[slot] = 0;
      cycles_ &= ~(std::uint64_t{1} << slot);
      return due;
    }
    [[nodiscard]] bool empty() const { return cycles_ == 0; }
    // The first cycle from `from` on in which somebody is due.
    [[nodiscard]] Cycle next(Cycle from) const {
      if (empty()) return never;
      return from + static_cast<unsigned>(std::countr_zero(std::rotr(cycles_, static_cast<int>(from % horizon))));
    }

   private:
    std::array<WarpMask, horizon> warps_{};
    std::uint64_t cycles_ = 0;  // bit n: somebody is due in a cycle that is n modulo the horizon
  };

  PickPolicy policy_;
  BlockPriority block_priority_;
  unsigned yield_wait_;
  unsigned yield_turn_;
  Ring timed_;    // by cycle
  Ring stalled_;  // by the clock of stall counts
  Cycle next_ = never;
  WarpMask ready_ = 0;
  WarpMask long_memory_ = 0;
  WarpMask constant_ = 0;  // whose next instruction goes to the queue of constants
  WarpMask writers_ = 0;   // whose next instruction writes registers at a time known when it issues
  WarpMask queued_ = 0;    // that a full queue has turned away
  std::array<WarpMask, groups> by_group_{};
  unsigned waited_for_ = 0;  // bit n: ready warps wait for group n
  std::array<std::uint8_t, max_warps_per_subcore> group_of_warp_{};  // of those that are ready
  Refused shown_{};
  std::array<Cycle, unit_count> free_{};   // when a unit takes its next instruction
  Cycle products_end_ = 0;  // of the warpgroup products so far
  Cycle write_period_;
  Cycle write_window_;
  unsigned window_warp_ = 0;  // who has had the last window, and until when
  Cycle window_at_ = 0;
  double owed_ = 0;  // less than a cycle that put_off() has not added yet
  std::array<Cycle, unit_count> slack_{};  // how far ahead its queue lets it be booked
  std::array<bool, unit_count> is_shared_{};
  // The larger goes first: the block's place above, the warp's own below.
  static constexpr unsigned order_bits = 8;
  static constexpr std::uint64_t order_mask = (std::uint64_t{1} << order_bits) - 1;
  std::array<std::uint64_t, max_warps_per_subcore> order_{};
  // When they issued last, the larger first: where the instruction had the yield flag less than nothing, so that those come behind
  // all others and who issued the longest ago first among them.
  std::array<std::int64_t, max_warps_per_subcore> latest_{};
  std::array<Cycle, max_warps_per_subcore> queued_since_{};
  int last_ = -1;
  WarpMask yielded_ = 0;  // whose last instruction had the yield flag
  std::array<Cycle, max_warps_per_subcore> issued_at_{};   // when they issued it
  std::array<unsigned, max_warps_per_subcore> in_turn_{};  // how many they have issued in their turn
};

}  // namespace warpgauge::model
