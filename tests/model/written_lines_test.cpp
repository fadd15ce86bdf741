// How much of what is written to the L2 waits there for memory, and what goes first.
#include "model/memory/written_lines.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/memory/slice_map.h"
#include "tests/model/memory_requests.h"

namespace warpgauge::model::test {
namespace {

// An L2 that keeps half of its lines from memory, or another share, with one set a slice.
MemorySpec halves(MemorySpec spec, double share = 0.5) {
  spec.l2.written_share = share;
  spec.l2.ways = static_cast<unsigned>(spec.l2.size_bytes / spec.l2.line_bytes / spec.l2.slices);
  return spec;
}

std::uint64_t lines_of(const MemorySpec& spec) {
  return spec.l2.size_bytes / spec.l2.line_bytes;
}

// How many lines go to memory when these are stored, one after the other.
std::uint64_t stored(MemorySystem& memory, std::uint64_t first, std::uint64_t count, std::uint64_t step = 1) {
  static Cycle at = 0;
  const std::uint64_t before = memory.counters().dram_write_bytes;
  std::vector<MemoryRequest> requests;
  for (std::uint64_t line = 0; line < count; ++line)
    requests.push_back(request(at += 20, first + line * step, RequestKind::store));
  serve(memory, requests);
  return (memory.counters().dram_write_bytes - before) / 128;
}

TEST(WrittenLines, TheOneWhoseLastStoreIsTheLongestAgoGoes) {
  WrittenLines lines(8, 1, 3);
  EXPECT_EQ(lines.write(0, 0), WrittenLines::none);
  EXPECT_EQ(lines.write(1, 1), WrittenLines::none);
  EXPECT_EQ(lines.write(2, 2), WrittenLines::none);
  EXPECT_EQ(lines.write(0, 0), WrittenLines::none) << "it is written already";
  EXPECT_EQ(lines.write(3, 3), 1U);
  EXPECT_EQ(lines.write(1, 1), 2U) << "memory had it, and it counts anew";
  lines.forget(0);
  EXPECT_EQ(lines.write(4, 4), WrittenLines::none) << "another has made way by itself";
}

TEST(WrittenLines, GroupsKeepTheirOwn) {
  WrittenLines lines(8, 2, 1);
  EXPECT_EQ(lines.write(0, 0), WrittenLines::none);
  EXPECT_EQ(lines.write(1, 1), WrittenLines::none);
  EXPECT_EQ(lines.write(2, 2), 0U);
  EXPECT_EQ(lines.write(3, 5), 1U);
}

TEST(WrittenLines, HalfOfTheL2WaitsForMemoryAndTheRestOfAFillGoesThere) {
  const MemorySpec spec = halves(small());
  const std::uint64_t lines = lines_of(spec);
  MemorySystem memory(spec);
  EXPECT_EQ(stored(memory, 0, lines / 2), 0U);
  EXPECT_EQ(stored(memory, lines / 2, lines / 4), lines / 4);
  MemorySystem all(halves(small(), 1));
  EXPECT_EQ(stored(all, 0, lines), 0U) << "all of it where nothing bounds it";
}

// A walk through more than half of the L2 finds each line written to memory before it comes back to it.
TEST(WrittenLines, WhatIsStoredInTurnGoesToMemoryEachTimeWhereItIsMoreThanHalfOfTheL2) {
  const MemorySpec spec = halves(small());
  const std::uint64_t half = lines_of(spec) / 2;
  MemorySystem memory(spec);
  stored(memory, 0, half);
  EXPECT_EQ(stored(memory, 0, half), 0U) << "half stays";
  stored(memory, 0, half * 5 / 4);
  EXPECT_EQ(stored(memory, 0, half * 5 / 4), half * 5 / 4);
}

// On the card 12 MiB that were stored again lie there still when as much has been stored beside 12 others.
TEST(WrittenLines, WhatWasStoredAgainOutlivesWhatWasStoredOnce) {
  const MemorySpec spec = halves(small());
  const std::uint64_t quarter = lines_of(spec) / 4;
  MemorySystem memory(spec);
  stored(memory, 0, quarter);
  stored(memory, quarter, quarter);
  stored(memory, 0, quarter);
  EXPECT_EQ(stored(memory, 2 * quarter, quarter), quarter) << "the second quarter's";
  EXPECT_EQ(stored(memory, 0, quarter), 0U) << "the first is written still";
}

TEST(WrittenLines, WhatMemoryHasGotIsStillInTheL2) {
  const MemorySpec spec = halves(small());
  const std::uint64_t lines = lines_of(spec);
  MemorySystem memory(spec);
  stored(memory, 0, lines * 5 / 8);
  const std::uint64_t written = memory.counters().dram_write_bytes;
  std::vector<MemoryRequest> loads;
  for (std::uint64_t line = 0; line < lines / 16; ++line)
    loads.push_back(request(100000000 + 20 * line, line));
  serve(memory, loads);
  EXPECT_GT(written, 0U);
  EXPECT_EQ(memory.counters().dram_write_bytes, written);
  EXPECT_EQ(memory.counters().dram_read_bytes, 0U);
}

// A quarter of the L2, whole or 4 KiB of each 32: a buffer has as many lines in each group, pieces have more
// in some.
TEST(WrittenLines, ABufferHasOnePlaceAfterTheOtherInItsSlices) {
  MemorySpec spec = halves(two_partitions());
  spec.l2.slices = 94;
  spec.l2.size_bytes = 52 << 20;
  spec.l2.slice_interleave = {512, 256};
  const SliceMap map(spec.l2);
  constexpr std::uint64_t sets = 283;
  const auto above_eight = [&](std::uint64_t count, std::uint64_t piece, std::uint64_t stride) {
    std::vector<unsigned> groups(94 * sets);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t line = (std::uint64_t{0x7f2000000000} / 128) + i / piece * stride + i % piece;
      ++groups[map.slice_of(line, map.partition_of(line)) * sets + map.place_of(line) % sets];
    }
    double above = 0;
    for (const unsigned lines : groups) above += lines > 8 ? lines - 8 : 0;
    return above / static_cast<double>(count);
  };
  const auto share = [&](double of_the_l2) { return static_cast<std::uint64_t>(of_the_l2 * 52 * 8192); };
  // Of 47.7 MiB, twice what an H100 keeps from memory: 16 and 24 MiB, whole, and 4 KiB of each 32.
  EXPECT_NEAR(above_eight(share(16 / 47.7), 1, 1), 0, 0.005);
  EXPECT_NEAR(above_eight(share(24 / 47.7), 1, 1), 0.03, 0.05);
  EXPECT_NEAR(above_eight(share(16 / 47.7), 32, 256), 0.02, 0.015);
  EXPECT_NEAR(above_eight(share(24 / 47.7), 32, 256), 0.12, 0.02);
}

}  // namespace
}  // namespace warpgauge::model::test
