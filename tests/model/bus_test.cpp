#include "model/memory/bus.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/memory_requests.h"

namespace warpgauge::model {
namespace {

BusSpec bus() {
  BusSpec spec = test::small_bus();
  spec.atomic = 2000;
  return spec;
}

TEST(Bus, AReadTakesTheWayToTheHostAndBack) {
  Bus one(bus());
  EXPECT_EQ(one.read(10, 4), 2010);
}

TEST(Bus, ReadsTakeTurnsByTheirSectorsAndShortOnesByTheInterval) {
  Bus whole(bus());
  whole.read(0, 4);
  EXPECT_EQ(whole.read(0, 4), 2004);
  Bus parts(bus());
  parts.read(0, 1);
  EXPECT_EQ(parts.read(0, 1), 2003);
}

TEST(Bus, AReadTakesLongerTheMoreAreUnderWayAndNoLongerOnceTheyHaveCome) {
  BusSpec spec = bus();
  spec.latency_growth = 100;
  spec.read_interval = spec.read_sector = 0;
  Bus busy(spec);
  constexpr unsigned reads = 300;
  for (unsigned i = 0; i < reads; ++i) EXPECT_NEAR(busy.read(0, 1), 2000 + 100 * std::log(1.0 + i), 1e-6);
  EXPECT_EQ(busy.read(10'000, 1), 12'000);
}

TEST(Bus, StoresAreTakenUntilTheBufferIsFullAndThenWaitForTheBus) {
  Bus full(bus());
  for (unsigned i = 0; i < 25; ++i) EXPECT_EQ(full.write(0, 4, false), 0) << i;
  EXPECT_EQ(full.write(0, 4, false), 4);
  EXPECT_EQ(full.written(), 104);
  EXPECT_EQ(full.drained(), 604);
}

TEST(Bus, ASectorThatIsWrittenInPartTakesLonger) {
  Bus parts(bus());
  parts.write(0, 10, true);
  EXPECT_EQ(parts.written(), 20);
}

TEST(Bus, ReadsLoseAShareOfTheTimeOfWrites) {
  Bus both(bus());
  both.read(0, 4);
  both.write(0, 16, false);
  EXPECT_EQ(both.read(0, 4), 2000 + 4 + 4);
}

TEST(Bus, AtomicsOfAWordGoThereAndBackOneAfterTheOtherAndOthersDoNotWait) {
  Bus atomics(bus());
  EXPECT_EQ(atomics.atomic(0, 7, 1, 1), 2000);
  EXPECT_EQ(atomics.atomic(0, 7, 1, 1), 4000);
  EXPECT_EQ(atomics.atomic(0, 8, 1, 1), 2008);
  EXPECT_EQ(atomics.atomic(0, 9, 1, 32), 12 + 32 * 2000);
}

}  // namespace
}  // namespace warpgauge::model
