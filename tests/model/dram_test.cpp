// Rows and banks of the device's memory.
#include "model/memory/dram.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/model/memory_requests.h"

namespace warpgauge::model {
namespace {

using test::two_rings;

// One channel of one bank that moves 64 bytes a cycle, so that nothing but rows costs anything.
DramSpec one_bank() {
  DramSpec spec;
  spec.channels = 1;
  spec.channel_bytes_per_cycle = 64;
  spec.access_bytes = 64;
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

// So many banks that none meets two rows, and 32 bytes a cycle.
DramSpec many_banks() {
  DramSpec spec = one_bank();
  spec.banks_per_channel = 4096;
  spec.channel_bytes_per_cycle = 32;
  spec.row_piece_bytes = 256;
  spec.row_cycle = 1;
  spec.row_miss_extra = 0;
  return spec;
}

TEST(DramRows, AReadThatBeginsAPieceOfARowTakesItsChannelForSoLongAtLeast) {
  DramSpec spec = many_banks();
  spec.row_read_least = 10;
  Dram dram(spec);
  EXPECT_EQ(dram.access(0, 64, false, 1000), 1000);
  EXPECT_EQ(dram.access(64, 64, false, 1000), 1010);
  EXPECT_EQ(dram.access(128, 64, false, 1000), 1012) << "the piece has been begun: 64 bytes of 32 a cycle";
  EXPECT_EQ(dram.access(256, 64, false, 1000), 1014);
  EXPECT_EQ(dram.access(512, 1024, false, 1000), 1024) << "another piece";
  EXPECT_EQ(dram.access(4096, 64, false, 1000), 1056) << "a transfer of 32 cycles hides that";
}

TEST(DramRows, AWriteToAPieceThatWasWrittenOfLateTakesWhatItsBytesDo) {
  DramSpec spec = many_banks();
  spec.row_write_least = 10;
  spec.written_pieces = 64;
  Dram dram(spec);
  EXPECT_EQ(dram.access(0, 32, true, 1000), 1000);
  EXPECT_EQ(dram.access(256, 32, true, 1000), 1010);
  EXPECT_EQ(dram.access(32, 32, true, 1000), 1020);
  EXPECT_EQ(dram.access(288, 32, true, 1000), 1021);
  EXPECT_EQ(dram.access(512, 32, true, 1000), 1022);
}

TEST(DramRows, WhatBeginsAPieceToWriteKeepsItsChannelFromBeginningOthersForAsLongAsItWrites) {
  DramSpec spec = many_banks();
  spec.row_interval = 20;
  spec.row_write_least = 30;
  Dram dram(spec);
  EXPECT_EQ(dram.access(0, 32, false, 1000), 1000);
  EXPECT_EQ(dram.access(4096, 32, true, 1000), 1020);
  EXPECT_EQ(dram.access(8192, 32, false, 1000), 1050);
  EXPECT_EQ(dram.access(12288, 32, false, 1000), 1070);
}

TEST(DramRows, AWriteFindsRoomWhenItsChannelHasBegunEnoughOfThePiecesThatWait) {
  DramSpec spec = many_banks();
  spec.row_interval = 20;
  spec.queue = 50;
  Dram dram(spec);
  EXPECT_EQ(dram.room(0, 1000), 1000);
  for (unsigned row = 0; row < 10; ++row) dram.access(row * 4096ULL, 32, true, 1000);
  EXPECT_EQ(dram.room(0, 1000), 1000 + 10 * 20 - 50);
}

TEST(DramRows, HalvesOfPiecesHideTheirBeginnings) {
  DramSpec spec = many_banks();
  spec.row_write_least = 6;
  Dram dram(spec);
  for (unsigned half = 0; half < 20; ++half)
    EXPECT_EQ(dram.access(half * 128ULL, 128, true, 1000), 1000 + 4 * half) << "128 bytes of 32 a cycle";
}

// What share of its peak a channel reaches of whose lines so many of 128 are written, spread evenly.
double reached(unsigned written) {
  DramSpec spec;
  spec.channels = 1;
  spec.channel_bytes_per_cycle = 32;
  spec.read_efficiency = 0.96;
  spec.read_mix_efficiency = 0.92;
  spec.mixed_efficiency = 0.8;
  spec.write_mix_efficiency = 0.7;
  spec.write_efficiency = 0.95;
  Dram dram(spec);
  const auto lines = [&](unsigned many) {
    double last = 0;
    for (unsigned i = 0; i < many; ++i) last = dram.access(i * 128ULL, 128, (i + 1) * written / 128 != i * written / 128, 0);
    return last;
  };
  const double begin = lines(128 * 10);
  return 128.0 * 100 * 128 / 32 / (lines(128 * 100) - begin);
}

TEST(DramEfficiency, IsThatOfReadsOrWritesWhereThereAreNoOthers) {
  EXPECT_NEAR(reached(0), 0.96, 0.002);
  EXPECT_NEAR(reached(128), 0.95, 0.002);
}

TEST(DramEfficiency, OfAFewOfTheOtherKindIsThatOfAQuarter) {
  for (const unsigned few : {8U, 16U, 32U}) {
    EXPECT_NEAR(reached(few), 0.92, 0.01) << few;
    EXPECT_NEAR(reached(128 - few), 0.7, 0.01) << few;
  }
  // Of one in 128 it is about half as much.
  EXPECT_NEAR(reached(1), 0.94, 0.006);
  EXPECT_NEAR(reached(127), 0.825, 0.03);
}

TEST(DramEfficiency, OfHalvesLiesBetweenThem) {
  EXPECT_NEAR(reached(64), 0.8, 0.01);
  EXPECT_NEAR(reached(48), 0.86, 0.01);
  EXPECT_NEAR(reached(80), 0.75, 0.01);
}

TEST(DramLateWrites, AreWrittenWhenTheChannelHasNothingElseToDo) {
  DramSpec spec = many_banks();
  spec.late_lines = 4;
  Dram dram(spec);
  EXPECT_EQ(dram.access(0, 3200, false, 1000), 1000) << "busy until 1100";
  dram.write_late(4096, 128, 1000);
  dram.write_late(8192, 128, 1000);
  EXPECT_EQ(dram.written_late(1100), 0);
  EXPECT_EQ(dram.written_late(1103), 0) << "128 bytes take four cycles";
  EXPECT_EQ(dram.written_late(1104), 128);
  EXPECT_EQ(dram.written_late(1200), 256);
}

TEST(DramLateWrites, TakeTheirChannelWhenTooManyWait) {
  DramSpec spec = many_banks();
  spec.late_lines = 2;
  Dram dram(spec);
  EXPECT_EQ(dram.access(0, 3200, false, 1000), 1000);
  for (unsigned line = 1; line <= 2; ++line) dram.write_late(4096ULL * line, 128, 1000);
  EXPECT_EQ(dram.access(0, 32, false, 1000), 1100) << "these wait";
  dram.write_late(4096ULL * 3, 128, 1000);
  EXPECT_EQ(dram.access(0, 32, false, 1000), 1105) << "the third one does not let the first one wait";
  EXPECT_EQ(dram.written_late(1000), 128);
}

// Each of ten slices has so many channels of a byte a cycle behind it.
DramSpec behind_slices(unsigned each) {
  DramSpec spec;
  spec.slice_channels = each;
  spec.channels = 10 * each;
  spec.channel_bytes_per_cycle = 1;
  spec.access_bytes = 64;
  spec.row_bytes = 512;
  return spec;
}

TEST(DramChannels, LinesOfOneSliceWaitForEachOtherAndLinesOfTwoDoNot) {
  const SliceMap map(two_rings(10));
  const auto home = [&](std::uint64_t line) { return map.slice_of(line, map.partition_of(line)); };
  for (std::uint64_t line = 1; line < 400; ++line) {
    Dram dram(behind_slices(1), two_rings(10));
    dram.access(0, 64, false, 1000);
    EXPECT_EQ(dram.access(line * 128, 64, false, 1000), home(line) == home(0) ? 1064 : 1000) << "line " << line;
  }
}

TEST(DramChannels, WhoReadsAWholeLineWaitsForItsLastAccess) {
  Dram dram(behind_slices(1), two_rings(10));
  EXPECT_EQ(dram.access(0, 64, false, 1000), 1000);
  EXPECT_EQ(dram.access(4096, 128, false, 2000), 2064);
  EXPECT_EQ(dram.access(8192, 128, true, 3000), 3000) << "nobody waits for what is written";
}

TEST(DramChannels, OfASliceShareItsLinesEvenly) {
  const SliceMap map(two_rings(10));
  Dram dram(behind_slices(4), two_rings(10));
  unsigned lines = 0;
  double last = 0;
  for (std::uint64_t line = 0; line < 40000; ++line) {
    if (map.slice_of(line, map.partition_of(line)) != 0 || map.partition_of(line) != 0) continue;
    last = std::max(last, dram.access(line * 128, 64, false, 0));
    ++lines;
  }
  EXPECT_NEAR(last, lines * 64.0 / 4, lines * 64.0 / 4 * 0.03);
}

TEST(DramChannels, BehindOneSliceShareTheRoomForWhatIsWritten) {
  DramSpec spec = behind_slices(4);
  spec.queue = 100;
  Dram dram(spec, two_rings(10));
  dram.access(0, 400, true, 0);
  EXPECT_EQ(dram.room(0, 0), 0) << "400 cycles of one channel are 100 of four";
  dram.access(0, 400, true, 0);
  EXPECT_EQ(dram.room(0, 0), 100);
  EXPECT_EQ(dram.room(0, 150), 150 + 650 / 4.0 - 100);
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
