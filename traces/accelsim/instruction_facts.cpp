#include "traces/accelsim/instruction_facts.h"

#include <algorithm>
#include <array>

#include "traces/sass/print.h"

namespace warpgauge::accelsim {
namespace {

using sass::Access;
using sass::Modifier;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;
using traces::MemoryAccess;
using traces::MemorySpace;

std::uint8_t width_bytes(const sass::Instruction& i) {
  constexpr std::array<std::uint8_t, 8> bytes{1, 1, 2, 2, 4, 8, 16, 16};
  return bytes[i.modifier(Modifier::width) & 7U];
}

bool reads(const Operand& operand) {
  return operand.access == Access::read || operand.access == Access::read_write;
}

// What an atomic takes from each lane.
std::uint8_t data_bytes(const sass::Instruction& i) {
  for (const Operand& operand : i.operands())
    if (operand.kind == OperandKind::register_ && reads(operand))
      return static_cast<std::uint8_t>(4 * std::max<unsigned>(operand.registers, 1));
  return 4;
}

bool takes_data(const sass::Instruction& i) {
  return std::any_of(i.operands().begin(), i.operands().end(), [](const Operand& operand) {
    return operand.kind == OperandKind::register_ && reads(operand);
  });
}

// ATOM answers, whether or not anyone wants to know.
bool returns(const sass::Instruction& i) {
  if (i.opcode == Opcode::ATOM || i.opcode == Opcode::ATOMG) return true;
  for (const Operand& operand : i.operands())
    if (operand.kind == OperandKind::register_ && operand.access == Access::write)
      return operand.index != Operand::rz;
  return false;
}

void constant_access(StaticAccess& a, const sass::Instruction& i) {
  for (const Operand& operand : i.operands()) {
    if (operand.kind != OperandKind::constant) continue;
    const bool indexed = operand.index != Operand::no_base && operand.index != Operand::rz;
    const bool by_uniform =
        operand.uniform_index != Operand::no_base && operand.uniform_index != Operand::urz;
    // The uniform datapath has no general registers to index with.
    a.fixed = (a.uniform || !indexed) && !by_uniform;
    a.address = a.fixed ? sass::constant_place(operand) : static_cast<std::uint64_t>(operand.value);
  }
}

}  // namespace

StaticAccess static_access(const sass::Instruction& i) {
  StaticAccess a;
  const auto set = [&](MemorySpace space, MemoryAccess access, unsigned bytes) {
    a.space = space;
    a.access = access;
    a.bytes = static_cast<std::uint8_t>(bytes);
  };
  const auto atomic = [&](MemorySpace space) {
    set(space, returns(i) ? MemoryAccess::atomic : MemoryAccess::reduction, data_bytes(i));
  };
  switch (i.opcode) {
    case Opcode::LDG:
      set(MemorySpace::global, MemoryAccess::load, width_bytes(i));
      break;
    case Opcode::LD:
      set(MemorySpace::global, MemoryAccess::load, width_bytes(i));
      a.generic = true;
      break;
    case Opcode::LDS:
      set(MemorySpace::shared, MemoryAccess::load, width_bytes(i));
      break;
    case Opcode::LDL:
      set(MemorySpace::local, MemoryAccess::load, width_bytes(i));
      break;
    case Opcode::STG:
      set(MemorySpace::global, MemoryAccess::store, width_bytes(i));
      break;
    case Opcode::ST:
      set(MemorySpace::global, MemoryAccess::store, width_bytes(i));
      a.generic = true;
      break;
    case Opcode::STS:
      set(MemorySpace::shared, MemoryAccess::store, width_bytes(i));
      break;
    case Opcode::STL:
      set(MemorySpace::local, MemoryAccess::store, width_bytes(i));
      break;
    case Opcode::LDC:
    case Opcode::ULDC:
      set(MemorySpace::constant, MemoryAccess::load, width_bytes(i));
      a.uniform = i.opcode == Opcode::ULDC;
      constant_access(a, i);
      break;
    case Opcode::LDSM:
      set(MemorySpace::shared, MemoryAccess::load, 16);
      break;
    case Opcode::STSM:
      set(MemorySpace::shared, MemoryAccess::store, 16);
      break;
    case Opcode::LDGSTS:
      set(MemorySpace::global, MemoryAccess::copy, width_bytes(i));
      break;
    case Opcode::ATOM:
      atomic(MemorySpace::global);
      a.generic = true;
      break;
    case Opcode::ATOMG:
    case Opcode::RED:
    case Opcode::REDG:
      atomic(MemorySpace::global);
      break;
    case Opcode::ATOMS:
      atomic(MemorySpace::shared);
      // The counting forms take no data, and always return.
      if (!takes_data(i)) a.access = MemoryAccess::atomic;
      break;
    default:
      break;
  }
  return a;
}

void describe(TraceLine& line, std::string& text, const sass::Instruction& i) {
  text.clear();
  sass::print_to(text, i);
  // The guard goes; the name ends at the first blank.
  if (text.starts_with('@')) text.erase(0, text.find(' ') + 1);
  text.resize(std::min(text.find_first_of(" ;"), text.size()));
  line.opcode = text;
  line.destination = no_register;
  line.source_count = 0;
  line.immediate = 0;
  const auto source = [&](std::uint16_t number) {
    if (line.source_count < most_sources) line.sources[line.source_count++] = number;
  };
  for (const Operand& operand : i.operands()) {
    if (operand.hidden) continue;
    switch (operand.kind) {
      case OperandKind::register_:
        if (reads(operand))
          source(operand.index);
        else if (line.destination == no_register)
          line.destination = operand.index;
        break;
      case OperandKind::address:
        source(operand.index == Operand::no_base ? Operand::rz : operand.index);
        break;
      case OperandKind::immediate:
        line.immediate = operand.value;
        break;
      default:
        break;
    }
  }
}

StaticBarrier static_barrier(const sass::Instruction& i) {
  StaticBarrier b;
  const auto mode = static_cast<sass::BarrierMode>(i.modifier(Modifier::barrier_mode));
  b.waits = mode != sass::BarrierMode::arrive;
  unsigned at = 0;
  for (const Operand& operand : i.operands()) {
    const bool value = operand.kind == OperandKind::immediate || operand.kind == OperandKind::register_;
    if (!value || operand.hidden) continue;
    if (operand.kind == OperandKind::immediate) {
      if (at == 0) b.number = static_cast<std::uint8_t>(operand.value & 15);
      if (at == 1)
        b.warps = static_cast<std::uint8_t>(std::min<std::int64_t>((operand.value + 31) / 32, 32) & 0x3f);
    }
    ++at;
  }
  return b;
}

}  // namespace warpgauge::accelsim
