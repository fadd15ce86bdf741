// Register banks, read ports, reuse cache: FFMAs over chosen registers with chosen reuse flags (Jia2018 figure 3.8,
// Jia2019 figure 3.10).
#include <array>
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int short_run = 32;
constexpr int long_run = 96;

struct Sources {
  const char* name;
  int a, b, c;
};
// Even registers are one bank, odd ones the other, if a bank is the number modulo two.
constexpr Sources triples[] = {{"eee", 40, 42, 44}, {"eeo", 40, 42, 45}, {"eoe", 40, 43, 44}, {"oee", 41, 42, 44}, {"eoo", 40, 43, 45},
                               {"oeo", 41, 42, 45}, {"ooe", 41, 43, 44}, {"ooo", 41, 43, 45}, {"same", 40, 40, 40}, {"eeo_twice", 40, 40, 45},
                               {"eee_twice", 40, 40, 44}};

std::string source(int reg_index, bool reuse) { return reg(reg_index) + (reuse ? ".reuse" : ""); }

SassKernel ffma_kernel(int sm, const Sources& sources, int reuse, int stall_count, int copies) {
  Program program(sm);
  program.begin();
  for (int i = 40; i <= 45; ++i) program.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  program.only_warps_of_mask();
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(30);
    program.start_clock();
    for (int i = 0; i < copies; ++i) {
      program.op(stall(stall_count), "FFMA " + reg(8 + i % 16) + ", " + source(sources.a, (reuse & 1) != 0) + ", " +
                                         source(sources.b, (reuse & 2) != 0) + ", " + source(sources.c, (reuse & 4) != 0));
    }
    program.end_clock();
    program.idle(60);
  });
  program.finish();
  return program.kernel(std::string("ffma_") + sources.name + "_reuse" + std::to_string(reuse) + "_s" + std::to_string(stall_count) + "_x" +
                            std::to_string(copies),
                        0, 1);
}

std::string label_of(const Sources& sources, int reuse, int stall_count, int warps) {
  return std::string("FFMA ") + sources.name + ", reuse " + std::to_string(reuse) + ", stall " + std::to_string(stall_count) + ", warps " +
         std::to_string(warps);
}

void measure_registers(Bench& bench, Findings& findings) {
  std::vector<SassKernel> kernels;
  for (const Sources& sources : triples) {
    for (int reuse = 0; reuse < 8; ++reuse) {
      for (const int stall_count : {1, 2}) {
        for (const int copies : {short_run, long_run}) kernels.push_back(ffma_kernel(bench.facts().sm, sources, reuse, stall_count, copies));
      }
    }
  }
  SassModule module(bench, kernels);
  std::size_t next = 0;
  for (const Sources& sources : triples) {
    for (int reuse = 0; reuse < 8; ++reuse) {
      for (const int stall_count : {1, 2}) {
        for (const int copies : {short_run, long_run}) {
          const std::string& kernel = kernels[next++].name;
          for (const int warps : {1, 2}) {
            SassArguments arguments;
            arguments.warps = warps == 1 ? 1 : 5;
            arguments.a = warps == 1 ? 0x1 : 0x11;
            const SassOutcome outcome = module.run(kernel, arguments);
            std::vector<WarpRecord> working = {outcome.warps[0]};
            if (warps == 2) working.push_back(outcome.warps[4]);
            findings.sample(label_of(sources, reuse, stall_count, warps), "instructions", "cycles", copies, span_of(working));
          }
        }
      }
    }
  }
}

double cost(const Findings& findings, const Sources& sources, int reuse, int stall_count, int warps) {
  return slope(findings.at(label_of(sources, reuse, stall_count, warps)));
}

void conclude_registers(const TargetFacts&, Findings& findings) {
  const std::string three = label_of(triples[0], 0, 1, 1);
  const double eee = cost(findings, triples[0], 0, 1, 1), ooo = cost(findings, triples[7], 0, 1, 1);
  const double same = cost(findings, triples[8], 0, 1, 1), reused = cost(findings, triples[0], 7, 1, 1);
  // Two banks: three of one parity take three reads of one port. A half-rate pipe hides the first two.
  if (eee > same + 0.5 && ooo > same + 0.5) {
    findings.figure("registers.banks", 2, calib::Unit::count, 0, 4, three);
    findings.figure("registers.read_ports_per_bank", 3 / eee > 1.5 ? 2 : 1, calib::Unit::count, 0, 4, three);
  }
  if (reused < eee - 0.5) {
    int slots = 0;
    for (const int flag : {1, 2, 4}) slots += cost(findings, triples[0], flag, 1, 1) < eee - 0.4 ? 1 : 0;
    findings.figure("registers.reuse_slots", slots, calib::Unit::count, 0, 8, label_of(triples[0], 7, 1, 1));
  }
}

}  // namespace

extern const Probe register_banks{"registers.banks", "Banks, read ports and reuse cache, from FFMAs over chosen registers",
                                  "Jia2018 section 3.5, figure 3.8; Jia2019 figure 3.10", 70, measure_registers, conclude_registers};

}  // namespace warpgauge::probes
