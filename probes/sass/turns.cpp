// Whose turn it is when several warps of a processing block want the same unit, or a queue is full: every warp has the same
// row of one instruction and reads the clock after each.
#include <string>
#include <vector>

#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int in_a_row = 31;
constexpr int idle = 3000;       // cycles after a row
constexpr int first_stamp = 25;  // to R55; registers of 32 warps end before R63
constexpr std::uint32_t most_warps = 32;

struct Row {
  const char* name;
  const char* text;  // empty: a store of a word a lane to global memory
  int stride = 4;    // bytes from lane to lane
  int times = 1;     // before each look at the clock
  int from_sm = 70;
  int stall = 1;             // of each instruction of the row
  const char* before = "";  // once before them
  int idle_stall = 15;       // of the NOPs of a warp that is done
};
constexpr Row rows[] = {
    {"STG", ""},
    {"LDS", "LDS R20, [R14]"},
    {"LDS, eight lanes in one bank", "LDS R20, [R14]", 32},
    {"SHFL", "SHFL.IDX PT, R20, R12, RZ, 0x1f"},
    {"MUFU", "MUFU.RCP R20, R12"},
    {"LOP3", "LOP3.LUT R20, R12, 0x5, R13, 0x96, !PT"},
    {"IMAD", "IMAD R20, R12, 0x5, R13"},
    {"FFMA", "FFMA R20, R12, R13, R12"},
    {"DFMA", "DFMA R20, R16, R18, R16"},
    {"POPC", "POPC R20, R12"},
    {"four LOP3", "LOP3.LUT R20, R12, 0x5, R13, 0x96, !PT", 4, 4},
    {"four DFMA", "DFMA R20, R16, R18, R16", 4, 4},
    {"four FFMA", "FFMA R20, R12, R13, R12", 4, 4},
    {"four HADD2", "HADD2 R20, R12, R13", 4, 4},
    {"four HMMA", "HMMA.16816.F32 R20, R12, R16, RZ", 4, 4, 80},
    {"FFMA, stall 2", "FFMA R20, R12, R13, R12", 4, 1, 70, 2},
    {"FFMA, stall 3", "FFMA R20, R12, R13, R12", 4, 1, 70, 3},
    {"FFMA, stall 4", "FFMA R20, R12, R13, R12", 4, 1, 70, 4},
    {"FFMA, stall 6", "FFMA R20, R12, R13, R12", 4, 1, 70, 6},
    {"FFMA, stall 10", "FFMA R20, R12, R13, R12", 4, 1, 70, 10},
    {"two FFMA, stall 2", "FFMA R20, R12, R13, R12", 4, 2, 70, 2},
    {"three FFMA, stall 2", "FFMA R20, R12, R13, R12", 4, 3, 70, 2},
    {"two FFMA, stall 4", "FFMA R20, R12, R13, R12", 4, 2, 70, 4},
    {"four IMAD", "IMAD R20, R12, 0x5, R13", 4, 4},
    {"four IMAD.WIDE", "IMAD.WIDE.U32 R20, R12, 0x5, RZ", 4, 4},
    {"FFMA and four LOP3", "LOP3.LUT R20, R12, 0x5, R13, 0x96, !PT", 4, 4, 70, 1, "FFMA R22, R12, R13, R12"},
    {"FFMA and four ISETP", "ISETP.GE.AND P2, PT, R12, R13, PT", 4, 4, 70, 1, "FFMA R22, R12, R13, R12"},
    {"FFMA, idle warps without yield", "FFMA R20, R12, R13, R12", 4, 1, 70, 1, "", 11},
};
struct Warps {
  const char* name;
  std::uint32_t mask;
};
constexpr Warps sets[] = {{"2 warps of one block", 0x11},
                          {"4 warps of one block", 0x1111},
                          {"8 warps of one block", 0x11111111},
                          {"4 warps of each block", 0xffff}};

SassKernel turns_kernel(int sm, const std::string& name, const Row& row) {
  Program program(sm);
  program.begin();
  program.op(stall(15), "MOV R8, " + program.parameter(Parameter::in));
  program.op(stall(15), "MOV R9, " + program.parameter(Parameter::in, 1));
  program.op(stall(15), "MOV R10, " + hex(static_cast<std::uint64_t>(row.stride)));
  program.op(stall(15), "IMAD.WIDE.U32 R8, R0, R10, R8");
  program.op(stall(15), "LOP3.LUT R14, R0, 0x1f, RZ, 0xc0, !PT");
  program.op(stall(15), "IMAD R14, R14, R10, RZ");
  for (const int r : {12, 13, 15, 16, 17, 18, 19}) program.op(stall(15), "MOV " + reg(r) + ", RZ");
  program.idle(30);
  program.only_warps_of_mask();
  program.op(stall(15), "MOV R60, RZ");
  const std::string top = program.fresh_label("PASS");
  program.label(top);
  program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  program.idle(60);
  program.start_clock();
  for (int i = 0; i < in_a_row; ++i) {
    std::string text = row.text;
    if (text.empty()) text = program.store_global(32, 8, 12);
    if (row.before[0] != '\0') program.op(stall(1), row.before);
    for (int n = 0; n < row.times; ++n) program.op(stall(row.stall), text);
    program.op(stall(2), "CS2R.32 " + reg(first_stamp + i) + ", SR_CLOCKLO");
  }
  program.end_clock();
  for (int cycles = 0; cycles < idle; cycles += row.idle_stall) program.op(stall(row.idle_stall), "NOP");
  program.op(stall(15), "IADD3 R60, R60, 0x1, RZ");
  program.op(stall(15), "ISETP.LT.U32.AND P6, PT, R60, 0x2, PT");
  program.op(stall(15), "@P6 BRA `(" + top + ")");
  for (int i = 0; i < in_a_row; ++i) program.store_result_of_warp(first_stamp + i, i, in_a_row);
  program.finish();
  SassKernel kernel = program.kernel(name, 16 * 1024, 1);
  kernel.registers = 64;
  return kernel;
}

void measure(Bench& bench, Findings& findings) {
  const Buffer memory = bench.allocate(1 << 20);
  memory.fill(0);
  for (const Row& row : rows) {
    if (bench.facts().sm < row.from_sm) continue;
    SassModule module(bench, {turns_kernel(bench.facts().sm, "turns", row)});
    for (const Warps& set : sets) {
      SassArguments arguments;
      arguments.warps = most_warps;
      arguments.a = set.mask;
      arguments.in = memory.address();
      arguments.results = static_cast<std::size_t>(in_a_row) * arguments.warps;
      const SassOutcome outcome = module.run("turns", arguments);
      std::uint64_t begin = ~std::uint64_t{0};
      for (std::uint32_t warp = 0; warp < most_warps; ++warp) {
        if ((set.mask >> warp & 1U) != 0) begin = std::min(begin, outcome.warps[warp].start);
      }
      for (std::uint32_t warp = 0; warp < most_warps; ++warp) {
        if ((set.mask >> warp & 1U) == 0) continue;
        const std::string label = std::string(row.name) + ", " + set.name + ", warp " + std::to_string(warp);
        for (std::uint32_t i = 0; i < in_a_row; ++i) {
          const std::uint32_t at = outcome.results[std::size_t{warp} * in_a_row + i];
          findings.sample(label, "instructions", "cycles", i + 1, at - static_cast<std::uint32_t>(begin));
        }
      }
    }
  }
}

void conclude(const TargetFacts&, Findings&) {}

}  // namespace

extern const Probe issue_turns{"issue.turns",
                               "Whose turn it is when several warps want the same unit or queue",
                               "own: the order in which warps of a block are served",
                               70,
                               measure,
                               conclude};

}  // namespace warpgauge::probes
