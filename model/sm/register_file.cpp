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

Cycle RegisterFile::stalled_behind(Cycle tick, Cycle distance) const {
  for (const Entry& e : behind_)
    if (e.tick + distance == tick) return e.stall;
  return 0;
}

RegisterFile::Outcome RegisterFile::issue(const StaticOp& op, unsigned warp, Cycle now) {
  Outcome outcome;
  // In the allocate stage, if nothing holds it.
  const Cycle could_enter = when(stall_clock(now) + issue_to_allocate);
  const Cycle enters = std::max(could_enter, allocate_free_);
  Cycle stall = 0;
  if (op.read_count != 0) {
    if (!spec_.reuse_survives_warp_switch && warp != last_warp_) entries_.fill(empty);
    last_warp_ = warp;
    // `enters` has been put off by all who stalled before; those right ahead did so when this one was among the stages.
    const Cycle tick = enters - stalled_;
    const Cycle begin = enters + 1 - stalled_behind(tick, 1) - stalled_behind(tick, 2);
    const Cycle last_stage = enters + op.read_window;
    const Cycle elapsed = begin - std::min(begin, base_);
    if (elapsed != 0) {
      for (unsigned bank = 0; bank < spec_.banks; ++bank) {
        for (unsigned p = 0; p < ports_; ++p) taken_[bank][p] = elapsed < 64 ? taken_[bank][p] >> elapsed : 0;
      }
    }
    base_ = std::max(base_, begin);

    // Lookups of one instruction see the cache as the one before left it.
    std::array<bool, StaticOp::max_reads> hit;
    for (unsigned i = 0; i < op.read_count; ++i) {
      const SourceRead& read = op.reads[i];
      hit[i] = read.slot < spec_.reuse_slots && entry(read.slot, read.bank) == (warp << 8 | read.reg);
    }
    const std::uint64_t written = recently_written();
    std::array<std::uint8_t, max_banks> needed{};
    std::array<std::uint8_t, StaticOp::max_reads> distinct;
    unsigned distinct_count = 0;
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
      Cycle from = std::max(begin, latch(read.slot, read.bank));
      if (op.repeats) {
        const auto end = distinct.begin() + distinct_count;
        if (std::find(distinct.begin(), end, read.reg) != end) continue;
        distinct[distinct_count++] = read.reg;
        // One read fills the latches of all slots that name the register.
        for (unsigned j = i + 1; j < op.read_count; ++j)
          if (op.reads[j].reg == read.reg) from = std::max(from, latch(op.reads[j].slot, read.bank));
      }
      ++needed[read.bank];
      if (((written >> place_of(warp, read.reg)) & 1) != 0) {
        for (const Write& w : writes_)
          if ((warp << 8 | read.reg) - w.first < w.count) {
            from = std::max(from, std::min(w.from, last_stage));
            if (read.slot < spec_.reuse_slots && w.from > last_stage) entry(read.slot, read.bank) = empty;
          }
      }
      complete = std::max(complete, take_port(read.bank, from));
    }
    stall = complete - last_stage;
    for (unsigned i = 0; i < op.read_count; ++i) latch(op.reads[i].slot, op.reads[i].bank) = complete + 1;
    const unsigned most = *std::max_element(needed.begin(), needed.end());
    const unsigned cycles = ports_ == 1 ? most : (most + ports_ - 1) / ports_;
    outcome.extra_cycles = cycles > 1 ? cycles - 1 : 0;
    if (op.written_count != 0) {
      writes_[next_write_] = {warp << 8 | op.written, op.written_count, complete + spec_.write_delay};
      written_[next_write_] = places_of(warp, op.written, op.written_count);
      next_write_ = (next_write_ + 1) % writes_kept;
    }
    behind_[0] = behind_[1];
    behind_[1] = {tick, stall};
    stalled_ += stall;
  }

  // What is held in the control stage keeps the next from issuing a cycle earlier than what is held behind it.
  const Cycle allocated = enters + stall;
  if (allocated > could_enter) {
    standstills_.add(could_enter - (enters > could_enter ? 1 : 0), static_cast<unsigned>(allocated - could_enter), now);
  }
  const auto held = static_cast<unsigned>(enters - (now + issue_to_allocate));
  outcome.late = allocated - (now + issue_to_allocate) - std::min(held, reads_);
  reads_ = 0;
  allocate_free_ = allocated + op.allocate_cycles;
  // The next instruction is in control the cycle after its issue, and control is free once this one is in
  // allocate.
  control_free_ = std::max(now + 1, enters - 1);
  return outcome;
}

}  // namespace warpgauge::model
