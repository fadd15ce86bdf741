// Random but well-formed programs: branches, loops, guards, pairs and quads, loads and stores with and
// without dependence counters.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::registers::kit {

struct ProgramShape {
  unsigned instructions = 60;
  unsigned registers = 24;  // R0…R(registers-1) are used
  bool branches = true;
};

std::vector<sass::Instruction> random_program(std::uint64_t seed, const ProgramShape& shape);

}  // namespace warpgauge::registers::kit
