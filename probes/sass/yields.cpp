// Who issues when warps of a processing block give way by the yield flag: rows of instructions with chosen
// stall counts and flags, of which some read the clock; and loops over such rows.
#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <vector>

#include "probes/sass/blocks_of_sm.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

// A row is written as words: the instruction's letter (t the clock, f FFMA, i IMAD, l LOP3, m MUFU, s LDS, c
// LDC of 32 words, h HMMA, n NOP, a and p a loop's count and comparison), its stall count, then
//   y      the yield flag          w0…5  the counter that its result holds
//   b0…5   waits for that counter
// and *n behind a word or a group in brackets repeats it.
struct Step {
  char kind = 'f';
  Control control;
};

struct Row {
  const char* text;
  const char* other = "";  // the row of every second warp, where it differs
};
constexpr Row rows[] = {
    // Clocks alone: who issues in every cycle in which one can, stall by stall, with all flags, some and
    // none.
    {"t1*30"},
    {"t2*30"},
    {"t4*30"},
    {"t6*30"},
    {"t1y*30"},
    {"t3y*30"},
    {"t4y*30"},
    {"t5y*30"},
    {"t6y*30"},
    {"t8y*30"},
    {"t10y*30"},
    {"(t2 t2y)*15"},
    {"(t4 t4y)*15"},
    {"(t2 t2 t2y)*10"},
    {"(t4 t4 t4y)*10"},
    {"(t6 t6 t6y)*10"},
    {"t2*10 t2y t2*19"},
    {"t2*10 t8y t2*19"},
    {"t2*10 t4 t2*19"},
    {"t2*8 t2y t2*8 t2y t2*12"},
    {"t2y*10 t2 t2y*19"},
    // Among others.
    {"(t1y f1y)*30"},
    {"(t1y f1y f1y)*20"},
    {"(t3y f3y f3y)*20"},
    {"(t1y f1y f1y f1y f1y)*15"},
    {"(t1 f1 f1 f4y)*15"},
    {"(t2 f6y f2 f1)*15"},
    {"(t2 l2 l1 l4y)*15"},
    {"(t1y i1y i1y i1y)*15"},
    {"(t2 i1 i4y l4y)*15"},
    // What waits for a counter.
    {"t2y*6 m2w0 t2yb0 t2y*10 m2yw0 t2yb0 t2y*10"},
    {"t2*6 m2w0 t2yb0 t2*10 m2w0 t2y t2b0 t2*10"},
    {"t2*6 m2w0 t2b0 t2*10 m2w0 t2 t2b0 t2*10"},
    {"t2y*6 s2w0 t2yb0 t2y*10 s2w0 t2y t2yb0 t2y*10"},
    {"t2*6 s2w0 t2yb0 t2*10 s2w0 t2y t2b0 t2*10"},
    {"t2*6 s2w0 t2b0 t2*10 s2w0 t2 t2b0 t2*10"},
    {"(m2w0 f1 t4y f1 f2b0 t4y)*10"},
    {"(s2w0 f1 t1 f4y f1b0 t4y)*10"},
    {"(h1 l4y t4y l2y)*10"},
    {"(h2 h4 t1 i4y)*10"},
    // Warps with the flag beside others.
    {"t2*30", "t2y*30"},
    {"t4*30", "t4y*30"},
    {"t2*30", "t8y*30"},
    {"t2y*30", "(m2w0 t4y t1b0)*10"},
};
constexpr int random_rows = 16;
constexpr int most_stamps = 30;
constexpr int first_stamp = 24;  // the register of the first

// Bodies of loops, whose branch comes behind them.
constexpr Row loops[] = {
    {"f1*12 a5 p11 n2"},
    {"f2*12 a5 p11 n2"},
    {"f2*12 a5y p13y"},
    {"f2y*12 a5y p13y"},
    {"(f1 f1 f1 f4y)*3 a5y p13y"},
    {"f4y*12 a5y p13y"},
    {"f2*64 a5 p11 n2"},
    {"f2*64 a5 p13y"},
    {"a1 l1 l2 i1 l1 l1 p1 i4y i4y i5y l2 l1"},
    {"l2 a2 l1 l1 l1 l1 l2 l2y l2 c1w0 l7y c8w1 c8w2 c1w3 i2yb0 i5y p1 i4yb1 i4yb2 i4yb3"},
    {"l2 a2 l1 l1 l1 l1 l2 l2 l2 c1w0 l7 c8w1 c8w2 c1w3 i2b0 i5 p1 i4b1 i4b2 i4b3"},
    {"l2 a2 s1w0 s1w1 l1 l1 p4y i1b0 i4y f1b1 f4y f4y f1 n2"},
    {"l1 a1 l2 l1 l2 l2 l2 l2y l2 l2 l1 i1 l2 l1 l1 i1 l1 i2 l2 i2y i2 i2 i2 l1 i1 p2 i1 l1 l1 s4 s8"},
    {"f2 m1w0 l1 a6y f4yb0 f1 f3y f2 l2 p4y f1 f8"},
    {"s1w0 s4w1 a1 h2b0 h4b1 i1 p2 h2 h4 l4y i4y"},
};
// Loops by several blocks of an SM: whether the older block goes before those who have not yielded.
constexpr const char* loops_of_blocks[] = {
    "f2*64 a5 p13",
    "f2*64 a5y p13y",
    "f2y*64 a5y p13y",
    "f4y*32 a5y p13y",
    "(f1 f1 f1 f4y)*16 a5y p13y",
    "(f2 f4y)*16 a5y p13y",
    "a1 l1 l2 i1 l1 l1 p1 i4y i4y i5y l2 l1",
    "(l1 l2 l2y l4y i1 l2)*4 a2 p2 i4y i5y l4y l1",
    "f2 m1w0 l1 a6y f4yb0 f1 f3y f2 l2 p4y f1 f8",
    "l2 a2 s1w0 s1w1 l1 l1 p4y i1b0 i4y f1b1 f4y f4y f1 n2",
    "l2 a2 l1 l1 l1 l1 l2 l2y l2 c1w0 l7y c8w1 c8w2 c1w3 i2yb0 i5y p1 i4yb1 i4yb2 i4yb3",
    "l2 a2 l1 l1 l1 l1 l2 l2 l2 c1w0 l7 c8w1 c8w2 c1w3 i2b0 i5 p1 i4b1 i4b2 i4b3",
};
constexpr BlocksOfSm block_sets[] = {{1, 8, 16}, {1, 16, 16}, {2, 4, 16}, {2, 8, 16}, {4, 4, 16}, {4, 8, 12}};
constexpr const char* turns_row = "t1y*30";
constexpr int few_turns = 6, many_turns = 16;

struct Set {
  std::uint32_t mask;
  const char* name;
};
constexpr Set sets[] = {{0x11, "2 warps"}, {0x111, "3 warps"}, {0x1111, "4 warps"}, {0x111111, "6 warps"}};
constexpr std::uint32_t most_warps = 24;

std::vector<Step> steps_of(const std::string& text, std::size_t& at) {
  std::vector<Step> steps;
  const auto number = [&] {
    int value = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0)
      value = 10 * value + (text[at++] - '0');
    return value;
  };
  while (at < text.size() && text[at] != ')') {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    std::vector<Step> part;
    if (text[at] == '(') {
      part = steps_of(text, ++at);
      ++at;
    } else {
      Step step;
      step.kind = text[at++];
      step.control = stall(number());
      step.control.yield = false;
      for (; at < text.size() && (text[at] == 'y' || text[at] == 'w' || text[at] == 'b');) {
        const char what = text[at++];
        if (what == 'y') step.control.yield = true;
        if (what == 'w') step.control = step.control.writing(number());
        if (what == 'b') step.control = step.control.waiting(1U << number());
      }
      part = {step};
    }
    int times = 1;
    if (at < text.size() && text[at] == '*') {
      ++at;
      times = number();
    }
    for (int n = 0; n < times; ++n) steps.insert(steps.end(), part.begin(), part.end());
  }
  return steps;
}

std::vector<Step> steps_of(const std::string& text) {
  std::size_t at = 0;
  return steps_of(text, at);
}

// Rows as a compiler might write them: what has a counter never gives way, and what takes long often does.
std::string random_row(int index) {
  std::mt19937 random(7000U + static_cast<unsigned>(index));
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  std::string text;
  int pending = 0;  // whether a counter was taken and not yet waited for
  int stamps = 0;
  while (stamps < most_stamps) {
    const char* kinds[] = {"tttttttt", "ttffffiill", "ttffffllms", "tffffffffi"};
    const std::string_view of = kinds[index % 4];
    const char kind = of[static_cast<std::size_t>(below(static_cast<unsigned>(of.size())))];
    text += kind;
    if (kind == 't') ++stamps;
    if (kind == 'm' || kind == 's') {
      text += std::to_string(2 + below(3)) + "w" + std::to_string(below(2));
      pending = 1;
    } else {
      constexpr int counts[] = {1, 1, 1, 2, 2, 2, 3, 4, 4, 5, 6};
      const int count = counts[below(11)];
      text += std::to_string(count);
      if (count > 2 ? below(6) != 0 : count == 2 ? below(3) == 0 : below(12) == 0) text += "y";
      if (pending != 0 && below(3) == 0) {
        text += "b0b1";
        pending = 0;
      }
    }
    text += ' ';
  }
  return text;
}

std::string text_of(char kind, const std::string& to, int stamp) {
  switch (kind) {
    case 't': return "CS2R.32 " + reg(first_stamp + stamp) + ", SR_CLOCKLO";
    case 'f': return "FFMA " + to + ", R12, R13, R12";
    case 'i': return "IMAD " + to + ", R12, 0x5, R13";
    case 'l': return "LOP3.LUT " + to + ", R12, 0x5, R13, 0x96, !PT";
    case 'm': return "MUFU.RCP " + to + ", R12";
    case 's': return "LDS " + to + ", [R10]";
    case 'c': return "LDC " + to + ", c[0x3][R11]";
    case 'h': return "HMMA.16816.F32 " + reg(64) + ", R12, R16, RZ";
    case 'a': return "IADD3 R60, R60, 0x1, RZ";
    case 'p': return "ISETP.LT.U32.AND P4, PT, R60, R61, PT";
    default: return "NOP";
  }
}

void write_steps(Program& p, const std::vector<Step>& steps) {
  int stamps = 0, index = 0;
  for (const Step& step : steps) {
    p.op(step.control, text_of(step.kind, reg(20 + index++ % 4), stamps));
    if (step.kind == 't') ++stamps;
  }
}

// The operands of all steps, and each lane's own word of shared memory and of a table in constants.
void set_operands_of_steps(Program& p) {
  set_operands(p);
  p.op(stall(15), "LOP3.LUT R11, R0, 0x1f, RZ, 0xc0, !PT");
  p.op(stall(15), "SHF.L.U32 R10, R11, 0x2, RZ");
  p.op(stall(15), "SHF.L.U32 R11, R11, 0x2, RZ");
}

// Passes over a row: a barrier, some idle cycles, the clock, the row, the clock.
void write_passes(Program& p, const std::vector<Step>& steps, int turns) {
  p.loop(3, [&] {
    p.op(stall(15), "MOV R60, RZ");
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(60);
    p.start_clock();
    const std::string top = p.fresh_label("TURN");
    p.label(top);
    write_steps(p, steps);
    if (turns > 0) p.op(stall(5), "@P4 BRA `(" + top + ")");
    p.op(stall(2).waiting(0x3f), "CS2R R6, SR_CLOCKLO");
    // What comes behind it waits for the barrier and takes no issue slot from the others.
    p.op(stall(1), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.op(stall(15), "NOP");
  });
}

// Warps of parameter b have the other row.
SassKernel yields_kernel(int sm, const std::string& name, const Row& row, int turns) {
  Program p(sm);
  p.begin();
  set_operands_of_steps(p);
  p.op(stall(15), "MOV R61, " + hex(static_cast<std::uint64_t>(turns)));
  for (int i = 0; i < most_stamps; ++i) p.op(stall(5), "MOV " + reg(first_stamp + i) + ", RZ");
  p.only_warps_of_mask();
  if (row.other[0] == '\0') {
    write_passes(p, steps_of(row.text), turns);
  } else {
    const std::string other = p.fresh_label("OTHER"), done = p.fresh_label("DONE");
    p.op(stall(15), "MOV R4, " + p.parameter(Parameter::b));
    p.op(stall(15), "SHF.R.U32.HI R4, RZ, R1, R4");
    p.op(stall(15), "LOP3.LUT R4, R4, 0x1, RZ, 0xc0, !PT");
    p.op(stall(15), "ISETP.NE.U32.AND P2, PT, R4, RZ, PT");
    p.op(stall(15), "@P2 BRA `(" + other + ")");
    write_passes(p, steps_of(row.text), turns);
    p.op(stall(15), "BRA `(" + done + ")");
    p.label(other);
    write_passes(p, steps_of(row.other), turns);
    p.label(done);
  }
  if (turns == 0) {
    for (int i = 0; i < most_stamps; ++i) p.store_result_of_warp(first_stamp + i, i, most_stamps);
  }
  p.finish();
  return p.kernel(name, 4096, 1);
}

SassKernel yielding_blocks_kernel(int sm, const std::string& name, const std::vector<Step>& steps) {
  Program p(sm);
  begin_on_blocks_of_sm(p);
  p.op(stall(15), "MOV R61, R11");
  p.op(stall(15), "MOV R60, RZ");
  set_operands_of_steps(p);
  for (int i = 20; i < 24; ++i) p.op(stall(15), "MOV " + reg(i) + ", R0");
  start_clock_together(p);
  const std::string top = p.fresh_label("TURN");
  p.label(top);
  write_steps(p, steps);
  p.op(stall(5), "@P4 BRA `(" + top + ")");
  p.op(stall(2).waiting(0x3f), "CS2R R6, SR_CLOCKLO");
  p.finish();
  SassKernel kernel = p.kernel(name, 4096, 1);
  kernel.registers = 64;  // so that 32 warps fit
  return kernel;
}

std::uint32_t every_second(std::uint32_t mask) {
  return mask & 0x01010101U;
}

// From the first clock of all warps of the set.
std::uint64_t begin_of(const std::vector<WarpRecord>& warps, std::uint32_t mask) {
  std::uint64_t begin = ~std::uint64_t{0};
  for (std::uint32_t w = 0; w < most_warps; ++w) {
    if ((mask >> w & 1U) != 0) begin = std::min(begin, warps[w].start);
  }
  return begin;
}

void measure_row(Bench& bench, Findings& findings, const Row& row, const std::string& name) {
  SassModule module(bench, {yields_kernel(bench.facts().sm, "row", row, 0)}, std::vector<std::uint32_t>(64));
  const auto stamps_of = [](const char* text) {
    int stamps = 0;
    for (const Step& step : steps_of(text)) stamps += step.kind == 't' ? 1 : 0;
    return stamps;
  };
  for (const Set& set : sets) {
    const std::string what = name + ", " + set.name;
    SassArguments arguments;
    arguments.warps = most_warps;
    arguments.a = set.mask;
    arguments.b = row.other[0] == '\0' ? 0 : every_second(set.mask);
    arguments.results = std::size_t{most_warps} * most_stamps;
    const SassOutcome outcome = module.run("row", arguments);
    const std::uint64_t begin = begin_of(outcome.warps, set.mask);
    const auto since = [&](std::uint64_t at) { return static_cast<double>(at - begin); };
    for (std::uint32_t w = 0; w < most_warps; ++w) {
      if ((set.mask >> w & 1U) == 0) continue;
      const int stamps = stamps_of((arguments.b >> w & 1U) != 0 ? row.other : row.text);
      const std::string label = what + ", warp " + std::to_string(w);
      findings.sample(label, "stamp", "cycles", 0, since(outcome.warps[w].start));
      for (int i = 0; i < stamps; ++i) {
        findings.sample(label, "stamp", "cycles", i + 1,
                        outcome.results[std::size_t{w} * most_stamps + static_cast<std::size_t>(i)] -
                            static_cast<std::uint32_t>(begin));
      }
      findings.sample(label, "stamp", "cycles", stamps + 1, since(outcome.warps[w].end));
    }
  }
}

void measure_loop(Bench& bench, Findings& findings, const Row& row) {
  SassModule module(bench,
                    {yields_kernel(bench.facts().sm, "few", row, few_turns),
                     yields_kernel(bench.facts().sm, "many", row, many_turns)},
                    std::vector<std::uint32_t>(64));
  for (const Set& set : sets) {
    for (const int turns : {few_turns, many_turns}) {
      SassArguments arguments;
      arguments.warps = most_warps;
      arguments.a = set.mask;
      arguments.b = 0;
      const SassOutcome outcome = module.run(turns == few_turns ? "few" : "many", arguments);
      const std::uint64_t begin = begin_of(outcome.warps, set.mask);
      for (std::uint32_t w = 0; w < most_warps; ++w) {
        if ((set.mask >> w & 1U) == 0) continue;
        findings.sample(
            "loop of " + std::string(row.text) + ", " + set.name + ", " + std::to_string(turns) + " turns",
            "warp", "cycles", w, static_cast<double>(outcome.warps[w].end - begin));
      }
    }
  }
}

void measure_blocks(Bench& bench, Findings& findings, const std::string& text) {
  SassModule module(bench, {yielding_blocks_kernel(bench.facts().sm, "row", steps_of(text))}, std::vector<std::uint32_t>(64));
  for (const BlocksOfSm& set : block_sets)
    sample_ends(bench, findings, module, "row", set, 4096, "blocks with loops of " + text + ", ");
}

void measure(Bench& bench, Findings& findings) {
  const bool tensor = bench.facts().sm >= 80;
  const auto possible = [&](const Row& row) {
    return tensor || std::string_view(row.text).find('h') == std::string_view::npos;
  };
  for (const Row& row : rows) {
    const std::string other = row.other[0] == '\0' ? "" : std::string(" beside ") + row.other;
    if (possible(row)) measure_row(bench, findings, row, row.text + other);
  }
  for (int i = 0; i < random_rows; ++i) {
    const std::string text = random_row(i);
    measure_row(bench, findings, {text.c_str()}, "random row " + std::to_string(i));
  }
  for (const Row& row : loops) {
    if (possible(row)) measure_loop(bench, findings, row);
  }
  for (const char* text : loops_of_blocks) measure_blocks(bench, findings, text);
}

// How many instructions a warp issues before another goes on, where all have the flag and can always issue:
// the median. That they take turns at all was asked of Hopper alone.
void conclude(const TargetFacts& facts, Findings& findings) {
  if (facts.sm < 90) return;
  std::vector<std::pair<double, std::uint32_t>> issues;
  const std::string row = std::string(turns_row) + ", 4 warps, warp ";
  for (std::uint32_t w = 0; w < 16; w += 4) {
    for (const double at : findings.at(row + std::to_string(w)).y) issues.emplace_back(at, w);
  }
  std::sort(issues.begin(), issues.end());
  std::vector<double> lengths;
  double length = 0;
  for (std::size_t i = 0; i < issues.size(); ++i) {
    ++length;
    if (i + 1 < issues.size() && issues[i + 1].second == issues[i].second) continue;
    lengths.push_back(length);
    length = 0;
  }
  findings.figure("issue.yield_turn", calib::median(lengths), calib::Unit::count, 0, lengths.size(),
                  row + "0");
}

}  // namespace

extern const Probe issue_yields{"issue.yields",
                                "Which warp issues when warps of a processing block have the yield flag",
                                "Huerta et al. 2025, section 4",
                                70,
                                measure,
                                conclude};

}  // namespace warpgauge::probes
