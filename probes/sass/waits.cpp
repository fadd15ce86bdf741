// Loops of one kind of instruction each, long enough for a profiler: what each takes, and (under Nsight
// Compute, by kernel name) under which reason the card books its cycles.
#include <functional>
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

struct Loop {
  std::string name;
  int copies;  // in the loop's body
  std::function<void(Program&, int)> write;
  int from_sm = 70;
};

constexpr int turns = 50;
constexpr std::uint32_t warp_counts[] = {1, 4, 16};

// The i-th of several registers that nothing waits for.
std::string spare(int i) {
  return reg(20 + i % 16);
}

std::vector<Loop> loops(int sm) {
  const Program text(sm);
  std::vector<Loop> list;
  for (const int s : {1, 2, 5, 13}) {
    list.push_back({"nop_s" + std::to_string(s), 64, [s](Program& p, int) { p.op(stall(s), "NOP"); }});
  }
  Control yielding;
  yielding.stall = 4;
  yielding.yield = true;
  list.push_back({"nop_s4_yield", 64, [yielding](Program& p, int) { p.op(yielding, "NOP"); }});
  list.push_back({"iadd3_chain", 64, [](Program& p, int) { p.op(stall(4), "IADD3 R20, R20, 0x1, RZ"); }});
  list.push_back(
      {"ffma_row", 64, [](Program& p, int i) { p.op(stall(1), "FFMA " + spare(i) + ", R12, R13, R12"); }});
  list.push_back({"ffma_conflict", 64,
                  [](Program& p, int i) { p.op(stall(1), "FFMA " + spare(i) + ", R12, R14, R16"); }});
  list.push_back(
      {"iadd3_row", 64, [](Program& p, int i) { p.op(stall(1), "IADD3 " + spare(i) + ", R12, R13, RZ"); }});
  list.push_back({"iadd3_constant", 64, [text](Program& p, int i) {
                    p.op(stall(2), "IADD3 " + spare(i) + ", R12, " + text.parameter(Parameter::a) + ", RZ");
                  }});
  list.push_back({"guard_false", 64,
                  [](Program& p, int i) { p.op(stall(2), "@P4 IADD3 " + spare(i) + ", R12, R13, RZ"); }});
  list.push_back({"isetp_guard", 16, [](Program& p, int i) {
                    p.op(stall(13), "ISETP.NE.AND P3, PT, R12, RZ, PT");
                    p.op(stall(2), "@P3 IADD3 " + spare(i) + ", R12, R13, RZ");
                  }});
  list.push_back({"branch_not_taken", 32, [](Program& p, int) {
                    const std::string on = p.fresh_label("ON");
                    p.op(stall(5), "@P4 BRA `(" + on + ")");
                    p.label(on);
                  }});
  list.push_back({"branch_taken", 32, [](Program& p, int) {
                    const std::string on = p.fresh_label("ON");
                    p.op(stall(5), "BRA `(" + on + ")");
                    p.op(stall(1), "NOP");
                    p.label(on);
                  }});
  list.push_back({"bssy_bsync", 16, [](Program& p, int) {
                    const std::string join = p.fresh_label("JOIN");
                    p.op(stall(3), "BSSY B0, `(" + join + ")");
                    p.op(stall(5), "BSYNC B0");
                    p.label(join);
                  }});
  list.push_back({"diverged", 8, [](Program& p, int) {
                    const std::string join = p.fresh_label("JOIN"), side = p.fresh_label("SIDE"),
                                      out = p.fresh_label("OUT");
                    p.op(stall(3), "BSSY B0, `(" + join + ")");
                    p.op(stall(5), "@P2 BRA `(" + side + ")");
                    for (int i = 0; i < 4; ++i) p.op(stall(2), "NOP");
                    p.op(stall(5), "BRA `(" + out + ")");
                    p.label(side);
                    for (int i = 0; i < 4; ++i) p.op(stall(2), "NOP");
                    p.label(out);
                    p.op(stall(5), "BSYNC B0");
                    p.label(join);
                  }});
  list.push_back({"barrier", 16, [](Program& p, int) { p.op(stall(6), "BAR.SYNC.DEFER_BLOCKING 0x0"); }});
  const auto waited = [&](const std::string& name, const std::string& instruction, int first_stall) {
    list.push_back({name, 16, [=](Program& p, int) {
                      p.op(stall(first_stall).writing(0), instruction);
                      p.op(stall(2).waiting(1), "IADD3 R21, R20, 0x1, RZ");
                    }});
  };
  waited("mufu_waited", "MUFU.RCP R20, R12", 2);
  waited("mufu_waited_s8", "MUFU.RCP R20, R12", 8);
  waited("lds_waited", "LDS R20, [RZ]", 2);
  waited("lds_waited_s8", "LDS R20, [RZ]", 8);
  waited("ldg_waited", text.load_global(32, 20, 8), 2);
  waited("ldc_waited", "LDC R20, " + text.parameter(Parameter::a), 2);
  waited("s2r_waited", "S2R R20, SR_TID.X", 2);
  list.push_back({"mufu_row", 32,
                  [](Program& p, int i) { p.op(stall(2).writing(1), "MUFU.RCP " + spare(i) + ", R12"); }});
  list.push_back(
      {"lds_row", 32, [](Program& p, int i) { p.op(stall(2).writing(1), "LDS " + spare(i) + ", [RZ]"); }});
  list.push_back({"ldg_row", 32, [text](Program& p, int i) {
                    p.op(stall(2).writing(1), text.load_global(32, 20 + i % 16, 8));
                  }});
  list.push_back(
      {"stg_row", 32, [text](Program& p, int) { p.op(stall(2).reading(1), text.store_global(32, 8, 12)); }});
  list.push_back({"sts_row", 32, [](Program& p, int) { p.op(stall(2).reading(1), "STS [RZ], R12"); }});
  list.push_back({"shfl_row", 32, [](Program& p, int i) {
                    p.op(stall(2).writing(1), "SHFL.IDX PT, " + spare(i) + ", R12, RZ, 0x1f");
                  }});
  list.push_back(
      {"imad_hi_chain", 32, [](Program& p, int) { p.op(stall(5), "IMAD.HI.U32 R20, R20, R13, RZ"); }});
  list.push_back({"imad_then_hi", 32, [](Program& p, int i) {
                    p.op(stall(4), "IMAD R20, R12, R13, R12");
                    p.op(stall(5), "IMAD.HI.U32 " + spare(i + 2) + ", R20, R13, RZ");
                  }});
  list.push_back({"dfma_chain", 32, [](Program& p, int) { p.op(stall(8), "DFMA R20, R16, R18, R20"); }});
  if (sm >= 75) {
    list.push_back(
        {"uiadd3_chain", 32, [](Program& p, int) { p.op(stall(4), "UIADD3 UR8, UR8, 0x1, URZ"); }});
    list.push_back({"uldc_used", 32, [text](Program& p, int i) {
                      p.op(stall(2), "ULDC UR8, " + text.parameter(Parameter::a));
                      p.op(stall(2), "IADD3 " + spare(i) + ", R12, UR8, RZ");
                    }});
    list.push_back({"r2ur_used", 16, [](Program& p, int i) {
                      p.op(stall(13), "R2UR UR8, R12");
                      p.op(stall(2), "IADD3 " + spare(i) + ", R12, UR8, RZ");
                    }});
  }
  return list;
}

SassKernel loop_kernel(int sm, const Loop& loop) {
  Program p(sm);
  p.begin();
  set_operands(p);
  p.op(stall(15), "MOV R8, " + p.parameter(Parameter::in));
  p.op(stall(15), "MOV R9, " + p.parameter(Parameter::in, 1));
  p.op(stall(15), "ISETP.NE.AND P4, PT, RZ, RZ, PT");
  p.op(stall(15), "LOP3.LUT R40, R0, 0x1f, RZ, 0xc0, !PT");
  p.op(stall(15), "ISETP.LT.U32.AND P2, PT, R40, 0x8, PT");
  p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  p.idle(30);
  p.start_clock();
  p.loop(turns, [&] {
    for (int i = 0; i < loop.copies; ++i) loop.write(p, i);
  });
  p.end_clock();
  p.op(stall(15).waiting(0x3f), "NOP");
  p.finish();
  return p.kernel("waits_" + loop.name, 1024, 1);
}

void measure(Bench& bench, Findings& findings) {
  const std::vector<Loop> list = loops(bench.facts().sm);
  std::vector<SassKernel> kernels;
  for (const Loop& loop : list) kernels.push_back(loop_kernel(bench.facts().sm, loop));
  SassModule module(bench, kernels);
  const Buffer memory = bench.allocate(1 << 16);
  memory.fill(0);
  for (const Loop& loop : list) {
    for (const std::uint32_t warps : warp_counts) {
      SassArguments arguments;
      arguments.warps = warps;
      arguments.in = memory.address();
      findings.sample("cycles of " + loop.name + ", once", "warps", "cycles", warps,
                      span_of(module.run("waits_" + loop.name, arguments).warps) / (turns * loop.copies));
    }
  }
}

}  // namespace

extern const Probe issue_waits{
    "issue.waits",   "Loops of one kind of instruction each: cycles, and stall reasons for a profiler",
    "stall reasons", 70,
    measure,         nullptr};

}  // namespace warpgauge::probes
