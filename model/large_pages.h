// Memory in the host's large pages, for what every SM and slice touches in each window: together that is some tens of
// megabytes, scattered, more than the host's table of small pages covers.
#pragma once

#include <cstddef>
#include <vector>

namespace warpgauge::model {

// Aligned to 64 bytes; from any thread. Pieces smaller than a page lie side by side, and what is given back of them is kept for
// the next of its size. Where the host gives no large pages it is ordinary memory. Throws std::bad_alloc.
void* take_large_pages(std::size_t bytes);
void give_back_large_pages(void* memory, std::size_t bytes) noexcept;

template <class T>
struct LargePages {
  static_assert(alignof(T) <= 64);
  using value_type = T;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(take_large_pages(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { give_back_large_pages(memory, count * sizeof(T)); }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace warpgauge::model
