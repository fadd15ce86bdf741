// The table of the register-file probe on an H200: cycles an FFMA of one warp, by the banks of its sources
// and the reuse flags; and what the same rule means for Volta and Turing.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "model/sm/register_file.h"
#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

constexpr unsigned reuse_a = 1;
constexpr unsigned reuse_b = 2;
constexpr unsigned reuse_c = 4;

std::vector<FakeOp> stream_of(std::array<int, 3> sources, unsigned reuse, unsigned stall = 1,
                              unsigned count = 128) {
  std::vector<FakeOp> body;
  for (unsigned i = 0; i < count; ++i) {
    body.push_back(
        ffma(40 + static_cast<int>(i % 64), sources[0], sources[1], sources[2]).stall(stall).reuse(reuse));
  }
  return body;
}

struct Row {
  std::array<int, 3> sources;
  unsigned reuse;
  double cycles;
};

TEST(RegisterFile, AnFfmaCostsTheReadsOfItsBusierBank) {
  const MachineSpec h200 = one_sm("h200");
  constexpr std::array<int, 3> eee{2, 4, 6};
  constexpr std::array<int, 3> eeo{2, 4, 7};
  const std::vector<Row> measured{
      {eee, 0, 3},
      {eee, reuse_a, 2},
      {eee, reuse_b, 2},
      {eee, reuse_c, 2},
      {eee, reuse_a | reuse_b, 1},
      {eee, reuse_a | reuse_c, 1},
      {eee, reuse_b | reuse_c, 1},
      {eee, reuse_a | reuse_b | reuse_c, 1},
      {eeo, 0, 2},
      {eeo, reuse_a, 1},
      {eeo, reuse_b, 1},
      {eeo, reuse_c, 2},
      {eeo, reuse_a | reuse_b, 1},
      {eeo, reuse_a | reuse_c, 1},
      {eeo, reuse_b | reuse_c, 1},
      {eeo, reuse_a | reuse_b | reuse_c, 1},
      {{2, 5, 6}, 0, 2},
      {{3, 4, 6}, 0, 2},
      {{2, 5, 7}, 0, 2},
      {{3, 5, 7}, 0, 3},
      {{2, 2, 2}, 0, 1},
      {{2, 2, 5}, 0, 1},
      {{2, 2, 4}, 0, 2},
  };
  for (const Row& row : measured) {
    EXPECT_NEAR(cycles_each(h200, stream_of(row.sources, row.reuse)), row.cycles, 0.02)
        << "sources " << row.sources[0] << " " << row.sources[1] << " " << row.sources[2] << ", reuse "
        << row.reuse;
  }
}

TEST(RegisterFile, WithStallTwoEveryCaseCostsAtLeastTwoCycles) {
  const MachineSpec h200 = one_sm("h200");
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 6}, 0, 2)), 3, 0.02);
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 6}, 7, 2)), 2, 0.02);
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 7}, 0, 2)), 2, 0.02);
}

TEST(RegisterFile, ReuseHelpsNobodyWhenTwoWarpsAlternate) {
  const MachineSpec h200 = one_sm("h200");
  // Five warps put two on the first processing block; each then issues every second time.
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 6}, 7, 2), 5), 6, 0.05);
  EXPECT_NEAR(cycles_each(h200, stream_of({2, 4, 6}, 0, 2), 5), 6, 0.05);
}

StaticOp reading(std::array<int, 3> sources, unsigned reuse = 0) {
  StaticOp op;
  for (const int reg : sources) {
    SourceRead read;
    read.reg = static_cast<std::uint8_t>(reg);
    read.bank = static_cast<std::uint8_t>(reg % 2);
    read.slot = op.read_count;
    read.reuse = ((reuse >> op.read_count) & 1) != 0;
    op.add_read(read);
  }
  return op;
}

TEST(RegisterFile, WhileTheReadStagesWaitNothingIssuesAndAllStallCountsStandStill) {
  RegisterFile file(one_sm("h200").sm.registers);
  EXPECT_EQ(file.issue(reading({2, 4, 6}), 0, 0).late, 0U);
  // Allocated in cycle 2, it reads in 3, 4 and 5. The next is in the read stages from 4 to 6 and reads in 6,
  // 7 and 8: two cycles more than they have.
  EXPECT_EQ(file.issue(reading({8, 10, 12}), 1, 1).late, 2U);
  EXPECT_FALSE(file.stands_still(2));
  EXPECT_TRUE(file.stands_still(3));
  EXPECT_TRUE(file.stands_still(4));
  EXPECT_FALSE(file.stands_still(5));
  EXPECT_EQ(file.free_from(2), 2U);
  EXPECT_EQ(file.free_from(3), 5U);
  EXPECT_EQ(file.stall_clock(3), 3U);
  EXPECT_EQ(file.stall_clock(5), 3U);
  EXPECT_EQ(file.stall_clock(9), 7U);
  EXPECT_EQ(file.when(2), 2U);
  EXPECT_EQ(file.when(4), 6U);
}

TEST(RegisterFile, ASlotOfABankIsFreeWhenItsInstructionHasLeftTheReadStages) {
  const RegisterFileSpec spec = one_sm("h200").sm.registers;
  RegisterFile others(spec);
  others.issue(reading({2, 5, 4}), 0, 0);  // reads the even bank in 3 and 4, leaves after 5
  EXPECT_EQ(others.issue(reading({7, 8, 10}), 1, 1).late, 0U);  // 5, and 6 for the slot that was the other's
  RegisterFile same(spec);
  same.issue(reading({2, 5, 4}), 0, 0);
  EXPECT_EQ(same.issue(reading({8, 7, 10}), 1, 1).late, 1U)
      << "both slots are free in 6, and one port reads them";
  RegisterFile apart(spec);
  apart.issue(reading({2, 5, 4}), 0, 0);
  EXPECT_EQ(apart.issue(reading({8, 7, 10}), 1, 2).late, 0U);
}

TEST(RegisterFile, AResultIsReadFromTheFileSixCyclesBehindItsReadStagesOrHadOnTheWay) {
  const RegisterFileSpec spec = one_sm("h200").sm.registers;
  const auto writing = [](std::array<int, 3> sources, int to) {
    StaticOp op = reading(sources);
    op.written = static_cast<std::uint8_t>(to);
    op.written_count = 1;
    return op;
  };
  // The first leaves the read stages after cycle 5, and its result is in the file from 11 on. One that issues
  // in cycle 6 reads it in cycle 11, its last read stage, though the port is free from 9 on.
  RegisterFile file(spec);
  file.issue(writing({2, 5, 7}, 40), 0, 0);
  EXPECT_EQ(file.issue(reading({40, 45, 47}), 0, 6).late, 0U);
  // So that the port is taken in 11, and what comes behind and reads three of the bank is a cycle late.
  EXPECT_EQ(file.issue(reading({8, 10, 12}), 0, 7).late, 1U);
  RegisterFile of_another_warp(spec);
  of_another_warp.issue(writing({2, 5, 7}, 40), 1, 0);
  of_another_warp.issue(reading({40, 45, 47}), 0, 6);
  EXPECT_EQ(of_another_warp.issue(reading({8, 10, 12}), 0, 7).late, 0U);
}

// By hand on an H100 (loops_cut_short, nl1).
TEST(RegisterFile, AResultThatIsHadOnTheWayIsNotKeptForReuse) {
  const RegisterFileSpec spec = one_sm("h200").sm.registers;
  const auto hits = [&](Cycle later) {
    RegisterFile file(spec);
    StaticOp product = reading({19, 2, 5});
    product.written = 18;
    product.written_count = 1;
    file.issue(product, 0, 0);
    file.issue(reading({15, 18, 8}, reuse_b), 0, later);
    return file.issue(reading({17, 18, 10}, reuse_b), 0, later + 1).reuse_hits;
  };
  EXPECT_EQ(hits(4), 0U) << "the first to read it has it before it is in the file";
  EXPECT_EQ(hits(5), 0U);
  EXPECT_EQ(hits(20), 1U);
}

// The end of that loop: two of the sums each hold up the read stages for a cycle on the card, the second
// while the branch is in them.
TEST(RegisterFile, ABranchWaitsWithTheReadStagesAheadOfIt) {
  const MachineSpec spec = one_sm();
  const auto turn = [&](bool in_the_file) {
    std::vector<FakeOp> body{op(sass::Opcode::FMUL, 18, {19, 5}).stall(4)};
    if (in_the_file) body.push_back(op(sass::Opcode::NOP).stall(8));
    body.push_back(ffma(8, 15, 18, 8).stall(1).reuse(reuse_b));
    body.push_back(ffma(10, 17, 18, 10).stall(1).reuse(reuse_b));
    body.push_back(ffma(9, 12, 18, 9).stall(1));
    const std::size_t length = body.size() + 1;
    body.push_back(branch_to(0, 9).stall(6));
    body.push_back(exit_op());
    FakeStream stream(body);
    stream.launch(1, 32);
    Machine machine(spec);
    std::vector<IssueEvent> timeline;
    machine.run(stream, {}, timeline);
    return timeline[8 * length].cycle - timeline[7 * length].cycle;
  };
  EXPECT_EQ(turn(true) - turn(false), 8U - 2U);
}

TEST(RegisterFile, AnEntryOutlastsAnotherWarpThatReadsTheOtherBank) {
  RegisterFile file(one_sm("h200").sm.registers);
  file.issue(reading({2, 4, 6}, reuse_a | reuse_b), 0, 0);
  EXPECT_EQ(file.issue(reading({3, 5, 7}), 1, 10).reuse_hits, 0U);
  EXPECT_EQ(file.issue(reading({2, 4, 8}), 0, 20).reuse_hits, 2U);
  file.issue(reading({2, 4, 6}, reuse_a | reuse_b), 0, 30);
  file.issue(reading({2, 5, 7}), 1, 40);
  EXPECT_EQ(file.issue(reading({2, 4, 8}), 0, 50).reuse_hits, 1U)
      << "the other warp's read of the first slot took the entry";
}

TEST(RegisterFile, AWindowWiderThanAnyBacklogHoldsNothing) {
  RegisterFileSpec wide = one_sm("h200").sm.registers;
  wide.banks = 1;
  RegisterFile file(wide);
  StaticOp op = reading({2, 4, 6});
  for (SourceRead& read : op.reads) read.bank = 0;
  op.read_window = 255;
  for (Cycle now = 0; now < 60; ++now) EXPECT_EQ(file.issue(op, 0, now).late, 0U) << now;
}

TEST(RegisterFile, TheClockOfStallCountsNeverGoesBackAndKnowsWhenItGoesOn) {
  std::mt19937 random(7);
  const auto draw = [&](unsigned n) { return static_cast<int>(random() % n); };
  RegisterFile file(one_sm("h200").sm.registers);
  Cycle now = 0;
  Cycle clock = 0;
  for (int i = 0; i < 2000; ++i) {
    if (draw(8) == 0) {
      LaterReads reads;
      reads.add(static_cast<unsigned>(draw(16)), 1 + static_cast<unsigned>(draw(3)));
      file.read_later(now, reads);
    }
    file.issue(reading({draw(16), draw(16), draw(16)}, static_cast<unsigned>(draw(8))),
               static_cast<unsigned>(draw(3)), now);
    for (Cycle at = now; at < now + 12; ++at) {
      ASSERT_GE(file.stall_clock(at), clock);
      ASSERT_LE(file.stall_clock(at + 1), file.stall_clock(at) + 1);
      if (!file.stands_still(at)) {
        ASSERT_EQ(file.when(file.stall_clock(at)), at);
      } else {
        ASSERT_GT(file.free_from(at), at);
      }
    }
    clock = file.stall_clock(now);
    now = file.free_from(now + 1 + static_cast<Cycle>(draw(4)));
  }
}

TEST(RegisterFile, OnVoltaAndTuringOnlyThreeSourcesInOneBankHurt) {
  for (const char* device : {"v100", "t4"}) {
    const MachineSpec spec = one_sm(device);
    EXPECT_NEAR(cycles_each(spec, stream_of({2, 4, 7}, 0)), 2, 0.02) << device;
    EXPECT_NEAR(cycles_each(spec, stream_of({2, 5, 7}, 0)), 2, 0.02) << device;
    EXPECT_NEAR(cycles_each(spec, stream_of({2, 4, 6}, 0)), 3, 0.02) << device;
    EXPECT_NEAR(cycles_each(spec, stream_of({2, 4, 6}, reuse_b)), 2, 0.02) << device;
  }
}

}  // namespace
}  // namespace warpgauge::model::test
