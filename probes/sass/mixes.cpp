// Bodies of several kinds of instruction, by one, two and four warps of each processing block: what the kinds take of the
// scheduler, of dispatch and of the register ports when none waits for a result.
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

struct Part {
  const char* name;
  const char* text;  // %d the result: a register of its own
  int times = 1;
};

// Sources are R12 and R13, one of each bank, so that no instruction asks a bank twice.
constexpr Part wide{"IMAD.WIDE", "IMAD.WIDE.U32 %d, R12, 0x5, RZ"};
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
constexpr Part dfma{"DFMA", "DFMA %d, R16, R18, R16"};

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
  all.push_back({lds, times(ffma, 7)});
  all.push_back({ldg, times(ffma, 7)});
  all.push_back({lds, times(lop, 3), times(ffma, 3)});
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

SassKernel mix_kernel(int sm, const std::vector<Part>& body, const std::string& name, int copies) {
  Program p(sm);
  p.begin();
  set_operands(p);
  p.op(stall(15), "MOV R8, " + p.parameter(Parameter::in));
  p.op(stall(15), "MOV R9, " + p.parameter(Parameter::in, 1));
  p.op(stall(15), "LOP3.LUT R14, R0, 0x1f, RZ, 0xc0, !PT");
  p.op(stall(15), "SHF.L.U32 R14, R14, 0x2, RZ");
  p.only_warps_of_mask();
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(30);
    p.start_clock();
    int to = 0;
    for (int i = 0; i < copies; ++i) {
      for (const Part& part : body) {
        for (int n = 0; n < part.times; ++n) {
          // Pairs of registers, whose first is of either bank in turn where the instruction writes but one.
          const bool two = part.name == std::string_view("IMAD.WIDE") || part.name == std::string_view("DFMA");
          const std::string result = reg(20 + 2 * (to % 16) + (two ? 0 : to / 16 % 2));
          ++to;
          std::string text = part.text[0] == '\0' ? p.load_global(32, 10, 8) : part.text;
          const std::size_t at = text.find("%d");
          if (at != std::string::npos) text.replace(at, 2, result);
          p.op(stall(1), part.text[0] == '\0' ? text.replace(text.find("R10"), 3, result) : text);
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
    for (const std::uint32_t warps : {4U, 8U, 16U}) {
      for (const int copies : {few_copies, many_copies}) {
        SassArguments arguments;
        arguments.in = data.address();
        arguments.warps = warps;
        const SassOutcome outcome = module.run("mix" + std::to_string(i) + "_x" + std::to_string(copies), arguments);
        findings.sample(name_of(all[i]) + ", " + std::to_string(warps / 4) + " warps of each block", "bodies", "cycles", copies,
                        span_of(outcome.warps));
      }
    }
  }
}

// For looking at: docs/h200.md; the model is compared with it.
void conclude(const TargetFacts&, Findings&) {}

}  // namespace

extern const Probe issue_mixes{"issue.mixes", "What bodies of several kinds of instruction take of many warps", "dispatch", 70,
                               measure, conclude};

}  // namespace warpgauge::probes
