// The banks of the L1's tags, each of which looks up one line a cycle. Which of them has a line is a hash of its number,
// so that lines at a stride of a power of two lie in all banks (docs/h200.md, "Banks of the L1's tags").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/memory/parity_hash.h"

namespace warpgauge::model {

class TagBanks {
 public:
  static constexpr std::size_t most_bits = 5;

  // Bit n of a line's bank is the parity of its number's bits in masks[n], of which most_bits are heeded; without masks it
  // is the number modulo `count`.
  explicit TagBanks(unsigned count = 4, std::span<const std::uint64_t> masks = {})
      : count_(std::max(1U, count)), hash_(masks.first(std::min(masks.size(), most_bits))) {}

  [[nodiscard]] unsigned count() const { return hash_.bits() == 0 ? count_ : 1U << hash_.bits(); }
  [[nodiscard]] unsigned of(std::uint64_t line) const {
    return hash_.bits() == 0 ? static_cast<unsigned>(line % count_) : hash_.of(line);
  }

 private:
  unsigned count_;
  ParityHash hash_;
};

}  // namespace warpgauge::model
