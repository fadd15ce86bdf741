// What accesses to shared memory and streams of global loads leave each other of one SM: some warps do the one and others
// the other, each as often as it can until the same time has passed.
#include <initializer_list>
#include <string>
#include <utility>

#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int in_a_pass = 8;      // accesses of a warp between looks at the clock
constexpr int in_flight = 4;      // of them before the warp waits for the first
constexpr int window = 8000;      // cycles
constexpr int most_warps = 16;    // of one kind
constexpr std::uint64_t near_bytes = 64 * 1024;
constexpr std::uint64_t far_bytes = 1 << 20;  // more than any L1

enum class From { shared, l1, l2, none };

struct Part {
  const char* name;
  From from;
  int width;         // bits a lane
  const char* text;  // empty: a load of global memory of this width. %d is the result
  bool returns = true;
};
constexpr Part on_shared[] = {
    {"LDS", From::shared, 32, "LDS %d, [R36]"},
    {"LDS.64", From::shared, 64, "LDS.64 %d, [R36]"},
    {"LDS.128", From::shared, 128, "LDS.128 %d, [R36]"},
    {"STS", From::shared, 32, "STS [R36], R12", false},
    {"STS.128", From::shared, 128, "STS.128 [R36], R12", false},
    {"SHFL", From::none, 32, "SHFL.IDX PT, %d, R12, RZ, 0x1f"},
};
constexpr Part on_global[] = {
    {"LDG of the L1", From::l1, 32, ""},       {"LDG of the L2", From::l2, 32, ""},
    {"LDG.64 of the L2", From::l2, 64, ""},    {"LDG.128 of the L1", From::l1, 128, ""},
    {"LDG.128 of the L2", From::l2, 128, ""},  {"STG", From::l1, 32, "STG", false},
    {"STG.128", From::l1, 128, "STG", false},
};
// Beside each other as well as beside accesses to shared memory.
constexpr std::pair<int, int> hits_and_misses[] = {{0, 1}, {0, 4}, {3, 1}, {3, 4}};

bool reaches_l2(const Part& part) { return part.from == From::l2; }
int bytes_of_warp(const Part& part) { return 32 * part.width / 8; }

std::string text_of(const Program& program, const Part& part, int index) {
  const int to = 40 + 4 * (index % in_flight);
  const int offset = index * most_warps * bytes_of_warp(part);
  if (part.text[0] == '\0') return program.load_global(part.width, to, 10, offset);
  if (!part.returns && part.from == From::l1) return program.store_global(part.width, 10, 12, offset);
  std::string text = part.text;
  const std::size_t at = text.find("%d");
  if (at != std::string::npos) text.replace(at, 2, reg(to));
  return text;
}

// R26 the warp's number among those of its kind, R27 the lane; R22 and R28 point to what is streamed and to what hits.
// Leaves the passes through the body in R25.
void write_part(Program& program, const Part& part) {
  const std::uint64_t row = static_cast<std::uint64_t>(most_warps * bytes_of_warp(part));
  const std::uint64_t footprint = reaches_l2(part) ? far_bytes : near_bytes;
  const bool global = part.from == From::l1 || part.from == From::l2;
  const std::string lane_bytes = hex(static_cast<std::uint64_t>(part.width / 8));
  program.op(stall(15), "MOV R37, " + lane_bytes);
  program.op(stall(15), "IMAD R36, R27, R37, RZ");
  program.op(stall(15), "MOV R37, " + hex(static_cast<std::uint64_t>(bytes_of_warp(part))));
  program.op(stall(15), "IMAD R36, R26, R37, R36");
  program.op(stall(15), "MOV R38, 0x1");
  program.op(stall(15), "IMAD.WIDE.U32 R8, R36, R38, " + reg(reaches_l2(part) ? 22 : 28));
  program.op(stall(15), "IMAD.WIDE.U32 R10, RZ, R38, R8");
  if (!global) program.op(stall(15), "LOP3.LUT R36, R36, 0x3fff, RZ, 0xc0, !PT");
  const std::string top = program.fresh_label("PASS");
  program.label(top);
  for (int i = 0; i < in_a_pass; ++i) {
    const int counter = i % in_flight;
    Control control = stall(2).waiting(1U << counter);
    control = part.returns ? control.writing(counter) : control.reading(counter);
    if (part.returns && global && i + 1 == in_a_pass) control = control.reading(5);
    program.op(control, text_of(program, part, i));
    if (i == 0) program.op(stall(1), "CS2R.32 R20, SR_CLOCKLO");
    if (i == 1) program.op(stall(1), "IADD3 R25, R25, 0x1, RZ");
    if (i == in_a_pass - 3) program.op(stall(6), "IADD3 R20, R20, -R21, RZ");
    if (i == in_a_pass - 2)
      program.op(stall(1), "ISETP.LT.U32.AND P6, PT, R20, " + hex(window) + ", PT");
  }
  if (global && part.returns) {
    program.op(stall(6), "IADD3 R30, R30, " + hex(in_a_pass * row) + ", RZ");
    program.op(stall(6), "LOP3.LUT R30, R30, " + hex(footprint - 1) + ", RZ, 0xc0, !PT");
    program.op(stall(6).waiting(0x20), "IMAD.WIDE.U32 R10, R30, R38, R8");
  } else {
    program.op(stall(12), "NOP");
  }
  program.op(stall(5), "@P6 BRA `(" + top + ")");
  program.op(stall(5).waiting(0x2f), "NOP");
}

// Loads a sector a lane of `bytes` from R8 on.
void write_loads(Program& program, std::uint64_t bytes) {
  constexpr std::uint64_t sector = 32;
  constexpr std::uint64_t at_once = 2 * most_warps * 32 * sector;
  program.op(stall(15), "MOV R37, " + hex(sector));
  program.op(stall(15), "IMAD.WIDE.U32 R10, R0, R37, R8");
  for (std::uint64_t from = 0; from < bytes; from += at_once) {
    const int counter = static_cast<int>(from / at_once % in_flight);
    program.op(stall(2).writing(counter).waiting(1U << counter),
               program.load_global(32, 40 + counter, 10, static_cast<int>(from)));
  }
  program.op(stall(15).waiting(0xf), "NOP");
}

// Warps 0 to 15 do the one, 16 to 31 the other; parameter a says which of them work.
SassKernel streams_kernel(int sm, const std::string& name, const Part& one, const Part& other) {
  Program program(sm);
  program.begin();
  program.op(stall(15), "MOV R8, " + program.parameter(Parameter::in));
  program.op(stall(15), "MOV R9, " + program.parameter(Parameter::in, 1));
  for (const int r : {12, 13, 14, 15, 25, 30}) program.op(stall(15), "MOV " + reg(r) + ", RZ");
  program.op(stall(15), "LOP3.LUT R26, R1, 0xf, RZ, 0xc0, !PT");
  program.op(stall(15), "LOP3.LUT R27, R0, 0x1f, RZ, 0xc0, !PT");
  program.op(stall(15), "ISETP.GE.U32.AND P4, PT, R1, 0x10, PT");
  program.idle(30);
  // What is streamed comes into the L2, then what is to hit into the L1.
  write_loads(program, far_bytes);
  program.op(stall(15), "MOV R38, 0x1");
  program.op(stall(15), "MOV R37, " + hex(far_bytes));
  program.op(stall(15), "IMAD.WIDE.U32 R28, R37, R38, R8");
  program.op(stall(15), "IMAD.WIDE.U32 R22, RZ, R38, R8");
  program.op(stall(15), "IMAD.WIDE.U32 R8, RZ, R38, R28");
  write_loads(program, near_bytes);
  program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  program.only_warps_of_mask();
  program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
  program.idle(60);
  program.start_clock(15);
  program.op(stall(15), "MOV R21, R4");
  const std::string second = program.fresh_label("OTHER"), done = program.fresh_label("DONE");
  program.op(stall(15), "@P4 BRA `(" + second + ")");
  write_part(program, one);
  program.op(stall(5), "BRA `(" + done + ")");
  program.label(second);
  write_part(program, other);
  program.label(done);
  program.end_clock();
  program.store_result_of_warp(25, 0, 1);
  program.finish();
  SassKernel kernel = program.kernel(name, 16 * 1024, 1);
  kernel.registers = 64;  // for 32 warps
  return kernel;
}

// `first` and `second` warps of the two kinds, spread over the processing blocks.
void run_streams(Findings& findings, SassModule& module, const std::string& kernel, const Part& one, const Part& other,
                 int first, int second, const Buffer& memory) {
  SassArguments arguments;
  arguments.warps = 2 * most_warps;
  arguments.a = ((1U << first) - 1) | ((1U << second) - 1) << most_warps;
  arguments.in = memory.address();
  arguments.results = arguments.warps;
  const SassOutcome outcome = module.run(kernel, arguments);
  const auto rate = [&](int from, int warps) {
    double sum = 0;
    for (int w = from; w < from + warps; ++w) {
      const auto warp = static_cast<std::size_t>(w);
      sum += in_a_pass * static_cast<double>(outcome.results[warp]) / outcome.cycles(warp);
    }
    return sum;
  };
  std::string label = std::to_string(first) + " x " + one.name;
  if (second != 0) label += " beside " + std::to_string(second) + " x " + other.name;
  findings.sample(label, "kind", "accesses a cycle", 0, rate(0, first));
  if (second != 0) findings.sample(label, "kind", "accesses a cycle", 1, rate(most_warps, second));
}

void measure(Bench& bench, Findings& findings) {
  const Buffer memory = bench.allocate(far_bytes + (1 << 20));
  memory.fill(0);
  // `counts`: warps of the one and of the other.
  const auto run = [&](const Part& one, const Part& other, std::initializer_list<std::pair<int, int>> counts) {
    const std::string name = "streams";
    SassModule module(bench, {streams_kernel(bench.facts().sm, name, one, other)});
    for (const auto& [first, second] : counts) run_streams(findings, module, name, one, other, first, second, memory);
  };
  const auto alone = [&](const Part& part) { run(part, part, {{4, 0}, {8, 0}, {16, 0}}); };
  const auto beside = [&](const Part& one, const Part& other) { run(one, other, {{8, 4}, {8, 8}, {8, 16}, {16, 8}}); };
  for (const Part& part : on_shared) alone(part);
  for (const Part& part : on_global) alone(part);
  for (const Part& shared : on_shared) {
    for (const Part& global : on_global) beside(shared, global);
  }
  for (const auto& [one, other] : hits_and_misses) beside(on_global[one], on_global[other]);
}

void conclude(const TargetFacts&, Findings&) {}

}  // namespace

extern const Probe memory_streams{"lsu.streams",
                                  "What accesses to shared memory and loads of global memory leave each other",
                                  "own: two kinds of access by warps of one SM, as often as they can",
                                  70,
                                  measure,
                                  conclude};

}  // namespace warpgauge::probes
