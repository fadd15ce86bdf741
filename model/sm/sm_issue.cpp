// What a warp waits for before it issues, and what happens when it does.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "model/sm/sm.h"

namespace warpgauge::model {
namespace {

// From a wait mask to the bytes of the counters that it names.
constexpr std::array<std::uint64_t, 64> wait_bytes = [] {
  std::array<std::uint64_t, 64> masks{};
  for (unsigned mask = 0; mask < 64; ++mask) {
    for (unsigned c = 0; c < dependence_counters; ++c) {
      if (((mask >> c) & 1) != 0) masks[mask] |= std::uint64_t{0xff} << (8 * c);
    }
  }
  return masks;
}();

// A warp that sleeps for a time of so many bits of nanoseconds is woken when a clock that all SMs have comes to the
// next multiple of the power of two above it (docs/h200.md, sleeping).
Cycle sleep_ends(Cycle now, unsigned bits, double nanosecond) {
  if (bits == 0) return now;
  const double period = std::ldexp(nanosecond, static_cast<int>(bits));
  return static_cast<Cycle>(std::ceil((std::floor(static_cast<double>(now) / period) + 1) * period));
}

}  // namespace

// A MEMBAR of the block itself waits for nothing in flight (compilers have an instruction behind it that does, where they must),
// others do (docs/h200.md, fences).
template <class Sink>
void Sm<Sink>::begin_membar(Warp& warp) {
  const IssueSpec& spec = spec_.issue;
  const double begins = membar_unit_.occupy(static_cast<double>(now_), spec.membar_interval);
  warp.membar_until = static_cast<Cycle>(begins) + (warp.membar == Membar::cta   ? spec.membar_cta
                                                    : warp.membar == Membar::gpu ? spec.membar_gpu
                                                                                 : spec.membar_sys);
}

// How much longer the instruction keeps the special function unit because a product has the registers' ports as well, or puts off
// who comes next (docs/h200.md, warpgroup products).
template <class Sink>
Cycle Sm<Sink>::beside_products(const StaticOp& op, unsigned subcore) {
  if (!blocks_[subcore].multiplies(now_)) return 0;
  if (op.unit == Unit::xu) return spec_.group_product.pipe_delay;
  if (op.writes_on_time) blocks_[subcore].put_off(Unit::xu, spec_.group_product.xu_delay, now_);
  return 0;
}

// Looks a line of constants up for a warp's operand. Where it has yet to come, the warp waits for it.
template <class Sink>
bool Sm<Sink>::constant_is_here(unsigned slot, std::uint32_t line) {
  const Cycle ready = constants_.operand(subcore_of(slot), line, now_);
  if (ready <= now_) return true;
  set_reason(warps_[slot], Stall::imc_miss, now_);
  if (ready != never) {
    wake(slot, ready);
    return false;
  }
  const std::uint64_t behind = constants_.behind(line);
  constants_.wait(slot, behind);
  memory_.fetch_constants(behind, now_);
  return false;
}

// Decides what a warp that may issue as far as its stall count goes waits for.
template <class Sink>
void Sm<Sink>::look(unsigned slot) {
  Warp& warp = warps_[slot];
  const unsigned subcore = subcore_of(slot);
  const unsigned local = local_of(slot);
  const WarpMask bit = WarpMask{1} << local;
  waiting_[subcore] &= ~bit;
  if (!warp.present || warp.exited || warp.at_barrier) return;
  if (now_ >= warp.hidden_until) {
    warp.counters += warp.hidden;
    warp.hidden = 0;
  }
  const StaticOp& op = warp.ops[warp.pc];

  if (warp.fetch_ready > now_) {
    set_reason(warp, Stall::no_instruction, now_);
    if (warp.fetch_ready == never) {
      waiting_[subcore] |= bit;
    } else {
      wake(slot, warp.fetch_ready);
    }
    return;
  }
  if (warp.opens > now_ && !op.passes_barriers) {
    set_reason(warp, Stall::barrier, now_);
    if (warp.opens == never) {
      warp.at_barrier = true;
    } else {
      wake(slot, warp.opens);
    }
    return;
  }
  const std::uint64_t held = warp.counters & wait_bytes[op.wait_mask & 0x3f];
  bool depbar = false;
  if (op.depbar_counter < dependence_counters) {
    depbar = ((warp.counters >> (8 * op.depbar_counter)) & 0xff) > op.depbar_count;
  }
  if (held != 0 || depbar) {
    const bool is_long = (held & wait_bytes[warp.long_counters & 0x3f]) != 0 ||
                         (depbar && ((warp.long_counters >> op.depbar_counter) & 1) != 0);
    set_reason(warp, is_long ? Stall::long_scoreboard : Stall::short_scoreboard, now_);
    waiting_[subcore] |= bit;
    return;
  }
  if (op.awaits_products != 0) {
    const Cycle until = products_[slot].until(op.awaits_products - 1U);
    if (until > now_) {
      set_reason(warp, Stall::barrier, now_);
      wake(slot, until);
      return;
    }
  }
  if (op.product_interval != 0) {
    const GroupProductSpec& spec = spec_.group_product;
    ProductUnit& unit = product_units_[subcore];
    const Cycle room = unit.room(spec.queue, spec.queue_delay);
    const bool behind_others = unit.waiting != 0 && unit.next() != slot;
    if (room > now_ || behind_others) {
      unit.stand(static_cast<std::uint8_t>(slot));
      set_reason(warp, Stall::mio_throttle, now_);
      wake(slot, std::max(room, now_ + 1));
      return;
    }
  }
  if (op.group_end && copies_[slot].full()) {
    set_reason(warp, Stall::long_scoreboard, now_);
    waiting_[subcore] |= bit;
    return;
  }
  if (warp.membar != Membar::none) {
    if (warp.membar != Membar::cta && (warp.in_flight != 0 || is_unacknowledged(warp))) {
      set_reason(warp, Stall::membar, now_);
      waiting_[subcore] |= bit;
      return;
    }
    if (warp.membar_until == 0) begin_membar(warp);
    if (warp.membar_until > now_) {
      set_reason(warp, Stall::membar, now_);
      wake(slot, warp.membar_until);
      return;
    }
    warp.membar = Membar::none;
  }
  if (const std::uint32_t line = std::exchange(warp.awaited_constant, StaticOp::no_constant);
      line != StaticOp::no_constant && !constant_is_here(slot, line))
    return;
  if (op.constant_line != StaticOp::no_constant && !warp.constant_seen) {
    warp.constant_seen = true;
    if (!constant_is_here(slot, op.constant_line)) return;
  }
  blocks_[subcore].add_ready(local, op, now_);
}

template <class Sink>
void Sm<Sink>::step(unsigned subcore) {
  ProcessingBlock& block = blocks_[subcore];
  for (WarpMask due = block.take_due(now_); due != 0; due &= due - 1) {
    look(slot_of(subcore, static_cast<unsigned>(std::countr_zero(due))));
  }
  const ProcessingBlock::Selection selection = block.select(now_, memory_.full(subcore), memory_.constants_full(subcore), shared_free_);
  if (block.any_new(selection.refused)) {
    constexpr std::array<Stall, ProcessingBlock::refusals> reasons{
        Stall::not_selected, Stall::math_pipe_throttle, Stall::mio_throttle, Stall::lg_throttle,
        Stall::dispatch_stall};
    for (unsigned r = 0; r < ProcessingBlock::refusals; ++r) {
      const auto refusal = static_cast<ProcessingBlock::Refusal>(r);
      for (WarpMask m = block.newly(refusal, selection.refused[r]); m != 0; m &= m - 1) {
        set_reason(warps_[slot_of(subcore, static_cast<unsigned>(std::countr_zero(m)))], reasons[r], now_);
      }
    }
    block.show(selection.refused);
  }
  Cycle retry = selection.retry;
  if (selection.warp >= 0) {
    issue(slot_of(subcore, static_cast<unsigned>(selection.warp)), subcore);
    if (block.ready() == 0) retry = never;
  }
  block.settle(now_, retry);
}

template <class Sink>
void Sm<Sink>::issue(unsigned slot, unsigned subcore) {
  Warp& warp = warps_[slot];
  ProcessingBlock& block = blocks_[subcore];
  const unsigned local = local_of(slot);
  const std::uint32_t index = warp.pc;
  const StaticOp& op = warp.ops[index];
  Kernel& kernel = *warp.kernel;
  SmCounters& counters = kernel.counters;
  block.remove_ready(local);
  block.issued(local, op.yields, now_);
  if (op.barrier) block.begin_anew(local);
  sink_.issue(now_, id_, slot, index, warp.reason);
  charge(warp, now_);

  issued_ = {};
  kernel.launch.stream->issue(warp.handle, warp.index_in_block, now_, issued_);

  ++counters.issued;
  const unsigned threads = static_cast<unsigned>(std::popcount(issued_.executed_mask));
  counters.thread_instructions += threads;
  ++counters.unit_instructions[static_cast<std::size_t>(op.unit)];
  ++counters.stalls[static_cast<std::size_t>(Stall::selected)];
  warp.since = now_ + 1;
  warp.reason = Stall::wait;
  if (kernel.launch.per_instruction) {
    InstructionCounters& c = kernel.by_instruction[index];
    ++c.issued;
    c.threads += threads;
    ++c.stalls[static_cast<std::size_t>(Stall::selected)];
  }

  if (op.matrix && issued_.executed_mask != 0) multiplied_ = {true, multiplied_.any ? multiplied_.first : now_, now_};
  if (op.product_interval != 0) product_units_[subcore].leave(static_cast<std::uint8_t>(slot));
  if (op.product_interval != 0 && issued_.executed_mask != 0) {
    ProductGroups& products = products_[slot];
    ProductUnit& unit = product_units_[subcore];
    const double begins = unit.core.occupy(static_cast<double>(now_), op.product_interval);
    block.multiplies_until(static_cast<Cycle>(unit.core.free()));
    unit.begins[unit.issued++ % ProductUnit::kept] = static_cast<Cycle>(begins);
    const std::uint64_t bit = std::uint64_t{1} << slot;
    unit.begun = op.ends_products ? unit.begun & ~bit : unit.begun | bit;
    // Its four warps read the operands together.
    if (subcore == 0) memory_.product_reads(begins, op.product_reads);
    products.open = std::max(products.open, static_cast<Cycle>(begins) + op.product_latency);
    if (op.ends_products) products.ends[products.ended++ % ProductGroups::kept] = products.open;
  }
  if (op.unit == Unit::xu) block.registers.read_later(now_, op.later);
  if (!op.variable) {
    const RegisterFile::Outcome outcome = block.registers.issue(op, slot, now_);
    counters.register_conflict_cycles += outcome.extra_cycles;
    counters.reuse_hits += outcome.reuse_hits;
    block.occupy(op, now_, outcome.late + beside_products(op, subcore), shared_free_);
    if (kernel.launch.per_instruction) {
      kernel.by_instruction[index].conflict_cycles += outcome.extra_cycles;
      kernel.by_instruction[index].reuse_hits += outcome.reuse_hits;
    }
    ++counters.retired;
  } else {
    const Cycle start = block.occupy(op, now_, beside_products(op, subcore), shared_free_);
    // What an earlier issue hid is in sight by the time anybody asks again.
    warp.counters += warp.hidden;
    warp.hidden = 0;
    warp.hidden_until = now_ + spec_.issue.counter_visible_after;
    std::uint8_t counted = 0;
    if (op.write_counter < dependence_counters) {
      warp.hidden += one(op.write_counter);
      counted = static_cast<std::uint8_t>(counted | 1U << op.write_counter);
    }
    if (op.read_counter < dependence_counters) {
      // The DEPBAR behind a flush sees its group at once (by hand, bulk_copies: store_read).
      (op.flushes_bulk ? warp.counters : warp.hidden) += one(op.read_counter);
      counted = static_cast<std::uint8_t>(counted | 1U << op.read_counter);
    }
    warp.long_counters = static_cast<std::uint8_t>(op.long_counter ? warp.long_counters | counted
                                                                   : warp.long_counters & ~counted);
    ++warp.in_flight;
    const bool skipped = op.unit == Unit::memory && issued_.executed_mask == 0 &&
                         op.queued != QueuedKind::simple && op.queued != QueuedKind::shuffle &&
                         op.queued != QueuedKind::constant;
    if (op.unit == Unit::memory && !skipped) {
      std::uint8_t group = SmEvent::no_group;
      CopyGroups& copies = copies_[slot];
      if (op.group_end) {
        // The group that ends here falls once its copies, and those before it, are done; this instruction is
        // the last of its members.
        group = static_cast<std::uint8_t>(copies.open % CopyGroups::slots);
        ++copies.members[group];
        copies.counter[group] = op.write_counter;
        ++copies.open;
      } else if (issued_.access == traces::MemoryAccess::copy) {
        group = static_cast<std::uint8_t>(copies.open % CopyGroups::slots);
        ++copies.members[group];
      }
      const std::uint64_t local_base =
          local_lines + (std::uint64_t{kernel.launch.number} << 40) +
          (static_cast<std::uint64_t>(id_) * max_warps_per_sm + slot) * kernel.launch.local_lines_per_warp;
      if ((issued_.access == traces::MemoryAccess::store ||
           issued_.access == traces::MemoryAccess::reduction) &&
          issued_.space != traces::MemorySpace::shared && op.queued == QueuedKind::data) {
        ++warp.unacknowledged;
      }
      memory_.push(subcore, op, issued_, {slot, generation_[slot], group, local_base}, now_);
    } else if (skipped) {
      memory_.skip(subcore, slot, op, now_);
    } else if (op.drains_queue) {
      memory_.drain(subcore, slot, op, start);
    } else {
      if (op.read_counter < dependence_counters) {
        schedule(start + op.release, {EventKind::release, static_cast<std::uint8_t>(slot), op.read_counter,
                                      SmEvent::no_group, 0});
      }
      std::uint32_t results = op.results;
      if (op.unit == Unit::xu && results != 0) {
        const Cycle from = start + op.latency - std::min<Cycle>(op.latency, WriteSlots::written_before);
        if (const std::uint16_t name = block.writes.expect(LoadResults::unpacked(results), from, now_); name != 0)
          results = SmEvent::waits | name;
      }
      schedule(start + op.latency, {EventKind::done, static_cast<std::uint8_t>(slot), op.write_counter,
                                    SmEvent::no_group, results});
    }
  }
  if (const unsigned stopped = block.writes.issue(op.written_banks, now_); stopped != 0)
    block.registers.stop(now_ + 1, stopped, now_);
  advance(slot, subcore, op);
}

// Where the warp goes from here, and when it may be looked at again.
template <class Sink>
void Sm<Sink>::advance(unsigned slot, unsigned subcore, const StaticOp& op) {
  Warp& warp = warps_[slot];
  const IssueSpec& spec = spec_.issue;
  warp.constant_seen = false;
  if (op.indexed_constant && issued_.executed_mask != 0 && issued_.space == traces::MemorySpace::constant) {
    const std::uint64_t byte = issued_.addresses[std::countr_zero(issued_.executed_mask)];
    warp.awaited_constant =
        static_cast<std::uint32_t>(constant_byte(op.constant_bank, byte) / spec_.constant.l0_line_bytes);
  }
  const unsigned stall = op.hold + op.late;
  Cycle ready = now_ + stall;
  const traces::Issued& issued = issued_;

  if (op.barrier || issued.released_warps != 0) ready = meet_at_barrier(slot, subcore, op, ready);
  if (issued.cluster_arrives || issued.cluster_waits) ready = meet_cluster(slot, ready);
  if (op.exit) {
    warp.places.exited(issued.executed_mask);
    paths_[slot].exited(issued.executed_mask);
  }
  if (issued.exited) {
    warp.exited = true;
    account(warp, Stall::wait, op.hold - 1U);
    warp.reason = warp.in_flight == 0 ? Stall::branch_resolving : Stall::drain;
    if (warp.in_flight == 0) retire(slot, now_ + std::max<unsigned>(spec.exit_cost, op.hold));
    return;
  }
  warp.pc = issued.next;
  account(warp, Stall::dispatch_stall, op.late);
  Cycle redirect = now_;
  warp.places.together(issued.active_mask);
  if (op.meets && issued.executed_mask != 0) warp.places.meet();
  if (op.branch || op.reconverge || issued.branched) {
    Cycle resolved = resolve_branch(slot, op);
    unsigned turn = 0;
    if (issued.branched) {
      const Cycle ahead = resolved - now_;
      turn = turns_[subcore].turn(now_, ahead - std::min<Cycle>(ahead, spec.taken_branch_cost));
      resolved += turn;
      // While the read stages stand still, the branch behind them does.
      const RegisterFile& registers = blocks_[subcore].registers;
      resolved += registers.when(registers.stall_clock(now_) + op.hold) - (now_ + op.hold);
      redirect = resolved;
    }
    if (resolved > ready) {
      // What the stall count holds, then the branch, then the code of its target.
      const unsigned waits = op.hold - 1U;
      const auto refetch = static_cast<unsigned>(
          std::min<Cycle>((issued.branched && !op.reconverge ? spec.refetch : 0) + turn, resolved - ready));
      account(warp, Stall::wait, waits);
      account(warp, Stall::no_instruction, refetch);
      ready = resolved;
      warp.reason = Stall::branch_resolving;
    }
  }
  if (issued.executed_mask != 0) {
    const Cycle held = op.names_masks  ? synchronize_masks(subcore)
                       : op.steps_back ? step_back(slot)
                                       : now_ + op.branch_hold;
    if (held > ready) {
      account(warp, Stall::wait, op.hold - 1U);
      ready = held;
      warp.reason = Stall::branch_resolving;
    }
  }
  if (op.ends_collective && issued.executed_mask != 0) {
    // One place at a time, as the targets of a BRX: the path that comes next, back from where it went.
    ready += op.extra_hold + warp.places.end(issued.active_mask) * (spec.taken_branch_cost + spec.indirect_branch_extra +
                                                                    spec.divergence_switch_cost + spec.path_return_cost);
    warp.reason = Stall::branch_resolving;
  }
  if ((op.begins_region | op.restores_barrier) != 0 && issued.executed_mask != 0)
    restored_[slot] = static_cast<std::uint16_t>((restored_[slot] & ~op.begins_region) | op.restores_barrier);
  if (op.membar != Membar::none) {
    warp.membar = op.membar;
    warp.membar_until = 0;
    // What one of the GPU or the system asks is under way meanwhile.
    if (op.membar != Membar::cta && memory_.fence(slot, generation_[slot], now_)) ++warp.unacknowledged;
    begin_membar(warp);
  }
  if (op.fence_hold != 0 && now_ + op.fence_hold > ready) {
    ready = now_ + op.fence_hold;
    warp.reason = Stall::membar;
  }
  if (op.sleeps && issued.executed_mask != 0) {
    const Cycle tick = sleep_ends(now_, issued.measure, spec.nanosecond);
    ready = std::max({ready, now_ + spec.nanosleep_min, tick + spec.nanosleep_wake});
    warp.reason = Stall::sleeping;
  }
  fetch(slot, subcore, issued.branched, redirect);
  if (issued.call.function != traces::DriverCall::Function::none && begin_call(slot)) return;
  if (issued.blocked && warp.opens != never) {
    warp.at_barrier = true;
    warp.reason = Stall::barrier;
    return;
  }
  if (ready == now_ + stall && stall < ProcessingBlock::horizon) {
    blocks_[subcore].wake_after_stall(local_of(slot), now_, stall);
  } else {
    wake(slot, ready);
  }
}

template <class Sink>
Cycle Sm<Sink>::meet_cluster(unsigned slot, Cycle ready) {
  Warp& warp = warps_[slot];
  ClusterState* const cluster = resident_[warp.block].cluster;
  if (cluster == nullptr) return ready;
  if (issued_.cluster_arrives) cluster->last_arrival = std::max(cluster->last_arrival, arrive_at_barrier());
  if (issued_.cluster_opens) {
    const ClusterSpec& spec = spec_.cluster;
    cluster->opens = cluster->last_arrival + (cluster->size > 1 ? spec.barrier_latency : spec.barrier_alone);
    cluster->last_arrival = 0;
    for (unsigned rank = 0; rank < cluster->size; ++rank)
      cluster->members[rank].sm->open_cluster(cluster->members[rank].block, cluster->opens);
  }
  if (issued_.cluster_waits) {
    if (issued_.blocked) {
      at_cluster_ |= std::uint64_t{1} << slot;
    } else {
      ready = std::max(ready, cluster->opens);
    }
    warp.reason = Stall::barrier;
  }
  return ready;
}

// When a control instruction that issues now lets its warp go on.
template <class Sink>
Cycle Sm<Sink>::resolve_branch(unsigned slot, const StaticOp& op) {
  Warp& warp = warps_[slot];
  const IssueSpec& spec = spec_.issue;
  const traces::Issued& issued = issued_;
  SmCounters& counters = warp.kernel->counters;
  ++counters.branches;
  Cycle from = now_;
  Paths& paths = paths_[slot];
  if (op.branch && issued.diverged) {
    ++counters.divergent_branches;
    paths.together(issued.active_mask);
    if (paths.part(spec.held_paths)) from += spec.path_return_cost;
  }
  if ((op.reconverge || op.exit) && issued.branched) paths.leave();
  const bool comes_back = issued.branched && !op.branch && !op.steps_back && paths.any_back() &&
                          paths.comes_back(next_lanes(warp));
  unsigned cost = spec.branch_cost;
  if (op.reconverge) {
    from = std::max<Cycle>(now_, reconverge_free_);
    reconverge_free_ = from + spec.reconverge_interval;
    cost = issued.branched ? spec.divergence_switch_cost + (comes_back ? spec.path_return_cost : 0)
                           : spec.reconverge_cost;
    if (!issued.branched && warp.places.apart()) cost += spec.path_return_cost;
    // Lanes that meet at a barrier which a BMOV has brought back execute its BSYNC again.
    if ((restored_[slot] & op.meets_at) != 0 && warp.ops + issued.next == &op) {
      restored_[slot] &= static_cast<std::uint16_t>(~op.meets_at);
      cost += spec.restored_reconverge_extra;
    }
  } else if (op.breaks && issued.executed_mask != 0) {
    cost = spec.break_cost;
  } else if (comes_back) {
    cost = spec.divergence_switch_cost + spec.path_return_cost;
  } else if (op.exit && issued.branched) {
    cost = spec.divergence_switch_cost;
  } else if (op.indirect && issued.executed_mask != 0) {
    // One target at a time: lanes that go elsewhere ask again when their turn comes.
    cost = spec.taken_branch_cost + spec.indirect_branch_extra;
    from = std::max(from, indirect_turn());
  } else if (issued.branched) {
    cost = spec.taken_branch_cost;
    // Those who wait to meet others make way for another path.
    if (op.meets && (issued.next == 0 || !warp.ops[issued.next - 1].meets)) cost += spec.indirect_branch_extra;
  } else if (issued.diverged) {
    cost = op.hold + spec.divergent_branch_extra;
  }
  return from + cost;
}

template <class Sink>
std::uint32_t Sm<Sink>::next_lanes(const Warp& warp) const {
  return warp.kernel->launch.stream->next(warp.handle, warp.index_in_block).active_mask;
}

// When a YIELD lets its warp go on. A path that is at hand begins as behind a BSYNC; otherwise one comes back
// from where it went, be it the one that has just gone there, by the unit that takes branches through
// registers (by hand, paths_that_yield).
template <class Sink>
Cycle Sm<Sink>::step_back(unsigned slot) {
  const IssueSpec& spec = spec_.issue;
  Paths& paths = paths_[slot];
  paths.together(issued_.active_mask);
  const std::uint32_t next = next_lanes(warps_[slot]);
  const bool makes_way = next != 0 && (next & issued_.active_mask) == 0;
  if (makes_way && paths.stand_back(issued_.active_mask, next)) return now_ + spec.divergence_switch_cost;
  return indirect_turn() + spec.yield_instruction_cost;
}

template <class Sink>
Cycle Sm<Sink>::indirect_turn() {
  const unsigned interval = spec_.issue.indirect_branch_interval;
  return interval != 0 ? memory_.take_constant_turn(now_, interval) : now_;
}

// A WARPSYNC whose lanes name masks in registers: one mask after the other, by a unit of the processing block that gets to
// another warp before this one goes on (docs/h200.md, collectives).
template <class Sink>
Cycle Sm<Sink>::synchronize_masks(unsigned subcore) {
  const IssueSpec& spec = spec_.issue;
  const unsigned further = std::max<unsigned>(issued_.measure, 1) - 1;
  const double turn = mask_units_[subcore].occupy(
      static_cast<double>(now_), spec.warp_sync_mask_interval + further * spec.warp_sync_mask_interval_extra);
  return static_cast<Cycle>(turn) + spec.warp_sync_mask_cost + static_cast<Cycle>(further) * spec.warp_sync_mask_extra;
}

// One warp after the other: those that arrive together wait for each other's turn at the unit, those that are
// late do not (probe issue.release).
template <class Sink>
Cycle Sm<Sink>::arrive_at_barrier() {
  return static_cast<Cycle>(barrier_unit_.occupy(static_cast<double>(now_), spec_.issue.barrier_per_warp));
}

// On Hopper an arrival comes to its unit by the queue of the loads of constants (docs/h200.md, barriers).
template <class Sink>
bool Sm<Sink>::arrives_now(unsigned slot, unsigned subcore) {
  const unsigned before = spec_.constant.unit_takes_barriers ? memory_.constants_waiting(subcore) : 0;
  if (before == 0) return true;
  arrivals_[subcore].push_back({static_cast<std::uint8_t>(slot), static_cast<std::uint8_t>(before), generation_[slot]});
  warps_[slot].arriving = true;
  return false;
}

template <class Sink>
void Sm<Sink>::let_arrive(unsigned subcore) {
  std::vector<Arrival>& arrivals = arrivals_[subcore];
  for (Arrival& arrival : arrivals) --arrival.behind;
  while (!arrivals.empty() && arrivals.front().behind == 0) {
    const Arrival arrival = arrivals.front();
    arrivals.erase(arrivals.begin());
    const Cycle turn = arrive_at_barrier();
    Warp& warp = warps_[arrival.slot];
    if (generation_[arrival.slot] != arrival.generation) continue;  // BAR.ARV and EXIT
    warp.arriving = false;
    const std::uint32_t bit = std::uint32_t{1} << warp.index_in_block;
    for (Opening& opening : openings_) {
      if (opening.block != warp.block || (opening.arriving & bit) == 0) continue;
      opening.arriving &= ~bit;
      if (opening.arriving == 0) open_barrier(opening.block, opening.released, turn + opening.extra);
    }
    std::erase_if(openings_, [](const Opening& opening) { return opening.arriving == 0; });
  }
}

template <class Sink>
void Sm<Sink>::open_barrier(unsigned block, std::uint32_t warps, Cycle at) {
  for (std::uint32_t m = warps; m != 0; m &= m - 1) leave_barrier(resident_[block].slots[static_cast<unsigned>(std::countr_zero(m))], at);
}

// A BAR, or what lets others leave one, issues now. When its warp may go on, if not only once the barrier opens.
template <class Sink>
Cycle Sm<Sink>::meet_at_barrier(unsigned slot, unsigned subcore, const StaticOp& op, Cycle ready) {
  Warp& warp = warps_[slot];
  const std::uint32_t released = issued_.released_warps;
  const std::uint32_t self = op.barrier ? std::uint32_t{1} << warp.index_in_block : 0;
  const Cycle turn = !op.barrier || arrives_now(slot, subcore) ? arrive_at_barrier() : never;
  if (op.barrier) ready = std::max(ready, now_ + spec_.issue.barrier_min_distance);
  if (op.defers && (released != 0 || issued_.goes_ahead)) warp.opens = never;
  if (released == 0) return ready;
  Opening opening{warp.block, 0, issued_.exited ? released & ~self : released | self, spec_.issue.barrier_latency + op.extra_hold};
  for (std::uint32_t m = released | self; m != 0; m &= m - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(m));
    if (warps_[resident_[warp.block].slots[w]].arriving) opening.arriving |= std::uint32_t{1} << w;
  }
  if (opening.arriving != 0) {
    issued_.blocked = op.barrier && !op.defers && !issued_.exited;
    openings_.push_back(opening);
    return ready;
  }
  const Cycle open = turn + opening.extra;
  open_barrier(warp.block, released & ~self, open);
  if (op.defers) {
    warp.opens = open;
  } else if (!issued_.exited) {
    ready = std::max(ready, open);
    warp.reason = Stall::barrier;
  }
  return ready;
}

template <class Sink>
void Sm<Sink>::leave_barrier(unsigned slot, Cycle at) {
  Warp& warp = warps_[slot];
  if (warp.opens == never) warp.opens = at;
  if (!warp.at_barrier) return;
  warp.at_barrier = false;
  const std::uint32_t next = warp.kernel->launch.stream->next(warp.handle, warp.index_in_block).index;
  if (next != warp.pc) {
    warp.pc = next;
    fetch(slot, subcore_of(slot), true, now_);
  }
  wake(slot, std::max(at, now_ + 1));
}

// Of these members; sm.cpp has the others.
template class Sm<NullSink>;
template class Sm<TimelineSink>;

}  // namespace warpgauge::model
