// What an instruction does to its warp: branches and where lanes meet again, barriers, and other waits.
#include <algorithm>

#include "model/sm/decoded_parts.h"

namespace warpgauge::model {
namespace {

using sass::Modifier;
using sass::Opcode;
using sass::OperandKind;

void decode_barrier(StaticOp& op, const sass::Instruction& i, const IssueSpec& spec) {
  const auto mode = static_cast<sass::BarrierMode>(i.modifier(Modifier::barrier_mode));
  const bool reduces = mode == sass::BarrierMode::reduce;
  op.barrier = true;
  op.defers = i.has(Modifier::defer_blocking) && (mode == sass::BarrierMode::sync || reduces);
  const bool by_register = std::ranges::any_of(i.operands(), [](const sass::Operand& o) {
    return o.kind == OperandKind::register_ && o.index != sass::Operand::rz;
  });
  op.extra_hold = static_cast<std::uint16_t>((reduces ? spec.barrier_reduction_extra : 0) +
                                             (by_register ? spec.barrier_register_extra : 0));
}

// The bit of the convergence barrier that a BSSY or BSYNC names, or that a BMOV writes.
std::uint16_t convergence_barrier(const sass::Instruction& i) {
  constexpr unsigned barriers = 16;  // a BMOV numbers them with other states of the warp, before those
  const auto bit = [](unsigned number) {
    return number < barriers ? static_cast<std::uint16_t>(1U << number) : std::uint16_t{0};
  };
  const auto operands = i.operands();
  if (!operands.empty() && operands[0].kind == OperandKind::state) return bit(operands[0].index);
  const auto named = std::ranges::find(operands, OperandKind::convergence, &sass::Operand::kind);
  return named != operands.end() ? bit(named->index) : std::uint16_t{0};
}

// A mask in a register is another thing than one that the instruction names (docs/h200.md, collectives).
void decode_warp_sync(StaticOp& op, const sass::Instruction& i, const IssueSpec& spec) {
  const auto has = [&](auto is) { return std::ranges::any_of(i.operands(), is); };
  op.meets = has([](const sass::Operand& o) { return o.kind == OperandKind::target; });
  const bool in_register = has([](const sass::Operand& o) {
    return o.kind == OperandKind::register_ && o.index != sass::Operand::rz;
  });
  const bool exclusive = in_register && !op.meets && i.modifier(Modifier::other_0) != 0;
  op.names_masks = in_register && !op.meets && !exclusive;
  if (!op.names_masks)
    op.branch_hold =
        static_cast<std::uint16_t>(exclusive ? spec.warp_sync_exclusive_cost : spec.warp_sync_cost);
}

}  // namespace

void decode_control(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  switch (i.opcode) {
    case Opcode::DEPBAR:
      for (const sass::Operand& operand : i.operands()) {
        if (operand.kind == OperandKind::dependence)
          op.depbar_counter = static_cast<std::uint8_t>(operand.index);
        if (operand.kind == OperandKind::immediate)
          op.depbar_count = static_cast<std::uint8_t>(operand.value);
        if (operand.kind == OperandKind::bitset)
          op.wait_mask |= static_cast<std::uint8_t>(operand.value & 0x3f);
      }
      op.hold = static_cast<std::uint8_t>(std::max<unsigned>(op.hold, spec.issue.depbar_cost));
      break;
    case Opcode::BAR:
      decode_barrier(op, i, spec.issue);
      break;
    case Opcode::EXIT:
    case Opcode::KILL:
      op.exit = true;
      op.branch_hold = static_cast<std::uint16_t>(spec.issue.exit_cost);  // of lanes that stay
      break;
    case Opcode::BSSY:
      op.begins_region = convergence_barrier(i);
      break;
    case Opcode::BSYNC:
      op.reconverge = true;
      op.meets_at = convergence_barrier(i);
      break;
    case Opcode::WARPSYNC:
      decode_warp_sync(op, i, spec.issue);
      break;
    case Opcode::ENDCOLLECTIVE:
      op.ends_collective = true;
      op.extra_hold = static_cast<std::uint16_t>(spec.issue.collective_cost);
      break;
    case Opcode::BMOV:
      op.branch_hold = static_cast<std::uint16_t>(spec.issue.convergence_move_cost);
      op.restores_barrier = convergence_barrier(i);
      break;
    case Opcode::YIELD:
      op.steps_back = true;
      break;
    case Opcode::BRX:
    case Opcode::BRXU:
    case Opcode::JMX:
    case Opcode::JMXU:
    case Opcode::RET:
      op.branch = true;
      op.indirect = true;
      break;
    case Opcode::CALL:
      op.branch = true;
      op.indirect = std::any_of(i.operands().begin(), i.operands().end(), [](const sass::Operand& o) {
        return o.kind == OperandKind::register_ && o.index != sass::Operand::rz;
      });
      break;
    case Opcode::BREAK:
      op.branch = true;
      op.breaks = true;
      break;
    case Opcode::BRA:
    case Opcode::JMP:
      op.branch = true;
      break;
    case Opcode::CGAERRBAR:
      // What asks no memory need not wait, but compilers have an invalidation or an access behind it.
      op.fence_hold = static_cast<std::uint16_t>(spec.issue.cga_error_barrier);
      break;
    case Opcode::NANOSLEEP:
      op.sleeps = true;
      break;
    case Opcode::WARPGROUP:
      for (const sass::Operand& operand : i.operands())
        if (operand.kind == OperandKind::immediate)
          op.awaits_products = static_cast<std::uint8_t>(operand.value + 1);
      if (op.awaits_products == 0)
        op.hold = static_cast<std::uint8_t>(std::max<unsigned>(op.hold, spec.group_product.arrive));
      break;
    default:
      break;
  }
}

}  // namespace warpgauge::model
