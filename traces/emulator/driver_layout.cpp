#include "traces/emulator/driver_layout.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "traces/emulator/round_up.h"

namespace warpgauge::emulator {
namespace {

std::uint64_t page_of(MemoryPool pool) {
  return pool == MemoryPool::stream_ordered ? 16 * DriverLayout::page_bytes : DriverLayout::page_bytes;
}

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t page) {
  const std::uint64_t steps = round_up(std::max<std::uint64_t>(bytes, 1), DriverLayout::step_bytes);
  return steps <= page ? steps : round_up(steps, page);
}

}  // namespace

DriverLayout::DriverLayout(DeviceAddress begin, std::uint64_t bytes) {
  const std::uint64_t whole = bytes / page_bytes * page_bytes;
  if (whole != 0) pages_.add(begin, whole);
}

std::optional<DeviceAddress> DriverLayout::take(std::uint64_t bytes, MemoryPool pool) {
  const std::uint64_t page = page_of(pool);
  const std::uint64_t size = rounded(bytes, page);
  if (size > page) return pages_.take_from_lowest(size, page);
  Gaps& shared = shared_[static_cast<std::size_t>(pool)];
  if (const auto address = shared.take_from_smallest(size)) return address;
  const auto head = pages_.take_from_lowest(page, page);
  if (head && size < page) shared.add(*head + size, page - size);
  return head;
}

void DriverLayout::give_back(DeviceAddress address, std::uint64_t bytes, MemoryPool pool) {
  const std::uint64_t page = page_of(pool);
  DeviceAddress begin = address;
  DeviceAddress end = address + rounded(bytes, page);
  if (end - begin < page) {
    // Gaps of one page that touch become one.
    Gaps& shared = shared_[static_cast<std::size_t>(pool)];
    if (begin % page != 0) begin -= shared.take_that_ends(begin);
    if (end % page != 0) end += shared.take_that_begins(end);
    if (end - begin < page) {
      shared.add(begin, end - begin);
      return;
    }
  }
  begin -= pages_.take_that_ends(begin);
  end += pages_.take_that_begins(end);
  pages_.add(begin, end - begin);
}

void DriverLayout::Gaps::add(DeviceAddress begin, std::uint64_t bytes) {
  by_address_.emplace(begin, Gap{bytes, next_number_});
  by_size_.emplace(std::pair(bytes, next_number_++), begin);
}

std::uint64_t DriverLayout::Gaps::remove(std::map<DeviceAddress, Gap>::const_iterator gap) {
  const Gap removed = gap->second;
  by_size_.erase({removed.bytes, removed.number});
  by_address_.erase(gap);
  return removed.bytes;
}

std::uint64_t DriverLayout::Gaps::take_that_begins(DeviceAddress address) {
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? 0 : remove(found);
}

std::uint64_t DriverLayout::Gaps::take_that_ends(DeviceAddress address) {
  const auto behind = by_address_.lower_bound(address);
  if (behind == by_address_.begin()) return 0;
  const auto before = std::prev(behind);
  return before->first + before->second.bytes == address ? remove(before) : 0;
}

std::optional<DeviceAddress> DriverLayout::Gaps::take_from_smallest(std::uint64_t bytes) {
  const auto found = by_size_.lower_bound({bytes, 0});
  if (found == by_size_.end()) return std::nullopt;
  const DeviceAddress begin = found->second;
  const std::uint64_t size = remove(by_address_.find(begin));
  if (size > bytes) add(begin + bytes, size - bytes);
  return begin;
}

std::optional<DeviceAddress> DriverLayout::Gaps::take_from_lowest(std::uint64_t bytes,
                                                                  std::uint64_t alignment) {
  for (auto gap = by_address_.begin(); gap != by_address_.end(); ++gap) {
    const DeviceAddress begin = gap->first;
    const DeviceAddress end = begin + gap->second.bytes;
    const DeviceAddress taken = round_up(begin, alignment);
    if (taken > end || bytes > end - taken) continue;
    remove(gap);
    if (taken > begin) add(begin, taken - begin);
    if (taken + bytes < end) add(taken + bytes, end - taken - bytes);
    return taken;
  }
  return std::nullopt;
}

}  // namespace warpgauge::emulator
