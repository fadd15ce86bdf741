#include "model/registers/reuse.h"

namespace warpgauge::registers {

using sass::Instruction;
using sass::SourceSlot;

namespace {

constexpr unsigned longest_stall_with_reuse = 11;  // control code 27

unsigned bit_of(SourceSlot slot) {
  return 1U << (static_cast<unsigned>(slot) - 1);
}

// The next instruction is sure to be the one behind, in the same block.
bool followed_in_block(const ControlFlow& flow, std::uint32_t i) {
  return i + 1 < flow.block_of.size() && flow.block_of[i] != no_block &&
         flow.block_of[i + 1] == flow.block_of[i];
}

bool may_carry_flag(const Instruction& i) {
  return is_fixed_latency(i) && !i.control.yield && i.control.stall >= 1 &&
         i.control.stall <= longest_stall_with_reuse;
}

// Slots of instruction i whose web the next instruction reads in the same slot, unchanged.
std::uint8_t shared_slots(const Analysis& analysis, std::uint32_t i) {
  std::uint8_t slots = 0;
  std::uint8_t broken = 0;  // operands of several registers share a slot's flag: all must match
  const auto now = analysis.accesses.of(i);
  const auto next = analysis.accesses.of(i + 1);
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (!now[k].read || now[k].slot == SourceSlot::none) continue;
    const WebId web = analysis.web_of(i, k);
    bool same = false;
    for (std::size_t m = 0; m < next.size(); ++m)
      if (next[m].read && next[m].slot == now[k].slot && next[m].part == now[k].part &&
          analysis.web_of(i + 1, m) == web)
        same = true;
    for (std::size_t m = 0; m < now.size(); ++m)
      if (now[m].write && now[m].register_ == now[k].register_) same = false;
    (same ? slots : broken) = static_cast<std::uint8_t>((same ? slots : broken) | bit_of(now[k].slot));
  }
  return slots & static_cast<std::uint8_t>(~broken);
}

}  // namespace

std::vector<std::uint8_t> legal_reuse(const Analysis& analysis) {
  std::vector<std::uint8_t> flags(analysis.code.size(), 0);
  for (std::uint32_t i = 0; i < flags.size(); ++i) {
    if (!followed_in_block(analysis.flow, i)) continue;
    const Instruction& now = analysis.code[i];
    const Instruction& next = analysis.code[i + 1];
    if (!may_carry_flag(now) || !is_fixed_latency(next) || is_guarded(now) || is_guarded(next)) continue;
    flags[i] = shared_slots(analysis, i);
  }
  return flags;
}

std::vector<std::uint8_t> kept_reuse(const Analysis& analysis) {
  std::vector<std::uint8_t> flags(analysis.code.size(), 0);
  for (std::uint32_t i = 0; i < flags.size(); ++i) {
    if (!followed_in_block(analysis.flow, i)) continue;
    std::uint8_t set = 0;
    for (const sass::Operand& o : analysis.code[i].operands())
      if (o.reuse && o.slot != SourceSlot::none) set = static_cast<std::uint8_t>(set | bit_of(o.slot));
    if (set != 0) flags[i] = set & shared_slots(analysis, i);
  }
  return flags;
}

std::vector<std::uint8_t> paying_reuse(std::span<const Instruction> code,
                                       std::span<const std::uint8_t> candidates) {
  std::vector<std::uint8_t> flags(candidates.begin(), candidates.end());
  for (std::uint32_t i = 0; i + 1 < flags.size(); ++i) {
    if (flags[i] == 0) continue;
    // A flag saves nothing where the next instruction names the register again in a slot without one.
    for (const sass::Operand& o : code[i + 1].operands()) {
      if (o.slot == SourceSlot::none || (flags[i] & bit_of(o.slot)) == 0 || o.registers != 1) continue;
      for (const sass::Operand& other : code[i + 1].operands())
        if (other.kind == sass::OperandKind::register_ && other.slot != SourceSlot::none &&
            other.slot != o.slot && other.index == o.index && (candidates[i] & bit_of(other.slot)) == 0)
          flags[i] = static_cast<std::uint8_t>(flags[i] & ~bit_of(o.slot));
    }
  }
  return flags;
}

void set_reuse(std::vector<Instruction>& code, const ControlFlow& flow, std::span<const std::uint8_t> flags) {
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (flow.block_of[i] == no_block) continue;
    code[i].control.reuse = flags[i];
    for (std::size_t o = 0; o < code[i].operand_count; ++o) {
      sass::Operand& operand = code[i].operand_storage[o];
      operand.reuse = operand.slot != SourceSlot::none && operand.kind == sass::OperandKind::register_ &&
                      (flags[i] & bit_of(operand.slot)) != 0;
    }
  }
}

}  // namespace warpgauge::registers
