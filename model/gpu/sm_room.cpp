#include "model/gpu/sm_room.h"

namespace warpgauge::model {

unsigned SmRoom::share(const Fit& fit, unsigned subcore) const {
  const unsigned turn = (subcore + subcores_ - next_) % subcores_;
  return (fit.block_warps + subcores_ - 1 - turn) / subcores_;
}

bool SmRoom::fits(unsigned launch, const Fit& fit) const {
  if (blocks_ == 0) return true;  // occupancy() has refused what an empty SM cannot hold
  const bool division = fit.exact_carveout ? fit.division == division_ : fit.carveout <= division_;
  if (!division || blocks_of_[launch] >= fit.most_blocks || blocks_ >= max_blocks_ ||
      shared_ + fit.shared_per_block > division_)
    return false;
  for (unsigned subcore = 0; subcore < subcores_; ++subcore) {
    const unsigned warps = share(fit, subcore);
    if (warps_of_[subcore] + warps > max_warps_ ||
        registers_of_[subcore] + warps * fit.warp_registers > max_registers_)
      return false;
  }
  return true;
}

SmRoom::Taken SmRoom::take(unsigned launch, const Fit& fit) {
  const Taken taken{blocks_ == 0, next_};
  if (taken.divides) division_ = fit.division;
  ++blocks_;
  ++blocks_of_[launch];
  warps_ += fit.block_warps;
  for (unsigned subcore = 0; subcore < subcores_; ++subcore) {
    const unsigned warps = share(fit, subcore);
    warps_of_[subcore] += warps;
    registers_of_[subcore] += warps * fit.warp_registers;
  }
  shared_ += fit.shared_per_block;
  // Behind the last warp; but no two blocks in a row begin at the same one (docs/h200.md, "Where warps go").
  const unsigned rest = fit.block_warps % subcores_;
  next_ = (next_ + (rest == 0 ? 1 : rest)) % subcores_;
  return taken;
}

void SmRoom::leave(const Fit& fit, unsigned subcore) {
  --warps_;
  --warps_of_[subcore];
  registers_of_[subcore] -= fit.warp_registers;
}

void SmRoom::give_back(unsigned launch, const Fit& fit) {
  --blocks_;
  --blocks_of_[launch];
  shared_ -= fit.shared_per_block;
}

}  // namespace warpgauge::model
