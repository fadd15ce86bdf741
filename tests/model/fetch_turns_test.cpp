// What warps of a processing block that branch at the same time lose, and a lone one at the end of a line
// (docs/h200.md, branch_turns: rows of branches on the SM of an H100).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/sm/fetch_turns.h"
#include "tests/model/fake_stream.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model {
namespace {

using sass::Opcode;
using namespace test;

FrontEndSpec fetch(unsigned wait = 3) {
  FrontEndSpec spec;
  spec.branch_line = 2;
  spec.branch_fill = 8;
  spec.branch_turn_wait = wait;
  return spec;
}

TEST(FetchTurnsTest, ALoneWarpNeverWaits) {
  FetchTurns turns(fetch());
  for (Cycle now = 5; now < 1000; now += 10) EXPECT_EQ(turns.turn(now, 0), 0U);
}

TEST(FetchTurnsTest, WhoComesWhileAnothersBufferIsFilledAsksAgain) {
  for (Cycle later = 1; later < 12; ++later) {
    FetchTurns turns(fetch());
    EXPECT_EQ(turns.turn(100, 0), 0U);
    EXPECT_EQ(turns.turn(100 + later, 0), later < 8 ? 3U : 0U) << later << " cycles later";
  }
}

TEST(FetchTurnsTest, WhoAsksAgainIsOnlyPutOffByALineOfThatTime) {
  FetchTurns turns(fetch());
  EXPECT_EQ(turns.turn(100, 0), 0U);
  EXPECT_EQ(turns.turn(101, 0), 3U) << "at 104 and 105";
  EXPECT_EQ(turns.turn(102, 0), 6U) << "at 105 the second's line is fetched, at 108 nobody's";
  EXPECT_EQ(turns.turn(103, 0), 3U) << "at 106, though all buffers are being filled";
}

TEST(FetchTurnsTest, WhoGoesElsewhereLaterAsksLater) {
  FetchTurns turns(fetch());
  EXPECT_EQ(turns.turn(100, 28), 0U);
  EXPECT_EQ(turns.turn(110, 0), 0U);
  EXPECT_EQ(turns.turn(130, 0), 3U);
}

TEST(FetchTurnsTest, WithoutAWaitNobodyWaits) {
  FetchTurns turns(fetch(0));
  for (Cycle now = 5; now < 20; ++now) EXPECT_EQ(turns.turn(now, 0), 0U);
}

// Cycles of a turn of a loop of `length` NOPs whose head stands in `place`.
std::uint64_t turn_of(unsigned place, unsigned length, unsigned warps = 1) {
  std::vector<FakeOp> program(place, op(Opcode::NOP));
  for (unsigned i = 0; i < length; ++i) program.push_back(op(Opcode::NOP).stall(1));
  program.push_back(branch_to(place, 40).stall(5));
  program.push_back(exit_op());
  FakeStream stream(program);
  stream.launch(1, 32 + 128 * (warps - 1));
  std::vector<IssueEvent> timeline;
  Machine(one_sm()).run(stream, {}, timeline);
  std::vector<std::uint64_t> heads;  // of the first warp
  for (const IssueEvent& event : timeline)
    if (event.warp == 0 && event.index == place) heads.push_back(event.cycle);
  return (heads[30] - heads[10]) / 20;
}

// Of a lone warp the next line's first instruction comes three cycles behind the target at the soonest.
TEST(FetchTurnsTest, ABranchToTheEndOfALineWaitsForTheNextLine) {
  const unsigned branch = one_sm().sm.issue.taken_branch_cost;
  for (const unsigned length : {1U, 2U, 3U, 4U}) {
    for (unsigned place = 0; place < 5; ++place) EXPECT_EQ(turn_of(place, length), length + branch) << place;
    EXPECT_EQ(turn_of(5, length), length + branch);
    EXPECT_EQ(turn_of(6, length), length + branch + (length > 1 ? 1 : 0));
    EXPECT_EQ(turn_of(7, length), length + branch + 2);
  }
}

TEST(FetchTurnsTest, WarpsThatBranchAllTheTimeLoseThreeCyclesEachTime) {
  const unsigned branch = one_sm().sm.issue.taken_branch_cost;
  for (const unsigned warps : {2U, 3U}) EXPECT_EQ(turn_of(0, 1, warps), 1 + branch + 3) << warps;
}

}  // namespace
}  // namespace warpgauge::model
