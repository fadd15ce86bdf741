// Atomics beyond the SMs: what slices take for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/model/memory_requests.h"

namespace warpgauge::model::test {
namespace {

TEST(MemorySystem, AtomicsOnOneWordTakeTurns) {
  MemorySpec spec = small();
  spec.l2.atomic_sector_rate = 1;
  spec.crossbar.sm_request_bytes_per_cycle = 10000;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> requests;
  for (unsigned i = 0; i < 100; ++i) {
    MemoryRequest r = request(0, 7, RequestKind::atomic, i % 4);
    r.sectors = 1;
    r.lanes = 32;
    r.turns = 32;
    requests.push_back(r);
  }
  Cycle last = 0;
  for (const MemoryReply& reply : serve(memory, requests)) last = std::max(last, reply.at);
  // The word is on its way from DRAM while they queue up.
  EXPECT_NEAR(static_cast<double>(last), 99 * 32 + 200, 10);
}

// What each of a thousand of these on one line takes, beyond the way there and the line's from DRAM.
double cycles_each(const MemoryRequest& wanted) {
  MemorySpec spec = small();
  spec.l2.atomic_sector_rate = 1;
  spec.l2.atomic_word_rate = 0.8;
  spec.l2.atomic_float_word_rate = 1.0 / 3;
  spec.crossbar.sm_request_bytes_per_cycle = 1e6;
  MemorySystem memory(spec);
  std::vector<MemoryRequest> requests;
  for (unsigned i = 0; i < 1000; ++i) {
    MemoryRequest r = wanted;
    r.line = 7;
    r.sm = static_cast<std::uint16_t>(i % 4);
    requests.push_back(r);
  }
  return (static_cast<double>(last_of(serve(memory, requests))) - 500) / 1000;
}

// RED and ATOM of all SMs on one line of an H200, by type and by words of the line.
TEST(MemorySystem, AtomicsOnPartsOfASectorTakeAQuarterLongerThanOnWholeOnes) {
  MemoryRequest whole = request(0, 0, RequestKind::reduction);
  whole.sectors = 1;
  whole.lanes = 32;
  whole.turns = whole.deepest = 4;
  MemoryRequest part = whole;
  part.partial = true;
  part.turns = part.deepest = 8;
  EXPECT_NEAR(cycles_each(whole), 4, 0.4);
  EXPECT_NEAR(cycles_each(part), 10, 1);
}

TEST(MemorySystem, SumsOfWholeSectorsOfDoublesTakeTwoCyclesATurnAndFourOnTheSameOnes) {
  MemoryRequest spread = request(0, 0, RequestKind::reduction);
  spread.sectors = 0xf;
  spread.lanes = 16;
  spread.turns = 4;
  spread.deepest = 1;
  spread.floating = spread.wide = true;
  EXPECT_NEAR(cycles_each(spread), 8, 0.8);
  MemoryRequest integers = spread;
  integers.floating = false;
  EXPECT_NEAR(cycles_each(integers), 4, 0.4);
  MemoryRequest same = spread;
  same.sectors = 1;
  same.lanes = 32;
  same.turns = same.deepest = 8;
  EXPECT_NEAR(cycles_each(same), 32, 3);
  same.partial = true;  // all lanes on one double
  same.turns = same.deepest = 32;
  EXPECT_NEAR(cycles_each(same), 96, 10);
}

// probe atomics.types, atom_cas_b32: in cycles of the L2 1.26 of one lane, 2.05 of two to seven lanes of a sector, 2.02 of
// eight; sixteen turns of two lanes 33.
TEST(MemorySystem, CompareAndSwapTakesTwoCyclesUnlessEachTurnHasOneLane) {
  MemoryRequest swap = request(0, 0, RequestKind::atomic);
  swap.sectors = swap.lanes = swap.turns = swap.deepest = 1;
  swap.partial = swap.two_operands = true;
  EXPECT_NEAR(cycles_each(swap), 1.25, 0.2);
  swap.lanes = 4;
  EXPECT_NEAR(cycles_each(swap), 2, 0.2);
  swap.lanes = 32;
  swap.turns = swap.deepest = 16;
  EXPECT_NEAR(cycles_each(swap), 32, 3);
  swap.turns = swap.deepest = 32;  // all on one word
  EXPECT_NEAR(cycles_each(swap), 40, 4);
}

TEST(MemorySystem, TurnsOfAtomicsLeaveAnSmAsMessages) {
  MemorySpec spec = small();
  spec.crossbar.sm_request_bytes_per_cycle = 32;
  spec.crossbar.request_header = 32;
  spec.l2.atomic_sector_rate = spec.l2.atomic_word_rate = 1000;
  spec.dram.channel_bytes_per_cycle = 1e6;
  // Lanes on one word, and lanes on the words of a whole line: probe atomics.patterns on the H200 sees 32 and
  // 5 cycles a warp.
  for (const bool one_word : {true, false}) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> burst;
    for (std::uint64_t i = 0; i < 100; ++i) {
      MemoryRequest r = request(0, i, RequestKind::reduction);
      r.sectors = one_word ? 1 : 0xf;
      r.lanes = 32;
      r.turns = one_word ? 32 : 4;
      r.deepest = one_word ? 32 : 1;
      burst.push_back(r);
    }
    const double each = one_word ? 32 : 5;
    EXPECT_NEAR(static_cast<double>(last_of(serve(memory, burst)) - 200 - spec.dram.latency), 99 * each, 40);
  }
}

TEST(MemorySystem, AtomicsOnNeighbouringPiecesUseTwoSlices) {
  const auto last = [](std::uint64_t line) {
    MemorySpec spec = small();
    spec.l2.slices = 12;
    spec.l2.slice_interleave = {512, 256};
    spec.l2.atomic_sector_rate = 0.01;
    MemorySystem memory(spec);
    std::vector<MemoryRequest> requests;
    for (unsigned i = 0; i < 20; ++i) requests.push_back(request(i * 2, i % 2 * line, RequestKind::atomic));
    Cycle at = 0;
    for (const MemoryReply& reply : serve(memory, requests)) at = std::max(at, reply.at);
    return static_cast<double>(at);
  };
  // Lines 0 and 1 are a piece, 2 and 3 the other slice's, 4 and 5 the first one's again.
  EXPECT_NEAR(last(1), last(4), 200);
  EXPECT_NEAR(last(2) / last(1), 0.5, 0.1);
}

// On an H200 additions of floats on one sector take 3.47 cycles a lane, on two of one line or of two 2.6, integers 1.44 (docs/h200.md,
// "A slice adds floats in order"); here one a cycle and one every four.
TEST(MemorySystem, AnAdditionOfFloatsWaitsForTheOneBeforeOnItsSectorAndKeepsBackWhatIsBehindIt) {
  MemorySpec spec = small();
  spec.l2.slices = 1;
  spec.l2.atomic_sector_rate = spec.l2.atomic_word_rate = 1;
  spec.l2.atomic_float_word_rate = 0.25;
  const auto last_of = [&](std::vector<std::uint8_t> sectors, bool floating) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> requests{request(10, 5)};
    for (unsigned i = 0; i < 64; ++i) {
      MemoryRequest addition = request(1000 + i, 5, RequestKind::reduction, 0);
      addition.sectors = sectors[i % sectors.size()];
      addition.floating = floating;
      addition.turns = addition.lanes = addition.deepest = 1;
      requests.push_back(addition);
    }
    requests.push_back(request(1000 + 64, 5, RequestKind::load, 1));
    Cycle last = 0;
    for (const MemoryReply& reply : serve(memory, std::move(requests))) last = std::max(last, reply.at);
    return static_cast<double>(last);
  };
  const double of_integers = last_of({1}, false);
  EXPECT_NEAR(last_of({1}, true) - of_integers, 64 * 3, 12);
  EXPECT_NEAR(last_of({1, 2}, true) - of_integers, 64 * 1, 12);
  EXPECT_NEAR(last_of({1, 2, 4, 8}, true) - of_integers, 0, 12);
}

}  // namespace
}  // namespace warpgauge::model::test
