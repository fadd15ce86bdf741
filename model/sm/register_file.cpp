#include "model/sm/register_file.h"

#include <algorithm>
#include <bit>

namespace warpgauge::model {

Cycle RegisterFile::take_port(unsigned bank, Cycle from) {
  const unsigned skip = static_cast<unsigned>(from - base_);
  const auto free_at = [&](unsigned port) {
    return skip + static_cast<unsigned>(std::countr_one(taken_[bank][port] >> skip));
  };
  unsigned best = free_at(0);
  unsigned port = 0;
  for (unsigned p = 1; p < ports_; ++p) {
    const unsigned first = free_at(p);
    if (first < best) {
      best = first;
      port = p;
    }
  }
  // Only a window of a what-if lets reads wait that long: what lies beyond the mask is not kept.
  if (best < 64) taken_[bank][port] |= std::uint64_t{1} << best;
  return base_ + std::min(best, 64U);
}

void RegisterFile::advance(Cycle begin) {
  const Cycle elapsed = begin - base_;
  if (elapsed == 0) return;
  for (unsigned bank = 0; bank < spec_.banks; ++bank) {
    for (unsigned p = 0; p < ports_; ++p) taken_[bank][p] = elapsed < 64 ? taken_[bank][p] >> elapsed : 0;
  }
  base_ = begin;
}

Cycle RegisterFile::stalled_behind(Cycle tick, Cycle distance) const {
  for (const Entry& e : behind_)
    if (e.tick + distance == tick) return e.stall;
  return 0;
}

// Of results on their way to one bank's port in the same stage one is had there. Who comes first: four cycles old and of the
// reader's own pipe, five, six, four and of another pipe. That last one can still be had a cycle later; the others have gone by
// and are read when they are in the file (probe registers.pipes).
Cycle RegisterFile::take_arriving(std::span<Arriving> all, Cycle last_stage) {
  std::sort(all.begin(), all.end(), [](const Arriving& a, const Arriving& b) { return a.turn < b.turn; });
  Cycle complete = 0;
  std::array<bool, max_banks> missed{};
  for (const Arriving& each : all) {
    const bool taken = missed[each.bank] || (each.factor && !is_free(each.bank, last_stage));
    const bool file = taken && !each.stays && spec_.read_again != 0;
    const Cycle again = each.from + (each.factor ? spec_.factor_delay : spec_.read_again);
    complete = std::max(complete, take_port(each.bank, file ? again : last_stage));
    missed[each.bank] = true;
  }
  return complete;
}

void RegisterFile::remember(const StaticOp& op, unsigned warp, Cycle complete) {
  const Cycle from = complete + spec_.write_delay;
  writes_[next_write_] = {warp << 8 | op.written, op.written_count, from, from + op.high_late, op.path};
  written_[next_write_] = places_of(warp, op.written, op.written_count);
  next_write_ = (next_write_ + 1) % writes_kept;
}

RegisterFile::Newest RegisterFile::newest(std::uint32_t reg) const {
  Newest newest;
  for (const Write& w : writes_) {
    const std::uint32_t which = reg - w.first;
    if (which >= w.count) continue;
    const Cycle from = which + 1 == w.count ? w.high_from : w.from;
    if (from > newest.from) newest = {from, w.path};
  }
  return newest;
}

Cycle RegisterFile::read_sources(const StaticOp& op, unsigned warp, Cycle enters, Outcome& outcome) {
  if (!spec_.reuse_survives_warp_switch && warp != last_warp_) entries_.fill(empty);
  last_warp_ = warp;
  // `enters` has been put off by all who stalled before; those right ahead did so when this one was among the stages.
  const Cycle tick = enters - stalled_;
  const Cycle begin = enters + 1 - stalled_behind(tick, 1) - stalled_behind(tick, 2);
  const Cycle last_stage = enters + op.read_window;
  advance(std::max(base_, begin));

  // Lookups of one instruction see the cache as the one before left it.
  std::array<bool, StaticOp::max_reads> hit;
  for (unsigned i = 0; i < op.read_count; ++i) {
    const SourceRead& read = op.reads[i];
    hit[i] = read.slot < spec_.reuse_slots && entry(read.slot, read.bank) == (warp << 8 | read.reg);
  }
  const std::uint64_t written = recently_written();
  std::array<std::uint8_t, max_banks> needed{};
  // A register that an instruction names twice is read once, but a product of 64 bits does not add what it multiplies.
  std::array<std::uint16_t, StaticOp::max_reads> distinct;
  unsigned distinct_count = 0;
  std::array<Arriving, StaticOp::max_reads> arriving;
  unsigned arriving_count = 0;
  Cycle complete = last_stage;
  for (unsigned i = 0; i < op.read_count; ++i) {
    const SourceRead& read = op.reads[i];
    if (read.slot < spec_.reuse_slots) {
      entry(read.slot, read.bank) = read.reuse ? (warp << 8 | read.reg) : empty;
    }
    if (hit[i]) {
      ++outcome.reuse_hits;
      continue;
    }
    Cycle from = op.own_latches ? begin : std::max(begin, latch(read.slot, read.bank));
    if (read.late) from = std::max(from, last_stage);
    if (op.repeats) {
      const auto end = distinct.begin() + distinct_count;
      const auto named = static_cast<std::uint16_t>(read.reg | (read.factor ? 256U : 0U));
      if (std::find(distinct.begin(), end, named) != end) continue;
      distinct[distinct_count++] = named;
      // One read fills the latches of all slots that name the register.
      for (unsigned j = i + 1; j < op.read_count && !op.own_latches; ++j)
        if (op.reads[j].reg == read.reg && op.reads[j].factor == read.factor)
          from = std::max(from, latch(op.reads[j].slot, read.bank));
    }
    ++needed[read.bank];
    if (((written >> place_of(warp, read.reg)) & 1) != 0) {
      const Newest result = newest(warp << 8 | read.reg);
      if (read.slot < spec_.reuse_slots && result.from > last_stage) entry(read.slot, read.bank) = empty;
      if (result.from >= last_stage && from <= last_stage) {
        const bool own = result.path == op.path || op.path == ResultPath::half_matrix;
        // The matrix product's stays on its way for a cycle more.
        const bool stays = result.path == ResultPath::half_matrix;
        const std::uint8_t turn = turn_of(result.from - last_stage, own);
        if (!read.factor || turn == last_turn || (turn == 1 && stays)) {
          arriving[arriving_count++] = {result.from, read.bank, turn, read.factor, turn == last_turn && (!read.factor || stays)};
          continue;
        }
        from = result.from + spec_.factor_delay;
      }
      from = std::max(from, std::min(result.from, last_stage));
    }
    const Cycle at = take_port(read.bank, from);
    // The high word that is added has a cycle more where the factors were late.
    complete = std::max(complete, read.late && complete > last_stage && at <= complete + 1 ? complete : at);
  }
  if (arriving_count != 0)
    complete = std::max(complete, take_arriving(std::span(arriving).first(arriving_count), last_stage));
  const Cycle stall = complete - last_stage;
  if (!op.own_latches) {
    for (unsigned i = 0; i < op.read_count; ++i)
      latch(op.reads[i].slot, op.reads[i].bank) = complete + op.latch_cycles + 1;
  }
  const unsigned most = *std::max_element(needed.begin(), needed.end());
  const unsigned cycles = ports_ == 1 ? most : (most + ports_ - 1) / ports_;
  outcome.extra_cycles = cycles > 1 ? cycles - 1 : 0;
  behind_[0] = behind_[1];
  behind_[1] = {tick, stall};
  stalled_ += stall;
  return stall;
}

RegisterFile::Outcome RegisterFile::issue(const StaticOp& op, unsigned warp, Cycle now) {
  Outcome outcome;
  // In the allocate stage, if nothing holds it.
  const Cycle could_enter = when(stall_clock(now) + issue_to_allocate);
  const Cycle enters = std::max(could_enter, allocate_free_);
  Cycle stall = op.read_count != 0 ? read_sources(op, warp, enters, outcome) : 0;
  if (op.writes_on_time && op.result_late == 0) {
    for (; writes_late(enters + stall); ++stall) ++stalled_;
  }
  if (op.written_count != 0)
    remember(op, warp, enters + stall + (op.own_latches ? spec_.read_window + op.result_late : op.read_window));
  if (op.result_late != 0) {
    late_writes_[0] = late_writes_[1];
    late_writes_[1] = enters + stall + op.result_late;
  }

  // What is held in the control stage keeps the next from issuing a cycle earlier than what is held behind it.
  const Cycle allocated = enters + stall;
  if (allocated > could_enter) {
    standstills_.add(could_enter - (enters > could_enter ? 1 : 0), static_cast<unsigned>(allocated - could_enter), now);
  }
  outcome.late = allocated - (now + issue_to_allocate);
  allocate_free_ = allocated + op.allocate_cycles;
  // The next instruction is in control the cycle after its issue, and control is free once this one is in
  // allocate.
  control_free_ = std::max(now + 1, enters - 1);
  return outcome;
}

}  // namespace warpgauge::model
