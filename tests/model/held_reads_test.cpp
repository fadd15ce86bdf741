#include "model/memory/held_reads.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace warpgauge::model {
namespace {

using Indices = std::vector<std::uint32_t>;

// Who is let go.
Indices come(HeldReads& reads) {
  Indices gone;
  reads.come(0, [&](std::uint32_t index, Cycle) { gone.push_back(index); });
  return gone;
}

Indices answered(HeldReads& reads, Cycle now) {
  Indices gone;
  reads.answered(now, [&](std::uint32_t index, Cycle) { gone.push_back(index); });
  return gone;
}

TEST(HeldReads, NobodyWaitsWhereNothingWasSentOn) {
  HeldReads reads(4);
  come(reads);
  EXPECT_FALSE(reads.waits(100));
}

TEST(HeldReads, NobodyEverWaitsWithoutANumberOfReads) {
  HeldReads reads(0);
  come(reads);
  reads.send();
  come(reads);
  EXPECT_FALSE(reads.waits(100));
}

TEST(HeldReads, TheFourthBehindItLetsAllGoAndWaitsForNothing) {
  HeldReads reads(4);
  come(reads);
  reads.send();
  for (std::uint32_t index = 1; index <= 3; ++index) {
    EXPECT_EQ(come(reads), Indices{});
    ASSERT_TRUE(reads.waits(100));
    EXPECT_EQ(reads.hold(index, 100), never);
  }
  EXPECT_EQ(come(reads), (Indices{1, 2, 3}));
  EXPECT_FALSE(reads.waits(100));
}

TEST(HeldReads, TheAnswerLetsThoseGoWhoWaitForItAndNoOthers) {
  HeldReads reads(4);
  come(reads);
  const std::uint64_t first = reads.send();
  come(reads);
  reads.hold(1, 100);
  come(reads);
  const std::uint64_t second = reads.send();
  come(reads);
  reads.hold(2, 100);
  EXPECT_TRUE(reads.answer(first, 500));
  EXPECT_EQ(answered(reads, 499), Indices{});
  EXPECT_EQ(answered(reads, 500), Indices{1});
  EXPECT_TRUE(reads.answer(second, 600));
  EXPECT_EQ(answered(reads, 600), Indices{2});
  EXPECT_FALSE(reads.answer(second, 700)) << "nobody is left";
}

TEST(HeldReads, WhoComesBehindTheAnswerDoesNotWait) {
  HeldReads reads(4);
  come(reads);
  reads.answer(reads.send(), 500);
  come(reads);
  EXPECT_FALSE(reads.waits(500));
  ASSERT_TRUE(reads.waits(499));
  EXPECT_EQ(reads.hold(1, 499), 500);
}

TEST(HeldReads, AnotherThatIsSentOnIsOneOfTheReadsThatLetGo) {
  HeldReads reads(4);
  come(reads);
  reads.send();
  come(reads);
  reads.hold(1, 100);
  come(reads);
  reads.send();
  come(reads);
  reads.hold(2, 100);
  EXPECT_EQ(come(reads), Indices{1}) << "two that wait and two that were sent on";
  EXPECT_EQ(come(reads), Indices{});
  EXPECT_EQ(come(reads), Indices{2});
}

}  // namespace
}  // namespace warpgauge::model
