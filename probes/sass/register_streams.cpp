// Streams of FFMAs with registers drawn at random, by one to four warps of a processing block: the order in which operands
// are read, how far ahead, what a reuse flag saves, and what a warp that waits at the ports costs the others.
#include <cstdint>
#include <string>
#include <vector>

#include "probes/records.h"
#include "probes/sass/instruction_list.h"
#include "probes/sass/run_kernel.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

constexpr int body = 96;
constexpr int accumulators = 16;  // R8 to R23; R40 to R47 are values

// The same numbers on every machine.
class Draws {
 public:
  explicit Draws(std::uint32_t seed) : state_(seed * 2654435761U + 1) {}
  int below(int limit) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<int>((state_ >> 16) % static_cast<std::uint32_t>(limit));
  }

 private:
  std::uint32_t state_;
};

struct Stream {
  std::string name;
  std::vector<std::pair<int, std::string>> instructions;  // stall count and text
};

std::string ffma(int to, int a, int b, int c, bool keep_a = false, bool keep_b = false, bool keep_c = false) {
  const auto source = [](int r, bool keep) { return reg(r) + (keep ? ".reuse" : ""); };
  return "FFMA " + reg(to) + ", " + source(a, keep_a) + ", " + source(b, keep_b) + ", " + source(c, keep_c);
}

// Stall counts of compiled code: mostly one, now and then up to four.
int drawn_stall(Draws& draws) { return draws.below(4) == 0 ? 1 + draws.below(4) : 1; }

enum class Kind { values, kept, tile, pipes };

// stall_count 0: drawn.
Stream drawn_stream(Kind kind, const std::string& name, std::uint32_t seed, int stall_count) {
  Stream stream{name + ", stall " + (stall_count == 0 ? "drawn" : std::to_string(stall_count)), {}};
  Draws draws(seed);
  for (int i = 0; i < body; ++i) {
    const int to = 8 + i % accumulators;
    const int a = 40 + draws.below(8);
    const int b = 40 + draws.below(8);
    const int c = 40 + draws.below(8);
    std::string text;
    switch (kind) {
      case Kind::values:
        text = ffma(to, a, b, c);
        break;
      case Kind::kept: {
        const bool keep_a = draws.below(3) == 0;
        const bool keep_b = draws.below(3) == 0;
        text = ffma(to, a, b, c, keep_a, keep_b, draws.below(3) == 0);
        break;
      }
      case Kind::tile:  // a row of four products keeps its first factor
        text = ffma(to, 40 + i / 4 % 4, 44 + draws.below(4), to, i % 4 != 3);
        break;
      case Kind::pipes:
        text = draws.below(4) == 0
                   ? "LOP3.LUT " + reg(to) + ", " + reg(a) + ", " + reg(b) + ", " + reg(c) + ", 0x96, !PT"
                   : ffma(to, a, b, c);
        break;
    }
    stream.instructions.emplace_back(stall_count == 0 ? drawn_stall(draws) : stall_count, text);
  }
  return stream;
}

// Each adds to what was written `distance` instructions before.
Stream sums(int distance, std::uint32_t seed, int stall_count) {
  Stream stream{"sums " + std::to_string(distance) + " back, draw " + std::to_string(seed) + ", stall " +
                    std::to_string(stall_count),
                {}};
  Draws draws(seed);
  for (int i = 0; i < body; ++i) {
    const int a = 40 + draws.below(8);
    const int b = 40 + draws.below(8);
    stream.instructions.emplace_back(
        stall_count, ffma(8 + i % accumulators, a, b, 8 + (i + accumulators - distance) % accumulators));
  }
  return stream;
}

// The same without conflicts between the other two.
Stream plain_sums(int distance, int stall_count) {
  Stream stream{"plain sums " + std::to_string(distance) + " back, stall " + std::to_string(stall_count), {}};
  for (int i = 0; i < body; ++i)
    stream.instructions.emplace_back(
        stall_count, ffma(8 + i % accumulators, 40, 41, 8 + (i + accumulators - distance) % accumulators));
  return stream;
}

// One instruction again and again: %d is what it writes, %p what was written `distance` instructions before.
struct Row {
  const char* name;
  const char* text;
};
constexpr Row rows[] = {
    {"third source, no conflict", "FFMA %d, R41, R41, %p"},  {"first source, no conflict", "FFMA %d, %p, R41, R41"},
    {"second source, no conflict", "FFMA %d, R41, %p, R41"}, {"third source", "FFMA %d, R40, R41, %p"},
    {"first source", "FFMA %d, %p, R41, R40"},               {"of two sources", "FADD %d, %p, R41"},
    {"IMAD", "IMAD %d, R41, R41, %p"},                       {"LOP3", "LOP3.LUT %d, %p, R41, R41, 0x96, !PT"},
};
constexpr Row apart[] = {
    {"apart, banks 010", "FFMA %d, R40, R41, R42"},
    {"apart, banks 011", "FFMA %d, R40, R41, R43"},
    {"apart, banks 01", "FFMA %d, R40, R41, R40"},
};

Stream row(const Row& row, int distance, int stall_count) {
  Stream stream{std::string(row.name) + ", " + std::to_string(distance) + " back, stall " + std::to_string(stall_count), {}};
  for (int i = 0; i < body; ++i) {
    std::string text = row.text;
    const auto put = [&](const char* what, int number) {
      const std::size_t at = text.find(what);
      if (at != std::string::npos) text.replace(at, 2, reg(number));
    };
    // All in one bank.
    put("%d", 8 + 2 * (i % (accumulators / 2)));
    put("%p", 8 + 2 * ((i + accumulators / 2 - distance) % (accumulators / 2)));
    stream.instructions.emplace_back(stall_count, text);
  }
  return stream;
}

std::vector<Stream> streams() {
  std::vector<Stream> all;
  for (const Row& each : rows) {
    for (const int stall_count : {4, 5, 6, 7, 8}) all.push_back(row(each, 1, stall_count));
    for (const int distance : {2, 3}) all.push_back(row(each, distance, 2));
    for (const int distance : {4, 5, 6, 7}) all.push_back(row(each, distance, 1));
  }
  for (const Row& each : apart) {
    for (const int stall_count : {1, 2, 3, 4, 5, 6}) all.push_back(row(each, 1, stall_count));
  }
  const std::pair<Kind, const char*> kinds[] = {
      {Kind::values, "values"}, {Kind::kept, "kept"}, {Kind::tile, "tile"}, {Kind::pipes, "pipes"}};
  for (const auto& [kind, name] : kinds) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      for (const int stall_count : {1, 2, 0})
        all.push_back(drawn_stream(kind, std::string(name) + ", draw " + std::to_string(seed), seed, stall_count));
    }
  }
  for (const int distance : {4, 5, 6, 8, 12}) {
    for (std::uint32_t seed = 1; seed <= 2; ++seed) {
      for (const int stall_count : {1, 2}) all.push_back(sums(distance, seed, stall_count));
    }
  }
  for (const int distance : {4, 5, 6, 7, 8, 9, 10, 12, 16}) all.push_back(plain_sums(distance, 1));
  for (const int distance : {2, 3, 4, 5}) all.push_back(plain_sums(distance, 2));
  for (const int stall_count : {4, 5, 6, 7, 8}) all.push_back(plain_sums(1, stall_count));
  return all;
}

SassKernel stream_kernel(int sm, const Stream& stream, const std::string& name) {
  Program p(sm);
  p.begin();
  for (int i = 40; i <= 47; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  for (int i = 8; i < 8 + accumulators; ++i) p.op(stall(15), "MOV " + reg(i) + ", 0x3f800000");
  p.only_warps_of_mask();
  p.loop(3, [&] {
    p.op(stall(15), "BAR.SYNC.DEFER_BLOCKING 0x0");
    p.idle(120);
    p.start_clock();
    for (const auto& [stall_count, text] : stream.instructions) p.op(stall(stall_count), text);
    p.end_clock();
    p.idle(60);
  });
  p.finish();
  return p.kernel(name, 0, 1);
}

void measure(Bench& bench, Findings& findings) {
  const auto all = streams();
  std::vector<SassKernel> kernels;
  for (std::size_t i = 0; i < all.size(); ++i)
    kernels.push_back(stream_kernel(bench.facts().sm, all[i], "stream" + std::to_string(i)));
  SassModule module(bench, kernels);
  constexpr std::pair<std::uint32_t, std::uint32_t> masks[] = {{1, 0x1}, {5, 0x11}, {9, 0x111}, {13, 0x1111}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& [warps, mask] : masks) {
      SassArguments arguments;
      arguments.warps = warps;
      arguments.a = mask;
      const SassOutcome outcome = module.run(kernels[i].name, arguments);
      for (std::uint32_t warp = 0; warp < warps; warp += 4) {
        findings.sample(all[i].name + ", warps " + std::to_string(1 + (warps - 1) / 4), "warp", "cycles", warp / 4,
                        outcome.cycles(warp));
      }
    }
  }
}

}  // namespace

extern const Probe register_streams{"registers.streams",
                                    "FFMAs with registers drawn at random, by one to four warps of a processing block",
                                    "Jia2018 figure 3.8",
                                    70,
                                    measure,
                                    nullptr};

}  // namespace warpgauge::probes
