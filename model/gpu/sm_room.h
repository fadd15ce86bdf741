// What an SM has left for more blocks, of whatever launches.
#pragma once

#include <array>
#include <cstdint>

#include "model/gpu/occupancy.h"

namespace warpgauge::model {

// Launches that run at the same time have numbers below this.
inline constexpr unsigned max_running_launches = 256;

class SmRoom {
 public:
  explicit SmRoom(const OccupancySpec& spec) : max_blocks_(spec.max_blocks), max_warps_(spec.max_warps) {}

  // Whether a block of the launch fits beside those that are here. The division between the L1 and shared memory
  // stays as the first of them has found or made it: a launch whose blocks need more waits until the SM is empty, one
  // that asks for a division of its own until it is empty or has just that (docs/h200.md, "Several kernels at once").
  [[nodiscard]] bool fits(unsigned launch, const Fit& fit) const;
  // Returns whether the SM was empty: the launch's blocks decide how large the L1 is.
  bool take(unsigned launch, const Fit& fit);
  void give_back(unsigned launch, const Fit& fit);

  [[nodiscard]] unsigned warps() const { return warps_; }

 private:
  unsigned max_blocks_;
  unsigned max_warps_;
  unsigned blocks_ = 0;
  unsigned warps_ = 0;
  double registers_ = 0;  // of one
  std::uint64_t shared_ = 0;
  std::uint64_t division_ = 0;
  std::array<std::uint8_t, max_running_launches> blocks_of_{};  // by launch
};

}  // namespace warpgauge::model
