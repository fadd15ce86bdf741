#include "probes/sass/case_study.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "probes/records.h"
#include "probes/sass/case_study_listing.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int steps_a_turn = 4;
constexpr int step_bytes = 32;        // eight values of each matrix
constexpr int other_matrix = 0x4000;  // 512 steps of the first one
constexpr int first_register = 4, last_register = 83;
constexpr int address = 1;
constexpr int start_clock = 84, end_clock = 86;

struct Quad {
  int reg;
  int matrix;  // 0 or 1
  int offset;  // of the step's values
};
// In the order in which both listings read them first; each has the dependence counter of its place here.
constexpr std::array<Quad, 4> quads = {{{12, 0, 0}, {80, 1, 0}, {8, 0, 16}, {4, 1, 16}}};

struct Ffma {
  std::string text;
  std::vector<int> reads;  // quads
};

std::vector<Ffma> ffmas_of(std::string_view listing) {
  std::vector<Ffma> ffmas;
  for (std::size_t at = listing.find("FFMA"); at != std::string_view::npos;
       at = listing.find("FFMA", at + 1)) {
    Ffma ffma{std::string(listing.substr(at, listing.find('\n', at) - at)), {}};
    for (std::size_t r = ffma.text.find('R'); r != std::string::npos; r = ffma.text.find('R', r + 1)) {
      const int number = std::atoi(ffma.text.c_str() + r + 1);
      for (std::size_t q = 0; q < quads.size(); ++q) {
        if (number / 4 == quads[q].reg / 4) ffma.reads.push_back(static_cast<int>(q));
      }
    }
    ffmas.push_back(std::move(ffma));
  }
  return ffmas;
}

// The last FFMA that reads a quad, in whichever listing that is later.
std::array<std::size_t, quads.size()> last_reads() {
  std::array<std::size_t, quads.size()> last{};
  for (const std::string_view listing : {compiler_listing, improved_listing}) {
    const std::vector<Ffma> ffmas = ffmas_of(listing);
    for (std::size_t i = 0; i < ffmas.size(); ++i) {
      for (const int quad : ffmas[i].reads)
        last[static_cast<std::size_t>(quad)] = std::max(last[static_cast<std::size_t>(quad)], i);
    }
  }
  return last;
}

void load(Program& program, std::size_t quad, int step) {
  const Quad& q = quads[quad];
  const int offset = q.matrix * other_matrix + step * step_bytes + q.offset;
  program.op(stall(1).writing(static_cast<int>(quad)),
             std::string(program.sm() == 70 ? "LDS.U.128 " : "LDS.128 ") + reg(q.reg) + ", [" + reg(address) +
                 (offset == 0 ? "" : "+" + hex(static_cast<std::uint64_t>(offset))) + "]");
}

}  // namespace

SassKernel case_study_kernel(int sm, const std::string& name, CaseStudy whose, int steps) {
  const bool gives_way = whose == CaseStudy::compiler;
  const std::vector<Ffma> ffmas = ffmas_of(gives_way ? compiler_listing : improved_listing);
  const auto last_read = last_reads();
  Program program(sm);
  program.begin();
  for (int r = first_register; r <= last_register; ++r) program.op(stall(5), "MOV " + reg(r) + ", RZ");
  program.loop(2, [&] {
    program.op(stall(15), "MOV " + reg(address) + ", RZ");
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(60);
    program.op(stall(2), "CS2R " + reg(start_clock) + ", SR_CLOCKLO");
    for (std::size_t quad = 0; quad < quads.size(); ++quad) load(program, quad, 0);
    program.op(stall(1), "NOP");
    const std::string top = program.fresh_label("STEPS");
    program.label(top);
    for (int step = 0; step < steps_a_turn; ++step) {
      const bool last = step + 1 == steps_a_turn;
      unsigned waited = 0;
      for (std::size_t i = 0; i < ffmas.size(); ++i) {
        const bool before_load = std::find(last_read.begin(), last_read.end(), i) != last_read.end();
        Control control = stall(before_load ? 1 : 2);
        // From one: 4, 10 … 64.
        control.yield = gives_way && i % 6 == 3;
        for (const int quad : ffmas[i].reads) {
          if ((waited >> quad & 1U) == 0) control = control.waiting(1U << quad);
          waited |= 1U << quad;
        }
        program.op(control, ffmas[i].text);
        if (last && i == 8)
          program.op(stall(2), "IADD3 " + reg(address) + ", " + reg(address) + ", " +
                                   hex(steps_a_turn * step_bytes) + ", RZ");
        if (last && i == 16) {
          program.op(stall(2), "ISETP.LT.U32.AND P5, PT, " + reg(address) + ", " +
                                   hex(static_cast<std::uint64_t>(steps) * step_bytes) + ", PT");
        }
        for (std::size_t quad = 0; quad < quads.size(); ++quad) {
          if (last_read[quad] == i) load(program, quad, last ? 0 : step + 1);
        }
      }
    }
    program.op(stall(5), "@P5 BRA `(" + top + ")");
    program.op(stall(15), "CS2R " + reg(end_clock) + ", SR_CLOCKLO");
    program.op(stall(15).waiting(0x3f), "NOP");
    program.idle(60);
  });
  for (int word = 0; word < 2; ++word) {
    program.op(stall(15), "MOV " + reg(4 + word) + ", " + reg(start_clock + word));
    program.op(stall(15), "MOV " + reg(6 + word) + ", " + reg(end_clock + word));
  }
  program.finish();
  SassKernel kernel = program.kernel(name, 2 * other_matrix + steps_a_turn * step_bytes, 1);
  kernel.registers = 96;
  return kernel;
}

namespace {

struct Variant {
  const char* name;
  CaseStudy whose;
};
constexpr Variant variants[] = {{"compiler", CaseStudy::compiler}, {"authors", CaseStudy::authors}};
constexpr int some_steps = 64, all_steps = 512;

void measure_case_study(Bench& bench, Findings& findings) {
  std::vector<SassKernel> kernels;
  for (const Variant& variant : variants) {
    for (const int steps : {some_steps, all_steps})
      kernels.push_back(
          case_study_kernel(bench.facts().sm, variant.name + std::to_string(steps), variant.whose, steps));
  }
  SassModule module(bench, kernels);
  for (const Variant& variant : variants) {
    for (const std::uint32_t warps : {4U, 8U}) {
      for (const int steps : {some_steps, all_steps}) {
        SassArguments arguments;
        arguments.warps = warps;
        const SassOutcome outcome = module.run(variant.name + std::to_string(steps), arguments);
        findings.sample(
            "registers of the " + std::string(variant.name) + ", " + std::to_string(warps) + " warps",
            "steps", "cycles", steps, span_of(outcome.warps));
      }
    }
  }
}

}  // namespace

extern const Probe case_study{
    "registers.case_study",
    "The Volta report's matrix product with the compiler's registers and the authors'",
    "Jia2018 chapter 1, table 1.1",
    70,
    measure_case_study,
    nullptr};

}  // namespace warpgauge::probes
