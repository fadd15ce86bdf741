// Things that come and go by the number, kept in one vector: what is given back last is taken again first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/large_pages.h"

namespace warpgauge::model {

// Which of them nobody holds is written beside them and not in them: where they were last used long ago, the
// host would wait for each one to learn which comes behind it.
template <class T>
class Pool {
 public:
  void reserve(std::size_t count) { all_.reserve(count); }

  // A new one is as T makes it, one that was given back as it was then.
  std::uint32_t take() {
    if (free_.empty()) {
      all_.emplace_back();
      return static_cast<std::uint32_t>(all_.size() - 1);
    }
    const std::uint32_t taken = free_.back();
    free_.pop_back();
    // The host has the next one at hand when it is taken.
    if (!free_.empty()) __builtin_prefetch(&all_[free_.back()], 1);
    return taken;
  }
  void give_back(std::uint32_t which) { free_.push_back(which); }
  T& operator[](std::uint32_t which) { return all_[which]; }
  const T& operator[](std::uint32_t which) const { return all_[which]; }

 private:
  LargeVector<T> all_;
  LargeVector<std::uint32_t> free_;
};

}  // namespace warpgauge::model
