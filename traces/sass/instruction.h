// One decoded 128-bit machine instruction: a value that nothing changes after decoding.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "traces/sass/architecture.h"
#include "traces/sass/control.h"
#include "traces/sass/modifier.h"
#include "traces/sass/opcode.h"
#include "traces/sass/operand.h"

namespace warpgauge::sass {

// The bytes as they lie in memory: little-endian, low half first.
struct Word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  // Bits [first, first + width), width 1…64; may straddle the two halves.
  [[nodiscard]] constexpr std::uint64_t bits(unsigned first, unsigned width) const {
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    if (first >= 64) return (high >> (first - 64)) & mask;
    std::uint64_t value = low >> first;
    if (first != 0 && first + width > 64) value |= high << (64 - first);
    return value & mask;
  }

  friend constexpr bool operator==(const Word&, const Word&) = default;
};

inline constexpr std::uint64_t instruction_bytes = 16;

struct Guard {
  std::uint8_t predicate = Operand::pt;
  bool negate = false;
  bool uniform = false;  // a uniform predicate guards a uniform-datapath instruction
  [[nodiscard]] bool always() const { return predicate == Operand::pt && !negate; }
  friend bool operator==(const Guard&, const Guard&) = default;
};

struct Instruction {
  static constexpr std::size_t max_operands = 10;

  Word word;
  Architecture architecture = Architecture::sm90;
  Opcode opcode = Opcode::unknown;
  std::uint16_t row = 0;  // the opcode table's row that matched: opcode, operand form and architectures
  Guard guard;
  Control control;

  // Destinations first, then sources, in the order in which nvdisasm prints them.
  std::uint8_t operand_count = 0;
  std::array<Operand, max_operands> operand_storage{};

  std::array<std::uint8_t, static_cast<std::size_t>(Modifier::count)> modifiers{};

  [[nodiscard]] std::span<const Operand> operands() const { return {operand_storage.data(), operand_count}; }
  [[nodiscard]] const Operand& operand(std::size_t i) const { return operand_storage[i]; }

  // The raw field value of a modifier; 0 where the opcode has no such field.
  [[nodiscard]] unsigned modifier(Modifier m) const { return modifiers[static_cast<std::size_t>(m)]; }
  [[nodiscard]] bool has(Modifier m) const { return modifier(m) != 0; }
  template <class Enum>
  [[nodiscard]] Enum modifier_as(Modifier m) const {
    return static_cast<Enum>(modifier(m));
  }
};

// Whether it fetches lines into the L2 ahead of their loads: CCTL.PF1, .PF2 and .PML2 (PTX prefetch). Those of local and shared memory have
// opcodes of their own, and without an address it does something else.
inline bool prefetches(const Instruction& i) {
  if (i.opcode != Opcode::CCTL) return false;
  constexpr unsigned pf1 = 0, pf2 = 1, pml2 = 9;
  const unsigned kind = i.modifier(Modifier::cctl_op);
  if (kind != pf1 && kind != pf2 && kind != pml2) return false;
  for (const Operand& operand : i.operands())
    if (operand.kind == OperandKind::address) return true;
  return false;
}

}  // namespace warpgauge::sass
