#include "traces/sass/decode.h"
#include "traces/sass/table.h"

namespace warpgauge::sass {
namespace {

using table::AddressField;
using table::Field;
using table::ModifierField;
using table::OperandField;
using table::Row;

void put_bits(Word& word, unsigned first, unsigned width, std::uint64_t value) {
  Field field;
  field.count = 1;
  field.runs[0] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(width)};
  field.put(word, value);
}

void put_bit(Word& word, std::uint8_t at, bool value) {
  if (at != table::no_bit) put_bits(word, at, 1, value ? 1 : 0);
}

void put_if(Word& word, const Field& field, std::uint64_t value) {
  if (field.present()) field.put(word, value);
}

std::uint64_t selector_bits(const OperandField& field, Selector selector) {
  switch (field.selector_style) {
    case table::SelectorStyle::none:
      return 0;
    case table::SelectorStyle::half2:
    case table::SelectorStyle::half2_f32:
      switch (selector) {
        case Selector::f32:
          return 1;
        case Selector::h0_h0:
          return 2;
        case Selector::h1_h1:
          return 3;
        default:
          return 0;
      }
    case table::SelectorStyle::byte:
      return selector >= Selector::b0 && selector <= Selector::b3
                 ? static_cast<std::uint64_t>(selector) - static_cast<std::uint64_t>(Selector::b0)
                 : 0;
    case table::SelectorStyle::half:
      return selector == Selector::h1 ? 1 : 0;
  }
  return 0;
}

std::uint64_t scale_bits(std::uint8_t scale) {
  switch (scale) {
    case 4:
      return 1;
    case 8:
      return 2;
    case 16:
      return 3;
    default:
      return 0;
  }
}

std::uint64_t immediate_field(const OperandField& field, std::int64_t value) {
  if (field.number == table::Number::fp64_high) return static_cast<std::uint64_t>(value) >> 32;
  return static_cast<std::uint64_t>(value >> field.shift);
}

void encode_operand(const OperandField& field, const Operand& operand, std::uint64_t offset, Word& word) {
  const AddressField& address = field.address;
  switch (field.kind) {
    case OperandKind::address:
      put_if(word, address.base, operand.index);
      put_if(word, address.uniform, operand.uniform_index);
      put_if(word, address.descriptor, operand.descriptor_index);
      put_if(word, address.offset, static_cast<std::uint64_t>(operand.value) >> (address.in_words ? 2U : 0U));
      put_if(word, address.scale, scale_bits(operand.scale));
      put_bit(word, address.wide_bit, operand.wide_base);
      break;
    case OperandKind::constant:
      put_if(word, field.value, immediate_field(field, operand.value));
      put_if(word, field.bank, operand.bank);
      put_if(word, address.base, operand.index);
      put_if(word, address.uniform, operand.uniform_index);
      break;
    case OperandKind::bindless_constant:
      put_if(word, field.value, immediate_field(field, operand.value));
      put_if(word, field.index, operand.uniform_index);
      put_if(word, address.base, operand.index);
      break;
    case OperandKind::target:
      put_if(word, field.value,
             immediate_field(field, operand.value - static_cast<std::int64_t>(offset + instruction_bytes)));
      break;
    default:
      put_if(word, field.index, field.inverted ? 7U - operand.index : operand.index);
      put_if(word, field.value, immediate_field(field, operand.value));
  }
  put_bit(word, field.negate_bit, operand.negate);
  put_bit(word, field.absolute_bit, operand.absolute);
  put_bit(word, field.invert_bit, operand.invert);
  if (field.selector_style != table::SelectorStyle::none) {
    field.selector.put(word, selector_bits(field, operand.selector));
  }
}

void encode_frame(const Instruction& instruction, Word& word) {
  put_bits(word, 12, 3, instruction.guard.predicate);
  put_bits(word, 15, 1, instruction.guard.negate ? 1 : 0);
  const Control& control = instruction.control;
  put_bits(word, 105, 4, control.stall);
  put_bits(word, 109, 1, control.yield ? 0 : 1);
  put_bits(word, 110, 3, control.write_barrier);
  put_bits(word, 113, 3, control.read_barrier);
  put_bits(word, 116, 6, control.wait_mask);
  put_bits(word, 122, 4, control.reuse);
}

}  // namespace

Word encode(const Instruction& instruction, std::uint64_t offset) {
  if (instruction.opcode == Opcode::unknown) return instruction.word;
  const Row& row = table::row(instruction.row);
  Word word = row.value;
  for (const ModifierField& modifier : row.modifiers) {
    if (modifier.key != Modifier::count) modifier.field.put(word, instruction.modifier(modifier.key));
  }
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    encode_operand(row.operands[i], instruction.operand_storage[i], offset, word);
  }
  encode_frame(instruction, word);
  return word;
}

}  // namespace warpgauge::sass
