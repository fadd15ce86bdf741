// Things that come and go by the number, kept in one vector: what is given back is taken again first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/large_pages.h"

namespace warpgauge::model {

// T has a `next`, which is the pool's while nobody holds the thing and its holder's meanwhile.
template <class T>
class Pool {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void reserve(std::size_t count) { all_.reserve(count); }

  // A new one is as T makes it, one that was given back as it was then.
  std::uint32_t take() {
    if (free_ == none) {
      all_.emplace_back();
      return static_cast<std::uint32_t>(all_.size() - 1);
    }
    const std::uint32_t taken = free_;
    free_ = all_[taken].next;
    // The host has it at hand when it is taken.
    if (free_ != none) __builtin_prefetch(&all_[free_], 1);
    return taken;
  }
  void give_back(std::uint32_t which) {
    all_[which].next = free_;
    free_ = which;
  }
  T& operator[](std::uint32_t which) { return all_[which]; }
  const T& operator[](std::uint32_t which) const { return all_[which]; }

 private:
  LargeVector<T> all_;
  std::uint32_t free_ = none;
};

}  // namespace warpgauge::model
