// From a decoded instruction to a micro-op: what the families' lowerings share.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "traces/emulator/executors.h"
#include "traces/emulator/fault.h"
#include "traces/emulator/program.h"

namespace warpgauge::emulator {

// The instruction cannot be executed; it will throw when it is reached.
class Refused : public std::runtime_error {
 public:
  Refused(FaultKind kind, const std::string& why) : std::runtime_error(why), kind_(kind) {}
  [[nodiscard]] FaultKind kind() const { return kind_; }

 private:
  FaultKind kind_;
};

// How a source's modifiers act on its bits.
enum class Reading : std::uint8_t {
  integer,   // negation is NOT plus one, inversion NOT
  binary32,  // absolute value and negation on bit 31
  binary64,  // …on bit 63; a pair of registers
  wide,      // a 64-bit integer
  packed,    // …on bits 15 and 31
};

class Lowering {
 public:
  Lowering(Program& program, const sass::Instruction& instruction, std::uint32_t index,
           const VectorKernels& vector);

  const sass::Instruction& instruction;
  const VectorKernels& vector;
  MicroOp op;

  // Operands by role, in the order in which they are written.
  std::vector<const sass::Operand*> destinations;  // registers
  std::vector<const sass::Operand*> sources;       // registers, immediates, constants
  std::vector<const sass::Operand*> predicates_out;
  std::vector<const sass::Operand*> predicates_in;
  const sass::Operand* address = nullptr;         // the first
  const sass::Operand* second_address = nullptr;  // LDGSTS
  const sass::Operand* target = nullptr;
  const sass::Operand* special = nullptr;  // special register
  const sass::Operand* state = nullptr;
  const sass::Operand* convergence = nullptr;

  // Sets the executor; the instruction writes uniform registers: it runs on whole rows.
  void execute(ExecuteFunction function) { op.execute = function; }
  void execute_uniform(ExecuteFunction function);

  // Fills op.a, op.b, op.c (0, 1, 2) with their modifiers.
  void source(unsigned slot, const sass::Operand& operand, Reading reading);
  // The n-th source, if there is one; else the row stays zero.
  void source_at(unsigned slot, std::size_t n, Reading reading);
  // The program needs the first so many registers.
  void names_registers(std::uint32_t end) { program_.names_registers(end); }
  [[nodiscard]] Row source_row(const sass::Operand& operand, unsigned words);
  [[nodiscard]] Row destination_row(const sass::Operand& operand, unsigned words);
  void destination(unsigned words = 1);

  // All predicate destinations, in order.
  void predicate_results();
  [[nodiscard]] Predicate predicate(const sass::Operand& operand) const;
  // The n-th predicate source, or a constant.
  [[nodiscard]] Predicate predicate_at(std::size_t n, bool otherwise) const;
  [[nodiscard]] static Predicate constant_predicate(bool value) {
    return {Predicate::always, value ? std::uint8_t{0} : std::uint8_t{1}};
  }

  // Of a product with a sparse A: source `number` is its metadata, and a field of the instruction selects the lanes that have it, or none does.
  void metadata(std::size_t number, bool selects);

  [[nodiscard]] std::uint32_t immediate(const sass::Operand& operand) const;
  [[nodiscard]] bool is_immediate(const sass::Operand& operand) const;
  // The program index of a target operand.
  [[nodiscard]] std::uint32_t target_index(const sass::Operand& operand) const;

  [[nodiscard]] unsigned modifier(sass::Modifier m) const { return instruction.modifier(m); }
  [[nodiscard]] bool has(sass::Modifier m) const { return instruction.has(m); }

  [[noreturn]] static void refuse(const std::string& why) {
    throw Refused(FaultKind::unsupported_instruction, why);
  }
  [[noreturn]] static void illegal(const std::string& why) {
    throw Refused(FaultKind::illegal_instruction, why);
  }
  // Throws unless the instruction has that many sources and destinations.
  void require(std::size_t source_count, std::size_t destination_count = 0) const;

 private:
  [[nodiscard]] std::uint8_t predicate_index(const sass::Operand& operand, bool written) const;
  Program& program_;
};

// The width of a load or store.
enum class Cell : std::uint8_t;
Cell cell_of(const Lowering& lowering);

// Each knows its opcodes and returns false for others.
bool lower_integer(Lowering& lowering);
bool lower_float(Lowering& lowering);
bool lower_conversion(Lowering& lowering);
bool lower_memory(Lowering& lowering);
bool lower_control(Lowering& lowering);
bool lower_warp_wide(Lowering& lowering);
bool lower_matrix(Lowering& lowering);
bool lower_texture(Lowering& lowering);
bool lower_bulk_copy(Lowering& lowering);
bool lower_warpgroup(Lowering& lowering);

}  // namespace warpgauge::emulator
