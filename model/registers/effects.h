// Which general registers an instruction reads and writes, one 32-bit register at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::registers {

// The general registers that one operand names: `first`…`first + count - 1`; count is 0 for RZ, for an
// address without a base register and for every other kind of operand.
struct OperandRegisters {
  unsigned first = 0;
  unsigned count = 0;
  bool read = false;
  bool write = false;
};
OperandRegisters operand_registers(const sass::Instruction& instruction, const sass::Operand& operand);

// The first register of an operand must be a multiple of this: the power of two that holds `count`, unless
// the compiler itself placed the operand less strictly (three-register texture coordinates).
unsigned required_alignment(unsigned first, unsigned count);

// One register of one operand.
struct RegisterAccess {
  std::uint8_t operand = 0;  // index in Instruction::operands()
  std::uint8_t part = 0;     // 0 for the operand's first register
  std::uint8_t register_ = 0;
  bool read = false;
  bool write = false;
  sass::SourceSlot slot = sass::SourceSlot::none;
};

// The accesses of a whole kernel, instruction by instruction, in operand order.
class AccessTable {
 public:
  explicit AccessTable(std::span<const sass::Instruction> code);

  [[nodiscard]] std::span<const RegisterAccess> of(std::size_t instruction) const {
    return {list_.data() + begin_[instruction], begin_[instruction + 1] - begin_[instruction]};
  }
  // Position of the instruction's first access in all(), for tables that run parallel to it.
  [[nodiscard]] std::size_t first(std::size_t instruction) const { return begin_[instruction]; }
  [[nodiscard]] std::span<const RegisterAccess> all() const { return list_; }
  [[nodiscard]] std::size_t instructions() const { return begin_.size() - 1; }

 private:
  std::vector<std::size_t> begin_;
  std::vector<RegisterAccess> list_;
};

// The guard may be false, so that a write keeps the old value in some threads.
bool is_guarded(const sass::Instruction& instruction);

// An opcode with fixed latency whose operands are read in issue order through the register ports and the
// reuse cache: integer, single, half and double arithmetic outside the multi-function unit.
bool is_fixed_latency(const sass::Instruction& instruction);

// A matrix instruction that reads and writes general registers over many cycles.
bool is_matrix(sass::Opcode opcode);

}  // namespace warpgauge::registers
