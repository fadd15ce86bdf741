// When the parts of a warp run: clocks on both sides of a branch that parts it, in each of n ways, behind an
// indirect branch, a call and a return; and what branches cost when several warps take them.
#include <functional>
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int first_mark = 20;  // marks are the registers from here on
constexpr int most_marks = 30;
constexpr int branch_stall = 5;

// R40 is the lane; parameter b: the lanes below it take the branch, or the number of ways.
struct Path {
  std::string name;
  int marks;
  std::function<void(Program&)> write;
  std::vector<std::uint32_t> values;  // of parameter b
};

void mark(Program& p, int index) {
  p.clock_into(first_mark + index);
}

void idle_code(Program& p, int instructions) {
  for (int i = 0; i < instructions; ++i) p.op(stall(1), "NOP");
}

// P3: the lane is below b.
void two_sides(Program& p, int taken_code, int other_code, bool yields) {
  const std::string join = p.fresh_label("JOIN"), side = p.fresh_label("SIDE"), out = p.fresh_label("OUT");
  Control branch = stall(branch_stall);
  branch.yield = yields;
  mark(p, 0);
  p.op(stall(1), "BSSY B0, `(" + join + ")");
  mark(p, 1);
  p.op(branch, "@P3 BRA `(" + side + ")");
  mark(p, 2);
  idle_code(p, other_code);
  mark(p, 3);
  p.op(branch, "BRA `(" + out + ")");
  p.label(side);
  mark(p, 4);
  idle_code(p, taken_code);
  mark(p, 5);
  p.label(out);
  p.op(branch, "BSYNC B0");
  p.label(join);
  mark(p, 6);
}

// A branch over code, without an other side.
void one_side(Program& p, int code) {
  const std::string join = p.fresh_label("JOIN"), out = p.fresh_label("OUT");
  mark(p, 0);
  p.op(stall(1), "BSSY B0, `(" + join + ")");
  mark(p, 1);
  p.op(stall(branch_stall), "@P3 BRA `(" + out + ")");
  mark(p, 2);
  idle_code(p, code);
  mark(p, 3);
  p.label(out);
  p.op(stall(branch_stall), "BSYNC B0");
  p.label(join);
  mark(p, 4);
}

// Way w, of b: tests one after the other, or a jump to the w-th of equal pieces of eight instructions.
void ways(Program& p, int most, bool indirect) {
  const std::string join = p.fresh_label("JOIN"), out = p.fresh_label("OUT");
  mark(p, 0);
  p.op(stall(1), "BSSY B0, `(" + join + ")");
  mark(p, 1);
  std::vector<std::string> sides;
  if (indirect) {
    p.op(stall(branch_stall), "BRX R42 0x0");
  } else {
    for (int way = 0; way + 1 < most; ++way) {
      sides.push_back(p.fresh_label("WAY"));
      p.op(stall(13), "ISETP.EQ.AND P4, PT, R41, " + hex(static_cast<std::uint64_t>(way)) + ", PT");
      p.op(stall(branch_stall), "@P4 BRA `(" + sides.back() + ")");
    }
    sides.push_back(p.fresh_label("WAY"));
    p.op(stall(branch_stall), "BRA `(" + sides.back() + ")");
  }
  for (int way = 0; way < most; ++way) {
    if (!indirect) p.label(sides[static_cast<std::size_t>(way)]);
    mark(p, 2 + 2 * way);
    idle_code(p, 5);
    mark(p, 3 + 2 * way);
    p.op(stall(branch_stall), "BRA `(" + out + ")");
  }
  p.label(out);
  p.op(stall(branch_stall), "BSYNC B0");
  p.label(join);
  mark(p, 2 + 2 * most);
}

// To a function and back; R44:R45 hold 0, which the return's target is added to.
void call(Program& p, bool far_away) {
  const std::string over = p.fresh_label("OVER"), function = p.fresh_label("FUNCTION"),
                    back = p.fresh_label("BACK");
  mark(p, 0);
  p.op(stall(branch_stall), "CALL.REL.NOINC `(" + function + ")");
  p.label(back);
  mark(p, 3);
  p.op(stall(branch_stall), "BRA `(" + over + ")");
  idle_code(p, far_away ? 64 : 0);
  p.label(function);
  mark(p, 1);
  idle_code(p, 5);
  mark(p, 2);
  p.op(stall(branch_stall), "RET.REL.NODEC R44 `(" + back + ")");
  p.label(over);
  mark(p, 4);
}

// Lanes leave a loop one after the other: lane l after l % b + 1 turns. Marks: the start and the end; the
// last two turns' heads.
void leave_loop(Program& p) {
  const std::string join = p.fresh_label("JOIN"), top = p.fresh_label("TOP");
  p.op(stall(15), "MOV R46, RZ");
  mark(p, 0);
  p.op(stall(1), "BSSY B0, `(" + join + ")");
  mark(p, 1);
  p.label(top);
  mark(p, 2);
  p.op(stall(6), "IADD3 R46, R46, 0x1, RZ");
  p.op(stall(13), "ISETP.LE.AND P4, PT, R46, R41, PT");
  p.op(stall(branch_stall), "@P4 BRA `(" + top + ")");
  mark(p, 3);
  p.op(stall(branch_stall), "BSYNC B0");
  p.label(join);
  mark(p, 4);
}

// BREAK: the lanes of P3 leave a region early.
void leave_region(Program& p) {
  const std::string join = p.fresh_label("JOIN"), out = p.fresh_label("OUT");
  mark(p, 0);
  p.op(stall(1), "BSSY B0, `(" + join + ")");
  p.op(stall(1), "BSSY B1, `(" + out + ")");
  mark(p, 1);
  p.op(stall(branch_stall), "@P3 BREAK B1");
  mark(p, 2);
  p.op(stall(branch_stall), "@P3 BRA `(" + out + ")");
  mark(p, 3);
  idle_code(p, 8);
  p.op(stall(branch_stall), "BSYNC B1");
  p.label(out);
  mark(p, 4);
  p.op(stall(branch_stall), "BSYNC B0");
  p.label(join);
  mark(p, 5);
}

std::vector<Path> paths() {
  const std::vector<std::uint32_t> lanes = {0, 1, 8, 16, 24, 31, 32};
  std::vector<Path> list;
  for (const auto& [taken, other] :
       {std::pair(0, 0), std::pair(8, 8), std::pair(0, 24), std::pair(24, 0), std::pair(64, 64)}) {
    for (const bool yields : {false, true}) {
      list.push_back({"two sides of " + std::to_string(taken) + " and " + std::to_string(other) + " NOPs" +
                          (yields ? ", yielding" : ""),
                      7, [=](Program& p) { two_sides(p, taken, other, yields); }, lanes});
    }
  }
  for (const int code : {1, 8, 32})
    list.push_back(
        {"one side of " + std::to_string(code) + " NOPs", 5, [=](Program& p) { one_side(p, code); }, lanes});
  list.push_back({"BREAK", 6, leave_region, {0, 8, 16, 31, 32}});
  for (const int most : {2, 4, 8}) {
    for (const bool indirect : {false, true}) {
      std::vector<std::uint32_t> used;
      for (int b = 1; b <= most; b *= 2) used.push_back(static_cast<std::uint32_t>(b));
      list.push_back({std::to_string(most) + (indirect ? " ways by BRX" : " ways by tests"), 3 + 2 * most,
                      [=](Program& p) { ways(p, most, indirect); }, used});
    }
  }
  list.push_back({"call", 5, [](Program& p) { call(p, false); }, {1}});
  list.push_back({"call of a function further away", 5, [](Program& p) { call(p, true); }, {1}});
  list.push_back({"lanes leave a loop", 5, leave_loop, {1, 2, 4, 8, 16, 32}});
  return list;
}

// The lane's way, R41 = lane % b (b a power of two), and its piece's distance behind BRX, R42:R43.
void set_ways(Program& p) {
  p.op(stall(15), "LOP3.LUT R40, R0, 0x1f, RZ, 0xc0, !PT");
  p.op(stall(15), "MOV R47, " + p.parameter(Parameter::b));
  p.op(stall(15), "ISETP.LT.U32.AND P3, PT, R40, R47, PT");
  p.op(stall(15), "IADD3 R47, R47, -0x1, RZ");
  p.op(stall(15), "LOP3.LUT R41, R40, R47, RZ, 0xc0, !PT");
  p.op(stall(15), "SHF.L.U32 R42, R41, 0x7, RZ");
  p.op(stall(15), "MOV R43, RZ");
  p.op(stall(15), "MOV R44, RZ");
  p.op(stall(15), "MOV R45, RZ");
}

SassKernel path_kernel(int sm, const Path& path, std::size_t index) {
  Program program(sm);
  program.begin();
  set_ways(program);
  program.start_clock();
  program.loop(3, [&] {
    for (int i = 0; i < path.marks; ++i) program.op(stall(5), "MOV " + reg(first_mark + i) + ", RZ");
    program.idle(60);
    path.write(program);
    program.idle(60);
  });
  program.end_clock();
  for (int i = 0; i < path.marks; ++i) program.store_result(first_mark + i, i);
  program.finish();
  SassKernel kernel = program.kernel("path" + std::to_string(index), 0, 1);
  return kernel;
}

void measure_paths(Bench& bench, Findings& findings) {
  const std::vector<Path> list = paths();
  std::vector<SassKernel> kernels;
  for (std::size_t i = 0; i < list.size(); ++i) kernels.push_back(path_kernel(bench.facts().sm, list[i], i));
  SassModule module(bench, kernels);
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const std::uint32_t value : list[i].values) {
      SassArguments arguments;
      arguments.b = value;
      arguments.results = static_cast<std::size_t>(list[i].marks);
      const SassOutcome outcome = module.run("path" + std::to_string(i), arguments);
      const std::uint32_t start = outcome.lanes.at(0);
      // A mark that no lane of a part has passed holds 0. Parts that passed it at other times are all told.
      for (int m = 0; m < list[i].marks; ++m) {
        std::uint32_t last = 0;
        for (std::size_t lane = 0; lane < 32; ++lane) {
          const std::uint32_t clock = outcome.lanes[static_cast<std::size_t>(m) * 32 + lane];
          if (clock == 0 || clock == last) continue;
          last = clock;
          findings.sample(
              "mark " + std::to_string(m) + ", " + list[i].name + ", b = " + std::to_string(value), "lane",
              "cycles", static_cast<double>(lane), clock - start);
        }
      }
    }
  }
}

// Branches again and again, by warps of one processing block and of all.
struct Again {
  std::string name;
  std::function<void(Program&)> write;
};

void over(Program& p, int instructions) {
  const std::string on = p.fresh_label("ON");
  p.op(stall(branch_stall), "BRA `(" + on + ")");
  idle_code(p, instructions);
  p.label(on);
}

std::vector<Again> repeated() {
  std::vector<Again> list;
  for (const int distance : {0, 1, 2, 3, 4, 6, 7, 8, 12, 15, 16, 24, 31, 32, 48, 64})
    list.push_back({"BRA over " + std::to_string(distance), [=](Program& p) { over(p, distance); }});
  list.push_back({"BRA not taken", [](Program& p) {
                    const std::string on = p.fresh_label("ON");
                    p.op(stall(branch_stall), "@P4 BRA `(" + on + ")");
                    p.label(on);
                  }});
  list.push_back({"two sides, parted", [](Program& p) { two_sides(p, 4, 4, false); }});
  list.push_back({"one side, parted", [](Program& p) { one_side(p, 8); }});
  list.push_back({"BSSY and BSYNC", [](Program& p) {
                    const std::string join = p.fresh_label("JOIN");
                    p.op(stall(1), "BSSY B0, `(" + join + ")");
                    p.op(stall(branch_stall), "BSYNC B0");
                    p.label(join);
                  }});
  list.push_back({"call and return", [](Program& p) { call(p, false); }});
  return list;
}

constexpr int few = 2, many = 10;

std::string again_name(std::size_t index, int copies) {
  return "again" + std::to_string(index) + "_x" + std::to_string(copies);
}

void measure_repeated(Bench& bench, Findings& findings) {
  const std::vector<Again> list = repeated();
  std::vector<SassKernel> kernels;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const int copies : {few, many}) {
      Program program(bench.facts().sm);
      program.begin();
      set_ways(program);
      program.op(stall(15), "ISETP.NE.AND P4, PT, RZ, RZ, PT");
      program.only_warps_of_mask();
      program.loop(4, [&] {
        program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
        program.idle(60);
        program.start_clock();
        for (int k = 0; k < copies; ++k) list[i].write(program);
        program.end_clock();
        program.idle(60);
      });
      program.finish();
      kernels.push_back(program.kernel(again_name(i, copies), 0, 1));
    }
  }
  SassModule module(bench, kernels);
  constexpr std::pair<std::uint32_t, std::uint32_t> masks[] = {
      {1, 0x1}, {5, 0x11}, {13, 0x1111}, {4, 0xf}, {16, 0xffff}};
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const auto& [warps, mask] : masks) {
      const auto cycles = [&](int copies) {
        SassArguments arguments;
        arguments.warps = warps;
        arguments.a = mask;
        arguments.b = 8;
        const SassOutcome outcome = module.run(again_name(i, copies), arguments);
        return span_of(outcome.warps, mask);
      };
      findings.sample("cycles of " + list[i].name + " by warps " + hex(mask), "copies", "cycles", many - few,
                      (cycles(many) - cycles(few)) / (many - few));
    }
  }
}

// A loop's branch back and a branch forward by their stall counts, by warps of one processing block.
constexpr int branch_stalls[] = {1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 15};
constexpr int bodies[] = {1, 4, 8, 16, 40};
constexpr int turns_few = 8, turns_many = 40;

std::string back_name(int body, int stall_count, int turns) {
  return "back" + std::to_string(body) + "_s" + std::to_string(stall_count) + "_x" + std::to_string(turns);
}

SassKernel back_kernel(int sm, int body, int stall_count, int turns) {
  Program p(sm);
  p.begin();
  p.only_warps_of_mask();
  p.loop(3, [&] {
    p.op(stall(15), "MOV R60, RZ");
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(60);
    p.start_clock(15);
    const std::string top = p.fresh_label("TURN");
    p.label(top);
    p.op(stall(6), "IADD3 R60, R60, 0x1, RZ");
    p.op(stall(13), "ISETP.LT.U32.AND P4, PT, R60, " + hex(static_cast<std::uint64_t>(turns)) + ", PT");
    idle_code(p, body);
    p.op(stall(stall_count), "@P4 BRA `(" + top + ")");
    p.end_clock();
    p.idle(60);
  });
  p.finish();
  return p.kernel(back_name(body, stall_count, turns), 0, 1);
}

SassKernel forward_kernel(int sm, int stall_count, int copies) {
  Program p(sm);
  p.begin();
  p.only_warps_of_mask();
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(60);
    p.start_clock();
    for (int i = 0; i < copies; ++i) {
      const std::string on = p.fresh_label("ON");
      p.op(stall(stall_count), "BRA `(" + on + ")");
      idle_code(p, 5);
      p.label(on);
      idle_code(p, 2);
    }
    p.end_clock();
    p.idle(60);
  });
  p.finish();
  return p.kernel("forward_s" + std::to_string(stall_count) + "_x" + std::to_string(copies), 0, 1);
}

void measure_stalls(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<SassKernel> kernels;
  for (const int stall_count : branch_stalls) {
    for (const int body : bodies) {
      for (const int turns : {turns_few, turns_many})
        kernels.push_back(back_kernel(sm, body, stall_count, turns));
    }
    for (const int copies : {few, many}) kernels.push_back(forward_kernel(sm, stall_count, copies));
  }
  SassModule module(bench, kernels);
  constexpr std::pair<std::uint32_t, std::uint32_t> masks[] = {
      {1, 0x1}, {5, 0x11}, {9, 0x111}, {13, 0x1111}, {21, 0x111111}};
  for (const int stall_count : branch_stalls) {
    for (const auto& [warps, mask] : masks) {
      const auto cycles = [&](const std::string& kernel) {
        SassArguments arguments;
        arguments.warps = warps;
        arguments.a = mask;
        const SassOutcome outcome = module.run(kernel, arguments);
        return span_of(outcome.warps, mask);
      };
      const std::string of = " of stall " + std::to_string(stall_count) + ", by warps " + hex(mask);
      for (const int body : bodies) {
        findings.sample("cycles of a turn, branch back" + of, "NOPs", "cycles", body,
                        (cycles(back_name(body, stall_count, turns_many)) -
                         cycles(back_name(body, stall_count, turns_few))) /
                            (turns_many - turns_few));
      }
      const std::string forward = "forward_s" + std::to_string(stall_count) + "_x";
      findings.sample(
          "cycles of a branch forward and two NOPs" + of, "copies", "cycles", many - few,
          (cycles(forward + std::to_string(many)) - cycles(forward + std::to_string(few))) / (many - few));
    }
  }
}

}  // namespace

extern const Probe branch_paths{
    "issue.paths",  "When the parts of a warp run that a branch, a call or BRX sends apart",
    "control flow", 70,
    measure_paths,  nullptr};
extern const Probe branch_rates{
    "issue.branches", "Cycles of branches, again and again, by distance and warps",
    "control flow",   70,
    measure_repeated, nullptr};

extern const Probe branch_stall_counts{
    "issue.branch_stalls", "Branches forward and back by their stall counts and the warps that take turns",
    "control flow",        70,
    measure_stalls,        nullptr};

}  // namespace warpgauge::probes
