// Control words for code that has none: what a scoreboard on registers would make a warp wait for, said by
// stall counts and dependence counters.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::accelsim {

// `latency` says how many cycles after issue an instruction's result can be read, where that is fixed.
// Instructions whose time is not known beforehand get one of the six counters; who touches their registers
// waits for it.
std::vector<sass::Instruction> with_scoreboard(
    std::span<const sass::Instruction> code,
    const std::function<unsigned(const sass::Instruction&)>& latency);

}  // namespace warpgauge::accelsim
