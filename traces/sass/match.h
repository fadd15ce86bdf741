// Matches one instruction's text against the opcode table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "traces/sass/instruction.h"

namespace warpgauge::sass {

// Where the reading stopped, counted in characters from the beginning of the text, and why.
struct MatchFailure {
  std::size_t position = 0;
  std::string reason;
};

using LabelLookup = std::function<std::optional<std::int64_t>(std::string_view)>;

// Guard, mnemonic, modifiers and operands; the control word is left as it is in `instruction`, except that
// operands marked .reuse set its flags.
std::optional<MatchFailure> match_instruction(std::string_view text, std::uint64_t offset,
                                              const LabelLookup& labels, Instruction& instruction);

}  // namespace warpgauge::sass
