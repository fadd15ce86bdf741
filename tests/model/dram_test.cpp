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

}  // namespace
}  // namespace warpgauge::model
