// Which instructions wait at BAR.SYNC.DEFER_BLOCKING, and which pass it; and barriers in a row with arithmetic between.
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {
namespace {

struct Behind {
  std::string name;
  std::string text;
  bool tracked = false;           // by a counter, where it writes
  bool reads = false;             // by a counter, where it reads
};

std::vector<Behind> list_of(int sm) {
  const Program p(sm);
  std::vector<Behind> list;
  for (const FixedInstruction& each : fixed_instructions()) {
    if (exists(each.from_sm, each.to_sm, sm)) list.push_back({std::string(each.name), into_register(each.text, 20)});
  }
  for (const VariableInstruction& each : variable_instructions()) {
    if (exists(each.from_sm, each.to_sm, sm))
      list.push_back({std::string(each.name), into_register(each.text, 20), true});
  }
  list.push_back({"lds", "LDS R20, [RZ]", true});
  list.push_back({"sts", "STS [RZ], R12", false, true});
  list.push_back({"atoms", "ATOMS.ADD R20, [RZ], R12", true});
  list.push_back({"ldg", p.load_global(32, 20, 8), true});
  list.push_back({"stg", p.store_global(32, 8, 12), false, true});
  list.push_back({"ldc", "LDC R20, " + p.parameter(Parameter::a), true});
  list.push_back({"constant operand", "MOV R20, " + p.parameter(Parameter::a)});
  list.push_back({"lds of no lane", "@P4 LDS R20, [RZ]", true});
  list.push_back({"nop", "NOP"});
  list.push_back({"guard of no lane", "@P4 IADD3 R20, R12, R13, RZ"});
  list.push_back({"isetp", "ISETP.NE.AND P2, PT, R12, RZ, PT"});
  list.push_back({"plop3", "PLOP3.LUT P2, PT, P1, PT, PT, 0x8, 0x0"});
  list.push_back({"bra not taken", "@P4 BRA `(NEXT)"});
  list.push_back({"bra", "BRA `(NEXT)"});
  list.push_back({"exit of no lane", "@P4 EXIT"});
  list.push_back({"bssy", "BSSY B0, `(NEXT)"});
  list.push_back({"bsync", "BSYNC B0"});
  list.push_back({"warpsync", sm >= 90 ? "WARPSYNC.ALL" : "WARPSYNC 0xffffffff"});
  list.push_back({"yield", "YIELD"});
  list.push_back({"depbar", "DEPBAR.LE SB0, 0x0"});
  list.push_back({"membar", std::string(sm >= 75 ? "MEMBAR.ALL." : "MEMBAR.SC.") + "CTA"});
  if (sm >= 75) {
    list.push_back({"uiadd3", "UIADD3 UR8, UR9, 0x1, URZ"});
    list.push_back({"umov", "UMOV UR8, 0x1"});
    list.push_back({"uldc", "ULDC UR8, " + p.parameter(Parameter::a)});
    list.push_back({"r2ur", "R2UR UR8, R12", true});
    list.push_back({"ldsm", "LDSM.16.M88 R20, [RZ]", true});
  }
  if (sm >= 75) list.push_back({"hmma", sm >= 80 ? "HMMA.16816.F32 R20, R12, R16, RZ" : "HMMA.1688.F32 R20, R12, R14, RZ"});
  return list;
}

// Warp 1 comes to the barrier parameter b turns later than warp 0.
SassKernel behind_kernel(int sm, const Behind& behind, const std::string& name) {
  Program p(sm);
  p.begin();
  set_operands(p);
  p.op(stall(15), "MOV R8, " + p.parameter(Parameter::in));
  p.op(stall(15), "MOV R9, " + p.parameter(Parameter::in, 1));
  p.op(stall(15), "MOV R44, " + p.parameter(Parameter::b));
  p.op(stall(15), "IMAD R44, R44, R1, RZ");
  p.op(stall(15), "ISETP.NE.AND P4, PT, RZ, RZ, PT");
  p.loop(2, [&] {
    // A region, for BSYNC.
    const std::string join = p.fresh_label("JOIN");
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.op(stall(15).writing(0), "LDS R30, [RZ]");
    p.op(stall(15).waiting(1), "MOV R45, RZ");
    const std::string top = p.fresh_label("LATER");
    p.label(top);
    p.op(stall(6), "IADD3 R45, R45, 0x1, RZ");
    p.op(stall(13), "ISETP.LE.U32.AND P5, PT, R45, R44, PT");
    p.op(stall(5), "@P5 BRA `(" + top + ")");
    p.op(stall(15), "BSSY B0, `(" + join + ")");
    p.start_clock();
    p.op(stall(6), "BAR.SYNC.DEFER_BLOCKING 0x0");
    const std::string next = p.fresh_label("NEXT");
    std::string text = behind.text;
    const std::size_t at = text.find("NEXT");
    if (at != std::string::npos) text.replace(at, 4, next);
    Control control = stall(6);
    if (behind.tracked) control = control.writing(0);
    if (behind.reads) control = control.reading(0);
    p.op(control, text);
    p.label(next);
    p.label(join);
    p.end_clock();
    p.op(stall(15).waiting(1), "NOP");
    p.idle(60);
  });
  p.finish();
  return p.kernel(name, 1024, 1);
}

constexpr std::uint32_t lateness[] = {0, 20};  // turns

// Loops of four barriers a turn, with a chain of FFMAs before each, and a store and a load of shared memory.
constexpr int barriers_a_turn = 4, turns = 16;
struct Between {
  int ffmas;
  bool shared;
};
constexpr Between betweens[] = {{0, false}, {4, false}, {16, false}, {64, false}, {16, true}};
constexpr std::uint32_t warp_counts[] = {1, 2, 4, 8, 16, 32};

std::string row_name(const Between& between) {
  return "row" + std::to_string(between.ffmas) + (between.shared ? "_shared" : "");
}

SassKernel row_kernel(int sm, const Between& between) {
  Program p(sm);
  p.begin();
  set_operands(p);
  p.op(stall(15), "SHF.L.U32 R36, R0, 0x2, RZ");
  p.op(stall(15), "LOP3.LUT R37, R36, 0x4, RZ, 0x3c, !PT");
  p.op(stall(15), "MOV R20, R12");
  p.op(stall(15), "MOV R60, RZ");
  p.op(stall(6), "BAR.SYNC.DEFER_BLOCKING 0x0");
  p.op(stall(4).writing(0), "LDS R30, [RZ]");
  p.op(stall(15).waiting(1), "MOV R31, RZ");
  p.start_clock();
  const std::string top = p.fresh_label("TURN");
  p.label(top);
  p.op(stall(1), "IADD3 R60, R60, 0x1, RZ");
  for (int b = 0; b < barriers_a_turn; ++b) {
    for (int i = 0; i < between.ffmas; ++i) p.op(stall(4), "FFMA R20, R20, 1.5, R13");
    if (between.shared) p.op(stall(5).reading(1), "STS [R36], R20");
    p.op(stall(6), "BAR.SYNC.DEFER_BLOCKING 0x0");
    if (between.shared) {
      p.op(stall(4).writing(0), "LDS R30, [R37]");
      p.op(stall(4).waiting(3), "FADD R20, R20, R30");
    }
    if (b == 1) p.op(stall(1), "ISETP.LT.U32.AND P4, PT, R60, " + hex(turns) + ", PT");
  }
  p.op(stall(5), "@P4 BRA `(" + top + ")");
  p.end_clock();
  p.finish();
  SassKernel kernel = p.kernel(row_name(between), 4096, 1);
  kernel.registers = 64;  // 32 warps
  return kernel;
}

std::string behind_name(std::size_t index) { return "behind" + std::to_string(index); }

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  const std::vector<Behind> list = list_of(sm);
  std::vector<SassKernel> kernels;
  for (std::size_t i = 0; i < list.size(); ++i) kernels.push_back(behind_kernel(sm, list[i], behind_name(i)));
  for (const Between& between : betweens) kernels.push_back(row_kernel(sm, between));
  SassModule module(bench, kernels);
  const Buffer memory = bench.allocate(1 << 16);
  memory.fill(0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const std::uint32_t turns_later : lateness) {
      SassArguments arguments;
      arguments.warps = 2;
      arguments.in = memory.address();
      arguments.b = turns_later;
      findings.sample("cycles from a barrier to the clock behind " + list[i].name, "turns that the other warp is late", "cycles",
                      turns_later, module.run(behind_name(i), arguments).cycles());
    }
  }
  for (const Between& between : betweens) {
    const std::string label = "cycles of a barrier, FFMAs between: " + std::to_string(between.ffmas) +
                              (between.shared ? ", and a store and a load" : "");
    for (const std::uint32_t warps : warp_counts) {
      SassArguments arguments;
      arguments.warps = warps;
      findings.sample(label, "warps", "cycles", warps,
                      module.run(row_name(between), arguments).cycles() / (turns * barriers_a_turn));
    }
  }
}

}  // namespace

extern const Probe issue_deferred{"issue.deferred",
                                  "Which instructions wait at a barrier that defers its blocking, and barriers in a row",
                                  "barriers",
                                  70,
                                  measure,
                                  nullptr};

}  // namespace warpgauge::probes
