// Loads from one place after the other, each timed: what hits and what misses, access by access.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/sass/run_kernel.h"

namespace warpgauge::probes {

enum class Space : std::uint8_t { global, constant };

inline constexpr std::size_t most_steps = 6144;  // of a walk: 24 KiB of shared memory

// One warp, all lanes alike. The places come past the L1 and lie in shared memory, where they are in no
// cache's way; the cycles take their room. Parameter in: list of 32-bit offsets; a: how many; b, c: the
// address that they count from.
SassKernel walk_kernel(int sm, Space space);

class Walk {
 public:
  Walk(Bench& bench, SassModule& module, Space space, DeviceAddress base, int carveout)
      : module_(module),
        list_(bench.allocate(most_steps * 4)),
        space_(space),
        base_(base),
        carveout_(carveout) {}

  // The cycles of each load, from places counted from the base.
  std::vector<std::uint32_t> operator()(const std::vector<std::uint32_t>& places);

 private:
  SassModule& module_;
  Buffer list_;
  Space space_;
  DeviceAddress base_;
  int carveout_;
};

}  // namespace warpgauge::probes
