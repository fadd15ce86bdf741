// The memory pipeline of the SM: queue and shared unit, latencies, L1.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "model/memory/sector_cache.h"
#include "model/sm/decoded.h"
#include "model/sm/queued_op.h"
#include "tests/model/lanes.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using sass::Opcode;
using traces::MemoryAccess;

AddressOf shared_stride(unsigned words) {
  return [words](const Where& w) { return std::uint64_t{4} * words * w.lane; };
}

AddressOf global_line(std::uint64_t line) {
  return [line](const Where& w) { return 0x10000000ULL + line * 128 + 4ULL * w.lane; };
}

// The issue cycles of independent loads on 1 to 4 processing blocks: Huerta et al., MICRO 2025, table of
// section 4.
TEST(MemoryUnit, IndependentMemoryInstructionsIssueAsOnAmpere) {
  MachineSpec spec = one_sm();
  spec.sm.memory.shared_unit_interval = 2;  // Ampere's A6000
  spec.sm.memory.address_interval_shared_load = 4;
  spec.sm.memory.queue_entries = 5;
  spec.sm.memory.slot_release = 10;  // and one more for an address of four cycles
  const std::array<std::array<unsigned, 2>, 4> sixth_and_seventh{{{11, 15}, {13, 17}, {15, 21}, {17, 25}}};
  for (unsigned blocks = 1; blocks <= 4; ++blocks) {
    std::vector<FakeOp> body;
    for (unsigned i = 0; i < 10; ++i) body.push_back(load(Opcode::LDS, 8, 4, 4, shared_stride(1)));
    const auto turns = second_turn(spec, body, blocks);
    std::array<std::uint64_t, 2> last{};
    for (unsigned warp = 0; warp < blocks; ++warp) {
      const auto& turn = turns[warp];
      for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(turn[i], i) << "warp " << warp;
      last = {std::max(last[0], turn[5]), std::max(last[1], turn[6])};
      if (turn.size() > 9) {
        EXPECT_EQ(turn[9] - turn[8], std::max(4U, 2 * blocks));
      }
    }
    EXPECT_EQ(last[0], sixth_and_seventh[blocks - 1][0]) << blocks << " blocks";
    EXPECT_EQ(last[1], sixth_and_seventh[blocks - 1][1]) << blocks << " blocks";
  }
}

TEST(MemoryUnit, LoadsAreBackAfterTheirCalibratedLatency) {
  for (const char* device : {"v100", "t4", "h200"}) {
    const MachineSpec spec = one_sm(device);
    const auto expect = [&](FakeOp made, unsigned raw, unsigned war) {
      const auto result = second_turn(spec, {made.stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
      EXPECT_EQ(result[1] - result[0], raw) << device;
      FakeOp source = made;
      source.instruction.control.write_barrier = sass::Control::no_barrier;
      const auto released = second_turn(spec, {source.stall(2).reads(1), op(Opcode::NOP).waits(2)})[0];
      EXPECT_EQ(released[1] - released[0], war) << device;
    };
    const auto access = [&](Access a) { return spec.sm.access[static_cast<std::size_t>(a)]; };
    expect(load(Opcode::LDS, 8, 4, 4, shared_stride(1)), access(Access::load_shared_32).raw,
           access(Access::load_shared_32).war);
    expect(load(Opcode::LDS, 8, -1, 4, shared_stride(1)), access(Access::load_shared_32).raw_uniform,
           access(Access::load_shared_32).war_uniform);
    expect(load(Opcode::LDG, 8, 4, 4, global_line(3)), access(Access::load_global_32).raw,
           access(Access::load_global_32).war);
    expect(load(Opcode::LDG, 8, 4, 4, global_line(3)), access(Access::load_global_32).raw,
           access(Access::load_global_32).war);
  }
}

TEST(MemoryUnit, ALoadThatMissesTheL1TakesTheWayToTheL2) {
  MachineSpec spec = slices_alike(one_sm());
  spec.sm.memory.queue_entries = 5;
  // The first turn brings the line to the L2, a second line of the same set evicts nothing of it there; the
  // L1 is made so small that it holds one line.
  spec.sm.l1.sets = 1;
  spec.sm.l1.carveouts.clear();
  spec.sm.l1.max_data_bytes = 128;
  const auto turn = second_turn(
      spec, {load(Opcode::LDG, 8, 4, 4, global_line(1)).stall(2).writes(0), op(Opcode::NOP).waits(1).stall(2),
             load(Opcode::LDG, 8, 4, 4, global_line(64)).stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
  const unsigned hit = spec.sm.access[static_cast<std::size_t>(Access::load_global_32)].raw;
  const std::uint64_t near_by = hit + spec.memory.crossbar.round_trip;
  for (const unsigned i : {0U, 2U}) {
    const std::uint64_t latency = turn[i + 1] - turn[i];
    EXPECT_TRUE(latency == near_by || latency == near_by + spec.memory.l2.far_extra) << latency;
  }
}

FakeOp end_of_copies() {
  return op(Opcode::LDGDEPBAR).stall(2).writes(0);
}

TEST(MemoryUnit, AWaitForCopiesEndsWithTheLastHoweverManyGroupsTheyAre) {
  for (const unsigned groups : {1U, 15U, 16U, 17U, 63U, 64U, 150U}) {
    std::vector<FakeOp> program;
    for (unsigned i = 0; i < groups; ++i) {
      program.push_back(async_copy(4, 4, global_line(i)));
      program.push_back(end_of_copies());
    }
    program.push_back(op(Opcode::NOP).waits(1));
    program.push_back(exit_op());
    FakeStream stream(program);
    const MachineSpec spec = one_sm();
    std::vector<IssueEvent> timeline;
    Machine(spec).run(stream, {}, timeline);
    ASSERT_EQ(timeline.size(), program.size()) << groups << " groups";
    const std::uint64_t wait = timeline[2 * groups].cycle - timeline[2 * groups - 2].cycle;
    EXPECT_GT(wait, spec.memory.crossbar.round_trip) << groups << " groups";
  }
}

TEST(MemoryUnit, AWarpWaitsToEndA64thGroupOfCopiesUnderWay) {
  std::vector<FakeOp> program{async_copy(4, 4, global_line(0))};
  for (unsigned i = 0; i < 70; ++i) program.push_back(end_of_copies());
  program.push_back(exit_op());
  FakeStream stream(program);
  const MachineSpec spec = one_sm();
  std::vector<IssueEvent> timeline;
  Machine(spec).run(stream, {}, timeline);
  const std::uint64_t begun = timeline[0].cycle;
  EXPECT_LT(timeline[63].cycle - begun, spec.memory.crossbar.round_trip);
  EXPECT_GT(timeline[64].cycle - begun, spec.memory.crossbar.round_trip);
}

// So many copies past the L1 of 16 bytes a lane, from `lines` lines each, then a load that hits: how long after the first.
std::uint64_t hit_behind_copies(unsigned copies, unsigned lines) {
  const unsigned together = 32 / lines;
  const auto from = [together](const Where& w) { return 0x20000000ULL + w.lane / together * 128 + w.lane % together * 16; };
  std::vector<FakeOp> body(copies, async_copy(4, 16, from));
  body.push_back(load(Opcode::LDG, 8, 4, 4, global_line(0)).stall(2).writes(1));
  body.push_back(op(Opcode::NOP).waits(2));
  body.push_back(end_of_copies());
  body.push_back(op(Opcode::NOP).waits(1));
  const auto turn = second_turn(one_sm(), body)[0];
  return turn[copies + 1] - turn[0];
}

TEST(MemoryUnit, ACopyPastTheL1TakesFiveCyclesOfTheTagsAndNineOfSixteenthsOfItsLines) {
  for (const unsigned lines : {4U, 8U, 16U, 32U})
    EXPECT_EQ(hit_behind_copies(4, lines) - hit_behind_copies(3, lines), 5 + 9 * lines / 16) << lines;
}

// Of lanes so many bytes apart in global and in shared memory.
unsigned data_passes(FakeOp made, unsigned stride, unsigned shared_stride) {
  const SmSpec spec = one_sm().sm;
  const StaticOp op = predecode(std::span(&made.instruction, 1), spec)[0];
  const auto addresses = lanes([stride](unsigned l) { return 0x10000ULL + std::uint64_t{stride} * l; });
  const auto shared = lanes([shared_stride](unsigned l) { return std::uint64_t{shared_stride} * l; });
  traces::Issued issued;
  issued.active_mask = issued.executed_mask = ~0U;
  issued.space = made.space;
  issued.access = made.access;
  issued.bytes_per_lane = made.bytes;
  issued.addresses = addresses.data();
  issued.shared_addresses = shared.data();
  QueuedOp entry;
  make_queued(entry, spec, op, issued, {});
  return entry.data_passes;
}

// By copies_to_places_apart an H200 counts 32.5 and 33 wavefronts for each copy of 4 and 8 bytes a lane to places 256 and 512 bytes apart, and
// 1.6 and 3.1 where they are 260 and 520 apart.
TEST(MemoryUnit, ACopyThroughTheL1WritesSharedMemoryAsAStoreDoes) {
  const auto through = [](unsigned bytes) { return async_copy(4, bytes, nullptr).modifier(sass::Modifier::bypass, 1); };
  EXPECT_EQ(data_passes(through(4), 4, 4), 1U);
  EXPECT_EQ(data_passes(through(4), 4, 256), 32U);
  EXPECT_EQ(data_passes(through(4), 4, 260), 1U);
  EXPECT_EQ(data_passes(through(8), 8, 512), 32U);
  EXPECT_EQ(data_passes(through(8), 8, 520), 2U);
}

TEST(MemoryUnit, ACopyPastTheL1TakesOfTheDataArrayWhatItsBytesTakeWhateverBanksTheyLieIn) {
  const auto passes = [](const FakeOp& made, unsigned stride) { return data_passes(made, stride, 0); };
  for (const unsigned stride : {16U, 128U}) EXPECT_EQ(passes(async_copy(4, 16, nullptr), stride), 4U) << stride;
  EXPECT_EQ(passes(load(Opcode::LDG, 8, 4, 16, nullptr), 128), 32U) << "a load reads the banks";
}

// Probe lsu.backlog on an H200: a lone warp's passes come every second cycle.
TEST(MemoryUnit, ALoneWarpsSharedLoadTakesTwoCyclesForEveryWordOfItsBusiestBank) {
  const MachineSpec spec = one_sm();
  for (const unsigned stride : {1U, 2U, 4U, 8U, 16U, 32U, 3U, 33U}) {
    std::vector<FakeOp> body;
    // So many that what may wait for the data stage is long full in the second half.
    for (unsigned i = 0; i < 128; ++i)
      body.push_back(load(Opcode::LDS, 8, 4, 4, shared_stride(stride)).stall(1));
    const unsigned passes = stride % 2 == 1 ? 1 : stride;
    const double expected =
        std::max(passes * spec.sm.memory.conflict_pass_latency, spec.sm.memory.address_interval_shared_load);
    EXPECT_NEAR(cycles_each(spec, body), expected, 0.01) << "stride " << stride;
  }
}

// Probe shared.patterns on an H200: 23 cycles, and two more for every word beyond the first in one bank.
TEST(MemoryUnit, AConflictDelaysTheResultByTwoCyclesAPass) {
  const MachineSpec spec = one_sm();
  for (const unsigned words : {1U, 2U, 4U, 8U, 16U, 32U}) {
    const auto turn = second_turn(spec, {load(Opcode::LDS, 8, 4, 4, shared_stride(words)).stall(2).writes(0),
                                         op(Opcode::NOP).waits(1)})[0];
    EXPECT_EQ(turn[1] - turn[0], 23 + 2 * (words - 1)) << words << " words in a bank";
  }
}

// By hand on an H100 (wide_loads_of_shared_words): eight loads in a chain of loads and waits.
TEST(MemoryUnit, AWideLoadOfWordsThatLanesShareIsBackSoonerByThreeCyclesAPass) {
  const MachineSpec spec = one_sm();
  const auto cycles = [&](unsigned bytes, unsigned words_apart) {
    FakeOp made = load(Opcode::LDS, 8, 4, bytes, shared_stride(words_apart));
    const auto turn = second_turn(spec, {made.stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
    return turn[1] - turn[0];
  };
  EXPECT_EQ(cycles(8, 0), 23U) << "a word of 64 bits for all lanes: one pass";
  EXPECT_EQ(cycles(8, 2), 26U) << "two passes";
  EXPECT_EQ(cycles(8, 4), 30U) << "two more: a conflict's take two cycles each";
  EXPECT_EQ(cycles(16, 0), 26U) << "128 bits for all lanes: two passes";
  EXPECT_EQ(cycles(16, 4), 32U) << "four passes";
  EXPECT_EQ(cycles(16, 8), 40U) << "four more";
}

// When what waits for a fence of shared memory issues, behind so many stores whose lanes share a bank, counted from the fence's issue.
std::uint64_t behind_fence(FakeOp fence, unsigned stores) {
  std::vector<FakeOp> body;
  for (unsigned i = 0; i < stores; ++i) body.push_back(store(Opcode::STS, 4, 8, 4, shared_stride(8)).stall(2));
  body.push_back(fence.stall(2).writes(1));
  body.push_back(op(Opcode::NOP).waits(2));
  const auto turn = second_turn(one_sm(), body)[0];
  return turn[stores + 1] - turn[stores];
}

TEST(MemoryUnit, AFenceOfSharedMemoryWaitsForTheStoresBeforeIt) {
  const FakeOp fence = op(Opcode::FENCE);
  const std::uint64_t alone = behind_fence(fence, 0);
  EXPECT_LE(alone, 4U);
  // Eight passes each, two cycles a pass of a lone warp.
  const std::uint64_t four = behind_fence(fence, 4);
  const std::uint64_t eight = behind_fence(fence, 8);
  EXPECT_GE(four, 3U * 16);
  EXPECT_NEAR(static_cast<double>(eight - four), 4 * (16 - 2), 1) << "each issues two cycles later";
}

TEST(MemoryUnit, AFenceOfGlobalMemoryWaitsForNothing) {
  FakeOp fence = op(Opcode::FENCE);
  fence.instruction.word.high |= 1U << (72 - 64);
  EXPECT_EQ(behind_fence(fence, 8), behind_fence(op(Opcode::FENCE), 0));
}

TEST(SectorCache, EvictsTheLeastRecentlyUsedLine) {
  SectorCache cache(1, 4);
  SectorCache::Evicted evicted;
  for (std::uint64_t line = 0; line < 4; ++line) cache.at(cache.allocate(line, evicted)).valid = 1;
  EXPECT_NE(cache.find(0), SectorCache::none);
  cache.allocate(9, evicted);
  EXPECT_TRUE(evicted.happened);
  EXPECT_EQ(evicted.tag, 1U);
  EXPECT_EQ(cache.find(1), SectorCache::none);
  EXPECT_NE(cache.find(0), SectorCache::none);
}

// Lines of one tag set of two ways, one hit: a new one counts as hit two hits ago, and so the next drives it out.
TEST(SectorCache, PutsNewLinesBehindThoseThatWereHitSince) {
  for (const unsigned new_age : {0U, 2U}) {
    SectorCache cache(1, 64, Victim::oldest, {1, 2, new_age});
    SectorCache::Evicted evicted;
    const auto bring = [&](std::uint64_t line) {
      if (cache.find(line) == SectorCache::none) cache.at(cache.allocate(line, evicted)).valid = 1;
    };
    for (const std::uint64_t line : {1, 1, 2, 3}) bring(line);
    EXPECT_EQ(cache.peek(1) != SectorCache::none, new_age == 2);
    EXPECT_EQ(cache.peek(2) != SectorCache::none, new_age == 0);
    EXPECT_NE(cache.peek(3), SectorCache::none);
    // After two hits of another line the one that was hit before lies as far back.
    for (const std::uint64_t line : {3, 3, 3, 4}) bring(line);
    EXPECT_NE(cache.peek(3), SectorCache::none);
    EXPECT_NE(cache.peek(4), SectorCache::none);
  }
}

// Of a set that is visited in turn and too large, a cache that draws its victims among unused lines keeps a
// part (the H200's L1 finds 72 % at 1.064 times its size and 30 % at 1.25), one that evicts the oldest
// nothing.
// What walking through scattered lines again and again shows on an H200: half of what the data has room for
// already loses some.
TEST(SectorCache, HoldsNoMoreLinesOfOneTagSetThanItHasTags) {
  SectorCache cache(1, 64, Victim::unused, {8, 2});
  SectorCache::Evicted evicted;
  // As many consecutive lines as there are sets have a set each: two runs of eight fit, whatever they are.
  for (std::uint64_t line = 0; line < 8; ++line) cache.allocate(1000 * 8 + line, evicted);
  for (std::uint64_t line = 0; line < 8; ++line) cache.allocate(5 * 8 + line, evicted);
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_NE(cache.find(1000 * 8 + line), SectorCache::none);
  // A third one drives out the run that was used longest ago, although the data has room for all.
  for (std::uint64_t line = 0; line < 8; ++line) {
    cache.allocate(77 * 8 + line, evicted);
    EXPECT_EQ(evicted.tag / 8, 5U);
  }
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_EQ(cache.peek(5 * 8 + line), SectorCache::none);
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_NE(cache.peek(1000 * 8 + line), SectorCache::none);
}

TEST(SectorCache, KeepsPartOfASetThatIsTooLargeIfVictimsAreDrawn) {
  for (const Victim victim : {Victim::unused, Victim::oldest}) {
    SectorCache cache(1, 1000, victim);
    unsigned hits = 0;
    for (unsigned round = 0; round < 60; ++round) {
      for (std::uint64_t line = 0; line < 1150; ++line) {
        SectorCache::Evicted evicted;
        if (cache.find(line) != SectorCache::none) {
          hits += round >= 20 ? 1 : 0;
        } else {
          cache.at(cache.allocate(line, evicted)).valid = 1;
        }
      }
    }
    EXPECT_NEAR(hits / (40.0 * 1150), victim == Victim::unused ? 0.564 : 0, 0.03);
  }
}

TEST(SectorCache, KeepsLinesThatWaitForASector) {
  SectorCache cache(1, 2);
  SectorCache::Evicted evicted;
  cache.at(cache.allocate(1, evicted)).pending = 1;
  cache.at(cache.allocate(2, evicted)).pending = 1;
  EXPECT_EQ(cache.allocate(3, evicted), SectorCache::none);
  cache.at(cache.find(1)).pending = 0;
  EXPECT_NE(cache.allocate(3, evicted), SectorCache::none);
  EXPECT_EQ(cache.find(1), SectorCache::none);
}

// By hand on an H100 (scattered_loads_of_many_warps): of four rounds through 1,024, 1,536 and 2,048 scattered lines, all of which are
// asked for before the first comes, 66.7, 52.7 and 31.5 to 35.8 % are found.
TEST(SectorCache, DrivesOutLinesThatWaitForASectorLikeOthersWhereItMay) {
  for (const auto& [lines, found] : {std::pair{1024U, 66.7}, {1536U, 52.7}, {2048U, 35.0}}) {
    SectorCache cache(1, 1936, Victim::unused, {512, 4, 2});
    std::uint64_t state = lines;
    std::vector<std::uint64_t> walk;
    for (unsigned i = 0; i < lines; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      walk.push_back(state >> 33 & 0xffff);
    }
    unsigned hits = 0;
    for (unsigned round = 0; round < 4; ++round) {
      for (const std::uint64_t line : walk) {
        if (cache.find(line) != SectorCache::none) {
          ++hits;
        } else {
          cache.at(cache.allocate_over_pending(line)).pending = 1;
        }
      }
    }
    EXPECT_NEAR(100.0 * hits / (4 * lines), found, 2.5) << lines << " lines";
  }
}

TEST(SectorCache, ForgetsAllButWhatIsOnItsWay) {
  SectorCache cache(2, 4);
  SectorCache::Evicted evicted;
  for (std::uint64_t line = 0; line < 6; ++line) cache.at(cache.allocate(line, evicted)).valid = 0xf;
  cache.at(cache.find(5)).pending = 3;
  cache.invalidate_all();
  for (std::uint64_t line = 0; line < 6; ++line) {
    const std::uint32_t entry = cache.find(line);
    if (entry != SectorCache::none) {
      EXPECT_EQ(cache.at(entry).valid, 0);
    }
  }
  EXPECT_EQ(cache.at(cache.find(5)).pending, 3);
}

// Against a list that is searched from its recent end.
TEST(SectorCache, BehavesLikeAListOfRecentLines) {
  constexpr unsigned ways = 7;
  SectorCache cache(1, ways);
  std::vector<std::uint64_t> recent;
  std::uint64_t state = 7;
  for (unsigned i = 0; i < 5000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t line = (state >> 40) % 12;
    const auto known = std::find(recent.begin(), recent.end(), line);
    std::uint32_t entry = cache.find(line);
    ASSERT_EQ(entry != SectorCache::none, known != recent.end()) << "access " << i;
    if (known != recent.end()) recent.erase(known);
    recent.insert(recent.begin(), line);
    if (entry == SectorCache::none) {
      SectorCache::Evicted evicted;
      entry = cache.allocate(line, evicted);
      cache.at(entry).valid = 1;
    }
    if (recent.size() > ways) recent.pop_back();
  }
}

// ld.volatile, ld.relaxed: what another SM has written must be seen.
TEST(MemoryUnit, AStrongLoadAsksTheL2WhateverTheL1Has) {
  const MachineSpec spec = one_sm();
  const auto latency = [&](bool strong) {
    FakeOp read = load(Opcode::LDG, 8, 4, 4, global_line(0)).stall(2).writes(0);
    constexpr unsigned strong_gpu = 7;
    if (strong) read.modifier(sass::Modifier::ordering, strong_gpu);
    const auto turn = second_turn(spec, {read, op(Opcode::NOP).waits(1)})[0];
    return turn[1] - turn[0];
  };
  EXPECT_LT(latency(false), 40U);
  EXPECT_GT(latency(true), 200U);
}

// Probe l1.stored on an H200: the line of `stored`, then a load of `bytes` a lane from `offset` on; what that takes.
std::uint64_t load_behind(const FakeOp& stored, unsigned lane_bytes, std::uint64_t offset) {
  // A line of its own in each turn.
  const auto at = [=](const Where& w) { return 0x10000000ULL + 4096 * (w.iteration + 1) + offset + lane_bytes * w.lane; };
  std::vector<FakeOp> body(1, stored);
  for (unsigned i = 0; i < 40; ++i) body.push_back(op(Opcode::NOP).stall(11));
  body.push_back(load(Opcode::LDG, 8, 4, 4, at).stall(2).writes(0));
  body.push_back(op(Opcode::NOP).waits(1));
  const auto turn = second_turn(one_sm(), body)[0];
  return turn[turn.size() - 1] - turn[turn.size() - 2];
}

FakeOp store_in_turn(unsigned bytes, unsigned lane_bytes) {
  const auto at = [=](const Where& w) { return 0x10000000ULL + 4096 * (w.iteration + 1) + lane_bytes * w.lane; };
  return store(Opcode::STG, 4, 12, bytes, at).stall(2);
}

TEST(MemoryUnit, ALoadFindsInTheL1TheWordsThatWereStored) {
  EXPECT_LT(load_behind(store_in_turn(4, 4), 4, 0), 50U) << "a whole line";
  EXPECT_LT(load_behind(store_in_turn(4, 0), 0, 0), 50U) << "one word";
  EXPECT_LT(load_behind(store_in_turn(4, 8), 8, 0), 50U) << "every other word";
}

TEST(MemoryUnit, ALoadOfOtherWordsOfAStoredSectorGoesToTheL2) {
  EXPECT_GT(load_behind(store_in_turn(4, 0), 0, 4), 200U);
  EXPECT_GT(load_behind(store_in_turn(4, 8), 8, 4), 200U);
  EXPECT_GT(load_behind(store_in_turn(1, 0), 0, 0), 200U) << "a byte is no word";
}

// Of loads of two sectors, 0 and 1, of a line that each turn has for itself, behind what `between` does to it once sector 0 has been
// loaded.
std::array<std::uint64_t, 2> loads_behind(const std::function<std::vector<FakeOp>(std::function<AddressOf(unsigned)>)>& between) {
  const std::function<AddressOf(unsigned)> word = [](unsigned offset) -> AddressOf {
    return [offset](const Where& w) { return 0x10000000ULL + 4096 * (w.iteration + 1) + 4ULL * offset; };
  };
  const auto loaded = [&](unsigned offset) { return load(Opcode::LDG, 8, 4, 4, word(offset)).stall(2).writes(0); };
  const FakeOp wait = op(Opcode::NOP).waits(1);
  std::vector<FakeOp> body{loaded(0), wait};
  const std::vector<FakeOp> made = between(word);
  body.insert(body.end(), made.begin(), made.end());
  body.push_back(wait);
  for (unsigned i = 0; i < 40; ++i) body.push_back(op(Opcode::NOP).stall(11));
  body.insert(body.end(), {loaded(2), wait, loaded(9), wait});
  const auto turn = second_turn(one_sm(), body)[0];
  const std::size_t last = turn.size() - 1;
  return {turn[last - 2] - turn[last - 3], turn[last] - turn[last - 1]};
}

// By hand on an H200: lost until some 220 cycles behind the load, when the sector has come, whichever sector is stored to.
TEST(MemoryUnit, AStoreThatFindsASectorOfItsLineOnItsWayTakesTheLine) {
  for (const unsigned stored : {1U, 12U, 25U}) {
    const auto with_pause = [&](unsigned pause) {
      return loads_behind([&](const std::function<AddressOf(unsigned)>& word) {
        std::vector<FakeOp> made{load(Opcode::LDG, 9, 4, 4, word(8)).stall(2).writes(0)};
        for (unsigned i = 0; i < pause; ++i) made.push_back(op(Opcode::NOP).stall(10));
        made.push_back(store(Opcode::STG, 4, 12, 4, word(stored)).stall(2));
        return made;
      });
    };
    EXPECT_GT(with_pause(0)[0], 200U) << stored;
    EXPECT_GT(with_pause(0)[1], 200U) << stored;
    EXPECT_LT(with_pause(60)[0], 50U) << stored;
    EXPECT_LT(with_pause(60)[1], 50U) << stored;
  }
}

TEST(MemoryUnit, ALoadOfWhatStoresHaveLeftInPartTakesTheRestOfTheLine) {
  const auto behind = [](bool other_word) {
    return loads_behind([&](const std::function<AddressOf(unsigned)>& word) {
      return std::vector<FakeOp>{store(Opcode::STG, 4, 12, 4, word(9)).stall(2), op(Opcode::NOP).stall(11),
                                 load(Opcode::LDG, 9, 4, 4, word(other_word ? 8 : 9)).stall(2).writes(0)};
    });
  };
  EXPECT_GT(behind(true)[0], 200U) << "the sector that had been loaded";
  EXPECT_LT(behind(true)[1], 50U) << "and this one has come as a whole";
  EXPECT_LT(behind(false)[0], 50U) << "the word is here";
}

// By hand on an H200 (returns_in_order): a load of what the L2 has takes 332 cycles beside another warp's access to what only memory has,
// and behind one of its own warp, be that a load, a copy or an atomic, until that has come back; one of what the L1 has does not wait.
TEST(MemoryUnit, WhatAWarpHasFromBeyondTheL1ComesBackInOrder) {
  const auto own = [](const Where& w) { return 0x10000000ULL + 4096 * (w.iteration + 1) + 0x100000ULL * w.warp; };
  const auto known = [](const Where&) -> std::uint64_t { return 0x20000000ULL; };
  constexpr unsigned strong_gpu = 7;
  FakeOp from_l2 = load(Opcode::LDG, 8, 4, 4, known).stall(2).writes(1);
  from_l2.modifier(sass::Modifier::ordering, strong_gpu);
  const FakeOp from_l1 = load(Opcode::LDG, 8, 4, 4, known).stall(2).writes(1);
  FakeOp atomic = load(Opcode::ATOMG, 9, 4, 4, own).stall(2).writes(0);
  atomic.access = MemoryAccess::atomic;
  // Cycles of `second` behind `first`, which warps of odd numbers leave out, of each warp.
  const auto behind = [&](const FakeOp& first, const FakeOp& second) {
    const auto turns = second_turn(one_sm(), {first, second, op(Opcode::NOP).waits(2), op(Opcode::NOP).waits(1)}, 2);
    return std::array{turns[0][2] - turns[0][1], turns[1][2] - turns[1][1]};
  };
  const auto known_by_odd = [&](const Where& w) { return w.warp % 2 == 0 ? own(w) : known(w); };
  const FakeOp missed = load(Opcode::LDG, 9, 4, 4, known_by_odd).stall(2).writes(0);
  const auto loads = behind(missed, from_l2);
  EXPECT_GT(loads[0], loads[1] + 200) << "of its own warp, of another";
  EXPECT_LT(behind(missed, from_l1)[0], 60U);
  EXPECT_GT(behind(atomic, from_l2)[0], loads[1] + 200);
}

// By hand on an H200 (loads_of_lines_under_way): the first of eight warps' loads of 16 lines is back as early as one alone.
TEST(MemoryUnit, WhoAsksFirstForALineThatComesHasItFirst) {
  const auto lines = [](const Where& w) { return 0x10000000ULL + 0x10000ULL * (w.iteration + 1) + 128ULL * w.lane; };
  const auto turns = second_turn(one_sm(), {load(Opcode::LDG, 9, 4, 4, lines).stall(2).writes(0), op(Opcode::NOP).waits(1)}, 8);
  for (const auto& one : turns)
    for (const auto& other : turns)
      if (one[0] < other[0]) {
        EXPECT_LT(one[1], other[1]);
      }
}

TEST(MemoryUnit, AnAtomicDropsItsWholeLineFromTheL1) {
  const auto at = [](std::uint64_t offset) {
    return [offset](const Where& w) { return 0x10000000ULL + 4096 * (w.iteration + 1) + offset; };
  };
  // Of a load of what `first` has brought to the L1, behind an atomic on the word at `changed`.
  const auto latency = [&](FakeOp first, std::uint64_t changed, MemoryAccess access) {
    FakeOp change = store(Opcode::RED, 4, 12, 4, at(changed)).stall(2);
    change.access = access;
    std::vector<FakeOp> body{first.stall(2).writes(0), op(Opcode::NOP).waits(1), change};
    for (unsigned i = 0; i < 40; ++i) body.push_back(op(Opcode::NOP).stall(11));
    body.push_back(load(Opcode::LDG, 8, 4, 4, at(96)).stall(2).writes(0));
    body.push_back(op(Opcode::NOP).waits(1));
    const auto turn = second_turn(one_sm(), body)[0];
    return turn[turn.size() - 1] - turn[turn.size() - 2];
  };
  for (const FakeOp& first : {load(Opcode::LDG, 8, 4, 4, at(96)), store(Opcode::STG, 4, 12, 4, at(96))}) {
    for (const MemoryAccess access : {MemoryAccess::atomic, MemoryAccess::reduction}) {
      EXPECT_GT(latency(first, 0, access), 200U) << "another sector of the line";
      EXPECT_LT(latency(first, 128, access), 50U) << "another line";
    }
  }
}

// What a fence or an acquire ends with (probe issue.fences).
TEST(MemoryUnit, AnInvalidationEmptiesTheL1ForAllWarps) {
  const MachineSpec spec = one_sm();
  const auto latency = [&](const FakeOp& between) {
    const FakeOp read = load(Opcode::LDG, 8, 4, 4, global_line(0)).stall(2).writes(0);
    const auto turn =
        second_turn(spec, {read, op(Opcode::NOP).waits(1), between, read, op(Opcode::NOP).waits(1)})[0];
    return turn[4] - turn[3];
  };
  EXPECT_LT(latency(op(Opcode::CCTL).stall(2)), 40U);
  EXPECT_GT(latency(invalidation()), 200U);
  FakeOp of_nobody = invalidation();
  of_nobody.off = true;
  EXPECT_LT(latency(of_nobody), 40U);
}

// Loads that miss, of which the L1 has room for few, stand before what follows in the queue.
std::vector<FakeOp> behind_loads_without_room(FakeOp last) {
  std::vector<FakeOp> body;
  for (unsigned i = 0; i < 4; ++i) {
    const auto at = [i](const Where& w) {
      return 0x10000000ULL + (1000 * (w.iteration + 1) + 7 * i) * 128 + 4ULL * w.lane;
    };
    body.push_back(load(Opcode::LDG, 8 + static_cast<int>(i), 4, 4, at));
  }
  body.push_back(last.stall(2).writes(0));
  body.push_back(op(Opcode::NOP).waits(1));
  return body;
}

std::uint64_t wait_behind_loads(const FakeOp& last) {
  MachineSpec spec = one_sm();
  spec.sm.l1.misses_in_flight = 1;
  const auto turn = second_turn(spec, behind_loads_without_room(last))[0];
  return turn[5] - turn[4];
}

// On an H200 a load of shared memory, of constants, and one whose guard holds for no lane, behind loads of
// DRAM that fill what the L1 can wait for: 8,500, 250 and 190 cycles for sixteen.
TEST(MemoryUnit, ASharedLoadWaitsForLoadsThatTheL1HasNoRoomFor) {
  EXPECT_GT(wait_behind_loads(load(Opcode::LDS, 20, 4, 4, shared_stride(1))), 500U);
}

TEST(MemoryUnit, ALoadOfConstantsDoesNotWaitForLoadsThatTheL1HasNoRoomFor) {
  const auto at = [](const Where&) { return std::uint64_t{0}; };
  EXPECT_EQ(wait_behind_loads(load(Opcode::LDC, 20, 4, 4, at)), one_sm().sm.constant.l1_latency);
}

TEST(MemoryUnit, AnAccessOfNobodyDoesNotWaitForLoadsThatTheL1HasNoRoomFor) {
  FakeOp nobody = load(Opcode::LDS, 20, 4, 4, shared_stride(1));
  nobody.off = true;
  EXPECT_LT(wait_behind_loads(nobody), 40U);
}

// A chain of sixteen on an H200: 31.6 cycles where a load of shared memory that all lanes execute takes 32.6, and as many for
// one of global memory, which takes 49.6 with an address that is longer to make.
TEST(MemoryUnit, WhatNobodyLoadsIsThereACycleBeforeWhatSomebodyLoadsFromSharedMemory) {
  const auto until_there = [](Opcode opcode, bool nobody) {
    FakeOp loads = load(opcode, 20, 4, 4, shared_stride(1));
    loads.off = nobody;
    const auto turn = second_turn(one_sm(), {loads.stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
    return turn[1] - turn[0];
  };
  const std::uint64_t shared = until_there(Opcode::LDS, false);
  EXPECT_EQ(until_there(Opcode::LDS, true), shared - 1);
  EXPECT_EQ(until_there(Opcode::LDG, true), shared - 1);
}

// On an H200 up to 32 warps with 128 such instructions each take 4.0 to 4.4 cycles of a processing block for
// each.
TEST(MemoryUnit, AnAccessOfNobodyTakesFourCyclesOfItsProcessingBlocksQueue) {
  for (const Opcode opcode : {Opcode::LDS, Opcode::LDG}) {
    FakeOp nobody = load(opcode, 20, 4, 4, shared_stride(1));
    nobody.off = true;
    const std::vector<FakeOp> body(128, nobody);
    // Four warps of a processing block take turns.
    for (const unsigned warps : {1U, 4U, 16U})
      EXPECT_NEAR(cycles_each(one_sm(), body, warps), 4 * std::max(1U, warps / 4), 0.1);
  }
}

// On an H200 8.05 cycles for a load of four passes and four stores whose guards hold for no lane.
TEST(MemoryUnit, AnAccessOfNobodyTakesACycleOfTheDataStage) {
  FakeOp nobody = store(Opcode::STS, 20, 4, 4, shared_stride(1));
  nobody.off = true;
  std::vector<FakeOp> body;
  for (unsigned i = 0; i < 8; ++i) {
    body.push_back(load(Opcode::LDS, 8, 4, 4, shared_stride(4)));
    for (unsigned k = 0; k < 4; ++k) body.push_back(nobody);
  }
  EXPECT_NEAR(cycles_each(one_sm(), body, 16) * 5 / 16, 8, 0.8);
}

}  // namespace
}  // namespace warpgauge::model::test
