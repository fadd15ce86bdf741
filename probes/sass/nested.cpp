// How many paths of a parted warp are at hand, and what it costs where there are more: branches nested one to four deep.
//
// Half of the lanes of each branch go one way and half the other, and of two equal sides the one that goes on runs first
// (issue.paths). Where that one parts again and again, the other sides wait meanwhile: two paths with one branch, three
// with two. Where it is the other one that parts, each side is through before the next branch, and there are never more
// than two. Both ways the lanes meet the same instructions and part as often: what the first takes longer is for paths that
// are not at hand. Clocks at the ends tell whether the sides ran in that order. Beside these, lanes that go by their number to
// two to eight ends.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int compiled = 5;  // the stall count that compilers give branches
constexpr int deepest = 4;   // BSSYs; P0 to P3 say which way a lane goes at each
constexpr int most_by_number = 3;
constexpr int passes = 3;
constexpr int end_clock = 20;  // register

// `level` branches below each other, their barrier and predicate one less.
void nest(Program& p, int level) {
  if (level == 0) {
    p.clock_into(end_clock, 15);
    return;
  }
  const std::string at = std::to_string(level - 1);
  const std::string join = p.fresh_label("JOIN"), side = p.fresh_label("SIDE"), out = p.fresh_label("OUT");
  p.op(stall(1), "BSSY B" + at + ", `(" + join + ")");
  p.op(stall(compiled), "@P" + at + " BRA `(" + side + ")");
  nest(p, level - 1);
  p.op(stall(compiled), "BRA `(" + out + ")");
  p.label(side);
  nest(p, level - 1);
  p.label(out);
  p.op(stall(compiled), "BSYNC B" + at);
  p.label(join);
}

std::string kernel_name(int depth) { return "nest" + std::to_string(depth); }

// Each lane's end, a bit for each branch, comes from `in`.
SassKernel nest_kernel(int sm, int depth) {
  Program p(sm);
  p.begin();
  p.op(stall(15), "MOV R8, " + p.parameter(Parameter::in));
  p.op(stall(15), "MOV R9, " + p.parameter(Parameter::in, 1));
  p.op(stall(15), "MOV R10, 0x4");
  p.op(stall(15), "IMAD.WIDE.U32 R8, R0, R10, R8");
  p.op(stall(2).writing(0), p.load_global(32, 12, 8));
  p.op(stall(15).waiting(1), "NOP");
  for (int bit = 0; bit < deepest; ++bit) {
    p.op(stall(15), "LOP3.LUT R13, R12, " + hex(1ULL << bit) + ", RZ, 0xc0, !PT");
    p.op(stall(15), "ISETP.NE.U32.AND P" + std::to_string(bit) + ", PT, R13, RZ, PT");
  }
  p.loop(passes, [&] {
    p.idle(60);
    p.start_clock();
    nest(p, depth);
    p.end_clock();
    p.idle(60);
  });
  p.store_result(end_clock, 0);
  p.finish();
  return p.kernel(kernel_name(depth));
}

// Half of the lanes to one side, half of the others to one side of the next branch, and so on; the side that parts again is the
// one that goes on, or the other.
std::vector<std::uint32_t> halves(int depth, bool others_wait) {
  std::vector<std::uint32_t> ends(32, 0);
  std::uint32_t first = 0, count = 32;
  for (int level = depth; level > 0; --level) {
    count /= 2;
    for (std::uint32_t lane = others_wait ? first : first + count; lane < 32; ++lane) {
      if (lane < first + count || !others_wait) ends[lane] |= 1U << (level - 1);
    }
    first += count;
  }
  return ends;
}

std::vector<std::uint32_t> by_number(std::uint32_t groups) {
  std::vector<std::uint32_t> ends;
  for (std::uint32_t lane = 0; lane < 32; ++lane) ends.push_back(lane % groups);
  return ends;
}

constexpr const char* waiting = "cycles of branches nested, the side that runs first parts";
constexpr const char* done = "cycles of branches nested, the side that runs last parts";
constexpr const char* more = "cycles more for paths that wait";

void measure(Bench& bench, Findings& findings) {
  std::vector<SassKernel> kernels;
  for (int depth = 1; depth <= deepest; ++depth) kernels.push_back(nest_kernel(bench.facts().sm, depth));
  SassModule module(bench, kernels);
  const Buffer ends = bench.allocate(32 * 4);
  const auto run = [&](int depth, const std::vector<std::uint32_t>& each) {
    ends.write(each);
    SassArguments arguments;
    arguments.in = ends.address();
    arguments.results = 1;
    return module.run(kernel_name(depth), arguments);
  };
  for (int depth = 1; depth <= deepest; ++depth) {
    for (int repeat = 0; repeat < 2; ++repeat) {
      double cycles[2];
      for (const bool others_wait : {false, true}) {
        const SassOutcome outcome = run(depth, halves(depth, others_wait));
        cycles[others_wait] = outcome.cycles();
        findings.sample(others_wait ? waiting : done, "branches", "cycles", depth, cycles[others_wait]);
        // Lane 0 leaves at the outermost branch, lane 31 goes to an innermost end.
        if ((outcome.lanes.at(0) > outcome.lanes.at(31)) != others_wait)
          throw ProbeRefusal("the sides of " + std::to_string(depth) + " nested branches ran in another order");
      }
      findings.sample(more, "paths", "cycles", depth + 1, cycles[1] - cycles[0]);
    }
  }
  for (int depth = 1; depth <= most_by_number; ++depth) {
    for (std::uint32_t groups = 1; groups <= 1U << depth; ++groups) {
      findings.sample("cycles of branches nested " + std::to_string(depth) + " deep, lanes by their number", "groups", "cycles",
                      groups, run(depth, by_number(groups)).cycles());
    }
  }
}

void conclude(const TargetFacts&, Findings& findings) {
  std::vector<double> steps;  // of three paths, four, …
  const calib::Series& series = findings.at(more);
  for (int paths = 2; paths <= deepest + 1; ++paths) {
    const double before = paths == 2 ? 0 : calib::median(values_at(series, paths - 1));
    steps.push_back(calib::median(values_at(series, paths)) - before);
  }
  const double cost = steps.back();
  // Less than any branch: all of them are at hand.
  if (cost < 3) {
    findings.figure("issue.held_paths", 0, calib::Unit::count, 0, series.x.size(), more);
    findings.figure("issue.path_return_cost", 0, calib::Unit::cycles, 0, series.x.size(), more);
    return;
  }
  const auto free = static_cast<std::size_t>(
      std::find_if(steps.begin(), steps.end(), [&](double step) { return step > cost / 2; }) - steps.begin());
  const auto [least, most] = std::minmax_element(steps.begin() + static_cast<std::ptrdiff_t>(free), steps.end());
  double sum = 0;
  for (std::size_t i = free; i < steps.size(); ++i) sum += steps[i];
  findings.figure("issue.held_paths", 1 + static_cast<double>(free), calib::Unit::count, 0, series.x.size(), more);
  findings.figure("issue.path_return_cost", sum / static_cast<double>(steps.size() - free), calib::Unit::cycles, *most - *least,
                  series.x.size(), more);
}

}  // namespace

extern const Probe issue_nested{"issue.nested",
                                "How many paths of a parted warp are at hand, and what it costs where there are more",
                                "own: branches nested in branches",
                                70,
                                measure,
                                conclude};

}  // namespace warpgauge::probes
