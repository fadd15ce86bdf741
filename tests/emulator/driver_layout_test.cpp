#include "traces/emulator/driver_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "traces/emulator/memory.h"

namespace warpgauge::emulator {
namespace {

constexpr std::uint64_t page = DriverLayout::page_bytes;
constexpr DeviceAddress begin = 0x7f40'0000'0000;

// Pages of the card and of the layout that hold the same allocations.
class Pages {
 public:
  // Whether the card's and the layout's are each other's, or either has not been met since it was empty.
  bool same(std::uint64_t card, std::uint64_t ours) {
    if (counts_[card]++ == 0) ours_[card] = ours;
    return ours_[card] == ours;
  }
  void leave(std::uint64_t card) { --counts_[card]; }

 private:
  std::map<std::uint64_t, std::uint64_t> ours_;
  std::map<std::uint64_t, unsigned> counts_;
};

TEST(DriverLayout, EveryAllocationOfEightRandomSequencesLiesWhereTheCardHadIt) {
  std::ifstream recorded(WARPGAUGE_SOURCE_DIR "/tests/emulator/data/driver_layout_h200.txt");
  ASSERT_TRUE(recorded);
  DriverLayout layout;
  Pages pages;
  std::map<DeviceAddress, std::pair<DeviceAddress, std::uint64_t>> held;  // by the card's address
  unsigned allocations = 0;
  for (std::string line; std::getline(recorded, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "sequence") {
      layout = DriverLayout(begin, std::uint64_t{8} << 30);
      pages = {};
      held.clear();
    } else if (what == "a") {
      std::uint64_t bytes = 0;
      DeviceAddress card = 0;
      words >> bytes >> std::hex >> card;
      const auto ours = layout.take(bytes, MemoryPool::device);
      ASSERT_TRUE(ours);
      EXPECT_EQ(*ours % page, card % page) << line;
      EXPECT_TRUE(pages.same(card / page, *ours / page)) << line;
      held[card] = {*ours, bytes};
      ++allocations;
    } else if (what == "f") {
      DeviceAddress card = 0;
      words >> std::hex >> card;
      ASSERT_TRUE(held.contains(card)) << line;
      layout.give_back(held[card].first, held[card].second, MemoryPool::device);
      pages.leave(card / page);
      held.erase(card);
    }
  }
  EXPECT_EQ(allocations, 738U);
}

TEST(DriverLayout, AllocationsOfUpToAPageShareOneAndLargerOnesLeaveTheirRestToNobody) {
  DriverLayout layout(begin, 16 * page);
  EXPECT_EQ(layout.take(800'000, MemoryPool::device), begin);
  EXPECT_EQ(layout.take(1, MemoryPool::device), begin + 800'256);
  EXPECT_EQ(layout.take(page, MemoryPool::device), begin + page);
  EXPECT_EQ(layout.take(page + 1, MemoryPool::device), begin + 2 * page);
  EXPECT_EQ(layout.take(page, MemoryPool::device), begin + 4 * page);
  EXPECT_EQ(layout.take(1'000'000, MemoryPool::device), begin + 800'768);
}

TEST(DriverLayout, TheSmallestGapIsTakenAndOfTwoAlikeTheOlder) {
  DriverLayout layout(begin, 16 * page);
  DeviceAddress at[7];
  for (int i = 0; i < 7; ++i) at[i] = *layout.take(i == 1 ? 4096 : 1024, MemoryPool::device);
  layout.give_back(at[1], 4096, MemoryPool::device);
  layout.give_back(at[5], 1024, MemoryPool::device);
  layout.give_back(at[3], 1024, MemoryPool::device);
  EXPECT_EQ(layout.take(1000, MemoryPool::device), at[5]);
  EXPECT_EQ(layout.take(1000, MemoryPool::device), at[3]);
  EXPECT_EQ(layout.take(1000, MemoryPool::device), at[1]);
}

TEST(DriverLayout, KindsOfMemoryShareNoPageAndThatOfStreamsHas32MiB) {
  DriverLayout layout(begin, 64 * page);
  EXPECT_EQ(layout.take(8, MemoryPool::device), begin);
  EXPECT_EQ(layout.take(8, MemoryPool::managed), begin + page);
  EXPECT_EQ(layout.take(8, MemoryPool::variables), begin + 2 * page);
  const DeviceAddress streams = *layout.take(1000, MemoryPool::stream_ordered);
  EXPECT_EQ(streams % (16 * page), begin % (16 * page));
  EXPECT_EQ(layout.take(10'000'000, MemoryPool::stream_ordered), streams + 1024);
  EXPECT_EQ(layout.take(8, MemoryPool::stream_ordered), streams + 1024 + 10'000'384);
}

TEST(DriverLayout, WhatIsGivenBackIsOneGapAgainAndNothingIsLeftBeyondTheEnd) {
  DriverLayout layout(begin, 4 * page);
  std::map<DeviceAddress, std::uint64_t> held;
  for (std::uint64_t size = 1; size < page; size = size * 3 + 1)
    held[*layout.take(size, MemoryPool::device)] = size;
  for (const auto& [address, size] : held) layout.give_back(address, size, MemoryPool::device);
  EXPECT_EQ(layout.take(4 * page, MemoryPool::host), begin);
  EXPECT_FALSE(layout.take(1, MemoryPool::device));
}

TEST(DeviceMemory, LaysAllocationsOutSideBySideWhereItIsAskedTo) {
  DeviceMemory memory(std::uint64_t{1} << 30, DeviceMemory::Addresses::of_their_own,
                      DeviceMemory::Layout::as_driver);
  const DeviceAddress a = *memory.allocate(100);
  EXPECT_EQ(memory.allocate(512), a + 512);
  EXPECT_EQ(memory.allocate(16), a + 1024);
  memory.fill(a + 512, 0xff, 512);
  EXPECT_TRUE(memory.release(a + 512));
  EXPECT_EQ(memory.allocate(8), a + 512);
  std::byte first{0xee};
  memory.read(a + 512, {&first, 1});
  EXPECT_EQ(first, std::byte{0});
}

}  // namespace
}  // namespace warpgauge::emulator
