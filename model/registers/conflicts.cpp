#include "model/registers/conflicts.h"

#include <algorithm>

#include "model/registers/reuse_cache.h"

namespace warpgauge::registers {

using sass::Instruction;
using sass::Opcode;

RegisterFile register_file(unsigned banks, unsigned ports_per_bank, const PipeLanes& lanes) {
  RegisterFile file;
  file.banks = std::clamp(banks, 1U, max_banks);
  file.ports_per_bank = std::max(1U, ports_per_bank);
  constexpr unsigned warp = 32;
  const auto cycles = [](unsigned pipe_lanes) {
    return static_cast<std::uint8_t>(std::max(1U, warp / std::max(1U, pipe_lanes)));
  };
  file.issue_cycles.fill(cycles(lanes.integer));
  const auto put = [&](std::initializer_list<Opcode> opcodes, unsigned pipe_lanes) {
    for (const Opcode o : opcodes) file.issue_cycles[static_cast<std::size_t>(o)] = cycles(pipe_lanes);
  };
  put({Opcode::FADD, Opcode::FMUL, Opcode::FFMA, Opcode::FSWZADD}, lanes.fp32);
  put({Opcode::HADD2, Opcode::HADD2_32I, Opcode::HMUL2, Opcode::HFMA2, Opcode::HFMA2_MMA, Opcode::HSET2,
       Opcode::HSETP2},
      lanes.half);
  put({Opcode::DADD, Opcode::DMUL, Opcode::DFMA, Opcode::DSETP, Opcode::DMNMX}, lanes.fp64);
  return file;
}

ConflictReport conflicts(std::span<const Instruction> code, const ControlFlow& flow,
                         const AccessTable& accesses, const RegisterFile& file,
                         std::span<const double> weights) {
  std::vector<double> by_depth;
  if (weights.empty()) {
    by_depth = weights_by_loop_depth(flow);
    weights = by_depth;
  }
  const std::vector<char> hits = reuse_hits(code, flow, accesses, file.banks);
  ConflictReport report;
  report.instructions.resize(code.size());
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (flow.block_of[i] == no_block) continue;
    PortUse& use = report.instructions[i];
    const auto list = accesses.of(i);
    const std::size_t first = accesses.first(i);
    std::array<std::uint8_t, 32> seen{};
    std::size_t distinct = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const RegisterAccess& a = list[k];
      if (!a.read) continue;
      if (hits[first + k] != 0) {
        ++use.hits;
        continue;
      }
      if (std::find(seen.begin(), seen.begin() + distinct, a.register_) != seen.begin() + distinct) continue;
      if (distinct < seen.size()) seen[distinct++] = a.register_;
      ++use.reads[a.register_ % file.banks];
    }
    use.busiest = *std::max_element(use.reads.begin(), use.reads.end());
    report.hits += use.hits;
    if (!is_fixed_latency(code[i])) continue;
    const unsigned cycles = file.cycles(code[i].opcode);
    const unsigned port_cycles = (use.busiest + file.ports_per_bank - 1) / file.ports_per_bank;
    report.issue_cycles += weights[i] * cycles;
    if (port_cycles <= cycles) continue;
    use.lost_cycles = static_cast<std::uint8_t>(port_cycles - cycles);
    report.lost_cycles += weights[i] * use.lost_cycles;
    ++report.conflicting;
  }
  return report;
}

}  // namespace warpgauge::registers
