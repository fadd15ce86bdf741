#include "model/registers/liveness.h"

namespace warpgauge::registers {

RegisterSet live_before(const sass::Instruction& instruction, Boundary boundary,
                        std::span<const RegisterAccess> accesses, RegisterSet after) {
  if (boundary != Boundary::none) return RegisterSet::all();
  if (!is_guarded(instruction))
    for (const RegisterAccess& a : accesses)
      if (a.write) after.reset(a.register_);
  for (const RegisterAccess& a : accesses)
    if (a.read) after.set(a.register_);
  return after;
}

Liveness liveness(std::span<const sass::Instruction> code, const ControlFlow& flow,
                  const AccessTable& accesses) {
  const std::size_t n = flow.blocks.size();
  // A block as a function of the set behind it: what it reads first, and what it overwrites.
  std::vector<RegisterSet> reads(n);
  std::vector<RegisterSet> keeps(n);
  for (std::size_t b = 0; b < n; ++b) {
    keeps[b] = RegisterSet::all();
    for (std::uint32_t i = flow.blocks[b].end; i-- > flow.blocks[b].first;) {
      reads[b] = live_before(code[i], flow.boundary[i], accesses.of(i), reads[b]);
      if (flow.boundary[i] == Boundary::none && !is_guarded(code[i]))
        for (const RegisterAccess& a : accesses.of(i))
          if (a.write) keeps[b].reset(a.register_);
    }
  }
  Liveness live{std::vector<RegisterSet>(n), std::vector<RegisterSet>(n)};
  std::vector<char> queued(n, 1);
  std::vector<std::uint32_t> work;
  for (std::uint32_t b = 0; b < n; ++b) work.push_back(b);
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    queued[b] = 0;
    RegisterSet out;
    for (const std::uint32_t s : flow.blocks[b].successors) out |= live.live_in[s];
    live.live_out[b] = out;
    out &= keeps[b];
    out |= reads[b];
    if (out == live.live_in[b]) continue;
    live.live_in[b] = out;
    for (const std::uint32_t p : flow.blocks[b].predecessors)
      if (queued[p] == 0) {
        queued[p] = 1;
        work.push_back(p);
      }
  }
  return live;
}

std::vector<RegisterSet> live_after_each(std::span<const sass::Instruction> code, const ControlFlow& flow,
                                         const AccessTable& accesses, const Liveness& live) {
  std::vector<RegisterSet> after(code.size());
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    RegisterSet now = live.live_out[b];
    for (std::uint32_t i = flow.blocks[b].end; i-- > flow.blocks[b].first;) {
      after[i] = now;
      now = live_before(code[i], flow.boundary[i], accesses.of(i), now);
    }
  }
  return after;
}

}  // namespace warpgauge::registers
