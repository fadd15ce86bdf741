// Loads of a cluster's SMs for one line, which reach the L2 together.
#include <gtest/gtest.h>

#include <vector>

#include "tests/model/memory_requests.h"

namespace warpgauge::model::test {
namespace {

TEST(MemorySystem, NeighboursThatAskForOneLineAreAnsweredTogether) {
  MemorySpec spec = small();
  spec.crossbar.join_most = 2;
  spec.crossbar.join_window = 30;
  spec.crossbar.gpc_of_sm = {0, 0, 0, 1};
  MemorySystem memory(spec);
  const auto ask = [&](std::vector<MemoryRequest> requests) {
    const std::uint64_t before = memory.counters().l2_sectors;
    serve(memory, std::move(requests));
    return memory.counters().l2_sectors - before;
  };
  const auto from = [](Cycle at, unsigned sm) { return request(at, 5, RequestKind::load, sm); };
  EXPECT_EQ(ask({from(10, 0), from(200, 1)}), 4U) << "a miss, whose data is still on its way";
  EXPECT_EQ(ask({from(1000, 0), from(1020, 1)}), 4U) << "a hit";
  EXPECT_EQ(ask({from(2000, 0), from(2020, 1), from(2025, 2)}), 8U) << "no more than two";
  EXPECT_EQ(ask({from(3000, 0), from(3040, 1)}), 8U) << "too late";
  EXPECT_EQ(ask({from(4000, 0), from(4010, 3)}), 8U) << "another cluster";
  MemoryRequest half = from(5010, 1);
  half.sectors = 0x3;
  EXPECT_EQ(ask({from(5000, 0), half}), 6U) << "not the same sectors, though the other asks for these too";
  MemoryRequest second = half, first = from(6000, 0);
  first.sectors = 0x3;
  second.at = 6030;
  second.sm = 2;
  EXPECT_EQ(ask({first, from(6015, 0), second}), 8U) << "the whole line has taken its place";
  first.at = 7000, second.at = 7030;
  MemoryRequest between = from(7015, 0);
  first.copy = between.copy = second.copy = true;
  EXPECT_EQ(ask({first, between, second}), 6U) << "but pieces of copies have places of their own";
}

// All SMs of an H200 that ask for the same sectors of 256 lines at random are joined to 1 in 3.6, and to 1 in 1.05 where every other
// one asks for the sector beside; a word that all ask for, beside one load in 28 that wants another sector of its line, to 1 in 2.6.
TEST(MemorySystem, WhereLoadsOfDifferentSectorsOfALineAreUnderWayOthersJoinBehindThreeOfTheSame) {
  MemorySpec spec = small();
  spec.crossbar.join_most = 4;
  spec.crossbar.join_window = spec.crossbar.join_window_most = 30;
  MemorySystem memory(spec);
  const auto lookups = [&](std::vector<std::pair<Cycle, std::uint8_t>> loads) {
    const std::uint64_t before = memory.counters().l2_sectors;
    std::vector<MemoryRequest> requests;
    for (const auto& [at, sectors] : loads) {
      requests.push_back(request(at, 5, RequestKind::load, static_cast<unsigned>(requests.size() % 4)));
      requests.back().sectors = sectors;
    }
    serve(memory, requests);
    return memory.counters().l2_sectors - before;
  };
  serve(memory, {request(10, 5)});
  EXPECT_EQ(lookups({{1000, 1}, {1010, 1}, {1020, 1}}), 1U);
  EXPECT_EQ(lookups({{2000, 1}, {2010, 2}, {2020, 2}, {2030, 1}, {2040, 1}}), 5U);
  EXPECT_EQ(lookups({{3000, 1}, {3010, 2}, {3100, 2}, {3110, 2}}), 3U) << "until all have been answered";
  EXPECT_EQ(lookups({{4000, 1}, {4001, 2}, {4002, 1}, {4003, 1}, {4004, 1}, {4005, 1}, {4006, 1}, {4007, 1}}), 5U)
      << "or three of the same have asked one behind the other";
}

// All warps of an H200 that load one word: 32 of each SM 1,282 cycles a load, 2,577 as ld.volatile.
TEST(MemorySystem, AnAnswerTakesTheSliceAsLongForEachTwoSmsAndForEachThatAsksTheSystem) {
  MemorySpec spec = small();
  spec.sms = 4;
  spec.l2.request_interval = 8;
  spec.crossbar.join_window = spec.crossbar.join_window_most = 30;
  const auto cycles_a_line = [&](unsigned joined, bool system) {
    spec.crossbar.join_most = joined;
    const auto end_of = [&](Cycle loads) {
      MemorySystem memory(spec);
      serve(memory, {request(10, 5)});
      std::vector<MemoryRequest> requests;
      for (Cycle at = 1000; at < 1000 + loads; ++at) {
        requests.push_back(request(at, 5, RequestKind::load, static_cast<unsigned>(at % 4)));
        requests.back().sectors = 1;
        requests.back().system = system;
      }
      return static_cast<double>(last_of(serve(memory, std::move(requests))));
    };
    return (end_of(300) - end_of(100)) / 200;
  };
  EXPECT_NEAR(cycles_a_line(0, false), 8, 0.4);
  EXPECT_NEAR(cycles_a_line(2, false), 4, 0.4);
  EXPECT_NEAR(cycles_a_line(4, false), 4, 0.4);
  EXPECT_NEAR(cycles_a_line(4, true), 8, 0.4);
}

TEST(MemorySystem, AJoinedLoadWaitsForTheDataOfTheFirst) {
  MemorySpec spec = small();
  spec.crossbar.join_most = 2;
  spec.crossbar.join_window = 30;
  MemorySystem memory(spec);
  const auto replies = serve(memory, {request(10, 5), request(20, 5, RequestKind::load, 1)});
  EXPECT_EQ(replies[0].at, 510U);
  EXPECT_GE(replies[1].at, 510U);
  EXPECT_LE(replies[1].at, 520U);
}

TEST(MemorySystem, AHitThatJoinsAnotherIsAnsweredWithIt) {
  MemorySpec spec = small();
  spec.crossbar.join_most = 2;
  spec.crossbar.join_window = spec.crossbar.join_window_most = 30;
  MemorySystem memory(spec);
  serve(memory, {request(10, 5)});
  const auto replies = serve(memory, {request(1000, 5), request(1025, 5, RequestKind::load, 1)});
  EXPECT_GE(replies[1].at, replies[0].at);
  EXPECT_LE(replies[1].at, replies[0].at + 5);
  const auto late = serve(memory, {request(2000, 5), request(2040, 5, RequestKind::load, 1)});
  EXPECT_EQ(late[1].at, late[0].at + 40) << "too late to join";
}

// All SMs of an H200 that read the same lines receive 47 to 76 bytes a cycle each, 840 to 1,250 a cluster, whose port lets 619 pass
// (docs/h200.md, "streams_that_sms_share").
TEST(MemorySystem, LoadsThatAreJoinedPassTheClustersPortOnce) {
  MemorySpec spec = small();
  spec.crossbar.join_window = spec.crossbar.join_window_most = 30;
  spec.crossbar.gpc_reply_bytes_per_cycle = 16;
  const auto end_of = [&](unsigned joined) {
    spec.crossbar.join_most = joined;
    MemorySystem memory(spec);
    std::vector<MemoryRequest> requests;
    for (unsigned line = 0; line < 100; ++line) {
      for (unsigned sm = 0; sm < 2; ++sm) requests.push_back(request(10 + line, line, RequestKind::load, sm));
    }
    return static_cast<double>(last_of(serve(memory, std::move(requests))));
  };
  EXPECT_NEAR(end_of(0) - end_of(2), 100.0 * 128 / 16, 100);
}

}  // namespace
}  // namespace warpgauge::model::test
