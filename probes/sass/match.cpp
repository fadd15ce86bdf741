// MATCH by the number of distinct values that its lanes hold: how long until the answer, and how often one
// issues.
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

struct Form {
  const char* name;
  const char* text;
};
constexpr Form forms[] = {{"MATCH.ANY", "MATCH.ANY R10, R40"},
                          {"MATCH.ANY.U64", "MATCH.ANY.U64 R10, R40"},
                          {"MATCH.ALL", "MATCH.ALL P2, R10, R40"}};
constexpr std::uint32_t value_counts[] = {1, 2, 3, 4, 8, 16, 32};
constexpr std::uint32_t warp_counts[] = {1, 2, 4, 8, 16};
constexpr int before = 4, after = 4;
constexpr int short_row = 8, long_row = 40;

// R40 (and R41, for 64 bits) holds the lane modulo parameter b.
void set_values(Program& program) {
  program.op(stall(15), "MOV R20, " + program.parameter(Parameter::b));
  program.op(stall(15), "LOP3.LUT R40, R0, 0x1f, RZ, 0xc0, !PT");
  program.op(stall(15), "MOV R41, RZ");
  // The lanes' values are few: as many subtractions as there can be multiples.
  for (int i = 0; i < 32; ++i) {
    program.op(stall(15), "ISETP.GE.U32.AND P3, PT, R40, R20, PT");
    program.op(stall(15), "@P3 IADD3 R40, R40, -R20, RZ");
  }
}

SassKernel latency_kernel(int sm, std::size_t form) {
  Program program(sm);
  program.begin();
  set_values(program);
  program.loop(3, [&] {
    program.idle(60);
    program.start_clock(before);
    program.op(stall(2).writing(0), forms[form].text);
    program.op(stall(after).waiting(1), "MOV R21, R10");
    program.end_clock();
    program.idle(200);
  });
  program.finish();
  return program.kernel("match_latency" + std::to_string(form));
}

SassKernel row_kernel(int sm, std::size_t form, int copies) {
  Program program(sm);
  program.begin();
  set_values(program);
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(60);
    program.start_clock();
    for (int i = 0; i < copies; ++i) program.op(stall(2).writing(i % 6), forms[form].text);
    program.op(stall(2).waiting(0x3f), "NOP");
    program.end_clock();
    program.idle(400);
  });
  program.finish();
  return program.kernel("match_row" + std::to_string(form) + "_x" + std::to_string(copies), 0, 1);
}

std::string latency_label(const Form& form) {
  return std::string("latency of ") + form.name + " against its lanes' values";
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<SassKernel> kernels;
  for (std::size_t form = 0; form < std::size(forms); ++form) {
    kernels.push_back(latency_kernel(sm, form));
    for (const int copies : {short_row, long_row}) kernels.push_back(row_kernel(sm, form, copies));
  }
  SassModule module(bench, kernels);
  for (std::size_t form = 0; form < std::size(forms); ++form) {
    for (const std::uint32_t values : value_counts) {
      SassArguments arguments;
      arguments.b = values;
      findings.sample(
          latency_label(forms[form]), "values", "cycles", values,
          module.run("match_latency" + std::to_string(form), arguments).cycles() - before - after);
      for (const std::uint32_t warps : warp_counts) {
        arguments.warps = warps;
        const auto cycles = [&](int copies) {
          return span_of(
              module.run("match_row" + std::to_string(form) + "_x" + std::to_string(copies), arguments)
                  .warps);
        };
        findings.sample(std::string("cycles a ") + forms[form].name + " of " + std::to_string(values) +
                            " values against warps",
                        "warps", "cycles", warps,
                        (cycles(long_row) - cycles(short_row)) / (long_row - short_row) / warps);
      }
    }
  }
}

}  // namespace

extern const Probe match_values{"instructions.match",
                                "Latency and rate of MATCH by the number of its lanes' values",
                                "votes and matches",
                                70,
                                measure,
                                nullptr};

}  // namespace warpgauge::probes
