// Constant caches of an SM: one small cache a processing block for c[][] operands of fixed-latency
// instructions, one L1 for LDC, and the level behind both.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/sm/instruction_cache.h"
#include "model/sm/spec.h"

namespace warpgauge::model {

// What a launch writes, the kernel's parameters among it: the start of the first bank.
inline constexpr std::uint64_t launch_constant_bytes = 8192;

class ConstantCaches {
 public:
  // The launch leaves what it writes in the level behind: a kernel's first LDC of a parameter takes no more than a
  // line from there (H200: 100 cycles for each new line of c[0x0], in the first launch of a module too). Operands find
  // the parameters there as well, but not the grid's shape in front of them (docs/h200.md, "Launches").
  explicit ConstantCaches(const ConstantSpec& spec);

  // A c[][] operand looked up at issue: the cycle from which the instruction may issue, `now` if it hits.
  Cycle operand(unsigned subcore, std::uint64_t line, Cycle now);

  // An address of an LDC, looked up in the L1 at `now`. What is not there takes its turn at the way to the
  // level behind; whoever asks for a line that is coming waits for it, and counts as a miss.
  struct Lookup {
    Cycle latency = 0;     // issue to use at this moment; without the way to the L2 if it misses everything
    bool missing = false;  // the level behind does not have it either
  };
  Lookup load(std::uint64_t byte, Cycle now);

  // Lines of the level behind.
  [[nodiscard]] std::uint64_t line_of(std::uint64_t byte) const { return byte / spec_.l15_line_bytes; }
  void arrived(std::uint64_t line, Cycle now);

  std::uint64_t operand_misses = 0;
  std::uint64_t requests = 0;  // addresses of LDC
  std::uint64_t hits = 0;

 private:
  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    Cycle here = 0;  // from when on it is
  };
  // The line, now the most recent of its set, or a line that has just taken the place of the oldest.
  struct Found {
    Line* line = nullptr;
    bool present = false;
  };
  static Found look_up(std::vector<Line>& lines, unsigned ways, std::uint64_t tag);

  ConstantSpec spec_;
  std::array<std::vector<Line>, max_subcores> l0_;  // by processing block
  unsigned l0_ways_;
  unsigned l1_ways_;
  std::vector<Line> l1_;  // each set most recent first
  TagCache l15_;
  bool shape_here_ = false;  // the bank's first line, for operands
  Cycle fill_free_ = 0;      // when the way from the level behind takes the next line
};

}  // namespace warpgauge::model
