#include "traces/emulator/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "traces/emulator/fault.h"
#include "traces/emulator/round_up.h"

namespace warpgauge::emulator {
namespace {

constexpr std::uint64_t page_bytes = 4096;
// Of allocations that stand apart: each begins in a KiB of its own. Caches' slices and memory's channels take
// turns within it.
constexpr std::uint64_t small_alignment = 1024;
constexpr std::uint64_t large_alignment = DeviceMemory::device_page_bytes;
constexpr std::uint64_t large_bytes = std::uint64_t{1} << 20;
constexpr std::size_t remembered_releases = 4096;

void* map(void* where, std::uint64_t bytes, int flags) {
  return mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1,
              0);
}

// Where no program, library or stack is put; the next of these places when one is taken, and anywhere at
// last.
void* map_at_known_place(std::uint64_t bytes) {
  constexpr std::uint64_t first = 0x2000'0000'0000;
  constexpr std::uint64_t last = 0x4000'0000'0000;
  constexpr std::uint64_t step = std::uint64_t{1} << 40;
  for (std::uint64_t place = first; place < last; place += step) {
    void* const arena = map(reinterpret_cast<void*>(place), bytes, MAP_FIXED_NOREPLACE);
    if (arena == MAP_FAILED) continue;
    if (reinterpret_cast<std::uint64_t>(arena) == place) return arena;
    munmap(arena, bytes);  // an old kernel, which takes the address as a hint
  }
  return map(nullptr, bytes, 0);
}

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity, Addresses addresses, Layout layout)
    : capacity_(capacity), layout_(layout) {
  // Room for every byte of the device plus gaps; less where the host limits address space.
  for (std::uint64_t bytes = round_up(capacity + capacity / 2, std::uint64_t{1} << 30);
       bytes >= large_alignment; bytes /= 2) {
    void* const arena =
        addresses == Addresses::as_on_host ? map_at_known_place(bytes) : map(nullptr, bytes, 0);
    if (arena == MAP_FAILED) continue;
    const auto begin = reinterpret_cast<std::uint64_t>(arena);
    if (addresses == Addresses::as_on_host) base_ = cursor_ = begin;
    host_offset_ = begin - base_;
    reserved_ = bytes;
    if (layout == Layout::as_driver) {
      const DeviceAddress first_page = round_up(base_, device_page_bytes);
      driver_ = DriverLayout(first_page, base_ + reserved_ - first_page);
    }
    return;
  }
  throw std::bad_alloc();
}

DeviceMemory::~DeviceMemory() {
  if (reserved_ != 0) munmap(host(base_), reserved_);
}

std::optional<DeviceAddress> DeviceMemory::place_apart(std::uint64_t bytes) const {
  const std::uint64_t alignment = bytes >= large_bytes ? large_alignment : small_alignment;
  const DeviceAddress limit = base_ + reserved_;
  // Addresses are not reused before the whole range has been used once: a stale pointer keeps pointing
  // nowhere.
  const DeviceAddress fresh = round_up(cursor_, alignment);
  if (fresh + bytes + redzone_bytes <= limit) return fresh;
  DeviceAddress candidate = base_;
  for (const auto& [begin, allocation] : allocations_) {
    if (!in_arena(begin)) continue;
    if (candidate + bytes + redzone_bytes <= begin) return candidate;
    candidate = round_up(allocation.end() + redzone_bytes, alignment);
  }
  if (candidate + bytes + redzone_bytes <= limit) return candidate;
  return std::nullopt;
}

std::optional<DeviceAddress> DeviceMemory::allocate(std::uint64_t bytes, std::string label, MemoryPool pool) {
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  if (size > capacity_ || used_ > capacity_ - size) return std::nullopt;
  const std::optional<DeviceAddress> address =
      layout_ == Layout::as_driver ? driver_.take(size, pool) : place_apart(size);
  if (!address) return std::nullopt;
  used_ += size;
  cursor_ = std::max(cursor_, *address + size + redzone_bytes);
  std::erase_if(released_, [&](const auto& entry) {
    return entry.first < *address + size && *address < entry.second.end();
  });
  allocations_.emplace(*address, Allocation{*address, size, pool, std::move(label)});
  return address;
}

bool DeviceMemory::adopt(void* memory, std::uint64_t bytes, std::string label) {
  const auto begin = reinterpret_cast<DeviceAddress>(memory);
  if (host_offset_ != 0 || bytes == 0 || begin + bytes < begin) return false;
  const auto after = allocations_.lower_bound(begin + bytes);
  if (after != allocations_.begin() && std::prev(after)->second.end() > begin) return false;
  if (begin < base_ + reserved_ && base_ < begin + bytes) return false;
  allocations_.emplace(begin, Allocation{begin, bytes, MemoryPool::host, std::move(label)});
  return true;
}

bool DeviceMemory::release(DeviceAddress address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  const Allocation allocation = found->second;
  allocations_.erase(found);
  ++releases_;
  if (!in_arena(address)) return true;  // adopted: the host's to keep
  used_ -= allocation.bytes;
  if (layout_ == Layout::as_driver) driver_.give_back(allocation.begin, allocation.bytes, allocation.pool);
  // Whole pages go back to the host; the edges, which a neighbour may share, are cleared by hand.
  std::byte* const arena = host(base_);
  const std::uint64_t begin = allocation.begin - base_;
  const std::uint64_t end = begin + allocation.bytes;
  const std::uint64_t first_page = round_up(begin, page_bytes);
  const std::uint64_t last_page = end & ~(page_bytes - 1);
  if (first_page < last_page) {
    std::memset(arena + begin, 0, first_page - begin);
    std::memset(arena + last_page, 0, end - last_page);
    madvise(arena + first_page, last_page - first_page, MADV_DONTNEED);
  } else {
    std::memset(arena + begin, 0, end - begin);
  }
  if (released_.size() >= remembered_releases) released_.erase(released_.begin());
  released_.insert_or_assign(address, allocation);
  return true;
}

void DeviceMemory::release_all() {
  while (!allocations_.empty()) release(allocations_.begin()->first);
  released_.clear();
  cursor_ = base_;
}

std::vector<traces::AddressRange> DeviceMemory::host_memory() const {
  std::vector<traces::AddressRange> ranges;
  for (const auto& [begin, allocation] : allocations_) {
    if (allocation.pool != MemoryPool::host) continue;
    if (!ranges.empty() && ranges.back().end == begin) {
      ranges.back().end = allocation.end();
    } else {
      ranges.push_back({begin, allocation.end()});
    }
  }
  return ranges;
}

const Allocation* DeviceMemory::find(DeviceAddress address, std::uint64_t bytes) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const Allocation& candidate = std::prev(after)->second;
  if (address >= candidate.end() || bytes > candidate.end() - address) return nullptr;
  return &candidate;
}

bool DeviceMemory::in_mapped_page(DeviceAddress address, std::uint64_t bytes) const {
  if (bounds_ != Bounds::of_pages || !in_arena(address) || !in_arena(address + bytes - 1)) return false;
  const DeviceAddress page = address & ~(device_page_bytes - 1);
  if (((address + bytes - 1) & ~(device_page_bytes - 1)) != page) return false;
  // The last allocation that begins in the page or before it is the last one that can reach into it.
  const auto after = allocations_.lower_bound(page + device_page_bytes);
  return after != allocations_.begin() && std::prev(after)->second.end() > page;
}

void DeviceMemory::say_stray(std::string what) {
  const std::lock_guard lock(stray_mutex_);
  if (stray_.empty()) stray_ = std::move(what);
}

std::string DeviceMemory::take_stray() {
  const std::lock_guard lock(stray_mutex_);
  return std::exchange(stray_, {});
}

const Allocation* DeviceMemory::nearest(DeviceAddress address) const {
  const auto after = allocations_.upper_bound(address);
  const Allocation* const above = after == allocations_.end() ? nullptr : &after->second;
  const Allocation* const below = after == allocations_.begin() ? nullptr : &std::prev(after)->second;
  if (above == nullptr || below == nullptr) return below == nullptr ? above : below;
  const std::uint64_t over = address >= below->end() ? address - below->end() : 0;
  return over <= above->begin - address ? below : above;
}

bool DeviceMemory::was_released(DeviceAddress address) const {
  const auto after = released_.upper_bound(address);
  return after != released_.begin() && address < std::prev(after)->second.end();
}

std::byte* DeviceMemory::checked(DeviceAddress address, std::uint64_t bytes) const {
  if (find(address, bytes) == nullptr)
    throw Fault(
        FaultKind::illegal_address,
        fmt::format("the range [{:#x}, {:#x}) is not inside one allocation", address, address + bytes));
  return host(address);
}

void DeviceMemory::write(DeviceAddress address, std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(checked(address, bytes.size()), bytes.data(), bytes.size());
}

void DeviceMemory::read(DeviceAddress address, std::span<std::byte> bytes) const {
  if (!bytes.empty()) std::memcpy(bytes.data(), checked(address, bytes.size()), bytes.size());
}

void DeviceMemory::fill(DeviceAddress address, std::uint8_t value, std::uint64_t bytes) {
  if (bytes != 0) std::memset(checked(address, bytes), value, bytes);
}

}  // namespace warpgauge::emulator
