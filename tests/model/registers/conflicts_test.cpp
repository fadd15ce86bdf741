#include "model/registers/conflicts.h"

#include <gtest/gtest.h>

#include "model/registers/reuse.h"
#include "tests/model/registers/kit.h"

namespace warpgauge::registers {
namespace {

using namespace kit;

// Cycles that one FFMA costs at the ports, when the FFMA in front of it is the same one.
unsigned cycles_of(unsigned a, unsigned b, unsigned c, unsigned reuse, const RegisterFile& file) {
  const auto code = assemble({ffma(101, a, b, c).reuse(reuse), ffma(103, a, b, c).reuse(reuse), exit()});
  const Analysis analysis = analyse(code);
  const ConflictReport report = conflicts(code, analysis.flow, analysis.accesses, file);
  return file.cycles(sass::Opcode::FFMA) + report.instructions[1].lost_cycles;
}

// The table measured on the H200: cycles for each FFMA, rounded down by the loop's 0.14.
TEST(Conflicts, AgreeWithTheMeasuredTableOfTheH200) {
  constexpr unsigned a = 1, b = 2, c = 4;
  struct Row {
    unsigned ra, rb, rc, reuse, cycles;
  };
  for (const Row& r :
       {Row{2, 4, 6, 0, 3}, Row{2, 4, 6, a, 2}, Row{2, 4, 6, b, 2}, Row{2, 4, 6, c, 2},
        Row{2, 4, 6, a | b, 1}, Row{2, 4, 6, a | c, 1}, Row{2, 4, 6, b | c, 1}, Row{2, 4, 7, 0, 2},
        Row{2, 4, 7, a, 1}, Row{2, 4, 7, b, 1}, Row{2, 4, 7, c, 2}, Row{2, 5, 8, 0, 2}, Row{3, 4, 6, 0, 2},
        Row{3, 5, 7, 0, 3}, Row{2, 2, 2, 0, 1}, Row{2, 2, 5, 0, 1}, Row{2, 2, 4, 0, 2}})
    EXPECT_EQ(cycles_of(r.ra, r.rb, r.rc, r.reuse, one_cycle()), r.cycles)
        << r.ra << ' ' << r.rb << ' ' << r.rc << " reuse " << r.reuse;
}

TEST(Conflicts, OnVoltaOnlyThreeInOneBankCost) {
  EXPECT_EQ(cycles_of(2, 4, 6, 0, two_cycles()), 3U);
  EXPECT_EQ(cycles_of(2, 4, 7, 0, two_cycles()), 2U);
  EXPECT_EQ(cycles_of(97, 99, 1, 0, two_cycles()), 3U);
  EXPECT_EQ(cycles_of(97, 99, 2, 0, two_cycles()), 2U);
}

TEST(Conflicts, MoreBanksOrPortsTakeConflictsAway) {
  RegisterFile file = one_cycle();
  file.banks = 4;
  EXPECT_EQ(cycles_of(2, 4, 5, 0, file), 1U);
  file = one_cycle();
  file.ports_per_bank = 2;
  EXPECT_EQ(cycles_of(2, 4, 6, 0, file), 2U);
  EXPECT_EQ(cycles_of(2, 4, 7, 0, file), 1U);
}

TEST(Conflicts, ASwitchOfWarpsDropsTheCache) {
  const auto code = assemble({ffma(101, 2, 4, 6).reuse(7).yield(), ffma(103, 2, 4, 6), exit()});
  const Analysis a = analyse(code);
  EXPECT_EQ(conflicts(code, a.flow, a.accesses, one_cycle()).hits, 0U);
}

TEST(Conflicts, WeightsCountHowOftenAnInstructionRuns) {
  const auto code = assemble({ffma(101, 2, 4, 6), ffma(103, 2, 4, 7), exit()});
  const Analysis a = analyse(code);
  const std::vector<double> weights{5, 7, 1};
  const ConflictReport report = conflicts(code, a.flow, a.accesses, one_cycle(), weights);
  EXPECT_DOUBLE_EQ(report.lost_cycles, 5 * 2 + 7 * 1);
  EXPECT_EQ(report.conflicting, 2U);
}

ReuseFlags legal(const std::vector<Line>& lines) {
  const auto code = assemble(lines);
  const Analysis a = analyse(code);
  return legal_reuse(code, a.flow, a.accesses, 2);
}

TEST(Reuse, IsLegalWhereTheNextInstructionReadsTheSameValueInTheSameSlot) {
  const auto flags = legal({ffma(10, 2, 4, 10), ffma(11, 2, 5, 11), ffma(12, 5, 2, 12), exit()});
  EXPECT_EQ(flags[0], 1);
  EXPECT_EQ(flags[1], 0) << "slots A and B changed places";
}

TEST(Reuse, AnEntryOutlivesReadsOfTheOtherBankAndOfOtherSlots) {
  EXPECT_EQ(legal({fadd(10, 2, 4), fadd(11, 3, 5), fadd(12, 2, 6), exit()})[0], 1);
  EXPECT_EQ(legal({fadd(10, 2, 4), fadd(11, 8, 5), fadd(12, 2, 6), exit()})[0], 0) << "R8 takes R2's entry";
  EXPECT_EQ(legal({fadd(10, 2, 4), lds(11, 8).sets(0), fadd(12, 2, 6), exit()})[0], 1);
}

TEST(Reuse, IsIllegalForAValueThatTheInstructionOrOneInBetweenChanges) {
  EXPECT_EQ(legal({ffma(2, 2, 4, 10), ffma(11, 2, 5, 11), exit()})[0], 0);
  EXPECT_EQ(legal({fadd(10, 2, 4), mov(2, 1), fadd(11, 2, 5), exit()})[0], 0);
}

TEST(Reuse, IsIllegalAcrossAJoinAGuardASwitchAndALongStall) {
  EXPECT_EQ(legal({ffma(10, 2, 4, 10), bra(0).guard(0), ffma(11, 2, 5, 11), exit()})[0], 0);
  EXPECT_EQ(legal({ffma(10, 2, 4, 10).guard(0), ffma(11, 2, 5, 11), exit()})[0], 0);
  EXPECT_EQ(legal({ffma(10, 2, 4, 10), ffma(11, 2, 5, 11).guard(0), exit()})[0], 0);
  EXPECT_EQ(legal({ffma(10, 2, 4, 10).yield(), ffma(11, 2, 5, 11), exit()})[0], 0);
  EXPECT_EQ(legal({ffma(10, 2, 4, 10).stall(12), ffma(11, 2, 5, 11), exit()})[0], 0);
  EXPECT_EQ(legal({fadd(10, 2, 4), lds(11, 2), exit()})[0], 0);
}

TEST(Reuse, FlagsThatSaveNoReadDoNotPay) {
  // The second instruction reads R2 in slot B as well, so a flag on slot A saves nothing.
  const auto code = assemble({ffma(10, 2, 4, 10), ffma(11, 2, 2, 11), exit()});
  const Analysis a = analyse(code);
  const ReuseFlags flags = legal_reuse(code, a.flow, a.accesses, 2);
  EXPECT_EQ(flags[0], 1);
  EXPECT_EQ(paying_reuse(code, a.flow, a.accesses, 2, flags)[0], 0);
}

}  // namespace
}  // namespace warpgauge::registers
