#include "model/gpu/sm_room.h"

namespace warpgauge::model {

bool SmRoom::fits(unsigned launch, const Fit& fit) const {
  if (blocks_ == 0) return true;  // occupancy() has refused what an empty SM cannot hold
  // Parts of a register file are sums of fractions.
  constexpr double rounding = 1e-9;
  const bool division = fit.exact_carveout ? fit.division == division_ : fit.carveout <= division_;
  return division && blocks_of_[launch] < fit.occupancy.blocks_per_sm && blocks_ < max_blocks_ &&
         warps_ + fit.block_warps <= max_warps_ &&
         registers_ + fit.block_registers <= 1 + rounding && shared_ + fit.shared_per_block <= division_;
}

bool SmRoom::take(unsigned launch, const Fit& fit) {
  const bool divides = blocks_ == 0;
  if (divides) division_ = fit.division;
  ++blocks_;
  ++blocks_of_[launch];
  warps_ += fit.block_warps;
  registers_ += fit.block_registers;
  shared_ += fit.shared_per_block;
  return divides;
}

void SmRoom::give_back(unsigned launch, const Fit& fit) {
  --blocks_;
  --blocks_of_[launch];
  warps_ -= fit.block_warps;
  registers_ = blocks_ == 0 ? 0 : registers_ - fit.block_registers;
  shared_ -= fit.shared_per_block;
}

}  // namespace warpgauge::model
