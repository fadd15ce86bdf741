// An array of a fixed size whose elements are all zeroes at first, and cost the host nothing before they are touched: a
// launch of few blocks uses little of a chip's L2.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace warpgauge::model {

// T's zeroes are what T{} is.
template <class T>
class Zeroes {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Zeroes() = default;
  explicit Zeroes(std::size_t size) : size_(size) {
    if (size == 0) return;
    void* const memory =
        mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    // Hashes scatter what is used of it: with large pages the host looks up fewer addresses.
    madvise(memory, bytes(), MADV_HUGEPAGE);
    elements_ = static_cast<T*>(memory);
  }
  Zeroes(Zeroes&& other) noexcept
      : elements_(std::exchange(other.elements_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Zeroes& operator=(Zeroes&& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    return *this;
  }
  Zeroes(const Zeroes&) = delete;
  Zeroes& operator=(const Zeroes&) = delete;
  ~Zeroes() {
    if (elements_ != nullptr) munmap(elements_, bytes());
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t which) { return elements_[which]; }
  const T& operator[](std::size_t which) const { return elements_[which]; }

 private:
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }

  T* elements_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpgauge::model
