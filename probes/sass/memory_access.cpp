// Memory instructions that hit: when their sources may be overwritten, when their result may be used, and how many issue
// before the processing block's queue is full (Huerta et al., MICRO 2025, tables 1 and 2, on Ampere).
#include <algorithm>
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int before = 4;  // stall counts of the clock read and of the consumer
constexpr int after = 4;
constexpr int deepest = 24;  // memory instructions in a row

struct Access {
  std::string key;  // access.<key>
  std::string text;
  bool returns = true;
  bool uniform = false;
  int width = 32;  // bits a lane: neighbouring lanes, neighbouring words
  bool copies = false;  // LDGDEPBAR holds the counter until the data is there
};

constexpr std::uint32_t frame_bytes = 128;  // of local memory; R39 and UR12 name its first word

// R8:R9 points to global memory and R36 to shared memory, lane after lane; R37 and UR8 hold 0, R39 and UR12 a place
// in local memory, UR10:UR11 the address of global memory; R12 to R15 are data. Where all lanes would name one word of an atomic,
// only one of them works (P2), as the calibration's figure is one without contention.
std::vector<Access> accesses(int sm) {
  const Program p(sm);
  const std::string constants = hex(sm >= 90 ? 0x220 : 0x170);
  std::vector<Access> list;
  for (const int width : {32, 64, 128}) {
    const std::string bits = std::to_string(width), suffix = width == 32 ? "" : "." + bits;
    list.push_back({"load_global_" + bits, p.load_global(width, 20, 8), true, false, width});
    list.push_back({"store_global_" + bits, p.store_global(width, 8, 12), false, false, width});
    list.push_back({"load_shared_" + bits, "LDS" + suffix + " R20, [R36]", true, false, width});
    list.push_back({"store_shared_" + bits, "STS" + suffix + " [R36], R12", false, false, width});
    if (sm >= 75) {
      list.push_back({"load_shared_" + bits, "LDS" + suffix + " R20, [UR8]", true, true});
      list.push_back({"store_shared_" + bits, "STS" + suffix + " [UR8], R12", false, true});
    }
    if (sm >= 80) {
      list.push_back({"load_global_" + bits, "LDG.E" + suffix + " R20, [UR10]", true, true});
      list.push_back({"store_global_" + bits, "STG.E" + suffix + " [UR10], R12", false, true});
      list.push_back({"copy_" + bits, "LDGSTS.E" + suffix + " [R36], desc[UR4][R8.64]", true, false, width, true});
      list.push_back({"copy_" + bits, "@P2 LDGSTS.E" + suffix + " [UR8], [R8.64]", true, true, width, true});
    }
  }
  list.push_back({"load_generic_32", sm >= 80 ? "LD.E R20, desc[UR4][R8.64]" : "LD.E.SYS R20, [R8]"});
  list.push_back({"load_local_32", "LDL R20, [R39]"});
  list.push_back({"store_local_32", "STL [R39], R12", false});
  if (sm >= 75) {
    list.push_back({"load_local_32", "LDL R20, [UR12]", true, true});
    list.push_back({"store_local_32", "STL [UR12], R12", false, true});
  }
  if (sm >= 80) list.push_back({"load_generic_32", "LD.E R20, [UR10]", true, true});
  list.push_back({"load_constant_32", "LDC R20, c[0x0][R37+" + constants + "]"});
  list.push_back({"load_constant_64", "LDC.64 R20, c[0x0][R37+" + constants + "]"});
  list.push_back({"load_constant_32", "LDC R20, " + p.parameter(Parameter::a), true, true});
  list.push_back({"load_constant_64", "LDC.64 R20, " + p.parameter(Parameter::out), true, true});
  list.push_back({"atomic_shared", "ATOMS.ADD R20, [R36], R12"});
  list.push_back({"atomic_global", sm >= 80 ? "ATOMG.E.ADD.STRONG.GPU PT, R20, desc[UR4][R8.64], R12" : "ATOMG.E.ADD.STRONG.GPU PT, R20, [R8], R12"});
  list.push_back({"reduce_global", sm >= 90   ? "REDG.E.ADD.STRONG.GPU desc[UR4][R8.64], R12"
                                   : sm >= 80 ? "RED.E.ADD.STRONG.GPU desc[UR4][R8.64], R12"
                                              : "RED.E.ADD.STRONG.GPU [R8], R12",
                  false});
  if (sm >= 75) {
    list.push_back({"atomic_shared", "@P2 ATOMS.ADD R20, [UR8], R12", true, true});
    for (const char* matrices : {"1", "2", "4"}) {
      const std::string text = std::string("LDSM.16.M88") + (*matrices == '1' ? "" : std::string(".") + matrices) + " R20, ";
      list.push_back({std::string("load_matrix_") + matrices, text + "[R36]", true, false, 128});
      list.push_back({std::string("load_matrix_") + matrices, text + "[UR8]", true, true, 128});
    }
  }
  if (sm >= 90) {
    list.push_back({"store_matrix_4", "STSM.16.M88.4 [R36], R12", false, false, 128});
    list.push_back({"store_matrix_4", "STSM.16.M88.4 [UR8], R12", false, true, 128});
    list.push_back({"atomic_global", "@P2 ATOMG.E.ADD.STRONG.GPU PT, R20, [UR10], R12", true, true});
    list.push_back({"reduce_global", "@P2 REDG.E.ADD.STRONG.GPU [UR10], R12", false, true});
  }
  return list;
}

std::string access_name(const Access& access, const char* what) {
  return access.key + (access.uniform ? "_uniform_" : "_") + what;
}

void set_addresses(Program& program, int width) {
  program.op(stall(15), "MOV R8, " + program.parameter(Parameter::in));
  program.op(stall(15), "MOV R9, " + program.parameter(Parameter::in, 1));
  program.op(stall(15), "MOV R37, " + hex(static_cast<std::uint64_t>(width / 8)));
  program.op(stall(15), "IMAD.WIDE.U32 R8, R0, R37, R8");
  program.op(stall(15), "IMAD R36, R0, R37, RZ");
  program.op(stall(15), "ISETP.EQ.U32.AND P2, PT, R0, RZ, PT");
  program.op(stall(15), "MOV R37, RZ");
  // The stack begins at the end of local memory and grows downwards.
  program.op(stall(15), "MOV R39, c[0x0][0x28]");
  program.op(stall(15), "IADD3 R39, R39, -" + hex(frame_bytes) + ", RZ");
  if (program.sm() >= 75) {
    program.op(stall(15), "UMOV UR8, 0x0");
    program.op(stall(15), "ULDC.64 UR10, " + program.parameter(Parameter::in));
    program.op(stall(15), "ULDC UR12, c[0x0][0x28]");
    program.op(stall(15), "UIADD3 UR12, UR12, -" + hex(frame_bytes) + ", URZ");
  }
  program.idle(30);
}

SassKernel access_kernel(int sm, const Access& access, bool war) {
  Program program(sm);
  program.begin();
  set_operands(program);
  set_addresses(program, access.width);
  program.loop(3, [&] {
    program.idle(60);
    Control control = stall(2);
    if (access.returns && !access.copies) control = control.writing(0);
    if (war) control = control.reading(1);
    program.start_clock(before);
    program.op(control, access.text);
    if (access.copies) program.op(stall(2).writing(0), "LDGDEPBAR");
    program.op(stall(after).waiting(war ? 2 : 1), war ? "MOV R38, RZ" : "MOV R38, R20");
    program.end_clock();
    program.op(stall(15).waiting(3), "NOP");
    program.idle(1500);
  });
  program.finish();
  SassKernel kernel = program.kernel(access_name(access, war ? "war" : "raw"), 16 * 1024);
  kernel.frame_bytes = frame_bytes;
  return kernel;
}

void measure_access(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<SassKernel> kernels;
  for (const Access& access : accesses(sm)) {
    kernels.push_back(access_kernel(sm, access, true));
    if (access.returns) kernels.push_back(access_kernel(sm, access, false));
  }
  SassModule module(bench, kernels);
  const Buffer memory = bench.allocate(1 << 20);
  memory.fill(0);
  SassArguments arguments;
  arguments.in = memory.address();
  for (const SassKernel& kernel : kernels) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      findings.sample("cycles of " + kernel.name, "repetition", "cycles", repeat, module.run(kernel.name, arguments).cycles() - before - after);
    }
  }
}

void conclude_access(const TargetFacts& facts, Findings& findings) {
  for (const Access& access : accesses(facts.sm)) {
    for (const char* what : {"war", "raw"}) {
      const std::string label = "cycles of " + access_name(access, what);
      // How long an atomic takes is asked of all SMs: l2.atomics.
      if (findings.find(label) == nullptr || (access.key == "atomic_global" && std::string_view(what) == "raw")) continue;
      report_median(findings, "access." + access.key + "." + what + (access.uniform ? "_uniform" : ""), calib::Unit::cycles, label);
    }
  }
}

std::string row_name(const std::string& what, int count) { return what + "_row_" + std::to_string(count); }

SassKernel row_kernel(int sm, const std::string& what, const std::string& text, int count, int width) {
  Program program(sm);
  program.begin();
  set_operands(program);
  set_addresses(program, width);
  program.only_warps_of_mask();
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(60);
    program.start_clock();
    for (int i = 0; i < count; ++i) program.op(stall(1), text);
    program.end_clock();
    program.idle(2000);
  });
  program.finish();
  return program.kernel(row_name(what, count), 16 * 1024, 1);
}

std::vector<std::pair<std::string, std::string>> rows(int sm) {
  const Program p(sm);
  std::vector<std::pair<std::string, std::string>> list = {{"LDG", p.load_global(32, 20, 8)},
                                                           {"LDG.128", p.load_global(128, 20, 8)},
                                                           {"LDS", "LDS R20, [R36]"},
                                                           {"LDS.128", "LDS.128 R20, [R36]"},
                                                           {"STS", "STS [R36], R12"},
                                                           {"STG", p.store_global(32, 8, 12)},
                                                           {"SHFL", "SHFL.IDX PT, R20, R12, RZ, 0x1f"},
                                                           {"MUFU", "MUFU.RCP R20, R12"}};
  if (sm >= 75) list.emplace_back("LDS, uniform address", "LDS R20, [UR8]");
  return list;
}

void measure_queue(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<SassKernel> kernels;
  int index = 0;
  for (const auto& [what, text] : rows(sm)) {
    for (int count = 0; count <= deepest; ++count) kernels.push_back(row_kernel(sm, "row" + std::to_string(index), text, count, what.ends_with(".128") ? 128 : 32));
    ++index;
  }
  SassModule module(bench, kernels);
  const Buffer memory = bench.allocate(1 << 20);
  memory.fill(0);
  index = 0;
  for (const auto& [what, text] : rows(sm)) {
    for (std::uint32_t blocks = 1; blocks <= 4; ++blocks) {
      for (int count = 0; count <= deepest; ++count) {
        SassArguments arguments;
        arguments.warps = blocks;
        arguments.in = memory.address();
        const SassOutcome outcome = module.run(row_name("row" + std::to_string(index), count), arguments);
        for (std::uint32_t warp = 0; warp < blocks; ++warp) {
          findings.sample("issue of " + what + " in a row, processing blocks: " + std::to_string(blocks) + ", block " + std::to_string(warp),
                          "instructions", "cycles", count, outcome.cycles(warp));
        }
      }
    }
    ++index;
  }
}

void conclude_queue(const TargetFacts& facts, Findings& findings) {
  const auto series = [&](const std::string& what, int blocks) -> const calib::Series& {
    return findings.at("issue of " + what + " in a row, processing blocks: " + std::to_string(blocks) + ", block 0");
  };
  // Until the queue is full one issues a cycle; the first that has to wait comes after latch and queue.
  const calib::Series& one = series("LDG", 1);
  double fast = 0;
  for (std::size_t i = 1; i < one.x.size(); ++i) {
    if (one.y[i] - one.y[i - 1] > 1.5) break;
    fast = one.x[i];
  }
  findings.figure("lsu.queue_entries", std::max(0.0, fast - 1), calib::Unit::count, 0, one.x.size(), one.label);
  findings.figure("lsu.address_interval", slope_from(one, deepest / 2.0), calib::Unit::cycles, 0, one.x.size(), one.label);
  if (facts.sm >= 75) {
    const calib::Series& uniform = series("LDS, uniform address", 1);
    findings.figure("lsu.address_interval_uniform", slope_from(uniform, deepest / 2.0), calib::Unit::cycles, 0, uniform.x.size(), uniform.label);
  }
  const calib::Series& four = series("LDS", 4);
  findings.figure("lsu.shared_unit_interval", slope_from(four, deepest / 2.0) / 4, calib::Unit::cycles, 0, four.x.size(), four.label);
}

}  // namespace

extern const Probe memory_access{"lsu.access", "When sources are free and results usable, of memory instructions that hit",
                                 "Huerta et al. 2025, table 2; Jia2018 section 4.1", 70, measure_access, conclude_access};
extern const Probe memory_queue{"lsu.queue", "How many memory instructions issue in a row, on one to four processing blocks",
                                "Huerta et al. 2025, table 1", 70, measure_queue, conclude_queue};

}  // namespace warpgauge::probes
