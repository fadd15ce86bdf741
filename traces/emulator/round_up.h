#pragma once

#include <cstdint>

namespace warpgauge::emulator {

// The least multiple of `unit` that is no less than `value`.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace warpgauge::emulator
