// Branches, convergence, barriers and what has no effect on values.
#include "traces/emulator/divergence.h"
#include "traces/emulator/lower/lowering.h"

namespace warpgauge::emulator {
namespace {

using sass::Modifier;
using sass::Opcode;

void control(Lowering& l, ExecuteFunction function) {
  l.op.control = true;
  l.op.p = l.predicate_at(0, true);
  l.execute(function);
}

void lower_branch(Lowering& l) {
  if (l.target == nullptr) Lowering::illegal("a branch without a target");
  l.op.extra = l.target_index(*l.target);
  l.op.q = l.predicate_at(1, true);
  // .DIV and .CONV; 1 is .U, a promise that needs no keeping here, or with .ANY a vote.
  const unsigned kind = l.modifier(Modifier::branch_kind);
  l.op.mode = kind == 1 && l.modifier(Modifier::other_1) != 0 ? 1 : 0;
  if (!l.sources.empty()) l.op.a = l.source_row(*l.sources[0], 1);
  if (kind == 2) {
    // It asks the lanes whose guard does not hold, too.
    l.op.q = {l.op.guard, static_cast<std::uint8_t>(l.op.guard_flip != 0 ? 1 : 0)};
    l.op.guard = Predicate::always;
    l.op.guard_flip = 0;
  }
  control(l, kind == 2   ? scalar::branch_divergent
             : kind == 3 ? scalar::branch_converged
                         : scalar::branch_relative);
}

// The base register pair of an indirect jump.
void base_pair(Lowering& l) {
  l.require(1);
  l.op.a = l.source_row(*l.sources[0], 2);
  l.op.wide_a = l.op.a == Row::zero() ? Row::zero() : Row{l.op.a.bits + lanes};
}

std::uint64_t own_end(const Lowering& l) {
  return (std::uint64_t{l.op.index} + 1) * sass::instruction_bytes;
}

// mode 1: relative to the program's begin, plus the target that is encoded: absolute for RET, else relative
// to the next instruction.
void lower_indexed(Lowering& l) {
  base_pair(l);
  l.op.mode = 1;
  if (l.target != nullptr)
    l.op.immediate = l.target->value;
  else if (l.sources.size() > 1)
    l.op.immediate = l.sources[1]->value + static_cast<std::int64_t>(own_end(l));
  else
    Lowering::illegal("a branch without a target");
  if (l.instruction.opcode == Opcode::RET && l.has(Modifier::absolute_target)) {
    l.op.mode = 0;
    l.op.immediate -= static_cast<std::int64_t>(own_end(l));
  }
  control(l, scalar::branch_indexed);
}

// To a device address: in a register pair, or an immediate.
void lower_absolute(Lowering& l) {
  l.require(1);
  if (l.is_immediate(*l.sources[0])) {
    l.op.immediate = l.sources[0]->value;
  } else {
    base_pair(l);
    if (l.sources.size() > 1) l.op.immediate = l.sources[1]->value;
  }
  l.names_registers(convention_registers);
  control(l, scalar::call_absolute);
}

void lower_call(Lowering& l) {
  const bool absolute = (l.instruction.word.bits(0, 9) & 0x1ffU) == 0x143;
  if (absolute) {
    lower_absolute(l);
  } else if (!l.sources.empty()) {
    lower_indexed(l);
  } else if (l.target != nullptr) {
    l.op.extra = l.target_index(*l.target);
    l.op.mode2 = 1;
    control(l, scalar::branch_relative);
  } else {
    Lowering::illegal("a call without a target");
  }
}

void with_barrier(Lowering& l, ExecuteFunction function) {
  if (l.convergence == nullptr) Lowering::illegal("no convergence barrier");
  l.op.mode = static_cast<std::uint8_t>(l.convergence->index & (convergence_registers - 1));
  control(l, function);
}

void lower_state_move(Lowering& l) {
  if (l.state == nullptr) Lowering::illegal("no state to move");
  l.op.mode = static_cast<std::uint8_t>(l.state->index);
  l.op.control = true;
  const bool known =
      l.op.mode < convergence_registers || l.op.mode == state_exited || l.op.mode == state_active;
  if (!known) Lowering::refuse("a thread state other than the convergence barriers");
  if (l.destinations.empty()) {
    l.require(1);
    l.source_at(1, 0, Reading::integer);
    l.execute(scalar::load_convergence);
  } else {
    l.destination();
    l.op.mode2 = l.has(Modifier::clear) ? 1 : 0;
    l.execute(scalar::save_convergence);
  }
}

void lower_barrier(Lowering& l) {
  l.require(1);
  const auto mode = static_cast<sass::BarrierMode>(l.modifier(Modifier::barrier_mode));
  if (mode == sass::BarrierMode::scan) Lowering::refuse("a barrier that scans");
  l.op.mode = static_cast<std::uint8_t>(mode);
  l.op.mode2 = static_cast<std::uint8_t>(l.modifier(Modifier::barrier_reduce));
  l.op.a = l.source_row(*l.sources[0], 1);
  const bool packed = l.sources.size() > 1 && !l.is_immediate(*l.sources[0]) &&
                      !l.is_immediate(*l.sources[1]) && l.sources[0]->index == l.sources[1]->index;
  if (l.sources.size() > 1) l.op.b = l.source_row(*l.sources[1], 1);
  l.op.mode3 = packed ? 1 : 0;
  control(l, scalar::barrier);
}

void lower_warp_synchronization(Lowering& l) {
  l.op.mode = l.sources.empty() ? 1 : 0;
  if (!l.sources.empty()) l.op.a = l.source_row(*l.sources[0], 1);
  if (l.target != nullptr) {
    l.op.mode2 = 1;
    l.op.extra = l.target_index(*l.target);
  }
  // WARPSYNC.EXCLUSIVE, before VOTE, parts lanes that name different ones; before SHFL it does without. Older architectures
  // were not asked.
  if (l.instruction.architecture == sass::Architecture::sm90) l.op.mode3 = l.modifier(Modifier::other_0) == 0 ? 1 : 2;
  control(l, scalar::synchronize_warp);
}

void lower_program_counter(Lowering& l) {
  l.require(0, 1);
  l.destination(2);
  // Without a target, its own address: compilers subtract the label of the LEPC itself from it.
  l.op.immediate =
      l.target != nullptr ? l.target->value : static_cast<std::int64_t>(own_end(l) - sass::instruction_bytes);
  l.execute(scalar::load_program_counter);
}

// Two words for each lane that functions without a stack keep things in.
void lower_return_state(Lowering& l) {
  enum : std::uint64_t { to_state = 0x152, from_state = 0x153 };
  const Row state = Row::rpc(static_cast<unsigned>(l.instruction.word.bits(31, 1)));
  const std::uint64_t base = l.instruction.word.bits(0, 9);
  if (base == to_state) {
    l.require(1);
    l.source(1, *l.sources.back(), Reading::integer);
    l.op.destination = state;
  } else if (base == from_state) {
    l.require(0, 1);
    l.op.b = state;
    l.destination();
  } else {
    Lowering::refuse("both words of Rpc at once");
  }
  l.execute(l.vector.mov);
}

}  // namespace

bool lower_control(Lowering& l) {
  switch (l.instruction.opcode) {
    case Opcode::BRA:
      lower_branch(l);
      return true;
    case Opcode::BRX:
    case Opcode::BRXU:
    case Opcode::RET:
      lower_indexed(l);
      return true;
    case Opcode::JMP:
    case Opcode::JMX:
    case Opcode::JMXU:
      lower_absolute(l);
      return true;
    case Opcode::CALL:
      lower_call(l);
      return true;
    case Opcode::BSSY:
      with_barrier(l, scalar::set_convergence);
      return true;
    case Opcode::BSYNC:
      with_barrier(l, scalar::synchronize_convergence);
      return true;
    case Opcode::BREAK:
      with_barrier(l, scalar::break_convergence);
      return true;
    case Opcode::BMOV:
      lower_state_move(l);
      return true;
    case Opcode::WARPSYNC:
      lower_warp_synchronization(l);
      return true;
    case Opcode::ENDCOLLECTIVE:
      control(l, scalar::end_of_collective);
      return true;
    case Opcode::YIELD:
      control(l, scalar::yield_warp);
      return true;
    case Opcode::NANOSLEEP:
      // .SYNCS: a barrier in shared memory may end it sooner, and at once for all that is done here.
      l.op.mode = l.sources.empty() || l.modifier(Modifier::other_2) != 0 ? 1 : 0;
      if (l.op.mode == 0) l.op.a = l.source_row(*l.sources[0], 1);
      control(l, scalar::sleep_warp);
      return true;
    case Opcode::EXIT:
      control(l, scalar::exit_warp);
      return true;
    case Opcode::KILL:
      control(l, scalar::kill_lanes);
      return true;
    case Opcode::BPT:
      control(l, scalar::trap);
      return true;
    case Opcode::BAR:
      lower_barrier(l);
      return true;
    case Opcode::B2R:
      l.require(0, 1);
      l.destination();
      l.predicate_results();
      l.execute(scalar::barrier_result);
      return true;
    case Opcode::LEPC:
      lower_program_counter(l);
      return true;
    case Opcode::ULEPC:
      lower_program_counter(l);
      l.execute_uniform(scalar::load_program_counter);
      return true;
    case Opcode::RPCMOV:
      lower_return_state(l);
      return true;
    // Uniform instructions, but for all lanes: each of them arrives.
    case Opcode::UCGABAR_ARV:
      control(l, scalar::arrive_cluster);
      return true;
    case Opcode::UCGABAR_WAIT:
      control(l, scalar::wait_cluster);
      return true;
    case Opcode::MEMBAR:
    case Opcode::FENCE:
      l.execute(scalar::fence);
      return true;
    // Nothing here runs out of order: what waits for earlier work has nothing to wait for.
    case Opcode::NOP:
    case Opcode::DEPBAR:
    case Opcode::LDGDEPBAR:
    case Opcode::ERRBAR:
    case Opcode::CGAERRBAR:
    case Opcode::CCTLL:
    case Opcode::CCTLT:
    case Opcode::PMTRIG:
    case Opcode::PREEXIT:
    case Opcode::ACQBULK:
      l.execute(scalar::no_operation);
      return true;
    default:
      return false;
  }
}

}  // namespace warpgauge::emulator
