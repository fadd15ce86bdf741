// The control-flow graph of one kernel's code section, for the data flow of a single thread.
//
// General registers belong to a thread, so that only the thread's own way counts, not what the warp does
// while it is diverged. Calls of functions inside the section whose return addresses can be followed become
// ordinary edges: call to the function's entry, return to each place that may have called. Where a return
// address cannot be followed, and for calls that leave the section, the call is opaque: it may read and write
// every register.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/registers/effects.h"
#include "model/registers/refusal.h"

namespace warpgauge::registers {

inline constexpr std::uint32_t no_block = 0xffffffff;

// The places where a BRX may go, as the cubin lists them; instruction indices.
struct BranchTargets {
  std::uint32_t instruction = 0;
  std::vector<std::uint32_t> targets;
};

enum class Boundary : std::uint8_t {
  none,
  call,     // opaque call: reads and writes every register, then goes on; alone in its block
  return_,  // leaves an opaque function: reads every register; alone in its block
};

struct Block {
  std::uint32_t first = 0;  // instructions [first, end)
  std::uint32_t end = 0;
  std::vector<std::uint32_t> successors;
  std::vector<std::uint32_t> predecessors;
  unsigned loop_depth = 0;    // natural loops around the block
  bool entry = false;         // the kernel's first block, or an opaque function's
  bool opaque_entry = false;  // an opaque function's: every register may hold a value
};

struct ControlFlow {
  std::vector<Block> blocks;            // in code order; only what can be reached
  std::vector<std::uint32_t> block_of;  // by instruction; no_block where nothing leads
  std::vector<Boundary> boundary;       // by instruction
  [[nodiscard]] bool has_opaque_calls() const;
};

// Throws Refusal for what leads somewhere unknown, and for an instruction that the decoder does not know.
ControlFlow control_flow(std::span<const sass::Instruction> code, std::uint32_t entry = 0,
                         std::span<const BranchTargets> indirect = {});

// 10 to the power of the loop depth, for each instruction; 0 where nothing leads. What stands in for
// execution counts where none are known.
std::vector<double> weights_by_loop_depth(const ControlFlow& flow);

}  // namespace warpgauge::registers
