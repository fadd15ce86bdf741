#include "model/sm/register_file.h"

#include <algorithm>

namespace warpgauge::model {

RegisterFile::Outcome RegisterFile::issue(const StaticOp& op, unsigned warp, Cycle now) {
  Outcome outcome;
  std::array<std::uint8_t, max_banks> needed{};
  if (op.read_count != 0) {
    if (!spec_.reuse_survives_warp_switch && warp != last_warp_) entries_.fill(empty);
    last_warp_ = warp;
    std::array<std::uint8_t, StaticOp::max_reads> distinct{};
    unsigned distinct_count = 0;
    // Lookups of one instruction see the cache as the one before left it.
    std::array<bool, StaticOp::max_reads> hit{};
    for (unsigned i = 0; i < op.read_count; ++i) {
      const SourceRead& read = op.reads[i];
      hit[i] = read.slot < spec_.reuse_slots && entry(read.slot, read.bank) == (warp << 8 | read.reg);
    }
    for (unsigned i = 0; i < op.read_count; ++i) {
      const SourceRead& read = op.reads[i];
      if (read.slot < spec_.reuse_slots) {
        entry(read.slot, read.bank) = read.reuse ? (warp << 8 | read.reg) : empty;
      }
      if (hit[i]) {
        ++outcome.reuse_hits;
        continue;
      }
      bool seen = false;
      for (unsigned d = 0; d < distinct_count; ++d) seen |= distinct[d] == read.reg;
      if (seen) continue;
      distinct[distinct_count++] = read.reg;
      ++needed[read.bank];
    }
  }

  const Cycle enters = std::max(now + issue_to_allocate, allocate_free_);
  Cycle allocated = enters;
  unsigned busiest = 1;
  for (unsigned bank = 0; bank < spec_.banks; ++bank) {
    const unsigned cycles = (needed[bank] + spec_.ports_per_bank - 1) / spec_.ports_per_bank;
    if (cycles == 0) continue;
    busiest = std::max(busiest, cycles);
    // The reads take the bank's next free cycles and must end within the window that follows the allocation.
    const Cycle first = std::max(enters + 1, bank_free_[bank]);
    const Cycle last = first + cycles - 1;
    if (last > allocated + op.read_window) allocated = last - op.read_window;
  }
  for (unsigned bank = 0; bank < spec_.banks; ++bank) {
    const unsigned cycles = (needed[bank] + spec_.ports_per_bank - 1) / spec_.ports_per_bank;
    if (cycles == 0) continue;
    bank_free_[bank] = std::max(enters + 1, bank_free_[bank]) + cycles;
  }
  outcome.extra_cycles = busiest - 1;
  outcome.held = static_cast<unsigned>(enters - (now + issue_to_allocate));
  outcome.late = static_cast<unsigned>(allocated - (now + issue_to_allocate)) - std::min(outcome.held, reads_);
  reads_ = 0;
  allocate_free_ = allocated + op.allocate_cycles;
  // The next instruction is in control the cycle after its issue, and control is free once this one is in
  // allocate.
  control_free_ = std::max(now + 1, enters - 1);
  return outcome;
}

}  // namespace warpgauge::model
