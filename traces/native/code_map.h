// What a trace stores for each instruction of a kernel follows from what the instruction is; the rest of the
// stream costs nothing. The classes are written into the trace, so that a later version may divide otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::native {

enum : std::uint8_t {
  class_guarded = 1,  // the guard may hold for some of the active lanes only
  class_access = 2,   // may access memory
  class_control = 4,  // may change where the warp goes on, its lanes, or wait
  class_copy = 8,     // accesses shared memory at addresses of its own besides (LDGSTS)
  class_end = 16,     // behind the last instruction, where nothing executes
  class_measured = 32,  // takes a time that hangs on what its lanes hold (MATCH, WARPSYNC, NANOSLEEP)
  class_called = 64,    // may call a function of the driver's
  all_classes = class_guarded | class_access | class_control | class_copy | class_measured | class_called,
};

struct CodeMap {
  static constexpr std::uint32_t no_target = 0xffffffff;

  std::vector<std::uint8_t> classes;   // one an instruction, then class_end
  std::vector<std::uint32_t> slots;    // of an access: its number; a copy has two
  std::vector<std::uint32_t> targets;  // index of the static target, or no_target
  std::uint32_t slot_count = 0;

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(slots.size()); }
};

std::vector<std::uint8_t> classify(std::span<const sass::Instruction> code);

// `classes` has one entry an instruction.
CodeMap make_code_map(std::span<const sass::Instruction> code, std::vector<std::uint8_t> classes);

}  // namespace warpgauge::native
