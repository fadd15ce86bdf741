// Which pipes the processing blocks of an SM have in common: one instruction in a row on one to four blocks, and pairs of
// instructions in turn on all four, which take the sum of both where they go through one unit and the longer of the two
// where they do not.
#include <cmath>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int few_copies = 16;
constexpr int many_copies = 48;

struct Row {
  std::string name;
  std::string text;  // writes R10; R8 holds the address of the input
  std::string pipe;  // pipes.<pipe>.blocks_sharing; empty when it has none
  int from_sm = 70;
  bool paired = true;  // with all other such
};

std::vector<Row> rows(int sm) {
  const Program text(sm);
  std::vector<Row> all = {
      {"IADD3", "IADD3 R10, R12, R13, RZ", "alu"},
      {"IMAD", "IMAD R10, R12, R13, R14", "imad"},
      {"FFMA", "FFMA R10, R12, R13, R12", "fma_lite", 70, false},
      {"HMMA", "HMMA.16816.F32 R40, R44, R48, RZ", "matrix_half", 80, false},
      {"IMMA", "IMMA.16832.S8.S8 R40, R44.ROW, R48.COL, RZ", "matrix_int", 80, false},
      {"DMMA", "DMMA.8x8x4 R40, R44, R48, RZ", "matrix_double", 80, false},
      {"IMAD.WIDE", "IMAD.WIDE.U32 R10, R12, R13, RZ", "imad_wide", 70, false},
      {"HFMA2", "HFMA2 R10, R12, R13, R12", "fp16", 70, false},
      {"DFMA", "DFMA R10, R16, R18, R16", sm == 75 ? "" : "fp64"},
      {"MUFU", "MUFU.RCP R10, R12", "xu"},
      {"POPC", "POPC R10, R12", "bits"},
      {"F2I", "F2I.TRUNC.NTZ R10, R12", "conversion", 70, false},
      {"F2F.F64.F32", "F2F.F64.F32 R10, R12", "conversion_wide", 70, false},
      {"F2F.F32.F64", "F2F.F32.F64 R10, R16", "conversion_narrow", 70, false},
      {"CS2R", "CS2R R10, SR_CLOCKLO", "clock", 70, false},
      {"PLOP3", "PLOP3.LUT P2, PT, P0, P1, PT, 0x80, 0x0", "predicate", 70, false},
      {"UIADD3", "UIADD3 UR8, UR9, 0x4, URZ", "uniform", 75},
      {"SHFL", "SHFL.IDX PT, R10, R12, RZ, 0x1f", ""},
      {"VOTE", "VOTE.ANY R10, PT, P1", "vote"},
      {"MATCH", "MATCH.ANY R10, R12", ""},
      {"REDUX", "REDUX.SUM UR8, R12", "", 80},
      {"S2R", "S2R R10, SR_TID.X", "special_register"},
      {"S2UR", "S2UR UR8, SR_CTAID.X", "", 75},
      {"LDC", "LDC R10, " + text.parameter(Parameter::a), ""},
      {"LDC.64", "LDC.64 R10, " + text.parameter(Parameter::in), "", 70, false},
      {"ULDC", "ULDC UR8, " + text.parameter(Parameter::a), "uniform_load", 75},
      {"R2UR", "R2UR UR8, R12", "uniform_move", 75},
      {"LDS", "LDS R10, [RZ]", ""},
      {"STS", "STS [RZ], R12", ""},
      {"LDG", text.load_global(32, 10, 8), ""},
  };
  std::erase_if(all, [&](const Row& row) { return row.from_sm > sm; });
  return all;
}

std::string kernel_name(std::size_t first, std::size_t second, int copies) {
  return "row" + std::to_string(first) + "_" + std::to_string(second) + "_x" + std::to_string(copies);
}

// `copies` of each of two instructions between two clocks, in a loop that has run before.
SassKernel row_kernel(int sm, const std::vector<Row>& all, std::size_t first, std::size_t second, int copies) {
  Program p(sm);
  p.begin();
  set_operands(p);
  p.op(stall(15), "MOV R8, " + p.parameter(Parameter::in));
  p.op(stall(15), "MOV R9, " + p.parameter(Parameter::in, 1));
  p.only_warps_of_mask();
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(30);
    p.start_clock();
    for (int i = 0; i < copies; ++i) {
      p.op(stall(1), into_register(all[first].text, 20 + 2 * (i % 8)));
      if (second != first) p.op(stall(1), into_register(all[second].text, 20 + 2 * (i % 8)));
    }
    p.end_clock();
    p.idle(1000);
  });
  p.finish();
  return p.kernel(kernel_name(first, second, copies), 1024, 1);
}

struct Warps {
  const char* label;
  std::uint32_t mask;
  std::uint32_t count;  // up to the last of the mask
};
constexpr Warps one_block{"four warps of a block", 0x1111, 13};
constexpr Warps all_blocks{"one warp of each block", 0xf, 4};
constexpr Warps some[] = {{"one warp", 0x1, 1},
                          one_block,
                          {"a warp of blocks 0 and 1", 0x3, 2},
                          {"a warp of blocks 0 and 2", 0x5, 3},
                          {"a warp of blocks 0 and 3", 0x9, 4},
                          all_blocks,
                          {"four warps of each block", 0xffff, 16}};

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  const std::vector<Row> all = rows(sm);
  std::vector<SassKernel> kernels;
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a; b < all.size(); ++b) {
      if (a != b && !(all[a].paired && all[b].paired)) continue;
      for (const int copies : {few_copies, many_copies}) kernels.push_back(row_kernel(sm, all, a, b, copies));
    }
  }
  SassModule module(bench, kernels);
  const Buffer data = bench.allocate(4096);
  const auto run = [&](std::size_t a, std::size_t b, const Warps& warps, const std::string& label) {
    for (const int copies : {few_copies, many_copies}) {
      SassArguments arguments;
      arguments.in = data.address();
      arguments.warps = warps.count;
      arguments.a = warps.mask;
      const SassOutcome outcome = module.run(kernel_name(a, b, copies), arguments);
      findings.sample(label, "instructions", "cycles", copies, span_of(outcome.warps, warps.mask));
    }
  };
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (const Warps& warps : some) run(a, a, warps, all[a].name + " in a row, " + warps.label);
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      if (!all[a].paired || !all[b].paired) continue;
      run(a, b, all_blocks, all[a].name + " and " + all[b].name + " in turn, " + all_blocks.label);
    }
  }
}

void conclude(const TargetFacts& facts, Findings& findings) {
  for (const Row& row : rows(facts.sm)) {
    if (row.pipe.empty()) continue;
    const auto cycles = [&](const Warps& warps) {
      return slope(findings.at(row.name + " in a row, " + warps.label));
    };
    // What a block's own pipe takes, and what all blocks take: their ratio is how many wait for each other.
    const double alone = cycles(one_block) / 4;
    const auto shared = [&](const std::string& pipe) {
      findings.figure("pipes." + pipe + ".blocks_sharing", std::round(cycles(all_blocks) / alone), calib::Unit::count, 0, 4,
                      row.name + " in a row, " + all_blocks.label);
    };
    shared(row.pipe);
    // FFMAs keep both halves of the FMA pipe busy.
    if (row.pipe == "fma_lite") shared("fma_heavy");
  }
  const std::string constants = std::string("LDC in a row, ") + all_blocks.label;
  findings.figure("constant.unit_interval", slope(findings.at(constants)) / 4, calib::Unit::cycles, 0, 4, constants);
}

}  // namespace

extern const Probe pipe_sharing{"pipes.sharing", "Which pipes the processing blocks of an SM have in common", "pipes", 70, measure,
                                conclude};

}  // namespace warpgauge::probes
