// A section of machine code made ready to execute: one micro-op an instruction, and the literals that they
// read. A program depends on the code alone; what a launch adds (constant banks) is filled in by make_pool().
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "traces/emulator/micro_op.h"
#include "traces/emulator/vector/kernels.h"
#include "traces/sass/instruction.h"

namespace warpgauge::emulator {

// A row of the literal pool: an immediate, or a word of a constant bank.
struct Literal {
  bool constant = false;
  std::uint8_t bank = 0;
  std::uint32_t bits = 0;  // the immediate, or the byte offset in the bank
  friend auto operator<=>(const Literal&, const Literal&) = default;
};

// Registers that calls of functions outside the code use, whether or not the code names them itself.
inline constexpr std::uint32_t convention_registers = 24;

// An instruction that will stop the program if it is reached.
struct Refusal {
  std::uint32_t index = 0;
  std::string reason;
};

class Program {
 public:
  // Never fails: what cannot be executed becomes an operation that throws, and is listed in refusals().
  explicit Program(std::vector<sass::Instruction> code, HostLevel level = host_level());

  [[nodiscard]] std::span<const sass::Instruction> code() const { return code_; }
  // One more than instructions: the last catches execution that runs past the end.
  [[nodiscard]] std::span<const MicroOp> ops() const { return ops_; }
  [[nodiscard]] const VectorKernels& kernels() const { return kernels_; }
  [[nodiscard]] std::span<const Refusal> refusals() const { return refusals_; }
  // That a warp needs: no other registers' content can be read than those that the code names.
  [[nodiscard]] std::uint32_t rows() const { return Row::register_rows + registers_ + uniform_registers_; }

  // Whether an instruction has that word of a constant bank as an operand, at an offset that stands in it.
  [[nodiscard]] bool reads_constant(unsigned bank, std::uint32_t offset) const;

  // Broadcast words, 32 a literal; words beyond a bank's end are zero.
  [[nodiscard]] std::vector<std::uint32_t> make_pool(std::span<const std::vector<std::uint8_t>> banks) const;

 private:
  friend class Lowering;
  Row literal(std::span<const Literal> words);
  // Uniform registers from where they are while the program is made to behind its other registers.
  void move_uniform_rows();
  void names_registers(std::uint32_t end) { registers_ = std::max(registers_, end); }
  void names_uniform_registers(std::uint32_t end) { uniform_registers_ = std::max(uniform_registers_, end); }

  std::vector<sass::Instruction> code_;
  const VectorKernels& kernels_;
  std::vector<MicroOp> ops_;
  std::vector<Literal> literals_;
  std::map<std::vector<Literal>, std::uint32_t> literal_rows_;
  std::vector<Refusal> refusals_;
  std::uint32_t registers_ = 0;
  std::uint32_t uniform_registers_ = 0;
};

}  // namespace warpgauge::emulator
