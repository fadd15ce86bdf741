// The instructions that the SASS probes time: their text, what they write, and the pipe that they are meant for.
//
// Registers of the list: R10 (and R11) is the result. R12 to R15 hold 32-bit values that mean something as integer, float
// and two halves; R16:R17 and R18:R19 hold doubles. P0 is a predicate result, UR8 a uniform one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "probes/sass/program.h"

namespace warpgauge::probes {

enum class Pipe { alu, fma, imad_wide, fp16, fp64, clock, uniform };

std::string_view name(Pipe pipe);

struct FixedInstruction {
  std::string_view key;   // latency.opcode.<key>; empty when it has none
  std::string_view name;  // of its kernels and series
  Pipe pipe;
  std::string_view text;       // writes R10; "R10" is replaced when another register is wanted
  int registers = 1;           // that it writes from R10 on
  int from_sm = 70;
  int to_sm = 90;
  std::uint32_t old_value = 0;  // what R10 holds before
};
std::span<const FixedInstruction> fixed_instructions();

// Results that a dependence counter tracks.
struct VariableInstruction {
  std::string_view key;  // latency.opcode.<key>, or one with a section of its own; empty when it has none
  std::string_view name;
  std::string_view text;  // writes R10, or UR8 when uniform, or P2 when it names that first
  bool uniform = false;
  int registers = 1;
  int from_sm = 70;
  int to_sm = 90;
  std::string_view pipe = "";  // pipes.<pipe>.issue_interval; empty when it has none
  bool alone = false;          // no rows of it: its latency only
};
std::span<const VariableInstruction> variable_instructions();

inline bool exists(int from_sm, int to_sm, int sm) { return sm >= from_sm && sm <= to_sm; }

// Fills the list's registers.
void set_operands(Program& program);

// `text` with register R10 (and what belongs to it) replaced.
std::string into_register(std::string_view text, int to);

}  // namespace warpgauge::probes
