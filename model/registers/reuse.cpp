#include "model/registers/reuse.h"

#include "model/registers/reuse_cache.h"

namespace warpgauge::registers {

using sass::Instruction;
using sass::SourceSlot;

namespace {

constexpr unsigned longest_stall_with_reuse = 11;  // control code 27

// Slots of `wanted` in which every register of the operand serves a later read.
template <class Accept>
std::uint8_t serving_slots(std::span<const Instruction> code, const ControlFlow& flow,
                           const AccessTable& accesses, std::uint32_t i, unsigned banks, Accept&& accept) {
  std::uint8_t serving = 0;
  std::uint8_t broken = 0;
  const auto list = accesses.of(i);
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (!list[k].read || list[k].slot == SourceSlot::none) continue;
    const EntryLife life = entry_life(code, flow, accesses, i, k, banks);
    std::uint8_t& to = life.fate == EntryFate::serves && accept(life) ? serving : broken;
    to = static_cast<std::uint8_t>(to | slot_bit(list[k].slot));
  }
  return serving & static_cast<std::uint8_t>(~broken);
}

}  // namespace

bool may_carry_reuse(const Instruction& i) {
  return is_fixed_latency(i) && !i.control.yield && i.control.stall >= 1 &&
         i.control.stall <= longest_stall_with_reuse;
}

ReuseFlags legal_reuse(std::span<const Instruction> code, const ControlFlow& flow,
                       const AccessTable& accesses, unsigned banks) {
  ReuseFlags flags(code.size(), 0);
  for (std::uint32_t i = 0; i < flags.size(); ++i)
    if (flow.block_of[i] != no_block && may_carry_reuse(code[i]))
      flags[i] =
          serving_slots(code, flow, accesses, i, banks, [](const EntryLife& life) { return !life.guarded; });
  return flags;
}

ReuseFlags kept_reuse(std::span<const Instruction> code, const ControlFlow& flow, const AccessTable& accesses,
                      unsigned banks) {
  ReuseFlags flags(code.size(), 0);
  for (std::uint32_t i = 0; i < flags.size(); ++i) {
    if (flow.block_of[i] == no_block || code[i].control.reuse == 0) continue;
    std::uint8_t set = 0;
    for (const sass::Operand& o : code[i].operands())
      if (o.reuse && o.slot != SourceSlot::none) set = static_cast<std::uint8_t>(set | slot_bit(o.slot));
    flags[i] = set & serving_slots(code, flow, accesses, i, banks, [](const EntryLife&) { return true; });
  }
  return flags;
}

ReuseFlags paying_reuse(std::span<const Instruction> code, const ControlFlow& flow,
                        const AccessTable& accesses, unsigned banks,
                        std::span<const std::uint8_t> candidates) {
  // Reads that the candidates together would serve, then each flag that some read depends on.
  std::vector<char> served(accesses.all().size(), 0);
  struct Flag {
    std::uint32_t instruction;
    std::uint8_t bit;
    std::uint32_t reader;
    std::size_t access;
  };
  std::vector<Flag> all;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (candidates[i] == 0) continue;
    const auto list = accesses.of(i);
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!list[k].read || list[k].slot == SourceSlot::none || (candidates[i] & slot_bit(list[k].slot)) == 0)
        continue;
      const EntryLife life = entry_life(code, flow, accesses, i, k, banks);
      if (life.fate != EntryFate::serves) continue;
      served[accesses.first(life.reader) + life.access] = 1;
      all.push_back({i, static_cast<std::uint8_t>(slot_bit(list[k].slot)), life.reader, life.access});
    }
  }
  ReuseFlags flags(code.size(), 0);
  for (const Flag& f : all) {
    const auto list = accesses.of(f.reader);
    bool read_anyway = false;
    for (std::size_t k = 0; k < list.size(); ++k)
      read_anyway |= list[k].read && list[k].register_ == list[f.access].register_ &&
                     served[accesses.first(f.reader) + k] == 0;
    if (!read_anyway) flags[f.instruction] = static_cast<std::uint8_t>(flags[f.instruction] | f.bit);
  }
  return flags;
}

bool may_clear_yield(std::span<const Instruction> code, const ControlFlow& flow, std::uint32_t i) {
  const Instruction& now = code[i];
  return now.control.yield && is_fixed_latency(now) && now.control.stall >= 1 &&
         now.control.stall <= longest_stall_with_reuse && i + 1 < code.size() &&
         flow.block_of[i] != no_block && flow.block_of[i + 1] == flow.block_of[i] &&
         is_fixed_latency(code[i + 1]);
}

void clear_yields(std::vector<Instruction>& code, const ControlFlow& flow) {
  for (std::uint32_t i = 0; i < code.size(); ++i)
    if (may_clear_yield(code, flow, i)) code[i].control.yield = false;
}

void restore_idle_yields(std::vector<Instruction>& code, std::span<const Instruction> original,
                         const ControlFlow& flow, const AccessTable& accesses, unsigned banks) {
  std::vector<char> needed(code.size(), 0);
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (flow.block_of[i] == no_block || code[i].control.reuse == 0) continue;
    const auto list = accesses.of(i);
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!list[k].read || list[k].slot == SourceSlot::none || !code[i].operand(list[k].operand).reuse)
        continue;
      const EntryLife life = entry_life(code, flow, accesses, i, k, banks);
      if (life.fate == EntryFate::serves)
        for (std::uint32_t between = i; between < life.reader; ++between) needed[between] = 1;
    }
  }
  for (std::uint32_t i = 0; i < code.size(); ++i)
    if (needed[i] == 0) code[i].control.yield = original[i].control.yield;
}

void set_reuse(std::vector<Instruction>& code, const ControlFlow& flow, std::span<const std::uint8_t> flags) {
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (flow.block_of[i] == no_block) continue;
    code[i].control.reuse = flags[i];
    for (std::size_t o = 0; o < code[i].operand_count; ++o) {
      sass::Operand& operand = code[i].operand_storage[o];
      operand.reuse = operand.slot != SourceSlot::none && operand.kind == sass::OperandKind::register_ &&
                      (flags[i] & slot_bit(operand.slot)) != 0;
    }
  }
}

}  // namespace warpgauge::registers
