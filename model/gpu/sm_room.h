// What an SM has left for more blocks, of whatever launches.
#pragma once

#include <array>
#include <cstdint>

#include "model/gpu/occupancy.h"
#include "model/sm/types.h"

namespace warpgauge::model {

// Launches that run at the same time have numbers below this.
inline constexpr unsigned max_running_launches = 256;

class SmRoom {
 public:
  explicit SmRoom(const OccupancySpec& spec)
      : subcores_(spec.subcores),
        max_blocks_(spec.max_blocks),
        max_warps_(spec.max_warps / spec.subcores),
        max_registers_(spec.registers / spec.subcores) {}

  // Whether a block of the launch fits beside those that are here. Its warps go to the processing blocks in turn, whichever
  // those have room: where one of them has too little, the block waits. The division between the L1 and shared memory
  // stays as the first block has found or made it: a launch whose blocks need more waits until the SM is empty, one
  // that asks for a division of its own until it is empty or has just that (docs/h200.md, "Several kernels at once").
  [[nodiscard]] bool fits(unsigned launch, const Fit& fit) const;
  struct Taken {
    bool divides = false;  // the SM was empty: the launch's blocks decide how large the L1 is
    unsigned first = 0;    // processing block of the first warp; the others follow it in turn
  };
  Taken take(unsigned launch, const Fit& fit);
  // A warp has ended, and leaves its slot and registers while its block goes on.
  void leave(const Fit& fit, unsigned subcore);
  // A block has ended whose warps have left.
  void give_back(unsigned launch, const Fit& fit);

  [[nodiscard]] unsigned warps() const { return warps_; }

 private:
  // Warps of a block that the processing block would get.
  [[nodiscard]] unsigned share(const Fit& fit, unsigned subcore) const;

  unsigned subcores_;
  unsigned max_blocks_;
  unsigned max_warps_;           // of a processing block
  std::uint64_t max_registers_;  // of a processing block
  unsigned next_ = 0;            // processing block of the next block's first warp
  unsigned blocks_ = 0;
  unsigned warps_ = 0;
  std::array<unsigned, max_subcores> warps_of_{};  // by processing block
  std::array<std::uint64_t, max_subcores> registers_of_{};
  std::uint64_t shared_ = 0;
  std::uint64_t division_ = 0;
  std::array<std::uint8_t, max_running_launches> blocks_of_{};  // by launch
};

}  // namespace warpgauge::model
