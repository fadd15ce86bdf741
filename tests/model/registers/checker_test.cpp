#include "model/registers/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/registers/random.h"
#include "model/registers/recolour.h"
#include "tests/model/registers/kit.h"
#include "tests/model/registers/random_program.h"
#include "tests/model/registers/symbolic.h"

namespace warpgauge::registers {
namespace {

using namespace kit;
using ::testing::HasSubstr;

std::string faults_of(const std::vector<Line>& before, const std::vector<Line>& after, unsigned limit = 64) {
  CheckOptions o;
  o.limit = limit;
  std::string all;  // one a line
  for (const Fault& f : check(assemble(before), assemble(after), o))
    all += (all.empty() ? "" : "\n") + f.what;
  return all;
}

TEST(Checker, AcceptsAConsistentRenaming) {
  EXPECT_EQ(faults_of({mov(0, 1), mov(1, 2), fadd(0, 0, 1), stg(rz, 0), exit()},
                      {mov(9, 1), mov(1, 2), fadd(4, 9, 1), stg(rz, 4), exit()}),
            "");
}

TEST(Checker, FindsAReadOfTheWrongRegister) {
  EXPECT_EQ(faults_of({mov(0, 1), mov(1, 2), fadd(0, 0, 1), stg(rz, 0), exit()},
                      {mov(0, 1), mov(1, 2), fadd(0, 0, 0), stg(rz, 0), exit()}),
            "R0 does not hold on every way what R1 held in the original");
}

TEST(Checker, FindsAClobber) {
  EXPECT_THAT(faults_of({mov(0, 1), mov(1, 2), fadd(2, 0, 1), stg(rz, 2), exit()},
                        {mov(0, 1), mov(0, 2), fadd(2, 0, 0), stg(rz, 2), exit()}),
              HasSubstr("R0 does not hold on every way what R0 held"));
}

TEST(Checker, FindsAValueThatArrivesOnOneWayOnly) {
  EXPECT_THAT(faults_of({bra(3).guard(0), mov(0, 1), bra(4), mov(0, 2), stg(rz, 0), exit()},
                        {bra(3).guard(0), mov(5, 1), bra(4), mov(0, 2), stg(rz, 0), exit()}),
              HasSubstr("R0 does not hold on every way"));
}

TEST(Checker, FindsAGuardedWriteThatWentElsewhere) {
  EXPECT_NE(faults_of({mov(0, 1), mov(0, 2).guard(0), stg(rz, 0), exit()},
                      {mov(0, 1), mov(3, 2).guard(0), stg(rz, 3), exit()}),
            "");
}

TEST(Checker, FindsMisalignment) {
  EXPECT_THAT(faults_of({lds(4, rz, 2), stg(rz, 4, 2), exit()}, {lds(5, rz, 2), stg(rz, 5, 2), exit()}),
              HasSubstr("R5 is not aligned for 2 registers"));
}

TEST(Checker, FindsARegisterThatTheThreadDoesNotHave) {
  EXPECT_THAT(faults_of({mov(0, 1), stg(rz, 0), exit()}, {mov(40, 1), stg(rz, 40), exit()}, 32),
              HasSubstr("R40 is beyond the 32 registers of the thread"));
}

TEST(Checker, FindsAnInstructionThatChanged) {
  EXPECT_EQ(faults_of({mov(0, 1), stg(rz, 0), exit()}, {mov(0, 2), stg(rz, 0), exit()}),
            "operand 1 changed in more than its register");
  EXPECT_EQ(faults_of({mov(0, 1), stg(rz, 0), exit()}, {mov(0, 1).stall(2), stg(rz, 0), exit()}),
            "MOV is no longer the same instruction");
  EXPECT_EQ(faults_of({fadd(0, 1, rz), stg(rz, 0), exit()}, {fadd(0, 1, 3), stg(rz, 0), exit()}),
            "operand 2 changed in more than its register");
  EXPECT_EQ(faults_of({mov(0, 1), exit()}, {mov(0, 1), mov(1, 1), exit()}), "2 instructions became 3");
}

TEST(Checker, LetsAYieldGoWhereItIsAHintAndNowhereElse) {
  EXPECT_EQ(faults_of({fadd(0, 1, 2).yield(), fadd(3, 1, 2), exit()}, {fadd(0, 1, 2), fadd(3, 1, 2), exit()}),
            "");
  EXPECT_THAT(faults_of({fadd(0, 1, 2).yield(), lds(3, 1), exit()}, {fadd(0, 1, 2), lds(3, 1), exit()}),
              HasSubstr("no longer the same"));
  EXPECT_THAT(faults_of({fadd(0, 1, 2).yield().stall(13), fadd(3, 1, 2), exit()},
                        {fadd(0, 1, 2).stall(13), fadd(3, 1, 2), exit()}),
              HasSubstr("no longer the same"));
}

TEST(Checker, FindsAWriteUnderAPendingRead) {
  EXPECT_EQ(faults_of({mov(0, 1), stg(rz, 0), mov(1, 2), stg(rz, 1), exit()},
                      {mov(0, 1), stg(rz, 0), mov(0, 2), stg(rz, 0), exit()}),
            "R0 is written while the STG at 0x0010 may still read it");
}

TEST(Checker, FindsAWriteUnderAPendingLoad) {
  EXPECT_EQ(faults_of({lds(0, rz).sets(1), mov(1, 2), stg(rz, 1), exit()},
                      {lds(0, rz).sets(1), mov(0, 2), stg(rz, 0), exit()}),
            "R0 is written while the LDS at 0x0000 may still write it");
}

TEST(Checker, FindsReuseFlagsThatAreNotLegal) {
  const auto with = [](Line first, Line second) { return std::vector<Line>{first, second, exit()}; };
  const auto plain = with(ffma(10, 2, 4, 10), ffma(11, 2, 5, 11));
  EXPECT_EQ(faults_of(plain, with(ffma(10, 2, 4, 10).reuse(1), ffma(11, 2, 5, 11))), "");
  EXPECT_EQ(faults_of(plain, with(ffma(10, 2, 4, 10).reuse(2), ffma(11, 2, 5, 11))),
            "a reuse flag that no later read is sure to find");
  const auto yields = with(ffma(10, 2, 4, 10).yield(), ffma(11, 2, 5, 11));
  EXPECT_THAT(faults_of(yields, with(ffma(10, 2, 4, 10).reuse(1).yield(), ffma(11, 2, 5, 11))),
              HasSubstr("asks for a switch of warps"));
  const auto changes = with(ffma(2, 2, 4, 10), ffma(11, 2, 5, 11));
  EXPECT_EQ(faults_of(changes, with(ffma(2, 2, 4, 10).reuse(1), ffma(11, 2, 5, 11))),
            "a reuse flag: the register changes before 0x0010 takes the old value");
  const auto guards = with(ffma(10, 2, 4, 10), ffma(11, 2, 5, 11).guard(0));
  EXPECT_EQ(faults_of(guards, with(ffma(10, 2, 4, 10).reuse(1), ffma(11, 2, 5, 11).guard(0))),
            "a reuse flag between guarded instructions");
}

TEST(Checker, FindsARenamingThatMakesTheCompilersFlagServeAnOldValue) {
  // R2 stays in its entry past R3 and R7 of the other bank; in the rewritten code R2 holds another value
  // then.
  const std::vector<Line> before{fadd(10, 2, 4).reuse(1), fadd(9, 3, 4), stg(rz, 9), fadd(11, 2, 9), exit()};
  const std::vector<Line> after{fadd(10, 2, 4).reuse(1), fadd(2, 3, 4), stg(rz, 2), fadd(11, 2, 2), exit()};
  EXPECT_THAT(faults_of(before, after), HasSubstr("takes the old value"));
}

// One register operand of rewritten code is changed at random. Whenever the checker lets that pass, the
// symbolic execution must not tell the programs apart; and most such faults must be found.
TEST(Checker, LetsNoPlantedFaultPass) {
  unsigned planted = 0;
  unsigned found = 0;
  unsigned visible = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto code = random_program(seed, {.instructions = 60, .registers = 16});
    const Analysis a = analyse(code);
    RecolourOptions o;
    o.file = one_cycle();
    o.limit = 20;
    o.search.evaluations = 500;
    const Recoloured r = recolour(a, o);
    Random random(seed);
    for (int k = 0; k < 40; ++k) {
      auto mutant = r.code;
      const auto i = static_cast<std::uint32_t>(random.below(mutant.size()));
      const auto list = a.accesses.of(i);
      if (list.empty() || a.flow.block_of[i] == no_block) continue;
      const RegisterAccess& access = list[random.below(list.size())];
      sass::Operand& operand = mutant[i].operand_storage[access.operand];
      const auto alignment = required_alignment(operand.index, operand_registers(mutant[i], operand).count);
      const auto to = static_cast<std::uint16_t>(random.below(20 / alignment) * alignment);
      if (to == operand.index || to + operand_registers(mutant[i], operand).count > 20) continue;
      operand.index = to;
      ++planted;
      CheckOptions check_options;
      check_options.limit = 20;
      const bool accepted = check(code, mutant, check_options).empty();
      bool differs = false;
      for (std::uint64_t run = 0; run < 4; ++run)
        differs |= symbolic_trace(code, run) != symbolic_trace(mutant, run);
      visible += differs ? 1 : 0;
      found += accepted ? 0 : 1;
      ASSERT_FALSE(accepted && differs) << "seed " << seed << " instruction " << i;
    }
  }
  EXPECT_GT(planted, 1000U);
  EXPECT_GT(visible, planted / 4);
  EXPECT_GE(found, visible);
}

}  // namespace
}  // namespace warpgauge::registers
