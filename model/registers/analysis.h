// Everything that is known of a kernel's registers, computed once.
#pragma once

#include <span>

#include "model/registers/interference.h"

namespace warpgauge::registers {

// Refers to `code`, which must outlive it.
struct Analysis {
  std::span<const sass::Instruction> code;
  ControlFlow flow;
  AccessTable accesses;
  Liveness live;
  Webs webs;
  InterferenceGraph graph;

  [[nodiscard]] WebId web_of(std::uint32_t instruction, std::size_t access) const {
    return webs.of_access[accesses.first(instruction) + access];
  }
};

// Throws Refusal; see control_flow().
Analysis analyse(std::span<const sass::Instruction> code, std::uint32_t entry = 0,
                 std::span<const BranchTargets> indirect = {});

// The highest register that reachable code names, plus one.
unsigned registers_used(const Analysis& analysis);

// Where each web lives: a register by WebId.
using Assignment = std::vector<std::uint8_t>;

// The assignment that the code has.
Assignment original_assignment(const Analysis& analysis);

// Whether an assignment keeps every constraint: interference, groups, alignment, pins, registers below
// `limit`.
bool is_valid(const Analysis& analysis, const Assignment& assignment, unsigned limit);

}  // namespace warpgauge::registers
