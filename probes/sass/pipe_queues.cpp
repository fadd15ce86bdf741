// How many instructions of a pipe issue before it takes its time for each: the one that it works on, and what waits between
// issue and the pipe. Rows of 0 to 8, one warp: as long as there is room, one more costs less than the pipe's interval.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int longest = 8;

struct Row {
  const char* pipe;  // pipes.<pipe>.queue_entries
  const char* text;  // writes R10
  int from_sm = 70;
};

// Pipes that take an instruction a cycle show nothing, and what goes through the memory unit waits in its queue (lsu.queue).
std::vector<Row> rows(int sm) {
  std::vector<Row> all = {{"imad", "IMAD R10, R12, R13, R14"},
                          {"imad_wide", "IMAD.WIDE.U32 R10, R12, R13, RZ"},
                          {"alu", "IADD3 R10, R12, R13, RZ"},
                          {"fp16", "HFMA2 R10, R12, R13, R12"},
                          {"fp64", "DFMA R10, R16, R18, R16"},
                          {"xu", "MUFU.RCP R10, R12"},
                          {"bits", "POPC R10, R12"},
                          {"conversion", "F2I.TRUNC.NTZ R10, R12"},
                          {"conversion_wide", "F2F.F64.F32 R10, R12"},
                          {"conversion_narrow", "F2F.F32.F64 R10, R16"},
                          {"vote", "VOTE.ANY R10, PT, P1"},
                          {"clock", "CS2R R10, SR_CLOCKLO"},
                          {"predicate", "PLOP3.LUT P2, PT, P0, P1, PT, 0x80, 0x0"},
                          {"uniform", "UIADD3 UR8, UR9, 0x4, URZ", 75},
                          {"uniform_move", "R2UR UR8, R12", 75},
                          {"matrix_half", "HMMA.16816.F32 R10, R40, R44, RZ", 80},
                          {"matrix_int", "IMMA.16832.S8.S8 R10, R40.ROW, R44.COL, RZ", 80},
                          {"matrix_double", "DMMA.8x8x4 R10, R40, R44, RZ", 80}};
  std::erase_if(all, [&](const Row& row) { return row.from_sm > sm || (sm == 75 && std::string(row.pipe) == "fp64"); });
  return all;
}

std::string kernel_name(const Row& row, int copies) { return std::string(row.pipe) + "_x" + std::to_string(copies); }
std::string label_of(const Row& row) { return std::string("issue of a row on ") + row.pipe; }

SassKernel row_kernel(int sm, const Row& row, int copies) {
  Program program(sm);
  program.begin();
  set_operands(program);
  for (int i = 40; i < 48; ++i) program.op(stall(15), "MOV " + reg(i) + ", RZ");
  program.loop(3, [&] {
    program.idle(60);
    program.start_clock(4);
    for (int i = 0; i < copies; ++i) program.op(stall(1), into_register(row.text, 20 + 4 * (i % 5)));
    program.end_clock();
    program.idle(300);
  });
  program.finish();
  return program.kernel(kernel_name(row, copies));
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<SassKernel> kernels;
  for (const Row& row : rows(sm)) {
    for (int copies = 0; copies <= longest; ++copies) kernels.push_back(row_kernel(sm, row, copies));
  }
  SassModule module(bench, kernels);
  for (const Row& row : rows(sm)) {
    for (int copies = 0; copies <= longest; ++copies) {
      findings.sample(label_of(row), "instructions", "cycles", copies, module.run(kernel_name(row, copies)).cycles());
    }
  }
}

void conclude(const TargetFacts& facts, Findings& findings) {
  for (const Row& row : rows(facts.sm)) {
    const calib::Series& series = findings.at(label_of(row));
    const double interval = slope_from(series, longest / 2.0);
    int at_once = 0;
    while (at_once < longest && series.y[static_cast<std::size_t>(at_once) + 1] - series.y[static_cast<std::size_t>(at_once)] < interval - 0.5) ++at_once;
    findings.figure(std::string("pipes.") + row.pipe + ".queue_entries", std::max(at_once, 1) - 1, calib::Unit::count, 0, series.x.size(), series.label);
  }
}

}  // namespace

extern const Probe pipe_queues{"pipes.queues", "How many instructions wait between issue and each pipe", "Huerta et al. 2025", 70, measure, conclude};

}  // namespace warpgauge::probes
