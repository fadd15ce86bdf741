#include "model/sm/processing_block.h"

#include <algorithm>

namespace warpgauge::model {
namespace {

constexpr unsigned index(Unit unit) {
  return static_cast<unsigned>(unit);
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

ProcessingBlock::ProcessingBlock(const SmSpec& spec) : registers(spec.registers), policy_(spec.issue.policy) {
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
  if (group == unit_count) return std::min(free_[index(Unit::fma_heavy)], free_[index(Unit::fma_lite)]);
  const Cycle free = is_shared_[group] ? shared_free[group] : free_[group];
  return free - std::min(free, slack_[group]);
}

ProcessingBlock::Selection ProcessingBlock::select(Cycle now, bool memory_full, bool constants_full,
                                                   const std::array<Cycle, unit_count>& shared_free) const {
  Selection selection;
  if (ready_ == 0) return selection;
  if (const Cycle free = registers.free_from(now); free > now) {
    selection.refused[dispatch] = ready_;
    selection.retry = free;
    return selection;
  }
  WarpMask blocked = 0;
  for (unsigned group = 0; group < groups; ++group) {
    const WarpMask warps = by_group_[group];
    if (warps == 0 || group == index(Unit::none)) continue;
    if (group == index(Unit::memory)) {
      const WarpMask refused =
          warps & ((memory_full ? ~constant_ : WarpMask{0}) | (constants_full ? constant_ : WarpMask{0}));
      selection.refused[lg] = refused & long_memory_;
      selection.refused[mio] |= refused & ~long_memory_;
      blocked |= refused;
      continue;
    }
    const Cycle free = group_free(group, shared_free);
    if (free > now) {
      // The special-function unit is fed through the memory queue's instruction path.
      selection.refused[group == index(Unit::xu) ? mio : math_pipe] |= warps;
      selection.retry = std::min(selection.retry, free);
      blocked |= warps;
    }
  }
  const WarpMask eligible = ready_ & ~blocked;
  if (eligible == 0) return selection;

  unsigned pick = 0;
  if (policy_ == PickPolicy::loose_round_robin) {
    const unsigned first = static_cast<unsigned>(last_ + 1) % max_warps_per_subcore;
    const WarpMask after = eligible & (~WarpMask{0} << first);
    pick = static_cast<unsigned>(std::countr_zero(after != 0 ? after : eligible));
  } else if (last_ >= 0 && ((eligible >> last_) & 1) != 0) {
    pick = static_cast<unsigned>(last_);
  } else {
    const bool youngest = policy_ == PickPolicy::greedy_then_youngest;
    pick = static_cast<unsigned>(std::countr_zero(eligible));
    for (WarpMask m = eligible & (eligible - 1); m != 0; m &= m - 1) {
      const unsigned warp = static_cast<unsigned>(std::countr_zero(m));
      if (youngest ? age_[warp] > age_[pick] : age_[warp] < age_[pick]) pick = warp;
    }
  }
  selection.warp = static_cast<int>(pick);
  selection.refused[not_selected] = eligible & ~(WarpMask{1} << pick);
  selection.retry = now + 1;
  return selection;
}

Cycle ProcessingBlock::occupy(const StaticOp& op, Cycle now, unsigned late,
                              std::array<Cycle, unit_count>& shared_free) {
  if (op.unit == Unit::none || op.unit == Unit::memory) return now;
  unsigned unit = index(op.unit);
  unsigned interval = op.interval;
  if (op.other_unit != Unit::none && free_[index(op.other_unit)] <= free_[unit]) {
    unit = index(op.other_unit);
    interval = op.other_interval;
  }
  Cycle& free = is_shared_[unit] ? shared_free[unit] : free_[unit];
  const Cycle start = std::max(now, free);
  free = start + interval + late;
  return start;
}

}  // namespace warpgauge::model
