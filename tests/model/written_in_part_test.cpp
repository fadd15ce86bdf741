// Sectors of which stores have covered a part: when the L2 needs the rest from memory (docs/h200.md, "Sectors that are written in
// part").
#include <gtest/gtest.h>

#include <vector>

#include "model/memory/words.h"
#include "tests/model/memory_requests.h"

namespace warpgauge::model::test {
namespace {

// An L2 of one set a slice that keeps an eighth of its lines with sectors written in part, or another share.
MemorySpec eighths(double share = 0.125, unsigned slices = 16) {
  MemorySpec spec = small();
  spec.l2.slices = slices;
  spec.l2.ways = static_cast<unsigned>(spec.l2.size_bytes / spec.l2.line_bytes / spec.l2.slices);
  spec.l2.written_in_part_share = share;
  spec.l2.fetch_bytes = 32;
  return spec;
}

class WrittenInPart : public ::testing::Test {
 protected:
  void store(std::uint64_t line, std::uint8_t sectors, std::uint32_t words) {
    MemoryRequest made = request(at += 20, line, RequestKind::store);
    made.sectors = sectors;
    made.words = words;
    made.partial = words != words_of(sectors);
    serve(memory, {made});
  }
  // Sectors that memory is read for.
  std::uint64_t load(std::uint64_t line, std::uint8_t sectors) {
    const std::uint64_t before = read();
    MemoryRequest made = request(at += 20, line);
    made.sectors = sectors;
    serve(memory, {made});
    return read() - before;
  }
  [[nodiscard]] std::uint64_t read() const { return memory.counters().dram_read_bytes / 32; }
  [[nodiscard]] std::uint64_t written() const { return memory.counters().dram_write_bytes / 32; }

  MemorySystem memory{eighths()};
  const std::uint64_t eighth = (1 << 20) / 128 / 8;
  Cycle at = 0;
};

TEST_F(WrittenInPart, ALoadOfASectorWithOneWordStoredReadsMemoryOnce) {
  store(5, 0b0001, 0x04);
  EXPECT_EQ(read(), 0U) << "a store needs nothing of what was there";
  EXPECT_EQ(load(5, 0b0001), 1U);
  EXPECT_EQ(load(5, 0b0001), 0U);
  store(5, 0b0001, 0x08);
  EXPECT_EQ(load(5, 0b0001), 0U) << "the rest is there";
}

TEST_F(WrittenInPart, AnAtomicOnOneReadsMemory) {
  store(5, 0b0001, 0x04);
  MemoryRequest made = request(at += 20, 5, RequestKind::reduction);
  made.sectors = 0b0001;
  serve(memory, {made});
  EXPECT_EQ(read(), 1U);
}

TEST_F(WrittenInPart, ASectorWhoseWordsAreStoredOneByOneIsWhole) {
  for (unsigned word = 0; word < 8; ++word) store(5, 0b0010, 0x100U << word);
  EXPECT_EQ(load(5, 0b0010), 0U);
}

TEST_F(WrittenInPart, WordsThatComeLateMakeItWholeToo) {
  store(5, 0b0010, 0x0f00);
  memory.note({5, 0xf000});
  EXPECT_EQ(load(5, 0b0010), 0U);
  memory.note({6, 0xf000});
  EXPECT_EQ(load(6, 0b0010), 1U) << "a line that nothing was stored to";
}

TEST_F(WrittenInPart, AnEighthOfTheL2WaitsAndOfMoreTheOldestIsReadAndWrittenBack) {
  for (std::uint64_t line = 0; line < eighth; ++line) store(line, 0b0101, 0x010001);
  EXPECT_EQ(read(), 0U);
  for (std::uint64_t line = eighth; line < eighth + eighth / 2; ++line) store(line, 0b0101, 0x010001);
  EXPECT_EQ(read(), eighth) << "two sectors of each of half as many lines";
  EXPECT_EQ(written(), eighth);
  EXPECT_EQ(load(0, 0b0101), 0U) << "it stays";
  EXPECT_EQ(load(eighth - 1, 0b0101), 2U) << "not read yet";
}

// docs/h200.md, "Scatters to memory": nothing of 4 MiB is completed.
TEST_F(WrittenInPart, NothingOfABufferOfATenthOfAnH200IsCompleted) {
  MemorySpec spec = two_partitions();
  spec.l2.size_bytes = 54525952;
  spec.l2.slices = 94;
  spec.l2.ways = 16;
  spec.l2.slice_interleave = {512, 256};
  spec.l2.written_in_part_share = 0.125;
  memory = MemorySystem(spec);
  const std::uint64_t lines = 4 << 20 >> 7;
  for (unsigned round = 0; round < 2; ++round)
    for (std::uint64_t line = 0; line < lines; ++line) store(line, 0b0001, 1U << round);
  EXPECT_EQ(read(), 0U);
}

TEST_F(WrittenInPart, AStoreWaitsWhileAnotherSectorOfItsLineIsCompleted) {
  // How long after the last of a line too many a load is served that comes behind a store to this line.
  const auto wait_behind = [this](std::uint64_t line, std::uint8_t sectors) {
    memory = MemorySystem(eighths(0.125, 1));
    at = 0;
    for (std::uint64_t each = 0; each <= eighth; ++each) store(each, 0b0001, 0x01);  // line 0 is completed
    MemoryRequest first = request(at + 20, line, RequestKind::store);
    first.sectors = sectors;
    first.words = words_of(sectors);
    return last_of(serve(memory, {first, request(at + 21, eighth + 1000, RequestKind::load, 1)})) - at;
  };
  const Cycle free = wait_behind(5, 0b0010);
  EXPECT_EQ(wait_behind(0, 0b0001), free) << "the sector that is completed itself";
  EXPECT_GT(wait_behind(0, 0b0010), free + 200) << "nearly as long as memory takes";
}

TEST_F(WrittenInPart, LinesThatAreWholeInTheEndDoNotCount) {
  for (std::uint64_t line = 0; line < 2 * eighth; ++line) {
    store(line, 0b0001, 0x0f);
    store(line, 0b0001, 0xf0);
  }
  EXPECT_EQ(read(), 0U);
}

TEST_F(WrittenInPart, WhatMakesWayIsReadFirst) {
  memory = MemorySystem(eighths(1));
  store(0, 0b0001, 0x01);
  store(1, 0b0001, 0xff);
  for (std::uint64_t line = 2; line < 10 * eighth; ++line) store(line, 0b1111, ~0U);
  EXPECT_EQ(read(), 1U) << "of the two, the one with a part of a sector";
}

}  // namespace
}  // namespace warpgauge::model::test
