// What the two partitions of an L2 have of a line, what takes it from them, and what waits for a line that comes from memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/model/memory_requests.h"

namespace warpgauge::model::test {
namespace {

TEST(MemorySystem, AStoreInItsHomeTakesTheOtherPartitionsCopy) {
  MemorySpec spec = two_partitions();
  spec.l2.far_extra = 180;
  MemorySystem memory(spec);
  // Line 0 is at home in partition 0, that of SM 0.
  const auto latency = [&](Cycle at) {
    return serve(memory, {request(at, 0, RequestKind::load, 1)})[0].at - at;
  };
  latency(0);
  EXPECT_EQ(latency(1000), 200U) << "a copy";
  serve(memory, {request(2000, 0, RequestKind::store, 1)});
  EXPECT_EQ(latency(3000), 200U) << "its own store leaves the copy";
  serve(memory, {request(4000, 0, RequestKind::store, 0)});
  EXPECT_EQ(latency(5000), 200 + 180U) << "the copy is gone";
  EXPECT_EQ(latency(6000), 200U) << "and here again";
}

// By how many sectors a request raises the L2's counters: all of them hits.
std::uint64_t sectors_of(MemorySystem& memory, const MemoryRequest& wanted) {
  const MemoryCounters before = memory.counters();
  serve(memory, {wanted});
  const std::uint64_t sectors = memory.counters().l2_sectors - before.l2_sectors;
  EXPECT_EQ(memory.counters().l2_hit_sectors - before.l2_hit_sectors, sectors);
  return sectors;
}

MemoryRequest of_sectors(std::uint8_t sectors, MemoryRequest wanted) {
  wanted.sectors = sectors;
  return wanted;
}

// Of line 0, at home in the partition of SM 0 and SM 2, once it is in both partitions.
Cycle far_latency_behind(const MemoryRequest& change) {
  MemorySystem memory(two_partitions());
  serve(memory, {request(0, 0, RequestKind::load, 1)});
  EXPECT_EQ(serve(memory, {of_sectors(8, request(1000, 0, RequestKind::load, 3))})[0].at, 1000 + 200U);
  serve(memory, {change});
  return serve(memory, {of_sectors(8, request(3000, 0, RequestKind::load, 3))})[0].at - 3000;
}

TEST(MemorySystem, AStoreOfASectorInItsHomeTakesTheWholeLineFromTheOtherPartition) {
  EXPECT_EQ(far_latency_behind(of_sectors(1, request(2000, 0, RequestKind::store))), 200 + 50U);
  EXPECT_EQ(far_latency_behind(of_sectors(1, request(2000, 0, RequestKind::load))), 200U);
  EXPECT_EQ(far_latency_behind(of_sectors(1, request(2000, 0, RequestKind::store, 1))), 200U) << "one from there does not";
}

TEST(MemorySystem, AnAtomicOnASectorTakesTheWholeLineFromTheOtherPartition) {
  for (const RequestKind kind : {RequestKind::atomic, RequestKind::reduction}) {
    EXPECT_EQ(far_latency_behind(of_sectors(1, request(2000, 0, kind))), 200 + 50U);
    EXPECT_EQ(far_latency_behind(of_sectors(1, request(2000, 0, kind, 1))), 200 + 50U) << "one from there, too";
  }
}

// An H200: a near SM's RED 290 cycles, 480 beside a far SM's loads of the line, a near load then 469; a far SM's RED 503 with such loads
// and without.
TEST(MemorySystem, AnAtomicFromNearbyWaitsForTheOtherPartitionToGiveTheLineBackAndSoDoesWhoAsksForIt) {
  MemorySpec spec = two_partitions();
  spec.l2.far_extra = 180;
  const auto behind_far_load = [&](unsigned adds, bool lent) {
    MemorySystem memory(spec);
    serve(memory, {request(0, 0, RequestKind::load, 0)});
    if (lent) serve(memory, {request(1000, 0, RequestKind::load, 1)});
    MemoryRequest add = of_sectors(1, request(2000, 0, RequestKind::atomic, adds));
    add.lanes = add.turns = add.deepest = 1;
    const auto replies = serve(memory, {add, of_sectors(1, request(2001, 0, RequestKind::load, 2))});
    return std::pair(replies[0].at - 2000, replies[1].at - 2000);
  };
  const auto [alone, load_alone] = behind_far_load(0, false);
  const auto [lent, load_lent] = behind_far_load(0, true);
  EXPECT_EQ(lent, alone + 180);
  EXPECT_NEAR(static_cast<double>(load_lent), static_cast<double>(load_alone) + 180, 2);
  EXPECT_EQ(behind_far_load(1, true), behind_far_load(1, false)) << "one from there takes it along";
}

// An H200: a near SM's store and fence 442 cycles, 573 beside a far SM's loads of the line, and so eight SMs'.
TEST(MemorySystem, AStoreFromNearbyIsAcknowledgedWhenTheOtherPartitionHasGivenTheLineBackAndSoAreThoseBehindIt) {
  MemorySpec spec = two_partitions();
  spec.l2.far_extra = 180;
  spec.l2.store_take_back_extra = 131;
  const auto stores = [&](bool lent, unsigned storing) {
    MemorySystem memory(spec);
    serve(memory, {request(0, 0, RequestKind::load, lent ? 1 : 0)});
    const auto replies = serve(memory, {of_sectors(1, request(2000, 0, RequestKind::store, storing)),
                                        of_sectors(1, request(2050, 0, RequestKind::store, storing + 2))});
    return std::pair(replies[0].at - 2000, replies[1].at - 2050);
  };
  const auto [first, second] = stores(false, 0);
  EXPECT_EQ(stores(true, 0), std::pair(first + 131, second + 81));
  EXPECT_EQ(stores(true, 1), stores(false, 1)) << "stores from there";
}

TEST(MemorySystem, AStoreThatTakesTheLineFromTheOtherPartitionCountsASectorMoreOnceUntilThatHasItAgain) {
  MemorySystem memory(two_partitions());
  const auto store_at_home = [&](Cycle at) { return sectors_of(memory, of_sectors(1, request(at, 0, RequestKind::store))); };
  EXPECT_EQ(store_at_home(0), 1U) << "nobody else has it";
  serve(memory, {request(1000, 0, RequestKind::load, 1)});
  EXPECT_EQ(store_at_home(2000), 2U);
  EXPECT_EQ(store_at_home(3000), 1U) << "it is back";
  EXPECT_EQ(sectors_of(memory, of_sectors(1, request(4000, 0, RequestKind::store, 1))), 2U) << "a slice of each partition";
  EXPECT_EQ(store_at_home(5000), 2U) << "the other partition has stored to it";
  EXPECT_EQ(store_at_home(6000), 1U);
}

// Ten cycles a lookup. A burst of two stores to line 0 by SMs of its partition, so long after such a store has taken it from the
// other one: how much later the second one is done.
Cycle second_store_of_a_burst(Cycle later) {
  MemorySpec spec = two_partitions();
  spec.l2.request_interval = 10;
  MemorySystem memory(spec);
  serve(memory, {request(0, 0, RequestKind::load, 1)});
  serve(memory, {of_sectors(1, request(1000, 0, RequestKind::store))});
  const auto burst = serve(memory, {of_sectors(1, request(1000 + later, 0, RequestKind::store, 0)),
                                    of_sectors(1, request(1000 + later, 0, RequestKind::store, 2))});
  EXPECT_EQ(burst[0].at, 1000 + later + 200);
  return burst[1].at - burst[0].at;
}

TEST(MemorySystem, StoresToALineThatTheOtherPartitionIsGivingBackAreLookedUpTwice) {
  EXPECT_EQ(second_store_of_a_burst(49), 20U);
  EXPECT_EQ(second_store_of_a_burst(50), 10U);
}

// By loads_of_a_line_beside_stores a load of an H200's line that words are stored to all the time takes its slice 39 cycles.
TEST(MemorySystem, ALoadRightBehindWordsStoredToItsLineHoldsTheSliceWhereTheyCameIn) {
  MemorySpec spec = two_partitions();
  spec.l2.store_again_within = 45;
  const auto third_load = [&](Cycle later, unsigned storing, unsigned loading, bool partial, double held) {
    spec.l2.load_behind_store = held;
    MemorySystem memory(spec);
    serve(memory, {request(0, 0, RequestKind::load, 0), request(1, 0, RequestKind::load, 1)});
    MemoryRequest store = of_sectors(1, request(1000, 0, RequestKind::store, storing));
    store.partial = partial;
    const Cycle at = 1000 + later;
    const auto replies = serve(memory, {store, of_sectors(2, request(at, 0, RequestKind::load, loading)),
                                        of_sectors(2, request(at, 0, RequestKind::load, loading + 2))});
    return replies[2].at;
  };
  const auto held = [&](Cycle later, unsigned storing, unsigned loading, bool partial = true) {
    return third_load(later, storing, loading, partial, 39) - third_load(later, storing, loading, partial, 0);
  };
  EXPECT_NEAR(static_cast<double>(held(20, 0, 0)), 39, 1);
  EXPECT_NEAR(static_cast<double>(held(20, 1, 1)), 39, 1) << "in the other partition as well";
  EXPECT_EQ(held(50, 0, 0), 0U) << "too late";
  EXPECT_EQ(held(20, 0, 0, false), 0U) << "whole sectors";
  EXPECT_EQ(held(20, 1, 0), 0U) << "stored from the other partition";
  EXPECT_EQ(held(20, 0, 1), 0U) << "loaded from there";
}

// A line with the home and the slices of line 0.
std::uint64_t beside_line_0(const MemorySpec& spec) {
  const SliceMap map(spec.l2);
  std::uint64_t line = 1;
  while (map.partition_of(line) != map.partition_of(0) || map.slice_of(line, 0) != map.slice_of(0, 0) ||
         map.slice_of(line, 1) != map.slice_of(0, 1))
    ++line;
  return line;
}

TEST(MemorySystem, AStoreThatTakesALineFromTheOtherPartitionTakesALookupThere) {
  MemorySpec spec = two_partitions();
  spec.l2.request_interval = 10;
  const auto second_far_load = [&](std::uint64_t stored) {
    MemorySystem memory(spec);
    const std::uint64_t beside = beside_line_0(spec);
    for (const std::uint64_t line : {std::uint64_t{0}, beside}) serve(memory, {request(1000 * line, line, RequestKind::load, 1)});
    const auto load_at = [&](Cycle at, unsigned sm) { return of_sectors(1, request(at, beside, RequestKind::load, sm)); };
    const MemoryRequest store = of_sectors(1, request(50001, stored, RequestKind::store));
    const auto replies = serve(memory, {load_at(50000, 1), store, load_at(50002, 3)});
    return replies[2].at - replies[0].at;
  };
  EXPECT_EQ(second_far_load(0), 20U);
  EXPECT_EQ(second_far_load(3 * 32), 10U) << "nobody else has that one";
}

TEST(MemorySystem, StoresOfBothPartitionsToALineTakeTwiceAsLongAsThoseOfItsOwn) {
  MemorySpec spec = two_partitions();
  spec.l2.request_interval = 2;
  spec.l2.far_extra = 1000;
  const auto until_the_last = [&](unsigned other_sm) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> stores;
    for (unsigned i = 0; i < 401; ++i)
      stores.push_back(of_sectors(1, request(1000 + i, 0, RequestKind::store, i % 2 == 0 ? 0 : other_sm)));
    return serve(memory, stores).back().at - 1000 - 200;
  };
  EXPECT_EQ(until_the_last(2), 400 * 2U);
  // The third finds that the second, from afar, has the line.
  EXPECT_NEAR(static_cast<double>(until_the_last(1)), 3 * 2 + 397 * 4, 4);
}

TEST(MemorySystem, AFarStoreThatCoversItsSectorsLeavesThemForFarLoads) {
  const auto far_load_behind = [](bool partial, std::uint8_t stored, std::uint8_t loaded) {
    MemorySystem memory(two_partitions());
    MemoryRequest store = of_sectors(stored, request(0, 0, RequestKind::store, 1));
    store.partial = partial;
    serve(memory, {store});
    return serve(memory, {of_sectors(loaded, request(1000, 0, RequestKind::load, 3))})[0].at - 1000;
  };
  EXPECT_EQ(far_load_behind(false, 3, 3), 200U);
  EXPECT_EQ(far_load_behind(false, 3, 4), 200 + 50 + 300U) << "of another sector: from memory";
  EXPECT_EQ(far_load_behind(true, 3, 3), 200 + 50U);
}

// SM 0 asks memory for line 0, the home of which is its own partition; ten cycles later `change` comes, and ten later loads of
// lines that have long been in both partitions. How long these wait.
struct Waits {
  Cycle near = 0;   // of SM 2, at the slice that has line 0
  Cycle other = 0;  // of SM 2, at another slice
  Cycle far = 0;    // of SM 3, at the slice of its partition that would have a copy of line 0
  friend bool operator==(const Waits&, const Waits&) = default;
};

Waits waits_behind(RequestKind fetch, RequestKind change, unsigned changing_sm) {
  const MemorySpec spec = two_partitions();
  const std::uint64_t same = beside_line_0(spec);
  constexpr std::uint64_t elsewhere = 3;
  EXPECT_NE(SliceMap(spec.l2).slice_of(elsewhere, 0), SliceMap(spec.l2).slice_of(0, 0));
  MemorySystem memory(spec);
  for (const unsigned sm : {2U, 3U})
    for (const std::uint64_t line : {same, elsewhere}) serve(memory, {request(1000 * sm, line, RequestKind::load, sm)});
  const auto replies = serve(memory, {request(10000, 0, fetch), request(10010, 0, change, changing_sm),
                                      of_sectors(1, request(10020, same, RequestKind::load, 2)),
                                      of_sectors(1, request(10021, elsewhere, RequestKind::load, 2)),
                                      of_sectors(1, request(10020, same, RequestKind::load, 3))});
  return {replies[2].at - 10020 - 200, replies[3].at - 10021 - 200, replies[4].at - 10020 - 200};
}

// Until the line is there: 300 cycles after the load has asked for it.
TEST(MemorySystem, AStoreToALineThatALoadAsksMemoryForHoldsUpWhatItsPartitionSendsToTheSlice) {
  for (const RequestKind change : {RequestKind::store, RequestKind::reduction, RequestKind::atomic}) {
    EXPECT_EQ(waits_behind(RequestKind::load, change, 0), (Waits{280, 0, 0}));
    EXPECT_EQ(waits_behind(RequestKind::load, change, 1), (Waits{0, 0, 280})) << "one of the other partition";
  }
  EXPECT_EQ(waits_behind(RequestKind::load, RequestKind::load, 0), Waits{}) << "another load of the line";
}

TEST(MemorySystem, AStoreToALineThatAnAtomicAsksMemoryForHoldsUpNobody) {
  for (const RequestKind fetch : {RequestKind::atomic, RequestKind::reduction})
    EXPECT_EQ(waits_behind(fetch, RequestKind::store, 0), Waits{});
}

TEST(MemorySystem, OfTwoStoresToALineThatALoadAsksMemoryForTheSecondWaitsUntilItIsThere) {
  MemorySystem memory(two_partitions());
  const auto replies = serve(memory, {request(1000, 0), of_sectors(1, request(1010, 0, RequestKind::store, 0)),
                                      of_sectors(1, request(1020, 0, RequestKind::store, 2))});
  EXPECT_EQ(replies[1].at, 1010 + 200U);
  EXPECT_EQ(replies[2].at, 1000 + 300 + 200U);
}

}  // namespace
}  // namespace warpgauge::model::test
