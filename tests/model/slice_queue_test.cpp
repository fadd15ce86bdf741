#include "model/memory/slice_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "model/memory/memory_system.h"

namespace warpgauge::model {
namespace {

// One cluster of eight TPCs and one of nine, three CPCs each, as an H200 has them.
std::vector<unsigned> clusters() {
  std::vector<unsigned> gpc_of_sm(16, 0);
  gpc_of_sm.resize(34, 1);
  return gpc_of_sm;
}

TEST(Places, WhoWaitsKeepsItsPlaces) {
  Places places(4);
  ASSERT_TRUE(places.take(3, 10));
  places.free(3, 500);  // waits for memory
  ASSERT_TRUE(places.take(1, 11));
  places.free(1, 11);
  ASSERT_TRUE(places.take(1, 12)) << "the second one's";
  EXPECT_FALSE(places.take(1, 13));
  places.free(1, 12);
  EXPECT_EQ(places.next_free(), 12) << "what is known last may be free first";
  ASSERT_TRUE(places.take(1, 13));
  places.free(1, 13);
  EXPECT_FALSE(places.take(2, 499)) << "one place is not two";
  EXPECT_TRUE(places.take(2, 500));
}

TEST(Places, NobodyKnowsWhenOneIsFreeThatHasNotBeenTold) {
  Places places(1);
  ASSERT_TRUE(places.take(1, 0));
  EXPECT_FALSE(places.take(1, 1000));
  EXPECT_GT(places.next_free(), 1e18);
}

TEST(SliceQueue, RequestsOfOneSmKeepTheirOrder) {
  const auto tree = std::make_shared<const CrossbarTree>(clusters(), 2, 3);
  SliceQueue queue(1, tree);
  ASSERT_TRUE(queue.enter(5, 100, 1, 0));
  for (std::uint32_t request = 0; request < 20; ++request) ASSERT_FALSE(queue.enter(7, request, 1, 0));
  queue.free(1, 1);
  for (std::uint32_t request = 0; request < 20; ++request) {
    const SliceQueue::Admitted next = queue.admit(request + 1);
    ASSERT_TRUE(next.any);
    EXPECT_EQ(next.request, request);
    EXPECT_FALSE(queue.admit(request + 1).any) << "there is one place";
    queue.free(1, request + 2);
  }
  EXPECT_FALSE(queue.someone_waits());
}

TEST(SliceQueue, SmsOfASmallCpcAreServedHalfAsOftenAgain) {
  const auto tree = std::make_shared<const CrossbarTree>(clusters(), 2, 3);
  SliceQueue queue(1, tree);
  std::vector<unsigned> served(34, 0);
  ASSERT_TRUE(queue.enter(0, 0, 1, 0));
  queue.free(1, 1);
  for (std::uint32_t sm = 0; sm < 34; ++sm) ASSERT_FALSE(queue.enter(sm, sm, 1, 0));
  constexpr unsigned turns = 36 * 50;
  for (unsigned turn = 1; turn <= turns; ++turn) {
    const SliceQueue::Admitted next = queue.admit(turn);
    ASSERT_TRUE(next.any);
    ++served[next.request];
    queue.free(1, turn + 1);
    ASSERT_FALSE(queue.enter(next.request, next.request, 1, turn));  // it has another one at once
  }
  for (unsigned sm = 0; sm < 34; ++sm) {
    // Half of the turns are the first cluster's, a sixth each CPC's; the third of its CPCs has TPCs 2 and 5 alone.
    const bool small_cpc = sm < 16 && sm / 2 % 3 == 2;
    EXPECT_NEAR(served[sm], turns / 6.0 / (small_cpc ? 4 : 6), 2) << "SM " << sm;
  }
}

TEST(SliceQueue, WithoutCpcsAllTpcsOfAClusterAreEqual) {
  const auto tree = std::make_shared<const CrossbarTree>(std::vector<unsigned>(14, 0), 2, 1);
  SliceQueue queue(1, tree);
  ASSERT_TRUE(queue.enter(0, 0, 1, 0));
  queue.free(1, 1);
  for (std::uint32_t sm = 0; sm < 14; ++sm) ASSERT_FALSE(queue.enter(sm, sm, 1, 0));
  std::vector<unsigned> served(14, 0);
  for (unsigned turn = 1; turn <= 140; ++turn) {
    const SliceQueue::Admitted next = queue.admit(turn);
    ASSERT_TRUE(next.any);
    ++served[next.request];
    queue.free(1, turn + 1);
    ASSERT_FALSE(queue.enter(next.request, next.request, 1, turn));
  }
  EXPECT_EQ(served, std::vector<unsigned>(14, 10));
}

MemorySpec slow_slices(unsigned waiting) {
  MemorySpec spec;
  spec.sms = 2;
  spec.crossbar.round_trip = 200;
  spec.crossbar.sm_request_bytes_per_cycle = 32;
  spec.crossbar.request_header = 32;
  spec.crossbar.sm_waiting_messages = waiting;
  spec.l2.slices = 2;
  spec.l2.slice_interleave = {128};
  spec.l2.slice_write_bytes_per_cycle = 1;  // a sector in 32 cycles
  spec.l2.slice_places = 4;
  return spec;
}

// When an SM's load of one slice is back that it has sent behind so many stores of a sector to the other, which takes them slowly.
Cycle load_behind(unsigned stores, unsigned waiting) {
  MemorySystem memory(slow_slices(waiting));
  const auto request = [](Cycle at, std::uint64_t line, RequestKind kind, std::uint32_t id) {
    MemoryRequest made;
    made.at = at;
    made.line = line;
    made.id = id;
    made.kind = kind;
    made.sectors = 1;
    return made;
  };
  std::vector<MemoryReply> replies;
  memory.take(std::vector<MemoryRequest>{request(0, 1, RequestKind::load, 0)});  // brings the line to the L2
  memory.run(10000, replies);
  replies.clear();
  std::vector<MemoryRequest> requests;
  for (unsigned i = 0; i < stores; ++i) requests.push_back(request(10000, 0, RequestKind::store, 1));
  requests.push_back(request(10000, 1, RequestKind::load, 2));
  memory.take(requests);
  memory.run(100000, replies);
  for (const MemoryReply& reply : replies)
    if (reply.id == 2) return reply.at - 10000;
  return 0;
}

TEST(SliceQueue, ALoadPassesWhatWaitsBeforeAnotherSlice) {
  const Cycle alone = load_behind(0, 8);
  ASSERT_NE(alone, 0U);
  // Four have places, eight wait: the port takes the thirteenth request after twelve cycles.
  EXPECT_NEAR(static_cast<double>(load_behind(12, 8)), static_cast<double>(alone + 12), 2);
}

TEST(SliceQueue, NothingPassesWhenTooMuchOfAnSmWaits) {
  const Cycle alone = load_behind(0, 8);
  // Of twenty, sixteen wait when all have left: the load goes when eight of them have found places, at one in 32 cycles.
  EXPECT_GT(load_behind(20, 8), alone + 20 + 6 * 32);
  EXPECT_NEAR(static_cast<double>(load_behind(20, 64)), static_cast<double>(alone + 20), 2);
}

}  // namespace
}  // namespace warpgauge::model
