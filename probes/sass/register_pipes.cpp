// What instructions of all arithmetic pipes, and those that read their registers later, take from each other: results on their
// way, latches, ports, the one write of a cycle. Short rows of code by one warp, clock to clock; random ones are to judge a model by.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "probes/draw.h"
#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

struct Line {
  Control control;
  std::string text;
};
using Row = std::vector<Line>;

// %d the result, %a, %b and %c sources. Registers R20 to R59 hold ones, R60 a shared address.
struct Shape {
  char letter;
  const char* text;
  int sources = 3;
  bool pair = false;  // result and third source are of 64 bits
  int age = 4;        // cycles until its result may be read
};
constexpr Shape shapes[] = {
    {'f', "FFMA %d, %a, %b, %c"},
    {'F', "FADD %d, %a, %b", 2},
    {'c', "FMUL %d, %a, 2", 1},
    {'a', "IADD3 %d, %a, %b, %c"},
    {'A', "IADD3 %d, %a, 0x5, RZ", 1},
    {'b', "LOP3.LUT %d, %a, %b, %c, 0x96, !PT"},
    {'s', "SHF.L.W.U32.HI %d, %a, 0x5, %b", 2},
    {'p', "PRMT %d, %a, 0x3715, %b", 2},
    {'o', "MOV %d, %a", 1},
    {'m', "IMAD.MOV.U32 %d, RZ, RZ, %a", 1},
    {'i', "IMAD %d, %a, %b, %c"},
    {'w', "IMAD.WIDE.U32 %d, %a, %b, %c", 3, true, 6},
    {'g', "IMAD.HI.U32 %d, %a, %b, %c", 3, true, 6},
    {'h', "HFMA2 %d, %a, %b, %c", 3, false, 6},
    {'2', "HADD2 %d, %a, %b", 2, false, 6},
    {'M', "HFMA2.MMA %d, %a, %b, %c", 3, false, 6},
};

const Shape& shape_of(char letter) {
  return *std::find_if(std::begin(shapes), std::end(shapes), [letter](const Shape& s) { return s.letter == letter; });
}

std::string with(std::string text, const std::map<std::string, std::string>& names) {
  for (const auto& [place, name] : names) {
    const std::size_t at = text.find(place);
    if (at != std::string::npos) text.replace(at, place.size(), name);
  }
  return text;
}

// Random code that keeps the distances a compiler keeps, of some kinds of instruction.
Row random_row(const std::string& kinds, bool few_registers, std::uint32_t seed) {
  constexpr int length = 24;
  Draw draws(seed);
  Row row;
  std::map<int, int> ready;
  int now = 0;
  for (int i = 0; i < length; ++i) {
    const Shape& shape = shape_of(kinds[draws.below(static_cast<std::uint32_t>(kinds.size()))]);
    const auto draw = [&] { return 20 + static_cast<int>(draws.below(few_registers ? 16 : 36)); };
    std::array<int, 3> source{draw(), draw(), draw()};
    int to = draw();
    if (shape.pair) source[2] &= ~1;
    const bool two = shape.letter == 'w';
    if (two) to &= ~1;
    std::vector<int> used(source.begin(), source.begin() + shape.sources);
    if (shape.pair) used.push_back(source[2] + 1);
    used.push_back(to);
    if (two) used.push_back(to + 1);
    int earliest = now;
    for (const int r : used) earliest = std::max(earliest, ready[r]);
    for (; earliest > now && !row.empty(); ++now) ++row.back().control.stall;
    ready[to] = now + shape.age;
    if (two) ready[to + 1] = now + shape.age;
    const int count = draws.below(4) != 0 ? 1 : 2 + static_cast<int>(draws.below(3));
    row.push_back({stall(count), with(shape.text, {{"%d", reg(to)}, {"%a", reg(source[0])}, {"%b", reg(source[1])}, {"%c", reg(source[2])}})});
    now += count;
  }
  return row;
}

SassKernel kernel_of(int sm, const std::string& name, const Row& row) {
  Program p(sm);
  p.begin();
  for (int r = 20; r < 60; ++r) p.op(stall(15), "MOV " + reg(r) + ", 0x3f800000");
  p.op(stall(15), "MOV R60, 0x100");
  p.only_warps_of_mask();
  p.loop(3, [&] {
    p.op(stall(15).waiting(0x3f), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(120);
    p.start_clock();
    for (const Line& line : row) p.op(line.control, line.text);
    // The read stages may stand still for the last of them yet.
    p.op(stall(15), "NOP");
    p.end_clock();
    p.idle(60);
  });
  p.finish();
  return p.kernel(name, 1024, 1);
}

class Rows {
 public:
  Rows(Bench& bench, Findings& findings) : bench_(bench), findings_(findings) {}

  void add(const std::string& label, int x, Row row) { rows_.push_back({label, x, std::move(row)}); }

  // Measures all that were added; the cycles of each by its label and x.
  void run() {
    constexpr std::size_t at_once = 100;
    for (std::size_t first = 0; first < rows_.size(); first += at_once) {
      const std::size_t end = std::min(rows_.size(), first + at_once);
      std::vector<SassKernel> kernels;
      for (std::size_t i = first; i < end; ++i) kernels.push_back(kernel_of(bench_.facts().sm, "row" + std::to_string(i), rows_[i].row));
      SassModule module(bench_, kernels);
      for (std::size_t i = first; i < end; ++i) {
        SassArguments arguments;
        arguments.a = 1;
        const double cycles = module.run("row" + std::to_string(i), arguments).cycles(0);
        cycles_[{rows_[i].label, rows_[i].x}] = cycles;
        findings_.sample(rows_[i].label, "place", "cycles", rows_[i].x, cycles);
      }
    }
  }
  [[nodiscard]] double cycles(const std::string& label, int x) const { return cycles_.at({label, x}); }

 private:
  struct Named {
    std::string label;
    int x;
    Row row;
  };
  Bench& bench_;
  Findings& findings_;
  std::vector<Named> rows_;
  std::map<std::pair<std::string, int>, double> cycles_;
};

constexpr std::pair<char, const char*> producers[] = {
    {'F', "FADD %d, R45, 1"}, {'A', "IADD3 %d, R45, 0x1, RZ"}, {'H', "HADD2 %d, R45, R47"}, {'M', "HFMA2.MMA %d, R45, R47, RZ"}};

// Two sources of one bank, or of two, that were written so many and so many cycles before. x: the distances, one digit each.
void add_results_on_their_way(Rows& rows) {
  constexpr std::pair<char, const char*> readers[] = {
      {'F', "FADD R30, R20, %r"}, {'A', "IADD3 R30, R20, %r, RZ"}, {'L', "LOP3.LUT R30, R20, %r, R42, 0x96, !PT"}, {'H', "HADD2 R30, R20, %r"}};
  for (const auto& [first, first_text] : producers) {
    if (first == 'M') continue;
    for (const auto& [second, second_text] : producers) {
      if (second == 'M') continue;
      for (const auto& [reader, text] : readers) {
        for (const std::string other : {"R22", "R23"}) {
          for (int far = 5; far <= 8; ++far) {
            for (int near = 4; near < far; ++near) {
              const std::string label = std::string("on their way: ") + first + ", " + second + " read by " + reader + (other == "R22" ? ", one bank" : ", two banks");
              rows.add(label, 10 * far + near,
                       {{stall(far - near), with(first_text, {{"%d", "R20"}})},
                        {stall(near), with(second_text, {{"%d", other}})},
                        {stall(6), with(text, {{"%r", other}})}});
            }
          }
        }
      }
    }
  }
}

// What issues so many cycles behind an instruction, and one that writes behind both.
void add_pairs(Rows& rows) {
  constexpr std::pair<const char*, const char*> firsts[] = {
      {"HFMA2.MMA", "HFMA2.MMA R30, R41, R42, RZ"}, {"IMAD.WIDE", "IMAD.WIDE.U32 R36, R41, R42, R46"}, {"IMAD.HI", "IMAD.HI.U32 R36, R41, R42, R46"},
      {"DFMA", "DFMA R58, R46, R48, R50"}, {"HFMA2", "HFMA2 R31, R41, R42, RZ"}, {"IMAD", "IMAD R34, R41, R42, RZ"}, {"FFMA", "FFMA R32, R41, R42, RZ"}};
  constexpr std::pair<const char*, const char*> seconds[] = {
      {"FADD", "FADD R52, R54, 1"}, {"FFMA", "FFMA R52, R41, R43, R45"}, {"IADD3", "IADD3 R53, R41, R42, R45"}, {"IMAD", "IMAD R52, R54, 0x3, RZ"},
      {"HFMA2", "HFMA2 R52, R41, R42, R45"}, {"HFMA2.MMA", "HFMA2.MMA R52, R41, R42, R45"}, {"IMAD.WIDE", "IMAD.WIDE.U32 R52, R41, R42, R46"},
      {"ISETP", "ISETP.GE.AND P2, PT, R41, R43, PT"}, {"UIADD3", "UIADD3 UR13, UR14, 0x1, URZ"}, {"UMOV", "UMOV UR10, 0x5"}, {"NOP", "NOP"}, {"DADD", "DADD R56, R46, R48"}};
  for (const auto& [first, first_text] : firsts)
    for (const auto& [second, second_text] : seconds)
      for (int distance = 1; distance <= 4; ++distance)
        rows.add(std::string("behind ") + first + ": " + second, distance, {{stall(distance), first_text}, {stall(1), second_text}, {stall(6), "FADD R20, R22, 1"}});
  for (const std::string text : {"UMOV UR10, 0x5", "UIADD3 UR13, UR14, 0x1, URZ"})
    for (int count = 1; count <= 6; ++count) {
      Row row;
      for (int i = 0; i < count; ++i) row.push_back({stall(1), i % 2 == 0 ? "UMOV UR12, UR11" : text});
      rows.add("UMOV and " + text.substr(0, text.find(' ')) + " in turn", count, row);
    }
}

// Products of 64 bits whose factor was written so many cycles before.
void add_factors(Rows& rows) {
  for (const auto& [letter, text] : producers)
    for (const std::string factor : {"R20", "R21"})
      for (const bool second : {false, true})
        for (const std::string addend : {"RZ", "R42"})
          for (int distance = letter == 'M' ? 6 : 4; distance <= 9; ++distance)
            rows.add(std::string("factor ") + (second ? "b" : "a") + " " + factor + " of " + letter + ", added " + addend, distance,
                     {{stall(distance), with(text, {{"%d", factor}})},
                      {stall(6), "IMAD.WIDE.U32 R30, " + (second ? "R41, " + factor : factor + ", R41") + ", " + addend}});
}

constexpr const char* later_label = "read later by ";
// Additions of one register, or of two of one bank, so many cycles behind an instruction of variable latency. x: ten times
// the cycles, and how many additions.
void add_later_reads(Rows& rows) {
  constexpr std::pair<const char*, const char*> later[] = {
      {"SHFL", "SHFL.BFLY PT, R30, R41, 0x1, 0x1f"}, {"SHFL of two", "SHFL.IDX PT, R30, R41, R42, 0x1f"}, {"MUFU", "MUFU.EX2 R30, R41"}, {"POPC", "POPC R30, R41"},
      {"F2F of 64 bits", "F2F.F32.F64 R30, R46"}, {"LDS", "LDS R30, [R60]"}, {"STS", "STS [R60], R41"}, {"STS.64", "STS.64 [R60], R44"}, {"STS.128", "STS.128 [R60], R44"}};
  constexpr std::pair<const char*, const char*> fills[] = {{"one", "FADD R52, R43, 1"}, {"two", "FFMA R52, R43, R40, R41"}};
  for (const auto& [name, text] : later)
    for (const auto& [fill, fill_text] : fills)
      for (int distance = 1; distance <= 5; ++distance)
        for (const int count : {1, 2, 3, 5}) {
          const Control control = stall(distance);
          Row row{{std::string(name).starts_with("STS") ? control.reading(0) : control.writing(0), text}};
          for (int i = 0; i < count; ++i) row.push_back({stall(1), fill_text});
          rows.add(later_label + std::string(name) + ", " + fill, 10 * distance + count, row);
        }
}

void add_random(Rows& rows) {
  constexpr std::pair<const char*, const char*> sets[] = {{"FP32", "fFc"}, {"integers", "abmsoA"}, {"both", "fFabimospcA"}, {"64 bits", "fawgib"}, {"halves", "Mh2fa"}, {"all", "fFabimospcAwgMh2"}};
  for (const auto& [name, kinds] : sets)
    for (int i = 0; i < 40; ++i) rows.add(std::string("random: ") + name, i, random_row(kinds, i % 2 != 0, static_cast<std::uint32_t>(i + 1)));
}

void measure(Bench& bench, Findings& findings) {
  Rows rows(bench, findings);
  add_results_on_their_way(rows);
  add_pairs(rows);
  add_factors(rows);
  add_later_reads(rows);
  add_random(rows);
  rows.run();

  const std::string on_way = "on their way: F, F read by F, ";
  findings.figure("registers.read_again", rows.cycles(on_way + "one bank", 65) - rows.cycles(on_way + "two banks", 65), calib::Unit::cycles, 0, 1,
                  on_way + "one bank");
  // The distance at which a writer takes longer behind HFMA2.MMA than what writes nothing.
  const std::string behind = "behind HFMA2.MMA: ";
  for (int distance = 1; distance <= 4; ++distance) {
    if (rows.cycles(behind + "FADD", distance) <= rows.cycles(behind + "NOP", distance)) continue;
    findings.figure("registers.late_write", distance, calib::Unit::cycles, 0, 1, behind + "FADD");
    break;
  }
  // Two additions of one slot: the second reads in its last stage, so many cycles behind its issue.
  constexpr int last_stage = 5;
  int first = 0;
  for (const auto& [name, key] : {std::pair{"SHFL", "registers.operand_first"}, std::pair{"F2F of 64 bits", "registers.operand_interval"}}) {
    const std::string label = later_label + std::string(name) + ", one";
    for (int distance = 1; distance <= 5; ++distance) {
      if (rows.cycles(label, 10 * distance + 2) - rows.cycles(label, 10 * distance + 1) < 2) continue;
      const int at = distance + 1 + last_stage;
      findings.figure(key, first == 0 ? at : at - first, calib::Unit::cycles, 0, 1, label);
      first = at;
      break;
    }
  }
}

}  // namespace

extern const Probe register_pipes{"registers.pipes",
                                  "What instructions of all arithmetic pipes take from each other's registers",
                                  "Jia2018 figure 3.8; Huerta et al., MICRO 2025, sections 5.2 and 5.3",
                                  75,
                                  measure,
                                  nullptr};

}  // namespace warpgauge::probes
