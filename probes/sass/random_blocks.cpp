// Straight-line truth: random but valid blocks of code, timed. Registers, pipes, banks, reuse flags, stall
// counts and dependence counters are drawn by chance such that every dependence is kept, as a compiler keeps
// it; what is timed depends on every rule of the SM at once. The same blocks run on every target, so that a
// model is judged by them.
#include <array>
#include <random>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int blocks_of_code = 200;
constexpr int counters = 6;
constexpr std::array<std::uint32_t, 5> warp_counts = {1, 2, 4, 8, 16};

enum class Class { alu, fma, fp16, fp64, variable, shared, global };

struct Shape {
  const char* text;  // %d result, %a %b %c sources, %q predicate result, %p predicate source
  Class kind;
  int results = 1;  // registers; 0: a predicate or nothing
  int width = 1;    // registers of each source
  bool takes_reuse = true;
  int weight = 1;
  int from_sm = 70;
};

// Data registers: R20 to R35 and R40 to R55; R36 and R37 hold shared addresses, R8 and R9 a global one.
constexpr Shape shapes[] = {
    {"FFMA %d, %a, %b, %c", Class::fma, 1, 1, true, 6},
    {"FADD %d, %a, %b", Class::fma, 1, 1, true, 3},
    {"FMUL %d, %a, %b", Class::fma, 1, 1, true, 3},
    {"IMAD %d, %a, %b, %c", Class::fma, 1, 1, true, 3},
    {"IMAD.MOV.U32 %d, RZ, RZ, %a", Class::fma, 1, 1, false, 2},
    {"IADD3 %d, %a, %b, %c", Class::alu, 1, 1, true, 4},
    {"LOP3.LUT %d, %a, %b, %c, 0x96, !PT", Class::alu, 1, 1, true, 3},
    {"SHF.L.W.U32.HI %d, %a, 0x5, %b", Class::alu, 1, 1, false, 2},
    {"PRMT %d, %a, 0x3210, %b", Class::alu, 1, 1, false, 1},
    {"MOV %d, %a", Class::alu, 1, 1, false, 1},
    {"FMNMX %d, %a, %b, PT", Class::alu, 1, 1, true, 1},
    {"SEL %d, %a, %b, %p", Class::alu, 1, 1, true, 1},
    {"ISETP.LT.AND %q, PT, %a, %b, PT", Class::alu, 0, 1, true, 2},
    {"FSETP.LT.AND %q, PT, %a, %b, PT", Class::alu, 0, 1, true, 1},
    {"HFMA2 %d, %a, %b, %c", Class::fp16, 1, 1, true, 2},
    {"HADD2 %d, %a, %b", Class::fp16, 1, 1, true, 1},
    {"DFMA %d, %a, %b, %c", Class::fp64, 2, 2, true, 1},
    {"DADD %d, %a, %b", Class::fp64, 2, 2, false, 1},
    {"MUFU.EX2 %d, %a", Class::variable, 1, 1, false, 2},
    {"POPC %d, %a", Class::variable, 1, 1, false, 1},
    {"F2I.TRUNC.NTZ %d, %a", Class::variable, 1, 1, false, 1},
    {"SHFL.IDX PT, %d, %a, RZ, 0x1f", Class::shared, 1, 1, false, 1},
    {"LDS %d, [R36]", Class::shared, 1, 0, false, 2},
    {"LDS.64 %d, [R37]", Class::shared, 2, 0, false, 1},
    {"STS [R36], %a", Class::shared, 0, 1, false, 1},
    {"LDG %d", Class::global, 1, 0, false, 1},
};

struct Value {
  int ready = 0;     // cycle in which every consumer may issue
  int counter = -1;  // that its producer holds until it is written
  int reader = -1;   // counter that a reader holds until it has read it
};

// Least distance to any consumer: the longest that the H200, T4 or V100 needs.
int distance(Class kind, int sm) {
  const int extra = sm == 75 ? 2 : 1;
  return kind == Class::fp64 ? 10 + extra : 6 + extra;
}
constexpr int predicate_distance = 15;

class Writer {
 public:
  Writer(int sm, unsigned seed) : sm_(sm), random_(seed) {}

  // The block's text; what waits at its end is waited for by the last NOP.
  void write(Program& program, int length) {
    struct Line {
      Control control;
      std::string text;
    };
    std::vector<Line> lines;
    int now = 0;
    for (int i = 0; i < length; ++i) {
      const Shape& shape = draw();
      std::string text = shape.text;
      Control control;
      int earliest = now;
      std::vector<int> read;
      const auto use = [&](int r) {
        const Value& value = values_[static_cast<std::size_t>(r)];
        earliest = std::max(earliest, value.ready);
        if (value.counter >= 0) control = control.waiting(1U << value.counter);
      };
      for (const char* place : {"%a", "%b", "%c"}) {
        const std::size_t at = text.find(place);
        if (at == std::string::npos) continue;
        const int r = register_of(shape.width);
        for (int k = 0; k < shape.width; ++k) use(r + k), read.push_back(r + k);
        const bool reuse = shape.takes_reuse && chance(4) && !is_variable(shape.kind);
        text.replace(at, 2, reg(r) + (reuse ? ".reuse" : ""));
      }
      if (const std::size_t at = text.find("%p"); at != std::string::npos) {
        const int p = static_cast<int>(random_() % 3);
        earliest = std::max(earliest, predicates_[static_cast<std::size_t>(p)]);
        text.replace(at, 2, "P" + std::to_string(p));
      }
      int to = -1;
      if (shape.results > 0) {
        to = register_of(shape.results);
        for (int k = 0; k < shape.results; ++k) {
          use(to + k);
          const Value& value = values_[static_cast<std::size_t>(to + k)];
          if (value.reader >= 0) control = control.waiting(1U << value.reader);
        }
        if (text == "LDG %d") {
          text = program.load_global(32, to, 8);
        } else {
          text.replace(text.find("%d"), 2, reg(to));
        }
      }
      int predicate = -1;
      if (const std::size_t at = text.find("%q"); at != std::string::npos) {
        predicate = static_cast<int>(random_() % 3);
        earliest = std::max(earliest, predicates_[static_cast<std::size_t>(predicate)]);
        text.replace(at, 2, "P" + std::to_string(predicate));
      }
      if (chance(12) && predicate < 0) {
        const int p = static_cast<int>(random_() % 3);
        earliest = std::max(earliest, predicates_[static_cast<std::size_t>(p)]);
        text = "@P" + std::to_string(p) + " " + text;
      }
      // The instruction before holds this one back; what its stall count cannot reach, NOPs do.
      while (!lines.empty() && earliest > now) {
        const int more = std::min(earliest - now, 11 - lines.back().control.stall);
        lines.back().control.stall += more;
        now += more;
        if (earliest > now) {
          lines.push_back({stall(1), "NOP"});
          now += 1;
        }
      }
      // Now and then more than is needed, or a yield.
      if (chance(10)) control.stall += static_cast<int>(random_() % 4);
      if (chance(10)) control.yield = true;
      clear(control.wait);
      if (is_variable(shape.kind) || (shape.kind == Class::fp64 && sm_ == 75)) {
        // A counter must be waited for two cycles after it was taken at the earliest.
        control.stall = std::max(control.stall, 2);
        const int counter = static_cast<int>(random_() % counters);
        if (shape.results > 0) {
          control = control.writing(counter);
          for (int k = 0; k < shape.results; ++k)
            values_[static_cast<std::size_t>(to + k)] = {0, counter, -1};
        }
        if (!read.empty() && (shape.kind == Class::shared || shape.kind == Class::variable)) {
          const int reader = static_cast<int>(random_() % counters);
          control = control.reading(reader);
          for (const int r : read) values_[static_cast<std::size_t>(r)].reader = reader;
        }
      } else {
        for (int k = 0; k < shape.results; ++k) {
          values_[static_cast<std::size_t>(to + k)] = {now + distance(shape.kind, sm_), -1, -1};
        }
      }
      if (predicate >= 0) predicates_[static_cast<std::size_t>(predicate)] = now + predicate_distance;
      lines.push_back({control, text});
      now += control.stall;
    }
    for (const Line& line : lines) program.op(line.control, line.text);
    program.op(stall(15).waiting(0x3f), "NOP");
  }

 private:
  static bool is_variable(Class kind) { return kind >= Class::variable; }
  bool chance(unsigned of) { return random_() % of == 0; }
  const Shape& draw() {
    // Each block has its own liking, so that some are of one pipe and others mixed.
    if (liking_.empty()) {
      for (const Shape& shape : shapes) {
        const unsigned like = random_() % 4;
        liking_.push_back(exists(shape.from_sm, 90, sm_)
                              ? static_cast<double>(shape.weight) * (like == 0 ? 0.0 : like)
                              : 0.0);
      }
      liking_[0] += 0.5;
    }
    std::discrete_distribution<std::size_t> pick(liking_.begin(), liking_.end());
    return shapes[pick(random_)];
  }
  int register_of(int width) {
    const int index = static_cast<int>(random_() % 32);
    const int r = index < 16 ? 20 + index : 24 + index;
    return width == 2 ? r & ~1 : r;
  }
  void clear(unsigned wait) {
    for (Value& value : values_) {
      if (value.counter >= 0 && (wait >> value.counter & 1) != 0) value.counter = -1;
      if (value.reader >= 0 && (wait >> value.reader & 1) != 0) value.reader = -1;
    }
  }

  int sm_;
  std::mt19937 random_;
  std::vector<double> liking_;
  std::array<Value, 64> values_{};
  std::array<int, 3> predicates_{};
};

SassKernel block_kernel(int sm, int index) {
  Program program(sm);
  program.begin();
  set_operands(program);
  program.op(stall(15), "MOV R8, " + program.parameter(Parameter::in));
  program.op(stall(15), "MOV R9, " + program.parameter(Parameter::in, 1));
  program.op(stall(15), "MOV R10, 0x4");
  program.op(stall(15), "IMAD.WIDE.U32 R8, R0, R10, R8");
  // Shared addresses with a stride of one, two, four or eight words.
  const int stride = 1 << index % 4;
  program.op(stall(15), "LOP3.LUT R36, R0, 0x1f, RZ, 0xc0, !PT");
  program.op(stall(15), "IMAD R37, R36, " + hex(8) + ", RZ");
  program.op(stall(15), "IMAD R36, R36, " + hex(static_cast<std::uint64_t>(4 * stride)) + ", RZ");
  for (int r = 20; r < 56; ++r) {
    if (r < 36 || r >= 40)
      program.op(stall(5), "MOV " + reg(r) + ", " + hex(0x3f800000U + static_cast<unsigned>(r)));
  }
  for (int p = 0; p < 3; ++p)
    program.op(stall(15),
               "ISETP.NE.AND P" + std::to_string(p) + ", PT, R" + std::to_string(20 + p) + ", RZ, PT");
  program.only_warps_of_mask();
  program.loop(3, [&] {
    program.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    program.idle(60);
    program.start_clock();
    Writer(sm, 1000U + static_cast<unsigned>(index)).write(program, 24 + 8 * (index % 16));
    program.end_clock();
    program.idle(600);
  });
  program.finish();
  return program.kernel("block" + std::to_string(index), 2048, 1);
}

void measure_blocks(Bench& bench, Findings& findings) {
  const Buffer data = bench.allocate(1 << 16);
  data.fill(0);
  for (int first = 0; first < blocks_of_code; first += 50) {
    std::vector<SassKernel> kernels;
    for (int i = first; i < first + 50; ++i) kernels.push_back(block_kernel(bench.facts().sm, i));
    SassModule module(bench, kernels);
    for (int i = first; i < first + 50; ++i) {
      for (const std::uint32_t warps : warp_counts) {
        SassArguments arguments;
        arguments.warps = warps;
        arguments.in = data.address();
        module.run("block" + std::to_string(i), arguments);
        const SassOutcome outcome = module.run("block" + std::to_string(i), arguments);
        findings.sample("cycles of random blocks, " + std::to_string(warps) + " warps", "block", "cycles", i,
                        span_of(outcome.warps));
      }
    }
  }
}

}  // namespace

extern const Probe random_blocks{"blocks.random",
                                 "Cycles of random straight-line code, for judging a model",
                                 "Abel, Reineke, uiCA, ICS 2022: the method",
                                 70,
                                 measure_blocks,
                                 nullptr};

}  // namespace warpgauge::probes
