#include "model/memory/cpc_ways.h"

#include <gtest/gtest.h>

#include <queue>
#include <random>
#include <utility>
#include <vector>

namespace warpgauge::model {
namespace {

constexpr std::uint64_t stretch = 1024;  // lines of 128 KiB
constexpr unsigned sms = 18;

CrossbarSpec h200() {
  CrossbarSpec spec;
  spec.cpc_way_bytes_per_cycle = 32;
  spec.cpc_ways = 15;
  spec.cpc_ways_of_stretch = 5;
  spec.cpc_way_stretch_lines = stretch;
  spec.sms_per_tpc = 2;
  spec.cpcs_per_gpc = 3;
  spec.gpc_of_sm.assign(sms, 0);
  return spec;
}

// The SMs of the cluster's first CPC.
std::vector<unsigned> of_a_cpc() { return {0, 1, 6, 7, 12, 13}; }

MemoryRequest reduction(unsigned sm, std::uint64_t line) {
  MemoryRequest request;
  request.sm = static_cast<std::uint16_t>(sm);
  request.kind = RequestKind::reduction;
  request.line = line;
  request.sectors = 1;
  return request;
}

unsigned kind_of(const CpcWays& ways, std::uint64_t number) { return ways.way_of(number * stretch) / 5; }

// Messages a cycle that these SMs send to lines at random of so many stretches in a row, each after the one before has had its turn and no sooner
// than `pace` cycles after it was ready.
double rate(std::vector<unsigned> senders, unsigned stretches, double pace) {
  CpcWays ways(h200());
  std::mt19937_64 random(1);
  using Next = std::pair<double, unsigned>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (const unsigned sm : senders) next.emplace(0.01 * sm, sm);
  constexpr double end = 20'000;
  unsigned sent = 0;
  while (next.top().first < end) {
    const auto [now, sm] = next.top();
    next.pop();
    const double turn = ways.pass(reduction(sm, random() % (stretches * stretch)), 32, now);
    next.emplace(std::max(now + pace, turn + 1), sm);
    ++sent;
  }
  return sent / end;
}

TEST(CpcWays, OfThreeStretchesInARowEachHasWaysOfItsOwn) {
  const CpcWays ways(h200());
  EXPECT_NE(kind_of(ways, 0), kind_of(ways, 1));
  EXPECT_NE(kind_of(ways, 1), kind_of(ways, 2));
  EXPECT_NE(kind_of(ways, 2), kind_of(ways, 0));
}

TEST(CpcWays, StretchesThatAreInEachOthersWayOnTheCardAreOfAKind) {
  const CpcWays ways(h200());
  for (const unsigned number : {3, 6, 14, 17, 25, 28, 36, 39, 47, 50, 53, 58, 61, 64, 512}) EXPECT_EQ(kind_of(ways, number), kind_of(ways, 0)) << number;
  for (const unsigned number : {1, 2, 4, 7, 10, 13, 15, 18, 21, 24, 26, 29, 32, 35, 37, 40, 43, 46, 48, 49, 54, 57, 62, 128, 256, 1024})
    EXPECT_NE(kind_of(ways, number), kind_of(ways, 0)) << number;
}

TEST(CpcWays, AnSmAloneNeverWaits) { EXPECT_NEAR(rate({0}, 1, 1.08), 1 / 1.08, 0.01); }

// writes_of_a_cpc: 32 REDs a lane less those of the launch.
TEST(CpcWays, SixSmsOfACpcSendWhatTheyDoOnTheCard) {
  EXPECT_NEAR(rate(of_a_cpc(), 1, 1.08), 3.2, 0.25);
  EXPECT_NEAR(rate(of_a_cpc(), 2, 1.08), 4.25, 0.25);
  EXPECT_NEAR(rate(of_a_cpc(), 64, 1.08), 4.65, 0.25);
}

TEST(CpcWays, ThreeAndFourSmsOfACpcSendWhatTheyDoOnTheCard) {
  EXPECT_NEAR(rate({0, 6, 12}, 1, 1.08), 2.36, 0.15);
  EXPECT_NEAR(rate({0, 1, 6, 7}, 1, 1.08), 2.82, 0.15);
}

TEST(CpcWays, SmsOfOtherCpcsAreInNobodysWay) {
  EXPECT_NEAR(rate({0, 2, 4}, 1, 1.08), 3 / 1.08, 0.03);
  EXPECT_GT(rate({0, 1, 2, 3, 4, 5}, 1, 1.08), 1.25 * rate(of_a_cpc(), 1, 1.08));
}

TEST(CpcWays, LoadsWaitForNobody) {
  CpcWays ways(h200());
  MemoryRequest load;
  load.kind = RequestKind::load;
  for (unsigned n = 0; n < 100; ++n) ways.pass(reduction(0, 7), 64, 0);
  load.line = 7;
  load.sm = 1;
  EXPECT_EQ(ways.pass(load, 32, 5), 5);
  EXPECT_GT(ways.pass(reduction(1, 7), 32, 5), 100);
}

TEST(CpcWays, WithoutSuchALimitNobodyWaits) {
  CpcWays ways{CrossbarSpec{}};
  for (unsigned n = 0; n < 10; ++n) EXPECT_EQ(ways.pass(reduction(0, 7), 64, 3), 3);
}

}  // namespace
}  // namespace warpgauge::model
