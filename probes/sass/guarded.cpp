// What instructions take whose guard holds for no lane: chains, in which each waits for the one before by a dependence
// counter, and rows, in which none does; beside them the same instructions with a guard that holds.
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {
namespace {

constexpr int few = 2, many = 10;
constexpr std::uint32_t frame_bytes = 128;

// Registers as in memory_access.cpp: R8:R9 global memory and R36 shared memory, lane after lane, R37 0, R39 local memory.
struct Access {
  const char* name;
  std::string text;
  bool returns = true;  // a result, which its counter waits for; otherwise the counter waits for the sources
  int bytes = 4;        // from lane to lane
};

std::vector<Access> accesses(int sm) {
  const Program p(sm);
  std::vector<Access> list = {
      {"LDS", "LDS R20, [R36]"},
      {"LDS.128", "LDS.128 R20, [R36]", true, 16},
      {"STS", "STS [R36], R12", false},
      {"ATOMS", "ATOMS.ADD R20, [R36], R12"},
      {"LDG", p.load_global(32, 20, 8)},
      {"LDG.128", p.load_global(128, 20, 8), true, 16},
      {"STG", p.store_global(32, 8, 12), false},
      {"ATOMG", sm >= 80 ? "ATOMG.E.ADD.STRONG.GPU PT, R20, desc[UR4][R8.64], R12"
                         : "ATOMG.E.ADD.STRONG.GPU PT, R20, [R8], R12"},
      {"RED",
       sm >= 90   ? "REDG.E.ADD.STRONG.GPU desc[UR4][R8.64], R12"
       : sm >= 80 ? "RED.E.ADD.STRONG.GPU desc[UR4][R8.64], R12"
                  : "RED.E.ADD.STRONG.GPU [R8], R12",
       false},
      {"LD", sm >= 80 ? "LD.E R20, desc[UR4][R8.64]" : "LD.E.SYS R20, [R8]"},
      {"LDL", "LDL R20, [R39]"},
      {"STL", "STL [R39], R12", false},
      {"LDC", "LDC R20, c[0x0][R37+" + hex(sm >= 90 ? 0x220 : 0x170) + "]"},
      {"SHFL", "SHFL.IDX PT, R20, R12, RZ, 0x1f"},
      {"MUFU", "MUFU.RCP R20, R12"},
      {"POPC", "POPC R20, R12"},
      {"F2F.F64", "F2F.F64.F32 R20, R12"},
      {"S2R", "S2R R20, SR_LANEID"},
      {"MATCH", "MATCH.ANY R20, R12"},
      {"FCHK", "FCHK P2, R12, R13"},
      {"B2R", "B2R.RESULT R20"},
  };
  if (sm >= 75) list.push_back({"LDSM", "LDSM.16.M88 R20, [R36]", true, 16});
  return list;
}

struct Way {
  const char* name;
  bool chain;
  bool on;  // the guard holds
};
constexpr Way ways[] = {{"chain, no lane", true, false}, {"chain, all lanes", true, true}, {"row, no lane", false, false}, {"row, all lanes", false, true}};
constexpr std::uint32_t warp_counts[] = {1, 8, 28};

std::string kernel_name(std::size_t access, std::size_t way, int copies) {
  return "guard" + std::to_string(access) + "_" + std::to_string(way) + "_x" + std::to_string(copies);
}

SassKernel guarded_kernel(int sm, const Access& access, const Way& way, const std::string& name, int copies) {
  Program p(sm);
  p.begin();
  set_operands(p);
  p.op(stall(15), "MOV R8, " + p.parameter(Parameter::in));
  p.op(stall(15), "MOV R9, " + p.parameter(Parameter::in, 1));
  p.op(stall(15), "MOV R37, " + hex(static_cast<std::uint64_t>(access.bytes)));
  p.op(stall(15), "IMAD.WIDE.U32 R8, R0, R37, R8");
  p.op(stall(15), "IMAD R36, R0, R37, RZ");
  p.op(stall(15), "MOV R37, RZ");
  p.op(stall(15), "MOV R39, c[0x0][0x28]");
  p.op(stall(15), "IADD3 R39, R39, -" + hex(frame_bytes) + ", RZ");
  p.op(stall(15), std::string("ISETP.") + (way.on ? "EQ" : "NE") + ".AND P4, PT, RZ, RZ, PT");
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.op(stall(15).writing(0), "LDS R30, [RZ]");
    p.op(stall(15).waiting(1), "MOV R30, R30");
    p.idle(60);
    p.start_clock();
    for (int i = 0; i < copies; ++i) {
      Control control = stall(2);
      control = access.returns ? control.writing(0) : control.reading(0);
      p.op(way.chain ? control.waiting(1) : control, "@P4 " + access.text);
    }
    p.op(stall(2).waiting(1), "NOP");
    p.end_clock();
    p.idle(1500);
  });
  p.finish();
  SassKernel kernel = p.kernel(name, 16 * 1024, 1);
  kernel.frame_bytes = frame_bytes;
  return kernel;
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  const std::vector<Access> list = accesses(sm);
  std::vector<SassKernel> kernels;
  for (std::size_t a = 0; a < list.size(); ++a) {
    for (std::size_t w = 0; w < std::size(ways); ++w) {
      for (const int copies : {few, many}) kernels.push_back(guarded_kernel(sm, list[a], ways[w], kernel_name(a, w, copies), copies));
    }
  }
  SassModule module(bench, kernels);
  const Buffer memory = bench.allocate(1 << 16);
  memory.fill(0);
  for (std::size_t a = 0; a < list.size(); ++a) {
    for (std::size_t w = 0; w < std::size(ways); ++w) {
      for (const std::uint32_t warps : warp_counts) {
        const auto cycles = [&](int copies) {
          SassArguments arguments;
          arguments.warps = warps;
          arguments.in = memory.address();
          return span_of(module.run(kernel_name(a, w, copies), arguments).warps);
        };
        findings.sample(std::string("cycles of ") + list[a].name + " with a guard, " + ways[w].name, "warps", "cycles", warps,
                        (cycles(many) - cycles(few)) / (many - few));
      }
    }
  }
}

}  // namespace

extern const Probe issue_guards{"issue.guards",
                                "What instructions take whose guard holds for no lane",
                                "own: accesses that no lane makes",
                                70,
                                measure,
                                nullptr};

}  // namespace warpgauge::probes
