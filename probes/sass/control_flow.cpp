// What branches, convergence, barriers and guards cost; how a dependence counter is seen; which warp is
// picked.
#include <algorithm>
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/sass/stale.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

struct Step {
  std::string name;
  std::string key;  // issue.<key>; empty: samples only
  void (*write)(Program& program);
  int from_sm = 70;
  int copies_by_sm = 0;  // of the long row that every SM is asked for; 0: any SM has the step's cost
};

void not_taken(Program& p) {
  const std::string on = p.fresh_label("ON");
  p.op(stall(1), "@P4 BRA `(" + on + ")");
  p.label(on);
}
void taken(Program& p) {
  const std::string on = p.fresh_label("ON");
  p.op(stall(1), "BRA `(" + on + ")");
  p.label(on);
}
void taken_over(Program& p) {
  const std::string on = p.fresh_label("ON");
  p.op(stall(1), "BRA `(" + on + ")");
  p.op(stall(1), "NOP");
  p.label(on);
}
// In turn on two pipes, so that no pipe's interval shows.
void guarded(Program& p) {
  p.op(stall(1), "@P4 MOV R20, R12");
  p.op(stall(1), "@P4 FADD R21, R12, R13");
}
void open_region(Program& p) {
  const std::string join = p.fresh_label("JOIN");
  p.op(stall(1), "BSSY B0, `(" + join + ")");
  p.label(join);
}
void nop(Program& p) {
  p.op(stall(1), "NOP");
}
void converge(Program& p) {
  const std::string join = p.fresh_label("JOIN");
  p.op(stall(1), "BSSY B0, `(" + join + ")");
  p.op(stall(1), "BSYNC B0");
  p.label(join);
}
void diverge(Program& p) {
  const std::string join = p.fresh_label("JOIN"), side = p.fresh_label("SIDE");
  p.op(stall(1), "BSSY B0, `(" + join + ")");
  p.op(stall(1), "@P3 BRA `(" + side + ")");
  p.op(stall(1), "NOP");
  p.label(side);
  p.op(stall(1), "BSYNC B0");
  p.label(join);
}
void warp_sync(Program& p) {
  p.op(stall(1), p.sm() >= 90 ? "WARPSYNC.ALL" : "WARPSYNC 0xffffffff");
}
// As compiled code has it: an instruction sooner than that issues before the barrier holds the warp.
void block_barrier(Program& p) {
  p.op(stall(6), "BAR.SYNC.DEFER_BLOCKING 0x0");
}
void depbar(Program& p) {
  p.op(stall(1), "DEPBAR.LE SB0, 0x0");
}
// No counter tracks a MEMBAR: it holds its warp itself. The ERRBAR that the compiler puts behind it is left
// out.
void fence(Program& p, const std::string& scope) {
  p.op(stall(6), (p.sm() >= 75 ? "MEMBAR.ALL." : "MEMBAR.SC.") + scope);
}
void membar_cta(Program& p) {
  fence(p, "CTA");
}
void membar_gpu(Program& p) {
  fence(p, "GPU");
}
void membar_sys(Program& p) {
  fence(p, "SYS");
}
void error_barrier(Program& p) {
  Control error;
  error.stall = 0;
  error.yield = true;
  p.op(error, "ERRBAR");
}
void cga_error_barrier(Program& p) {
  p.op(stall(6), "CGAERRBAR");
}
void invalidate(Program& p) {
  p.op(stall(4), "CCTL.IVALL");
}
// What the compiler makes of __threadfence().
void whole_fence(Program& p) {
  fence(p, "GPU");
  if (p.sm() >= 75) error_barrier(p);
  if (p.sm() >= 90) cga_error_barrier(p);
  if (p.sm() >= 80) p.op(stall(4).waiting(0x3f), "CCTL.IVALL");
}
void nanosleep(Program& p) {
  p.op(stall(1), "NANOSLEEP 0x0");
}
void yield(Program& p) {
  p.op(stall(1), "YIELD");
}

constexpr int few = 2;
constexpr int many = 10;
constexpr int many_sleeps = 66;  // they end at some clock's ticks: so many that where a row begins does not weigh

const std::vector<Step>& steps() {
  static const std::vector<Step> list = {{"NOP", "", nop},
                                         {"BRA not taken", "branch_cost", not_taken},
                                         {"BRA to the next instruction", "", taken},
                                         {"BRA over one instruction", "", taken_over},
                                         {"two guards that are false", "", guarded},
                                         {"BSSY", "", open_region},
                                         {"BSSY and BSYNC", "", converge},
                                         {"divergent branch", "", diverge},
                                         {"WARPSYNC", "warp_sync_cost", warp_sync},
                                         {"BAR.SYNC", "barrier_latency", block_barrier},
                                         {"DEPBAR", "depbar_cost", depbar},
                                         {"MEMBAR.CTA", "membar_cta", membar_cta},
                                         {"MEMBAR.GPU", "membar_gpu", membar_gpu},
                                         {"MEMBAR.SYS", "membar_sys", membar_sys, 70, many},
                                         {"a whole fence", "", whole_fence},
                                         {"ERRBAR", "", error_barrier, 75},
                                         {"CGAERRBAR", "cga_error_barrier", cga_error_barrier, 90},
                                         {"CCTL.IVALL", "", invalidate, 80},
                                         {"NANOSLEEP 0", "nanosleep_min", nanosleep, 70, many_sleeps},
                                         {"YIELD", "", yield}};
  return list;
}

std::string step_name(std::size_t index, int copies) {
  return "step" + std::to_string(index) + "_x" + std::to_string(copies);
}

SassKernel step_kernel(int sm, const Step& step, std::size_t index, int copies) {
  Program program(sm);
  program.begin();
  program.only_on_sm();
  set_operands(program);
  program.op(stall(15), "ISETP.LT.U32.AND P3, PT, R0, 0x10, PT");  // half of the lanes
  program.op(stall(15), "ISETP.NE.AND P4, PT, RZ, RZ, PT");        // none
  program.idle(20);
  program.loop(3, [&] {
    program.idle(60);
    program.start_clock();
    for (int i = 0; i < copies; ++i) step.write(program);
    program.end_clock();
    program.idle(60);
  });
  program.finish();
  return program.kernel(step_name(index, copies), 1024, 1);
}

std::string label_by_sm(const Step& step) {
  return "cycles of one " + step.name + ", by SM";
}

// A fence of the whole system waits for what lies beyond the chip: each SM has its own way there. A sleep's end depends on
// when it begins: rows of all SMs begin at all times.
void measure_step_of_each_sm(Bench& bench, Findings& findings, SassModule& module, std::size_t index) {
  const Step& step = steps()[index];
  const int repeats = bench.facts().simulated ? 1 : 4;
  sample_each_sm(bench.facts(), findings, label_by_sm(step), "cycles",
                 [&](std::uint32_t sm) -> std::optional<double> {
                   SassArguments arguments;
                   arguments.sm = sm;
                   double cycles = 0;
                   for (int repeat = 0; repeat < repeats; ++repeat) {
                     const SassOutcome short_row = module.run(step_name(index, few), arguments);
                     const SassOutcome long_row =
                         module.run(step_name(index, step.copies_by_sm), arguments);
                     if (!short_row.answered() || !long_row.answered()) return std::nullopt;
                     cycles += long_row.cycles() - short_row.cycles();
                   }
                   return cycles / repeats / (step.copies_by_sm - few);
                 });
}

void measure_steps(Bench& bench, Findings& findings) {
  std::vector<SassKernel> kernels;
  for (std::size_t i = 0; i < steps().size(); ++i) {
    if (bench.facts().sm < steps()[i].from_sm) continue;
    for (const int copies : {few, many})
      kernels.push_back(step_kernel(bench.facts().sm, steps()[i], i, copies));
    if (steps()[i].copies_by_sm > many)
      kernels.push_back(step_kernel(bench.facts().sm, steps()[i], i, steps()[i].copies_by_sm));
  }
  SassModule module(bench, kernels);
  for (std::size_t i = 0; i < steps().size(); ++i) {
    if (bench.facts().sm < steps()[i].from_sm) continue;
    for (const int copies : {few, many}) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        findings.sample("cycles of " + steps()[i].name, "copies", "cycles", copies,
                        module.run(step_name(i, copies)).cycles());
      }
    }
    if (steps()[i].copies_by_sm != 0) measure_step_of_each_sm(bench, findings, module, i);
  }
}

// A loop of n NOPs whose counter and predicate are ready long before its branch. Its head stands `offset`
// instructions into a line of 128 bytes; its branch back is guarded, or it has none and the way out is.
constexpr int turns_few = 4, turns_many = 20;

std::string loop_name(int body, int offset, bool guarded, int count) {
  return "loop" + std::to_string(body) + "_at" + std::to_string(offset) + (guarded ? "_guarded" : "_free") +
         "_x" + std::to_string(count);
}

SassKernel loop_kernel(int sm, int body, int offset, bool guarded, int count) {
  Program program(sm);
  program.begin();
  program.loop(2, [&] {
    program.op(stall(15), "MOV R60, RZ");
    program.start_clock(15);
    const auto instructions = [&] { return std::count(program.text().begin(), program.text().end(), ';'); };
    while (instructions() % 8 != offset) program.op(stall(1), "NOP");
    const std::string top = program.fresh_label("TURN"), out = program.fresh_label("OUT");
    program.label(top);
    program.op(stall(6), "IADD3 R60, R60, 0x1, RZ");
    program.op(stall(1), "ISETP.LT.U32.AND P4, PT, R60, " + hex(static_cast<std::uint64_t>(count)) + ", PT");
    for (int i = 0; i < body; ++i) program.op(stall(1), "NOP");
    if (guarded) {
      program.op(stall(1), "@P4 BRA `(" + top + ")");
    } else {
      program.op(stall(1), "@!P4 BRA `(" + out + ")");
      program.op(stall(1), "BRA `(" + top + ")");
    }
    program.label(out);
    program.end_clock();
  });
  program.finish();
  return program.kernel(loop_name(body, offset, guarded, count));
}

void measure_loops(Bench& bench, Findings& findings) {
  const auto cost = [&](int body, int offset, bool guarded) {
    std::vector<SassKernel> kernels;
    for (const int count : {turns_few, turns_many})
      kernels.push_back(loop_kernel(bench.facts().sm, body, offset, guarded, count));
    SassModule module(bench, kernels);
    const auto cycles = [&](int count) {
      return module.run(loop_name(body, offset, guarded, count)).cycles();
    };
    // Seven cycles of the counter and the predicate, one of the way out.
    return (cycles(turns_many) - cycles(turns_few)) / (turns_many - turns_few) - body - 7 - (guarded ? 0 : 1);
  };
  for (const bool guarded : {true, false}) {
    const std::string of = guarded ? "guarded branch" : "free branch";
    for (const int body : {16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128, 256, 512}) {
      findings.sample("cycles from a loop's " + of + " to its head against its length", "NOPs", "cycles",
                      body, cost(body, 0, guarded));
    }
    for (int offset = 0; offset < 8; ++offset) {
      findings.sample("cycles from a loop's " + of + " to its head against the head's place", "instructions",
                      "cycles", offset, cost(32, offset, guarded));
    }
  }
}

void conclude_loops(const TargetFacts&, Findings& findings) {
  report_median(findings, "issue.taken_branch_cost", calib::Unit::cycles,
                "cycles from a loop's guarded branch to its head against its length");
}

void conclude_steps(const TargetFacts& facts, Findings& findings) {
  const auto cost = [&](const std::string& name) { return slope(findings.at("cycles of " + name)); };
  for (const Step& step : steps()) {
    if (step.key.empty() || facts.sm < step.from_sm) continue;
    if (findings.find(label_by_sm(step)) != nullptr) {
      report_over_sms(findings, "issue." + step.key, calib::Unit::cycles, label_by_sm(step));
      continue;
    }
    findings.figure("issue." + step.key, cost(step.name), calib::Unit::cycles, 0, 6,
                    "cycles of " + step.name);
  }
  findings.figure("issue.guard_false_cost", cost("two guards that are false") / 2, calib::Unit::cycles, 0, 6,
                  "cycles of two guards that are false");
  findings.figure("issue.reconverge_cost", cost("BSSY and BSYNC") - cost("BSSY"), calib::Unit::cycles, 0, 6,
                  "cycles of BSSY and BSYNC");
}

void measure_counters(Bench& bench, Findings& findings) {
  std::vector<StaleTest> tests;
  const auto add = [&](std::string name, std::string producer) {
    StaleTest test;
    test.name = std::move(name);
    test.before = {"MOV R10, 0x0"};
    test.producer = std::move(producer);
    test.producer_counter = 0;
    test.consumer = "LOP3.LUT R20, R10, R14, RZ, 0x3c, !PT";
    test.consumer_waits = true;
    test.most = 8;
    tests.push_back(std::move(test));
  };
  add("counter_mufu", "MUFU.RCP R10, R12");
  add("counter_popc", "POPC R10, R12");
  add("counter_shfl", "SHFL.IDX PT, R10, R12, RZ, 0x1f");
  run_stale_tests(bench, findings, tests);
}

void conclude_counters(const TargetFacts&, Findings& findings) {
  const std::pair<std::string, std::string> keys[] = {{"issue.dependence_counter_delay", "counter_mufu"}};
  conclude_distances(findings, keys);
}

constexpr int turns = 12;

void measure_policy(Bench& bench, Findings& findings) {
  std::vector<SassKernel> kernels;
  for (const int wait : {1, 2, 4}) {
    for (const bool yields : {false, true}) {
      Program program(bench.facts().sm);
      program.begin();
      program.only_warps_of_mask();
      program.loop(3, [&] {
        program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
        program.idle(60);
        program.start_clock();
        for (int i = 0; i < turns; ++i) {
          Control control;
          control.stall = wait;
          control.yield = yields;
          program.op(control, "CS2R.32 " + reg(20 + i) + ", SR_CLOCKLO");
        }
        program.end_clock();
        program.idle(300);
      });
      for (int i = 0; i < turns; ++i) program.store_result_of_warp(20 + i, i, turns);
      program.finish();
      kernels.push_back(program.kernel("policy_" + std::to_string(wait) + (yields ? "_yield" : ""), 0, 1));
    }
  }
  SassModule module(bench, kernels);
  for (const SassKernel& kernel : kernels) {
    SassArguments arguments;
    arguments.warps = 16;
    arguments.a = 0x1111;  // four warps of one processing block
    arguments.results = 16 * turns;
    const SassOutcome outcome = module.run(kernel.name, arguments);
    std::uint32_t first = 0xffffffff;
    for (std::uint32_t warp = 0; warp < 16; warp += 4) first = std::min(first, outcome.results[warp * turns]);
    for (std::uint32_t warp = 0; warp < 16; warp += 4) {
      for (std::uint32_t i = 0; i < turns; ++i) {
        findings.sample("issue cycles of warp " + std::to_string(warp) + ", " + kernel.name, "instruction",
                        "cycles", i, outcome.results[warp * turns + i] - first);
      }
    }
  }
}

void conclude_policy(const TargetFacts&, Findings& findings) {
  // With a stall of one and no yield a greedy scheduler runs one warp's row to its end. Which warp comes
  // first tells the youngest from the oldest.
  const auto row = [&](int warp) -> const calib::Series& {
    return findings.at("issue cycles of warp " + std::to_string(warp) + ", policy_1");
  };
  int first = 0, second = -1;
  for (const int warp : {4, 8, 12}) {
    if (row(warp).y.front() < row(first).y.front()) first = warp;
  }
  for (const int warp : {0, 4, 8, 12}) {
    if (warp != first && (second < 0 || row(warp).y.front() < row(second).y.front())) second = warp;
  }
  const bool greedy = row(first).y.back() < row(second).y.front();
  const std::string policy = !greedy                         ? "loose_round_robin"
                             : second > first || first == 12 ? "greedy_then_youngest"
                                                             : "greedy_then_oldest";
  findings.result.figures.push_back({"issue.policy", policy, calib::Unit::choice, 0, 4, row(first).label});
}

}  // namespace

extern const Probe control_steps{"issue.steps",  "Cost of branches, convergence, barriers and false guards",
                                 "control flow", 70,
                                 measure_steps,  conclude_steps};
extern const Probe loop_branches{
    "issue.loops",  "From a loop's branch back to its head, by the loop's length",
    "control flow", 70,
    measure_loops,  conclude_loops};
extern const Probe counter_rules{"issue.counters",      "When a dependence counter's increment is seen",
                                 "Jia2018 section 2.1", 70,
                                 measure_counters,      conclude_counters};
extern const Probe issue_policy{"issue.policy",
                                "Which of the warps that could issue is picked",
                                "Huerta et al. 2025, section 4",
                                70,
                                measure_policy,
                                conclude_policy};

}  // namespace warpgauge::probes
