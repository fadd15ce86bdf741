#include "model/registers/effects.h"

#include <algorithm>
#include <bit>

namespace warpgauge::registers {

using sass::Access;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;

OperandRegisters operand_registers(const sass::Instruction& instruction, const Operand& operand) {
  OperandRegisters r;
  r.count = operand.registers;
  switch (operand.kind) {
    case OperandKind::register_:
      r.read = operand.access == Access::read || operand.access == Access::read_write;
      r.write = operand.access == Access::write || operand.access == Access::read_write;
      break;
    case OperandKind::address:
      r.read = true;
      break;
    case OperandKind::constant:
    case OperandKind::bindless_constant:
      if (instruction.opcode != Opcode::LDC) return {};
      r.read = true;  // the index register; `registers` counts the words that are loaded
      r.count = 1;
      break;
    default:
      return {};
  }
  if (r.count == 0 || operand.index >= Operand::rz) return {};
  r.first = operand.index;
  r.count = std::min(r.count, Operand::rz - r.first);  // control_flow() refuses code that reaches beyond R254
  return r;
}

unsigned required_alignment(unsigned first, unsigned count) {
  unsigned alignment = std::bit_ceil(count);
  while (first % alignment != 0) alignment /= 2;
  return alignment;
}

AccessTable::AccessTable(std::span<const sass::Instruction> code) {
  begin_.reserve(code.size() + 1);
  begin_.push_back(0);
  for (const sass::Instruction& instruction : code) {
    for (std::size_t o = 0; o < instruction.operand_count; ++o) {
      const Operand& operand = instruction.operand(o);
      const OperandRegisters r = operand_registers(instruction, operand);
      for (unsigned part = 0; part < r.count; ++part)
        list_.push_back({static_cast<std::uint8_t>(o), static_cast<std::uint8_t>(part),
                         static_cast<std::uint8_t>(r.first + part), r.read, r.write, operand.slot});
    }
    begin_.push_back(list_.size());
  }
}

bool is_guarded(const sass::Instruction& instruction) {
  return !instruction.guard.always();
}

bool is_fixed_latency(const sass::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::FADD:
    case Opcode::FMUL:
    case Opcode::FFMA:
    case Opcode::FMNMX:
    case Opcode::FSEL:
    case Opcode::FSET:
    case Opcode::FSETP:
    case Opcode::FSWZADD:
    case Opcode::DADD:
    case Opcode::DMUL:
    case Opcode::DFMA:
    case Opcode::DSETP:
    case Opcode::DMNMX:
    case Opcode::HADD2:
    case Opcode::HADD2_32I:
    case Opcode::HMUL2:
    case Opcode::HFMA2:
    case Opcode::HFMA2_MMA:
    case Opcode::HSET2:
    case Opcode::HSETP2:
    case Opcode::HMNMX2:
    case Opcode::VHMNMX:
    case Opcode::IADD3:
    case Opcode::IMAD:
    case Opcode::IMAD_WIDE:
    case Opcode::IMAD_HI:
    case Opcode::IDP:
    case Opcode::LEA:
    case Opcode::LOP3:
    case Opcode::SHF:
    case Opcode::PRMT:
    case Opcode::ISETP:
    case Opcode::IMNMX:
    case Opcode::VIMNMX:
    case Opcode::VIADD:
    case Opcode::VIADDMNMX:
    case Opcode::IABS:
    case Opcode::VABSDIFF:
    case Opcode::VABSDIFF4:
    case Opcode::SEL:
    case Opcode::BMSK:
    case Opcode::SGXT:
    case Opcode::MOV:
    case Opcode::I2FP:
    case Opcode::F2FP:
    case Opcode::PLOP3:
    case Opcode::P2R:
    case Opcode::R2P:
    case Opcode::CS2R:
    case Opcode::VOTE:
    case Opcode::NOP:
      break;
    default:
      return false;
  }
  // On dies with few double units (T4) the same opcodes go through a shared unit and carry barriers.
  return instruction.control.write_barrier == sass::Control::no_barrier &&
         instruction.control.read_barrier == sass::Control::no_barrier;
}

bool is_matrix(Opcode opcode) {
  return opcode == Opcode::HMMA || opcode == Opcode::IMMA || opcode == Opcode::BMMA ||
         opcode == Opcode::DMMA || opcode == Opcode::MOVM;
}

}  // namespace warpgauge::registers
