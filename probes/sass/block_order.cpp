// Which block's warps issue first where several blocks share an SM's processing blocks: loops over rows of FFMAs, or of
// instructions that fill a queue or a pipe, and the cycle in which each warp is through.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/sass/blocks_of_sm.h"

namespace warpgauge::probes {
namespace {

struct Row {
  const char* name;
  int chains;  // that the FFMAs of a turn make
  int length;
  const char* text = "";  // not FFMAs but this, which nobody waits for
  int stall = 1;          // of each
  int stride = 4;         // bytes from lane to lane
  int from_sm = 70;
};
constexpr Row rows[] = {{"eight chains", 8, 64}, {"two chains", 2, 32}};
constexpr Row queued[] = {
    {"LDS of eight passes", 0, 16, "LDS R20, [R14]", 1, 32},
    {"LDS", 0, 16, "LDS R20, [R14]"},
    {"ATOMS", 0, 16, "ATOMS.ADD RZ, [R14], R12"},
    {"SHFL", 0, 16, "SHFL.IDX PT, R20, R12, RZ, 0x1f"},
    {"STG", 0, 16, "STG"},
    {"LDC of 32 words", 0, 16, "LDC R20, c[0x0][R14]"},
    {"MUFU", 0, 16, "MUFU.RCP R20, R12"},
    {"POPC", 0, 16, "POPC R20, R12"},
    {"HMMA", 0, 16, "HMMA.16816.F32 R20, R12, R16, RZ", 2, 4, 80},
    {"LOP3", 0, 32, "LOP3.LUT R20, R12, 0x5, R13, 0x96, !PT"},
    {"IMAD", 0, 32, "IMAD R20, R12, 0x5, R13"},
    {"DFMA", 0, 16, "DFMA R20, R16, R18, R16"},
    {"LOP3 and MUFU", 0, 16, "MUFU.RCP R20, R12; LOP3.LUT R24, R12, 0x5, R13, 0x96, !PT"},
    {"FFMA and LDS of eight passes", 0, 16, "FFMA R26, R12, R13, R12; LDS R20, [R14]", 1, 32},
};
constexpr BlocksOfSm sets[] = {{1, 16, 200}, {2, 8, 200}, {4, 4, 200}, {4, 8, 100}, {8, 4, 100}};
constexpr BlocksOfSm queued_sets[] = {{1, 16, 64}, {2, 8, 64}, {4, 4, 64}, {4, 8, 32}, {8, 4, 32}};

// Part of what the machine code is known by, with its bytes.
const char* kernel_name(const Row& row) { return row.chains == 0 ? "row" : row.chains == 8 ? "eight" : "two"; }

SassKernel order_kernel(int sm, const Row& row) {
  Program p(sm);
  const std::string top = p.fresh_label("TURN");
  begin_on_blocks_of_sm(p);
  for (const int factor : {12, 13}) p.op(stall(15), "MOV " + reg(factor) + ", 0x3f800347");
  for (int i = 0; i < row.chains; ++i) p.op(stall(6), "MOV " + reg(20 + i) + ", R0");
  if (row.chains == 0) {
    for (const int source : {12, 13, 16, 17, 18, 19}) p.op(stall(15), "MOV " + reg(source) + ", RZ");
    p.op(stall(15), "MOV R10, " + hex(static_cast<std::uint64_t>(row.stride)));
    p.op(stall(15), "LOP3.LUT R14, R0, 0x1f, RZ, 0xc0, !PT");
    p.op(stall(15), "IMAD R14, R14, R10, RZ");
    // A lane's word of what lies behind the records.
    p.op(stall(15), "IMAD R34, R0, 0x4, RZ");
    p.op(stall(15), "IADD3 R34, R34, " + p.parameter(Parameter::d) + ", RZ");
    p.op(stall(15), "MOV R36, " + p.parameter(Parameter::in));
    p.op(stall(15), "MOV R37, " + p.parameter(Parameter::in, 1));
    p.op(stall(15), "IMAD.WIDE.U32 R34, R34, 0x1, R36");
  }
  p.op(stall(15), "MOV R30, RZ");
  start_clock_together(p);
  p.label(top);
  p.op(stall(1), "IADD3 R30, R30, 0x1, RZ");
  for (int i = 0; i < row.length; ++i) {
    for (std::string_view left = row.text; !left.empty();) {
      const std::string_view one = left.substr(0, left.find(';'));
      left.remove_prefix(std::min(left.size(), one.size() + 2));
      p.op(stall(row.stall), one == "STG" ? p.store_global(32, 34, 12) : std::string(one));
    }
    if (row.chains != 0) {
      // The factor is in the other bank.
      const int chain = 20 + i % row.chains;
      p.op(stall(std::max(1, 4 / row.chains)), "FFMA " + reg(chain) + ", " + reg(chain) + ", " + reg(13 - chain % 2) + ", 0.5");
    }
    if (i == 8) p.op(stall(1), "ISETP.LT.U32.AND P4, PT, R30, R11, PT");
  }
  p.op(stall(5), "@P4 BRA `(" + top + ")");
  p.end_clock();
  p.finish();
  SassKernel kernel = p.kernel(kernel_name(row), 1024, 1);
  kernel.registers = 40;  // so that 32 warps fit
  return kernel;
}

std::string what(const Row& row) { return std::string(row.name) + ", blocks: "; }

bool fits(const TargetFacts& facts, const BlocksOfSm& set) { return set.blocks * set.warps <= 32 || facts.sm != 75; }

void measure_rows(Bench& bench, Findings& findings, std::span<const Row> asked_rows, std::span<const BlocksOfSm> asked_sets) {
  const TargetFacts& facts = bench.facts();
  for (const Row& row : asked_rows) {
    if (facts.sm < row.from_sm) continue;
    SassModule module(bench, {order_kernel(facts.sm, row)});
    for (const BlocksOfSm& set : asked_sets) {
      if (fits(facts, set)) sample_ends(bench, findings, module, kernel_name(row), set, 1024, what(row));
    }
  }
}

void measure(Bench& bench, Findings& findings) { measure_rows(bench, findings, rows, sets); }
void measure_queued(Bench& bench, Findings& findings) { measure_rows(bench, findings, queued, queued_sets); }

// Of four blocks with two warps each on a processing block.
void conclude(const TargetFacts& facts, Findings& findings) {
  const BlocksOfSm& set = sets[3];
  if (!fits(facts, set)) return;
  const auto last_end = [&](std::uint32_t block) {
    const calib::Series& ends = findings.at(end_label(what(rows[0]), set, block));
    return *std::max_element(ends.y.begin(), ends.y.end());
  };
  const double oldest = last_end(0), youngest = last_end(set.blocks - 1);
  if (std::min(oldest, youngest) > 0.8 * std::max(oldest, youngest))
    throw ProbeRefusal("the first block and the last are through at the same time");
  findings.result.figures.push_back({"issue.block_priority", std::string(oldest < youngest ? "oldest_first" : "youngest_first"),
                                     calib::Unit::choice, 0, set.blocks * set.warps, end_label(what(rows[0]), set, 0)});
}

}  // namespace

extern const Probe issue_blocks{"issue.blocks",
                                "Which of an SM's blocks issues first",
                                "own: blocks that share the processing blocks",
                                70,
                                measure,
                                conclude};

extern const Probe issue_block_queues{"issue.block_queues",
                                      "Which of an SM's blocks a full queue or pipe serves first",
                                      "own: blocks that share the processing blocks and their queues",
                                      70,
                                      measure_queued,
                                      [](const TargetFacts&, Findings&) {}};

}  // namespace warpgauge::probes
