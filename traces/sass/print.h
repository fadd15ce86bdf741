// Instructions as text: nvdisasm's text of CUDA 13, and the control word in the form that SASS hackers use.
// The grammar of both is in docs/sass.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "traces/sass/instruction.h"

namespace warpgauge::sass {

// "@P0 FFMA R0, R1, R2.reuse, R3"; for an unknown word ".unknown 0x…, 0x…" (the low half, then the high
// half).
std::string print(const Instruction& instruction);
void print_to(std::string& out, const Instruction& instruction);

// "[B0-2---:R1:W-:Y:S04]"
std::string print_control(const Control& control);
void print_control_to(std::string& out, const Control& control);

// The name of a special register: "SR_TID.X"; "SR<n>" for a number without one.
std::string special_register_name(unsigned index, Architecture architecture);
std::optional<unsigned> special_register_number(std::string_view name, Architecture architecture);

// BMOV's thread states by number: "B0" … "MACTIVE"; empty, or nothing, for one without a name.
std::string_view thread_state_name(unsigned index);
std::optional<unsigned> thread_state_number(std::string_view name);

// "R7", "RZ", "UP3", … as print writes it, without negation or reuse.
std::string print_operand(const Instruction& instruction, std::size_t index);

}  // namespace warpgauge::sass
