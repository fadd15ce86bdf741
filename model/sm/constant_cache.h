// Constant caches of an SM: one small cache a processing block for c[][] operands of fixed-latency
// instructions, one L1 for LDC, and the level behind both.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/sm/instruction_cache.h"
#include "model/sm/spec.h"

namespace warpgauge::model {

// What a launch writes, the kernel's parameters among it: the start of the first bank. It brings as much of the compiler's
// own constants, tables of switches among them, but nothing of what the program declares or of addresses of its variables
// (H200: 65 cycles more than a hit for c[0x2] however cold the caches, 250 to 330 for c[0x3] and c[0x4] from the L2 and 710 to
// 830 from DRAM; docs/h200.md, "Small launches").
inline constexpr std::uint64_t launch_constant_bytes = 8192;
inline constexpr std::uint64_t constant_bank_bytes = std::uint64_t{1} << 18;
// Where a byte of a bank lies among the constants of all.
constexpr std::uint64_t constant_byte(unsigned bank, std::uint64_t byte) { return bank * constant_bank_bytes + byte; }
inline constexpr std::uint64_t compiler_constants = constant_byte(2, 0);

class ConstantCaches {
 public:
  // The launch leaves what it writes in the level behind: a kernel's first LDC of a parameter takes no more than a
  // line from there (H200: 100 cycles for each new line of c[0x0], in the first launch of a module too), nor do operands
  // (docs/h200.md, "Small launches").
  // `beyond`: of an LDC's latency from the L2, what its request does not spend beyond the SM.
  ConstantCaches(const ConstantSpec& spec, Cycle beyond);

  // Another launch has written its own: what was here is another kernel's.
  void begin_launch();

  // A c[][] operand looked up at issue: the cycle from which the instruction may issue, `now` if it hits; `never` if
  // its line comes from beyond the SM: whoever asks fetches line behind() and waits.
  Cycle operand(unsigned subcore, std::uint64_t line, Cycle now);
  [[nodiscard]] std::uint64_t behind(std::uint64_t operand_line) const {
    return operand_line * spec_.l0_line_bytes / spec_.l15_line_bytes;
  }
  // A warp waits for a line of the level behind.
  void wait(unsigned slot, std::uint64_t line) { waiting_.push_back({line, slot}); }
  // Warps whose line has come, and when they may issue.
  struct Woken {
    unsigned slot = 0;
    Cycle at = 0;
  };
  std::vector<Woken>& woken() { return woken_; }

  // `sms`: of the cluster that take lines from the level behind, which is theirs in common; each gets its share.
  void share(unsigned sms) { interval_ = spec_.gpc_interval * sms; }
  // Whether lines have been taken from there since the last time that this was asked.
  bool asked() { return std::exchange(asked_, false); }

  // An address of an LDC, looked up in the L1 at `now`. What is not there takes its turn at the way to the
  // level behind; whoever asks for a line that is coming waits for it, and counts as a miss.
  struct Lookup {
    Cycle latency = 0;     // issue to use at this moment; without the way to the L2 if it misses everything
    bool missing = false;  // the level behind does not have it either
    bool waits = false;    // its line is not here yet
    bool refused = false;  // no place for one more line on its way: it asks again
  };
  // `again`: it has been refused before.
  Lookup load(std::uint64_t byte, Cycle now, bool again = false);

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
  // The same in the L1, whose ways stay where they are while a tree of bits for each set says whose turn it is to make way: each access
  // turns those above its way to the other side (probe constant.replacement).
  Found look_up_by_turns(std::uint64_t tag);
  [[nodiscard]] bool has(std::uint64_t tag) const;
  // A place for a line on its way to the L1; nullptr: none is free.
  struct Place {
    Cycle free = 0;
    std::uint64_t line = 0;  // of the level behind, that it waits for
  };
  Place* free_place(Cycle now);

  ConstantSpec spec_;
  std::array<std::vector<Line>, max_subcores> l0_;  // by processing block
  unsigned l0_ways_;
  unsigned l1_ways_;
  std::vector<Line> l1_;  // each set most recent first, or in a fixed order with its turns
  std::vector<std::uint32_t> turns_;  // by set of the L1: bit n of node n of its tree, whose root is 1
  TagCache l15_;
  struct Waiting {
    std::uint64_t line = 0;
    unsigned slot = 0;
  };
  std::vector<Waiting> waiting_;
  std::vector<Woken> woken_;
  double interval_ = 0;  // between two lines that the level behind gives this SM's processing blocks
  Server delivery_;
  Cycle operand_after_;  // from a line's arrival from the L2 to the issue of an operand of it
  Cycle fill_free_ = 0;      // when the way from the level behind takes the next line
  std::vector<Place> places_;
  bool asked_ = false;
  bool begun_ = false;  // a load has had a line of the level behind since the launch began
};

}  // namespace warpgauge::model
