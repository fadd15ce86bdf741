// Control flow, convergence and block barriers. Targets are indices in the program.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "traces/emulator/access.h"
#include "traces/emulator/cluster.h"
#include "traces/emulator/divergence.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/program.h"
#include "traces/emulator/system_call.h"

namespace warpgauge::emulator::scalar {
namespace {

std::uint32_t program_index(const Block& block, std::uint64_t offset, unsigned lane) {
  if (offset % sass::instruction_bytes != 0 || offset / sass::instruction_bytes >= block.context->code.size())
    throw LaneFault{FaultKind::invalid_program_counter,
                    fmt::format("a jump to {:#x}, outside the code of {:#x} bytes", offset,
                                block.context->code.size() * sass::instruction_bytes),
                    lane};
  return static_cast<std::uint32_t>(offset / sass::instruction_bytes);
}

// After so many backward branches a warp lets the others of its block run: it may wait for one of them.
constexpr std::uint32_t loops_in_a_turn = 1024;

}  // namespace

void no_operation(Block&, Warp&, const MicroOp&, std::uint32_t) {}

// extra: target; p, q: further conditions; mode: 1 = all lanes go where one goes; mode2: 1 = a call.
void branch_relative(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  std::uint32_t taken = mask & value(warp, op.p) & value(warp, op.q);
  if (taken == 0) return;
  if (op.mode != 0) taken = warp.active;
  if (op.mode2 == 0 && op.extra <= op.index && ++warp.loops >= loops_in_a_turn) {
    if (op.extra == op.index)
      throw LaneFault{FaultKind::barrier_deadlock, "a branch to itself, which nothing ends",
                      static_cast<unsigned>(std::countr_zero(taken))};
    warp.wants_switch = true;
  }
  branch(warp, taken, op.extra, op.mode2 != 0);
}

// BRA.DIV: taken, by the whole warp, unless the guard (`q`) holds for all lanes of the mask in `a`, and they run together. Compilers
// guard it by whether a lane's mask is the first lane's (R2UR) or all whom it names name the same (MATCH), and give it the union of all
// masks: on an H200 groups of lanes with masks of their own go the other way. Others may run with them: a shuffle of the lower half of
// a warp that all lanes execute is one of all of them. Lanes that have left are not missed.
void branch_divergent(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t together = mask & value(warp, op.p) & value(warp, op.q);
  if ((source(warp, op.a)[0] & warp.alive & ~together) != 0) branch(warp, warp.active, op.extra);
}

// BRA.CONV: taken when all lanes that are left run together.
void branch_converged(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (warp.active != warp.alive) return;
  const std::uint32_t taken = mask & value(warp, op.p);
  if (taken != 0) branch(warp, taken, op.extra);
}

// BRX, JMX, RET, CALL through registers. Base a (wide_a above it) is a code address: relative to the program
// when mode is 1, else a device address; immediate is added.
void branch_indexed(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t taken = mask & value(warp, op.p);
  const std::uint32_t* const low = source(warp, op.a);
  const std::uint32_t* const high = source(warp, op.wide_a);
  std::uint32_t targets[lanes] = {};
  each_lane(taken, [&](unsigned i) {
    std::uint64_t address =
        ((std::uint64_t{high[i]} << 32) | low[i]) + static_cast<std::uint64_t>(op.immediate);
    if (op.mode == 0 && address >= block.context->shape.code_address)
      address -= block.context->shape.code_address;
    targets[i] = program_index(block, address, i);
  });
  if (taken != 0) branch_indirect(warp, taken, targets, op.index);
}

// CALL.ABS: to code, or to a system call, which returns to where the caller says: R20:R21.
void call_absolute(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t taken = mask & value(warp, op.p);
  if (taken == 0) return;
  const std::uint32_t* const low = source(warp, op.a);
  const std::uint32_t* const high = source(warp, op.wide_a);
  const auto lane = static_cast<unsigned>(std::countr_zero(taken));
  const std::uint64_t address =
      ((std::uint64_t{high[lane]} << 32) | low[lane]) + static_cast<std::uint64_t>(op.immediate);
  const auto external = block.context->externals.find(address);
  if (external == block.context->externals.end()) {
    branch_indexed(block, warp, op, mask);
    return;
  }
  if (block.context->system_calls == nullptr)
    throw LaneFault{FaultKind::unsupported_instruction,
                    fmt::format("a call of {}, which nothing here serves", external->second), lane};
  block.call = block.context->system_calls->call(block, warp, external->second, taken);
  const std::uint32_t* const return_low = source(warp, Row::general(20));
  const std::uint32_t* const return_high = source(warp, Row::general(21));
  each_lane(taken, [&](unsigned i) {
    const std::uint64_t back = (std::uint64_t{return_high[i]} << 32) | return_low[i];
    warp.apart->resume[i] = program_index(block, back - block.context->shape.code_address, i);
  });
  warp.active &= ~taken;
  release(warp, taken);
}

// BSSY: mode barrier.
void set_convergence(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t taking_part = mask & value(warp, op.p);
  if (taking_part != 0) begin_convergence(warp, op.mode, taking_part);
}

void synchronize_convergence(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t waiting = mask & value(warp, op.p);
  if (waiting != 0) converge(warp, op.mode, waiting);
}

void break_convergence(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t leaving = mask & value(warp, op.p);
  if (leaving != 0) leave_convergence(warp, op.mode, leaving);
}

// BMOV Rd, state. mode: number of the state; mode2: 1 clears it.
void save_convergence(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  std::uint32_t* const destination = row(warp, op.destination);
  if (op.mode < convergence_registers) {
    const std::uint32_t members = warp.convergence[op.mode];
    each_lane(mask, [&](unsigned i) { destination[i] = members; });
    if (op.mode2 != 0) warp.convergence[op.mode] = 0;
    return;
  }
  const std::uint32_t state = op.mode == state_active ? warp.active : warp.initial & ~warp.alive;
  each_lane(mask, [&](unsigned i) { destination[i] = state; });
}

// BMOV state, Rb.
void load_convergence(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (op.mode >= convergence_registers) return;
  restore_convergence(warp, op.mode, source(warp, op.b)[std::countr_zero(mask)]);
}

// How many different ones the lanes of `mask` have.
std::uint8_t distinct(std::uint32_t mask, const std::uint32_t* values) {
  std::uint8_t count = 0;
  for (; mask != 0; ++count) mask &= ~lanes_like(static_cast<unsigned>(std::countr_zero(mask)), mask, values);
  return count;
}

// WARPSYNC: a has the members' mask; mode 1: all of the warp; mode2 1: .COLLECTIVE, whose target is extra.
// Where mode3 is 1, lanes that name different ones stay together; where it is 2, those of one mask go on and the others come
// to it again.
void synchronize_warp(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t waiting = mask & value(warp, op.p);
  if (waiting == 0) return;
  std::uint32_t members[lanes];
  const std::uint32_t* const given = source(warp, op.a);
  for (unsigned i = 0; i < lanes; ++i) members[i] = op.mode != 0 ? all_lanes : given[i];
  each_lane(waiting, [&](unsigned i) {
    // An H200 ends a kernel with an illegal instruction there.
    if ((members[i] >> i & 1U) == 0)
      throw LaneFault{
          FaultKind::illegal_instruction,
          fmt::format("a barrier for the lanes {:#010x} of a warp, reached by lane {}", members[i], i), i};
  });
  if (op.mode == 0) block.measure = distinct(waiting, members);
  if (op.mode2 != 0)
    synchronize_collective(warp, waiting, members, op.extra);
  else if (op.mode3 == 2 && one_mask_goes_on(warp, waiting, members, op.index))
    return;
  else if (op.mode3 != 1 || !among_themselves(warp, waiting, members))
    synchronize(warp, waiting, members);
}

void end_of_collective(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t leaving = mask & value(warp, op.p);
  if (leaving != 0) end_collective(warp, leaving);
}

void yield_warp(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if ((mask & value(warp, op.p)) == 0) return;
  poll(block, warp);
  yield_group(warp);
}

// NANOSLEEP. a: nanoseconds, unless mode is 1.
void sleep_warp(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (op.mode == 0) {
    std::uint32_t longest = 0;
    each_lane(mask, [&](unsigned i) { longest = std::max(longest, source(warp, op.a)[i]); });
    block.measure = static_cast<std::uint8_t>(std::bit_width(longest));
  }
  give_way(block, warp);
  take_turns(warp);
}

void exit_warp(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t leaving = mask & value(warp, op.p);
  if (leaving != 0) exit_lanes(block, warp, leaving);
}

void kill_lanes(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  exit_warp(block, warp, op, mask);
}

// BAR. mode: BarrierMode; mode2: BarrierReduce; a: barrier's number, b: threads; p: the predicate of BAR.RED.
void barrier(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto lane = static_cast<unsigned>(std::countr_zero(mask));
  const auto mode = static_cast<sass::BarrierMode>(op.mode);
  Arrival arrival;
  // With both in one register (mode3 1) the number of threads lies above the barrier's.
  const std::uint32_t number = source(warp, op.a)[lane];
  arrival.barrier = number & 0xfU;
  arrival.threads = op.mode3 != 0 ? number >> 4 & 0xfffU : source(warp, op.b)[lane];
  arrival.waits = mode != sass::BarrierMode::arrive;
  arrival.reduces = mode == sass::BarrierMode::reduce;
  arrival.predicate = value(warp, op.p);
  arrival.reduce = static_cast<BarrierReduce>(op.mode2);
  if (arrival.threads % lanes != 0)
    throw LaneFault{FaultKind::illegal_instruction,
                    fmt::format("a barrier of {} threads, which is not whole warps", arrival.threads), lane};
  arrive(block, warp, mask, arrival);
}

void barrier_result(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  std::uint32_t* const destination = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) { destination[i] = warp.barrier_result; });
  set_predicate(warp, op.predicate_destination, warp.barrier_predicate, mask);
}

void trap(Block&, Warp&, const MicroOp&, std::uint32_t mask) {
  throw LaneFault{FaultKind::trap, "the program stopped itself",
                  static_cast<unsigned>(std::countr_zero(mask))};
}

// LEPC: the device address of an instruction (immediate: its offset) into a register pair.
void load_program_counter(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint64_t address = block.context->shape.code_address + static_cast<std::uint64_t>(op.immediate);
  std::uint32_t* const destination = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) {
    destination[i] = static_cast<std::uint32_t>(address);
    destination[i + lanes] = static_cast<std::uint32_t>(address >> 32);
  });
}

// Host threads meet at the end of a window alone, so that there is nothing to order.
void fence(Block& block, Warp& warp, const MicroOp&, std::uint32_t) {
  poll(block, warp);
}

void arrive_cluster(Block& block, Warp& warp, const MicroOp&, std::uint32_t mask) {
  arrive_at_cluster(block, warp, mask);
}

void wait_cluster(Block& block, Warp& warp, const MicroOp&, std::uint32_t mask) {
  wait_for_cluster(block, warp, mask);
}

void run_away(Block&, Warp&, const MicroOp&, std::uint32_t mask) {
  throw LaneFault{FaultKind::invalid_program_counter, "execution ran past the end of the code",
                  static_cast<unsigned>(std::countr_zero(mask))};
}

// mode: the FaultKind of an instruction that cannot be executed.
void refuse(Block& block, Warp&, const MicroOp& op, std::uint32_t mask) {
  const sass::Instruction& instruction = block.context->code[op.index];
  const auto kind = static_cast<FaultKind>(op.mode);
  std::string why;
  for (const Refusal& refusal : block.context->refusals)
    if (refusal.index == op.index) why = refusal.reason;
  throw LaneFault{
      kind, fmt::format("{}, encoding {:#018x} {:#018x}", why, instruction.word.low, instruction.word.high),
      static_cast<unsigned>(std::countr_zero(mask))};
}

}  // namespace warpgauge::emulator::scalar
