#include "model/registers/reuse_cache.h"

namespace warpgauge::registers {

EntryLife entry_life(std::span<const sass::Instruction> code, const ControlFlow& flow,
                     const AccessTable& accesses, std::uint32_t at, std::size_t access, unsigned banks) {
  const RegisterAccess& kept = accesses.of(at)[access];
  const bool matrix = is_matrix(code[at].opcode);
  EntryLife life;
  life.guarded = is_guarded(code[at]);
  const auto writes = [&](std::uint32_t i) {
    for (const RegisterAccess& a : accesses.of(i))
      if (a.write && a.register_ == kept.register_) return true;
    return false;
  };
  bool written = writes(at);
  for (std::uint32_t i = at + 1; i < code.size() && flow.block_of[i] == flow.block_of[at]; ++i) {
    if (code[i - 1].control.yield) {
      life.fate = EntryFate::switched;
      life.reader = i;
      return life;
    }
    if (share_reuse_cache(code[at], code[i])) {
      const auto list = accesses.of(i);
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (!list[k].read || list[k].slot != kept.slot) continue;
        if (matrix ? list[k].part != kept.part : list[k].register_ % banks != kept.register_ % banks)
          continue;
        life.reader = i;
        life.access = k;
        life.guarded |= is_guarded(code[i]);
        life.fate = list[k].register_ != kept.register_ ? EntryFate::freed
                    : written                           ? EntryFate::stale
                                                        : EntryFate::serves;
        return life;
      }
    }
    written |= writes(i);
  }
  life.fate = EntryFate::leaves;
  return life;
}

bool share_reuse_cache(const sass::Instruction& a, const sass::Instruction& b) {
  return is_matrix(a.opcode) ? is_matrix(b.opcode) : is_fixed_latency(a) && is_fixed_latency(b);
}

std::vector<char> reuse_hits(std::span<const sass::Instruction> code, const ControlFlow& flow,
                             const AccessTable& accesses, unsigned banks) {
  std::vector<char> hits(accesses.all().size(), 0);
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (flow.block_of[i] == no_block || code[i].control.reuse == 0) continue;
    const auto list = accesses.of(i);
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!list[k].read || list[k].slot == sass::SourceSlot::none || !code[i].operand(list[k].operand).reuse)
        continue;
      const EntryLife life = entry_life(code, flow, accesses, i, k, banks);
      if (life.fate == EntryFate::serves) hits[accesses.first(life.reader) + life.access] = 1;
    }
  }
  return hits;
}

}  // namespace warpgauge::registers
