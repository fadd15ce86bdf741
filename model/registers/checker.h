// Proves that rewritten code means what the original means, or names what breaks it.
//
// The checker knows nothing of webs and colours. It walks the control flow with a relation between the
// registers of the two programs: which register of the new code holds, on every way, the value of which
// register of the old code. Each read must stand in that relation. Besides it compares everything that must
// not change, and checks alignment, registers in flight and reuse flags.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/registers/control_flow.h"

namespace warpgauge::registers {

struct Fault {
  std::uint64_t address = 0;  // in the code section
  std::string what;
};

struct CheckOptions {
  std::uint32_t entry = 0;
  std::vector<BranchTargets> indirect;
  unsigned limit = 255;  // registers of the thread: R0…R(limit-1)
  unsigned banks = 2;    // 1…8, for the reuse cache
  std::size_t most_faults = 16;
};

// Empty when the codes are equivalent. Throws Refusal for an original that cannot be analysed.
std::vector<Fault> check(std::span<const sass::Instruction> original,
                         std::span<const sass::Instruction> rewritten, const CheckOptions& options = {});

}  // namespace warpgauge::registers
