// Runs code on one thread with hashes for values: what every instruction reads, in the order of execution.
// Two programs whose traces are equal compute the same, whatever their instructions do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::registers::kit {

// One entry for each executed instruction: a hash of its index and of all it reads. Branches are decided by
// the hashes in the predicates; `seed` changes what memory holds. Stops after `steps`.
std::vector<std::uint64_t> symbolic_trace(std::span<const sass::Instruction> code, std::uint64_t seed,
                                          std::size_t steps = 600);

}  // namespace warpgauge::registers::kit
