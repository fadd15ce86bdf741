// How much work may wait between the shared memory unit and its data stage: loads that take many passes issue
// at the rate of their addresses until that room and the queues are full, and then at the rate of their
// passes.
#include <cmath>
#include <string>

#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int in_a_row = 100;
constexpr int first_stamp = 64;

struct Row {
  const char* name;
  int stride;  // bytes from lane to lane
  enum class What { load_shared, store_shared, load_global, load_global_128 } what;
};

constexpr Row rows[] = {
    {"LDS, all lanes in one bank", 128, Row::What::load_shared},
    {"LDS, eight lanes in one bank", 32, Row::What::load_shared},
    {"STS, all lanes in one bank", 128, Row::What::store_shared},
    {"LDG, all lanes in one bank, 32 lines", 128, Row::What::load_global},
    {"LDG, 33 lines", 132, Row::What::load_global},
    {"LDG.128", 16, Row::What::load_global_128},
};

std::string text_of(const Program& program, Row::What what) {
  switch (what) {
    case Row::What::load_shared:
      return "LDS R20, [R36]";
    case Row::What::store_shared:
      return "STS [R36], R12";
    case Row::What::load_global:
      return program.load_global(32, 20, 8);
    case Row::What::load_global_128:
      return program.load_global(128, 20, 8);
  }
  return {};
}

std::string kernel_name(std::size_t row) {
  return "backlog" + std::to_string(row);
}

// Each warp has words of its own; the third pass through the row is the one that is kept.
SassKernel backlog_kernel(int sm, std::size_t index) {
  const Row& row = rows[index];
  Program program(sm);
  program.begin();
  program.op(stall(15), "MOV R8, " + program.parameter(Parameter::in));
  program.op(stall(15), "MOV R9, " + program.parameter(Parameter::in, 1));
  program.op(stall(15), "MOV R37, " + hex(static_cast<std::uint64_t>(row.stride)));
  program.op(stall(15), "IMAD.WIDE.U32 R8, R0, R37, R8");
  program.op(stall(15), "IMAD R36, R0, R37, RZ");
  program.op(stall(15), "MOV R12, RZ");
  program.idle(30);
  program.only_warps_of_mask();
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(60);
    program.start_clock();
    for (int i = 0; i < in_a_row; ++i) {
      program.op(stall(1), text_of(program, row.what));
      program.op(stall(2), "CS2R.32 " + reg(first_stamp + i) + ", SR_CLOCKLO");
    }
    program.end_clock();
    program.idle(6000);
  });
  for (int i = 0; i < in_a_row; ++i) program.store_result_of_warp(first_stamp + i, i, in_a_row);
  program.finish();
  SassKernel kernel = program.kernel(kernel_name(index), 16 * 1024, 1);
  kernel.registers = 200;
  return kernel;
}

void measure(Bench& bench, Findings& findings) {
  const Buffer memory = bench.allocate(1 << 20);
  memory.fill(0);
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    SassModule module(bench, {backlog_kernel(bench.facts().sm, i)});
    for (const std::uint32_t mask : {1U, 3U, 5U, 7U, 15U}) {
      SassArguments arguments;
      arguments.warps = 4;
      arguments.a = mask;
      arguments.in = memory.address();
      arguments.results = static_cast<std::size_t>(in_a_row) * arguments.warps;
      const SassOutcome outcome = module.run(kernel_name(i), arguments);
      std::string blocks;
      for (std::uint32_t warp = 0; warp < arguments.warps; ++warp) {
        if ((mask >> warp & 1U) != 0) blocks += ' ' + std::to_string(warp);
      }
      const std::string label = std::string(rows[i].name) + ", block 0 of" + blocks;
      for (std::uint32_t k = 0; k < in_a_row; ++k) {
        findings.sample(label, "instructions", "cycles", k + 1,
                        outcome.results[k] - static_cast<std::uint32_t>(outcome.warps[0].start));
      }
    }
  }
}

// How many of one row have been taken in when the last one issues and are not done: all that are under way,
// of this block.
double under_way(const Findings& findings, const char* row, const char* blocks) {
  const calib::Series& series = findings.at(std::string(row) + ", block 0 of " + blocks);
  return in_a_row - series.y.back() / slope_from(series, 2 * in_a_row / 3.0);
}

void conclude(const TargetFacts&, Findings& findings) {
  const char* const shared = rows[0].name;
  const char* const global = rows[3].name;
  const double alone = under_way(findings, shared, "0");
  // Every further block brings its own queue with it, but not the one behind the shared unit. One access of
  // those under way is in service.
  const double own = (4 * under_way(findings, shared, "0 1 2 3") - alone) / 3;
  findings.figure("lsu.data_queue_entries", std::round(alone - own) - 1, calib::Unit::count, 0, in_a_row,
                  std::string(shared) + ", block 0 of 0");
  findings.figure("l1.data_queue_entries", std::round(under_way(findings, global, "0") - alone),
                  calib::Unit::count, 0, in_a_row, std::string(global) + ", block 0 of 0");
}

}  // namespace

extern const Probe memory_backlog{"lsu.backlog",
                                  "How much work waits between the shared memory unit and its data stage",
                                  "after Huerta et al. 2025, table 1: accesses that take many passes",
                                  70,
                                  measure,
                                  conclude};

}  // namespace warpgauge::probes
