// Which registers hold a value that some thread may still read.
#pragma once

#include <span>
#include <vector>

#include "model/registers/control_flow.h"
#include "model/registers/effects.h"
#include "model/registers/register_set.h"

namespace warpgauge::registers {

// Live registers at the borders of each block of the control flow.
struct Liveness {
  std::vector<RegisterSet> live_in;
  std::vector<RegisterSet> live_out;
};

// A guarded write keeps the register alive before it: some threads keep the old value.
Liveness liveness(std::span<const sass::Instruction> code, const ControlFlow& flow,
                  const AccessTable& accesses);

// The set before an instruction, from the set after it.
RegisterSet live_before(const sass::Instruction& instruction, Boundary boundary,
                        std::span<const RegisterAccess> accesses, RegisterSet after);

// For each instruction the registers that are live behind it; empty where nothing leads.
std::vector<RegisterSet> live_after_each(std::span<const sass::Instruction> code, const ControlFlow& flow,
                                         const AccessTable& accesses, const Liveness& live);

}  // namespace warpgauge::registers
