// From machine words to instructions and back. `encode(decode(w, a)) == w` for every word, known or not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::sass {

// Never fails: a word that no row of the opcode table matches becomes Opcode::unknown and keeps its bits.
// `offset` is the word's byte offset in its code section; branch targets are made absolute with it.
Instruction decode(const Word& word, Architecture architecture, std::uint64_t offset = 0);

// Decodes a whole code section; a trailing fragment of under 16 bytes is ignored.
std::vector<Instruction> decode_section(std::span<const std::uint8_t> code, Architecture architecture);

// Builds the word from the decoded fields (not from Instruction::word), except for Opcode::unknown.
Word encode(const Instruction& instruction, std::uint64_t offset = 0);

}  // namespace warpgauge::sass
