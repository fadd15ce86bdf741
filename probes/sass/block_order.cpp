// Which block's warps issue first where several blocks share an SM's processing blocks: loops over rows of FFMAs, and the
// cycle in which each warp is through.
#include <algorithm>
#include <string>
#include <vector>

#include "probes/sass/blocks_of_sm.h"

namespace warpgauge::probes {
namespace {

struct Row {
  const char* name;
  int chains;  // that the FFMAs of a turn make
  int length;
};
constexpr Row rows[] = {{"eight chains", 8, 64}, {"two chains", 2, 32}};
constexpr BlocksOfSm sets[] = {{1, 16, 200}, {2, 8, 200}, {4, 4, 200}, {4, 8, 100}, {8, 4, 100}};
SassKernel order_kernel(int sm, const Row& row) {
  Program p(sm);
  const std::string top = p.fresh_label("TURN");
  begin_on_blocks_of_sm(p);
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

std::string label_of(const Row& row, const BlocksOfSm& set, std::uint32_t block) {
  return std::string(row.name) + ", blocks: " + std::to_string(set.blocks) + " of " + std::to_string(set.warps) +
         " warps, end of block " + std::to_string(block);
}

bool fits(const TargetFacts& facts, const BlocksOfSm& set) { return set.blocks * set.warps <= 32 || facts.sm != 75; }

void measure(Bench& bench, Findings& findings) {
  const TargetFacts& facts = bench.facts();
  std::vector<SassKernel> kernels;
  for (const Row& row : rows) kernels.push_back(order_kernel(facts.sm, row));
  SassModule module(bench, kernels);
  for (const Row& row : rows) {
    for (const BlocksOfSm& set : sets) {
      if (!fits(facts, set)) continue;
      const auto ends = ends_of_blocks(bench, module, row.chains == 8 ? "eight" : "two", set, 1024);
      for (std::uint32_t block = 0; block < set.blocks; ++block) {
        for (std::uint32_t warp = 0; warp < set.warps; ++warp)
          findings.sample(label_of(row, set, block), "warp", "cycles", warp, ends[block][warp]);
      }
    }
  }
}

// Of four blocks with two warps each on a processing block.
void conclude(const TargetFacts& facts, Findings& findings) {
  const BlocksOfSm& set = sets[3];
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
