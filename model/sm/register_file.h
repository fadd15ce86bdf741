// The read ports of a processing block's register file and its reuse cache.
//
// Two banks (register number modulo 2) with one port each: an instruction needs as many cycles as the busier
// bank has distinct registers to read that the reuse cache does not hold. Fixed-latency instructions read in
// a window of a few cycles after the allocate stage; one that does not fit holds the allocate stage, the one
// behind it holds the control stage, and then nothing issues.
//
// The reuse cache has one entry for each operand slot and bank. An entry is made by a read whose reuse flag
// is set, hits for the same warp, register and slot, and is dropped by the next read of that slot and bank,
// hit or miss, unless that read renews it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/sm/decoded.h"
#include "model/sm/spec.h"

namespace warpgauge::model {

class RegisterFile {
 public:
  explicit RegisterFile(const RegisterFileSpec& spec) : spec_(spec) { entries_.fill(empty); }

  struct Outcome {
    unsigned extra_cycles = 0;  // reads of the busier bank beyond the first
    unsigned reuse_hits = 0;
    // Cycles that it stays in the control stage; its stall count only counts after them.
    unsigned held = 0;
    // Cycles by which it leaves the allocate stage later than it could, for its own and other fixed-latency instructions'
    // reads; its unit is taken for as many more.
    unsigned late = 0;
  };

  // The first cycle in which an instruction may issue: when the control stage will be free.
  [[nodiscard]] Cycle free_at() const { return control_free_; }

  // The sources of an instruction of variable latency, issued at `issued`, are read from `now` on: for so many cycles nothing
  // is allocated, nor in its own place behind its issue.
  void read_later(Cycle now, Cycle issued, unsigned cycles) {
    const Cycle behind = issued + issue_to_allocate + 1;
    allocate_free_ = std::max({allocate_free_, now + issue_to_allocate, behind}) + cycles;
    reads_ += cycles;
  }

  // Takes the instruction that issues at `now` (free_at() <= now) through control and allocate.
  Outcome issue(const StaticOp& op, unsigned warp, Cycle now);

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};
  static constexpr unsigned max_slots = 4;
  static constexpr unsigned max_banks = 4;

  // An instruction is in control in the cycle after its issue and in allocate one cycle later.
  static constexpr Cycle issue_to_allocate = 2;

  std::uint32_t& entry(unsigned slot, unsigned bank) {
    return entries_[slot * max_banks + (spec_.reuse_per_bank ? bank : 0)];
  }

  RegisterFileSpec spec_;
  std::array<std::uint32_t, max_slots * max_banks> entries_{};  // warp << 8 | register
  std::array<Cycle, max_banks> bank_free_{};  // first cycle in which the bank's port has no read
  Cycle allocate_free_ = 0;  // first cycle in which the allocate stage can take an instruction
  Cycle control_free_ = 0;   // first cycle in which an instruction may issue
  unsigned reads_ = 0;       // cycles of allocate_free_ that sources of variable-latency instructions have taken
  unsigned last_warp_ = ~0U;
};

}  // namespace warpgauge::model
