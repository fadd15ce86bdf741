// Code for a kernel whose cubin is not at hand: from the names and registers that its lines have, an encoding
// of each instruction that has them. What the lines do not say (predicates, immediates, constants, modifiers
// of no known name) is left at its default, and the control words say nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "traces/accelsim/line.h"
#include "traces/sass/instruction.h"

namespace warpgauge::accelsim {

struct PseudoInstruction {
  std::string opcode;
  std::uint16_t destination = no_register;
  std::vector<std::uint16_t> sources;
  bool guarded = false;  // lanes that its neighbours have did not execute it
  friend bool operator==(const PseudoInstruction&, const PseudoInstruction&) = default;
};

// The word of an instruction of that name whose operands take the registers; `known` is false, and the word
// one that does not decode, where no opcode has the name.
sass::Word pseudo_word(const PseudoInstruction& instruction, sass::Architecture architecture, bool& known);

}  // namespace warpgauge::accelsim
