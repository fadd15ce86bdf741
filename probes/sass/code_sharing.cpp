// Who shares which cache of code. An aggressor runs code of its own between two passes of a victim, on the
// victim's processing block or on another; and constants are read between two passes over code that the
// second level holds.
#include <algorithm>
#include <string>

#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int kib = 1024;
constexpr int instruction_bytes = 16;
constexpr int line_instructions = 8;
constexpr int passes = 3;

// The victim jumps from line to line, so that no prefetcher runs ahead of it.
constexpr int victim_lines = 32;
constexpr int victim_hop = 5;
constexpr int aggressors[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96};  // KiB

std::string aggressor_kernel_name(int size) {
  return "aggressor_" + std::to_string(size);
}

// Straight code that takes `bytes`.
void straight(Program& program, int bytes) {
  for (int i = 0; i < bytes / instruction_bytes; ++i)
    program.op(stall(1), "FFMA " + reg(20 + i % 16) + ", R12, R13, R14");
}

// R61 counts the passes.
void repeat(Program& program, const std::string& top) {
  program.op(stall(15), "IADD3 R61, R61, 0x1, RZ");
  program.op(stall(15), "ISETP.LT.U32.AND P6, PT, R61, " + hex(passes) + ", PT");
  program.op(stall(15), "@P6 BRA `(" + top + ")");
}

// Warp 0 is the victim, any other that the mask leaves the aggressor. The clocks are those of the victim's
// last pass.
SassKernel aggressor_kernel(int sm, int size) {
  Program program(sm);
  program.begin();
  program.only_warps_of_mask();
  set_operands(program);
  program.op(stall(15), "MOV R61, RZ");
  program.op(stall(15), "ISETP.NE.AND P3, PT, R1, RZ, PT");
  const std::string other = program.fresh_label("OTHER"), done = program.fresh_label("DONE");
  program.op(stall(15), "@P3 BRA `(" + other + ")");
  const std::string victim = program.fresh_label("VICTIM");
  program.label(victim);
  program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  program.idle(60);
  program.start_clock();
  for (int line = 0; line < victim_lines; ++line) {
    const std::string next = program.fresh_label("NEXT");
    program.op(stall(5), "BRA `(" + next + ")");
    for (int i = 1; i < line_instructions * victim_hop; ++i) program.op(stall(1), "NOP");
    program.label(next);
  }
  program.end_clock();
  program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  repeat(program, victim);
  program.op(stall(15), "BRA `(" + done + ")");
  program.label(other);
  program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  program.start_clock();
  straight(program, size * kib);
  program.end_clock();
  repeat(program, other);
  program.label(done);
  program.finish();
  return program.kernel(aggressor_kernel_name(size), 0, 1);
}

// The size of the code, in KiB, and the bytes of constants read between its second and its third pass.
constexpr int code_sizes[] = {32, 64, 80, 96, 112};
constexpr std::uint32_t constant_sizes[] = {0, 16 * kib, 32 * kib, 64 * kib};
constexpr std::uint32_t bank_bytes = 64 * kib;

std::string constants_kernel_name(int size) {
  return "constants_between_" + std::to_string(size);
}

// Parameter b: bytes of constants. The clocks are those of the last pass.
SassKernel constants_kernel(int sm, int size) {
  Program program(sm);
  program.begin();
  set_operands(program);
  program.op(stall(15), "MOV R60, " + program.parameter(Parameter::b));
  program.op(stall(15), "MOV R61, RZ");
  const std::string top = program.fresh_label("PASS"), again = program.fresh_label("READ"),
                    on = program.fresh_label("ON");
  program.label(top);
  program.start_clock();
  straight(program, size * kib);
  program.end_clock();
  program.op(stall(15), "ISETP.NE.U32.AND P4, PT, R61, " + hex(passes - 2) + ", PT");
  program.op(stall(15), "ISETP.EQ.U32.OR P4, PT, R60, RZ, P4");
  program.op(stall(15), "@P4 BRA `(" + on + ")");
  program.op(stall(15), "MOV R20, RZ");
  program.label(again);
  program.op(stall(2).writing(0), "LDC R24, c[0x3][R20]");
  program.op(stall(2).waiting(1), "NOP");
  program.op(stall(15), "IADD3 R20, R20, 0x40, RZ");
  program.op(stall(15), "ISETP.LT.U32.AND P5, PT, R20, R60, PT");
  program.op(stall(15), "@P5 BRA `(" + again + ")");
  program.label(on);
  repeat(program, top);
  program.finish();
  return program.kernel(constants_kernel_name(size));
}

std::string victim_series(bool same) {
  return std::string("cycles of a jump after code of a warp of ") + (same ? "the same" : "another") +
         " processing block";
}
std::string code_series(std::uint32_t constants) {
  return "cycles an instruction of code after " + std::to_string(constants / kib) + " KiB of constants";
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  for (const int size : aggressors) {
    SassModule module(bench, {aggressor_kernel(sm, size)});
    for (const bool same : {true, false}) {
      SassArguments arguments;
      arguments.warps = 5;
      arguments.a = same ? 0x11 : 0x3;
      findings.sample(victim_series(same), "bytes", "cycles", size * kib,
                      module.run(aggressor_kernel_name(size), arguments).cycles() / victim_lines);
    }
  }
  std::vector<std::uint32_t> table(bank_bytes / 4);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint32_t>(i);
  for (const int size : code_sizes) {
    SassModule module(bench, {constants_kernel(sm, size)}, table);
    for (const std::uint32_t constants : constant_sizes) {
      SassArguments arguments;
      arguments.b = constants;
      findings.sample(
          code_series(constants), "bytes", "cycles", size * kib,
          module.run(constants_kernel_name(size), arguments).cycles() / (size * kib / instruction_bytes));
    }
  }
}

// What an aggressor or the constants must add to count.
constexpr double noticed = 1.25;

void conclude(const TargetFacts&, Findings& findings) {
  // Whether an aggressor on another block drives the victim's code out is a curve and no figure: of three runs on
  // two cards one said yes. `fetch.spread` has the figure.
  const calib::Series& same = findings.at(victim_series(true));
  if (same.y.back() < noticed * same.y.front())
    throw ProbeRefusal("no code of another warp drives a warp's own out of the first level");
  const calib::Series& alone = findings.at(code_series(0));
  const calib::Series& after = findings.at(code_series(bank_bytes));
  double most = 1;
  for (std::size_t i = 0; i < alone.y.size(); ++i) most = std::max(most, after.y[i] / alone.y[i]);
  findings.result.figures.push_back({"constant.l15_is_instruction_cache", most > noticed, calib::Unit::flag,
                                     0, after.y.size(), after.label});
}

}  // namespace

extern const Probe fetch_sharing{
    "fetch.sharing",
    "Which processing blocks share the first level of code, and whether constants share the second",
    "Jia2018 figures 3.7 and 3.8; Jia2019 figure 3.7",
    70,
    measure,
    conclude};

}  // namespace warpgauge::probes
