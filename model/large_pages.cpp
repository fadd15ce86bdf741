#include "model/large_pages.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace warpgauge::model {
namespace {

constexpr std::size_t page_bytes = std::size_t{2} << 20;
constexpr std::size_t region_bytes = 16 * page_bytes;  // address space: the host gives a page when it is touched

// A sanitizer watches the borders of what it hands out itself.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool plain = true;
#elif defined(__has_feature)
constexpr bool plain = __has_feature(address_sanitizer);
#else
constexpr bool plain = false;
#endif

constexpr std::size_t round_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

// `bytes`, a multiple of a page, from a page's begin on: what is mapped around them goes back.
std::byte* map(std::size_t bytes) {
  void* const mapped = mmap(nullptr, bytes + page_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % page_bytes;
  if (before != 0) munmap(begin, before);
  munmap(begin + before + bytes, page_bytes - before);
  madvise(begin + before, bytes, MADV_HUGEPAGE);  // a host that has none says so, and gives small ones
  return begin + before;
}

// One piece after the other out of large regions, of just the size that is asked for: with all SMs at multiples of a power of two
// the same few sets of the host's caches would hold what each of them needs most. The next machine asks for the same sizes.
class Store {
 public:
  void* take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (std::vector<void*>& spare = spare_[bytes]; !spare.empty()) {
      void* const taken = spare.back();
      spare.pop_back();
      return taken;
    }
    if (region_ == nullptr || used_ + bytes > region_bytes) {
      region_ = map(region_bytes);
      used_ = 0;
    }
    used_ += bytes;
    return region_ + used_ - bytes;
  }
  void give_back(void* memory, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    spare_[bytes].push_back(memory);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::size_t, std::vector<void*>> spare_;  // by size
  std::byte* region_ = nullptr;
  std::size_t used_ = 0;  // of the region
};

// Never destroyed: what uses it may live as long as the process does.
Store& store() {
  static Store& one = *new Store;
  return one;
}

constexpr std::size_t alignment = 64;

}  // namespace

void* take_large_pages(std::size_t bytes) {
  if (plain) return ::operator new(bytes, std::align_val_t{alignment});
  return bytes < page_bytes ? store().take(round_up(bytes, alignment)) : map(round_up(bytes, page_bytes));
}

void give_back_large_pages(void* memory, std::size_t bytes) noexcept {
  if (plain) {
    ::operator delete(memory, std::align_val_t{alignment});
  } else if (bytes < page_bytes) {
    store().give_back(memory, round_up(bytes, alignment));
  } else {
    munmap(memory, round_up(bytes, page_bytes));
  }
}

}  // namespace warpgauge::model
