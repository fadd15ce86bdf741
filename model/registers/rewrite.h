// Puts a new assignment and new reuse flags into instructions and machine words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/registers/analysis.h"

namespace warpgauge::registers {

// The code with every reachable register operand renamed. Instruction::word still holds the old bits.
std::vector<sass::Instruction> with_assignment(const Analysis& analysis, const Assignment& assignment);

// Encodes every instruction that differs from `original` into its word. Throws Refusal where the table cannot
// write an instruction so that it reads back the same; then nothing of the result may be used.
void encode_changes(std::span<const sass::Instruction> original, std::vector<sass::Instruction>& changed);

// The code section's bytes, 16 an instruction, from Instruction::word.
std::vector<std::uint8_t> code_bytes(std::span<const sass::Instruction> code);

}  // namespace warpgauge::registers
