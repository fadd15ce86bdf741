// Instruction fetch: levels, the stream buffer, what straight-line code and loops cost.
#include <gtest/gtest.h>

#include <vector>

#include "model/sm/instruction_cache.h"
#include "tests/model/by_hand.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

FrontEndSpec small() {
  FrontEndSpec spec;
  spec.line_bytes = 128;
  spec.l0_lines = 8;
  spec.l0_ways = 8;
  spec.l1_lines = 64;
  spec.l1_ways = 64;
  spec.prefetch_lines = 0;
  spec.l1_latency = 40;
  spec.l1_interval = 2;
  spec.l2_interval = 10;
  return spec;
}

// Both levels of a processing block whose one warp looks lines up.
struct FrontEnd {
  explicit FrontEnd(const FrontEndSpec& spec) : second(spec), lines(spec.l0_lines, spec.l0_ways), l0(spec, lines) {}
  // The second level has the first `count` lines.
  void hold(std::uint64_t count) {
    for (std::uint64_t line = 0; line < count; ++line) second.arrived(line);
  }
  Cycle lookup(std::uint64_t line, Cycle now) { return l0.lookup(line, 0, now, second, requests).ready; }
  // A branch's target.
  Cycle jump(std::uint64_t line, Cycle now) { return l0.target(line, 0, now, second, requests).ready; }

  InstructionL1 second;
  TagCache lines;
  InstructionL0 l0;
  std::vector<CodeRequest> requests;
};

TEST(TagCache, EvictsTheLeastRecentlyUsedLineOfASet) {
  TagCache cache(4, 2);
  for (const std::uint64_t line : {0, 2}) cache.insert(line);
  EXPECT_TRUE(cache.touch(0));
  cache.insert(4);
  EXPECT_TRUE(cache.contains(0));
  EXPECT_FALSE(cache.contains(2));
  EXPECT_TRUE(cache.contains(4));
}

TEST(InstructionCache, ALineOfTheSecondLevelTakesItsLatency) {
  FrontEnd front(small());
  front.second.arrived(7);
  EXPECT_EQ(front.lookup(7, 100), 140U);
  EXPECT_EQ(front.lookup(7, 200), 200U);
  EXPECT_TRUE(front.requests.empty());
}

TEST(InstructionCache, NothingComesToAnSmBeforeItsFirstCode) {
  FrontEnd front(small());
  front.second.arrived(7);
  front.second.begin(110);
  EXPECT_EQ(front.lookup(7, 100), 150U);
}

TEST(InstructionCache, ALineFromBeyondTheSmIsAskedForOnce) {
  InstructionL1 second(small());
  TagCache lines(small().l0_lines, small().l0_ways);
  TagCache others = lines;
  InstructionL0 one(small(), lines);
  InstructionL0 other(small(), others);
  std::vector<CodeRequest> requests;
  EXPECT_EQ(one.lookup(7, 0, 100, second, requests).ready, never);
  EXPECT_EQ(other.lookup(7, 0, 101, second, requests).ready, never);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].at, 100U);
  second.arrived(7);
  one.arrived(7, 500, second, requests);
  EXPECT_EQ(one.lookup(7, 0, 501, second, requests).ready, 501U);
}

TEST(InstructionCache, LinesOfTheL2FollowEachOtherAtItsInterval) {
  FrontEnd front(small());
  for (std::uint64_t line = 0; line < 4; ++line) front.lookup(line, 100);
  ASSERT_EQ(front.requests.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(front.requests[i].at, 100 + 10 * i);
}

// How long each line is waited for that is `step` lines behind the one before and asked for `work` cycles
// after it came. Groups of three lines that the second level gives in 48 cycles.
std::vector<Cycle> waits_for_lines(std::uint64_t count, std::uint64_t step, Cycle work) {
  FrontEndSpec spec = small();
  spec.prefetch_lines = 3;
  spec.l1_interval = 0;
  spec.l1_latency = 48;
  FrontEnd front(spec);
  front.hold(64);
  Cycle now = 100;
  std::vector<Cycle> waits;
  for (std::uint64_t k = 0; k < count; ++k) {
    const Cycle ready = front.lookup(k * step, now);
    waits.push_back(ready - now);
    now = ready + work;
  }
  return waits;
}

// SMs of a cluster that take turns: 16 cycles a line. What is fetched ahead is asked for 20 cycles behind the first line of its group.
FrontEndSpec taking_turns() {
  FrontEndSpec spec = small();
  spec.block_lines = 4;
  spec.prefetch_lines = 3;
  spec.prefetch_delay = 20;
  spec.l1_interval = 16;
  return spec;
}

TEST(InstructionCache, AJumpTakesTheTurnsOfWhatIsToBeFetchedAhead) {
  FrontEnd front(taking_turns());
  front.hold(64);
  EXPECT_EQ(front.lookup(0, 80), 140U);
  // At 140 lines 1 and 2 have had their turns, 3 to 5 are to be asked for at 160.
  EXPECT_EQ(front.jump(40, 152), 152 + 40U);
}

TEST(InstructionCache, AJumpWaitsForTheTurnsOfWhatHasBeenAskedFor) {
  FrontEnd front(taking_turns());
  front.hold(64);
  EXPECT_EQ(front.lookup(0, 80), 140U);
  EXPECT_EQ(front.jump(40, 161), 160 + 3 * 16 + 40U);
}

TEST(InstructionCache, WhatHasBeenAskedForComesAndTakesAPlace) {
  FrontEndSpec spec = small();
  spec.l0_lines = spec.l0_ways = 16;
  spec.block_lines = 4;
  spec.prefetch_lines = 3;
  FrontEnd front(spec);
  front.hold(64);
  EXPECT_EQ(front.lookup(0, 100), 140U);
  front.jump(40, 150);
  front.l0.settle(1000);
  for (const std::uint64_t line : {0, 1, 2, 3, 4, 5, 40, 41, 42, 43, 44, 45}) EXPECT_TRUE(front.lines.contains(line)) << line;
  EXPECT_FALSE(front.lines.contains(6));
}

TEST(InstructionCache, AJumpToTheLastLineOfTheGroupAheadAsksForTheNextOneAtOnce) {
  FrontEndSpec spec = small();
  spec.l0_lines = spec.l0_ways = 32;
  spec.block_lines = 4;
  spec.prefetch_lines = 3;
  spec.prefetch_delay = 6;
  spec.l1_interval = 0;
  for (const std::uint64_t target : {4, 5}) {
    FrontEnd front(spec);
    front.hold(64);
    EXPECT_EQ(front.jump(0, 100), 140U);
    EXPECT_EQ(front.jump(target, 160), 146 + 40U) << "on its way, six cycles behind the first";
    EXPECT_EQ(front.lookup(6, 200), target == 5 ? 166 + 40U : 192 + 40U) << "six cycles behind the jump, or behind what it found";
  }
}

// What a stream will ask for later keeps nobody from an earlier turn.
TEST(InstructionCache, ATurnToComeLeavesRoomBeforeIt) {
  FrontEndSpec spec = small();
  spec.l1_interval = 4;
  InstructionL1 second(spec);
  for (std::uint64_t line = 0; line < 8; ++line) second.arrived(line);
  Cycle leaves = 0;
  EXPECT_EQ(second.request(0, 200, leaves), 240U);
  EXPECT_EQ(second.request(1, 100, leaves), 140U);
  EXPECT_EQ(second.request(2, 198, leaves), 204 + 40U);
  EXPECT_EQ(second.request(3, 101, leaves), 104 + 40U);
}

// Lines that a cluster's other SMs have asked for come first.
TEST(InstructionCache, CodeOfAClusterComesBehindWhatOthersHaveAskedFor) {
  FrontEndSpec spec = small();
  spec.gpc_interval = 1;
  FrontEnd front(spec);
  front.hold(4);
  EXPECT_EQ(front.lookup(0, 100), 140U);
  std::vector<std::uint64_t> asked;
  front.second.take_asked(asked);
  EXPECT_EQ(asked, std::vector<std::uint64_t>{0});
  front.second.take_asked(asked);
  EXPECT_TRUE(asked.empty());
  front.second.queue(70);
  EXPECT_EQ(front.lookup(1, 200), 310U);
}

// A launch brings a line every five cycles from 1,000 on; memory has one after 400.
TEST(InstructionCache, WhatALaunchBringsComesLineByLine) {
  FrontEndSpec spec = small();
  spec.launch_prefetch_interval = 5;
  spec.memory_latency = 400;
  FrontEnd front(spec);
  front.hold(64);
  front.second.bring(8, 64, 1000);
  EXPECT_EQ(front.lookup(7, 900), 940U);
  EXPECT_EQ(front.lookup(8, 980), 1040U);
  EXPECT_EQ(front.lookup(28, 1050), 1140U);
  EXPECT_EQ(front.lookup(28, 1200), 1200U);
  EXPECT_EQ(front.lookup(63, 800), 1200U);
  EXPECT_EQ(front.lookup(48, 1210), 1250U);
}

TEST(InstructionCache, StraightCodeTakesOneLatencyForEachGroup) {
  // Eight cycles of issue a line: two lines of each group follow the first at once, the next group is waited
  // for.
  EXPECT_EQ(waits_for_lines(12, 1, 8), (std::vector<Cycle>{48, 0, 0, 24, 0, 0, 24, 0, 0, 24, 0, 0}));
}

// Lines of straight code that only the L2 has, at a latency of 262 cycles and 16 cycles of issue a line: two
// groups of three are always under way, so six lines take one latency.
TEST(InstructionCache, StraightCodeFromTheL2TakesHalfItsLatencyForEachGroup) {
  FrontEndSpec spec = small();
  spec.prefetch_lines = 3;
  spec.l1_interval = 0;
  spec.l1_latency = 48;
  spec.l2_interval = 0;
  constexpr Cycle latency = 262;
  InstructionL1 second(spec);
  TagCache lines(spec.l0_lines, spec.l0_ways);
  InstructionL0 l0(spec, lines);
  std::vector<CodeRequest> requests;
  std::vector<CodeRequest> under_way;
  Cycle now = 0;
  const auto deliver = [&](Cycle until) {
    for (std::size_t i = 0; i < under_way.size();) {
      if (under_way[i].at + latency > until) {
        ++i;
        continue;
      }
      const CodeRequest arrived = under_way[i];
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(i));
      second.arrived(arrived.line);
      l0.arrived(arrived.line, arrived.at + latency, second, requests);
      under_way.insert(under_way.end(), requests.begin(), requests.end());
      requests.clear();
      i = 0;
    }
  };
  std::vector<Cycle> entered;
  for (std::uint64_t line = 0; line < 60; ++line) {
    deliver(now);
    Cycle ready = l0.lookup(line, 0, now, second, requests).ready;
    under_way.insert(under_way.end(), requests.begin(), requests.end());
    requests.clear();
    for (Cycle t = now; ready == never; ++t) {
      deliver(t);
      ready = l0.lookup(line, 0, t, second, requests).ready;
      under_way.insert(under_way.end(), requests.begin(), requests.end());
      requests.clear();
    }
    entered.push_back(ready);
    now = ready + 16;
  }
  EXPECT_NEAR(static_cast<double>(entered[54] - entered[24]) / 30, 262.0 / 6, 2);
}

TEST(InstructionCache, AJumpIntoTheGroupAheadFindsItOnItsWay) {
  // Jumps over four lines, 14 cycles each: of three, two land in the group ahead.
  std::vector<Cycle> hops = waits_for_lines(7, 4, 14);
  for (Cycle& hop : hops) hop += 14;
  EXPECT_EQ(hops, (std::vector<Cycle>{62, 48, 48, 62, 48, 48, 62}));
}

TEST(InstructionCache, ALoopThatFitsTheL0RunsAtIssueRate) {
  const MachineSpec spec = one_sm();
  const std::vector<FakeOp> body(64, op(sass::Opcode::NOP));
  EXPECT_DOUBLE_EQ(cycles_each(spec, body), 1);
}

// `kernel_bytes`: of the code, the kernel's own; 0: all of it.
std::uint64_t cycles_of_straight_code(const MachineSpec& spec, std::size_t lines, std::uint64_t kernel_bytes = 0) {
  std::vector<FakeOp> program(lines * 8, op(sass::Opcode::NOP));
  program.push_back(exit_op());
  FakeStream stream(program);
  stream.mutable_shape().kernel_bytes = kernel_bytes;
  std::vector<IssueEvent> timeline;
  Machine(spec).run(stream, {}, timeline);
  return timeline[lines * 8 - 1].cycle - timeline[8].cycle;
}

TEST(InstructionCache, StraightCodeFromTheSecondLevelRunsAsOnAnH200) {
  // 16 to 18 cycles a line of eight instructions on one SM, whose second level answers after 53 cycles; the mean over all
  // SMs is 55: probe fetch.timeline, "each 128 bytes, first launch".
  const std::size_t lines = 96;
  EXPECT_NEAR(static_cast<double>(cycles_of_straight_code(one_sm(), lines)) / (lines - 1), 17.5, 1);
}

TEST(InstructionCache, WithoutPrefetchEveryLineFromBeyondIsWaitedFor) {
  MachineSpec spec = one_sm();
  spec.sm.front_end.prefetch_lines = 0;
  spec.sm.front_end.launch_prefetch_lines = 0;
  const std::size_t lines = 64;
  // Fetch runs buffer_entries instructions ahead of issue.
  EXPECT_GE(cycles_of_straight_code(spec, lines), (lines - 2) * spec.memory.crossbar.round_trip);
}

// Straight code of 32 KiB in a section of its own, first call under a profiler on an H200: 31,300 cycles, second 8,436.
TEST(InstructionCache, ALaunchBringsTheCodeOfItsKernelAndNotOfOtherFunctions) {
  const std::size_t lines = 96;
  const MachineSpec spec = one_sm();
  EXPECT_GT(cycles_of_straight_code(spec, lines, 1024), 2 * cycles_of_straight_code(spec, lines));
}

TEST(InstructionCache, LargerGroupsNeverSlowStraightCode) {
  std::uint64_t before = ~std::uint64_t{0};
  for (const unsigned lines : {0U, 2U, 4U, 8U}) {
    MachineSpec spec = one_sm();
    spec.sm.front_end.prefetch_lines = lines;
    spec.sm.front_end.launch_prefetch_lines = 512;
    const std::uint64_t cycles = cycles_of_straight_code(spec, 128);
    EXPECT_LE(cycles, before) << lines;
    before = cycles;
  }
}

// A shared L0 of which each processing block holds some lines itself.
FrontEndSpec held_by_blocks() {
  FrontEndSpec spec = small();
  spec.l0_lines = 64;
  spec.l0_ways = 64;
  spec.l0_shared = true;
  spec.block_lines = 8;
  spec.block_latency = 10;
  spec.block_next_line = 13;
  return spec;
}

struct Branches : FrontEnd {
  Branches() : FrontEnd(held_by_blocks()) {
    hold(64);
    for (std::uint64_t line = 0; line < 64; ++line) lines.insert(line);
  }
};

TEST(InstructionCache, ATargetThatTheProcessingBlockDoesNotHoldComesLater) {
  Branches front;
  EXPECT_EQ(front.jump(20, 100), 110U);
  EXPECT_EQ(front.jump(30, 200), 210U);
  EXPECT_EQ(front.jump(20, 300), 300U);
}

TEST(InstructionCache, OfTargetsThatAProcessingBlockHoldsTheLeastRecentlyUsedGoesFirst) {
  Branches front;
  for (std::uint64_t line = 0; line < 16; line += 2) front.jump(line, 100 * (line + 1));
  EXPECT_EQ(front.jump(0, 2000), 2000U) << "the eighth before";
  front.jump(40, 2100);
  EXPECT_EQ(front.jump(0, 2200), 2200U) << "used since";
  EXPECT_EQ(front.jump(2, 2300), 2310U) << "put out";
}

TEST(InstructionCache, StraightCodeFindsWhatTheProcessingBlockDoesNotHoldInTime) {
  Branches front;
  for (std::uint64_t line = 0; line < 40; ++line) EXPECT_EQ(front.lookup(line, 100 + 8 * line), 100 + 8 * line) << line;
}

TEST(InstructionCache, TheLineBehindATargetIsOnItsWay) {
  Branches front;
  EXPECT_EQ(front.jump(20, 100), 110U);
  EXPECT_EQ(front.jump(21, 118), 123U) << "13 cycles behind the target, not 10 behind the jump";
  EXPECT_EQ(front.jump(22, 200), 200U) << "it had come";
  EXPECT_EQ(front.jump(24, 300), 310U) << "two lines on";
}

TEST(InstructionCache, ABranchTakesPlaceForTheLineIntoWhichFetchHasRunAhead) {
  Branches front;
  for (std::uint64_t line = 0; line < 10; line += 2) {
    front.jump(line, 100 * (line + 1));
    front.l0.pass(line + 1);
  }
  EXPECT_EQ(front.jump(0, 2000), 2010U) << "ten lines of five jumps";
}

TEST(InstructionCache, WhatAProcessingBlockHoldsNeedsNotBeInTheSharedCache) {
  Branches front;
  front.jump(20, 100);
  front.lines.clear();
  EXPECT_EQ(front.jump(20, 200), 200U);
  EXPECT_GT(front.jump(22, 300), 330U);
}

TEST(InstructionCache, ATargetInTheSecondLevelIsSparedTheDelayOfStraightCodesGroups) {
  FrontEndSpec spec = held_by_blocks();
  spec.prefetch_lines = 3;
  spec.prefetch_delay = 6;
  FrontEnd front(spec);
  front.hold(64);
  EXPECT_EQ(front.jump(30, 200), 240U);
  EXPECT_EQ(front.lookup(33, 248), 240 + 6 + 40U) << "six cycles behind the first line of its group";
  front.jump(50, 400);
  EXPECT_EQ(front.lookup(20, 500), 546U) << "where no branch leads";
}

// Stretches of two lines in a loop, patched into machine code (by hand, stretches_of_code).
TEST(InstructionCache, AnH200sSmHoldsFourLinesOfEachSetAndWhatIsFetchedAheadTakesPlaces) {
  const FrontEndSpec spec = device_spec("h200").sm.front_end;
  EXPECT_EQ(spec.l0_lines / spec.l0_ways, 64U);
  const nlohmann::json rows = by_hand("stretches_of_code")["rows"];
  const auto each = [&](unsigned bytes, unsigned stretches) {
    for (const auto& row : rows) {
      if (row[0] == "forth" && row[1] == bytes && row[2] == 0 && row[3] == 15 && row[4] == stretches)
        return row[5].get<double>() / stretches;
    }
    ADD_FAILURE() << bytes << " bytes, " << stretches;
    return 0.0;
  };
  // Lines that differ by 64: as many sets as stretches that may differ, four times each.
  EXPECT_LT(each(1024, 32), 42);
  EXPECT_GT(each(1024, 40), 65);
  EXPECT_LT(each(2048, 16), 42);
  EXPECT_GT(each(2048, 22), 65);
  EXPECT_LT(each(3072, 33), 42);
  // Two lines of six apart would fit 128 times; six of them do 42 times.
  EXPECT_LT(each(768, 41), 42);
  EXPECT_GT(each(768, 53), 65);
}

// Loops with rows of BRA, one warp, patched into machine code.
TEST(InstructionCache, AnH200sProcessingBlockHoldsFortyLinesInARowOfJumps) {
  const nlohmann::json rows = by_hand("jumps_within_code")["rows"];
  double held = 0, put_out = 0;
  for (const auto& row : rows) {
    if (row[0] != "back" || row[1] != 128) continue;
    const double each = (row[4].get<double>() - 57) / row[3].get<double>();
    (row[3].get<unsigned>() <= 40 ? held : put_out) = each;
  }
  EXPECT_DOUBLE_EQ(held, 13);
  EXPECT_NEAR(put_out - held, device_spec("h200").sm.front_end.block_latency, 1);
}

}  // namespace
}  // namespace warpgauge::model::test
