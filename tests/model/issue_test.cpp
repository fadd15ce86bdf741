// Issue by control word: stall counts, yield, dependence counters, the pick, pipes, barriers, exit.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

using sass::Opcode;

std::vector<FakeOp> repeat(const FakeOp& made, unsigned count) {
  return std::vector<FakeOp>(count, made);
}

TEST(Issue, AnFfmaChainCostsItsStallCountEach) {
  const MachineSpec spec = one_sm();
  for (const unsigned stall : {2U, 4U, 5U, 11U}) {
    EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(ffma(2, 2, 3, 5).stall(stall), 64)), stall);
  }
}

TEST(Issue, IndependentFfmasIssueEveryCycleOnTwoHalvesAndEverySecondOnOne) {
  const FakeOp independent = ffma(2, 4, 5, 4);
  EXPECT_DOUBLE_EQ(cycles_each(one_sm("h200"), repeat(independent, 64)), 1);
  EXPECT_DOUBLE_EQ(cycles_each(one_sm("v100"), repeat(independent, 64)), 2);
  EXPECT_DOUBLE_EQ(cycles_each(one_sm("t4"), repeat(independent, 64)), 2);
}

TEST(Issue, APipeTakesAnInstructionEveryInterval) {
  const MachineSpec spec = one_sm();
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::IADD3, 2, {4, 5, 255}), 64)), 2);
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::IMAD, 2, {4, 5, 255}), 64)), 2);
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::DFMA, 2, {4, 5, 255}), 64)), 2);
}

TEST(Issue, FfmaAndImadShareTheHeavyHalfAlone) {
  // IMAD takes the heavy half every second cycle, FFMA the lite one in between.
  std::vector<FakeOp> body;
  for (unsigned i = 0; i < 32; ++i) {
    body.push_back(ffma(2, 4, 5, 4));
    body.push_back(op(Opcode::IMAD, 3, {4, 5, 255}));
  }
  EXPECT_NEAR(cycles_each(one_sm(), body), 1, 0.02);
}

TEST(Issue, HalfPrecisionTakesTheHeavyHalfToo) {
  const auto pairs = [](Opcode a, Opcode b) {
    std::vector<FakeOp> body;
    for (unsigned i = 0; i < 32; ++i) {
      body.push_back(op(a, 2, {4, 5, 255}));
      body.push_back(op(b, 3, {4, 5, 255}));
    }
    return body;
  };
  EXPECT_NEAR(cycles_each(one_sm(), pairs(Opcode::HFMA2, Opcode::IMAD)), 2, 0.02);
  EXPECT_NEAR(cycles_each(one_sm(), pairs(Opcode::HFMA2, Opcode::HFMA2_MMA)), 1, 0.02);
  EXPECT_NEAR(cycles_each(one_sm("v100"), pairs(Opcode::HFMA2, Opcode::FFMA)), 1, 0.02);
}

TEST(Issue, AUnitStaysTakenForAsLongAsOperandsAreLate) {
  // Six reads of one bank in a row leave the second instruction's last operand two cycles late.
  const std::vector<FakeOp> conflicting{ffma(8, 2, 4, 6), op(Opcode::IADD3, 10, {12, 14, 16}),
                                        op(Opcode::IADD3, 11, {255, 255, 255})};
  const std::vector<FakeOp> plain{ffma(8, 2, 2, 2), op(Opcode::IADD3, 10, {12, 12, 12}),
                                  op(Opcode::IADD3, 11, {255, 255, 255})};
  const auto last = [](const std::vector<FakeOp>& body) { return second_turn(one_sm(), body)[0].back(); };
  EXPECT_GE(last(conflicting), last(plain) + 2);
}

TEST(Issue, AYieldWithStallOneLeavesABubble) {
  EXPECT_DOUBLE_EQ(cycles_each(one_sm(), repeat(op(Opcode::NOP).yield(), 64)), 2);
  EXPECT_DOUBLE_EQ(cycles_each(one_sm(), repeat(op(Opcode::NOP), 64)), 1);
}

TEST(Issue, StallZeroWithYieldDrainsTheWarp) {
  const MachineSpec spec = one_sm();
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::NOP).stall(0).yield(), 16)), spec.sm.issue.drain_hold);
}

TEST(Issue, StallAboveElevenWithoutYieldIsNotTheCountItSays) {
  const MachineSpec spec = one_sm();
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::NOP).stall(13), 32)),
                   spec.sm.issue.long_stall_without_yield);
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::NOP).stall(13).yield(), 32)), 13);
}

TEST(Issue, AConsumerWaitsForItsProducersCounter) {
  const MachineSpec spec = one_sm();
  const auto turn = second_turn(
      spec, {op(Opcode::MUFU, 2, {4}).stall(2).writes(0), op(Opcode::NOP), op(Opcode::NOP).waits(1)})[0];
  EXPECT_EQ(turn[1] - turn[0], 2U);
  EXPECT_EQ(turn[2] - turn[0], spec.sm.opcode_latency[static_cast<std::size_t>(Opcode::MUFU)]);
}

TEST(Issue, TheVeryNextInstructionDoesNotSeeTheCounterYet) {
  const MachineSpec spec = one_sm();
  const unsigned latency = spec.sm.opcode_latency[static_cast<std::size_t>(Opcode::MUFU)];
  const auto early =
      second_turn(spec, {op(Opcode::MUFU, 2, {4}).stall(1).writes(0), op(Opcode::NOP).waits(1)})[0];
  EXPECT_EQ(early[1] - early[0], 1U);
  const auto late =
      second_turn(spec, {op(Opcode::MUFU, 2, {4}).stall(2).writes(0), op(Opcode::NOP).waits(1)})[0];
  EXPECT_EQ(late[1] - late[0], latency);
}

TEST(Issue, ACounterWaitsForAllThatHoldIt) {
  const MachineSpec spec = one_sm();
  const unsigned latency = spec.sm.opcode_latency[static_cast<std::size_t>(Opcode::MUFU)];
  const unsigned interval = spec.sm.kinds[static_cast<std::size_t>(Kind::mufu)].interval;
  const auto turn =
      second_turn(spec, {op(Opcode::MUFU, 2, {4}).stall(1).writes(3),
                         op(Opcode::MUFU, 3, {5}).stall(2).writes(3), op(Opcode::NOP).waits(8)})[0];
  EXPECT_EQ(turn[2] - turn[0], interval + latency);
}

TEST(Issue, BehindABarrierTheSchedulerStaysWithItsWarpThenTakesTheYoungest) {
  const MachineSpec spec = one_sm();
  // Three warps on the first processing block: slots 0, 4 and 8. The one that came last to the barrier issued last, so it goes
  // first; of the others the youngest.
  std::vector<FakeOp> body = repeat(op(Opcode::NOP).stall(1), 8);
  body.insert(body.begin(), barrier().stall(6));
  const auto turns = second_turn(spec, body, 9);
  const auto row = [&](unsigned warp) { return turns[warp][1]; };
  for (const unsigned warp : {0U, 4U, 8U}) EXPECT_EQ(turns[warp].back() - row(warp), 7U);
  const unsigned last = turns[0][0] > turns[8][0] ? 0 : 8;
  EXPECT_LT(row(last), row(4));
  if (last == 0) {
    EXPECT_LT(row(8), row(4));
  } else {
    EXPECT_LT(row(4), row(0));
  }
}

// Probe issue.turns on an H200: MUFU, LDS with conflicts and STG of several warps of a processing block.
TEST(Issue, WarpsThatAFullQueueTurnsAwayTakeTurns) {
  const MachineSpec spec = one_sm();
  const auto conflict = [](const Where& w) { return 128ULL * w.lane; };
  for (const FakeOp& slow :
       {op(Opcode::MUFU, 8, {4}).stall(1).writes(0), load(Opcode::LDS, 8, 4, 4, conflict).stall(1)}) {
    const auto turns = second_turn(spec, repeat(slow, 60), 13);
    std::vector<std::uint64_t> ends;
    for (const unsigned warp : {0U, 4U, 8U, 12U}) ends.push_back(turns[warp].back());
    const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
    EXPECT_GT(*first, *last * 3 / 4) << "nobody is through long before the others";
  }
}

TEST(Issue, AFullPipeWithoutAQueueStaysWithItsWarp) {
  const MachineSpec spec = one_sm();
  const auto turns = second_turn(spec, repeat(op(Opcode::LOP3, 8, {4, 5, 6}).stall(1), 60), 9);
  EXPECT_EQ(turns[8].back() - turns[8].front(), 2U * 59);
  EXPECT_EQ(turns[4].back() - turns[4].front(), 2U * 59);
}

TEST(Issue, WarpsOfOneProcessingBlockShareItsIssueSlot) {
  const MachineSpec spec = one_sm();
  const auto alone = second_turn(spec, repeat(op(Opcode::NOP), 32), 4);
  for (const auto& turn : alone) EXPECT_EQ(turn.back(), 31U);
}

TEST(Issue, ABarrierLetsNoWarpPassBeforeTheLastArrives) {
  const MachineSpec spec = one_sm();
  std::vector<FakeOp> body{op(Opcode::NOP).stall(1), barrier().stall(6), op(Opcode::NOP)};
  const auto turns = second_turn(spec, body, 8);
  std::uint64_t last_arrival = 0;
  for (const auto& turn : turns) last_arrival = std::max(last_arrival, turn[1]);
  for (const auto& turn : turns) EXPECT_GE(turn[2], last_arrival + spec.sm.issue.barrier_latency);
}

FakeOp deferring_barrier() {
  FakeOp made = barrier();
  return made.modifier(sass::Modifier::defer_blocking, 1).stall(1);
}

// From the last arrival at `wait` to the first warp's last instruction of `behind`; the fourth of four warps
// comes late.
std::int64_t after_the_last_arrival(const FakeOp& wait, const std::vector<FakeOp>& behind) {
  FakeOp slow = load(Opcode::LDS, 20, 4, 4,
                     [](const Where& w) { return w.warp == 3 ? 128ULL * w.lane : 4ULL * w.lane; });
  std::vector<FakeOp> body{slow.stall(2).writes(0), slow.stall(2).writes(0), op(Opcode::NOP).waits(1), wait};
  body.insert(body.end(), behind.begin(), behind.end());
  const auto turns = second_turn(one_sm(), body, 4);
  return static_cast<std::int64_t>(turns[0].back() - turns[3][3]);
}

// Samples by instruction of binomialOptions on an H200: 1 cycle at the arithmetic behind a barrier, 7 to 13
// at the load.
TEST(Issue, WhatTouchesRegistersOnlyDoesNotWaitForABarrierThatDefersAndWhatAccessesMemoryDoes) {
  const std::int64_t latency = one_sm().sm.issue.barrier_latency;
  std::vector<FakeOp> behind = repeat(ffma(2, 2, 3, 5).stall(4), 16);
  behind.push_back(load(Opcode::LDS, 8, 4, 4, [](const Where& w) { return 4ULL * w.lane; }));
  EXPECT_LT(after_the_last_arrival(deferring_barrier(), behind), latency + 40);
  EXPECT_GE(after_the_last_arrival(deferring_barrier(), behind), latency);
  EXPECT_GE(after_the_last_arrival(barrier().stall(6), behind), latency + 64);
}

// On an H200 32 warps with four loads each, a barrier and their four additions take 163 cycles a turn, as
// much as the loads alone (docs/h200.md, barriers): what passes does so while the barrier is closed.
TEST(Issue, WhatPassesABarrierThatDefersIssuesWhileItIsClosed) {
  const std::vector<FakeOp> behind = repeat(ffma(2, 2, 3, 5).stall(4), 8);
  EXPECT_LT(after_the_last_arrival(deferring_barrier(), behind), 0);
  EXPECT_GT(after_the_last_arrival(barrier().stall(6), behind), 0);
}

FakeOp reducing_barrier() {
  FakeOp made = deferring_barrier();
  return made.modifier(sass::Modifier::barrier_mode, static_cast<unsigned>(sass::BarrierMode::reduce));
}

// BAR.RED and S2R on an H100 take 59.5, 61.5, 65.5 and 73.5 cycles by 1 to 8 warps, BAR.SYNC and S2R 49.5
// to 63.5 (docs/h200.md).
TEST(Issue, ABarrierThatReducesOpensTenCyclesLater) {
  for (const unsigned warps : {1U, 2U, 4U, 8U}) {
    const auto opens = [&](FakeOp wait) {
      return second_turn(one_sm(), {op(Opcode::NOP).stall(1), wait.stall(6), op(Opcode::NOP)}, warps)[0][2];
    };
    EXPECT_EQ(opens(reducing_barrier()), opens(deferring_barrier()) + 10) << warps;
  }
}

TEST(Issue, WhatTouchesRegistersOnlyDoesNotWaitForABarrierThatReducesEither) {
  const std::int64_t latency = one_sm().sm.issue.barrier_latency;
  std::vector<FakeOp> behind = repeat(ffma(2, 2, 3, 5).stall(4), 16);
  behind.push_back(load(Opcode::LDS, 8, 4, 4, [](const Where& w) { return 4ULL * w.lane; }));
  EXPECT_LT(after_the_last_arrival(reducing_barrier(), behind), latency + 50);
  EXPECT_GE(after_the_last_arrival(reducing_barrier(), behind), latency + 10);
}

// Cycles that the last of 32 warps takes for `body`, of a row of sixteen of them.
double turn_of_32_warps(const std::vector<FakeOp>& body) {
  constexpr unsigned times = 16;
  std::vector<FakeOp> row;
  for (unsigned i = 0; i < times; ++i) row.insert(row.end(), body.begin(), body.end());
  const auto of_last_warp = second_turn(one_sm(), row, 32).back();
  return static_cast<double>(of_last_warp[row.size() - 1] - of_last_warp[body.size() - 1]) / (times - 1);
}

FakeOp load_of_a_constant() {
  return load(Opcode::LDC, 10, -1, 4, [](const Where&) { return 0ULL; }).stall(2).writes(0);
}

// 32 warps of an H100 take 64.3 cycles for a B2R each, 125 for a B2R and an LDC, and 150.5 for a BAR.RED and
// a B2R.
TEST(Issue, BarriersTheirResultsAndLoadsOfConstantsShareAUnitThatTakesTwoCycles) {
  const FakeOp result = op(Opcode::B2R, 8).stall(2).writes(0);
  const FakeOp constant = load_of_a_constant();
  const FakeOp wait = op(Opcode::NOP).stall(2).waits(1);
  EXPECT_NEAR(turn_of_32_warps({result, wait}), 64, 3);
  EXPECT_NEAR(turn_of_32_warps({result, constant, wait}), 127, 4);
  EXPECT_NEAR(turn_of_32_warps({reducing_barrier().stall(6), result, wait}), 150, 15);
}

// 32 warps of an H200 take 100 cycles for an LDC and a barrier each in a loop, 165 for two LDC and a barrier;
// the barrier alone takes 86 and the LDC 64 each (docs/h200.md, barriers).
TEST(Issue, AnArrivalAtABarrierWaitsBehindLoadsOfConstantsAndTakesNoTurnOfTheirs) {
  const FakeOp constant = load_of_a_constant();
  const double alone = turn_of_32_warps({deferring_barrier().stall(6)});
  EXPECT_NEAR(turn_of_32_warps({constant, deferring_barrier().stall(6)}), alone + 14, 10);
  EXPECT_NEAR(turn_of_32_warps({constant, constant, deferring_barrier().stall(6)}), 150, 15);
}

// Probe issue.deferred on an H200: of the uniform pipe's instructions UMOV waits, and UIADD3 does not.
TEST(Issue, AUniformMoveWaitsForABarrierThatDefers) {
  const std::int64_t latency = one_sm().sm.issue.barrier_latency;
  const auto behind = [&](Opcode opcode) {
    FakeOp move = op(opcode, 4, {});
    return after_the_last_arrival(deferring_barrier(), repeat(move.stall(10), 8));
  };
  EXPECT_LT(behind(Opcode::UIADD3), latency + 40);
  EXPECT_GE(behind(Opcode::UMOV), latency + 7 * 10);
}

// On an H200 a loop of four barriers of a block of one warp, a comparison and a branch takes 75 cycles a
// turn, so that what stands behind the last of them costs next to nothing.
TEST(Issue, ABarrierWaitsForTheOneBefore) {
  const auto turn = second_turn(one_sm(), repeat(deferring_barrier(), 32))[0];
  EXPECT_NEAR(static_cast<double>(turn.back() - turn.front()) / 31, 18, 4);
}

// The last issue of each warp, by slot.
std::vector<std::uint64_t> last_issues(const std::vector<FakeOp>& body, std::uint32_t blocks,
                                       std::uint32_t threads, const MachineSpec& spec = one_sm()) {
  FakeStream stream(body);
  stream.launch(blocks, threads);
  std::vector<IssueEvent> timeline;
  Machine(spec).run(stream, {}, timeline);
  std::vector<std::uint64_t> last;
  for (const IssueEvent& event : timeline) {
    if (event.warp >= last.size()) last.resize(event.warp + 1);
    last[event.warp] = event.cycle;
  }
  return last;
}

// On an H200, four blocks of eight warps with rows of FFMAs end after 22, 33, 50 and 60 thousand cycles.
TEST(Issue, WarpsOfTheBlockThatCameFirstGoFirst) {
  std::vector<FakeOp> body = repeat(op(Opcode::NOP).stall(1), 64);
  body.push_back(branch_to(0, 60).stall(5));
  body.push_back(exit_op());
  const auto last = last_issues(body, 4, 128);
  ASSERT_EQ(last.size(), 16U);
  // Two warps fill a processing block's issue slot but for the branches at the ends of their turns.
  EXPECT_GT(last[8], last[4] + 5000);
  EXPECT_GT(last[4], last[0]);
  EXPECT_GT(last[12], last[8]);
}

// Probe issue.block_queues on an H100: of four blocks of four warps each with rows of MUFU, or of LDS with
// conflicts, the blocks end one after the other, after equal times.
TEST(Issue, AFullQueueServesTheBlockThatCameFirstUntilItIsThrough) {
  const auto conflict = [](const Where& w) { return 128ULL * w.lane; };
  for (const FakeOp& slow :
       {op(Opcode::MUFU, 8, {4}).stall(1).writes(0), load(Opcode::LDS, 8, 4, 4, conflict).stall(1)}) {
    std::vector<FakeOp> body = repeat(slow, 16);
    body.push_back(branch_to(0, 60).stall(5));
    body.push_back(exit_op());
    const auto last = last_issues(body, 4, 128);
    ASSERT_EQ(last.size(), 16U);
    // The first block's warps also wait for their code.
    const double through = static_cast<double>(last[12] - last[0]) / 3;
    EXPECT_NEAR(static_cast<double>(last[4] - last[0]), through, through / 10);
    EXPECT_NEAR(static_cast<double>(last[8] - last[4]), through, through / 10);
    EXPECT_NEAR(static_cast<double>(last[0]), through, through / 2);
  }
}

TEST(Issue, WarpsOfTheBlockThatCameLastGoFirstWhereThatIsTheRule) {
  MachineSpec spec = one_sm();
  spec.sm.issue.block_priority = BlockPriority::youngest_first;
  std::vector<FakeOp> body = repeat(op(Opcode::NOP).stall(1), 64);
  body.push_back(branch_to(0, 60).stall(5));
  body.push_back(exit_op());
  const auto last = last_issues(body, 4, 128, spec);
  ASSERT_EQ(last.size(), 16U);
  EXPECT_GT(last[0], last[8] + 5000);
  EXPECT_GT(last[4], last[12] + 5000);
}

MachineSpec with_yields(unsigned wait) {
  MachineSpec spec = one_sm();
  spec.sm.issue.yield_wait = wait;
  spec.sm.issue.yield_turn = 3;
  return spec;
}

// On an H200 (by hand, writes_beside_products): of warps whose FMULs wait for nothing two take turns, and the next begin when they are
// through; with a yield flag in the loop all end together, as one block of sixteen warps with a compiler's: after 59.1 to 59.9 thousand cycles.
TEST(Issue, OfWarpsThatWaitForNothingTwoTakeTurnsUntilTheyAreThrough) {
  std::vector<FakeOp> body = repeat(op(Opcode::NOP).stall(1), 64);
  body.push_back(branch_to(0, 60).stall(5));
  body.push_back(exit_op());
  const auto ends = [&](const std::vector<FakeOp>& code) {
    const auto last = last_issues(code, 1, 512, with_yields(16));
    std::vector<std::uint64_t> sorted{last[0], last[4], last[8], last[12]};
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  };
  const auto pairs = ends(body);
  EXPECT_LT(pairs[1], pairs[2] * 2 / 3);
  EXPECT_LT(pairs[1] - pairs[0], pairs[0] / 4);
  body[32] = op(Opcode::NOP).stall(2).yield();
  const auto together = ends(body);
  EXPECT_GT(together[0], together[3] * 9 / 10);
}

// On an H100, 4,654 and 2,541 cycles of two blocks whose FFMAs all yield.
TEST(Issue, OfWarpsThatHaveYieldedThoseOfTheBlockThatCameFirstGoFirst) {
  std::vector<FakeOp> body = repeat(op(Opcode::NOP).stall(2).yield(), 64);
  body.push_back(branch_to(0, 30).stall(5));
  body.push_back(exit_op());
  const auto last = last_issues(body, 2, 256, with_yields(16));
  ASSERT_EQ(last.size(), 16U);
  EXPECT_GT(last[8], last[0] * 3 / 2);
  EXPECT_GT(last[12], last[4] * 3 / 2);
}

// On an H100, 4,550 cycles of the first of two blocks whose loops yield at their end, 2,473 without flags.
TEST(Issue, WarpsThatHaveYieldedStandBehindYoungerBlocksThatHaveNot) {
  std::vector<FakeOp> body = repeat(op(Opcode::NOP).stall(2), 64);
  body.push_back(op(Opcode::NOP).stall(11).yield());
  body.push_back(branch_to(0, 30).stall(5));
  body.push_back(exit_op());
  const auto heeded = last_issues(body, 2, 256, with_yields(16));
  const auto ignored = last_issues(body, 2, 256, with_yields(0));
  EXPECT_GT(std::min(heeded[0], heeded[4]), std::max(ignored[0], ignored[4]) * 6 / 5);
}

TEST(Issue, WhatStandsBehindACgaErrorBarrierWaitsForIt) {
  MachineSpec spec = one_sm();
  spec.sm.issue.cga_error_barrier = 90;
  const auto turn = second_turn(spec, {op(Opcode::CGAERRBAR).stall(6), op(Opcode::NOP)})[0];
  EXPECT_EQ(turn[1] - turn[0], 90U);
}

TEST(Issue, AnInvalidationBeforeAMembarCostsItNothing) {
  const MachineSpec spec = one_sm();
  const auto alone = second_turn(spec, {op(Opcode::NOP), membar(of_gpu), op(Opcode::NOP)})[0];
  const auto behind = second_turn(spec, {invalidation(), membar(of_gpu), op(Opcode::NOP)})[0];
  EXPECT_NEAR(static_cast<double>(alone[2] - alone[1]), spec.sm.issue.membar_gpu, 2);
  EXPECT_NEAR(static_cast<double>(behind[2] - behind[1]), spec.sm.issue.membar_gpu, 2);
}

// On an H200, warps that begin in step with the clock sleep twice the power of two, all others up to that.
TEST(Issue, AWarpThatSleepsIsWokenAtTheNextMultipleOfTwiceItsPowerOfTwo) {
  MachineSpec spec = one_sm();
  spec.sm.issue.nanosecond = 2;
  spec.sm.issue.nanosleep_min = 10;
  spec.sm.issue.nanosleep_wake = 5;
  const auto sleep = [](unsigned bits) {
    FakeOp made = op(Opcode::NANOSLEEP).stall(1);
    made.measure = static_cast<std::uint8_t>(bits);
    return made;
  };
  const auto turn = second_turn(spec, {sleep(7), sleep(7), op(Opcode::NOP)})[0];
  EXPECT_EQ(turn[2] - turn[1], 2 * 128U) << "100 ns have seven bits";
  EXPECT_LE(turn[1] - turn[0], 2 * 128U + 5);
  const auto least = second_turn(spec, {sleep(0), op(Opcode::NOP)})[0];
  EXPECT_EQ(least[1] - least[0], 10U) << "NANOSLEEP 0";
}

TEST(Issue, MembarsOfAnSmTakeTurns) {
  MachineSpec spec = one_sm();
  spec.sm.issue.membar_interval = 20;
  const auto turns = second_turn(spec, {membar(of_block), op(Opcode::NOP)}, 16);
  std::uint64_t last = 0;
  for (const auto& warp : turns) last = std::max(last, warp[1]);
  EXPECT_GE(last, 15 * 20U);
  EXPECT_LE(last, 17 * 20U);
}

TEST(Issue, ATakenBranchCostsWhatTheCalibrationSays) {
  const MachineSpec spec = one_sm();
  std::vector<FakeOp> program{op(Opcode::NOP), branch_to(0, 20), exit_op()};
  FakeStream stream(program);
  std::vector<IssueEvent> timeline;
  Machine(spec).run(stream, {}, timeline);
  // Turn after turn: one cycle for the NOP, then the branch to its target.
  EXPECT_EQ(timeline[20].cycle - timeline[18].cycle, 1 + spec.sm.issue.taken_branch_cost);
}

// 32 warps that call and return take an H200's SM 4.09 cycles each (by_hand_h200.json, indirect_branches).
TEST(Issue, BranchesThroughARegisterTakeTurnsAtTheUnitOfConstants) {
  const MachineSpec spec = one_sm();
  const auto turns = second_turn(spec, {op(Opcode::RET, -1, {20}).stall(5), op(Opcode::NOP)}, 4);
  std::vector<std::uint64_t> behind;
  for (const auto& turn : turns) behind.push_back(turn.at(1) - turn.at(0));
  std::ranges::sort(behind);
  const std::uint64_t alone = spec.sm.issue.taken_branch_cost + spec.sm.issue.indirect_branch_extra;
  EXPECT_EQ(behind, (std::vector<std::uint64_t>{alone, alone + 4, alone + 8, alone + 12}));
}

TEST(Issue, AMoveOfAConvergenceBarrierTakesItsStallCountAndAYieldHoldsItsWarp) {
  const MachineSpec spec = one_sm();
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::BMOV).stall(5), 64)), 5);
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::YIELD).stall(5), 64)), 51);
  FakeOp skipped = op(Opcode::YIELD).stall(5);
  skipped.off = true;
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(skipped, 64)), 5)
      << "one that no lane executes costs its stall count";
}

// Votes of groups of lanes, 65 cycles for each group (docs/h200.md, "Collectives").
TEST(Issue, TheEndOfACollectiveHoldsItsWarpBeyondItsStallCount) {
  MachineSpec spec = one_sm();
  spec.sm.issue.collective_cost = 40;
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::ENDCOLLECTIVE).stall(5), 64)), 45);
  spec.sm.issue.collective_cost = 0;
  EXPECT_DOUBLE_EQ(cycles_each(spec, repeat(op(Opcode::ENDCOLLECTIVE).stall(5), 64)), 5);
}

FakeOp synchronization(unsigned masks) {
  FakeOp made = op(Opcode::WARPSYNC, -1, {4}).stall(5);
  made.measure = static_cast<std::uint8_t>(masks);
  return made;
}

// An H100 takes 35, 55, 95 and 655 cycles for 1, 2, 4 and 32 masks (docs/h200.md, "Collectives").
TEST(Issue, AWarpSyncWithMasksInARegisterTakesTwentyCyclesMoreForEachFurtherMask) {
  for (const unsigned masks : {1U, 2U, 4U, 32U})
    EXPECT_DOUBLE_EQ(cycles_each(one_sm(), repeat(synchronization(masks), 16)), 35 + 20.0 * (masks - 1))
        << masks;
  EXPECT_DOUBLE_EQ(cycles_each(one_sm(), repeat(op(Opcode::WARPSYNC).stall(5), 64)), 5)
      << "one that names no register";
}

// Eight warps of each processing block of an H100 take 66.4, 341 and 2,914 cycles for 1, 4 and 32 masks.
TEST(Issue, WarpsOfAProcessingBlockTakeTurnsAtMasksInRegisters) {
  for (const unsigned masks : {1U, 4U, 32U}) {
    const double expected = 8 * (8.3 + 11.5 * (masks - 1));
    EXPECT_NEAR(cycles_each(one_sm(), repeat(synchronization(masks), 16), 32), expected, 0.03 * expected)
        << masks;
  }
}

TEST(Issue, AWarpSyncThatPartsItsWarpTakes36Cycles) {
  FakeOp made = synchronization(1).stall(12);
  made.modifier(sass::Modifier::other_0, 1);
  EXPECT_DOUBLE_EQ(cycles_each(one_sm(), repeat(made, 16)), 36);
}

// As the counters of tiny_empty on an H200 have it: the EXIT's stall count, and eight cycles more.
TEST(Issue, AWarpsEndIsBookedAsTheStallCountOfItsExitAndTheBranchUnit) {
  const auto stalls = [](const FakeOp& before) {
    FakeStream stream({before, exit_op().stall(5)});
    return Machine(one_sm()).run(stream, {}).stalls;
  };
  const auto booked = [](const auto& all, Stall reason) { return all[static_cast<std::size_t>(reason)]; };
  const auto alone = stalls(op(Opcode::NOP).stall(1));
  EXPECT_EQ(booked(alone, Stall::selected), 2U);
  EXPECT_EQ(booked(alone, Stall::wait), 4U);
  EXPECT_EQ(booked(alone, Stall::branch_resolving), 8U);
  EXPECT_EQ(booked(alone, Stall::drain), 0U);
  // A result that is under way at the end is waited for between the two: of 17 cycles eleven are left behind
  // the EXIT's five and the one before it.
  const auto draining = stalls(op(Opcode::MUFU, 2, {4}).stall(1).writes(0));
  EXPECT_EQ(booked(draining, Stall::wait), 4U);
  EXPECT_EQ(booked(draining, Stall::branch_resolving), 8U);
  EXPECT_NEAR(static_cast<double>(booked(draining, Stall::drain)), 17 - 1 - 5, 1);
}

TEST(Issue, EveryWarpCycleHasOneReason) {
  const MachineSpec spec = one_sm();
  std::vector<FakeOp> body = repeat(ffma(2, 4, 6, 8), 50);
  body.push_back(op(Opcode::MUFU, 2, {4}).stall(2).writes(0));
  body.push_back(op(Opcode::NOP).waits(1));
  body.push_back(barrier().stall(6));
  body.push_back(exit_op());
  FakeStream stream(body);
  stream.launch(3, 256);
  const KernelReport report = Machine(spec).run(stream, {});
  std::uint64_t sum = 0;
  for (const std::uint64_t cycles : report.stalls) sum += cycles;
  const double warps_active = report.metrics.at("sm__warps_active.avg.pct_of_peak_sustained_active") / 100 *
                              spec.occupancy.max_warps * report.metrics.at("sm__cycles_active.avg");
  EXPECT_NEAR(static_cast<double>(sum), warps_active, 1);
  EXPECT_EQ(report.stalls[static_cast<std::size_t>(Stall::selected)], stream.executed);
}

TEST(Issue, FasterPartsNeverSlowASingleWarp) {
  const std::vector<FakeOp> body = [] {
    std::vector<FakeOp> made;
    for (unsigned i = 0; i < 40; ++i) {
      made.push_back(ffma(2, 4, 6, 8).stall(1 + i % 3));
      made.push_back(op(Opcode::IADD3, 3, {5, 7, 9}).stall(1 + i % 4));
      if (i % 5 == 0) made.push_back(op(Opcode::MUFU, 10, {4}).stall(2).writes(i % 6));
      if (i % 7 == 0) made.push_back(op(Opcode::NOP).waits(1U << (i % 6)));
    }
    return made;
  }();
  const MachineSpec slow = one_sm();
  const std::uint64_t before = second_turn(slow, body)[0].back();
  for (const Kind kind : {Kind::fp32, Kind::alu, Kind::mufu}) {
    MachineSpec fast = slow;
    fast.sm.kinds[static_cast<std::size_t>(kind)].interval = 1;
    EXPECT_LE(second_turn(fast, body)[0].back(), before);
  }
  MachineSpec ports = slow;
  ports.sm.registers.ports_per_bank = 2;
  EXPECT_LE(second_turn(ports, body)[0].back(), before);
}

}  // namespace
}  // namespace warpgauge::model::test
