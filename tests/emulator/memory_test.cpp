#include "traces/emulator/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

#include "traces/emulator/fault.h"

namespace warpgauge::emulator {
namespace {

std::uint64_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  status >> total >> resident;
  return resident * 4096;
}

TEST(DeviceMemory, OnlyTouchedPagesCostHostMemory) {
  DeviceMemory memory(std::uint64_t{32} << 30);
  const auto address = memory.allocate(std::uint64_t{16} << 30);
  ASSERT_TRUE(address);
  const std::uint64_t before = resident_bytes();
  const std::uint64_t touched = std::uint64_t{16} << 20;
  memory.fill(*address + (std::uint64_t{9} << 30), 1, touched);
  EXPECT_LT(resident_bytes() - before, touched + (std::uint64_t{4} << 20));
}

TEST(DeviceMemory, KnowsWhichOfItIsTheHosts) {
  DeviceMemory memory(DeviceMemory::default_capacity, DeviceMemory::Addresses::as_on_host, DeviceMemory::Layout::as_driver);
  EXPECT_TRUE(memory.host_memory().empty());
  const auto device = memory.allocate(4096);
  const auto host = memory.allocate(4096, {}, MemoryPool::host);
  const auto beside = memory.allocate(512, {}, MemoryPool::host);
  ASSERT_TRUE(device && host && beside);
  ASSERT_EQ(*beside, *host + 4096) << "as the driver lays them out";
  const std::vector<traces::AddressRange> both{{*host, *host + 4096 + 512}};
  EXPECT_EQ(memory.host_memory(), both);
  memory.release(*host);
  const std::vector<traces::AddressRange> one{{*beside, *beside + 512}};
  EXPECT_EQ(memory.host_memory(), one);
  alignas(512) static std::byte own[4096];
  ASSERT_TRUE(memory.adopt(own, sizeof own));
  EXPECT_EQ(memory.host_memory().size(), 2U);
}

TEST(DeviceMemory, AllocationsStandApartAndAligned) {
  DeviceMemory memory;
  const auto a = memory.allocate(100);
  const auto b = memory.allocate(100);
  const auto c = memory.allocate(std::uint64_t{3} << 20);
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(*a % 512, 0U);
  EXPECT_EQ(*c % (2 << 20), 0U);
  EXPECT_GE(*b, *a + 100 + DeviceMemory::redzone_bytes);
  EXPECT_EQ(memory.find(*a + 100), nullptr);
  EXPECT_NE(memory.find(*a + 96, 4), nullptr);
  EXPECT_EQ(memory.find(*a + 97, 4), nullptr);
}

TEST(DeviceMemory, PagesOfAllocationsAreMappedWhereBoundsAreOfPages) {
  constexpr std::uint64_t page = DeviceMemory::device_page_bytes;
  DeviceMemory memory;
  const DeviceAddress small = *memory.allocate(100);
  const DeviceAddress large = *memory.allocate(3 * page - 16);
  EXPECT_FALSE(memory.in_mapped_page(small + 100, 4));
  memory.set_bounds(DeviceMemory::Bounds::of_pages);
  EXPECT_TRUE(memory.in_mapped_page(small + 100, 4));
  EXPECT_TRUE(memory.in_mapped_page(small + 96, 16));
  EXPECT_TRUE(memory.in_mapped_page(small + page - 4, 4));
  EXPECT_FALSE(memory.in_mapped_page(small - 4, 4));  // before the first page of all
  EXPECT_TRUE(memory.in_mapped_page(large + 3 * page - 16, 16));
  EXPECT_FALSE(memory.in_mapped_page(large + 3 * page, 4));
  EXPECT_FALSE(memory.in_mapped_page(large + 3 * page - 2, 4));
  EXPECT_FALSE(memory.in_mapped_page(16, 4));
  EXPECT_TRUE(memory.release(large));
  EXPECT_FALSE(memory.in_mapped_page(large + 3 * page - 16, 16));
}

TEST(DeviceMemory, RefusesMoreThanTheDeviceHas) {
  DeviceMemory memory(std::uint64_t{1} << 20);
  const auto a = memory.allocate(std::uint64_t{600} << 10);
  ASSERT_TRUE(a);
  EXPECT_FALSE(memory.allocate(std::uint64_t{600} << 10));
  EXPECT_TRUE(memory.release(*a));
  EXPECT_TRUE(memory.allocate(std::uint64_t{600} << 10));
}

TEST(DeviceMemory, ReleasedMemoryIsKnownAndComesBackZeroed) {
  DeviceMemory memory(std::uint64_t{1} << 30);
  const auto a = memory.allocate(5000);
  memory.fill(*a, 0xff, 5000);
  EXPECT_TRUE(memory.release(*a));
  EXPECT_FALSE(memory.release(*a));
  EXPECT_TRUE(memory.was_released(*a + 4999));
  // The range is used up after some gibibytes and begins anew: at the address of old.
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(memory.release(memory.allocate(std::uint64_t{400} << 20).value()));
  const auto b = memory.allocate(5000);
  ASSERT_TRUE(b);
  std::byte last{0xee};
  memory.read(*b + 4999, {&last, 1});
  EXPECT_EQ(last, std::byte{0});
}

TEST(DeviceMemory, CopiesOutsideAnAllocationFault) {
  DeviceMemory memory;
  const auto a = memory.allocate(16);
  std::byte bytes[17] = {};
  EXPECT_NO_THROW(memory.write(*a, std::span(bytes).first(16)));
  EXPECT_THROW(memory.write(*a, bytes), Fault);
  EXPECT_THROW(memory.read(0, bytes), Fault);
  EXPECT_THROW(memory.fill(*a - 1, 0, 2), Fault);
}

TEST(DeviceMemory, NearestAllocationIsTheCloserOne) {
  DeviceMemory memory;
  const auto a = memory.allocate(64);
  const auto b = memory.allocate(64);
  EXPECT_EQ(memory.nearest(*a + 70)->begin, *a);
  EXPECT_EQ(memory.nearest(*b - 4)->begin, *b);
  EXPECT_EQ(memory.nearest(0)->begin, *a);
  memory.release_all();
  EXPECT_EQ(memory.nearest(0), nullptr);
}

}  // namespace
}  // namespace warpgauge::emulator
