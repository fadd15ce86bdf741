#include "traces/native/code_map.h"

#include <algorithm>

namespace warpgauge::native {
namespace {

using sass::Opcode;

bool controls(Opcode opcode) {
  switch (opcode) {
    case Opcode::BRA:
    case Opcode::BRX:
    case Opcode::BRXU:
    case Opcode::JMP:
    case Opcode::JMX:
    case Opcode::JMXU:
    case Opcode::CALL:
    case Opcode::RET:
    case Opcode::BSYNC:
    case Opcode::BREAK:
    case Opcode::WARPSYNC:
    case Opcode::ENDCOLLECTIVE:
    case Opcode::YIELD:
    case Opcode::NANOSLEEP:
    case Opcode::EXIT:
    case Opcode::KILL:
    case Opcode::BPT:
    case Opcode::RTT:
    case Opcode::BAR:
    case Opcode::UCGABAR_WAIT:
    case Opcode::unknown:
      return true;
    default:
      return false;
  }
}

bool accesses(Opcode opcode) {
  if (sass::loads_or_stores(opcode)) return true;
  switch (opcode) {
    case Opcode::ULDC:
    case Opcode::REDAS:
    case Opcode::STAS:
    case Opcode::LDGMC:
    case Opcode::TEX:
    case Opcode::TLD:
    case Opcode::TLD4:
    case Opcode::TXD:
    case Opcode::SULD:
    case Opcode::SUST:
    case Opcode::SUATOM:
    case Opcode::SURED:
    case Opcode::unknown:
      return true;
    default:
      return false;
  }
}

// Whose time hangs on what its lanes hold: see Issued::measure.
bool is_measured(const sass::Instruction& i) {
  if (i.opcode == Opcode::MATCH || i.opcode == Opcode::NANOSLEEP) return true;
  return i.opcode == Opcode::WARPSYNC &&
         std::any_of(i.operands().begin(), i.operands().end(),
                     [](const sass::Operand& o) { return o.kind == sass::OperandKind::register_; });
}

}  // namespace

std::vector<std::uint8_t> classify(std::span<const sass::Instruction> code) {
  std::vector<std::uint8_t> classes;
  classes.reserve(code.size());
  for (const sass::Instruction& i : code) {
    unsigned flags = 0;
    if (!i.guard.always()) flags |= class_guarded;
    if (accesses(i.opcode) || sass::prefetches(i)) flags |= class_access;
    if (controls(i.opcode)) flags |= class_control;
    if (i.opcode == Opcode::LDGSTS) flags |= class_copy;
    if (is_measured(i)) flags |= class_measured;
    if (i.opcode == Opcode::CALL) flags |= class_called;
    classes.push_back(static_cast<std::uint8_t>(flags));
  }
  return classes;
}

CodeMap make_code_map(std::span<const sass::Instruction> code, std::vector<std::uint8_t> classes) {
  CodeMap map;
  map.classes = std::move(classes);
  map.classes.push_back(class_end);
  map.slots.assign(code.size(), 0);
  map.targets.assign(code.size(), CodeMap::no_target);
  for (std::size_t i = 0; i < code.size(); ++i) {
    if ((map.classes[i] & class_access) != 0) {
      map.slots[i] = map.slot_count;
      map.slot_count += (map.classes[i] & class_copy) != 0 ? 2 : 1;
    }
    if ((map.classes[i] & class_control) == 0) continue;
    for (const sass::Operand& operand : code[i].operands()) {
      const auto target = static_cast<std::uint64_t>(operand.value) / sass::instruction_bytes;
      if (operand.kind == sass::OperandKind::target && target < code.size())
        map.targets[i] = static_cast<std::uint32_t>(target);
    }
  }
  return map;
}

}  // namespace warpgauge::native
