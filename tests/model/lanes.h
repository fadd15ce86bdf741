// The addresses of a warp's lanes, made from their numbers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace warpgauge::model::test {

inline std::array<std::uint64_t, 32> lanes(const std::function<std::uint64_t(unsigned)>& at) {
  std::array<std::uint64_t, 32> addresses{};
  for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = at(lane);
  return addresses;
}

}  // namespace warpgauge::model::test
