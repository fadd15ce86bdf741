// What reads of constant memory cost that miss: c[][] operands, LDC and ULDC that stride over more than the
// first level and, on their first pass, over more than any level; by one warp and by many, of one address and
// of many.
#include <algorithm>
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint32_t reads = 256;    // of a pass
constexpr std::uint32_t unrolled = 16;  // reads of an LDC loop's body
constexpr std::uint32_t line = 64;
constexpr std::uint32_t bank_bytes = 65536;
// One of these fits the first level, the next two the second; the last is all that a bank holds.
constexpr std::uint32_t spans[] = {1024, 8192, 32768, 65536};
constexpr std::uint32_t warp_counts[] = {1, 2, 4, 8, 16, 28};  // of 72 registers a thread

std::uint32_t stride_of(std::uint32_t span) {
  return std::max(line, span / reads);
}

enum class Form { operand, load_immediate, load_register, uniform_load };
struct FormName {
  Form form;
  const char* name;
  int from_sm;
};
constexpr FormName forms[] = {{Form::operand, "operand", 70},
                              {Form::load_immediate, "LDC, immediate address", 70},
                              {Form::load_register, "LDC, address in a register", 70},
                              {Form::uniform_load, "ULDC", 75}};

std::string kernel_name(Form form, std::uint32_t span) {
  return "constants" + std::to_string(static_cast<int>(form)) + "_" + std::to_string(span);
}

std::string bank3(std::uint32_t offset) {
  return "c[0x3][" + hex(offset) + "]";
}

// Parameter b: passes; the clocks are those of the last one. For addresses in registers, lane l of warp w
// begins at byte (l & c) * stride + w * d.
SassKernel reading_kernel(int sm, Form form, std::uint32_t span) {
  const std::uint32_t stride = stride_of(span);
  Program program(sm);
  program.begin();
  set_operands(program);
  program.op(stall(15), "MOV R60, " + program.parameter(Parameter::b));
  program.op(stall(15), "MOV R61, RZ");
  if (form == Form::load_register) {
    program.op(stall(15), "MOV R20, " + program.parameter(Parameter::c));
    program.op(stall(15), "LOP3.LUT R20, R0, R20, RZ, 0xc0, !PT");
    program.op(stall(15), "MOV R21, " + hex(stride));
    program.op(stall(15), "IMAD R20, R20, R21, RZ");
    program.op(stall(15), "MOV R21, " + program.parameter(Parameter::d));
    program.op(stall(15), "IMAD R20, R1, R21, R20");
  }
  const std::string top = program.fresh_label("PASS");
  program.label(top);
  program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  program.idle(60);
  program.start_clock();
  if (form == Form::load_register) {
    program.loop(reads / unrolled, [&] {
      program.op(stall(6), "LOP3.LUT R21, R20, " + hex(span - 1) + ", RZ, 0xc0, !PT");
      for (std::uint32_t i = 0; i < unrolled; ++i) {
        program.op(stall(2).writing(static_cast<int>(i % 4)),
                   "LDC " + reg(24 + static_cast<int>(i)) + ", c[0x3][R21+" + hex(i * stride) + "]");
      }
      program.op(stall(6), "IADD3 R20, R20, " + hex(unrolled * stride) + ", RZ");
      // The next round's first load must not overwrite a register that is still to come.
      program.op(stall(2).waiting(0xf), "NOP");
    });
  } else {
    for (std::uint32_t i = 0; i < reads; ++i) {
      const std::string at = bank3(i * stride % span);
      const int to = 24 + static_cast<int>(i % 16);
      switch (form) {
        case Form::operand:
          program.op(stall(2), "IADD3 " + reg(to) + ", R12, " + at + ", RZ");
          break;
        case Form::load_immediate:
          program.op(stall(2).writing(static_cast<int>(i % 4)), "LDC " + reg(to) + ", " + at);
          break;
        case Form::uniform_load:
          program.op(stall(2), "ULDC UR" + std::to_string(8 + i % 16) + ", " + at);
          break;
        case Form::load_register:
          break;
      }
    }
    program.op(stall(2).waiting(0xf), "NOP");
  }
  program.end_clock();
  program.op(stall(15), "IADD3 R61, R61, 0x1, RZ");
  program.op(stall(15), "ISETP.LT.U32.AND P6, PT, R61, R60, PT");
  program.op(stall(15), "@P6 BRA `(" + top + ")");
  program.finish();
  return program.kernel(kernel_name(form, span), 0, 1);
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<std::uint32_t> table(bank_bytes / 4);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint32_t>(i);
  for (const FormName& form : forms) {
    if (sm < form.from_sm) continue;
    for (const std::uint32_t span : spans) {
      // An immediate offset reaches half of the bank.
      if (span > bank_bytes / 2 && form.form != Form::load_register) continue;
      const std::uint32_t stride = stride_of(span);
      const std::string over = ", over " + std::to_string(span) + " bytes";
      const auto sample = [&](SassModule& module, const std::string& label, std::uint32_t passes,
                              std::uint32_t warps, std::uint32_t lane_mask, std::uint32_t warp_stride) {
        SassArguments arguments;
        arguments.warps = warps;
        arguments.b = passes;
        arguments.c = lane_mask;
        arguments.d = warp_stride;
        const double cycles = span_of(module.run(kernel_name(form.form, span), arguments).warps);
        findings.sample(label, "warps", "cycles", warps, cycles / (reads * warps));
      };
      SassModule module(bench, {reading_kernel(sm, form.form, span)}, table);
      // What no cache holds yet: the first launch of the module.
      sample(module, std::string("cycles a read, ") + form.name + over + ", first launch", 1, 1, 0, 0);
      for (const std::uint32_t warps : warp_counts) {
        const std::string of = std::string("cycles a read, ") + form.name + over;
        sample(module, of, 3, warps, 0, 0);
        if (form.form != Form::load_register) continue;
        sample(module, of + ", each warp elsewhere", 3, warps, 0, unrolled * stride);
        for (const std::uint32_t addresses : {2U, 4U, 8U, 16U, 32U}) {
          // Up to a span's end and the reach of one round and of 32 lanes beyond it lies within the bank.
          if (span + (unrolled + addresses) * stride > bank_bytes) continue;
          sample(module, of + ", " + std::to_string(addresses) + " addresses", 3, warps, addresses - 1, 0);
        }
      }
    }
  }
}

}  // namespace

extern const Probe constant_misses{
    "constant.misses",
    "What reads of constant memory cost that miss, by form, span, warps and addresses",
    "Jia2018 section 3.4; Jia2019 figure 3.9",
    70,
    measure,
    nullptr};

}  // namespace warpgauge::probes
