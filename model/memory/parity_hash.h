// A hash each of whose bits is the parity of some bits of a number: how caches deal out their lines.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgauge::model {

class ParityHash {
 public:
  static constexpr std::size_t most_bits = 16;

  // Bit n of the hash is the parity of the number's bits in masks[n], of which most_bits are heeded.
  explicit ParityHash(std::span<const std::uint64_t> masks = {})
      : bits_(static_cast<unsigned>(std::min(masks.size(), most_bits))) {
    for (std::size_t bit = 0; bit < bits_; ++bit)
      for (std::size_t byte = 0; byte < parts_.size(); ++byte)
        for (unsigned value = 0; value < 256; ++value)
          parts_[byte][value] |= static_cast<std::uint16_t>((std::popcount(masks[bit] >> 8 * byte & value) & 1U) << bit);
  }

  [[nodiscard]] unsigned bits() const { return bits_; }
  [[nodiscard]] unsigned of(std::uint64_t number) const {
    unsigned hash = 0;
    for (std::size_t byte = 0; byte < parts_.size(); ++byte) hash ^= parts_[byte][number >> 8 * byte & 0xff];
    return hash;
  }

 private:
  unsigned bits_;
  // What each byte of the number adds: its lowest 40 bits are heeded.
  std::array<std::array<std::uint16_t, 256>, 5> parts_{};
};

}  // namespace warpgauge::model
