// Matrix instructions: distance from one to a reader of its result and to the next that accumulates on it,
// and the cycles that each occupies the pipe (Jia2018 section 4.3).
#include <algorithm>
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/sass/stale.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int most = 44;  // distances tried
constexpr int short_run = 16;
constexpr int long_run = 48;

struct Shape {
  const char* key;  // matrix.<key>
  const char* mnemonic;
  const char* a = "R40";  // operands as the architecture writes them
  const char* b = "R44";
  int from_sm = 75;
};
constexpr Shape shapes[] = {{"hmma_1688_f16", "HMMA.1688.F16"},
                            {"hmma_1688_f32", "HMMA.1688.F32"},
                            {"hmma_16816_f16", "HMMA.16816.F16", "R40", "R44", 80},
                            {"hmma_16816_f32", "HMMA.16816.F32", "R40", "R44", 80},
                            {"hmma_1684_tf32", "HMMA.1684.F32.TF32", "R40", "R44", 80},
                            {"hmma_1688_tf32", "HMMA.1688.F32.TF32", "R40", "R44", 80},
                            {"imma_8816", "IMMA.8816.S8.S8", "R40.ROW", "R44.COL"},
                            {"imma_16816", "IMMA.16816.S8.S8", "R40.ROW", "R44.COL", 80},
                            {"imma_16832", "IMMA.16832.S8.S8", "R40.ROW", "R44.COL", 80},
                            {"bmma_88128", "BMMA.88128.AND.POPC", "R40.ROW", "R44.COL", 80},
                            {"dmma_884", "DMMA.8x8x4", "R40", "R44", 80}};

std::string text(const Shape& shape, const std::string& to, const std::string& on) {
  return std::string(shape.mnemonic) + " " + to + ", " + shape.a + ", " + shape.b + ", " + on;
}

// How an instruction reads: whether the reuse cache keeps its first or second operand, and whether it adds to
// a register.
struct Reading {
  const char* name;  // of its series and kernels; empty for the plain one
  bool keeps_a = false, keeps_b = false, accumulates = false;
};
constexpr Reading readings[] = {{""},
                                {"_keeps_a", true},
                                {"_keeps_b", false, true},
                                {"_keeps_both", true, true},
                                {"_accumulates", false, false, true},
                                {"_accumulates_keeps_a", true, false, true},
                                {"_accumulates_keeps_both", true, true, true}};

std::string kept(const char* operand, bool keeps) {
  std::string changed = operand;
  if (keeps) changed.insert(3, ".reuse");
  return changed;
}

std::string text(const Shape& shape, const Reading& reading, const std::string& to) {
  return std::string(shape.mnemonic) + " " + to + ", " + kept(shape.a, reading.keeps_a) + ", " +
         kept(shape.b, reading.keeps_b) + ", " + (reading.accumulates ? to : "RZ");
}

std::vector<std::string> operands() {
  std::vector<std::string> lines;
  for (int i = 40; i <= 45; ++i) lines.push_back("MOV " + reg(i) + ", 0x3c003c00");  // ones, as halves
  for (int i = 24; i <= 31; ++i) lines.push_back("MOV " + reg(i) + ", RZ");
  return lines;
}

std::vector<StaleTest> tests(int sm) {
  std::vector<StaleTest> list;
  for (const Shape& shape : shapes) {
    if (sm < shape.from_sm) continue;
    StaleTest test;
    test.name = std::string(shape.key) + "_to_alu";
    test.before = operands();
    test.producer = text(shape, "R24", "R24");
    test.consumer = "LOP3.LUT R20, R25, R14, RZ, 0x3c, !PT";
    test.most = most;
    list.push_back(test);
    test.name = std::string(shape.key) + "_to_accumulator";
    test.consumer = text(shape, "R28", "R24");
    test.after = {"LOP3.LUT R20, R29, R14, RZ, 0x3c, !PT"};
    list.push_back(test);
  }
  return list;
}

SassKernel interval_kernel(int sm, const Shape& shape, const Reading& reading, int copies) {
  Program program(sm);
  program.begin();
  for (const std::string& line : operands()) program.op(stall(15), line);
  program.only_warps_of_mask();
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(60);
    program.start_clock();
    for (int i = 0; i < copies; ++i) program.op(stall(1), text(shape, reading, reg(20 + 4 * (i % 4))));
    program.end_clock();
    program.idle(300);
  });
  program.finish();
  return program.kernel(std::string(shape.key) + reading.name + "_x" + std::to_string(copies), 0, 1);
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  run_stale_tests(bench, findings, tests(sm));
  std::vector<SassKernel> kernels;
  for (const Shape& shape : shapes) {
    if (sm < shape.from_sm) continue;
    for (const Reading& reading : readings) {
      for (const int copies : {short_run, long_run})
        kernels.push_back(interval_kernel(sm, shape, reading, copies));
    }
  }
  SassModule module(bench, kernels);
  for (const Shape& shape : shapes) {
    if (sm < shape.from_sm) continue;
    for (const Reading& reading : readings) {
      for (const auto& [warps, mask] : {std::pair{1U, 0x1U}, {2U, 0x11U}}) {
        for (const int copies : {short_run, long_run}) {
          SassArguments arguments;
          arguments.warps = warps == 1 ? 1 : 5;
          arguments.a = mask;
          const SassOutcome outcome =
              module.run(std::string(shape.key) + reading.name + "_x" + std::to_string(copies), arguments);
          std::vector<WarpRecord> working = {outcome.warps[0]};
          if (warps == 2) working.push_back(outcome.warps[4]);
          findings.sample(
              "issue of " + std::string(shape.key) + reading.name + ", warps " + std::to_string(warps),
              "instructions", "cycles", copies, span_of(working));
        }
      }
    }
  }
}

void conclude(const TargetFacts& facts, Findings& findings) {
  std::vector<std::pair<std::string, std::string>> keys;
  for (const Shape& shape : shapes) {
    if (facts.sm < shape.from_sm) continue;
    const std::string key = std::string("matrix.") + shape.key;
    keys.emplace_back(key + ".latency", std::string(shape.key) + "_to_alu");
    keys.emplace_back(key + ".accumulate_latency", std::string(shape.key) + "_to_accumulator");
    const std::string label = "issue of " + std::string(shape.key) + ", warps ";
    const double cycles = std::max(slope(findings.at(label + "1")), slope(findings.at(label + "2")) / 2);
    findings.figure(key + ".issue_interval", cycles, calib::Unit::cycles, 0, 4, label + "2");
  }
  if (!facts.never_stale) conclude_distances(findings, keys);
}

}  // namespace

extern const Probe matrix_distances{"matrix.distances",
                                    "Latency, accumulation and interval of matrix instructions, from SASS",
                                    "Jia2018 section 4.3",
                                    75,
                                    measure,
                                    conclude};

}  // namespace warpgauge::probes
