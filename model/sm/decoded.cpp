#include "model/sm/decoded.h"

#include <algorithm>

#include "model/sm/decoded_parts.h"

namespace warpgauge::model {
namespace {

using sass::Opcode;

// What its control word says.
void decode_control_word(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  const IssueCode issue = issue_code(i.control, spec.issue);
  op.hold = issue.hold;
  op.yields = i.control.yield;
  op.wait_mask = i.control.wait_mask;
  op.write_counter = i.control.write_barrier;
  op.read_counter = i.control.read_barrier;
  op.variable = op.unit == Unit::memory || op.write_counter != sass::Control::no_barrier ||
                op.read_counter != sass::Control::no_barrier;
  const unsigned reads = spec.issue.counter_visible_after + spec.registers.read_window;
  // The special-function unit reads its source over as many cycles as it works on it; a shuffle sends its
  // source as a store does.
  op.release = static_cast<std::uint16_t>(
      op.unit == Unit::xu        ? reads + op.interval
      : op.kind == Kind::shuffle ? spec.access[static_cast<std::size_t>(Access::store_shared_32)].war
                                 : reads);
}

}  // namespace

IssueCode issue_code(const sass::Control& control, const IssueSpec& spec) {
  const unsigned stall = control.stall;
  if (control.yield) {
    if (stall == 0) return {static_cast<std::uint8_t>(spec.drain_hold), true};
    return {static_cast<std::uint8_t>(std::max(stall, 1 + spec.yield_cost)), false};
  }
  if (stall > 11) return {static_cast<std::uint8_t>(spec.long_stall_without_yield), false};
  return {static_cast<std::uint8_t>(std::max(stall, 1U)), false};
}

std::vector<StaticOp> predecode(std::span<const sass::Instruction> code, const SmSpec& spec) {
  std::vector<StaticOp> ops;
  ops.reserve(code.size());
  for (const sass::Instruction& i : code) {
    StaticOp op;
    decode_unit(op, i, spec);
    decode_control_word(op, i, spec);
    decode_registers(op, i, spec);
    decode_memory(op, i, spec);
    decode_control(op, i, spec);
    // What waits there (probe issue.deferred; so do samples by instruction behind 300 barriers of kernels):
    // accesses to memory, whatever their guard says, loads of constants (ULDC, too), S2R, MUFU, UMOV, NOP,
    // branches, BSSY and EXIT; no other arithmetic, nor R2UR.
    op.passes_barriers =
        i.opcode == Opcode::R2UR ||
        (!op.variable && op.unit != Unit::none && op.unit != Unit::branch && op.unit != Unit::xu &&
         op.unit != Unit::memory && i.opcode != Opcode::ULDC && i.opcode != Opcode::UMOV);
    ops.push_back(op);
  }
  // Where nothing is read for the last time, a profiler's earlier passes have left the frames in the L1.
  const auto last = [](const StaticOp& op) { return op.keep == Keep::last_use; };
  if (std::none_of(ops.begin(), ops.end(), last))
    for (StaticOp& op : ops) op.frame_stays = true;
  return ops;
}

}  // namespace warpgauge::model
