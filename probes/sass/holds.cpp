// How long BMOV, YIELD and EXIT hold their warp, with stall counts as compilers write them: of a whole warp and of a parted
// one, and before instructions of several kinds; and when a barrier that waits for a warp hears of its EXIT.
#include <functional>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int compiled = 5;  // the stall count that compilers give BMOV, YIELD, EXIT and branches
constexpr int few = 2, many = 10;
constexpr int passes = 3;
constexpr int later = 300;  // cycles by which the last warp comes later to the barrier than the other

// P2: eight of the lanes; P3: half of them; P5: none; R40: the lane.
struct Hold {
  std::string name;
  std::function<void(Program&)> write;
};

void move_out(Program& p) { p.op(stall(compiled).writing(0), "BMOV.32.CLEAR R20, B6"); }
void move_in(Program& p) { p.op(stall(compiled).reading(1), "BMOV.32 B6, R20"); }
void yield(Program& p) { p.op(stall(compiled), "YIELD"); }
void nop(Program& p) { p.op(stall(compiled), "NOP"); }

// What can stand behind a BMOV.
std::vector<Hold> others() {
  return {{"NOP", nop},
          {"IADD3", [](Program& p) { p.op(stall(compiled), "IADD3 R21, R22, 0x1, RZ"); }},
          {"BRA that is not taken", [](Program& p) {
             const std::string on = p.fresh_label("ON");
             p.op(stall(compiled), "@P5 BRA `(" + on + ")");
             p.label(on);
           }},
          {"BRA", [](Program& p) {
             const std::string on = p.fresh_label("ON");
             p.op(stall(compiled), "BRA `(" + on + ")");
             p.op(stall(1), "NOP");
             p.label(on);
           }},
          {"BSSY", [](Program& p) {
             const std::string join = p.fresh_label("JOIN");
             p.op(stall(compiled), "BSSY B0, `(" + join + ")");
             p.label(join);
           }},
          {"BSSY of the same barrier", [](Program& p) {
             const std::string join = p.fresh_label("JOIN");
             p.op(stall(compiled), "BSSY B6, `(" + join + ")");
             p.label(join);
           }},
          {"BSSY and BSYNC", [](Program& p) {
             const std::string join = p.fresh_label("JOIN");
             p.op(stall(compiled), "BSSY B0, `(" + join + ")");
             p.op(stall(compiled), "BSYNC B0");
             p.label(join);
           }},
          {"BMOV of another barrier to a register", [](Program& p) { p.op(stall(compiled).writing(2), "BMOV.32.CLEAR R23, B7"); }},
          {"BMOV of a register to another barrier", [](Program& p) { p.op(stall(compiled).reading(3), "BMOV.32 B7, R23"); }},
          {"CALL and RET", [](Program& p) {
             const std::string over = p.fresh_label("OVER"), function = p.fresh_label("FUNCTION"), back = p.fresh_label("BACK");
             p.op(stall(compiled), "CALL.REL.NOINC `(" + function + ")");
             p.label(back);
             p.op(stall(compiled), "BRA `(" + over + ")");
             p.label(function);
             p.op(stall(compiled), "NOP");
             p.op(stall(compiled), "RET.REL.NODEC R44 `(" + back + ")");
             p.label(over);
           }}};
}

// The lanes of `predicate` leave for the region's end; the others do something first.
void region(Program& p, const char* predicate, void (*body)(Program&)) {
  const std::string join = p.fresh_label("JOIN"), side = p.fresh_label("SIDE");
  p.op(stall(1), "BSSY B0, `(" + join + ")");
  p.op(stall(compiled), std::string("@") + predicate + " BRA `(" + side + ")");
  body(p);
  p.label(side);
  p.op(stall(compiled), "BSYNC B0");
  p.label(join);
}

// Lanes from the last one down, one an instruction; R41 is the one that has left.
void lane_exits(Program& p, const char* predicate, int stall_count) {
  p.op(stall(6), "IADD3 R41, R41, -0x1, RZ");
  p.op(stall(13), "ISETP.EQ.AND P4, PT, R40, R41, PT");
  p.op(stall(stall_count), std::string("@") + predicate + " EXIT");
}

std::vector<Hold> holds() {
  std::vector<Hold> list = {
      {"BMOV to a register", move_out},
      {"BMOV to a convergence barrier", move_in},
      {"BMOV to a register that is waited for", [](Program& p) { p.op(stall(compiled).waiting(1).writing(0), "BMOV.32.CLEAR R20, B6"); }},
      {"BMOV to a convergence barrier that is waited for",
       [](Program& p) { p.op(stall(compiled).waiting(2).reading(1), "BMOV.32 B6, R20"); }},
      {"BMOV to a register and back",
       [](Program& p) {
         move_out(p);
         p.op(stall(compiled).waiting(1).reading(1), "BMOV.32 B6, R20");
       }},
      {"YIELD", yield},
      {"a region that half of the lanes leave", [](Program& p) { region(p, "P3", nop); }},
      {"a region that half of the lanes leave, YIELD in it", [](Program& p) { region(p, "P3", yield); }},
      {"a region that eight lanes leave first", [](Program& p) { region(p, "P2", nop); }},
      {"a region that eight lanes leave first, YIELD in it", [](Program& p) { region(p, "P2", yield); }},
      {"EXIT of no lane", [](Program& p) { lane_exits(p, "P5", compiled); }},
      {"EXIT of one lane", [](Program& p) { lane_exits(p, "P4", compiled); }},
      {"EXIT of one lane, stall 1", [](Program& p) { lane_exits(p, "P4", 1); }},
      {"EXIT of one lane, stall 10", [](Program& p) { lane_exits(p, "P4", 10); }},
  };
  for (const Hold& other : others()) {
    list.push_back(other);
    list.push_back({"BMOV to a register, and " + other.name, [other](Program& p) {
                      move_out(p);
                      other.write(p);
                    }});
    list.push_back({"BMOV to a convergence barrier, and " + other.name, [other](Program& p) {
                      move_in(p);
                      other.write(p);
                    }});
  }
  return list;
}

std::string label_of(const std::string& name) { return "cycles of " + name; }

std::string kernel_name(std::size_t index, int copies) {
  return "hold" + std::to_string(index) + "_x" + std::to_string(copies);
}

SassKernel hold_kernel(int sm, const Hold& hold, std::size_t index, int copies) {
  Program p(sm);
  p.begin();
  p.op(stall(15), "LOP3.LUT R40, R0, 0x1f, RZ, 0xc0, !PT");
  p.op(stall(15), "MOV R41, 0x20");
  p.op(stall(15), "ISETP.LT.U32.AND P2, PT, R40, 0x8, PT");
  p.op(stall(15), "ISETP.LT.U32.AND P3, PT, R40, 0x10, PT");
  p.op(stall(15), "ISETP.NE.AND P5, PT, RZ, RZ, PT");
  for (const int zero : {22, 44, 45}) p.op(stall(15), "MOV " + reg(zero) + ", RZ");
  p.op(stall(15).writing(0), "BMOV.32.CLEAR R20, B6");
  p.op(stall(15).writing(0), "BMOV.32.CLEAR R23, B7");
  p.op(stall(15).waiting(1), "NOP");
  p.loop(passes, [&] {
    p.idle(60);
    p.start_clock();
    for (int i = 0; i < copies; ++i) hold.write(p);
    p.end_clock();
    p.op(stall(15).waiting(0xf), "NOP");
    p.idle(60);
  });
  p.finish();
  return p.kernel(kernel_name(index, copies));
}

// Warp 0 waits at a barrier for warp 1, which arrives at it, or exits, as many cycles after the barrier before. Behind the
// barrier a load, which cannot pass it, and a clock that waits for the load.
SassKernel last_warp_kernel(int sm, bool exits) {
  Program p(sm);
  const std::string late = p.fresh_label("LATE"), again = p.fresh_label("AGAIN"), barrier = p.fresh_label("BARRIER");
  p.begin();
  p.op(stall(15), "ISETP.NE.U32.AND P4, PT, R1, RZ, PT");
  p.op(stall(15), "MOV R60, RZ");
  // Twice, so that the code is there: the first time the last warp arrives.
  p.label(again);
  p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  p.op(stall(15).writing(0), "LDS R30, [RZ]");
  p.op(stall(15).waiting(1), "IADD3 R60, R60, 0x1, RZ");
  p.op(stall(15), "ISETP.EQ.U32.AND P5, PT, R60, 0x2, P4");
  p.start_clock(15);
  p.op(stall(15), "@P4 BRA `(" + late + ")");
  p.label(barrier);
  // So an EXIT issues as many cycles before the arrival that stands for it.
  p.op(stall(compiled), exits ? "@P5 EXIT" : "NOP");
  p.op(stall(6), "BAR.SYNC.DEFER_BLOCKING 0x0");
  p.op(stall(4).writing(0), "LDS R30, [RZ]");
  p.op(stall(4).waiting(1), "MOV R31, R30");
  p.end_clock();
  p.op(stall(15), "ISETP.LT.U32.AND P6, PT, R60, 0x2, PT");
  p.op(stall(15), "@P6 BRA `(" + again + ")");
  p.finish();
  p.label(late);
  p.idle(later);
  p.op(stall(15), "BRA `(" + barrier + ")");
  return p.kernel(exits ? "last_exits" : "last_arrives", 1024, 1);
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  const std::vector<Hold> list = holds();
  std::vector<SassKernel> kernels;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const int copies : {few, many}) kernels.push_back(hold_kernel(sm, list[i], i, copies));
  }
  for (const bool exits : {false, true}) kernels.push_back(last_warp_kernel(sm, exits));
  SassModule module(bench, kernels);
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const int copies : {few, many}) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        findings.sample(label_of(list[i].name), "copies", "cycles", copies, module.run(kernel_name(i, copies)).cycles());
      }
    }
  }
  for (const bool exits : {false, true}) {
    SassArguments arguments;
    arguments.warps = 2;
    for (int repeat = 0; repeat < 2; ++repeat) {
      findings.sample(std::string("cycles of a barrier whose last warp ") + (exits ? "exits" : "arrives"), "repetition",
                      "cycles", repeat, module.run(exits ? "last_exits" : "last_arrives", arguments).cycles());
    }
  }
}

void conclude(const TargetFacts&, Findings& findings) {
  const auto cost = [&](const std::string& name) { return slope(findings.at(label_of(name))); };
  findings.figure("issue.yield_instruction_cost", cost("YIELD"), calib::Unit::cycles, 0, 4, label_of("YIELD"));
  findings.figure("issue.convergence_move_cost", cost("BMOV to a register"), calib::Unit::cycles, 0, 4,
                  label_of("BMOV to a register"));
  findings.figure("issue.exit_cost", compiled + cost("EXIT of one lane") - cost("EXIT of no lane"), calib::Unit::cycles, 0, 4,
                  label_of("EXIT of one lane"));
}

}  // namespace

extern const Probe issue_holds{"issue.holds",
                               "How long BMOV, YIELD and EXIT hold a warp",
                               "control flow",
                               70,
                               measure,
                               conclude};

}  // namespace warpgauge::probes
