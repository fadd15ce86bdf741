// Reuse flags: which may be set, and which pay.
//
// A flag on a source slot keeps that register in the reuse cache, where the next instruction of the warp
// finds it in the same slot. It is legal on a fixed-latency instruction that does not ask for a switch of
// warps (control codes 17…27), when the next instruction is sure to follow, is fixed-latency too, and when
// the value has not changed in between. Both instructions must be unguarded: a skipped reader would leave the
// entry behind.
#pragma once

#include <span>
#include <vector>

#include "model/registers/analysis.h"
#include "model/registers/conflicts.h"

namespace warpgauge::registers {

// By instruction; bit 0, 1, 2: a flag on slot A, B, C may be set. Independent of the assignment, for the flag
// joins two reads of one web.
std::vector<std::uint8_t> legal_reuse(const Analysis& analysis);

// The compiler's own flags that join two reads of one web in neighbouring instructions: they stay right under
// any assignment, even where legal_reuse() would not set them.
std::vector<std::uint8_t> kept_reuse(const Analysis& analysis);

// Of `candidates`, those that save the next instruction a read from a bank, given the registers in `code`.
std::vector<std::uint8_t> paying_reuse(std::span<const sass::Instruction> code,
                                       std::span<const std::uint8_t> candidates);

// Replaces the flags of every reachable instruction.
void set_reuse(std::vector<sass::Instruction>& code, const ControlFlow& flow,
               std::span<const std::uint8_t> flags);

}  // namespace warpgauge::registers
