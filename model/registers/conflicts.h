// What the register file costs an instruction: reads by bank, conflicts, and what the reuse cache saves.
//
// The rule is that of Jia2018 section 3.5 and of the measurement on the H200 in docs: register number modulo
// the banks, a register named twice is read once, an instruction holds the ports for as many cycles as its
// busiest bank needs, and loses those beyond the cycles that its pipe takes for a warp anyway.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/registers/control_flow.h"
#include "model/registers/effects.h"

namespace warpgauge::registers {

inline constexpr unsigned max_banks = 8;

// Of one processing block; the figures come from a calibration.
struct RegisterFile {
  unsigned banks = 2;           // 1…max_banks
  unsigned ports_per_bank = 1;  // registers of a warp that a bank gives a cycle
  // Cycles that a warp instruction keeps the pipe it goes to, by opcode.
  std::array<std::uint8_t, static_cast<std::size_t>(sass::Opcode::count)> issue_cycles{};

  [[nodiscard]] unsigned cycles(sass::Opcode opcode) const {
    return issue_cycles[static_cast<std::size_t>(opcode)];
  }
};

// Warp instructions that a processing block of each pipe starts in a cycle, as lanes a cycle.
struct PipeLanes {
  unsigned fp32 = 32;
  unsigned integer = 16;
  unsigned half = 32;
  unsigned fp64 = 16;
};
RegisterFile register_file(unsigned banks, unsigned ports_per_bank, const PipeLanes& lanes);

struct PortUse {
  std::array<std::uint8_t, max_banks> reads{};  // distinct registers read from each bank
  std::uint8_t hits = 0;                        // operands' registers that the reuse cache held
  std::uint8_t busiest = 0;                     // the largest of `reads`
  std::uint8_t lost_cycles = 0;  // beyond what the pipe takes; 0 for variable-latency instructions
};

struct ConflictReport {
  std::vector<PortUse> instructions;
  double lost_cycles = 0;         // sum over instructions, weighted
  double issue_cycles = 0;        // what the same instructions cost their pipes, weighted
  std::uint64_t conflicting = 0;  // instructions that lose cycles, each once
  std::uint64_t hits = 0;         // reads that the reuse cache serves, each once
};

// `weights` by instruction, how often a warp runs it; empty: 10 to the power of the loop depth.
ConflictReport conflicts(std::span<const sass::Instruction> code, const ControlFlow& flow,
                         const AccessTable& accesses, const RegisterFile& file,
                         std::span<const double> weights = {});

}  // namespace warpgauge::registers
