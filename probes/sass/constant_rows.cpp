// LDC whose lanes read many lines: when the loads of a row issue, how long one takes, how many warps share
// the turns, and what stands behind them in the memory unit.
#include <string>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr std::uint32_t bank_bytes = 65536;
constexpr std::uint32_t address_counts[] = {1, 2, 4, 8, 16, 32};
constexpr std::uint32_t strides[] = {4, 64, 128, 132, 256, 512};
constexpr std::uint32_t warp_counts[] = {1, 2, 4, 8, 16};
constexpr int row = 12;
constexpr int short_row = 8, long_row = 40;
constexpr int chain = 16;

// R20: (lane & b) * c + warp * d, in bytes.
void set_address(Program& p) {
  p.op(stall(15), "MOV R21, " + p.parameter(Parameter::b));
  p.op(stall(15), "LOP3.LUT R20, R0, 0x1f, RZ, 0xc0, !PT");
  p.op(stall(15), "LOP3.LUT R20, R20, R21, RZ, 0xc0, !PT");
  p.op(stall(15), "MOV R21, " + p.parameter(Parameter::c));
  p.op(stall(15), "IMAD R20, R20, R21, RZ");
  p.op(stall(15), "MOV R21, " + p.parameter(Parameter::d));
  p.op(stall(15), "IMAD R20, R1, R21, R20");
  p.op(stall(15), "LOP3.LUT R36, R0, 0x1f, RZ, 0xc0, !PT");
  p.op(stall(15), "SHF.L.U32 R36, R36, 0x2, RZ");
}

void load(Program& p, const Control& control, int to) {
  p.op(control, "LDC " + reg(to) + ", c[0x3][R20]");
}

// The clock before each load of a row, behind the last, and when all are there.
SassKernel row_kernel(int sm) {
  Program p(sm);
  p.begin();
  set_address(p);
  p.start_clock();
  p.loop(3, [&] {
    p.idle(400);
    for (int i = 0; i < row; ++i) {
      p.clock_into(22 + i);
      load(p, stall(2).writing(0), 40 + i);
    }
    p.clock_into(22 + row);
    p.op(stall(2).waiting(1), "NOP");
    p.clock_into(23 + row, 15);
  });
  p.end_clock();
  for (int i = 0; i < row + 2; ++i) p.store_result(22 + i, i);
  p.finish();
  return p.kernel("constant_row");
}

// A row as long as any queue: the clock before each, of LDC or of MATCH on values that are the lane modulo b.
constexpr int deep = 32;

SassKernel deep_kernel(int sm, bool match) {
  Program p(sm);
  p.begin();
  set_address(p);
  p.start_clock();
  p.loop(3, [&] {
    p.idle(400);
    for (int i = 0; i < deep; ++i) {
      p.clock_into(23 + i);
      if (match) {
        p.op(stall(2).writing(0), "MATCH.ANY R64, R20");
      } else {
        load(p, stall(2).writing(0), 64);
      }
    }
    p.op(stall(2).waiting(1), "NOP");
    p.clock_into(23 + deep, 15);
  });
  p.end_clock();
  for (int i = 0; i < deep + 1; ++i) p.store_result_of_warp(23 + i, i, deep + 1);
  p.finish();
  return p.kernel(match ? "match_deep" : "constant_deep");
}

// Loads that need not wait for each other.
SassKernel rate_kernel(int sm, int copies) {
  Program p(sm);
  p.begin();
  set_address(p);
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(60);
    p.start_clock();
    for (int i = 0; i < copies; ++i) load(p, stall(2).writing(i % 4), 40 + i % 16);
    p.op(stall(2).waiting(0xf), "NOP");
    p.end_clock();
    p.idle(400);
  });
  p.finish();
  return p.kernel("constant_rate_x" + std::to_string(copies), 0, 1);
}

// Each load waits for the one before it.
SassKernel chain_kernel(int sm, int copies) {
  Program p(sm);
  p.begin();
  set_address(p);
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(60);
    p.start_clock();
    for (int i = 0; i < copies; ++i) load(p, stall(2).waiting(i == 0 ? 0 : 1).writing(0), 40);
    p.op(stall(2).waiting(1), "NOP");
    p.end_clock();
    p.idle(400);
  });
  p.finish();
  return p.kernel("constant_chain_x" + std::to_string(copies), 0, 1);
}

// Warp 0 loads constants in a row; every other warp's loads from shared memory wait for each other meanwhile.
SassKernel behind_kernel(int sm) {
  Program p(sm);
  p.begin();
  set_address(p);
  p.op(stall(15), "ISETP.NE.AND P3, PT, R1, RZ, PT");
  p.only_warps_of_mask();
  p.loop(3, [&] {
    const std::string other = p.fresh_label("OTHER"), done = p.fresh_label("DONE");
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(60);
    p.op(stall(15), "@P3 BRA `(" + other + ")");
    p.start_clock();
    for (int i = 0; i < long_row; ++i) load(p, stall(2).writing(i % 4), 40 + i % 16);
    p.op(stall(2).waiting(0xf), "NOP");
    p.end_clock();
    p.op(stall(15), "BRA `(" + done + ")");
    p.label(other);
    p.idle(60);
    p.start_clock();
    for (int i = 0; i < chain; ++i) p.op(stall(2).waiting(i == 0 ? 0 : 1).writing(0), "LDS R40, [R36]");
    p.op(stall(2).waiting(1), "NOP");
    p.end_clock();
    p.label(done);
    p.idle(400);
  });
  p.finish();
  return p.kernel("constant_behind", 1024, 1);
}

std::string of(std::uint32_t addresses, std::uint32_t stride) {
  return std::to_string(addresses) + " addresses, " + std::to_string(stride) + " bytes apart";
}

void measure(Bench& bench, Findings& findings) {
  const int sm = bench.facts().sm;
  std::vector<std::uint32_t> table(bank_bytes / 4);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint32_t>(i);
  SassModule module(
      bench,
      {row_kernel(sm), rate_kernel(sm, short_row), rate_kernel(sm, long_row), chain_kernel(sm, 4),
       chain_kernel(sm, chain), behind_kernel(sm), deep_kernel(sm, false), deep_kernel(sm, true)},
      table);
  for (const std::uint32_t addresses : address_counts) {
    for (const std::uint32_t stride : strides) {
      if (addresses == 1 && stride != 4) continue;
      SassArguments arguments;
      arguments.b = addresses - 1;
      arguments.c = stride;
      arguments.results = row + 2;
      const std::string what = of(addresses, stride);
      const SassOutcome issued = module.run("constant_row", arguments);
      for (int i = 0; i < row + 2; ++i) {
        findings.sample("issue of LDC in a row, " + what, "instruction", "cycles", i,
                        issued.results[static_cast<std::size_t>(i)] - issued.results[0]);
      }
      if (stride == 4 || stride == 128) {
        for (const std::uint32_t blocks : {1U, 4U}) {
          arguments.warps = blocks;
          arguments.results = static_cast<std::size_t>(deep + 1) * blocks;
          for (const char* kernel : {"constant_deep", "match_deep"}) {
            const SassOutcome rows = module.run(kernel, arguments);
            for (int i = 0; i < deep + 1; ++i) {
              findings.sample(
                  std::string("issue of ") + (kernel[0] == 'm' ? "MATCH" : "LDC") + " in a long row, " +
                      what + (blocks == 1 ? "" : ", on each of four processing blocks"),
                  "instruction", "cycles", i, rows.results[static_cast<std::size_t>(i)] - rows.results[0]);
            }
          }
        }
        arguments.warps = 1;
      }
      arguments.results = 0;
      const auto span = [&](const std::string& kernel) {
        return span_of(module.run(kernel, arguments).warps);
      };
      for (const std::uint32_t elsewhere : {0U, 2048U}) {
        if (elsewhere != 0 && stride > 132) continue;
        arguments.d = elsewhere;
        const std::string whose = what + (elsewhere == 0 ? ", all warps the same" : ", each warp elsewhere");
        for (const std::uint32_t warps : warp_counts) {
          arguments.warps = warps;
          findings.sample("cycles a LDC, " + whose, "warps", "cycles", warps,
                          (span("constant_rate_x" + std::to_string(long_row)) -
                           span("constant_rate_x" + std::to_string(short_row))) /
                              (long_row - short_row) / warps);
          findings.sample(
              "cycles a LDC that waits for the one before, " + whose, "warps", "cycles", warps,
              (span("constant_chain_x" + std::to_string(chain)) - span("constant_chain_x4")) / (chain - 4));
        }
      }
      arguments.d = 0;
      for (const auto& [where, mask] :
           {std::pair("the same block", 0x11U), std::pair("another block", 0x3U)}) {
        arguments.warps = 5;
        arguments.a = mask;
        const SassOutcome outcome = module.run("constant_behind", arguments);
        findings.sample(std::string("cycles of a LDS of ") + where + " beside LDC of " + what, "addresses",
                        "cycles", addresses, outcome.cycles(mask == 0x11U ? 4 : 1) / chain);
        findings.sample(std::string("cycles of that LDC beside LDS of ") + where + ", " + what, "addresses",
                        "cycles", addresses, outcome.cycles(0) / long_row);
      }
      arguments.a = 0xffffffff;
    }
  }
}

}  // namespace

extern const Probe constant_rows{"constant.rows",
                                 "LDC of many lines: issue, latency, turns, and what stands behind it",
                                 "Jia2018 section 3.4",
                                 70,
                                 measure,
                                 nullptr};

}  // namespace warpgauge::probes
