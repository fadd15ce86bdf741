// What instructions cost: issue intervals of the pipes, latencies that a dependence counter tracks, and what the control
// word's codes do.
#include <algorithm>
#include <string>

#include "probes/sass/instruction_list.h"
#include "probes/records.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int short_run = 16;
constexpr int long_run = 48;

std::string copies_name(std::string_view instruction, int copies) {
  return std::string(instruction) + "_x" + std::to_string(copies);
}

// `copies` independent instructions between two clocks, in a loop that has run before.
SassKernel interval_kernel(int sm, std::string_view name, std::string_view text, int registers, int copies) {
  Program program(sm);
  program.begin();
  set_operands(program);
  program.only_warps_of_mask();
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(30);
    program.start_clock();
    for (int i = 0; i < copies; ++i) {
      const int slots = registers == 2 ? 8 : 16;
      program.op(stall(1), into_register(text, 20 + registers * (i % slots)));
    }
    program.end_clock();
    program.idle(1000);
  });
  program.finish();
  return program.kernel(copies_name(name, copies), 1024, 1);
}

struct Timed {
  std::string name;
  std::string text;
  int registers;
};

std::vector<Timed> timed_instructions(int sm) {
  std::vector<Timed> timed;
  for (const FixedInstruction& each : fixed_instructions()) {
    if (exists(each.from_sm, each.to_sm, sm)) timed.push_back({std::string(each.name), std::string(each.text), each.registers});
  }
  for (const VariableInstruction& each : variable_instructions()) {
    if (!each.alone && exists(each.from_sm, each.to_sm, sm)) timed.push_back({std::string(each.name), std::string(each.text), each.registers});
  }
  timed.push_back({"isetp", "ISETP.NE.AND P2, PT, R12, R13, PT", 1});
  timed.push_back({"plop3", "PLOP3.LUT P2, PT, P0, P1, PT, 0x80, 0x0", 1});
  timed.push_back({"nop", "NOP", 1});
  if (sm >= 75) {
    timed.push_back({"uiadd3", "UIADD3 UR8, UR9, 0x4, URZ", 1});
    timed.push_back({"uldc", "ULDC UR8, " + Program(sm).parameter(Parameter::a), 1});
    timed.push_back({"r2ur", "R2UR UR8, R12", 1});
  }
  return timed;
}

void measure_intervals(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  const auto timed = timed_instructions(sm);
  std::vector<SassKernel> kernels;
  for (const Timed& each : timed) {
    for (const int copies : {short_run, long_run}) kernels.push_back(interval_kernel(sm, each.name, each.text, each.registers, copies));
  }
  SassModule module(bench, kernels);
  // One warp; two and four warps of one processing block; one warp of each block.
  constexpr std::pair<const char*, std::uint32_t> masks[] = {
      {"one warp", 0x1}, {"two warps of a block", 0x11}, {"four warps of a block", 0x1111}, {"one warp of each block", 0xf}};
  for (const Timed& each : timed) {
    for (const auto& [label, mask] : masks) {
      for (const int copies : {short_run, long_run}) {
        SassArguments arguments;
        arguments.warps = mask == 0x1 ? 1 : mask == 0x11 ? 5 : mask == 0x1111 ? 13 : 4;
        arguments.a = mask;
        const SassOutcome outcome = module.run(copies_name(each.name, copies), arguments);
        findings.sample("issue of " + each.name + ", " + label, "instructions", "cycles", copies, span_of(outcome.warps, mask));
      }
    }
  }
}

// Cycles a copy of the warps of one block: the slope of the cycles against the copies, shared by the warps. The largest,
// since a queue before the pipe hides part of a short row.
std::optional<double> interval(const Findings& findings, const std::string& name) {
  std::optional<double> most;
  constexpr std::pair<const char*, double> runs[] = {{"one warp", 1}, {"two warps of a block", 2}, {"four warps of a block", 4}};
  for (const auto& [label, warps] : runs) {
    const calib::Series* series = findings.find("issue of " + name + ", " + label);
    if (series == nullptr) return std::nullopt;
    const double cycles = slope(*series) / warps;
    most = most ? std::max(*most, cycles) : cycles;
  }
  return most;
}

void conclude_intervals(const TargetFacts& facts, Findings& findings) {
  std::vector<std::pair<std::string, std::string>> keys = {
      {"fma_heavy", "imad"}, {"imad", "imad"}, {"imad_wide", "imad_wide"}, {"alu", "iadd3"}, {"fp16", "hfma2"}, {"clock", "cs2r"},
      {"vote", "vote"}, {"predicate", "plop3"}};
  if (facts.sm != 75) keys.emplace_back("fp64", "dfma");
  if (facts.sm >= 75) {
    keys.emplace_back("uniform", "uiadd3");
    keys.emplace_back("uniform_move", "r2ur");
  }
  for (const VariableInstruction& each : variable_instructions()) {
    if (!each.pipe.empty() && exists(each.from_sm, each.to_sm, facts.sm)) keys.emplace_back(each.pipe, each.name);
  }
  for (const auto& [pipe, name] : keys) {
    if (const auto cycles = interval(findings, name)) {
      findings.figure("pipes." + pipe + ".issue_interval", *cycles, calib::Unit::cycles, 0, 6, "issue of " + name + ", one warp");
    }
  }
  if (const auto cycles = interval(findings, "movm")) {
    findings.figure("matrix.movm.issue_interval", *cycles, calib::Unit::cycles, 0, 6, "issue of movm, one warp");
  }
}

// Latency with a dependence counter: clock, the instruction, a consumer that waits for its counter, clock.
constexpr int before = 4;  // stall counts of the clock read and of the consumer
constexpr int after = 4;

// Reads what the instruction leaves.
std::string consumer_of(const VariableInstruction& instruction) {
  if (instruction.uniform) return "MOV R20, UR8";
  return instruction.text.find(" P2,") != std::string_view::npos ? "SEL R20, R12, R13, P2" : "MOV R20, R10";
}

SassKernel tracked_kernel(int sm, const VariableInstruction& instruction) {
  Program program(sm);
  program.begin();
  set_operands(program);
  program.loop(3, [&] {
    program.idle(60);
    program.start_clock(before);
    program.op(stall(2).writing(0), std::string(instruction.text));
    program.op(stall(after).waiting(1), consumer_of(instruction));
    program.end_clock();
    program.idle(200);
  });
  program.finish();
  return program.kernel(std::string(instruction.name), 1024);
}

void measure_tracked(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<SassKernel> kernels;
  for (const VariableInstruction& each : variable_instructions()) {
    if (exists(each.from_sm, each.to_sm, sm)) kernels.push_back(tracked_kernel(sm, each));
  }
  SassModule module(bench, kernels);
  for (const SassKernel& kernel : kernels) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      findings.sample("latency of " + kernel.name, "repetition", "cycles", repeat, module.run(kernel.name).cycles() - before - after);
    }
  }
}

void conclude_tracked(const TargetFacts& facts, Findings& findings) {
  for (const VariableInstruction& each : variable_instructions()) {
    if (each.key.empty() || !exists(each.from_sm, each.to_sm, facts.sm)) continue;
    const std::string label = "latency of " + std::string(each.name);
    if (findings.find(label) != nullptr) {
      const bool whole = each.key.find('.') != std::string_view::npos;
      report_median(findings, (whole ? "" : "latency.opcode.") + std::string(each.key), calib::Unit::cycles, label);
    }
  }
}

// The stall codes: clock, a NOP with each stall and yield, clock. Alone, and with other warps that want to issue.
std::string code_name(int stall_count, bool yield) {
  return "stall_" + std::to_string(stall_count) + (yield ? "_yield" : "");
}

// A stall count of 0 without yield is a code that no assembler writes.
bool is_code(int stall_count, bool yield) { return stall_count > 0 || yield; }

void measure_codes(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<SassKernel> kernels;
  for (int count = 0; count <= 15; ++count) {
    for (const bool yield : {false, true}) {
      if (!is_code(count, yield)) continue;
      Program program(sm);
      program.begin();
      program.loop(3, [&] {
        program.idle(60);
        program.start_clock();
        for (int i = 0; i < 4; ++i) {
          Control control;
          control.stall = count;
          control.yield = yield;
          program.op(control, "NOP");
        }
        program.end_clock();
      });
      program.finish();
      kernels.push_back(program.kernel(code_name(count, yield)));
    }
  }
  SassModule module(bench, kernels);
  for (int count = 0; count <= 15; ++count) {
    for (const bool yield : {false, true}) {
      if (!is_code(count, yield)) continue;
      for (int repeat = 0; repeat < 3; ++repeat) {
        findings.sample(std::string("cycles of a stall code, ") + (yield ? "yield" : "no yield"), "stall count", "cycles", count,
                        (module.run(code_name(count, yield)).cycles() - 2) / 4);
      }
    }
  }
}

void conclude_codes(const TargetFacts&, Findings& findings) {
  report_median_at(findings, "issue.drain_hold", calib::Unit::cycles, "cycles of a stall code, yield", 0);
  report_median_at(findings, "issue.long_stall_without_yield", calib::Unit::cycles, "cycles of a stall code, no yield", 13);
  // A stall of one lets the warp issue in the next cycle; what yield adds is its own.
  const std::string yield = "cycles of a stall code, yield";
  findings.figure("issue.yield_cost", calib::median(values_at(findings.at(yield), 1)) - 1, calib::Unit::cycles, 0, 3, yield);
}

}  // namespace

extern const Probe instruction_intervals{"instructions.intervals", "Cycles that each instruction occupies its pipe",
                                         "Jia2018 section 4.1", 70, measure_intervals, conclude_intervals};
extern const Probe instruction_tracked{"instructions.tracked", "Latency of instructions that a dependence counter tracks",
                                       "Jia2018 section 4.1, table 4.1", 70, measure_tracked, conclude_tracked};
extern const Probe issue_codes{"issue.codes", "What every stall count does, with and without yield", "Jia2018 section 2.1", 70,
                               measure_codes, conclude_codes};

}  // namespace warpgauge::probes
