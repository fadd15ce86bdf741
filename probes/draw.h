// Numbers that look drawn and are the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpgauge::probes {

// A linear congruence modulo 2^64 with Knuth's constants of MMIX (The Art of Computer Programming, volume 2, section
// 3.3.4), of which the upper 31 bits are given out: the lower ones have short periods.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  // Below 2^31.
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  // Below `end`, which is not 0.
  std::uint32_t below(std::size_t end) { return static_cast<std::uint32_t>(next() % end); }

  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace warpgauge::probes
