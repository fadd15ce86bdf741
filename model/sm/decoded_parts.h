// Steps of predecode(), in their order: each fills in its part of an instruction, and reads what those before
// it have left.
#pragma once

#include "model/sm/decoded.h"

namespace warpgauge::model {

// Its unit, for how long it takes that, and its latency.
void decode_unit(StaticOp& op, const sass::Instruction& i, const SmSpec& spec);
// Which registers it reads and writes, and when.
void decode_registers(StaticOp& op, const sass::Instruction& i, const SmSpec& spec);
// How it takes its turns at the memory queue and at the caches.
void decode_memory(StaticOp& op, const sass::Instruction& i, const SmSpec& spec);
// Branches, barriers, and whatever else holds its warp back.
void decode_control(StaticOp& op, const sass::Instruction& i, const SmSpec& spec);

}  // namespace warpgauge::model
