// Kernels of several blocks on each SM, of which those on one SM work, and the clocks of their warps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {

struct BlocksOfSm {
  std::uint32_t blocks, warps, turns;
};

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
  p.op(stall(15), "MOV R10, 0x10");
  p.op(stall(15), "IMAD.WIDE.U32 R2, R9, R10, R2");
  p.op(stall(15), "MOV R11, " + p.parameter(Parameter::c));
}

// Bytes behind the records, from parameter d on, that kernels may store to.
constexpr std::uint32_t bytes_behind_records = 4096;

// When the warps of each block are through, in the order in which the blocks have come, from the first clock of all on.
inline std::vector<std::vector<double>> ends_of_blocks(Bench& bench, SassModule& module, const std::string& kernel, const BlocksOfSm& set,
                                                       std::uint32_t own_shared) {
  const TargetFacts& facts = bench.facts();
  const auto sms = static_cast<std::uint32_t>(facts.sm_count);
  const std::size_t records = std::size_t{sms} * set.blocks * set.warps;
  const Buffer memory = bench.allocate(records * 16 + bytes_behind_records);
  SassArguments arguments;
  arguments.warps = set.warps;
  arguments.blocks = sms * set.blocks;
  arguments.in = memory.address();
  arguments.a = 0;
  arguments.b = set.warps;
  arguments.c = set.turns;
  arguments.d = static_cast<std::uint32_t>(records * 16);
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
  std::vector<std::vector<double>> ends;
  for (std::size_t block = 0; block < records / set.warps; ++block) {
    if (clocks[2 * block * set.warps + 1] == 0) continue;
    ends.emplace_back();
    for (std::uint32_t warp = 0; warp < set.warps; ++warp)
      ends.back().push_back(static_cast<double>(clocks[2 * (block * set.warps + warp) + 1] - first));
  }
  if (ends.size() != set.blocks) {
    throw ProbeRefusal(std::to_string(ends.size()) + " blocks on an SM that should have " + std::to_string(set.blocks) + " of " +
                       std::to_string(set.warps) + " warps");
  }
  return ends;
}

}  // namespace warpgauge::probes
