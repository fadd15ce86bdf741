// Kernels of several blocks on each SM, of which those on one SM work, and the clocks of their warps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {

struct BlocksOfSm {
  std::uint32_t blocks, warps, turns;
};

// Two clocks of a warp.
constexpr std::uint32_t record_bytes = 16;
// Behind the records, from parameter d on, that kernels may store to.
constexpr std::uint32_t bytes_behind_records = 4096;

// Every block on the SM of parameter a works; a warp of each of the others stays until each SM has its blocks. Parameter b: warps of a
// block; c: turns, in R11. Records in `in`, by block and warp, at R2.
inline void begin_on_blocks_of_sm(Program& p) {
  const std::string here = p.fresh_label("HERE"), wait = p.fresh_label("WAIT");
  p.begin();
  p.op(stall(2).writing(0), "S2R R8, SR_VIRTUALSMID");
  p.op(stall(2).writing(1), "S2R R9, SR_CTAID.X");
  p.op(stall(15), "MOV R10, " + p.parameter(Parameter::a));
  p.op(stall(15).waiting(3), "ISETP.EQ.U32.AND P5, PT, R8, R10, PT");
  p.op(stall(15), "@P5 BRA `(" + here + ")");
  p.op(stall(15), "ISETP.NE.U32.AND P5, PT, R1, RZ, PT");
  p.op(stall(15), "@P5 EXIT");
  p.op(stall(15), "MOV R4, RZ");
  p.label(wait);
  p.op(stall(15), "IADD3 R4, R4, 0x1, RZ");
  p.op(stall(15), "ISETP.LT.U32.AND P5, PT, R4, 0x80, PT");
  p.op(stall(15), "NOP");
  p.op(stall(15), "@P5 BRA `(" + wait + ")");
  p.op(stall(5), "EXIT");
  p.label(here);
  p.op(stall(15), "MOV R10, " + p.parameter(Parameter::b));
  p.op(stall(15), "IMAD R9, R9, R10, R1");
  p.op(stall(15), "MOV R2, " + p.parameter(Parameter::in));
  p.op(stall(15), "MOV R3, " + p.parameter(Parameter::in, 1));
  p.op(stall(15), "MOV R10, " + hex(record_bytes));
  p.op(stall(15), "IMAD.WIDE.U32 R2, R9, R10, R2");
  p.op(stall(15), "MOV R11, " + p.parameter(Parameter::c));
}

// The clock, which a block's warps read together and behind what they have written; through R31.
inline void start_clock_together(Program& p) {
  p.op(stall(6), "BAR.SYNC.DEFER_BLOCKING 0x0");
  p.op(stall(4).writing(0), "LDS R31, [RZ]");
  p.op(stall(4).waiting(1), "MOV R31, R31");
  p.start_clock();
}

// Of a block's samples, what was measured on so many blocks before it.
inline std::string end_label(const std::string& what, const BlocksOfSm& set, std::uint32_t block) {
  return what + std::to_string(set.blocks) + " of " + std::to_string(set.warps) + " warps, end of block " + std::to_string(block);
}

// Samples of when the warps of each block are through, in the order in which the blocks have come, from the first clock of all on.
inline void sample_ends(Bench& bench, Findings& findings, SassModule& module, const std::string& kernel, const BlocksOfSm& set,
                        std::uint32_t own_shared, const std::string& what) {
  const TargetFacts& facts = bench.facts();
  const auto sms = static_cast<std::uint32_t>(facts.sm_count);
  const std::size_t records = std::size_t{sms} * set.blocks * set.warps;
  const Buffer memory = bench.allocate(records * record_bytes + bytes_behind_records);
  SassArguments arguments;
  arguments.warps = set.warps;
  arguments.blocks = sms * set.blocks;
  arguments.in = memory.address();
  arguments.a = 0;
  arguments.b = set.warps;
  arguments.c = set.turns;
  arguments.d = static_cast<std::uint32_t>(records * record_bytes);
  arguments.carveout = 100;
  // As many blocks as are wanted fit an SM, and no more.
  arguments.shared_bytes =
      std::min(facts.shared_bytes_per_block_optin, facts.shared_bytes_per_sm / set.blocks) - 2048 - own_shared;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the first one brings the code
    memory.fill(0);
    module.run(kernel, arguments);
  }
  const auto clocks = memory.read<std::uint64_t>(2 * records);
  std::uint64_t first = ~std::uint64_t{0};
  for (std::size_t i = 0; i < records; ++i) {
    if (clocks[2 * i + 1] != 0) first = std::min(first, clocks[2 * i]);
  }
  std::uint32_t block = 0;
  for (std::size_t at = 0; at < records; at += set.warps) {
    if (clocks[2 * at + 1] == 0) continue;
    for (std::uint32_t warp = 0; warp < set.warps; ++warp)
      findings.sample(end_label(what, set, block), "warp", "cycles", warp, static_cast<double>(clocks[2 * (at + warp) + 1] - first));
    ++block;
  }
  if (block != set.blocks) {
    throw ProbeRefusal(std::to_string(block) + " blocks on an SM that should have " + std::to_string(set.blocks) + " of " +
                       std::to_string(set.warps) + " warps");
  }
}

}  // namespace warpgauge::probes
