#include "model/registers/rewrite.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/sass/decode.h"

namespace warpgauge::registers {

using sass::Instruction;

namespace {

bool same_fields(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.row == b.row && a.guard == b.guard && a.control == b.control &&
         a.modifiers == b.modifiers && std::ranges::equal(a.operands(), b.operands());
}

}  // namespace

std::vector<Instruction> with_assignment(const Analysis& analysis, const Assignment& assignment) {
  std::vector<Instruction> code(analysis.code.begin(), analysis.code.end());
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (analysis.flow.block_of[i] == no_block) continue;
    const auto list = analysis.accesses.of(i);
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k].part == 0)
        code[i].operand_storage[list[k].operand].index = assignment[analysis.web_of(i, k)];
  }
  return code;
}

void encode_changes(std::span<const Instruction> original, std::vector<Instruction>& changed) {
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (same_fields(original[i], changed[i])) continue;
    const std::uint64_t offset = i * sass::instruction_bytes;
    const auto refuse = [&] {
      throw Refusal(offset, fmt::format("this {} cannot be written with other registers",
                                        sass::mnemonic(changed[i].opcode)));
    };
    if (sass::encode(original[i], offset) != original[i].word) refuse();
    changed[i].word = sass::encode(changed[i], offset);
    if (!same_fields(sass::decode(changed[i].word, changed[i].architecture, offset), changed[i])) refuse();
  }
}

std::vector<std::uint8_t> code_bytes(std::span<const Instruction> code) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(code.size() * sass::instruction_bytes);
  for (const Instruction& i : code)
    for (const std::uint64_t half : {i.word.low, i.word.high})
      for (unsigned k = 0; k < 8; ++k) bytes.push_back(static_cast<std::uint8_t>(half >> (8 * k)));
  return bytes;
}

}  // namespace warpgauge::registers
