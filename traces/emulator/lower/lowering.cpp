#include "traces/emulator/lower/lowering.h"

#include <array>

#include "traces/emulator/matrix_modes.h"

namespace warpgauge::emulator {

using sass::Access;
using sass::Operand;
using sass::OperandKind;

Lowering::Lowering(Program& program, const sass::Instruction& given, std::uint32_t index,
                   const VectorKernels& kernels)
    : instruction(given), vector(kernels), program_(program) {
  op.index = index;
  const sass::Guard& guard = instruction.guard;
  op.guard_flip = guard.negate ? all_lanes : 0;
  op.guard = guard.predicate == Operand::pt ? Predicate::always
             : guard.uniform                ? static_cast<std::uint8_t>(Predicate::uniform + guard.predicate)
                                            : guard.predicate;
  for (const Operand& operand : instruction.operands()) {
    const bool written = operand.access == Access::write;
    switch (operand.kind) {
      case OperandKind::register_:
      case OperandKind::uniform_register:
        (written ? destinations : sources).push_back(&operand);
        break;
      case OperandKind::immediate:
      case OperandKind::float_immediate:
      case OperandKind::constant:
      case OperandKind::bindless_constant:
        sources.push_back(&operand);
        break;
      case OperandKind::predicate:
      case OperandKind::uniform_predicate:
        (written ? predicates_out : predicates_in).push_back(&operand);
        break;
      case OperandKind::address:
        (address == nullptr ? address : second_address) = &operand;
        break;
      case OperandKind::target:
        target = &operand;
        break;
      case OperandKind::special_register:
        special = &operand;
        break;
      case OperandKind::state:
        state = &operand;
        break;
      case OperandKind::convergence:
        convergence = &operand;
        break;
      case OperandKind::none:
      case OperandKind::dependence:
      case OperandKind::descriptor:
      case OperandKind::bitset:
        break;
    }
  }
}

void Lowering::execute_uniform(ExecuteFunction function) {
  op.execute = scalar::uniform_forward;
  op.inner = function;
}

Row Lowering::source_row(const Operand& operand, unsigned words) {
  switch (operand.kind) {
    case OperandKind::register_:
      if (operand.index == Operand::rz) return Row::zero();
      if (operand.index + words > Operand::rz) illegal("a register range that runs past R254");
      program_.names_registers(operand.index + words);
      return Row::general(operand.index);
    case OperandKind::uniform_register:
      if (operand.index == Operand::urz) return Row::zero();
      if (operand.index + words > Operand::urz) illegal("a register range that runs past UR62");
      program_.names_uniform_registers(operand.index + words);
      return Row::uniform(operand.index);
    case OperandKind::immediate:
    case OperandKind::float_immediate: {
      const auto bits = static_cast<std::uint64_t>(operand.value);
      const std::array<Literal, 2> literals{Literal{false, 0, static_cast<std::uint32_t>(bits)},
                                            Literal{false, 0, static_cast<std::uint32_t>(bits >> 32)}};
      return program_.literal(std::span(literals).first(words == 2 ? 2 : 1));
    }
    case OperandKind::constant: {
      if (operand.index != 0 && operand.index != Operand::rz && operand.index != Operand::no_base)
        refuse("an indexed constant as an operand");
      const auto offset = static_cast<std::uint32_t>(sass::constant_place(operand));
      std::vector<Literal> literals;
      for (unsigned k = 0; k < words; ++k) literals.push_back({true, operand.bank, offset + 4 * k});
      return program_.literal(literals);
    }
    case OperandKind::bindless_constant:
      refuse("a bindless constant as an operand");
    default:
      illegal("an operand that cannot be a source");
  }
}

Row Lowering::destination_row(const Operand& operand, unsigned words) {
  if (operand.kind == OperandKind::uniform_register) {
    if (operand.index == Operand::urz) return Row::discard();
    if (operand.index + words > Operand::urz) illegal("a register range that runs past UR62");
    program_.names_uniform_registers(operand.index + words);
    return Row::uniform(operand.index);
  }
  if (operand.index == Operand::rz) return Row::discard();
  if (operand.index + words > Operand::rz) illegal("a register range that runs past R254");
  program_.names_registers(operand.index + words);
  return Row::general(operand.index);
}

void Lowering::destination(unsigned words) {
  if (!destinations.empty()) op.destination = destination_row(*destinations[0], words);
}

void Lowering::source(unsigned slot, const Operand& operand, Reading reading) {
  const unsigned words = reading == Reading::binary64 || reading == Reading::wide ? 2 : 1;
  const Row row = source_row(operand, words);
  (slot == 0 ? op.a : slot == 1 ? op.b : op.c) = row;
  std::uint32_t& and_mask = op.and_mask[slot];
  std::uint32_t& xor_mask = op.xor_mask[slot];
  and_mask = all_lanes;
  xor_mask = 0;
  op.add[slot] = 0;
  switch (reading) {
    case Reading::integer:
    case Reading::wide:
      if (operand.negate || operand.invert) xor_mask = all_lanes;
      op.add[slot] = operand.negate ? 1 : 0;
      break;
    case Reading::binary32:
    case Reading::binary64:
      if (operand.absolute) and_mask = 0x7fffffffU;
      if (operand.negate) xor_mask = 0x80000000U;
      break;
    case Reading::packed: {
      const bool single = operand.selector == sass::Selector::f32;
      if (operand.absolute) and_mask = single ? 0x7fffffffU : 0x7fff7fffU;
      if (operand.negate) xor_mask = single ? 0x80000000U : 0x80008000U;
      break;
    }
  }
}

void Lowering::source_at(unsigned slot, std::size_t n, Reading reading) {
  if (n < sources.size()) source(slot, *sources[n], reading);
}

std::uint8_t Lowering::predicate_index(const Operand& operand, bool written) const {
  if (operand.index == Operand::pt) return written ? Predicate::discard : Predicate::always;
  return static_cast<std::uint8_t>(
      operand.kind == OperandKind::uniform_predicate ? Predicate::uniform + operand.index : operand.index);
}

void Lowering::predicate_results() {
  if (!predicates_out.empty()) op.predicate_destination = predicate_index(*predicates_out[0], true);
  if (predicates_out.size() > 1) op.predicate_destination2 = predicate_index(*predicates_out[1], true);
}

Predicate Lowering::predicate(const Operand& operand) const {
  return {predicate_index(operand, false), static_cast<std::uint8_t>(operand.negate ? 1 : 0)};
}

Predicate Lowering::predicate_at(std::size_t n, bool otherwise) const {
  return n < predicates_in.size() ? predicate(*predicates_in[n]) : constant_predicate(otherwise);
}

void Lowering::metadata(std::size_t number, bool selects) {
  constexpr unsigned selector_bit = 48;
  require(number + 1, 1);
  op.d = source_row(*sources[number], 1);
  if (selects) op.immediate = static_cast<std::int64_t>(instruction.word.bits(selector_bit, 2));
  op.extra |= matrix_sparse;
}

std::uint32_t Lowering::immediate(const Operand& operand) const {
  return static_cast<std::uint32_t>(operand.value);
}

bool Lowering::is_immediate(const Operand& operand) const {
  return operand.kind == OperandKind::immediate || operand.kind == OperandKind::float_immediate;
}

std::uint32_t Lowering::target_index(const Operand& operand) const {
  const auto offset = static_cast<std::uint64_t>(operand.value);
  const std::uint64_t index = offset / sass::instruction_bytes;
  // A target outside the code is the operation that catches run-aways.
  if (offset % sass::instruction_bytes != 0 || index > program_.code_.size())
    return static_cast<std::uint32_t>(program_.code_.size());
  return static_cast<std::uint32_t>(index);
}

void Lowering::require(std::size_t source_count, std::size_t destination_count) const {
  if (sources.size() < source_count || destinations.size() < destination_count)
    illegal("an operand is missing");
}

}  // namespace warpgauge::emulator
