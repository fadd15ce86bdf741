// Bodies of several kinds of instruction, by one, two and four warps of each processing block: what the kinds take of the
// scheduler, of dispatch and of the register ports when none waits for a result.
#include <cmath>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int few_copies = 8;
constexpr int many_copies = 40;
constexpr std::uint32_t most_warps = 16;

struct Part {
  const char* name;
  const char* text;  // %d the result, registers of its own; empty for an access to global memory
  int times = 1;
  int registers = 1;  // of the result
  int width = 32;     // of an access to global memory
  bool store = false;
};

// Sources are R12 and R13, one of each bank, so that no instruction asks a bank twice.
constexpr Part wide{"IMAD.WIDE", "IMAD.WIDE.U32 %d, R12, 0x5, RZ", 1, 2};
constexpr Part high{"IMAD.HI", "IMAD.HI.U32 %d, R12, 0x5, RZ"};
constexpr Part imad{"IMAD", "IMAD %d, R12, 0x5, R13"};
constexpr Part lop{"LOP3", "LOP3.LUT %d, R12, 0x5, R13, 0x96, !PT"};
constexpr Part shift{"SHF", "SHF.R.U32.HI %d, RZ, 0x3, R12"};
constexpr Part mov{"MOV", "MOV %d, 0x5"};
constexpr Part ffma{"FFMA", "FFMA %d, R12, R13, R12"};
constexpr Part fadd{"FADD", "FADD %d, R12, 0.5"};
constexpr Part isetp{"ISETP", "ISETP.GE.AND P2, PT, R12, R13, PT"};
constexpr Part mufu{"MUFU", "MUFU.RCP %d, R12"};
constexpr Part lds{"LDS", "LDS %d, [R14]"};
constexpr Part ldg{"LDG", ""};
constexpr Part dfma{"DFMA", "DFMA %d, R16, R18, R16", 1, 2};
// What else a FFMA may meet.
constexpr Part others[] = {
    {"LDG.64", "", 1, 2, 64},
    {"LDG.128", "", 1, 4, 128},
    {"STG", "", 1, 0, 32, true},
    {"STG.64", "", 1, 0, 64, true},
    {"STG.128", "", 1, 0, 128, true},
    {"LDS.64", "LDS.64 %d, [R14]", 1, 2},
    {"LDS.128", "LDS.128 %d, [R15]", 1, 4},
    {"STS", "STS [R14], R12"},
    {"STS.64", "STS.64 [R14], R12"},
    {"STS.128", "STS.128 [R15], R16"},
    {"ATOMS", "ATOMS.ADD %d, [R14], R12"},
    {"SHFL", "SHFL.IDX PT, %d, R12, RZ, 0x1f"},
    {"SHFL, three registers", "SHFL.IDX PT, %d, R12, R14, R13"},
    {"LDC", "LDC %d, c[0x0][0x28]"},
    {"S2R", "S2R %d, SR_TID.X"},
    {"POPC", "POPC %d, R12"},
    {"F2I", "F2I.TRUNC.NTZ %d, R12"},
    {"F2F.F64.F32", "F2F.F64.F32 %d, R12", 1, 2},
    {"F2F.F32.F64", "F2F.F32.F64 %d, R16"},
    {"VOTE", "VOTE.ANY %d, PT, P1"},
    {"PLOP3", "PLOP3.LUT P2, PT, P0, P1, PT, 0x80, 0x0"},
    {"CS2R", "CS2R %d, SR_CLOCKLO", 1, 2},
    {"HFMA2.MMA", "HFMA2.MMA %d, R12, R13, R12"},
    {"IADD3, carry", "IADD3 %d, P2, R12, R13, RZ"},
    {"SEL", "SEL %d, R12, R13, P1"},
    {"R2UR", "R2UR UR8, R12"},
    {"ULDC", "ULDC UR8, c[0x0][0x28]"},
    {"UIADD3", "UIADD3 UR8, UR9, 0x4, URZ"},
    {"IADD3, uniform", "IADD3 %d, R12, UR9, RZ"},
    {"NOP", "NOP"},
};

Part times(Part part, int count) {
  part.times = count;
  return part;
}

std::vector<std::vector<Part>> bodies() {
  std::vector<std::vector<Part>> all;
  for (const Part& slow : {wide, high, imad, mufu, lds, ldg, dfma, ffma}) {
    all.push_back({slow});
    for (const Part& other : {lop, shift, mov, ffma, fadd, isetp, imad}) {
      if (std::string_view(slow.name) == other.name) continue;
      for (const int count : {1, 2, 3}) all.push_back({slow, times(other, count)});
    }
  }
  all.push_back({wide, lop, ffma});
  all.push_back({wide, lop, ffma, ffma});
  all.push_back({imad, lop, ffma});
  all.push_back({imad, lop, ffma, ffma});
  all.push_back({mufu, times(ffma, 4), times(lop, 2)});
  all.push_back({mufu, times(ffma, 4), lop});
  all.push_back({mufu, times(ffma, 7)});
  all.push_back({times(ffma, 2), lop});
  all.push_back({times(ffma, 3), lop});
  all.push_back({times(ffma, 4), lop});
  all.push_back({times(ffma, 4), times(lop, 2)});
  all.push_back({ffma, lop, ffma, lop, ffma, ffma});
  all.push_back({lds, times(ffma, 7)});
  all.push_back({ldg, times(ffma, 7)});
  all.push_back({lds, times(lop, 3), times(ffma, 3)});
  for (const Part& other : others) {
    for (const int count : {3, 7}) all.push_back({other, times(ffma, count)});
  }
  return all;
}

std::string name_of(const std::vector<Part>& body) {
  std::string name;
  for (const Part& part : body) {
    if (!name.empty()) name += " ";
    name += part.times > 1 ? std::to_string(part.times) + "x" + part.name : part.name;
  }
  return name;
}

std::string label_of(const std::string& body, std::uint32_t warps) {
  return body + ", " + std::to_string(warps / 4) + " warps of each block";
}

std::string text_of(const Program& p, const Part& part, int result) {
  std::string text = part.text;
  if (text.empty()) return part.store ? p.store_global(part.width, 8, 12) : p.load_global(part.width, result, 8);
  const std::size_t at = text.find("%d");
  if (at != std::string::npos) text.replace(at, 2, reg(result));
  return text;
}

SassKernel mix_kernel(int sm, const std::vector<Part>& body, const std::string& name, int copies) {
  Program p(sm);
  p.begin();
  set_operands(p);
  p.op(stall(15), "MOV R8, " + p.parameter(Parameter::in));
  p.op(stall(15), "MOV R9, " + p.parameter(Parameter::in, 1));
  p.op(stall(15), "LOP3.LUT R14, R0, 0x1f, RZ, 0xc0, !PT");
  p.op(stall(15), "SHF.L.U32 R15, R14, 0x4, RZ");
  p.op(stall(15), "SHF.L.U32 R14, R14, 0x3, RZ");
  p.only_warps_of_mask();
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(30);
    p.start_clock();
    int to = 0;
    for (int i = 0; i < copies; ++i) {
      for (const Part& part : body) {
        for (int n = 0; n < part.times; ++n) {
          // Registers of a row, of either bank in turn where the instruction writes but one.
          const int result = part.registers <= 2 ? 20 + 2 * (to % 16) + (part.registers == 2 ? 0 : to / 16 % 2)
                                                 : 20 + 4 * (to % 8);
          ++to;
          p.op(stall(1), text_of(p, part, result));
        }
      }
    }
    p.end_clock();
    p.idle(1000);
  });
  p.finish();
  return p.kernel(name, 1024, 1);
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  const auto all = bodies();
  std::vector<SassKernel> kernels;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const int copies : {few_copies, many_copies})
      kernels.push_back(mix_kernel(sm, all[i], "mix" + std::to_string(i) + "_x" + std::to_string(copies), copies));
  }
  SassModule module(bench, kernels);
  const Buffer data = bench.allocate(4096);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::uint32_t warps : {4U, 8U, most_warps}) {
      for (const int copies : {few_copies, many_copies}) {
        SassArguments arguments;
        arguments.in = data.address();
        arguments.warps = warps;
        const SassOutcome outcome = module.run("mix" + std::to_string(i) + "_x" + std::to_string(copies), arguments);
        findings.sample(label_of(name_of(all[i]), warps), "bodies", "cycles", copies, span_of(outcome.warps));
      }
    }
  }
}

// What a register of an instruction whose result comes later takes of a row of FFMAs that leave no cycle free.
void conclude(const TargetFacts&, Findings& findings) {
  struct Reading {
    const char* name;
    int registers;
  };
  constexpr Reading readings[] = {{"LDG", 1},  {"STG", 3},     {"STS", 2},  {"STS.64", 3}, {"ATOMS", 2},
                                  {"SHFL", 1}, {"SHFL, three registers", 3}, {"MUFU", 1}, {"POPC", 1},   {"F2I", 1}};
  const auto cycles = [&](const std::string& name) {
    return slope(findings.at(label_of(name + " 7xFFMA", most_warps))) / (most_warps / 4);
  };
  const double without = cycles("NOP");
  std::vector<double> each;
  for (const Reading& reading : readings) each.push_back((cycles(reading.name) - without) / reading.registers);
  findings.figure("registers.operand_cycles", std::round(calib::median(each)), calib::Unit::cycles, 0, each.size(),
                  label_of("STG 7xFFMA", most_warps));
}

}  // namespace

extern const Probe issue_mixes{"issue.mixes", "What bodies of several kinds of instruction take of many warps", "dispatch", 70,
                               measure, conclude};

}  // namespace warpgauge::probes
