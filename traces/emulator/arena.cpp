#include "traces/emulator/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace warpgauge::emulator {
namespace {

constexpr std::size_t region_bytes = std::size_t{64} << 20;
constexpr std::size_t alignment = 64;
constexpr std::size_t small_pages = std::size_t{2} << 20;

}  // namespace

Arena::~Arena() {
  for (const Region& region : regions_) munmap(region.begin, region.bytes);
}

std::byte* Arena::take(std::size_t bytes) {
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  if (regions_.empty() || size > regions_.back().bytes - used_) {
    const std::size_t wanted = std::max(size, region_bytes);
    void* const memory =
        mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    // A launch of few blocks stays in small pages.
    if (wanted > small_pages)
      madvise(static_cast<std::byte*>(memory) + small_pages, wanted - small_pages, MADV_HUGEPAGE);
    regions_.push_back({static_cast<std::byte*>(memory), wanted});
    used_ = 0;
  }
  std::byte* const taken = regions_.back().begin + used_;
  used_ += size;
  return taken;
}

}  // namespace warpgauge::emulator
