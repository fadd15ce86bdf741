// Memory that host and device share, and the heap that kernels allocate from.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "traces/cuda/kernel_calls.h"

namespace warpgauge::cuda {
namespace {

using emulator::DeviceAddress;
using emulator::DeviceMemory;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

TEST(SharedAddresses, ADeviceAddressIsTheHostsAddress) {
  DeviceMemory memory(64 * mib, DeviceMemory::Addresses::as_on_host);
  const DeviceAddress address = *memory.allocate(100);
  EXPECT_EQ(reinterpret_cast<DeviceAddress>(memory.host(address)), address);
  *reinterpret_cast<char*>(address + 99) = 7;
  std::byte last{};
  memory.read(address + 99, {&last, 1});
  EXPECT_EQ(last, std::byte{7});
}

TEST(SharedAddresses, TwoMemoriesAtATimeHaveNoAddressInCommonAndOneAfterTheOtherHasTheSame) {
  DeviceAddress first = 0;
  {
    DeviceMemory memory(64 * mib, DeviceMemory::Addresses::as_on_host);
    DeviceMemory other(64 * mib, DeviceMemory::Addresses::as_on_host);
    first = *memory.allocate(mib);
    EXPECT_NE(*other.allocate(mib), first);
    EXPECT_EQ(other.find(first), nullptr);
  }
  DeviceMemory again(64 * mib, DeviceMemory::Addresses::as_on_host);
  EXPECT_EQ(*again.allocate(mib), first);
}

TEST(SharedAddresses, AdoptedMemoryHasBoundsAndIsNeverTouchedWhenItIsGivenBack) {
  DeviceMemory memory(64 * mib, DeviceMemory::Addresses::as_on_host);
  std::vector<char> own(4 * 4096, 'x');
  const auto begin = reinterpret_cast<DeviceAddress>(own.data());
  ASSERT_TRUE(memory.adopt(own.data(), own.size()));
  EXPECT_FALSE(memory.adopt(own.data() + own.size() - 1, 2));
  EXPECT_NE(memory.find(begin, own.size()), nullptr);
  EXPECT_EQ(memory.find(begin, own.size() + 1), nullptr);
  EXPECT_EQ(memory.used(), 0U);
  const DeviceAddress beside = *memory.allocate(64);
  EXPECT_FALSE(memory.adopt(memory.host(beside), 16));
  EXPECT_TRUE(memory.release(begin));
  EXPECT_EQ(memory.find(begin), nullptr);
  EXPECT_EQ(own, std::vector<char>(4 * 4096, 'x'));
}

TEST(SharedAddresses, OnlyWhereTheyAreAskedFor) {
  DeviceMemory memory(64 * mib);
  EXPECT_EQ(*memory.allocate(1), DeviceMemory::first_address);
  char own = 0;
  EXPECT_FALSE(memory.adopt(&own, 1));
}

TEST(KernelHeap, GivesDisjointRangesUntilItIsFullAndAllOfItBack) {
  DeviceMemory memory(64 * mib, DeviceMemory::Addresses::as_on_host);
  DeviceHeap heap(memory);
  ASSERT_TRUE(heap.set_limit(mib));
  heap.prepare();
  EXPECT_FALSE(heap.set_limit(2 * mib));
  std::mt19937 random(1);
  std::map<DeviceAddress, std::uint64_t> held;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 3 != 0) {
      const std::uint64_t bytes = 1 + random() % 8192;
      const DeviceAddress address = heap.allocate(bytes);
      if (address == 0) continue;
      EXPECT_EQ(address % 16, 0U);
      const auto after = held.lower_bound(address);
      if (after != held.end()) {
        EXPECT_LE(address + bytes, after->first);
      }
      if (after != held.begin()) {
        EXPECT_LE(std::prev(after)->first + std::prev(after)->second, address);
      }
      ASSERT_NE(memory.find(address, bytes), nullptr);
      held[address] = bytes;
    } else if (!held.empty()) {
      EXPECT_TRUE(heap.release(held.begin()->first));
      held.erase(held.begin());
    }
  }
  EXPECT_EQ(heap.allocate(mib), 0U);
  for (const auto& [address, bytes] : held) EXPECT_TRUE(heap.release(address));
  const DeviceAddress whole = heap.allocate(mib);
  EXPECT_NE(whole, 0U);
  EXPECT_FALSE(heap.release(whole + 16));
  EXPECT_TRUE(heap.release(whole));
  EXPECT_FALSE(heap.release(whole));
}

TEST(DeviceHeap, GivesWhatIsAskedForAtMultiplesOfAnAlignment) {
  DeviceMemory memory(64 * mib);
  DeviceHeap heap(memory);
  heap.prepare();
  std::vector<DeviceAddress> given;
  for (const std::uint64_t alignment : {1, 256, 16, 4096, 32}) {
    given.push_back(heap.allocate(24, alignment));
    ASSERT_NE(given.back(), 0U);
    EXPECT_EQ(given.back() % alignment, 0U) << alignment;
  }
  EXPECT_EQ(std::set(given.begin(), given.end()).size(), given.size());
  EXPECT_EQ(heap.allocate(24, 24), 0U) << "no power of two";
  for (const DeviceAddress address : given) EXPECT_TRUE(heap.release(address));
  EXPECT_NE(heap.allocate(heap.limit()), 0U) << "all of it is one piece again";
}

}  // namespace
}  // namespace warpgauge::cuda
