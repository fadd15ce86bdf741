#include "traces/sass/decode.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "traces/sass/table.h"

namespace warpgauge::sass {
namespace {

using table::AddressField;
using table::ModifierField;
using table::OperandField;
using table::Row;

std::int64_t extend(std::uint64_t value, unsigned width) {
  const unsigned shift = 64 - width;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

Control decode_control(const Word& word) {
  Control control;
  control.stall = static_cast<std::uint8_t>(word.bits(105, 4));
  control.yield = word.bits(109, 1) == 0;
  control.write_barrier = static_cast<std::uint8_t>(word.bits(110, 3));
  control.read_barrier = static_cast<std::uint8_t>(word.bits(113, 3));
  control.wait_mask = static_cast<std::uint8_t>(word.bits(116, 6));
  control.reuse = static_cast<std::uint8_t>(word.bits(122, 4));
  return control;
}

std::uint8_t atomic_registers(const Row& row, const Instruction& instruction) {
  for (const ModifierField& modifier : row.modifiers) {
    if (modifier.key != Modifier::atomic_type) continue;
    const std::string& name = modifier.names[instruction.modifier(Modifier::atomic_type)];
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    if (has("128") || has("x8") || has("32x4")) return 4;
    if (has("64") || has("x4") || has("32x2")) return 2;
    return 1;
  }
  return 1;
}

unsigned texture_mask(const Instruction& instruction) {
  return static_cast<unsigned>(instruction.word.bits(72, 4));
}

std::uint8_t register_span(const Row& row, const OperandField& field, const Instruction& instruction) {
  switch (field.span) {
    case table::Span::fixed:
      return field.registers;
    case table::Span::width:
      switch (instruction.modifier_as<Width>(Modifier::width)) {
        case Width::b64:
          return 2;
        case Width::b128:
          return 4;
        case Width::b128_u:
          return 4;
        default:
          return 1;
      }
    case table::Span::atomic:
      return atomic_registers(row, instruction);
    // Two components to the first destination, the others to the second.
    case table::Span::texture:
      return static_cast<std::uint8_t>(std::min(2, std::popcount(texture_mask(instruction))));
    case table::Span::texture_high:
      return static_cast<std::uint8_t>(std::max(0, std::popcount(texture_mask(instruction)) - 2));
    case table::Span::group: {
      // A quarter of the 64 x N results a warp, 32 lanes: N / 2 words, half as many of half precision.
      const unsigned code = instruction.modifier(Modifier::shape);
      if (instruction.opcode == Opcode::BGMMA)
        return static_cast<std::uint8_t>(code < 3 ? 4 * (code + 1) : 8 * (code - 1));
      const unsigned columns = instruction.opcode != Opcode::IGMMA ? ((code & 31U) + 1) * 8
                               : code < 12                         ? (code / 3 + 1) * 8
                                                                   : (code / 3 - 1) * 16;
      const bool halves = instruction.opcode != Opcode::IGMMA && !instruction.has(Modifier::output_type);
      return static_cast<std::uint8_t>(halves ? columns / 4 : columns / 2);
    }
    case table::Span::matrix:
      return static_cast<std::uint8_t>(1U << instruction.modifier(Modifier::matrix_count));
  }
  return 1;
}

bool bit(const Word& word, std::uint8_t at) {
  if (at == table::no_bit) return false;
  return ((at < 64 ? word.low >> at : word.high >> (at - 64)) & 1) != 0;
}

Selector decode_selector(const OperandField& field, const Word& word) {
  const auto raw = static_cast<unsigned>(field.selector.get(word));
  switch (field.selector_style) {
    case table::SelectorStyle::none:
      return Selector::whole;
    case table::SelectorStyle::half2:
    case table::SelectorStyle::half2_f32: {
      constexpr Selector by_raw[] = {Selector::whole, Selector::f32, Selector::h0_h0, Selector::h1_h1};
      return by_raw[raw];
    }
    case table::SelectorStyle::byte:
      return static_cast<Selector>(static_cast<unsigned>(Selector::b0) + raw);
    case table::SelectorStyle::half:
      return raw == 0 ? Selector::h0 : Selector::h1;
  }
  return Selector::whole;
}

void decode_address(const OperandField& field, const Word& word, Operand& operand) {
  const AddressField& address = field.address;
  operand.index = Operand::no_base;
  if (address.base.present()) operand.index = static_cast<std::uint16_t>(address.base.get(word));
  if (address.uniform.present())
    operand.uniform_index = static_cast<std::uint16_t>(address.uniform.get(word));
  if (address.descriptor.present()) {
    operand.descriptor_index = static_cast<std::uint16_t>(address.descriptor.get(word));
  }
  if (address.in_words) {
    operand.value = static_cast<std::int64_t>(address.offset.get(word) * 4);
  } else if (address.offset.present()) {
    operand.value = extend(address.offset.get(word), address.offset.width());
  }
  if (address.scale.present()) {
    constexpr std::uint8_t scales[] = {1, 4, 8, 16};
    operand.scale = scales[address.scale.get(word)];
  }
  operand.wide_base = address.wide || bit(word, address.wide_bit);
  operand.registers = operand.index >= Operand::rz ? 0 : operand.wide_base ? 2 : 1;
  operand.access = Access::read;
}

std::int64_t immediate_bits(const OperandField& field, const Word& word) {
  const std::uint64_t raw = field.value.get(word);
  if (field.number == table::Number::fp64_high) return static_cast<std::int64_t>(raw << 32);
  const std::int64_t value = field.sign ? extend(raw, field.value.width()) : static_cast<std::int64_t>(raw);
  return value * (std::int64_t{1} << field.shift);
}

void decode_operand(const Row& row, const OperandField& field, const Word& word, std::uint64_t offset,
                    Instruction& instruction, Operand& operand) {
  operand.kind = field.kind;
  operand.access = field.access;
  operand.slot = field.slot;
  std::uint64_t raw = 0;
  switch (field.kind) {
    case OperandKind::register_:
      raw = field.index.get(word);
      operand.index = static_cast<std::uint16_t>(raw);
      operand.registers = raw == Operand::rz ? 0 : register_span(row, field, instruction);
      break;
    case OperandKind::uniform_register:
      raw = field.index.get(word);
      operand.index = static_cast<std::uint16_t>(raw);
      operand.registers = raw == Operand::urz ? 0 : register_span(row, field, instruction);
      break;
    case OperandKind::predicate:
    case OperandKind::uniform_predicate:
    case OperandKind::convergence:
    case OperandKind::dependence:
    case OperandKind::special_register:
    case OperandKind::state:
    case OperandKind::descriptor:
      raw = field.index.get(word);
      operand.index = static_cast<std::uint16_t>(field.inverted ? 7 - raw : raw);
      break;
    case OperandKind::immediate:
    case OperandKind::float_immediate:
      raw = field.value.get(word);
      operand.value = immediate_bits(field, word);
      break;
    case OperandKind::constant:
      operand.value = immediate_bits(field, word);
      operand.bank = static_cast<std::uint8_t>(field.bank.get(word));
      operand.registers = field.registers;
      if (field.address.base.present())
        operand.index = static_cast<std::uint16_t>(field.address.base.get(word));
      if (field.address.uniform.present()) {
        operand.uniform_index = static_cast<std::uint16_t>(field.address.uniform.get(word));
      }
      break;
    case OperandKind::bindless_constant:
      operand.value = immediate_bits(field, word);
      operand.uniform_index = static_cast<std::uint16_t>(field.index.get(word));
      operand.registers = field.registers;
      if (field.address.base.present())
        operand.index = static_cast<std::uint16_t>(field.address.base.get(word));
      break;
    case OperandKind::target:
      operand.value = immediate_bits(field, word) + static_cast<std::int64_t>(offset + instruction_bytes);
      break;
    case OperandKind::bitset:
      if (field.value.present()) {
        raw = field.value.get(word);
        operand.value = static_cast<std::int64_t>(raw);
      }
      break;
    case OperandKind::address:
      decode_address(field, word, operand);
      break;
    case OperandKind::none:
      break;
  }
  if (field.negate_bit != table::no_bit) {
    operand.negate = bit(word, field.negate_bit);
    if (operand.negate) raw |= 8;
  }
  operand.absolute = bit(word, field.absolute_bit);
  operand.invert = bit(word, field.invert_bit);
  if (field.selector_style != table::SelectorStyle::none) operand.selector = decode_selector(field, word);
  if (field.reuse_bit != table::no_bit)
    operand.reuse = (instruction.control.reuse >> field.reuse_bit & 1) != 0;
  operand.hidden = field.optional && raw == field.default_raw;
}

bool decode_row(const Row& row, const Word& word, std::uint64_t offset, Instruction& instruction) {
  instruction.opcode = row.opcode;
  for (const ModifierField& modifier : row.modifiers) {
    if (modifier.key == Modifier::count) continue;
    const auto value = modifier.field.get(word);
    if (!modifier.all_valid && !modifier.valid[value]) return false;
    instruction.modifiers[static_cast<std::size_t>(modifier.key)] = static_cast<std::uint8_t>(value);
  }
  instruction.guard.uniform = row.uniform_guard;
  instruction.operand_count = static_cast<std::uint8_t>(row.operands.size());
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    decode_operand(row, row.operands[i], word, offset, instruction, instruction.operand_storage[i]);
  }
  return true;
}

}  // namespace

Instruction decode(const Word& word, Architecture architecture, std::uint64_t offset) {
  Instruction instruction;
  instruction.word = word;
  instruction.architecture = architecture;
  instruction.guard.predicate = static_cast<std::uint8_t>(word.bits(12, 3));
  instruction.guard.negate = word.bits(15, 1) != 0;
  instruction.control = decode_control(word);
  for (const std::uint16_t index : table::candidates(architecture, table::opcode_bits(word))) {
    const Row& row = table::row(index);
    if ((word.low & row.mask.low) != row.value.low || (word.high & row.mask.high) != row.value.high) continue;
    if (decode_row(row, word, offset, instruction)) {
      instruction.row = index;
      return instruction;
    }
    instruction.modifiers = {};
    instruction.opcode = Opcode::unknown;
  }
  return instruction;
}

std::vector<Instruction> decode_section(std::span<const std::uint8_t> code, Architecture architecture) {
  std::vector<Instruction> instructions;
  instructions.reserve(code.size() / instruction_bytes);
  for (std::uint64_t offset = 0; offset + instruction_bytes <= code.size(); offset += instruction_bytes) {
    Word word;
    std::memcpy(&word.low, code.data() + offset, 8);
    std::memcpy(&word.high, code.data() + offset + 8, 8);
    instructions.push_back(decode(word, architecture, offset));
  }
  return instructions;
}

}  // namespace warpgauge::sass
