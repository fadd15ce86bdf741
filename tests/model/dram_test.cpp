// Rows and banks of the device's memory.
#include "model/memory/dram.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpgauge::model {
namespace {

// One channel of one bank that moves 64 bytes a cycle, so that nothing but rows costs anything.
DramSpec one_bank() {
  DramSpec spec;
  spec.channels = 1;
  spec.channel_bytes_per_cycle = 64;
  spec.banks_per_channel = 1;
  spec.row_bytes = 1024;
  spec.row_cycle = 100;
  spec.row_miss_extra = 30;
  return spec;
}

TEST(DramRows, AnAccessToAClosedRowOpensItAndTheNextOnesFindItOpen) {
  Dram dram(one_bank());
  EXPECT_EQ(dram.access(0, 64, false, 1000), 1030);
  EXPECT_EQ(dram.access(64, 64, false, 2000), 2000);
  EXPECT_EQ(dram.access(512, 64, false, 5000), 5000) << "a row stays open until the bank needs another";
}

TEST(DramRows, WhatComesWhileARowOpensWaitsForIt) {
  Dram dram(one_bank());
  EXPECT_EQ(dram.access(0, 64, false, 1000), 1030);
  EXPECT_EQ(dram.access(64, 64, false, 1010), 1030);
}

TEST(DramRows, ABankChangesItsRowOnceARowCycle) {
  Dram dram(one_bank());
  EXPECT_EQ(dram.access(0, 64, false, 1000), 1030);
  EXPECT_EQ(dram.access(1024, 64, false, 1001), 1130);
  EXPECT_EQ(dram.access(2048, 64, false, 1002), 1230);
  // What wants the first row before it closes still gets it; the second is found open in between.
  EXPECT_EQ(dram.access(64, 64, false, 1050), 1050);
  EXPECT_EQ(dram.access(1024 + 64, 64, false, 1150), 1150);
  // Afterwards the first must be opened again.
  EXPECT_EQ(dram.access(128, 64, false, 1210), 1330);
}

TEST(DramRows, AChannelOpensThemAtItsRateWhateverTheBanks) {
  DramSpec spec = one_bank();
  spec.banks_per_channel = 4096;
  spec.row_interval = 5;
  Dram dram(spec);
  double last = 0;
  for (unsigned row = 0; row < 200; ++row) last = std::max(last, dram.access(row * 1024ULL, 64, false, 1000));
  // Two rows may meet in one bank, which then costs a row cycle more.
  EXPECT_GE(last, 1000 + 199 * 5 + 30);
  EXPECT_LE(last, 1000 + 199 * 5 + 30 + 2 * 100);
}

TEST(DramRows, CostNothingWhereNothingIsKnownOfThem) {
  DramSpec spec = one_bank();
  spec.row_cycle = 0;
  Dram dram(spec);
  EXPECT_EQ(dram.access(0, 64, false, 1000), 1000);
  EXPECT_EQ(dram.access(1 << 20, 64, false, 1001), 1001);
}

// Rows cost nothing, refreshes of 100 cycles come every 1,000.
DramSpec refreshed() {
  DramSpec spec;
  spec.channels = 4;
  spec.channel_interleave = {512};
  spec.channel_bytes_per_cycle = 1e6;
  spec.refresh_interval = 1000;
  spec.refresh_time = 100;
  spec.refresh_block = 65536;
  return spec;
}

double wait(Dram& dram, std::uint64_t byte, double at) { return dram.access(byte, 64, false, at) - at; }

TEST(DramRefresh, AnAccessWaitsForTheEndOfARefresh) {
  DramSpec spec = refreshed();
  spec.channels = 1;
  spec.refresh_block = 4096;
  Dram dram(spec);
  unsigned waited = 0;
  double longest = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    const double waits = wait(dram, std::uint64_t{i} * 4096, 777.0 * (i + 1));
    waited += waits > 0 ? 1 : 0;
    longest = std::max(longest, waits);
  }
  EXPECT_NEAR(waited, 400, 80);
  EXPECT_LE(longest, 100);
  EXPECT_GE(longest, 90);
}

TEST(DramRefresh, NeighboursWaitForTheSameRefresh) {
  Dram dram(refreshed());
  unsigned waited = 0;
  for (double at = 10; at < 100000; at += 10) {
    const double first = wait(dram, 0, at);
    for (const std::uint64_t byte : {512U, 1024U, 4096U, 65024U}) EXPECT_NEAR(wait(dram, byte, at), first, 0.01);
    if (first > 0) ++waited;
  }
  EXPECT_NEAR(waited, 1000, 10);
}

TEST(DramRefresh, BlocksAreRefreshedAtTimesOfTheirOwn) {
  Dram dram(refreshed());
  unsigned together = 0, waited = 0;
  for (std::uint64_t block = 1; block <= 1000; ++block) {
    const double at = static_cast<double>(block) * 7777;
    if (wait(dram, 0, at) <= 0) continue;
    ++waited;
    if (wait(dram, block * 65536, at) > 0) ++together;
  }
  EXPECT_GT(waited, 80U);
  EXPECT_LT(together, waited / 3);
}

TEST(DramRefresh, StacksComeOneAfterTheOther) {
  DramSpec spec = refreshed();
  spec.channels = 2;
  spec.refresh_offsets = {0, 500};
  Dram dram(spec);
  for (double at = 5; at < 20000; at += 10) {
    // Of two pieces side by side one lies in each channel; half an interval later it is the other's turn.
    EXPECT_NEAR(wait(dram, 0, at), wait(dram, 512, at + 500), 0.01);
  }
}

TEST(DramChannels, TakeConsecutivePiecesAlike) {
  DramSpec spec;
  spec.channels = 96;
  spec.channel_interleave = {512};
  spec.channel_bytes_per_cycle = 64;
  Dram dram(spec);
  constexpr unsigned rounds = 10;
  for (std::uint64_t piece = 0; piece < 96 * rounds; ++piece) dram.access(piece * 512, 512, false, 0);
  EXPECT_DOUBLE_EQ(dram.busy(), rounds * 512 / 64.0);
}

}  // namespace
}  // namespace warpgauge::model
