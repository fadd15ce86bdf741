// Which registers an instruction reads and writes, in which stages and by which ways.
#include <algorithm>

#include "model/sm/decoded_parts.h"
#include "model/sm/write_slots.h"

namespace warpgauge::model {
namespace {

using sass::Opcode;
using sass::OperandKind;

// Registers of an instruction of variable latency that take the ports' time: those of an address but the
// first, or data and then all of its address (probes issue.mixes and registers.pipes).
LaterReads later_reads(const sass::Instruction& i) {
  LaterReads reads;
  const auto is_read = [](const sass::Operand& o) {
    return o.index != sass::Operand::rz && o.access != sass::Access::write;
  };
  for (const sass::Operand& o : i.operands())
    if (o.kind == OperandKind::register_ && is_read(o))
      reads.add(o.index, std::max<unsigned>(o.registers, 1));
  const unsigned first = reads.count != 0 ? 0 : 1;
  for (const sass::Operand& o : i.operands())
    if (o.kind == OperandKind::address && is_read(o) && o.index != sass::Operand::no_base) {
      const unsigned count = o.wide_base ? 2 : 1;
      reads.add(o.index + first, count - std::min(count, first));
    }
  return reads;
}

// The fourth source of a sparse matrix product, which takes no cycle of the banks that others could need: on an H200
// those that follow each other come as often as dense ones of as many other registers (docs/h200.md).
bool is_metadata(const sass::Instruction& i, unsigned slot) { return slot > 2 && i.has(sass::Modifier::sparse); }

void add_reads(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  if (op.unit == Unit::memory || op.unit == Unit::xu || op.unit == Unit::none || op.unit == Unit::branch)
    return;
  unsigned next_slot = 0;
  unsigned sources = 0;
  const bool wide = op.kind == Kind::imad_wide && spec.issue.wide_multiply_distance != 0;
  for (const sass::Operand& operand : i.operands()) {
    const bool factor = wide && operand.access != sass::Access::write && sources++ < 2;
    if (operand.kind != OperandKind::register_) continue;
    if (operand.access != sass::Access::read && operand.access != sass::Access::read_write) continue;
    if (operand.index == sass::Operand::rz) {
      ++next_slot;
      continue;
    }
    if (is_metadata(i, next_slot)) continue;
    const unsigned slot = operand.slot == sass::SourceSlot::none ? std::min(next_slot, 2U)
                                                                 : static_cast<unsigned>(operand.slot) - 1;
    ++next_slot;
    const unsigned count = std::max<unsigned>(operand.registers, 1);
    for (unsigned r = 0; r < count && op.read_count < StaticOp::max_reads; ++r) {
      SourceRead read;
      read.reg = static_cast<std::uint8_t>(operand.index + r);
      read.bank = static_cast<std::uint8_t>(read.reg % spec.registers.banks);
      read.slot = static_cast<std::uint8_t>(slot);
      read.reuse = operand.reuse || ((i.control.reuse >> slot) & 1) != 0;
      read.factor = factor;
      read.late = wide && !factor && r == 1;
      op.add_read(read);
    }
  }
}

void add_writes(StaticOp& op, const sass::Instruction& i) {
  for (const sass::Operand& operand : i.operands()) {
    if (operand.kind != OperandKind::register_ || operand.index == sass::Operand::rz) continue;
    if (operand.access == sass::Access::read) continue;
    op.written = static_cast<std::uint8_t>(operand.index);
    op.written_count = static_cast<std::uint8_t>(std::max<unsigned>(operand.registers, 1));
    op.written_banks = static_cast<std::uint8_t>(op.written_count > 1 ? 3 : 1 << operand.index % 2);
    return;
  }
}

bool is_arithmetic(Unit unit) {
  return unit == Unit::fma_heavy || unit == Unit::fma_lite || unit == Unit::alu || unit == Unit::fp16 ||
         unit == Unit::fp64;
}

// How a pipe reads and writes beside the others (probe registers.pipes): half precision takes both FP32
// halves, HFMA2.MMA has latches of its own, it and FP64 write later, and products of 64 bits keep their
// latches for as long as they take longer.
void decode_result(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  const bool half_matrix = i.opcode == Opcode::HFMA2_MMA;
  const bool wide = op.kind == Kind::imad_wide;
  op.both_halves = spec.fma_lite.interval != 0 && op.unit == Unit::fma_heavy && op.kind == Kind::fp16;
  if (op.both_halves) op.other_interval = static_cast<std::uint8_t>(spec.fma_lite.interval);
  if (wide) {
    // Other warps wait as well (probe issue.mixes).
    op.late = static_cast<std::uint8_t>(spec.issue.wide_multiply_extra);
    op.allocate_cycles = static_cast<std::uint8_t>(1 + spec.issue.wide_multiply_extra);
    op.latch_cycles = static_cast<std::uint8_t>(spec.issue.wide_multiply_extra);
    op.high_late = op.latch_cycles;
  }
  op.own_latches = half_matrix && spec.registers.late_write != 0;
  if (half_matrix || op.unit == Unit::fp64)
    op.result_late = static_cast<std::uint8_t>(spec.registers.late_write);
  if (!op.writes_on_time) return;
  op.path = half_matrix                                              ? ResultPath::half_matrix
            : op.kind == Kind::fp16                                  ? ResultPath::half
            : op.kind == Kind::fp32 || op.kind == Kind::imad || wide ? ResultPath::fp32
            : op.unit == Unit::alu                                   ? ResultPath::alu
                                                                     : ResultPath::other;
}

}  // namespace

void decode_registers(StaticOp& op, const sass::Instruction& i, const SmSpec& spec) {
  const RegisterFileSpec& file = spec.registers;
  const bool wide = op.kind == Kind::matrix;
  op.read_window = static_cast<std::uint8_t>(wide ? file.wide_read_window : file.read_window);
  const bool product = sass::is_warpgroup_product(i.opcode);
  if (!product) add_reads(op, i, spec);
  if (!op.variable && !product) add_writes(op, i);
  op.writes_on_time = op.written_count != 0 && is_arithmetic(op.unit);
  decode_result(op, i, spec);
  if ((op.unit == Unit::memory || op.unit == Unit::xu) && spec.registers.operand_cycles != 0)
    op.later = later_reads(i);
}

}  // namespace warpgauge::model
