// Beyond the SMs: latencies, bandwidth limits, hits and misses, write-back.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/model/memory_requests.h"
#include "model/memory/slice_map.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

TEST(MemorySystem, AMissTakesTheWayToDramAndAHitTheWayToTheL2) {
  const MemorySpec spec = small();
  MemorySystem memory(spec);
  EXPECT_EQ(serve(memory, {request(10, 5)})[0].at, 10 + 200 + 300U);
  EXPECT_EQ(serve(memory, {request(1000, 5)})[0].at, 1000 + 200U);
  EXPECT_EQ(memory.counters().l2_sectors, 8U);
  EXPECT_EQ(memory.counters().l2_hit_sectors, 4U);
  EXPECT_EQ(memory.counters().dram_read_bytes, 128U);
}

// ld.global.L2::128B and cp.async with it: the first sector of a line brings the others.
TEST(MemorySystem, ALoadThatFetchesWholeLinesSavesItsNeighboursTheWayToDram) {
  MemorySpec spec = small();
  spec.l2.fetch_bytes = 64;
  MemorySystem memory(spec);
  MemoryRequest first = request(10, 5);
  first.sectors = 1;
  MemoryRequest neighbour = request(2000, 5);
  neighbour.sectors = 8;
  MemorySystem plain(spec);
  serve(plain, {first});
  EXPECT_EQ(serve(plain, {neighbour})[0].at, 2000 + 200 + 300U);
  first.whole_line = true;
  serve(memory, {first});
  EXPECT_EQ(memory.counters().dram_read_bytes, 128U);
  EXPECT_EQ(serve(memory, {neighbour})[0].at, 2000 + 200U);
}

// The counters of random loads on an H200: two lookups a sector on average where half of the lines are far.
TEST(MemorySystem, TheOtherPartitionIsAskedForWholeGranules) {
  MemorySpec spec = small();
  spec.l2.partitions = 2;
  spec.l2.fetch_bytes = 64;
  spec.crossbar.gpc_of_sm = {0, 0, 1, 1};
  MemorySystem memory(spec);
  std::vector<MemoryRequest> requests;
  for (unsigned i = 0; i < 1000; ++i) {
    requests.push_back(request(10 + 50 * i, i * 37));
    requests.back().sectors = 1;
  }
  serve(memory, requests);
  EXPECT_EQ(memory.counters().dram_read_bytes, 1000U * 64);
  EXPECT_NEAR(static_cast<double>(memory.counters().l2_read_sectors), 2000, 150);
}

TEST(MemorySystem, ALoadThatFollowsAMissWaitsForItsData) {
  MemorySystem memory(small());
  const auto replies = serve(memory, {request(10, 5), request(20, 5)});
  EXPECT_EQ(replies[0].at, 510U);
  EXPECT_GE(replies[1].at, 510U);
  EXPECT_EQ(memory.counters().dram_read_bytes, 128U);
}

TEST(MemorySystem, OneSmReceivesNoMoreThanItsReplyPort) {
  const MemorySpec spec = small();
  MemorySystem memory(spec);
  std::vector<MemoryRequest> warm;
  for (std::uint64_t line = 0; line < 1000; ++line) warm.push_back(request(line * 40, line));
  serve(memory, warm);
  std::vector<MemoryRequest> burst;
  for (std::uint64_t line = 0; line < 1000; ++line) burst.push_back(request(100000, line));
  const Cycle last = last_of(serve(memory, burst));
  // A line of 128 bytes takes two cycles of a port of 64.
  EXPECT_NEAR(static_cast<double>(last - 100000 - 200), 2 * 1000, 40);
}

TEST(MemorySystem, AllSmsTogetherReceiveWhatTheSlicesGive) {
  MemorySpec spec = small();
  spec.crossbar.sm_reply_bytes_per_cycle = 1000;
  spec.crossbar.sm_request_bytes_per_cycle = 10000;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> warm;
  for (std::uint64_t line = 0; line < 4000; ++line) warm.push_back(request(line * 40, line));
  serve(memory, warm);
  std::vector<MemoryRequest> burst;
  for (std::uint64_t line = 0; line < 4000; ++line) {
    burst.push_back(request(1000000, line, RequestKind::load, static_cast<unsigned>(line % 4)));
  }
  const Cycle last = last_of(serve(memory, burst));
  // 16 slices of 32 bytes; the hash leaves them uneven by a little.
  const double least = 4000.0 * 128 / (16 * 32);
  EXPECT_GE(static_cast<double>(last - 1000000 - 200), least * 0.98);
  EXPECT_LE(static_cast<double>(last - 1000000 - 200), least * 1.4);
}

TEST(MemorySystem, DramDeliversItsPeakTimesItsEfficiency) {
  MemorySpec spec = small();
  spec.crossbar.sm_reply_bytes_per_cycle = 10000;
  spec.crossbar.sm_request_bytes_per_cycle = 10000;
  spec.l2.slice_bytes_per_cycle = 1000;
  spec.dram.read_efficiency = 0.5;
  spec.dram.mixed_efficiency = 0.5;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> burst;
  for (std::uint64_t line = 0; line < 8000; ++line) burst.push_back(request(0, line));
  const Cycle last = last_of(serve(memory, burst));
  const double least = 8000.0 * 128 / (8 * 8 * 0.5);
  EXPECT_GE(static_cast<double>(last), least * 0.98);
  EXPECT_LE(static_cast<double>(last), least * 1.2);
}

TEST(MemorySystem, DirtyLinesGoToDramWhenTheyAreEvicted) {
  const MemorySpec spec = small();
  MemorySystem memory(spec);
  const std::uint64_t lines = spec.l2.size_bytes / 128;
  std::vector<MemoryRequest> stores;
  for (std::uint64_t line = 0; line < 3 * lines; ++line)
    stores.push_back(request(line * 40, line, RequestKind::store));
  serve(memory, stores);
  EXPECT_EQ(memory.counters().dram_read_bytes, 0U);
  EXPECT_EQ(memory.counters().dram_write_bytes, 2 * spec.l2.size_bytes);
}

TEST(MemorySystem, ASetThatFitsIsReadFromDramOnce) {
  const MemorySpec spec = small();
  MemorySystem memory(spec);
  const std::uint64_t lines = spec.l2.size_bytes / 128 / 2;
  std::vector<MemoryRequest> loads;
  for (std::uint64_t i = 0; i < 4 * lines; ++i) loads.push_back(request(i * 40, i % lines));
  serve(memory, loads);
  // Slices are chosen by hash, so a few overflow while others have room.
  EXPECT_NEAR(static_cast<double>(memory.counters().dram_read_bytes), static_cast<double>(lines * 128),
              0.05 * static_cast<double>(lines * 128));
}

TEST(MemorySystem, SaysHowLongAnSmsPortIsBusyWithWhatWaitsThere) {
  MemorySpec spec = small();
  spec.crossbar.sm_request_bytes_per_cycle = 32;
  spec.crossbar.request_header = 32;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> requests;
  for (std::uint64_t i = 0; i < 10; ++i) requests.push_back(request(100, i));
  memory.take(requests);
  std::vector<MemoryReply> replies;
  memory.run(101, replies);
  EXPECT_EQ(memory.port_busy_until(0), 110U);
  EXPECT_EQ(memory.port_busy_until(1), 0U);
}

// Of `lines` lines that an SM of the other partition has asked for, one by one: how many answer SM 0 `extra`
// cycles later than those near by.
unsigned far_lines(MemorySystem& memory, RequestKind kind, std::uint64_t lines, Cycle extra) {
  std::vector<MemoryRequest> warm;
  for (std::uint64_t line = 0; line < lines; ++line) warm.push_back(request(line * 40, line, kind, 1));
  serve(memory, warm);
  unsigned far = 0;
  for (std::uint64_t line = 0; line < lines; ++line) {
    const Cycle at = 1000000 + line * 1000;
    const Cycle latency = serve(memory, {request(at, line, kind, 0)})[0].at - at;
    EXPECT_TRUE(latency == 200 || latency == 200 + extra) << latency;
    far += latency == 200 + extra ? 1 : 0;
  }
  return far;
}

TEST(MemorySystem, AFarPartitionAnswersLater) {
  MemorySystem memory(two_partitions());
  EXPECT_NEAR(far_lines(memory, RequestKind::load, 2048, 50), 1024, 400);
  // What was fetched from afar once has left a copy near by.
  for (std::uint64_t line = 0; line < 2048; ++line) {
    const Cycle at = 10000000 + line * 1000;
    EXPECT_EQ(serve(memory, {request(at, line)})[0].at - at, 200U);
  }
}

// Loads of SM 0 behind one that the other partition is asked for, 20 cycles apart from 50 cycles on: how long each takes.
std::vector<Cycle> behind_a_far_miss(unsigned reads_past_miss, const std::vector<std::uint64_t>& lines) {
  MemorySpec spec = two_partitions();
  spec.l2.slices = 2;
  spec.l2.reads_past_miss = reads_past_miss;
  spec.crossbar.sm_reply_bytes_per_cycle = 1e6;
  MemorySystem memory(spec);
  Cycle at = 10;
  for (const std::uint64_t line : lines) serve(memory, {request(at += 2000, line)});
  const Cycle begin = at + 2000;
  std::vector<MemoryRequest> requests{request(begin, 60)};
  for (std::size_t i = 0; i < lines.size(); ++i) requests.push_back(request(begin + 50 + 20 * i, lines[i]));
  std::vector<Cycle> took;
  for (const MemoryReply& reply : serve(memory, requests)) took.push_back(reply.at - requests[reply.id].at);
  return took;
}

// But for a cycle where answers come at once.
void expect_about(const std::vector<Cycle>& took, const std::vector<Cycle>& expected) {
  ASSERT_EQ(took.size(), expected.size());
  for (std::size_t i = 0; i < took.size(); ++i) EXPECT_LE(std::max(took[i], expected[i]) - std::min(took[i], expected[i]), 1U) << i;
}

// Hits behind a miss on an H200, by how many they are. Lines 32 to 63 have their home in the other partition, line 0 has not.
TEST(MemorySystem, UpToThreeCopiesWaitForWhatTheirSliceHasAskedTheOtherPartitionFor) {
  const std::vector<Cycle> alone = behind_a_far_miss(0, {32, 33, 34});
  EXPECT_EQ(alone, (std::vector<Cycle>{alone[0], alone[1], alone[1], alone[1]}));
  EXPECT_GT(alone[0], alone[1] + 300);
  const Cycle miss = alone[0];
  expect_about(behind_a_far_miss(4, {32}), {miss, miss - 50});
  expect_about(behind_a_far_miss(4, {32, 33, 34}), {miss, miss - 50, miss - 70, miss - 90});
}

TEST(MemorySystem, TheFourthReadBehindItLetsCopiesGo) {
  const Cycle hit = behind_a_far_miss(0, {32})[1];
  const std::vector<Cycle> took = behind_a_far_miss(4, {32, 33, 34, 35, 36});
  expect_about(took, {took[0], hit + 60, hit + 40, hit + 20, hit, hit});
}

TEST(MemorySystem, LinesAtHomeNeitherWaitForTheOtherPartitionNorLetCopiesGo) {
  const std::vector<Cycle> alone = behind_a_far_miss(0, {32, 0, 1, 2});
  const std::vector<Cycle> took = behind_a_far_miss(4, {32, 0, 1, 2});
  EXPECT_EQ(took, (std::vector<Cycle>{alone[0], alone[0] - 50, alone[2], alone[3], alone[4]}));
}

TEST(MemorySystem, ClustersAreNearToThePartitionsThatTheListSays) {
  MemorySpec spec = two_partitions();
  std::vector<unsigned> far;
  for (const std::vector<unsigned>& near : std::vector<std::vector<unsigned>>{{}, {0, 1}, {1, 0}, {1}, {0, 1, 1}}) {
    spec.crossbar.gpc_partitions = near;
    MemorySystem memory(spec);
    far.push_back(far_lines(memory, RequestKind::atomic, 64, 70));
  }
  EXPECT_EQ(far[1], far[0]) << "SM 0 is of the first cluster";
  EXPECT_EQ(far[2], 64 - far[0]);
  EXPECT_EQ(far[3], 64 - far[0]);
  EXPECT_EQ(far[4], far[0]);
}

// Probe l2.atomics: an atomic's way to the far partition is longer than a load's.
TEST(MemorySystem, AnAtomicOfTheFarPartitionHasAnExtraOfItsOwn) {
  MemorySystem memory(two_partitions());
  EXPECT_NEAR(far_lines(memory, RequestKind::atomic, 256, 70), 128, 40);
}

TEST(MemorySystem, ATranslationThatMissesCostsItsLevel) {
  MemorySpec spec = small();
  spec.l1_tlb = {2, 0, 1 << 20, 70};
  spec.l2_tlb = {8, 0, 1 << 20, 500};
  MemorySystem memory(spec);
  const auto at_page = [](std::uint64_t page) { return page * (1 << 20) / 128; };
  // The launch before has left the entries of what a level holds.
  EXPECT_EQ(serve(memory, {request(0, at_page(0))})[0].at, 500U);
  EXPECT_EQ(serve(memory, {request(10000, at_page(0) + 1)})[0].at, 10000 + 500U);
  serve(memory, {request(20000, at_page(1))});
  serve(memory, {request(30000, at_page(2))});
  // The first page has left the first level, but not the second.
  EXPECT_EQ(serve(memory, {request(40000, at_page(0) + 2)})[0].at, 40000 + 70 + 500U);
}

TEST(MemorySystem, AProgramsFirstLoadFromAPageWalksAndWhoeverFollowsWaitsForThatWalk) {
  MemorySpec spec = small();
  spec.l1_tlb = {8, 0, 1 << 20, 70};
  spec.first_touch_latency = 700;
  spec.first_touch_interval = 20;
  PageHistory pages;
  const auto at_page = [](std::uint64_t page) { return page * (1 << 20) / 128; };
  {
    MemorySystem memory(spec, &pages);
    const auto replies = serve(memory, {request(0, at_page(0)), request(0, at_page(1), RequestKind::load, 1),
                                        request(300, at_page(0) + 100, RequestKind::load, 2),
                                        request(0, at_page(2), RequestKind::store, 3)});
    EXPECT_EQ(replies[0].at, 700 + 500U);
    EXPECT_EQ(replies[1].at, 720 + 500U) << "walks begin one after the other";
    EXPECT_NEAR(static_cast<double>(replies[2].at), 700 + 500, 8) << "only its channel has more to do";
    EXPECT_LT(replies[3].at, 700U) << "nobody waits for a store";
  }
  // The program's next launch finds the pages known, the stored one too.
  MemorySystem next(spec, &pages);
  EXPECT_EQ(serve(next, {request(0, at_page(0))})[0].at, 500U);
  EXPECT_EQ(serve(next, {request(10000, at_page(2) + 100)})[0].at, 10000 + 500U);
}

TEST(PageHistory, LaunchesThatNobodyTimedLeaveAllPagesKnown) {
  PageHistory pages;
  EXPECT_TRUE(pages.begin_launch());
  EXPECT_FALSE(pages.begin_launch());
  EXPECT_TRUE(pages.touch(1));
  EXPECT_FALSE(pages.touch(1));
  pages.assume_all_known();
  EXPECT_FALSE(pages.touch(2));
}

// Ports that hold nothing back, one slice, all lines in it.
MemorySystem one_slice(MemorySpec& spec) {
  spec.crossbar.sm_request_bytes_per_cycle = 1e6;
  spec.crossbar.sm_reply_bytes_per_cycle = 1e6;
  spec.l2.slices = 1;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> warm;
  for (std::uint64_t line = 0; line < 400; ++line) warm.push_back(request(line * 100, line));
  serve(memory, warm);
  return memory;
}

TEST(MemorySystem, AStoreHoldsItsSliceAsLongAsItsWriteWidthSays) {
  MemorySpec spec = small();
  spec.l2.slice_bytes_per_cycle = 64;
  spec.l2.slice_write_bytes_per_cycle = 32;
  spec.l2.partial_write_extra = 3;
  const auto cycles = [&spec](RequestKind kind, bool partial) {
    MemorySystem memory = one_slice(spec);
    std::vector<MemoryRequest> burst;
    for (std::uint64_t line = 0; line < 400; ++line) {
      MemoryRequest r = request(100000, line, kind);
      r.partial = partial;
      burst.push_back(r);
    }
    return last_of(serve(memory, burst)) - 100000 - 200;
  };
  EXPECT_NEAR(static_cast<double>(cycles(RequestKind::load, false)), 399 * 2, 2);
  EXPECT_NEAR(static_cast<double>(cycles(RequestKind::store, false)), 399 * 4, 2);
  EXPECT_NEAR(static_cast<double>(cycles(RequestKind::store, true)), 399 * 7, 2);
}

// By hand, words_stored_to_few_lines.
TEST(MemorySystem, AStoreToALineThatItsSliceHasJustStoredTakesItLonger) {
  MemorySpec spec = small();
  spec.l2.slice_bytes_per_cycle = 64;
  spec.l2.slice_write_bytes_per_cycle = 32;
  spec.l2.partial_write_extra = 1;
  spec.l2.store_again_within = 20;
  spec.l2.store_again = 4;
  // Stores that come a cycle after each other, to so many lines in turn.
  const auto cycles = [&spec](std::uint64_t lines, std::uint8_t sectors, bool partial) {
    MemorySystem memory = one_slice(spec);
    std::vector<MemoryRequest> stores;
    for (std::uint64_t i = 0; i < 400; ++i) {
      MemoryRequest r = request(100000 + i, i % lines, RequestKind::store);
      r.sectors = sectors;
      r.partial = partial;
      stores.push_back(r);
    }
    return static_cast<double>(last_of(serve(memory, stores)) - 100000 - 200);
  };
  EXPECT_NEAR(cycles(400, 1, true), 399 * 2, 4);
  EXPECT_NEAR(cycles(21, 1, true), 399 * 2, 4) << "21 cycles ago";
  EXPECT_NEAR(cycles(20, 1, true), 399 * 4, 50);
  EXPECT_NEAR(cycles(20, 1, false), 399 * 4, 70) << "whole sectors, too";
  EXPECT_NEAR(cycles(20, 0xf, true), 399 * 5, 30) << "what takes as long by itself no longer";
}

TEST(MemorySystem, ARequestOfOneSectorTakesALookup) {
  MemorySpec spec = small();
  spec.l2.slice_bytes_per_cycle = 64;
  spec.l2.request_interval = 1.25;
  MemorySystem memory = one_slice(spec);
  std::vector<MemoryRequest> burst;
  for (std::uint64_t line = 0; line < 400; ++line) {
    burst.push_back(request(100000, line));
    burst.back().sectors = 1;
  }
  EXPECT_NEAR(static_cast<double>(last_of(serve(memory, burst)) - 100000 - 200), 399 * 1.25, 2);
}

TEST(MemorySystem, FloatingAdditionsOnOneWordWaitForEachOtherAndOthersGoOn) {
  MemorySpec spec = small();
  spec.l2.atomic_sector_rate = 1;
  spec.l2.atomic_word_rate = 1;
  spec.l2.atomic_float_word_rate = 0.25;
  const auto cycles = [&spec](bool floating, bool one_word) {
    MemorySystem memory = one_slice(spec);
    std::vector<MemoryRequest> burst;
    for (std::uint64_t i = 0; i < 400; ++i) {
      MemoryRequest r = request(100000, one_word ? 7 : i, RequestKind::reduction);
      r.sectors = 1;
      r.lanes = r.turns = r.deepest = 1;
      r.floating = floating;
      burst.push_back(r);
    }
    return static_cast<double>(last_of(serve(memory, burst)) - 100000 - 200);
  };
  EXPECT_NEAR(cycles(false, true), 399, 3);
  EXPECT_NEAR(cycles(true, true), 399 * 4, 5);
  EXPECT_NEAR(cycles(true, false), 399, 3);
}

TEST(MemorySystem, CodeDoesNotWaitBehindItsSmsAccesses) {
  MemorySpec spec = small();
  spec.crossbar.sm_request_bytes_per_cycle = 1;
  spec.crossbar.request_header = 32;
  spec.cluster_code_lines = 16;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> requests;
  for (std::uint64_t line = 0; line < 20; ++line) requests.push_back(request(0, line));
  requests.push_back(request(1, 500, RequestKind::code));
  requests.push_back(request(1, 600));
  const auto replies = serve(memory, requests);
  // Twenty requests take the port 32 cycles each.
  EXPECT_LE(replies[20].at, 1 + 200 + spec.dram.latency + 8U);
  EXPECT_GE(replies[21].at, 20 * 32 + 200 + spec.dram.latency);
}

TEST(MemorySystem, ABusySmDoesNotHoldBackTheOthersOfItsCluster) {
  MemorySpec spec = small();
  spec.crossbar.sm_request_bytes_per_cycle = 32;
  spec.crossbar.gpc_request_bytes_per_cycle = 320;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> requests;
  for (std::uint64_t line = 0; line < 100; ++line) requests.push_back(request(0, line));
  requests.push_back(request(1, 500, RequestKind::load, 1));
  // A hundred requests wait at the port of SM 0; that of SM 1 leaves at once.
  EXPECT_LE(serve(memory, requests)[100].at, 1 + 200 + 300 + 8U);
}

TEST(Interleave, TwoUnitsTakeTurnsPieceByPiece) {
  const Interleave pieces{512, 256};
  const auto unit = [](const Interleave& how, std::uint64_t byte) { return how.unit_of(byte); };
  EXPECT_EQ(unit(pieces, 0), unit(pieces, 255));
  EXPECT_EQ(unit(pieces, 0), unit(pieces, 512));
  EXPECT_EQ(unit(pieces, 256), unit(pieces, 768));
  EXPECT_EQ(unit(pieces, 256), unit(pieces, 0) + 1);
  EXPECT_EQ(unit(pieces, 1024), unit(pieces, 0) + 2);
  const Interleave whole{512, 512};
  EXPECT_EQ(unit(whole, 511), 0U);
  EXPECT_EQ(unit(whole, 512), 1U);
}

TEST(MemorySystem, ConsecutiveLinesUseAllSlicesEvenly) {
  MemorySpec spec = small();
  spec.crossbar.sm_reply_bytes_per_cycle = spec.crossbar.sm_request_bytes_per_cycle = 1e6;
  spec.l2.slices = 12;
  spec.l2.slice_interleave = {512};
  MemorySystem memory(spec);
  std::vector<MemoryRequest> warm;
  std::vector<MemoryRequest> burst;
  for (std::uint64_t line = 0; line < 12 * 4 * 20; ++line) {
    warm.push_back(request(line * 100, line));
    burst.push_back(request(1000000, line));
  }
  serve(memory, warm);
  EXPECT_NEAR(static_cast<double>(last_of(serve(memory, burst)) - 1000000 - 200), 80 * 128 / 32, 8);
}

// A whole chip of SMs that read the same or different bytes.
TEST(MemorySystem, LittlesLawBoundsAWarpThatWaitsForEachLoad) {
  const MachineSpec spec = one_sm();
  std::vector<FakeOp> body;
  const AddressOf next_line = [](const Where& w) {
    return 0x40000000ULL + w.iteration * 128 + 4ULL * w.lane;
  };
  body.push_back(load(sass::Opcode::LDG, 8, 4, 4, next_line).stall(2).writes(0));
  body.push_back(op(sass::Opcode::NOP).waits(1));
  body.push_back(branch_to(0, 199).stall(5));
  body.push_back(exit_op());
  FakeStream stream(body);
  const KernelReport report = Machine(spec).run(stream, {});
  const double least =
      200.0 * (spec.sm.access[0].raw + spec.memory.crossbar.round_trip + spec.memory.dram.latency);
  EXPECT_GE(static_cast<double>(report.cycles), least);
  EXPECT_LE(static_cast<double>(report.cycles), least + 200.0 * (spec.memory.l2.far_extra + 16) +
                                                    spec.launch.begin_overhead + spec.launch.end_overhead +
                                                    2500);
}

TEST(MemorySystem, LoadsAndStoresHaveWaysOfTheirOwn) {
  MemorySpec spec = small();
  spec.crossbar.sm_reply_bytes_per_cycle = 10000;
  spec.crossbar.sm_request_bytes_per_cycle = 10000;
  const auto end_of = [&](unsigned loads, unsigned stores) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> warm;
    for (std::uint64_t line = 0; line < 2000; ++line) warm.push_back(request(line * 40, line));
    serve(memory, warm);
    std::vector<MemoryRequest> burst;
    for (std::uint64_t line = 0; line < 2000; ++line) {
      if (loads != 0) burst.push_back(request(1000000, line));
      if (stores != 0) burst.push_back(request(1000000, line, RequestKind::store, 1));
    }
    return static_cast<double>(last_of(serve(memory, burst)) - 1000000);
  };
  const double alone = end_of(0, 1);
  EXPECT_NEAR(end_of(1, 1), std::max(alone, end_of(1, 0)), 0.05 * alone);
}

TEST(MemorySystem, WhatComesFromDramTakesTheStoresWay) {
  MemorySpec spec = small();
  spec.l2.slice_write_bytes_per_cycle = 1;  // 16 slices: slower than DRAM's 64 bytes a cycle
  spec.l2.slice_bytes_per_cycle = 1000;
  spec.crossbar.sm_reply_bytes_per_cycle = 10000;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> burst;
  for (std::uint64_t line = 0; line < 2000; ++line) burst.push_back(request(0, line));
  const Cycle last = last_of(serve(memory, burst));
  EXPECT_GE(static_cast<double>(last), 2000.0 * 128 / 16);
}

TEST(MemorySystem, AStoreThatDrivesOutAWrittenLineWaitsForRoomBeforeDram) {
  MemorySpec spec = small();
  spec.crossbar.sm_request_bytes_per_cycle = 10000;
  spec.dram.channel_bytes_per_cycle = 0.5;  // 8 channels: 4 bytes a cycle
  spec.dram.queue = 1000;
  MemorySystem memory(spec);
  const std::uint64_t lines = spec.l2.size_bytes / 128;
  std::vector<MemoryRequest> fill;
  for (std::uint64_t line = 0; line < 2 * lines; ++line) fill.push_back(request(0, line, RequestKind::store));
  const Cycle last = last_of(serve(memory, fill));
  // Half of the lines have to leave before the last store is taken, but for what may wait.
  const double leave = static_cast<double>(lines) * 128 / 4;
  EXPECT_GE(static_cast<double>(last), leave - 2 * spec.dram.queue);
  EXPECT_LE(static_cast<double>(last), 1.3 * leave);
}

TEST(MemorySystem, AFullSliceHoldsUpItsSmAndNotTheOthers) {
  MemorySpec spec = small();
  spec.crossbar.sm_request_bytes_per_cycle = 128;
  spec.l2.slices = 1;
  spec.l2.slice_places = 64;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> requests;
  for (std::uint64_t i = 0; i < 1000; ++i) requests.push_back(request(0, i % 8, RequestKind::store));
  requests.push_back(request(2000, 4, RequestKind::load, 1));
  const auto replies = serve(memory, requests);
  // 64 messages are 16 stores of 4 cycles each.
  EXPECT_LE(replies.back().at, 2000 + 200 + 64 + 10U);
  EXPECT_GE(replies[999].at, 4000U);
}

TEST(MemorySystem, ABarrierGoesWhereAnSmsLoadsHaveJoinedAnothersToo) {
  MemorySpec spec = small();
  spec.crossbar.join_most = 2;
  spec.crossbar.join_window = 30;
  spec.launch_sm_barriers = 2;
  MemorySystem memory(spec);
  serve(memory, {request(10, 5), request(20, 5, RequestKind::load, 1)});
  EXPECT_EQ(memory.launch_counters(0).l2_sectors - memory.counters().l2_sectors, 2U * 2);
}

// Copies whose sectors shared memory has apart: 2.12 million sectors looked up for 2.16 million that SMs of one cluster and others ask for at once.
TEST(MemorySystem, AloneALoadIsJoinedWithNoOther) {
  MemorySpec spec = small();
  spec.crossbar.join_most = 4;
  spec.crossbar.join_window = 30;
  const auto looked_up = [&](bool first, bool second) {
    MemorySystem memory(spec);
    MemoryRequest one = request(10, 5);
    MemoryRequest other = request(12, 5, RequestKind::load, 1);
    one.alone = first;
    other.alone = second;
    serve(memory, {one, other});
    return memory.counters().l2_read_sectors;
  };
  const auto joined = looked_up(false, false);
  EXPECT_EQ(looked_up(true, true), 2 * joined);
  EXPECT_EQ(looked_up(false, true), 2 * joined);
  EXPECT_EQ(looked_up(true, false), 2 * joined);
}

// Two SMs of one partition ask for a line of the other's within a few cycles: the second finds the copy that the first
// has asked for, and waits until it is here.
TEST(MemorySystem, ACopyThatIsOnItsWayAnswersNobodyBeforeItHasCome) {
  MemorySpec spec = two_partitions();
  spec.l2.far_extra = 180;
  for (const Cycle later : {0, 1, 2, 5, 50}) {
    MemorySystem memory(spec);
    std::vector<MemoryReply> replies =
        serve(memory, {request(100, 0, RequestKind::load, 1), request(100 + later, 0, RequestKind::load, 3)});
    EXPECT_GE(replies[0].at, 100 + 500U);
    EXPECT_GE(replies[1].at, replies[0].at) << later;
    EXPECT_LE(replies[1].at, replies[0].at + 20) << later;
  }
}

TEST(MemorySystem, ALaunchCountsItsOwnSectorsAndBarriersAtEachSliceThatAnSmHasAddressed) {
  MemorySpec spec = small();
  spec.launch_read_sectors = 100;
  spec.launch_barriers = 6;
  spec.launch_sm_barriers = 2;
  MemorySystem memory(spec);
  EXPECT_EQ(memory.launch_counters(0).l2_sectors, 100 + 6U * 16);
  const auto barriers = [&] { return memory.launch_counters(0).l2_sectors - memory.counters().l2_sectors - 100 - 6 * 16; };
  serve(memory, {request(0, 5, RequestKind::store), request(10, 5, RequestKind::store), request(20, 5)});
  EXPECT_EQ(barriers(), 2U) << "one slice of one SM";
  serve(memory, {request(1000, 5, RequestKind::load, 1)});
  EXPECT_EQ(barriers(), 4U) << "another SM, though it only reads";
}

TEST(MemorySystem, ABarrierGoesToTheSliceWhereAnAddressIsAtHome) {
  MemorySpec spec = two_partitions();
  spec.launch_sm_barriers = 2;
  spec.l2.far_extra = 180;
  MemorySystem memory(spec);
  const auto barriers = [&] { return memory.launch_counters(0).l2_sectors - memory.counters().l2_sectors; };
  // 64 KiB, of each slice some: half of them are at home in the other partition.
  for (std::uint64_t line = 0; line < 512; ++line) serve(memory, {request(1000 * line, line, RequestKind::load, 0)});
  EXPECT_EQ(barriers(), 2U * 16);
}

// A whole fence on an H200 takes 276 cycles, 412 where the SM has asked a slice near by since the last one, 590 a far one.
TEST(MemorySystem, AFenceAsksTheSlicesThatItsSmHasAskedSinceTheLastOne) {
  MemorySpec spec = two_partitions();
  spec.l2.fence_sectors = 1;
  spec.l2.fence_far_sectors = 3.5;
  MemorySystem memory(spec);
  const auto latency_behind = [&](std::vector<MemoryRequest> requests) {
    const Cycle at = requests.back().at + 1;
    MemoryRequest fence = request(at, 0, RequestKind::barrier);
    fence.sectors = 0;
    requests.push_back(fence);
    return static_cast<double>(serve(memory, requests).back().at - at);
  };
  Cycle near_line = 0;
  Cycle far_line = 0;
  for (std::uint64_t line = 0; line < 4096; line += 32) {
    const Cycle at = 100000 + line * 100;
    serve(memory, {request(at, line, RequestKind::atomic)});
    (serve(memory, {request(at + 1000, line, RequestKind::atomic)})[0].at - (at + 1000) > 220 ? far_line : near_line) = line;
  }
  serve(memory, {request(900000, 0, RequestKind::barrier)});
  const double trip = spec.crossbar.round_trip;
  EXPECT_NEAR((latency_behind({request(1100000, near_line)})), trip, 4);
  const std::uint64_t counted = memory.counters().l2_sectors;
  EXPECT_NEAR((latency_behind({request(1200000, far_line, RequestKind::store)})),
              trip + static_cast<double>(spec.l2.far_extra), 8);
  EXPECT_GE(memory.counters().l2_sectors - counted, 4U + 3) << "a store and the fence's sectors of a far slice";
  EXPECT_NEAR((latency_behind({request(1300000, far_line, RequestKind::load, 1)})), trip, 4)
      << "another SM's lines are not its own";
}

// By hand on an H200: fences of eight warps take 658 cycles on one SM and 821 on all, which ask each slice 191 times.
TEST(MemorySystem, AFenceIsBackWhenTheLastSliceHasLookedItUpAndTheSlicesTakeTurns) {
  MemorySpec spec = small();
  spec.l2.request_interval = 10;
  spec.l2.slices = 4;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> requests;
  for (unsigned sm = 0; sm < 4; ++sm)
    for (std::uint64_t line = 0; line < 64; ++line) requests.push_back(request(1000 * line, line, RequestKind::load, sm));
  serve(memory, requests);
  std::vector<MemoryRequest> fences;
  for (unsigned sm = 0; sm < 4; ++sm) {
    fences.push_back(request(100000, 0, RequestKind::barrier, sm));
    fences.back().sectors = 0;
  }
  EXPECT_NEAR(static_cast<double>(last_of(serve(memory, fences))), 100000 + 200 + 3 * 10, 4);
}

TEST(MemorySystem, ALaunchReadsTheFirstCodeForEachClusterAndOnceFromMemory) {
  MemorySpec spec = small();
  spec.l2.partitions = 2;
  spec.crossbar.gpc_of_sm = {0, 1, 0, 1};
  spec.cluster_code_lines = 1024;
  MemorySystem memory(spec);
  memory.bring_code(0, 4096, 4096);
  // Two clusters, one of which is not in the code's partition.
  EXPECT_EQ(memory.launch_counters(0).l2_read_sectors, 3 * 4096U / 32);
  EXPECT_EQ(memory.launch_counters(0).l2_read_hit_sectors, 1 * 4096U / 32) << "the first misses in both partitions";
  EXPECT_EQ(memory.launch_counters(0).dram_read_bytes, 4096U);
  serve(memory, {request(0, 32, RequestKind::code), request(10, 40, RequestKind::code)});
  EXPECT_EQ(memory.launch_counters(0).l2_read_sectors, 3 * 4096U / 32) << "nothing is read behind the kernel";
  serve(memory, {request(1000, 41, RequestKind::code)});
  EXPECT_GT(memory.launch_counters(0).l2_read_sectors, 3 * 4096U / 32) << "but far behind there may be a function";
}

TEST(MemorySystem, WritesAndBarriersThatComeBesideLongLaunchesAreCounted) {
  MemorySpec spec = small();
  spec.late = {{1000, 700, 12}, {5000, 800, 0}};
  MemorySystem memory(spec);
  EXPECT_EQ(memory.launch_counters(999).l2_sectors, 0U);
  EXPECT_EQ(memory.launch_counters(1000).l2_sectors, 700 + 12U * 16);
  EXPECT_EQ(memory.launch_counters(5000).l2_sectors, 700 + 800 + 12U * 16);
  EXPECT_EQ(memory.launch_counters(5000).l2_write_sectors, 700 + 800U);
  EXPECT_EQ(memory.launch_counters(5000).l2_hit_sectors, memory.launch_counters(5000).l2_sectors) << "nothing misses";
}

TEST(Dram, AReadWaitsForWritesAndMostWhereBothShareTheChannel) {
  DramSpec spec;
  spec.channels = 1;
  spec.channel_bytes_per_cycle = 8;
  spec.mixed_wait = 400;
  spec.write_wait = 600;
  // A tenth of the channel's cycles are transfers; `writes` of ten are writes. The wait of the last read.
  const auto wait = [&](unsigned writes) {
    Dram dram(spec);
    double at = 0;
    for (unsigned i = 0; i < 1000; ++i) dram.access(i * 64, 64, i % 10 < writes, at += 80);
    at += 80;
    return dram.access(0, 64, false, at) - at;
  };
  EXPECT_EQ(wait(0), 0);
  EXPECT_GT(wait(5), wait(1));
  EXPECT_GT(wait(5), wait(10));
  EXPECT_NEAR(wait(5), 400 * 0.1 + 600 * 0.05 * 0.05, 10);
}

}  // namespace
}  // namespace warpgauge::model::test
