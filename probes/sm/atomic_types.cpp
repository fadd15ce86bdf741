// Rates of atomics by type: at one slice of the L2, by how many lanes share a sector or a word, and on shared memory.
#include <algorithm>
#include <array>
#include <string>

#include "probes/bench.h"
#include "probes/probe.h"
#include "probes/records.h"
#include "probes/series.h"

namespace warpgauge::probes {
namespace {

using Offsets = std::array<std::uint32_t, 32>;

struct Type {
  const char* kernel;
  std::uint32_t bytes;
  int from_sm = 70;
};
constexpr std::array global_types = {
    Type{"red_add_u32", 4},  Type{"red_max_s32", 4},   Type{"red_add_u64", 8},   Type{"red_max_u64", 8},
    Type{"red_add_f32", 4},  Type{"red_add_f64", 8},   Type{"red_add_f16x2", 4},  Type{"red_add_bf16x2", 4, 90}, Type{"atom_add_u32", 4},
    Type{"atom_add_f32", 4}, Type{"atom_add_f64", 8},  Type{"atom_exch_b32", 4},  Type{"atom_exch_b64", 8}, Type{"atom_cas_b32", 4},
    Type{"atom_cas_b64", 8}};
constexpr std::array shared_types = {
    Type{"shared_add_u32", 4},  Type{"shared_max_s32", 4},  Type{"shared_or_b32", 4},  Type{"shared_exch_b32", 4}, Type{"shared_cas_b32", 4},
    Type{"shared_add_u64", 8},  Type{"shared_exch_b64", 8}, Type{"shared_cas_b64", 8}, Type{"shared_add_f32", 4},  Type{"shared_add_f64", 8}};

std::string sector_label(const Type& type) {
  return std::string("lanes on words of one sector, ") + type.kernel;
}
std::string word_label(const Type& type) {
  return std::string("lanes on one word, ") + type.kernel;
}
std::string line_label(const Type& type) {
  return std::string("words of one line for 32 lanes, ") + type.kernel;
}
std::string alone_label(const Type& type) {
  return std::string("lanes of one SM's warps on lines of their own, ") + type.kernel;
}
std::string shared_label(const Type& type) {
  return std::string("words for 32 lanes, ") + type.kernel;
}

class Flood {
 public:
  explicit Flood(Bench& bench)
      : bench_(bench), memory_(bench.allocate(1 << 20)), list_(bench.allocate(128)), out_(bench.allocate(1 << 16)) {
    memory_.fill(0);
  }

  // Cycles an instruction of all blocks together.
  double operator()(const Type& type, const Offsets& offsets, std::uint32_t lanes, std::uint32_t blocks, std::uint32_t warps,
                    std::uint32_t rounds, std::uint32_t apart = 0) {
    list_.write(std::vector<std::uint32_t>(offsets.begin(), offsets.end()));
    bench_.run(bench_.kernel("atomics", type.kernel), {blocks}, {warps * 32},
               Parameters().add(out_.address()).add(memory_.address()).add(list_.address()).add(apart).add(lanes).add(std::uint32_t{1}).add(rounds),
               4096);
    return span_of(block_records(out_, blocks)).cycles / (4.0 * rounds * warps * blocks);
  }

 private:
  Bench& bench_;
  Buffer memory_, list_, out_;
};

Offsets words(std::uint32_t distinct, std::uint32_t bytes) {
  Offsets offsets{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = lane % distinct * bytes;
  return offsets;
}

void measure(Bench& bench, Findings& findings) {
  Flood flood(bench);
  const bool simulated = bench.facts().simulated;
  // SMs enough to fill a slice, and additions enough that the way there and back does not weigh.
  const std::uint32_t blocks = simulated ? 8 : static_cast<std::uint32_t>(bench.facts().sm_count), warps = 4;
  const std::uint32_t most = simulated ? 32 : 64, some = 16;
  for (const Type& type : global_types) {
    if (bench.facts().sm < type.from_sm) continue;
    const std::uint32_t in_sector = 32 / type.bytes;
    for (std::uint32_t lanes = 1; lanes <= in_sector; ++lanes)
      findings.sample(sector_label(type), "lanes", "cycles", lanes, flood(type, words(32, type.bytes), lanes, blocks, warps, most));
    for (const std::uint32_t lanes : {1U, 2U, 4U, 8U, 32U})
      findings.sample(word_label(type), "lanes", "cycles", lanes, flood(type, words(1, type.bytes), lanes, blocks, warps, std::max(simulated ? 4U : 2U, most / lanes)));
    for (const std::uint32_t distinct : {2U, 4U, 8U, 16U, 32U}) {
      if (distinct * type.bytes > 128) continue;
      findings.sample(line_label(type), "words", "cycles", distinct, flood(type, words(distinct, type.bytes), 32, blocks, warps, some));
    }
  }
  // One SM alone, whose warps' lines lie in slices of their own: what it sends.
  constexpr std::uint32_t apart = 9 * 1024 + 128;
  for (const Type& type : global_types) {
    if (bench.facts().sm < type.from_sm) continue;
    for (const std::uint32_t lanes : {1U, 2U, 4U, 8U, 16U, 32U})
      findings.sample(alone_label(type), "lanes", "cycles", lanes, flood(type, words(32, type.bytes), lanes, 1, 32, some, apart));
  }
  for (const Type& type : shared_types) {
    for (const std::uint32_t distinct : {1U, 2U, 4U, 8U, 16U, 32U})
      findings.sample(shared_label(type), "words", "cycles", distinct, flood(type, words(distinct, type.bytes), 32, 1, 16, 16));
  }
}

}  // namespace

extern const Probe atomics_types{"atomics.types", "Rate of atomics at a slice and on shared memory, by type",
                                 "Jia2018 section 4.2", 70, measure, nullptr};

}  // namespace warpgauge::probes
