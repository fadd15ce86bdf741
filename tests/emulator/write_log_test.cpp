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
  std::uint64_t line = base / DeferredAccesses::line_bytes * DeferredAccesses::line_bytes;
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

// What is deferred takes place when it is carried out.

TEST_F(WriteLogTest, AtomicsGiveTheirOldValuesInTheOrderInWhichTheyAreCarriedOut) {
  const MicroOp op = atomic_of(AtomicFunction::add);
  Rows first{};
  Rows second{};
  const Rows one{1, 1};
  const Rows swap{};
  const std::uint32_t a = logs[0].defer_atomic(op, 0, 3, all_at(base).data(), one.data(), swap.data(), first.data());
  const std::uint32_t b = logs[1].defer_atomic(op, 0, 3, all_at(base).data(), one.data(), swap.data(), second.data());
  EXPECT_EQ(seen(logs[0], base), 2U) << "its own additions alone";
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base), 0U) << "a window's end changes nothing";
  EXPECT_EQ(seen(logs[0], base), 2U) << "nor what the SM sees";
  logs[1].carry_out(memory, b, line);
  logs[0].carry_out(memory, a, line);
  EXPECT_EQ(word(base), 4U);
  EXPECT_EQ(second[0], 0U);
  EXPECT_EQ(second[1], 1U);
  EXPECT_EQ(first[0], 2U);
  EXPECT_EQ(first[1], 3U);
  EXPECT_EQ(seen(logs[0], base), 4U) << "each takes place once";
}

TEST_F(WriteLogTest, OneOfManyCompareAndSwapsWins) {
  const MicroOp op = atomic_of(AtomicFunction::compare_and_swap);
  std::array<Rows, 3> old{};
  std::array<std::uint32_t, 3> tickets{};
  for (unsigned sm = 0; sm < logs.size(); ++sm) {
    const Rows swap{sm + 1};
    tickets[sm] = logs[sm].defer_atomic(op, 0, 1, all_at(base).data(), Rows{0}.data(), swap.data(), old[sm].data());
  }
  for (const unsigned sm : {2U, 0U, 1U}) logs[sm].carry_out(memory, tickets[sm], line);
  EXPECT_EQ(word(base), 3U) << "the earliest is the last SM's";
  EXPECT_EQ(old[2][0], 0U);
  EXPECT_EQ(old[1][0], 3U);
  EXPECT_EQ(old[0][0], 3U);
}

TEST_F(WriteLogTest, AnAtomicTakesPlaceLineByLine) {
  const MicroOp op = atomic_of(AtomicFunction::add);
  Addresses addresses = all_at(base);
  addresses[1] = base + DeferredAccesses::line_bytes;
  const Rows one{1, 1};
  Rows old{};
  const std::uint32_t ticket = logs[0].defer_atomic(op, 0, 3, addresses.data(), one.data(), Rows{}.data(), old.data());
  logs[0].carry_out(memory, ticket, line + DeferredAccesses::line_bytes);
  EXPECT_EQ(word(base), 0U);
  EXPECT_EQ(word(addresses[1]), 1U);
  EXPECT_EQ(seen(logs[0], base), 1U) << "what has yet to take place is still its SM's";
  logs[0].carry_out(memory, ticket, line);
  EXPECT_EQ(word(base), 1U);
  EXPECT_EQ(word(addresses[1]), 1U);
}

TEST_F(WriteLogTest, AStoreBehindAnAtomicIsWhatTheSmSees) {
  const MicroOp add = atomic_of(AtomicFunction::add);
  const MicroOp store = store_of(Cell::b32);
  Rows old{};
  const std::uint32_t first = logs[0].defer_atomic(add, 0, 1, all_at(base).data(), Rows{5}.data(), Rows{}.data(), old.data());
  logs[0].store(store, 1, 2, all_at(base).data(), Rows{70}.data());
  const std::uint32_t second = logs[0].defer_atomic(add, 0, 1, all_at(base).data(), Rows{5}.data(), Rows{}.data(), old.data());
  EXPECT_EQ(seen(logs[0], base), 75U);
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base), 70U) << "the first addition came before the store, though its turn had not come";
  EXPECT_EQ(seen(logs[0], base), 75U);
  logs[0].carry_out(memory, first, line);
  EXPECT_EQ(word(base), 70U) << "when it comes, that has been done";
  logs[0].carry_out(memory, second, line);
  EXPECT_EQ(word(base), 75U);
}

TEST_F(WriteLogTest, AWarpsAccessesToALineTakePlaceInTheirOrder) {
  const MicroOp load = store_of(Cell::b32);
  const MicroOp store = store_of(Cell::b32);
  Rows before{};
  Rows behind{};
  const std::uint32_t first = logs[0].defer_load(load, 4, 1, all_at(base).data(), before.data());
  const std::uint32_t stored = logs[0].defer_store(store, 4, 1, all_at(base).data(), Rows{9}.data());
  const std::uint32_t second = logs[0].defer_load(load, 4, 1, all_at(base).data(), behind.data());
  logs[0].carry_out(memory, second, line);
  EXPECT_EQ(before[0], 0U);
  EXPECT_EQ(behind[0], 9U);
  EXPECT_EQ(word(base), 9U);
  logs[0].carry_out(memory, stored, line);
  logs[0].carry_out(memory, first, line);
  EXPECT_EQ(before[0], 0U);
}

TEST_F(WriteLogTest, AnotherWarpsLoadSeesAStoreOnceThatHasBeenCarriedOut) {
  const MicroOp load = store_of(Cell::b32);
  const MicroOp store = store_of(Cell::b32);
  Rows old{};
  Rows fresh{};
  const std::uint32_t stored = logs[0].defer_store(store, 4, 1, all_at(base).data(), Rows{9}.data());
  logs[1].carry_out(memory, logs[1].defer_load(load, 0, 1, all_at(base).data(), old.data()), line);
  logs[0].carry_out(memory, stored, line);
  logs[1].carry_out(memory, logs[1].defer_load(load, 0, 1, all_at(base).data(), fresh.data()), line);
  EXPECT_EQ(old[0], 0U);
  EXPECT_EQ(fresh[0], 9U);
}

TEST_F(WriteLogTest, AStoreWaitsForALoadBeforeIt) {
  const MicroOp word_op = store_of(Cell::b32);
  Rows loaded{};
  const std::uint32_t ticket = logs[0].defer_load(word_op, 0, 1, all_at(base).data(), loaded.data());
  logs[0].store(word_op, 1, 1, all_at(base).data(), Rows{3}.data());
  WriteLog::commit(memory, logs);
  EXPECT_EQ(word(base), 3U);
  logs[0].carry_out(memory, ticket, line);
  EXPECT_EQ(loaded[0], 0U);
}

TEST_F(WriteLogTest, ALoadThatAsksNobodySeesWhatItsSmDoes) {
  const MicroOp word_op = store_of(Cell::b32);
  Rows loaded{};
  logs[0].store(word_op, 1, 1, all_at(base).data(), Rows{3}.data());
  const std::uint32_t ticket = logs[0].defer_load(word_op, 0, 1, all_at(base).data(), loaded.data());
  logs[0].carry_out_load(memory, ticket, line);
  EXPECT_EQ(loaded[0], 3U);
}

TEST_F(WriteLogTest, TicketsAreUsedAgainOnceTheirTurnsHaveComeAndTheWindowHasEnded) {
  const MicroOp op = atomic_of(AtomicFunction::add);
  Rows old{};
  const auto add = [&] {
    return logs[0].defer_atomic(op, 0, 1, all_at(base).data(), Rows{1}.data(), Rows{}.data(), old.data());
  };
  const std::uint32_t first = add();
  logs[0].carry_out(memory, first, line);
  WriteLog::commit(memory, logs);
  EXPECT_TRUE(logs[0].empty());
  EXPECT_EQ(add(), first);
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
