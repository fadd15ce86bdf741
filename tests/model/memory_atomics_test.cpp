// Atomics beyond the SMs: what slices take for them.
#include <gtest/gtest.h>

#include <vector>

#include "model/memory/slice_map.h"
#include "model/memory/words.h"
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
  const Cycle last = last_of(serve(memory, requests));
  // The word is on its way from DRAM while they queue up.
  EXPECT_NEAR(static_cast<double>(last), 99 * 32 + 200, 10);
}

MemorySpec atomics_of_an_h200() {
  MemorySpec spec = small();
  spec.l2.atomic_sector_rate = 1;
  spec.l2.atomic_word_rate = 0.8;
  spec.l2.atomic_float_word_rate = 1.0 / 3;
  spec.crossbar.sm_request_bytes_per_cycle = 1e6;
  return spec;
}

// What each of a thousand of these on one line takes, beyond the way there and the line's from DRAM.
double cycles_each(const MemoryRequest& wanted, const MemorySpec& spec = atomics_of_an_h200()) {
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
  part.lanes = part.turns = part.deepest = 8;  // lanes on one word
  EXPECT_NEAR(cycles_each(whole), 4, 0.4);
  EXPECT_NEAR(cycles_each(part), 10, 1);
}

// On an H200 REDs by all SMs, words in a row of which eight lanes share each, take 1.17 cycles of an SM a lane and 0.72 where four do:
// each turn of several words' lanes brings a header (by hand, lanes_that_share_words).
TEST(MemorySystem, EachTurnOfSeveralLanesBringsAHeaderAndThoseOfOneLaneNothingElse) {
  MemorySpec spec = atomics_of_an_h200();
  spec.l2.slice_write_bytes_per_cycle = spec.crossbar.request_header = spec.l2.sector_bytes;
  MemoryRequest shared = request(0, 0, RequestKind::reduction);
  shared.sectors = 1;
  shared.partial = true;
  shared.turns = shared.deepest = 8;
  shared.lanes = 32;
  EXPECT_NEAR(cycles_each(shared, spec), 16, 1) << "four words of eight lanes each";
  shared.lanes = 12;  // at least four turns have one lane
  EXPECT_NEAR(cycles_each(shared, spec), 12, 1);
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

// probe atomics.types, atom_cas_b32: in cycles of the L2 1.26 of one lane, 2.05 of two to seven lanes of a
// sector, 2.02 of eight; sixteen turns of two lanes 33, all of them on one line. What lines at random take
// beyond that, 1.4 times as long as additions with results (by hand, accesses_by_sectors), is their answers'.
TEST(MemorySystem, CompareAndSwapTakesTwoCyclesUnlessEachTurnHasOneLane) {
  MemoryRequest swap = request(0, 0, RequestKind::atomic);
  swap.sectors = swap.lanes = swap.turns = swap.deepest = 1;
  swap.partial = swap.two_operands = true;
  EXPECT_NEAR(cycles_each(swap), 1.25, 0.2);
  swap.lanes = 4;
  EXPECT_NEAR(cycles_each(swap), 2, 0.2);
  swap.lanes = 32;
  swap.turns = swap.deepest = 16;
  EXPECT_NEAR(cycles_each(swap), 33, 2);
  swap.turns = swap.deepest = 32;  // all on one word
  EXPECT_NEAR(cycles_each(swap), 40, 4);
  swap.sectors = 0xf;  // a word in each of four sectors: tries at locks take the card 1.5 times what
                       // additions do (tries_at_locks)
  swap.lanes = swap.turns = 4;
  swap.deepest = 1;
  EXPECT_NEAR(cycles_each(swap), 8, 0.8);
}

// On an H200 48 blocks' compares and swaps of words in each of four sectors take 1,580 cycles a round where
// additions take 1,040 (by hand, tries_at_locks).
TEST(MemorySystem, AnswersOfSeveralLanesCompareAndSwapTakeACycleMoreATurn) {
  MemorySpec spec = atomics_of_an_h200();
  spec.l2.atomic_sector_rate = spec.l2.atomic_word_rate = 1000;
  spec.l2.atomic_answer = 2;
  spec.l2.request_interval = 1;
  MemoryRequest add = request(0, 0, RequestKind::atomic);
  add.sectors = 0xf;
  add.lanes = add.turns = 4;
  add.deepest = 1;
  add.partial = true;
  EXPECT_NEAR(cycles_each(add, spec), 8, 1);
  MemoryRequest swap = add;
  swap.two_operands = true;
  EXPECT_NEAR(cycles_each(swap, spec), 12, 1);
}

// An H200's near slices take REDs of a word in each of two sectors in 3.1 cycles of theirs, in each of four in 5.2, whole lines in 4 to 4.5.
TEST(MemorySystem, WordsOfSeveralSectorsBringAHeaderBesideTheirOperandsAndWholeSectorsNone) {
  MemorySpec spec = atomics_of_an_h200();
  spec.l2.slice_write_bytes_per_cycle = spec.crossbar.request_header = spec.l2.sector_bytes;
  spec.l2.atomic_sector_rate = spec.l2.atomic_word_rate = 1000;
  MemoryRequest words = request(0, 0, RequestKind::reduction);
  words.deepest = 1;
  words.partial = true;
  for (const unsigned sectors : {2U, 4U}) {
    words.sectors = static_cast<std::uint8_t>((1U << sectors) - 1);
    words.lanes = words.turns = static_cast<std::uint8_t>(sectors);
    EXPECT_NEAR(cycles_each(words, spec), 1 + sectors, 0.4);
  }
  MemoryRequest whole = words;
  whole.lanes = 32;
  whole.partial = false;
  EXPECT_NEAR(cycles_each(whole, spec), 4, 0.4);
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
    EXPECT_NEAR(static_cast<double>(last_of(serve(memory, burst)) - 200), 99 * each, 40);
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
    return static_cast<double>(last_of(serve(memory, requests)));
  };
  // Lines 0 and 1 are a piece, 2 and 3 the other slice's, 4 and 5 the first one's again.
  EXPECT_NEAR(last(1), last(4), 200);
  EXPECT_NEAR(last(2) / last(1), 0.5, 0.1);
}

// docs/h200.md, "Floats added to one word": warps whose lanes add to one of two words, of two sectors, take 2.55 cycles a lane for 3.53
// of one word, whether the L2 has the line or not.
TEST(MemorySystem, SumsOfTwoSectorsOfALineThatMemoryBringsDoNotWaitForEachOther) {
  MemorySpec spec = small();
  spec.l2.slices = 1;
  spec.l2.slice_places = 32;
  spec.l2.atomic_sector_rate = spec.l2.atomic_word_rate = 1;
  spec.l2.atomic_float_word_rate = 0.25;
  const auto end_of = [&](std::vector<std::uint8_t> sectors) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> requests;
    for (unsigned i = 0; i < 100; ++i) {
      MemoryRequest addition = request(10 + i, 5, RequestKind::reduction, 0);
      addition.sectors = sectors[i % sectors.size()];
      addition.floating = addition.partial = true;
      addition.turns = addition.lanes = addition.deepest = 8;
      requests.push_back(addition);
    }
    requests.push_back(request(200, 6, RequestKind::load, 0));
    return static_cast<double>(last_of(serve(memory, std::move(requests))));
  };
  EXPECT_NEAR(end_of({1}), 100 * 8 * 4, 900) << "and what memory takes";
  EXPECT_NEAR(end_of({1, 2}) / end_of({1}), 0.5, 0.12);
}

// On an H200 additions of floats on one sector take 3.47 cycles a lane, on two of one line or of two 2.6, integers 1.44 (docs/h200.md,
// "A slice adds floats in order"); here one a cycle and one every four.
TEST(MemorySystem, AnAdditionOfFloatsWaitsForTheOneBeforeOnItsSectorAndKeepsBackWhatIsBehindIt) {
  MemorySpec spec = small();
  spec.l2.slices = 1;
  spec.l2.atomic_sector_rate = spec.l2.atomic_word_rate = 1;
  spec.l2.atomic_float_word_rate = 0.25;
  const auto end_of = [&](std::vector<std::uint8_t> sectors, bool floating) {
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
    return static_cast<double>(last_of(serve(memory, std::move(requests))));
  };
  const double of_integers = end_of({1}, false);
  EXPECT_NEAR(end_of({1}, true) - of_integers, 64 * 3, 12);
  EXPECT_NEAR(end_of({1, 2}, true) - of_integers, 64 * 1, 12);
  EXPECT_NEAR(end_of({1, 2, 4, 8}, true) - of_integers, 0, 12);
}

// An access of one lane to this line.
MemoryRequest one_lane(Cycle at, std::uint64_t line, RequestKind kind, unsigned sm = 0) {
  MemoryRequest made = request(at, line, kind, sm);
  made.sectors = 1;
  made.lanes = made.turns = made.deepest = 1;
  made.partial = true;
  return made;
}

// By hand on an H200: 836 cycles for REDs of lines that only memory has, with a fence behind them, and 823 for others.
TEST(MemorySystem, AReductionIsDoneAsSoonAsItsSliceHasItAndAnAtomicWhenItsLineIsThere) {
  MemorySystem memory(small());
  const auto takes = [&](Cycle at, std::uint64_t line, RequestKind kind) {
    return serve(memory, {one_lane(at, line, kind)})[0].at - at;
  };
  const Cycle cold = takes(1000, 3, RequestKind::reduction);
  EXPECT_EQ(cold, takes(3000, 3, RequestKind::reduction));
  EXPECT_GE(takes(5000, 4, RequestKind::atomic), cold + 300) << "memory's latency";
  const auto both = serve(memory, {one_lane(7000, 5, RequestKind::reduction), one_lane(7010, 5, RequestKind::load)});
  EXPECT_EQ(both[0].at - 7000, cold);
  EXPECT_GE(both[1].at - 7010, cold + 280) << "what has been added to is still on its way";
}

// An H200 reads 48 bytes from memory for each RED of a line: 64 for those whose home is near, 32 for the others.
TEST(MemorySystem, AnAtomicFromTheOtherPartitionFetchesItsSectorsAlone) {
  MemorySpec spec = two_partitions();
  spec.l2.fetch_bytes = 64;
  for (const RequestKind kind : {RequestKind::reduction, RequestKind::atomic}) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> requests;
    for (unsigned i = 0; i < 1024; ++i) requests.push_back(one_lane(10 + 100 * i, i, kind));
    serve(memory, requests);
    EXPECT_EQ(memory.counters().dram_read_bytes, 1024U * 48);
  }
}

// How long all SMs take for a thousand such accesses to lines whose home is near them, or far.
struct NearAndFar {
  double near = 0;
  double far = 0;
};
NearAndFar thousand(const MemoryRequest& wanted) {
  MemorySpec spec = two_partitions();
  spec.l2.slices = 64;
  spec.l2.link_interval = 2;
  spec.l2.atomic_word_rate = 1;
  spec.crossbar.sm_request_bytes_per_cycle = 1e6;
  const SliceMap map(spec.l2);
  const auto cycles = [&](bool far) {
    MemorySystem memory(spec);
    // The lines are at their home before, and nowhere else.
    std::vector<MemoryRequest> before;
    for (unsigned line = 0; line < 4096; ++line) {
      before.push_back(request(line, line));
      before.back().sectors = 0xf;
      before.back().sm = static_cast<std::uint16_t>(map.partition_of(line));
    }
    serve(memory, before);
    std::vector<MemoryRequest> requests;
    for (unsigned line = 0; requests.size() < 1000; ++line) {
      const unsigned sm = (map.partition_of(line) == 0) == far ? 1 : 0;
      MemoryRequest made = wanted;
      made.at = 100000;
      made.line = line;
      made.sm = static_cast<std::uint16_t>(sm);
      requests.push_back(made);
    }
    return static_cast<double>(last_of(serve(memory, requests))) - 100000 - spec.crossbar.round_trip;
  };
  return {cycles(false), cycles(true)};
}

// On an H200, a cycle in both directions together: 41 sectors of stores, be they two or four of a line, 40 REDs of a word in each
// sector of lines, 21 such ATOMs, 19 REDs and 13 ATOMs of whole sectors; near by none of them is bound so early but by the SMs' own ways.
TEST(MemorySystem, WhatGoesToTheOtherPartitionTakesTurnsByMessages) {
  const double messages = 1000.0 / 2 * 2;  // half of them each way, two cycles a message
  const NearAndFar reductions = thousand(one_lane(0, 0, RequestKind::reduction));
  EXPECT_LT(reductions.near, messages / 3);
  EXPECT_NEAR(reductions.far, messages, messages / 5) << "one for each sector";
  const NearAndFar atomics = thousand(one_lane(0, 0, RequestKind::atomic));
  EXPECT_NEAR(atomics.far, messages, messages / 2) << "what comes back has a way of its own";
  MemoryRequest apart = one_lane(0, 0, RequestKind::reduction);
  apart.sectors = 0xf;
  apart.lanes = apart.turns = 4;
  EXPECT_NEAR(thousand(apart).far, 4 * messages, messages / 2);
  MemoryRequest whole = one_lane(0, 0, RequestKind::reduction);
  whole.lanes = 8;
  whole.partial = false;
  EXPECT_NEAR(thousand(whole).far, 2 * messages, messages / 3) << "a header before operands of several lanes";
  MemoryRequest stores = one_lane(0, 0, RequestKind::store);
  stores.partial = false;
  EXPECT_NEAR(thousand(stores).far, messages, messages / 3);
  stores.sectors = 0xf;
  EXPECT_NEAR(thousand(stores).far, 4 * messages, messages / 2);
}

// On an H200 ATOMs of all SMs on words at random take 3.5 cycles a lane, whether lanes share words or not, without results 2.6; where one
// slice has nearly all of them, no longer than without (by hand, lanes_that_share_words).
TEST(MemorySystem, ResultsOfAtomicsTakeTheSliceThatTheirSmHasAskedTurnByTurn) {
  MemorySpec spec = two_partitions();
  const auto cycles = [&](RequestKind kind, unsigned lanes, bool both) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> requests;
    for (unsigned i = 0; i < 960; i += lanes) {
      // Of SMs of one partition, or of both.
      MemoryRequest add = one_lane(0, 0, kind, both ? i / lanes % 2 : 0);
      add.lanes = add.turns = add.deepest = static_cast<std::uint8_t>(lanes);
      requests.push_back(add);
    }
    return static_cast<double>(last_of(serve(memory, requests)));
  };
  for (const unsigned lanes : {1U, 8U}) {
    spec.l2.atomic_answer = spec.l2.atomic_answer_word = 0;
    const double alone = cycles(RequestKind::atomic, lanes, false);
    const double reductions = cycles(RequestKind::reduction, lanes, false);
    spec.l2.atomic_answer = 13;
    spec.l2.atomic_answer_word = 7;
    EXPECT_NEAR(cycles(RequestKind::atomic, lanes, false), 960 * 20, 2000) << lanes;
    EXPECT_NEAR(cycles(RequestKind::atomic, lanes, true), 960 * 10, 2000) << lanes;
    EXPECT_LT(alone, 960 * 5) << lanes;
    EXPECT_EQ(cycles(RequestKind::reduction, lanes, false), reductions) << lanes;
  }
}

// Stores of all SMs of an H200 to a sector each of lines that no slice has are taken 22 a cycle far, of a word 13; whole lines as their way is.
TEST(MemorySystem, StoresFromTheOtherPartitionTakeASliceLongerWhereTheyBeginALineOrASectorInPart) {
  MemorySpec spec = two_partitions();
  spec.l2.far_store_extra = 50;
  const SliceMap map(spec.l2);
  const auto cycles = [&](std::uint8_t sectors, std::uint32_t words, unsigned lines) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> requests;
    std::uint64_t line = 0;
    for (unsigned i = 0; i < 200; ++i) {
      if (i < lines) ++line;
      while (map.partition_of(line) != 0 || map.slice_of(line, 0) != map.slice_of(0, 0)) ++line;
      MemoryRequest store = request(0, line, RequestKind::store);
      store.sm = 1;
      store.sectors = sectors;
      store.words = words;
      store.partial = words != words_of(sectors);
      requests.push_back(store);
    }
    return static_cast<double>(last_of(serve(memory, requests)));
  };
  const double whole = cycles(0xf, ~0U, 200);
  EXPECT_NEAR(cycles(0x1, 0xff, 200) - whole, 200 * 50, 200 * 8) << "a sector of each line";
  EXPECT_NEAR(cycles(0x1, 0x1, 200) - whole, 200 * 100, 200 * 8) << "a word of each line";
  EXPECT_LT(cycles(0x1, 0x1, 1), whole + 200) << "a word again and again";
}

// What their home gives for them takes turns with all else that goes there.
TEST(MemorySystem, LoadsOfTheOtherPartitionTakeTurnsOnTheirWayBack) {
  MemoryRequest load = request(0, 0);
  load.sectors = 0xf;
  const NearAndFar lines = thousand(load);
  const double messages = 1000.0 / 2 * 2;
  EXPECT_LT(lines.near, 1.1 * messages) << "the SM's own way";
  EXPECT_NEAR(lines.far, 4 * messages, messages / 2);
}

// Two lanes on one word take an H200 as long as two on lines of their own (by_hand_h200.json, accesses_by_sectors).
TEST(MemorySystem, LanesOnOneWordAreRequestsOfTheirOwn) {
  MemorySpec spec = small();
  spec.l2.atomic_sector_rate = spec.l2.atomic_word_rate = 100;
  spec.l2.request_interval = 5;
  spec.crossbar.sm_request_bytes_per_cycle = 1e6;
  const auto cycles = [&](std::uint8_t lanes, std::uint8_t turns) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> requests;
    for (unsigned i = 0; i < 1000; ++i) {
      MemoryRequest r = request(0, 7, RequestKind::reduction);
      r.sectors = 1;
      r.lanes = lanes;
      r.turns = r.deepest = turns;
      r.partial = true;
      requests.push_back(r);
    }
    return static_cast<double>(last_of(serve(memory, requests)));
  };
  EXPECT_NEAR(cycles(2, 2) - cycles(1, 1), 1000 * 5, 200);
  EXPECT_NEAR(cycles(2, 1) - cycles(1, 1), 0, 200) << "two words of a sector";
}

TEST(MemorySystem, AnAtomicThatIsPaddedTakesAsMuchOfTheWayAsASector) {
  MemorySpec spec = small();
  spec.l2.atomic_sector_rate = spec.l2.atomic_word_rate = 100;
  spec.crossbar.sm_request_bytes_per_cycle = 8;
  spec.crossbar.request_header = 32;
  const auto cycles = [&](bool padded) {
    MemorySystem memory(spec);
    std::vector<MemoryRequest> requests;
    for (unsigned i = 0; i < 1000; ++i) {
      MemoryRequest r = request(0, i, RequestKind::reduction);
      r.sectors = 1;
      r.lanes = r.turns = r.deepest = 1;
      r.partial = true;
      r.padded = padded;
      requests.push_back(r);
    }
    return static_cast<double>(last_of(serve(memory, requests)));
  };
  EXPECT_NEAR(cycles(false), 1000 * 32 / 8, 700);
  EXPECT_NEAR(cycles(true), 1000 * (32 + 32) / 8, 700);
}

}  // namespace
}  // namespace warpgauge::model::test
