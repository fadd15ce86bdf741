// The banks of the L1's tags, each of which looks up one line a cycle. Which of them has a line is a hash of its number,
// so that lines at a stride of a power of two lie in all banks (docs/h200.md, "Banks of the L1's tags").
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgauge::model {

class TagBanks {
 public:
  static constexpr std::size_t most_bits = 5;

  // Bit n of a line's bank is the parity of its number's bits in masks[n], of which most_bits are heeded; without masks it
  // is the number modulo `count`.
  explicit TagBanks(unsigned count = 4, std::span<const std::uint64_t> masks = {})
      : count_(std::max(1U, count)), bits_(static_cast<unsigned>(std::min(masks.size(), most_bits))) {
    std::copy_n(masks.begin(), bits_, masks_.begin());
  }

  [[nodiscard]] unsigned count() const { return bits_ == 0 ? count_ : 1U << bits_; }
  [[nodiscard]] unsigned of(std::uint64_t line) const {
    if (bits_ == 0) return static_cast<unsigned>(line % count_);
    unsigned bank = 0;
    for (unsigned bit = 0; bit < bits_; ++bit)
      bank |= (static_cast<unsigned>(std::popcount(line & masks_[bit])) & 1U) << bit;
    return bank;
  }

 private:
  unsigned count_;
  unsigned bits_;
  std::array<std::uint64_t, most_bits> masks_{};
};

}  // namespace warpgauge::model
