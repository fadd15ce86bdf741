// The SMs' clock beside matrix instructions, by the clock of nanoseconds: a warp multiplies once every so
// many cycles, and once after it has long not done so, with both clocks read every so often behind it
// (docs/h200.md, a GPC whose matrix units work).
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int rows_cycles = 400'000;  // of one distance between products
constexpr int farthest = 20'000;
constexpr int steps = 24, step = 100;  // of the clocks behind one product
constexpr int rounds_behind = 200;
constexpr const char* full_label = "SM clock without products";
constexpr const char* clock_label = "SM clock beside products so many cycles apart";
constexpr const char* lost_label = "cycles lost for each of products so many cycles apart";
constexpr const char* behind_label = "cycles lost so many cycles behind a product after 20,000 without";

// How far apart the products of a row are: so many turns of a loop, and a few cycles.
constexpr int turn_cycles = 29;  // about
constexpr int paddings[] = {0, 4, 8, 12, 16, 20, 24};
struct Distance {
  int turns = 0;
  int padding = 0;
};

std::vector<Distance> distances() {
  std::vector<Distance> list;
  for (int turns = 6; turns < 30; turns += 3) list.push_back({turns, 0});
  for (int turns = 30; turns < 44; ++turns) {
    for (const int padding : paddings) list.push_back({turns, padding});
  }
  for (int turns = 44; turns < 100; turns += 3) list.push_back({turns, 0});
  for (const int turns : {100, 140, 200, 350, farthest / turn_cycles}) list.push_back({turns, 0});
  return list;
}

void timer_into(Program& p, int to, int counter) {
  p.op(stall(2).writing(counter), "S2R " + reg(to) + ", SR_GLOBALTIMERLO");
}

// Two, as compilers write a product of 16 x 16 x 16.
void product(Program& p) {
  for (const char* to : {"R24", "R28"})
    p.op(stall(2), std::string(p.sm() >= 80 ? "HMMA.16816.F32 " : "HMMA.1688.F32 ") + to + ", R40, R44, RZ");
}

// Until the low half of the clock is that of R8 or later. Uses R9 and P0.
void wait_until_r8(Program& p) {
  const std::string again = p.fresh_label("AGAIN");
  p.label(again);
  p.clock_into(9, 12);
  p.op(stall(6), "IADD3 R9, R9, -R8, RZ");
  p.op(stall(13), "ISETP.LT.AND P0, PT, R9, RZ, PT");
  p.op(stall(5), "@P0 BRA `(" + again + ")");
}

void operands(Program& p) {
  for (int i = 40; i <= 45; ++i)
    p.op(stall(6), "MOV " + reg(i) + (i < 44 ? ", 0x3d7b3d7b" : ", 0x3a293a29"));  // 1.37 and 0.77, as halves
}

std::string name_of_rows(bool multiplies, int padding) {
  return (multiplies ? "products_" : "nothing_") + std::to_string(padding);
}

// b rounds of c turns. Leaves the nanoseconds before and after.
SassKernel rows(int sm, bool multiplies, int padding) {
  Program p(sm);
  p.begin();
  operands(p);
  p.op(stall(6), "MOV R10, " + p.parameter(Parameter::b));
  p.op(stall(6), "MOV R11, " + p.parameter(Parameter::c));
  timer_into(p, 20, 0);
  p.op(stall(6).waiting(1), "MOV R20, R20");
  p.start_clock(4);
  const std::string round = p.fresh_label("ROUND"), turn = p.fresh_label("TURN");
  p.label(round);
  if (multiplies) product(p);
  p.op(stall(6), "MOV R9, R11");
  if (padding != 0) p.idle(padding);
  p.label(turn);
  p.op(stall(6), "IADD3 R9, R9, -0x1, RZ");
  p.op(stall(13), "ISETP.NE.AND P0, PT, R9, RZ, PT");
  p.op(stall(5), "@P0 BRA `(" + turn + ")");
  p.op(stall(6), "IADD3 R10, R10, -0x1, RZ");
  p.op(stall(13), "ISETP.NE.AND P1, PT, R10, RZ, PT");
  p.op(stall(5), "@P1 BRA `(" + round + ")");
  p.end_clock();
  timer_into(p, 21, 0);
  p.op(stall(6).waiting(1), "MOV R21, R21");
  p.store_result(20, 0);
  p.store_result(21, 1);
  p.finish();
  return p.kernel(name_of_rows(multiplies, padding));
}

// b rounds of c cycles, each with a product (or none) and both clocks every `step` cycles from there on.
// Leaves sums of what they have counted since the product: nanoseconds, cycles.
SassKernel behind(int sm, bool multiplies) {
  constexpr int first_ns = 64,  // below it are the frame's
      first_cycles = first_ns + steps;
  Program p(sm);
  p.begin();
  operands(p);
  for (int i = 0; i < 2 * steps; ++i) p.op(stall(2), "MOV " + reg(first_ns + i) + ", RZ");
  p.op(stall(6), "MOV R10, " + p.parameter(Parameter::b));
  p.op(stall(6), "MOV R11, " + p.parameter(Parameter::c));
  p.start_clock(4);
  p.op(stall(15), "MOV R12, R4");
  const std::string round = p.fresh_label("ROUND");
  p.label(round);
  p.op(stall(6), "IADD3 R12, R12, R11, RZ");
  p.op(stall(6), "MOV R8, R12");
  wait_until_r8(p);
  timer_into(p, 14, 0);
  p.clock_into(15, 12);
  p.op(stall(6).waiting(1), "MOV R8, R15");
  if (multiplies) product(p);
  for (int i = 0; i < steps; ++i) {
    p.op(stall(6), "IADD3 R8, R8, " + hex(step) + ", RZ");
    wait_until_r8(p);
    timer_into(p, 16, 0);
    p.clock_into(17, 12);
    p.op(stall(6).waiting(1), "IADD3 R16, R16, -R14, RZ");
    p.op(stall(6), "IADD3 R17, R17, -R15, RZ");
    p.op(stall(6), "IADD3 " + reg(first_ns + i) + ", " + reg(first_ns + i) + ", R16, RZ");
    p.op(stall(6), "IADD3 " + reg(first_cycles + i) + ", " + reg(first_cycles + i) + ", R17, RZ");
  }
  p.op(stall(6), "IADD3 R10, R10, -0x1, RZ");
  p.op(stall(13), "ISETP.NE.AND P1, PT, R10, RZ, PT");
  p.op(stall(5), "@P1 BRA `(" + round + ")");
  p.end_clock();
  for (int i = 0; i < 2 * steps; ++i) p.store_result(first_ns + i, i);
  p.finish();
  SassKernel kernel = p.kernel(multiplies ? "behind_a_product" : "behind_nothing");
  kernel.registers = 128;
  return kernel;
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<SassKernel> kernels = {rows(sm, false, 0), behind(sm, true), behind(sm, false)};
  for (const int padding : paddings) kernels.push_back(rows(sm, true, padding));
  SassModule module(bench, kernels);
  // Cycles of a round, and the clock.
  const auto ask = [&](bool multiplies, const Distance& distance) {
    SassArguments arguments;
    arguments.b = static_cast<std::uint32_t>(rows_cycles / (turn_cycles * distance.turns));
    arguments.c = static_cast<std::uint32_t>(distance.turns);
    arguments.results = 2;
    const SassOutcome outcome = module.run(name_of_rows(multiplies, distance.padding), arguments);
    const std::uint32_t ns = outcome.results.at(1) - outcome.results.at(0);
    return std::pair{outcome.cycles() / arguments.b, 1000 * outcome.cycles() / ns};
  };
  for (int time = 0; time < 5; ++time)
    findings.sample(full_label, "times", "MHz", time, ask(false, {farthest / turn_cycles, 0}).second);
  const double full = calib::median(findings.at(full_label).y);
  for (const Distance& distance : distances()) {
    const auto [cycles, clock] = ask(true, distance);
    findings.sample(clock_label, "cycles", "MHz", cycles, clock);
    findings.sample(lost_label, "cycles", "cycles", cycles, cycles * (full / clock - 1));
  }
  SassArguments arguments;
  arguments.b = rounds_behind;
  arguments.c = farthest;
  arguments.results = 2 * steps;
  const SassOutcome with = module.run("behind_a_product", arguments),
                    without = module.run("behind_nothing", arguments);
  for (int i = 0; i < steps; ++i) {
    const auto lost = [&](const SassOutcome& outcome) {
      return (full / 1000 * outcome.results.at(i) - outcome.results.at(steps + i)) / rounds_behind;
    };
    findings.sample(behind_label, "cycles", "cycles",
                    static_cast<double>(with.results.at(steps + i)) / rounds_behind,
                    lost(with) - lost(without));
  }
}

// What products lose beyond what they lose while they follow each other closely: `start` at once, and `more`
// but for 1/e of it after `time` cycles.
struct Start {
  double start = 0, more = 0, time = 1, error = 0;
};

Start start_of(const std::vector<double>& idle, const std::vector<double>& lost) {
  Start best;
  for (double time = 50; time < 5000; time *= 1.01) {
    // Least squares of lost = start + more x.
    double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (std::size_t i = 0; i < idle.size(); ++i) {
      const double x = -std::expm1(-idle[i] / time);
      n += 1;
      sum_x += x;
      sum_y += lost[i];
      sum_xx += x * x;
      sum_xy += x * lost[i];
    }
    const double below = n * sum_xx - sum_x * sum_x;
    if (below <= 0) continue;
    Start fit;
    fit.more = (n * sum_xy - sum_x * sum_y) / below;
    fit.start = (sum_y - fit.more * sum_x) / n;
    fit.time = time;
    for (std::size_t i = 0; i < idle.size(); ++i)
      fit.error += std::pow(fit.start + fit.more * -std::expm1(-idle[i] / time) - lost[i], 2);
    if (best.error == 0 || fit.error < best.error) best = fit;
  }
  return best;
}

void conclude(const TargetFacts&, Findings& findings) {
  const calib::Series &clocks = findings.at(clock_label), &lost = findings.at(lost_label),
                      &behind = findings.at(behind_label);
  const double full = calib::median(findings.at(full_label).y);
  std::vector<double> close;
  for (std::size_t i = 0; i < clocks.x.size(); ++i)
    if (clocks.x[i] < 900) close.push_back(clocks.y[i]);
  const double beside = calib::median(close);
  const double slow = full / beside - 1;
  findings.figure("clocks.sm_matrix", beside, calib::Unit::MHz, 0, close.size(), clock_label);
  if (slow < 0.005) return;

  // The first distance from which on they lose half as much as, and no less than, those a hundred cycles
  // farther apart.
  const auto beyond = [&](std::size_t i, double hold) {
    return lost.y[i] - slow * std::min(lost.x[i], hold);
  };
  double hold = 0;
  for (std::size_t i = 0; i < lost.x.size() && hold == 0; ++i) {
    const auto farther =
        std::find_if(lost.x.begin(), lost.x.end(), [&](double x) { return x >= lost.x[i] + 100; });
    if (farther == lost.x.end()) break;
    const double much = beyond(static_cast<std::size_t>(farther - lost.x.begin()), lost.x[i]);
    if (much > slow * lost.x[i] / 4 && beyond(i, lost.x[i]) > much / 2) hold = lost.x[i];
  }
  if (hold == 0) throw ProbeRefusal("products lose no more the farther they are apart");
  findings.figure("clocks.matrix_hold", hold, calib::Unit::cycles, 0, lost.x.size(), lost_label);

  std::vector<double> idle, more;
  for (std::size_t i = 0; i < lost.x.size(); ++i) {
    if (lost.x[i] < hold + 30) continue;  // on a card some are still held there
    idle.push_back(lost.x[i] - hold);
    more.push_back(beyond(i, hold));
  }
  const Start start = start_of(idle, more);
  findings.figure("clocks.matrix_start", start.start, calib::Unit::cycles, 0, idle.size(), lost_label);
  findings.figure("clocks.matrix_start_more", start.more, calib::Unit::cycles, 0, idle.size(), lost_label);
  findings.figure("clocks.matrix_start_more_time", start.time, calib::Unit::cycles, 0, idle.size(),
                  lost_label);

  // So much in so many cycles, evenly, beside what is lost while the clock is held down, from a while behind
  // the clocks' first reading on.
  double best_error = 0, best = 0;
  for (double cycles = 100; cycles < step * steps; cycles += 5) {
    for (double later = 0; later < 150; later += 5) {
      double error = 0;
      for (std::size_t i = 0; i < behind.x.size(); ++i) {
        const double at = std::max(0.0, behind.x[i] - later);
        const double lost_by_then =
            slow * std::min(at, hold) + (start.start + start.more) * std::min(1.0, at / cycles);
        error += std::pow(lost_by_then - behind.y[i], 2);
      }
      if (best == 0 || error < best_error) {
        best_error = error;
        best = cycles;
      }
    }
  }
  findings.figure("clocks.matrix_start_time", best, calib::Unit::cycles, 0, behind.x.size(), behind_label);
}

}  // namespace

extern const Probe clocks_matrix{
    "clocks.matrix", "How much slower the SMs' clock is beside matrix instructions, and for how long",
    "clocks", 75, measure, conclude, false};

}  // namespace warpgauge::probes
