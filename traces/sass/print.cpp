#include "traces/sass/print.h"

#include <bit>

#include "traces/sass/number.h"
#include "traces/sass/table.h"

namespace warpgauge::sass {
namespace {

using table::ModifierField;
using table::OperandField;
using table::Row;

void append_register(std::string& out, unsigned index) {
  out += 'R';
  if (index == Operand::rz) {
    out += 'Z';
  } else {
    append_decimal(out, index);
  }
}

void append_uniform(std::string& out, unsigned index) {
  out += "UR";
  if (index == Operand::urz) {
    out += 'Z';
  } else {
    append_decimal(out, index);
  }
}

void append_predicate(std::string& out, const Operand& operand, bool uniform) {
  if (operand.negate) out += '!';
  if (uniform) out += 'U';
  out += 'P';
  out += operand.index == Operand::pt ? 'T' : static_cast<char>('0' + operand.index);
}

void append_offset(std::string& out, std::int64_t value, bool first) {
  if (value == 0 && !first) return;
  if (!first) out += '+';
  append_signed_hex(out, value);
}

void append_address(std::string& out, const OperandField& field, const Operand& operand,
                    Architecture architecture) {
  const table::AddressField& address = field.address;
  if (address.descriptor.present()) {
    out += "desc[";
    append_uniform(out, operand.descriptor_index);
    out += ']';
    if (address.bare_descriptor) return;
  }
  out += '[';
  bool first = true;
  const bool narrow = address.wide_bit != table::no_bit && !operand.wide_base;
  const bool has_uniform =
      address.uniform.present() && !(address.hide_urz && operand.uniform_index == Operand::urz);
  const bool offset_alone = !has_uniform && operand.value != 0 && !address.print_wide;
  // RZ is left out where something else stands between the brackets, unless its scale or on Hopper its width
  // is to be seen beside a uniform register.
  const bool zero = operand.index == Operand::rz;
  const bool marked = has_uniform && (operand.scale != 1 || (narrow && architecture >= Architecture::sm90));
  if (address.base.present() && (!zero || marked || !(has_uniform || offset_alone))) {
    append_register(out, operand.index);
    if (address.print_wide) out += operand.wide_base ? ".64" : ".U32";
    if (operand.scale != 1 && (!zero || marked)) {
      out += ".X";
      append_decimal(out, operand.scale);
    }
    first = false;
  }
  if (has_uniform) {
    if (!first) out += '+';
    append_uniform(out, operand.uniform_index);
    first = false;
  }
  // An offset that stands alone is an address: not signed.
  const std::int64_t address_bits = (std::int64_t{1} << address.offset.width()) - 1;
  append_offset(out, first ? operand.value & address_bits : operand.value, first);
  out += ']';
}

void append_constant(std::string& out, const OperandField& field, const Operand& operand) {
  if (operand.kind == OperandKind::bindless_constant) {
    out += "cx[";
    append_uniform(out, operand.uniform_index);
  } else {
    out += "c[";
    append_hex(out, operand.bank);
  }
  out += field.divided ? "] [" : "][";
  bool first = true;
  if (field.address.base.present() && operand.index != Operand::rz) {
    append_register(out, operand.index);
    first = false;
  }
  if (operand.kind == OperandKind::constant && field.address.uniform.present() &&
      operand.uniform_index != Operand::urz) {
    if (!first) out += '+';
    append_uniform(out, operand.uniform_index);
    first = false;
  }
  if (first && field.address.base.present() && operand.value == 0) {
    append_register(out, Operand::rz);
  } else {
    append_offset(out, operand.value, first);
  }
  out += ']';
}

void append_immediate(std::string& out, const OperandField& field, const Operand& operand) {
  if (!field.names.empty()) {
    const auto value = static_cast<std::size_t>(operand.value);
    if (value < field.names.size()) {
      out += field.names[value];
    } else {
      out += "INVALID";
      append_decimal(out, value);
    }
    return;
  }
  switch (field.number) {
    case table::Number::unsigned_hex:
      append_hex(out, static_cast<std::uint64_t>(operand.value));
      break;
    case table::Number::signed_hex:
      append_signed_hex(out, operand.value);
      break;
    case table::Number::decimal:
      append_decimal(out, static_cast<std::uint64_t>(operand.value));
      break;
    default:
      append_float(out, field.number, static_cast<std::uint64_t>(operand.value));
  }
}

// {3,1}: the numbers of the set bits, highest first.
void append_bits(std::string& out, std::uint64_t value) {
  out += '{';
  bool first = true;
  for (int i = 63; i >= 0; --i) {
    if ((value >> i & 1) == 0) continue;
    if (!first) out += ',';
    append_decimal(out, static_cast<std::uint64_t>(i));
    first = false;
  }
  out += '}';
}

std::string_view selector_text(const OperandField& field, Selector selector, Architecture architecture) {
  switch (selector) {
    case Selector::h0_h0:
      return ".H0_H0";
    case Selector::h1_h1:
      return ".H1_H1";
    case Selector::f32:
      return field.selector_style == table::SelectorStyle::half2_f32 || architecture < Architecture::sm90
                 ? ".F32"
                 : ".INVALID1";
    case Selector::b1:
      return ".B1";
    case Selector::b2:
      return ".B2";
    case Selector::b3:
      return ".B3";
    case Selector::h1:
      return ".H1";
    default:
      break;
  }
  return {};
}

constexpr std::string_view states[] = {"B0",
                                       "B1",
                                       "B2",
                                       "B3",
                                       "B4",
                                       "B5",
                                       "B6",
                                       "B7",
                                       "B8",
                                       "B9",
                                       "B10",
                                       "B11",
                                       "B12",
                                       "B13",
                                       "B14",
                                       "B15",
                                       "THREAD_STATE_ENUM.0",
                                       "THREAD_STATE_ENUM.1",
                                       "THREAD_STATE_ENUM.2",
                                       "THREAD_STATE_ENUM.3",
                                       "THREAD_STATE_ENUM.4",
                                       "TRAP_RETURN_PC.LO",
                                       "TRAP_RETURN_PC.HI",
                                       "TRAP_RETURN_MASK",
                                       "MEXITED",
                                       "MKILL",
                                       "MACTIVE",
                                       "MATEXIT",
                                       "OPT_STACK",
                                       "API_CALL_DEPTH",
                                       "ATEXIT_PC.LO",
                                       "ATEXIT_PC.HI",
                                       "MCOLLECTIVE"};

void append_operand(std::string& out, const OperandField& field, const Operand& operand,
                    Architecture architecture) {
  switch (operand.kind) {
    case OperandKind::predicate:
      append_predicate(out, operand, false);
      return;
    case OperandKind::uniform_predicate:
      append_predicate(out, operand, true);
      return;
    default:
      break;
  }
  if (operand.negate) out += '-';
  if (operand.invert) out += '~';
  if (operand.absolute) out += '|';
  switch (operand.kind) {
    case OperandKind::register_:
      append_register(out, operand.index);
      break;
    case OperandKind::uniform_register:
      append_uniform(out, operand.index);
      break;
    case OperandKind::convergence:
      out += 'B';
      append_decimal(out, operand.index);
      break;
    case OperandKind::dependence:
      out += operand.index > 5 ? "INVALID" : "SB";
      append_decimal(out, operand.index);
      break;
    case OperandKind::immediate:
    case OperandKind::float_immediate:
      if (!field.literal.empty()) out += field.literal;
      append_immediate(out, field, operand);
      break;
    case OperandKind::constant:
    case OperandKind::bindless_constant:
      append_constant(out, field, operand);
      break;
    case OperandKind::address:
      out += field.literal;
      append_address(out, field, operand, architecture);
      break;
    case OperandKind::descriptor:
      out += field.literal;
      append_uniform(out, operand.index);
      out += ']';
      break;
    case OperandKind::special_register:
      out += special_register_name(operand.index, architecture);
      break;
    case OperandKind::target:
      append_signed_hex(out, operand.value);
      break;
    case OperandKind::state:
      if (operand.index < std::size(states)) {
        out += thread_state_name(operand.index);
      } else {
        out += "INVALID";
        append_decimal(out, operand.index);
      }
      break;
    case OperandKind::bitset:
      if (field.value.present()) {
        append_bits(out, static_cast<std::uint64_t>(operand.value));
      } else {
        out += field.literal;
      }
      break;
    default:
      break;
  }
  // The bars stand around a general register alone, around other sources and a half with what they select.
  const bool selects = field.selector_style != table::SelectorStyle::none;
  const bool inside = operand.kind != OperandKind::register_ ||
                      (field.selector_style == table::SelectorStyle::half && operand.absolute);
  if (selects && inside) out += selector_text(field, operand.selector, architecture);
  if (operand.absolute) out += '|';
  if (operand.reuse) out += ".reuse";
  if (selects && !inside) out += selector_text(field, operand.selector, architecture);
  out += field.suffix;
}

bool is_zero_register(const Operand& operand) {
  return operand.kind == OperandKind::register_ && operand.index == Operand::rz;
}

// nvdisasm names the uses of IMAD that replace another instruction. What it calls so was found by probing.
std::string_view imad_alias(const Instruction& instruction) {
  if (instruction.operand_count < 4 || instruction.has(Modifier::extended)) return {};
  const Operand& a = instruction.operand(1);
  const Operand& b = instruction.operand(2);
  const Operand& c = instruction.operand(3);
  for (const Operand* source : {&b, &c}) {
    if (source->kind == OperandKind::uniform_register || source->kind == OperandKind::bindless_constant)
      return {};
  }
  if (is_zero_register(a) || is_zero_register(b)) return ".MOV";
  if (b.kind != OperandKind::immediate || b.value < 0) return {};
  if (b.value == 0) return ".MOV";
  if (b.value == 1) return is_zero_register(c) ? ".MOV" : ".IADD";
  if (is_zero_register(c) && b.value != 0x10000 && std::has_single_bit(static_cast<std::uint64_t>(b.value))) {
    return ".SHL";
  }
  return {};
}

void append_guard(std::string& out, const Guard& guard) {
  if (guard.always()) return;
  out += '@';
  if (guard.negate) out += '!';
  if (guard.uniform) out += 'U';
  out += 'P';
  out += guard.predicate == Operand::pt ? 'T' : static_cast<char>('0' + guard.predicate);
  out += ' ';
}

}  // namespace

std::string_view thread_state_name(unsigned index) {
  return index < std::size(states) ? states[index] : std::string_view{};
}

std::optional<unsigned> thread_state_number(std::string_view name) {
  for (unsigned i = 0; i < std::size(states); ++i) {
    if (states[i] == name) return i;
  }
  return std::nullopt;
}

void print_to(std::string& out, const Instruction& instruction) {
  if (instruction.opcode == Opcode::unknown) {
    out += ".unknown ";
    append_hex(out, instruction.word.low);
    out += ", ";
    append_hex(out, instruction.word.high);
    return;
  }
  const Row& row = table::row(instruction.row);
  append_guard(out, instruction.guard);
  out += row.name;
  if (instruction.opcode == Opcode::IMAD) out += imad_alias(instruction);
  for (const ModifierField& modifier : row.modifiers) {
    out += modifier.names[modifier.key == Modifier::count ? 0 : instruction.modifier(modifier.key)];
  }
  bool first = true;
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const Operand& operand = instruction.operand_storage[i];
    if (operand.hidden) continue;
    const OperandField& field = row.operands[i];
    out += first || field.spaced ? " " : ", ";
    first = false;
    append_operand(out, field, operand, instruction.architecture);
  }
}

std::string print(const Instruction& instruction) {
  std::string text;
  print_to(text, instruction);
  return text;
}

std::string print_operand(const Instruction& instruction, std::size_t index) {
  std::string text;
  if (instruction.opcode == Opcode::unknown || index >= instruction.operand_count) return text;
  append_operand(text, table::row(instruction.row).operands[index], instruction.operand_storage[index],
                 instruction.architecture);
  return text;
}

void print_control_to(std::string& out, const Control& control) {
  out += "[B";
  for (unsigned i = 0; i < 6; ++i) {
    out += (control.wait_mask >> i & 1) != 0 ? static_cast<char>('0' + i) : '-';
  }
  const auto barrier = [&](char name, std::uint8_t index) {
    out += ':';
    out += name;
    out += index == Control::no_barrier ? '-' : static_cast<char>('0' + index);
  };
  barrier('R', control.read_barrier);
  barrier('W', control.write_barrier);
  out += ':';
  out += control.yield ? 'Y' : '-';
  out += ":S";
  out += static_cast<char>('0' + control.stall / 10);
  out += static_cast<char>('0' + control.stall % 10);
  out += ']';
}

std::string print_control(const Control& control) {
  std::string text;
  print_control_to(text, control);
  return text;
}

}  // namespace warpgauge::sass
