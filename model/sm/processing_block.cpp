#include "model/sm/processing_block.h"

#include <algorithm>
#include <bit>

namespace warpgauge::model {
namespace {

constexpr unsigned index(Unit unit) {
  return static_cast<unsigned>(unit);
}

// What has a queue of its own lets nobody of a block pass those that it has turned away, not even the warp that issued last. For
// the other pipes the pick decides alone.
constexpr bool has_queue(unsigned group) {
  return group == index(Unit::xu) || group == index(Unit::tensor);
}

template <class Before>
unsigned first_of(WarpMask warps, Before before) {
  unsigned pick = static_cast<unsigned>(std::countr_zero(warps));
  for (WarpMask m = warps & (warps - 1); m != 0; m &= m - 1) {
    const unsigned warp = static_cast<unsigned>(std::countr_zero(m));
    if (before(warp, pick)) pick = warp;
  }
  return pick;
}

constexpr auto queued_kinds = std::to_array<std::pair<Kind, Unit>>({
    {Kind::fp32, Unit::fma_heavy},
    {Kind::alu, Unit::alu},
    {Kind::fp16, Unit::fp16},
    {Kind::fp64, Unit::fp64},
    {Kind::mufu, Unit::xu},
    {Kind::bits, Unit::xu},
    {Kind::conversion, Unit::xu},
    {Kind::conversion_wide, Unit::xu},
    {Kind::conversion_narrow, Unit::xu},
    {Kind::matrix, Unit::tensor},
    {Kind::uniform, Unit::uniform},
});

}  // namespace

ProcessingBlock::ProcessingBlock(const SmSpec& spec) : registers(spec.registers),
      policy_(spec.issue.policy),
      block_priority_(spec.issue.block_priority),
      yield_wait_(spec.issue.yield_wait),
      yield_turn_(spec.issue.yield_turn),
      write_period_(spec.group_product.write_period),
      write_window_(spec.group_product.write_window) {
  for (const auto& [kind, unit] : queued_kinds) {
    const KindSpec& k = spec.kinds[static_cast<std::size_t>(kind)];
    slack_[index(unit)] = std::max<Cycle>(slack_[index(unit)], static_cast<Cycle>(k.queue) * k.interval);
    is_shared_[index(unit)] = is_shared_[index(unit)] || k.sharing > 1;
  }
  // The way to the unit is part of what is booked: a place behind it is free that much later.
  Cycle& special = slack_[index(Unit::xu)];
  special -= std::min<Cycle>(special, spec.issue.special_function_entry);
}

Cycle ProcessingBlock::group_free(unsigned group, const std::array<Cycle, unit_count>& shared_free) const {
  if (group == either_half) return std::min(free_[index(Unit::fma_heavy)], free_[index(Unit::fma_lite)]);
  if (group == both_halves) return std::max(free_[index(Unit::fma_heavy)], free_[index(Unit::fma_lite)]);
  const Cycle free = is_shared_[group] ? shared_free[group] : free_[group];
  return free - std::min(free, slack_[group]);
}

WarpMask ProcessingBlock::refuse(WarpMask warps, bool full, Cycle now) {
  for (WarpMask m = warps & ~queued_; m != 0; m &= m - 1)
    queued_since_[static_cast<unsigned>(std::countr_zero(m))] = now;
  queued_ |= warps;
  return full ? warps : warps & ~(WarpMask{1} << first_in_line(warps));
}

// Those of the block that goes first; of a block's, those that a queue has turned away, the longest first; then the others
// in their order.
unsigned ProcessingBlock::first_in_line(WarpMask warps) const {
  return first_of(warps, [&](unsigned a, unsigned b) {
    if (block_of(a) != block_of(b)) return block_of(a) > block_of(b);
    const bool queued_a = ((queued_ >> a) & 1) != 0;
    const bool queued_b = ((queued_ >> b) & 1) != 0;
    if (queued_a != queued_b) return queued_a;
    if (queued_a && queued_since_[a] != queued_since_[b]) return queued_since_[a] < queued_since_[b];
    return comes_first(a, b);
  });
}

WarpMask ProcessingBlock::of_first_block(WarpMask warps) const {
  std::uint64_t first = 0;
  WarpMask found = 0;
  for (WarpMask m = warps; m != 0; m &= m - 1) {
    const std::uint64_t block = block_of(static_cast<unsigned>(std::countr_zero(m)));
    if (block > first) found = 0;
    first = std::max(first, block);
    if (block == first) found |= m & -m;
  }
  return found;
}

// Among warps of one block the flag counts for a while only; beside another block's, until its warp has issued again (probe
// issue.yields).
WarpMask ProcessingBlock::yielding(WarpMask warps, Cycle now) const {
  WarpMask found = warps & yielded_;
  if (found == 0 || of_first_block(warps) != warps) return found;
  for (WarpMask m = found; m != 0; m &= m - 1) {
    if (!yields_still(static_cast<unsigned>(std::countr_zero(m)), now)) found &= ~(m & -m);
  }
  return found;
}

// Of the block that goes first: whoever is in its turn, the last to issue before the others; then who has issued the longest ago.
unsigned ProcessingBlock::first_yielding(WarpMask warps) const {
  warps = of_first_block(warps);
  WarpMask turns = 0;
  for (WarpMask m = warps; m != 0; m &= m - 1) {
    if (in_turn_[static_cast<unsigned>(std::countr_zero(m))] < yield_turn_) turns |= m & -m;
  }
  if (turns != 0) return first_of(turns, [&](unsigned a, unsigned b) { return issued_at_[a] > issued_at_[b]; });
  return first_of(warps, [&](unsigned a, unsigned b) { return issued_at_[a] < issued_at_[b]; });
}

// Of those that have not yielded: the warp that issued last, then who is first in line.
unsigned ProcessingBlock::pick_of(WarpMask eligible, Cycle now) const {
  if (std::has_single_bit(eligible)) return static_cast<unsigned>(std::countr_zero(eligible));
  const WarpMask behind = yielding(eligible, now);
  if (behind == eligible) return first_yielding(eligible);
  eligible &= ~behind;
  if (last_ >= 0 && ((eligible >> last_) & 1) != 0) return static_cast<unsigned>(last_);
  return first_in_line(eligible);
}

// While a product writes its sums, one warp at a time has the first cycles of every few (docs/h200.md, warpgroup products).
WarpMask ProcessingBlock::crowded_out(WarpMask warps, Cycle now) const {
  const Cycle phase = now % write_period_;
  if (phase == 0) return 0;
  if (phase >= write_window_) return warps;
  return window_at_ + phase >= now ? warps & ~(WarpMask{1} << window_warp_) : 0;
}

ProcessingBlock::Selection ProcessingBlock::select(Cycle now, bool memory_full, bool constants_full,
                                                   const std::array<Cycle, unit_count>& shared_free) {
  Selection selection;
  if (ready_ == 0) return selection;
  if (const Cycle free = registers.free_from(now); free > now) {
    selection.refused[dispatch] = ready_;
    selection.retry = free;
    return selection;
  }
  WarpMask blocked = 0;
  for (unsigned left = waited_for_ & ~(1U << index(Unit::none)); left != 0; left &= left - 1) {
    const auto group = static_cast<unsigned>(std::countr_zero(left));
    const WarpMask warps = by_group_[group];
    if (group == index(Unit::memory)) {
      const WarpMask refused = turn_away(warps & ~constant_, memory_full, now) |
                               turn_away(warps & constant_, constants_full, now);
      selection.refused[lg] = refused & long_memory_;
      selection.refused[mio] |= refused & ~long_memory_;
      blocked |= refused;
      continue;
    }
    const Cycle free = group_free(group, shared_free);
    const WarpMask refused = has_queue(group) ? turn_away(warps, free > now, now)
                             : free > now     ? warps
                                              : WarpMask{0};
    // The special-function unit is fed through the memory queue's instruction path.
    selection.refused[group == index(Unit::xu) ? mio : math_pipe] |= refused;
    blocked |= refused;
    if (free > now) selection.retry = std::min(selection.retry, free);
  }
  if (const WarpMask writers = writers_ & ~blocked; writers != 0 && multiplies(now) && write_period_ != 0) {
    const WarpMask refused = crowded_out(writers, now);
    selection.refused[dispatch] |= refused;
    blocked |= refused;
    if (refused != 0) selection.retry = std::min(selection.retry, now + write_period_ - now % write_period_);
  }
  const WarpMask eligible = ready_ & ~blocked;
  if (eligible == 0) return selection;

  unsigned pick = 0;
  if (policy_ == PickPolicy::loose_round_robin) {
    const unsigned first = static_cast<unsigned>(last_ + 1) % max_warps_per_subcore;
    const WarpMask after = eligible & (~WarpMask{0} << first);
    pick = static_cast<unsigned>(std::countr_zero(after != 0 ? after : eligible));
  } else {
    pick = pick_of(eligible, now);
  }
  if (((writers_ >> pick) & 1) != 0) {
    window_warp_ = pick;
    window_at_ = now;
  }
  selection.warp = static_cast<int>(pick);
  selection.refused[not_selected] = eligible & ~(WarpMask{1} << pick);
  selection.retry = now + 1;
  return selection;
}

Cycle ProcessingBlock::occupy(const StaticOp& op, Cycle now, Cycle late,
                              std::array<Cycle, unit_count>& shared_free) {
  if (op.unit == Unit::none || op.unit == Unit::memory) return now;
  unsigned unit = index(op.unit);
  unsigned interval = op.interval;
  if (op.both_halves) {
    const Cycle start = std::max(now, group_free(both_halves, shared_free));
    free_[unit] = start + interval + late;
    free_[index(Unit::fma_lite)] = start + op.other_interval + late;
    return start;
  }
  if (op.other_unit != Unit::none && free_[index(op.other_unit)] <= std::max(now, free_[unit])) {
    unit = index(op.other_unit);
    interval = op.other_interval;
  }
  Cycle& free = is_shared_[unit] ? shared_free[unit] : free_[unit];
  const Cycle start = std::max(now, free);
  free = start + interval + late;
  return start;
}

}  // namespace warpgauge::model
