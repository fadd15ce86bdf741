// Every fixed-latency instruction behind every other, far enough apart that stall counts are kept: what the
// hardware adds by itself, when the second reads the first's result and when it does not.
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

struct Form {
  const char* name;
  const char* text;  // %d the result; %s the source that may be the other's result: registers of R30 or R12
  int distance = 5;  // to any consumer of the list
  int from_sm = 70;
};
constexpr Form forms[] = {
    {"IADD3", "IADD3 %d, %s, R13, RZ"},
    {"LOP3", "LOP3.LUT %d, %s, R13, RZ, 0x3c, !PT"},
    {"SHF", "SHF.R.U32.HI %d, RZ, 0x3, %s"},
    {"LEA", "LEA %d, %s, R13, 0x2"},
    {"PRMT", "PRMT %d, %s, 0x3201, R13"},
    {"SEL", "SEL %d, %s, R13, P1"},
    {"MOV", "MOV %d, %s"},
    {"FMNMX", "FMNMX %d, %s, R13, PT"},
    {"I2FP", "I2FP.F32.S32 %d, %s", 5, 90},
    {"FFMA", "FFMA %d, %s, R13, R12"},
    {"FADD", "FADD %d, %s, R13"},
    {"FMUL", "FMUL %d, %s, R13"},
    {"IMAD", "IMAD %d, %s, R13, R12"},
    {"IMAD, addend", "IMAD %d, R12, R13, %s"},
    {"IMAD.IADD", "IMAD.IADD %d, %s, 0x1, R13"},
    {"IMAD.MOV", "IMAD.MOV.U32 %d, RZ, RZ, %s"},
    {"IMAD.SHL", "IMAD.SHL.U32 %d, %s, 0x4, RZ"},
    {"VIADD", "VIADD %d, %s, 0x5", 5, 90},
    {"IMAD.HI", "IMAD.HI.U32 %d, %s, R13, RZ"},
    {"IMAD.HI, addend", "IMAD.HI.U32 %d, R12, R13, %s"},
    {"IMAD.WIDE", "IMAD.WIDE.U32 %d, %s, R13, R16"},
    {"IMAD.WIDE, no addend", "IMAD.WIDE.U32 %d, %s, R13, RZ"},
    {"IMAD.WIDE, addend", "IMAD.WIDE.U32 %d, R12, R13, %s"},
    {"HADD2", "HADD2 %d, %s, R13"},
    {"HFMA2", "HFMA2 %d, %s, R13, R12"},
    {"HFMA2.MMA", "HFMA2.MMA %d, %s, R13, R12", 10, 80},
    {"DADD", "DADD %d, %s, R18", 10},
    {"DFMA", "DFMA %d, %s, R18, R16", 10},
};
constexpr int copies = 16;
constexpr int result = 30;  // and the register behind it

std::string written(const Form& form, int to, int from) {
  std::string text = form.text;
  text.replace(text.find("%d"), 2, reg(to));
  text.replace(text.find("%s"), 2, reg(from));
  return text;
}

std::string name_of(std::size_t first, std::size_t second, bool dependent) {
  return "pair" + std::to_string(first) + "_" + std::to_string(second) + (dependent ? "_dependent" : "");
}

SassKernel pair_kernel(int sm, std::size_t first, std::size_t second, bool dependent) {
  Program p(sm);
  p.begin();
  set_operands(p);
  p.op(stall(15), "MOV R30, R16");
  p.op(stall(15), "MOV R31, R17");
  p.loop(3, [&] {
    p.idle(60);
    p.start_clock();
    for (int i = 0; i < copies; ++i) {
      p.op(stall(forms[first].distance), written(forms[first], result, 12));
      p.op(stall(forms[second].distance), written(forms[second], 32, dependent ? result : 12));
    }
    p.end_clock();
    p.idle(30);
  });
  p.finish();
  return p.kernel(name_of(first, second, dependent));
}

// A register pair as a source starts at an even register: R12 and R30 do.
void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  for (std::size_t first = 0; first < std::size(forms); ++first) {
    if (sm < forms[first].from_sm || (sm == 75 && forms[first].distance > 5)) continue;
    std::vector<SassKernel> kernels;
    for (std::size_t second = 0; second < std::size(forms); ++second) {
      if (sm < forms[second].from_sm || (sm == 75 && forms[second].distance > 5)) continue;
      for (const bool dependent : {false, true}) kernels.push_back(pair_kernel(sm, first, second, dependent));
    }
    SassModule module(bench, kernels);
    for (std::size_t second = 0; second < std::size(forms); ++second) {
      if (sm < forms[second].from_sm || (sm == 75 && forms[second].distance > 5)) continue;
      const int expected = forms[first].distance + forms[second].distance;
      for (const bool dependent : {false, true}) {
        findings.sample(std::string("cycles that ") + forms[second].name +
                            (dependent ? " on the result of " : " behind ") + forms[first].name +
                            " takes longer",
                        "pairs", "cycles", copies,
                        (module.run(name_of(first, second, dependent)).cycles() - 2) / copies - expected);
      }
    }
  }
}

}  // namespace

extern const Probe issue_pairs{
    "issue.pairs",     "What the hardware adds to the stall counts of two instructions, dependent or not",
    "dispatch stalls", 70,
    measure,           nullptr};

}  // namespace warpgauge::probes
