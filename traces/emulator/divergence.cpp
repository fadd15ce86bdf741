#include "traces/emulator/divergence.h"

#include <array>
#include <bit>

#include "traces/emulator/access.h"
#include "traces/emulator/cluster.h"

namespace warpgauge::emulator {
namespace {

void add_group(Warp& warp, std::uint32_t pc, std::uint32_t mask, bool alone = false) {
  if (warp.aside.mask != 0) warp.apart->groups[warp.group_count++] = warp.aside;
  warp.aside = {pc, mask, alone};
}

// Below the others: they run before it.
void add_last(Warp& warp, std::uint32_t pc, std::uint32_t mask) {
  for (std::uint32_t g = warp.group_count; g > 0; --g) warp.apart->groups[g] = warp.apart->groups[g - 1];
  warp.apart->groups[0] = {pc, mask};
  ++warp.group_count;
}

bool others_can_run(const Warp& warp) {
  return warp.aside.mask != 0 || warp.group_count != 0;
}

void start(Warp& warp, Group group) {
  warp.pc = group.pc;
  warp.active = group.mask;
  warp.group_age = static_cast<std::uint32_t>(warp.executed);
  warp.gathered = false;
  warp.yielded &= ~group.mask;
}

// Lanes of `mask` that go on, or wait to, at `pc`.
std::uint32_t lanes_at(const Warp& warp, std::uint32_t mask, std::uint32_t pc) {
  std::uint32_t here = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    if (warp.apart->resume[std::countr_zero(rest)] == pc) here |= rest & (0U - rest);
  return here;
}

// Lanes that wait execute what they wait at once more.
void step_back(Warp& warp, std::uint32_t mask) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) --warp.apart->resume[std::countr_zero(rest)];
}

// Calls `add` with each place that lanes of `mask` have in `targets`, that of the lowest first, and who has it.
template <class Add>
void each_place(std::uint32_t mask, const std::uint32_t* targets, Add add) {
  while (mask != 0) {
    const auto lowest = static_cast<unsigned>(std::countr_zero(mask));
    const std::uint32_t same = lanes_like(lowest, mask, targets);
    mask &= ~same;
    add(targets[lowest], same);
  }
}

// Sorts lanes by where they go on: at most one group an address, that of the lowest lane runs first.
void add_lanes(Warp& warp, std::uint32_t mask, const std::uint32_t* targets, bool alone = false) {
  std::array<Group, lanes> found;
  std::size_t count = 0;
  each_place(mask, targets, [&](std::uint32_t pc, std::uint32_t same) { found[count++] = {pc, same, alone}; });
  while (count != 0) {
    const Group& last = found[--count];
    add_group(warp, last.pc, last.mask, last.alone);
  }
}

// Instructions of the collective that a lane waits to begin; 0 at a plain WARPSYNC.
std::uint32_t collective_length(const Warp& warp, int lane) {
  return (warp.collective >> lane & 1U) != 0 ? warp.apart->collective_target[lane] - warp.apart->resume[lane]
                                             : 0;
}

// Waiting lanes that named the same members meet once all of those that are left wait; others wait on. So do
// lanes at a collective that is not the same as another's: a shuffle is not a barrier of the block.
void meet(Warp& warp, std::uint32_t& waiting, const std::uint32_t* members_of) {
  std::uint32_t unchecked = waiting;
  while (unchecked != 0) {
    const std::uint32_t members = members_of[std::countr_zero(unchecked)];
    const std::uint32_t length = collective_length(warp, std::countr_zero(unchecked));
    std::uint32_t same = 0;
    for (std::uint32_t rest = unchecked; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint32_t other = collective_length(warp, lane);
      const bool fits = length == 0 || other == 0 || other == length;
      if (members_of[lane] == members && fits) same |= 1U << lane;
    }
    unchecked &= ~same;
    if ((members & warp.alive & ~same) != 0) continue;
    waiting &= ~same;
    const std::uint32_t collective = same & warp.alive & warp.collective;
    if (collective != 0) add_group(warp, warp.apart->resume[std::countr_zero(collective)], collective, true);
    add_lanes(warp, same & warp.alive & ~collective, warp.apart->resume, true);
  }
}

// Nobody takes part in the convergence any more.
void open_convergence(Warp& warp, unsigned barrier) {
  warp.convergence[barrier] = 0;
  warp.restored &= ~(1U << barrier);
}

// Those who take part in a convergence go on once all of them that are left wait. They execute the BSYNC
// again if others have left it meanwhile (`again`), and if a BMOV brought the mask back: then the place to go
// on is not known any more.
void test_convergence(Warp& warp, unsigned barrier, bool again) {
  const std::uint32_t members = warp.convergence[barrier] & warp.alive;
  if (members == 0 || (members & ~warp.converging[barrier]) != 0) return;
  warp.converging[barrier] &= ~members;
  if (again || (warp.restored >> barrier & 1U) != 0) step_back(warp, members);
  open_convergence(warp, barrier);
  release(warp, members);
}

// Where lanes of different calls have met, all of them can come to wait for masks that others have changed:
// then those go on who wait where the last have come to. So do lanes at a BSYNC for which the others wait at a
// WARPSYNC, as when each lane names itself and those below: on an H200 they run to their end one after the
// other.
void let_through(Warp& warp) {
  std::uint32_t waiting = 0;
  for (const std::uint32_t mask : warp.converging) waiting |= mask;
  if (waiting == 0 || (waiting | warp.synchronizing) != warp.alive) return;
  const std::uint32_t last = warp.last_to_wait & waiting;
  const std::uint32_t where = warp.apart->resume[31 - std::countl_zero(last != 0 ? last : waiting)];
  const std::uint32_t through = lanes_at(warp, waiting, where);
  for (std::uint32_t& mask : warp.converging) mask &= ~through;
  start(warp, {where, through});
}

void test_synchronization(Warp& warp) {
  if (warp.synchronizing != 0) meet(warp, warp.synchronizing, warp.apart->synchronize_mask);
}

// All of `mask` name the same members, and all of those that are left are in `mask`.
bool together(const Warp& warp, std::uint32_t mask, const std::uint32_t* members_of) {
  const std::uint32_t members = members_of[std::countr_zero(mask)];
  if ((members & warp.alive & ~mask) != 0) return false;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    if (members_of[std::countr_zero(rest)] != members) return false;
  return true;
}

void release_barrier(Block& block, unsigned id) {
  BlockBarrier& barrier = block.barriers[id];
  make_progress(block);
  const std::uint32_t waiting = barrier.waiting_mask;
  const BlockBarrier result = barrier;
  barrier = BlockBarrier{};
  for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(rest));
    Warp& warp = block.warps[index];
    const std::uint32_t lanes_waiting = warp.barrier_waiting[id];
    warp.barrier_waiting[id] = 0;
    warp.barriers_touched &= ~(1U << id);
    // Which of the three the program asked for is in the lane's own instruction.
    switch (static_cast<BarrierReduce>(warp.barrier_result)) {
      case BarrierReduce::popc:
        warp.barrier_result = result.count;
        warp.barrier_predicate = result.count != 0 ? all_lanes : 0;
        break;
      case BarrierReduce::and_:
        warp.barrier_result = result.all ? 1 : 0;
        warp.barrier_predicate = result.all ? all_lanes : 0;
        break;
      case BarrierReduce::or_:
        warp.barrier_result = result.any ? 1 : 0;
        warp.barrier_predicate = result.any ? all_lanes : 0;
        break;
    }
    block.released_warps |= 1U << index;
    release(warp, lanes_waiting);
  }
}

void test_barrier(Block& block, unsigned id) {
  const BlockBarrier& barrier = block.barriers[id];
  if (barrier.arrived_warps == 0) return;
  const bool complete =
      barrier.expected_warps == 0
          ? ((barrier.arrived_mask | block.exited_warps) & block.all_warps) == block.all_warps
          : barrier.arrived_warps >= barrier.expected_warps;
  if (complete) release_barrier(block, id);
}

// A warp arrives once all of its lanes that are left have.
void test_arrival(Block& block, Warp& warp, unsigned id) {
  if (warp.barrier_arrived[id] == 0 || (warp.alive & ~warp.barrier_arrived[id]) != 0) return;
  warp.barrier_arrived[id] = 0;
  if (warp.barrier_waiting[id] == 0) warp.barriers_touched &= ~(1U << id);
  block.barrier_record.arrived = static_cast<std::uint16_t>(block.barrier_record.arrived | 1U << id);
  BlockBarrier& barrier = block.barriers[id];
  ++barrier.arrived_warps;
  barrier.arrived_mask |= 1U << warp.index;
  test_barrier(block, id);
}

}  // namespace

void choose_group(Warp& warp) {
  if (warp.aside.mask != 0) {
    const Group next = warp.aside;
    warp.aside = {};
    start(warp, next);
    return;
  }
  if (warp.group_count == 0) {
    let_through(warp);
    return;
  }
  Group chosen = warp.apart->groups[--warp.group_count];
  std::uint32_t kept = 0;
  for (std::uint32_t g = 0; g < warp.group_count; ++g) {
    if (warp.apart->groups[g].pc == chosen.pc && !warp.apart->groups[g].alone && !chosen.alone)
      chosen.mask |= warp.apart->groups[g].mask;
    else
      warp.apart->groups[kept++] = warp.apart->groups[g];
  }
  warp.group_count = kept;
  for (std::uint32_t& waiting : warp.converging) {
    const std::uint32_t here = lanes_at(warp, waiting, chosen.pc + 1);
    waiting &= ~here;
    chosen.mask |= here;
  }
  start(warp, chosen);
  warp.gathered = true;
}

void take_turns(Warp& warp) {
  if (!others_can_run(warp)) return;
  if (warp.active != 0) add_last(warp, warp.pc, warp.active);
  choose_group(warp);
}

void yield_group(Warp& warp) {
  const bool others = others_can_run(warp);
  for (unsigned n = 0; n < convergence_registers; ++n) {
    const std::uint32_t waiting = warp.converging[n];
    const std::uint32_t members = warp.convergence[n] & warp.alive;
    if (waiting == 0 || (members & ~(waiting | warp.yielded | warp.active)) != 0) continue;
    // Who comes to their BSYNC next meets them there.
    if (lanes_at(warp, waiting, warp.pc + 1) != 0) continue;
    step_back(warp, waiting);
    warp.converging[n] = 0;
    open_convergence(warp, n);
    if (others)
      each_place(waiting, warp.apart->resume, [&](std::uint32_t pc, std::uint32_t mask) { add_last(warp, pc, mask); });
    else
      add_lanes(warp, waiting, warp.apart->resume);
  }
  if (!others_can_run(warp)) return;
  warp.yielded |= warp.active;
  take_turns(warp);
}

void branch(Warp& warp, std::uint32_t taken, std::uint32_t target, bool calls) {
  const std::uint32_t others = warp.active & ~taken;
  const bool backward = target < warp.pc && !calls;
  if (others == 0) {
    warp.pc = target;
  } else if (std::popcount(taken) < std::popcount(others)) {
    add_group(warp, warp.pc, others);
    warp.pc = target;
    warp.active = taken;
  } else {
    add_group(warp, target, taken);
    warp.active = others;
  }
  if (backward && others_can_run(warp) &&
      static_cast<std::uint32_t>(warp.executed) - warp.group_age >=
          (warp.polls != 0 ? polling_turn : group_turn))
    take_turns(warp);
}

void branch_indirect(Warp& warp, std::uint32_t mask, const std::uint32_t* targets, std::uint32_t again) {
  const auto lowest = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint32_t target = targets[lowest];
  const std::uint32_t same = lanes_like(lowest, mask, targets);
  const std::uint32_t passing = warp.active & ~mask;
  const std::uint32_t others = mask & ~same;
  if (passing != 0) add_group(warp, warp.pc, passing);
  if (others == 0) {
    start(warp, {target, same});
  } else if (std::popcount(same) <= std::popcount(others)) {
    add_group(warp, again, others);
    start(warp, {target, same});
  } else {
    add_group(warp, target, same);
    start(warp, {again, others});
  }
}

void suspend(Warp& warp, std::uint32_t mask, std::uint32_t resume) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    warp.apart->resume[std::countr_zero(rest)] = resume;
  warp.active &= ~mask;
}

void release(Warp& warp, std::uint32_t mask) {
  mask &= warp.alive;
  if (mask == 0) return;
  add_lanes(warp, mask, warp.apart->resume);
  if (warp.active == 0) choose_group(warp);
}

// Who waits on Bn already goes on waiting for those for whom it waits.
void begin_convergence(Warp& warp, unsigned barrier, std::uint32_t mask) {
  warp.convergence[barrier] |= mask;
  warp.restored &= ~(1U << barrier);
}

void restore_convergence(Warp& warp, unsigned barrier, std::uint32_t mask) {
  warp.convergence[barrier] = mask;
  warp.restored |= 1U << barrier;
}

void converge(Warp& warp, unsigned barrier, std::uint32_t mask) {
  const std::uint32_t members = warp.convergence[barrier] & warp.alive;
  const bool restored = (warp.restored >> barrier & 1U) != 0 && mask == warp.active;
  // The usual case: all who take part are here.
  if ((members & ~mask) == 0) {
    if (restored && !warp.gathered && members != 0) --warp.pc;
    open_convergence(warp, barrier);
    return;
  }
  // All of them are here or wait, or stand back. If a BMOV brought the mask back, those who are here execute the BSYNC once
  // more, also who does not take part; those who wait elsewhere come to theirs later.
  const std::uint32_t waited = members & warp.converging[barrier];
  const std::uint32_t missing = members & ~(mask | waited);
  if ((missing & ~warp.yielded) == 0 && (missing != 0 || restored)) {
    const std::uint32_t here = lanes_at(warp, waited, warp.pc);
    step_back(warp, waited & ~here);
    warp.converging[barrier] &= ~members;
    warp.yielded &= ~members;
    open_convergence(warp, barrier);
    if (missing == 0) --warp.pc;
    warp.active |= here;
    each_place(waited & ~here, warp.apart->resume, [&](std::uint32_t pc, std::uint32_t lanes_there) {
      warp.apart->groups[warp.group_count++] = {pc, lanes_there};
    });
    return;
  }
  // Who does not take part goes on.
  const std::uint32_t outside = mask & ~members;
  const std::uint32_t waiting = mask & members;
  if (waiting == 0) return;
  if (outside != 0) add_group(warp, warp.pc, outside);
  suspend(warp, waiting, warp.pc);
  warp.last_to_wait = waiting;
  warp.active &= ~outside;
  warp.converging[barrier] |= waiting;
  test_convergence(warp, barrier, false);
  if (warp.active == 0) choose_group(warp);
}

void leave_convergence(Warp& warp, unsigned barrier, std::uint32_t mask) {
  warp.convergence[barrier] &= ~mask;
  test_convergence(warp, barrier, true);
}

bool among_themselves(const Warp& warp, std::uint32_t mask, const std::uint32_t* members) {
  std::uint32_t named = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) named |= members[std::countr_zero(rest)];
  return (named & warp.alive & ~mask) == 0;
}

bool one_mask_goes_on(Warp& warp, std::uint32_t mask, const std::uint32_t* members, std::uint32_t again) {
  const auto last = static_cast<unsigned>(31 - std::countl_zero(mask));
  const std::uint32_t same = lanes_like(last, mask, members);
  if (same == mask || mask != warp.active || (members[last] & warp.alive & ~same) != 0 ||
      !among_themselves(warp, mask, members))
    return false;
  add_group(warp, again, mask & ~same, true);
  start(warp, {warp.pc, same});
  return true;
}

void synchronize(Warp& warp, std::uint32_t mask, const std::uint32_t* members) {
  if (together(warp, mask, members)) return;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    warp.apart->synchronize_mask[lane] = members[lane];
  }
  suspend(warp, mask, warp.pc);
  warp.synchronizing |= mask;
  test_synchronization(warp);
  if (warp.active == 0) choose_group(warp);
}

void synchronize_collective(Warp& warp, std::uint32_t mask, const std::uint32_t* members,
                            std::uint32_t target) {
  warp.collective |= mask;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    warp.apart->collective_target[std::countr_zero(rest)] = target;
  synchronize(warp, mask, members);
}

void end_collective(Warp& warp, std::uint32_t mask) {
  mask &= warp.collective;
  warp.collective &= ~mask;
  std::uint32_t elsewhere = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (warp.apart->collective_target[lane] != warp.pc) elsewhere |= 1U << lane;
  }
  if (elsewhere == 0) return;
  warp.active &= ~elsewhere;
  add_lanes(warp, elsewhere, warp.apart->collective_target, true);
  if (warp.active == 0) choose_group(warp);
}

void exit_lanes(Block& block, Warp& warp, std::uint32_t mask) {
  make_progress(block);
  warp.alive &= ~mask;
  warp.active &= ~mask;
  if (warp.alive == 0) {
    block.exited_warps |= 1U << warp.index;
    warp.active = 0;
    warp.aside = {};
    warp.group_count = 0;
    for (unsigned id = 0; id < named_barriers; ++id) test_barrier(block, id);
    if (block.cluster != nullptr) leave_cluster(block, warp);
    return;
  }
  for (unsigned n = 0; n < convergence_registers; ++n) test_convergence(warp, n, false);
  test_synchronization(warp);
  if (block.cluster != nullptr) count_at_cluster(block, warp);
  for (std::uint32_t rest = warp.barriers_touched; rest != 0; rest &= rest - 1)
    test_arrival(block, warp, static_cast<unsigned>(std::countr_zero(rest)));
  if (warp.active == 0) choose_group(warp);
}

void arrive(Block& block, Warp& warp, std::uint32_t mask, const Arrival& arrival) {
  const unsigned id = arrival.barrier;
  BlockBarrier& barrier = block.barriers[id];
  if (arrival.threads != 0) barrier.expected_warps = (arrival.threads + lanes - 1) / lanes;
  block.barrier_record.barrier = static_cast<std::uint8_t>(id);
  block.barrier_record.warps = static_cast<std::uint8_t>((arrival.threads + lanes - 1) / lanes);
  block.barrier_record.waits = arrival.waits;
  if (arrival.reduces) {
    const std::uint32_t set = arrival.predicate & mask;
    barrier.count += static_cast<std::uint32_t>(std::popcount(set));
    barrier.all = barrier.all && set == mask;
    barrier.any = barrier.any || set != 0;
    warp.barrier_result = static_cast<std::uint32_t>(arrival.reduce);
  }
  warp.barriers_touched |= 1U << id;
  warp.barrier_arrived[id] |= mask;
  if (arrival.waits) {
    suspend(warp, mask, warp.pc);
    warp.barrier_waiting[id] |= mask;
    barrier.waiting_mask |= 1U << warp.index;
  }
  test_arrival(block, warp, id);
  if (warp.active == 0) choose_group(warp);
}

}  // namespace warpgauge::emulator
