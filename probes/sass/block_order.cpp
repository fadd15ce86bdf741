// Which block's warps issue first where several blocks share an SM's processing blocks: loops over rows of FFMAs, and the
// cycle in which each warp is through.
#include <algorithm>
#include <string>
#include <vector>

#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {
namespace {

struct Row {
  const char* name;
  int chains;  // that the FFMAs of a turn make
  int length;
};
constexpr Row rows[] = {{"eight chains", 8, 64}, {"two chains", 2, 32}};
struct Blocks {
  std::uint32_t blocks, warps, turns;
};
constexpr Blocks sets[] = {{1, 16, 200}, {2, 8, 200}, {4, 4, 200}, {4, 8, 100}, {8, 4, 100}};
constexpr std::uint32_t asked = 0;  // SM
constexpr std::uint32_t record_bytes = 16;

// Every block on the SM of parameter a works; a warp of each of the others stays until each SM has its blocks. Parameter b: warps of a block;
// c: turns. Records in `in`, by block and warp.
SassKernel order_kernel(int sm, const Row& row) {
  Program p(sm);
  const std::string here = p.fresh_label("HERE"), wait = p.fresh_label("WAIT"), top = p.fresh_label("TURN");
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
  for (const int factor : {12, 13}) p.op(stall(15), "MOV " + reg(factor) + ", 0x3f800347");
  for (int i = 0; i < row.chains; ++i) p.op(stall(6), "MOV " + reg(20 + i) + ", R0");
  p.op(stall(15), "MOV R30, RZ");
  p.op(stall(6), "BAR.SYNC.DEFER_BLOCKING 0x0");
  p.op(stall(4).writing(0), "LDS R31, [RZ]");
  p.op(stall(4).waiting(1), "MOV R31, R31");
  p.start_clock();
  p.label(top);
  p.op(stall(1), "IADD3 R30, R30, 0x1, RZ");
  for (int i = 0; i < row.length; ++i) {
    // The factor is in the other bank.
    const int chain = 20 + i % row.chains;
    p.op(stall(std::max(1, 4 / row.chains)), "FFMA " + reg(chain) + ", " + reg(chain) + ", " + reg(13 - chain % 2) + ", 0.5");
    if (i == 8) p.op(stall(1), "ISETP.LT.U32.AND P4, PT, R30, R11, PT");
  }
  p.op(stall(5), "@P4 BRA `(" + top + ")");
  p.end_clock();
  p.finish();
  SassKernel kernel = p.kernel(row.chains == 8 ? "eight" : "two", 1024, 1);
  kernel.registers = 40;  // so that 32 warps fit
  return kernel;
}

std::string label_of(const Row& row, const Blocks& set, std::uint32_t block) {
  return std::string(row.name) + ", blocks: " + std::to_string(set.blocks) + " of " + std::to_string(set.warps) +
         " warps, end of block " + std::to_string(block);
}

bool fits(const TargetFacts& facts, const Blocks& set) { return set.blocks * set.warps <= 32 || facts.sm != 75; }

void measure(Bench& bench, Findings& findings) {
  const TargetFacts& facts = bench.facts();
  std::vector<SassKernel> kernels;
  for (const Row& row : rows) kernels.push_back(order_kernel(facts.sm, row));
  SassModule module(bench, kernels);
  for (const Row& row : rows) {
    for (const Blocks& set : sets) {
      if (!fits(facts, set)) continue;
      const auto sms = static_cast<std::uint32_t>(facts.sm_count);
      const std::size_t records = std::size_t{sms} * set.blocks * set.warps;
      const Buffer memory = bench.allocate(records * record_bytes);
      SassArguments arguments;
      arguments.warps = set.warps;
      arguments.blocks = sms * set.blocks;
      arguments.in = memory.address();
      arguments.a = asked;
      arguments.b = set.warps;
      arguments.c = set.turns;
      arguments.carveout = 100;
      // As many blocks as are wanted fit an SM, and no more.
      arguments.shared_bytes = std::min(facts.shared_bytes_per_block_optin, facts.shared_bytes_per_sm / set.blocks) - 3072;
      for (int repeat = 0; repeat < 2; ++repeat) {  // the first one brings the code
        memory.fill(0);
        module.run(row.chains == 8 ? "eight" : "two", arguments);
      }
      const auto clocks = memory.read<std::uint64_t>(2 * records);
      std::uint64_t first = ~std::uint64_t{0};
      for (std::size_t i = 0; i < records; ++i) {
        if (clocks[2 * i + 1] != 0) first = std::min(first, clocks[2 * i]);
      }
      std::uint32_t rank = 0;
      for (std::size_t block = 0; block < records / set.warps; ++block) {
        if (clocks[2 * block * set.warps + 1] == 0) continue;
        for (std::uint32_t warp = 0; warp < set.warps; ++warp) {
          findings.sample(label_of(row, set, rank), "warp", "cycles", warp,
                          static_cast<double>(clocks[2 * (block * set.warps + warp) + 1] - first));
        }
        ++rank;
      }
      if (rank != set.blocks) {
        throw ProbeRefusal(std::to_string(rank) + " blocks on an SM that should have " + std::to_string(set.blocks) + " of " + std::to_string(set.warps) + " warps");
      }
    }
  }
}

// Of four blocks with two warps each on a processing block.
void conclude(const TargetFacts& facts, Findings& findings) {
  const Blocks& set = sets[3];
  if (!fits(facts, set)) return;
  const auto last_end = [&](std::uint32_t block) {
    const calib::Series& ends = findings.at(label_of(rows[0], set, block));
    return *std::max_element(ends.y.begin(), ends.y.end());
  };
  const double oldest = last_end(0), youngest = last_end(set.blocks - 1);
  if (std::min(oldest, youngest) > 0.8 * std::max(oldest, youngest))
    throw ProbeRefusal("the first block and the last are through at the same time");
  findings.result.figures.push_back({"issue.block_priority", std::string(oldest < youngest ? "oldest_first" : "youngest_first"),
                                     calib::Unit::choice, 0, set.blocks * set.warps, label_of(rows[0], set, 0)});
}

}  // namespace

extern const Probe issue_blocks{"issue.blocks",
                                "Which of an SM's blocks issues first",
                                "own: blocks that share the processing blocks",
                                70,
                                measure,
                                conclude};

}  // namespace warpgauge::probes
