// What blocks of one SM write stays theirs until the window ends.
#include "traces/emulator/write_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "traces/emulator/effects.h"
#include "traces/emulator/memory_access.h"

namespace warpgauge::emulator {
namespace {

using Addresses = std::array<std::uint64_t, lanes>;
using Rows = std::array<std::uint32_t, 4 * lanes>;

MicroOp store_of(Cell cell) {
  MicroOp op;
  op.mode = static_cast<std::uint8_t>(cell);
  return op;
}

MicroOp atomic_of(AtomicFunction function, AtomicType type = AtomicType::u32) {
  MicroOp op;
  op.mode = static_cast<std::uint8_t>(function);
  op.mode2 = static_cast<std::uint8_t>(type);
  op.mode3 = 1;
  op.extra = atomic_returns;
  return op;
}

class WriteLogTest : public ::testing::Test {
 protected:
  std::uint32_t seen(const WriteLog& log, std::uint64_t address) const {
    std::byte bytes[WriteLog::granule];
    log.view(memory, address, bytes);
    std::uint32_t word = 0;
    std::memcpy(&word, bytes + address % WriteLog::granule, sizeof word);
    return word;
  }
  std::uint32_t word(std::uint64_t address) const {
    std::uint32_t value = 0;
    memory.read(address, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  static Addresses all_at(std::uint64_t address) {
    Addresses addresses;
    addresses.fill(address);
    return addresses;
  }

  DeviceMemory memory{std::uint64_t{1} << 20};
  DeviceAddress base = *memory.allocate(1000);
  std::array<WriteLog, 3> logs;
};

TEST_F(WriteLogTest, AnSmSeesItsOwnStoreAtOnceAndOthersWhenTheWindowHasEnded) {
  const MicroOp op = store_of(Cell::b32);
  const Rows data{42};
  logs[1].store(op, 1, 7, all_at(base + 4).data(), data.data());
  EXPECT_EQ(seen(logs[1], base + 4), 42U);
  EXPECT_EQ(seen(logs[0], base + 4), 0U);
  EXPECT_EQ(word(base + 4), 0U);
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base + 4), 42U);
  EXPECT_EQ(seen(logs[0], base + 4), 42U);
  EXPECT_TRUE(logs[1].empty());
}

TEST_F(WriteLogTest, AStoreBehindAnAllocationIsSeenAndCarriedOutToo) {
  const MicroOp op = store_of(Cell::b32);
  const Rows data{42};
  logs[1].store(op, 1, 7, all_at(base + 1000).data(), data.data());
  EXPECT_EQ(seen(logs[1], base + 1000), 42U);
  EXPECT_EQ(seen(logs[0], base + 1000), 0U);
  WriteLog::commit(memory, logs);
  EXPECT_EQ(seen(logs[0], base + 1000), 42U);
}

TEST_F(WriteLogTest, AByteStoredIsPartOfTheWordLoaded) {
  const MicroOp bytes = store_of(Cell::u8);
  const Rows data{0xab, 0xcd};
  Addresses addresses{};
  addresses[0] = base + 9;
  addresses[1] = base + 10;
  logs[0].store(bytes, 3, 0, addresses.data(), data.data());
  EXPECT_EQ(seen(logs[0], base + 8), 0x00cdab00U);
}

TEST_F(WriteLogTest, ARowIsSeenFromItsFirstWordToItsLastAndNotBeyond) {
  Rows data{};
  for (unsigned i = 0; i < lanes; ++i) data[i] = i + 1;
  logs[0].store_row(0, base + 4, data.data());
  EXPECT_EQ(seen(logs[0], base), 0U);
  for (unsigned i = 0; i < lanes; ++i) EXPECT_EQ(seen(logs[0], base + 4 + 4 * i), i + 1);
  EXPECT_EQ(seen(logs[0], base + 4 + 4 * lanes), 0U);
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base + 4 * lanes), lanes);
}

TEST_F(WriteLogTest, TheLaterOfTwoStoresOfOneSmStays) {
  const MicroOp op = store_of(Cell::b32);
  logs[0].store(op, 1, 1, all_at(base).data(), Rows{1}.data());
  logs[0].store(op, 1, 2, all_at(base).data(), Rows{2}.data());
  EXPECT_EQ(seen(logs[0], base), 2U);
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base), 2U);
}

TEST_F(WriteLogTest, StoresOfSeveralSmsTakePlaceInTheOrderOfCyclesThenOfSms) {
  const MicroOp op = store_of(Cell::b32);
  logs[0].store(op, 1, 9, all_at(base).data(), Rows{100}.data());
  logs[2].store(op, 1, 5, all_at(base).data(), Rows{102}.data());
  logs[1].store(op, 1, 5, all_at(base + 4).data(), Rows{201}.data());
  logs[2].store(op, 1, 5, all_at(base + 4).data(), Rows{202}.data());
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base), 100U);
  EXPECT_EQ(word(base + 4), 202U);
}

TEST_F(WriteLogTest, AtomicsGiveTheirOldValuesInTheOrderOfCyclesWhenTheWindowEnds) {
  const MicroOp op = atomic_of(AtomicFunction::add);
  Rows first{};
  Rows second{};
  const Rows one{1, 1};
  const Rows swap{};
  logs[0].atomic(op, 3, 8, all_at(base).data(), one.data(), swap.data(), first.data());
  logs[1].atomic(op, 3, 3, all_at(base).data(), one.data(), swap.data(), second.data());
  EXPECT_EQ(seen(logs[0], base), 2U) << "its own additions alone";
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base), 4U);
  EXPECT_EQ(second[0], 0U);
  EXPECT_EQ(second[1], 1U);
  EXPECT_EQ(first[0], 2U);
  EXPECT_EQ(first[1], 3U);
}

TEST_F(WriteLogTest, OneOfManyCompareAndSwapsWins) {
  const MicroOp op = atomic_of(AtomicFunction::compare_and_swap);
  std::array<Rows, 3> old{};
  for (unsigned sm = 0; sm < logs.size(); ++sm) {
    const Rows swap{sm + 1};
    logs[sm].atomic(op, 1, 10 - sm, all_at(base).data(), Rows{0}.data(), swap.data(), old[sm].data());
  }
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base), 3U) << "the earliest is the last SM's";
  EXPECT_EQ(old[2][0], 0U);
  EXPECT_EQ(old[1][0], 3U);
  EXPECT_EQ(old[0][0], 3U);
}

TEST_F(WriteLogTest, AStoreBehindAnAtomicIsWhatTheSmSees) {
  const MicroOp add = atomic_of(AtomicFunction::add);
  const MicroOp store = store_of(Cell::b32);
  Rows old{};
  logs[0].atomic(add, 1, 1, all_at(base).data(), Rows{5}.data(), Rows{}.data(), old.data());
  logs[0].store(store, 1, 2, all_at(base).data(), Rows{70}.data());
  logs[0].atomic(add, 1, 3, all_at(base).data(), Rows{5}.data(), Rows{}.data(), old.data());
  EXPECT_EQ(seen(logs[0], base), 75U);
}

TEST_F(WriteLogTest, WhatIsFarFromAnyWriteIsKnownToBeMemorysOwn) {
  EXPECT_FALSE(logs[0].may_hold_row(base));
  const MicroOp store = store_of(Cell::b32);
  logs[0].store(store, 1, 1, all_at(base).data(), Rows{1}.data());
  const Addresses far = all_at(base + 512);
  EXPECT_FALSE(logs[0].may_hold(far.data(), all_lanes));
  EXPECT_TRUE(logs[0].may_hold(all_at(base).data(), 1));
  EXPECT_TRUE(logs[0].may_hold_row(base));
}

TEST_F(WriteLogTest, ARunOfBytesIsSeenWhereItLiesAndLaterStoresInIt) {
  std::array<std::byte, 300> run;
  for (std::size_t i = 0; i < run.size(); ++i) run[i] = static_cast<std::byte>(i + 1);
  logs[0].store_run(1, base + 100, run);
  const MicroOp store = store_of(Cell::b32);
  logs[0].store(store, 1, 2, all_at(base + 200).data(), Rows{0xffffffff}.data());
  std::array<std::byte, 320> wanted{};
  std::copy(run.begin(), run.end(), wanted.begin() + 10);
  std::fill_n(wanted.begin() + 110, 4, std::byte{0xff});
  std::array<std::byte, 320> read{};
  logs[0].read_run(memory, base + 90, read);
  EXPECT_EQ(read, wanted);
  EXPECT_TRUE(logs[0].may_hold_row(base + 256));
  logs[1].read_run(memory, base + 90, read);
  EXPECT_EQ(read, (std::array<std::byte, 320>{}));
  WriteLog::commit(memory, logs);
  logs[1].read_run(memory, base + 90, read);
  EXPECT_EQ(read, wanted);
}

TEST_F(WriteLogTest, RunsOfSeveralSmsAreCombinedInTheOrderOfCycles) {
  const std::array<std::uint32_t, 40> ones = [] {
    std::array<std::uint32_t, 40> words{};
    words.fill(1);
    return words;
  }();
  const auto bytes = std::as_bytes(std::span(ones));
  logs[0].combine_run(5, base + 16, bytes, AtomicFunction::add, AtomicType::u32);
  logs[0].combine_run(6, base + 16, bytes.first(16), AtomicFunction::add, AtomicType::u32);
  logs[1].store_run(4, base, bytes);
  EXPECT_EQ(seen(logs[0], base + 16), 2U);
  EXPECT_EQ(seen(logs[0], base + 32), 1U);
  EXPECT_EQ(seen(logs[1], base + 32), 1U);
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base + 12), 1U);
  EXPECT_EQ(word(base + 16), 3U);
  EXPECT_EQ(word(base + 32), 2U);
  EXPECT_EQ(word(base + 156), 2U);
  EXPECT_EQ(word(base + 160), 1U);
  EXPECT_EQ(word(base + 176), 0U);
}

// Halves lie at any multiple of two bytes.
TEST_F(WriteLogTest, HalvesAreCombinedOneByOne) {
  const std::array<std::uint16_t, 3> halves{0x3c00, 0x4000, 0xbc00};  // 1, 2, -1
  const auto bytes = std::as_bytes(std::span(halves));
  for (int i = 0; i < 2; ++i) logs[0].combine_run(1, base + 2, bytes, AtomicFunction::add, AtomicType::f16x2);
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base), 0x40000000U);
  EXPECT_EQ(word(base + 4), 0xc0004400U);
}

// The last bytes of an allocation are looked at without the ones behind them.
TEST_F(WriteLogTest, AViewAtAnAllocationsEndHoldsItsBytes) {
  const std::byte last[4] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  memory.write(base + 996, last);
  EXPECT_EQ(seen(logs[0], base + 996), 0x04030201U);
}

}  // namespace
}  // namespace warpgauge::emulator
