#include "traces/accelsim/pseudo_code.h"

#include <algorithm>
#include <unordered_map>

#include "traces/sass/decode.h"
#include "traces/sass/table.h"

namespace warpgauge::accelsim {
namespace {

using sass::Access;
using sass::Opcode;
using sass::OperandKind;
using sass::table::ModifierField;
using sass::table::OperandField;
using sass::table::Row;

const std::unordered_map<std::string_view, Opcode>& opcodes() {
  static const auto table = [] {
    std::unordered_map<std::string_view, Opcode> map;
    for (unsigned i = 1; i < static_cast<unsigned>(Opcode::count); ++i)
      map.emplace(sass::mnemonic(static_cast<Opcode>(i)), static_cast<Opcode>(i));
    return map;
  }();
  return table;
}

// The longest prefix, up to a dot, that is a mnemonic: IMAD.WIDE before IMAD.
Opcode find_opcode(std::string_view text, std::string_view& modifiers) {
  for (std::size_t end = text.size(); end != 0 && end != std::string_view::npos;
       end = text.rfind('.', end - 1)) {
    const auto found = opcodes().find(text.substr(0, end));
    if (found == opcodes().end()) continue;
    modifiers = text.substr(end);
    return found->second;
  }
  return Opcode::unknown;
}

bool begins_with(std::string_view text, std::string_view name) {
  return text.starts_with(name) && (text.size() == name.size() || text[name.size()] == '.');
}

bool is_valid(const ModifierField& field, std::size_t value) {
  return field.all_valid || (value < field.valid.size() && field.valid[value]);
}

// What is not named is what prints nothing.
void set_default_modifiers(sass::Word& word, const Row& row) {
  for (const ModifierField& field : row.modifiers) {
    if (!field.field.present()) continue;
    std::size_t chosen = field.names.size();
    for (std::size_t v = field.names.size(); v-- > 0;)
      if (is_valid(field, v) &&
          (field.names[v].empty() || chosen == field.names.size() || !field.names[chosen].empty()))
        chosen = v;
    if (chosen < field.names.size()) field.field.put(word, chosen);
  }
}

// Sets the modifiers that the text names, in the order in which the row has them. Returns how many characters
// of the text found no place.
std::size_t set_modifiers(sass::Word& word, const Row& row, std::string_view text) {
  std::size_t lost = 0;
  std::size_t next = 0;
  while (!text.empty()) {
    std::size_t taken = 0;
    for (std::size_t m = next; m < row.modifiers.size() && taken == 0; ++m) {
      const ModifierField& field = row.modifiers[m];
      std::size_t value = 0;
      for (std::size_t v = 0; v < field.names.size(); ++v) {
        if (!is_valid(field, v) || field.names[v].size() <= taken || !begins_with(text, field.names[v]))
          continue;
        taken = field.names[v].size();
        value = v;
      }
      if (taken == 0) continue;
      if (field.field.present()) field.field.put(word, value);
      next = m + 1;
    }
    if (taken == 0) {
      taken = std::min(text.find('.', 1), text.size());
      lost += taken;
    }
    text.remove_prefix(taken);
  }
  return lost;
}

struct Registers {
  std::uint16_t destination;
  const std::vector<std::uint16_t>& sources;
};

// Puts the registers into the row's operands. Returns by how many the two differ.
std::size_t set_registers(sass::Word& word, const Row& row, const Registers& registers) {
  std::size_t next = 0;
  std::size_t lost = 0;
  bool written = false;
  bool placed = registers.destination == no_register;
  const auto take = [&]() -> std::uint64_t {
    if (next < registers.sources.size()) return registers.sources[next++];
    ++lost;
    return sass::Operand::rz;
  };
  for (const OperandField& field : row.operands) {
    switch (field.kind) {
      case OperandKind::register_:
        if (!field.index.present()) break;
        if (field.access != Access::write) {
          field.index.put(word, take());
        } else {
          if (!written && registers.destination == no_register) ++lost;
          field.index.put(word, placed ? sass::Operand::rz : registers.destination);
          placed = true;
          written = true;
        }
        break;
      case OperandKind::address:
        if (field.address.base.present()) field.address.base.put(word, take());
        if (field.address.uniform.present())
          field.address.uniform.put(word, (std::uint64_t{1} << field.address.uniform.width()) - 1);
        break;
      case OperandKind::predicate:
      case OperandKind::uniform_predicate:
        if (!field.index.present()) break;
        if (field.optional)
          field.index.put(word, field.default_raw);
        else
          field.index.put(word, field.inverted ? 0 : sass::Operand::pt);
        break;
      case OperandKind::uniform_register:
        if (field.index.present()) field.index.put(word, (std::uint64_t{1} << field.index.width()) - 1);
        break;
      default:
        break;
    }
  }
  return lost + (registers.sources.size() - next) + (placed ? 0 : 1);
}

constexpr unsigned guard_bit = 12;
constexpr std::uint64_t always = 7;

// Stalls for one cycle, waits for nothing, sets no counter.
constexpr std::uint64_t plain_control = 0x000fe20000000000;

// A word that no row of the opcode table matches: it may do anything that a line says of it.
constexpr sass::Word unknown_word{0x7fff, plain_control};

}  // namespace

sass::Word pseudo_word(const PseudoInstruction& instruction, sass::Architecture architecture, bool& known) {
  std::string_view modifiers;
  const Opcode opcode = find_opcode(instruction.opcode, modifiers);
  const auto bit = static_cast<unsigned>(1U << sass::table::architecture_index(architecture));
  sass::Word best = unknown_word;
  std::size_t best_loss = ~std::size_t{0};
  known = false;
  if (opcode == Opcode::unknown) return best;
  for (const Row& row : sass::table::rows()) {
    if (row.opcode != opcode || (row.architectures & bit) == 0) continue;
    sass::Word word = row.value;
    word.low |= row.code & 0xfffU;
    word.high |= std::uint64_t{row.code & 0x1000U} << 15;
    // P0 stands for a guard whose number the lines do not say.
    word.low |= instruction.guarded ? 0 : always << guard_bit;
    word.high |= plain_control;
    set_default_modifiers(word, row);
    const std::size_t loss = 8 * set_registers(word, row, {instruction.destination, instruction.sources}) +
                             set_modifiers(word, row, modifiers);
    if (loss >= best_loss || sass::decode(word, architecture).opcode != opcode) continue;
    best = word;
    best_loss = loss;
    known = true;
  }
  return best;
}

}  // namespace warpgauge::accelsim
