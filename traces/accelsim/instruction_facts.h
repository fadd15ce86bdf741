// What a trace line says of an instruction, and what it leaves to the instruction itself.
#pragma once

#include <cstdint>
#include <string>

#include "traces/accelsim/line.h"
#include "traces/sass/instruction.h"
#include "traces/warp_stream.h"

namespace warpgauge::accelsim {

// The access that an instruction makes when it executes.
struct StaticAccess {
  traces::MemorySpace space = traces::MemorySpace::none;  // of a generic access: global
  traces::MemoryAccess access = traces::MemoryAccess::none;
  std::uint8_t bytes = 0;
  bool generic = false;       // the addresses tell the space
  bool uniform = false;       // by the uniform datapath, once for all lanes
  bool fixed = false;         // a constant whose address stands in the instruction:
  std::uint64_t address = 0;  // … this one
};
StaticAccess static_access(const sass::Instruction& instruction);

// Registers, opcode text and immediate of the line; `text` holds the opcode's. Addresses and mask stay.
void describe(TraceLine& line, std::string& text, const sass::Instruction& instruction);

// What a BAR does, as far as the instruction says it.
struct StaticBarrier {
  std::uint8_t number = 0;
  std::uint8_t warps = 0;  // 0: all of the block
  bool waits = true;
};
StaticBarrier static_barrier(const sass::Instruction& instruction);

}  // namespace warpgauge::accelsim
