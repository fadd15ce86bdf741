// How neighbouring addresses are dealt out to slices and channels.
#pragma once

#include <cstdint>

namespace warpgauge::model {

// Each unit gets `bytes` of every two units' addresses: pieces of `piece` bytes for one and the other in turn
// (on the H200 the first and third 256 bytes of a KiB for one, the second and fourth for the other: probes
// memory.refresh and atomics.patterns). All at once where a piece is as large as that, or 0.
struct Interleave {
  std::uint64_t bytes = 128;
  std::uint64_t piece = 0;

  [[nodiscard]] std::uint64_t unit_of(std::uint64_t byte) const {
    if (piece == 0 || piece >= bytes) return byte / bytes;
    return byte / (2 * bytes) * 2 + byte / piece % 2;
  }
};

}  // namespace warpgauge::model
