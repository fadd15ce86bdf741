// Constant caches of an SM: one small cache a processing block for c[][] operands of fixed-latency
// instructions, one L1 for LDC, and the level behind both.
#pragma once

#include <array>
#include <cstdint>

#include "model/sm/instruction_cache.h"
#include "model/sm/spec.h"

namespace warpgauge::model {

class ConstantCaches {
 public:
  explicit ConstantCaches(const ConstantSpec& spec);

  // A c[][] operand looked up at issue: the cycle from which the instruction may issue, `now` if it hits.
  Cycle operand(unsigned subcore, std::uint64_t line, Cycle now);

  // LDC of a line of the L1: its issue-to-use latency at this moment.
  unsigned load(std::uint64_t byte);

  std::uint64_t operand_misses = 0;

 private:
  ConstantSpec spec_;
  std::array<TagCache, max_subcores> l0_;
  TagCache l1_;
  TagCache l15_;
};

}  // namespace warpgauge::model
