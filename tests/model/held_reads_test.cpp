#include "model/memory/held_reads.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace warpgauge::model {
namespace {

using Indices = std::vector<std::uint32_t>;

// What lets go at each call.
struct Gone {
  Indices indices;
  void operator()(std::uint32_t index, double) { indices.push_back(index); }
};

Indices come(HeldReads& reads) {
  Gone gone;
  reads.come([&](std::uint32_t index, double ready) { gone(index, ready); });
  return gone.indices;
}

Indices answered(HeldReads& reads, double now) {
  Gone gone;
  reads.answered(now, [&](std::uint32_t index, double ready) { gone(index, ready); });
  return gone.indices;
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
    EXPECT_EQ(reads.hold(index, 100), std::numeric_limits<double>::infinity());
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
