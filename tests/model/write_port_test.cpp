// Where a slice of the L2 writes what is stored and what memory brings.
#include "model/memory/write_port.h"

#include <gtest/gtest.h>

#include <random>

namespace warpgauge::model {
namespace {

// 32 bytes a cycle: a line takes four.
constexpr double rate = 32;
constexpr double line = 128;

TEST(WritePort, TakesStoresOneAfterTheOther) {
  WritePort port(rate);
  EXPECT_EQ(port.store(1000, line), 1000);
  EXPECT_EQ(port.store(1000, line), 1004);
  EXPECT_EQ(port.store(2000, line), 2000);
}

TEST(WritePort, IsTakenByWhatMemoryBringsWhenItComesNotWhenItIsAskedFor) {
  WritePort port(rate);
  EXPECT_EQ(port.ask(1000, line), 1000);
  EXPECT_EQ(port.bring(1000, 1600, 100 * line), 1600);
  EXPECT_EQ(port.store(1001, line), 1001) << "nothing has come yet";
  // All of it has come by then, and takes 400 cycles from within 64 of its time on.
  const double turn = port.store(1700, line);
  EXPECT_GE(turn, 1600 - 64 + 400);
  EXPECT_LE(turn, 1600 + 400);
}

TEST(WritePort, AsksNoFasterThanItCanTake) {
  WritePort port(rate);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(port.ask(1000, line), 1000 + 4 * i);
}

TEST(WritePort, HasWhatMemoryBringsWaitForStores) {
  WritePort port(rate);
  for (int i = 0; i < 50; ++i) port.store(1000, line);  // until 1200
  EXPECT_EQ(port.bring(1100, 1700, line), 1800);
  EXPECT_EQ(port.bring(1300, 1900, line), 1900);
}

TEST(WritePort, LosesNothingOfWhatComesInAnyOrder) {
  std::mt19937 random(1);
  constexpr int many = 5000;
  WritePort busy(rate);
  for (int i = 0; i < many; ++i) busy.bring(0, static_cast<double>(random() % 1000), line);
  // Twenty times as much as it can take in that time: it is busy from the first on.
  EXPECT_NEAR(busy.store(2000, line), many * line / rate, 64);
  // With a memory that takes long, some comes beyond the time that the port looks ahead.
  WritePort port(rate);
  for (int i = 0; i < many; ++i) port.bring(10 * i, 10 * i + static_cast<double>(random() % 40000), line);
  EXPECT_EQ(port.store(1e6, line), 1e6) << "all of it has been written long since";
  EXPECT_EQ(port.store(1e6, line), 1e6 + 4);
}

}  // namespace
}  // namespace warpgauge::model
