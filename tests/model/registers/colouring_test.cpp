#include "model/registers/colouring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "model/registers/checker.h"
#include "model/registers/recolour.h"
#include "model/registers/rewrite.h"
#include "tests/model/registers/case_study.h"
#include "tests/model/registers/kit.h"
#include "tests/model/registers/random_program.h"
#include "tests/model/registers/symbolic.h"

namespace warpgauge::registers {
namespace {

using namespace kit;

RecolourOptions options(const RegisterFile& file, Change change, unsigned limit) {
  RecolourOptions o;
  o.file = file;
  o.change = change;
  o.limit = limit;
  return o;
}

std::vector<Fault> faults(const std::vector<sass::Instruction>& before,
                          const std::vector<sass::Instruction>& after, unsigned limit) {
  CheckOptions o;
  o.limit = limit;
  return check(before, after, o);
}

TEST(Colouring, ThreeRegistersOfOneBankAreSpreadOverBoth) {
  const auto code = assemble({mov(0, 1), mov(2, 2), mov(4, 3), ffma(6, 0, 2, 4), stg(rz, 6), exit()});
  const Recoloured r = recolour(analyse(code), options(two_cycles(), Change::banks, 8));
  EXPECT_EQ(r.before.lost_cycles, 1);
  EXPECT_EQ(r.after.lost_cycles, 0);
  EXPECT_LE(r.registers_after, 8U);
  EXPECT_TRUE(faults(code, r.code, 8).empty());
}

TEST(Colouring, ATightProgramIsSolvedByExchangingRegisters) {
  // Four values in R0…R3 and no register free: R0, R2 and one of R1, R3 must change places.
  const auto code = assemble({mov(0, 1), mov(1, 2), mov(2, 3), mov(3, 4), ffma(0, 0, 2, 0), ffma(1, 1, 3, 1),
                              ffma(0, 2, 0, 0), stg(rz, 0), stg(rz, 1), stg(rz, 2), stg(rz, 3), exit()});
  const Recoloured r = recolour(analyse(code), options(one_cycle(), Change::banks, 4));
  EXPECT_EQ(r.before.lost_cycles, 3);
  EXPECT_EQ(r.after.lost_cycles, 0);
  EXPECT_TRUE(faults(code, r.code, 4).empty());
}

TEST(Colouring, PairsKeepTheirBanksBecauseTheyStayAligned) {
  const auto code = assemble({lds(4, rz, 2).sets(0), lds(8, rz, 2).sets(0), mov(0, 1),
                              ffma(0, 4, 8, 0).waits(0), stg(rz, 0), exit()});
  const Recoloured r = recolour(analyse(code), options(two_cycles(), Change::banks, 16));
  EXPECT_EQ(r.after.lost_cycles, 0);
  EXPECT_EQ(r.code[3].operand(1).index % 2, 0U);
  EXPECT_EQ(r.code[3].operand(2).index % 2, 0U);
  EXPECT_EQ(r.code[3].operand(3).index % 2, 1U);
}

TEST(Colouring, InnerLoopsComeFirst) {
  // x must lie in the odd bank for the loop, or in the even one for the code around it.
  const auto code = assemble({mov(0, 1), mov(2, 1), lds(4, rz, 4).sets(0), ffma(2, 5, 7, 0).waits(0),
                              ffma(2, 4, 6, 0), bra(4).guard(0), stg(rz, 2), exit()});
  const Recoloured r = recolour(analyse(code), options(two_cycles(), Change::banks, 16));
  EXPECT_LE(r.after.lost_cycles, 1);
  EXPECT_EQ(r.after.instructions[4].lost_cycles, 0);
}

TEST(Colouring, TheCaseStudyNeedsNoReuseCacheAtAll) {
  std::vector<sass::Instruction> code = case_study("compiler");
  for (sass::Instruction& i : code) {
    i.control.reuse = 0;
    for (sass::Operand& o : i.operand_storage) o.reuse = false;
  }
  const Analysis a = analyse(code);
  const Recoloured banks = recolour(a, options(two_cycles(), Change::banks, registers_used(a)));
  EXPECT_EQ(banks.before.conflicting, 32U);
  EXPECT_EQ(banks.after.conflicting, 0U);
}

TEST(Colouring, TheAuthorsListingHasNoConflictsEither) {
  const auto code = case_study("improved");
  const Analysis a = analyse(code);
  EXPECT_EQ(conflicts(code, a.flow, a.accesses, two_cycles()).conflicting, 0U);
}

TEST(Colouring, ReuseAloneMovesNoRegister) {
  const auto code = assemble(
      {mov(0, 1), mov(2, 2), mov(4, 3), ffma(6, 0, 2, 4), ffma(8, 0, 2, 4), stg(rz, 6), stg(rz, 8), exit()});
  const Recoloured r = recolour(analyse(code), options(one_cycle(), Change::reuse, 16));
  EXPECT_EQ(r.webs_moved, 0U);
  EXPECT_EQ(r.before.lost_cycles, 4);
  EXPECT_EQ(r.after.lost_cycles, 2);
  EXPECT_EQ(r.code[3].control.reuse, 7);
  EXPECT_TRUE(faults(code, r.code, 16).empty());
}

TEST(Colouring, PlantingFindsConflictsWhereThereWereNone) {
  const auto code = assemble(
      {mov(0, 1), mov(1, 2), mov(2, 3), ffma(6, 0, 1, 2), ffma(7, 1, 2, 0), stg(rz, 6), stg(rz, 7), exit()});
  const Recoloured r = recolour(analyse(code), options(two_cycles(), Change::plant, 16));
  EXPECT_EQ(r.before.lost_cycles, 0);
  EXPECT_EQ(r.after.lost_cycles, 2);
  EXPECT_TRUE(faults(code, r.code, 16).empty());
}

TEST(Colouring, TheLowestCountIsThePressureOfSimpleCode) {
  const auto code = assemble({mov(10, 1), mov(20, 2), mov(30, 3), ffma(40, 10, 20, 30), stg(rz, 40).frees(0),
                              mov(50, 1).waits(0), stg(rz, 50), exit()});
  RecolourOptions o = options(two_cycles(), Change::banks, 51);
  o.lower = true;
  const Recoloured r = recolour(analyse(code), o);
  EXPECT_EQ(r.registers_before, 51U);
  EXPECT_EQ(r.registers_after, 3U);
  EXPECT_TRUE(faults(code, r.code, 3).empty());
}

TEST(Colouring, TheJudgeDecides) {
  const auto code = assemble({mov(0, 1), mov(2, 2), mov(4, 3), ffma(6, 0, 2, 4), stg(rz, 6), exit()});
  RecolourOptions o = options(two_cycles(), Change::banks, 8);
  // A judge that dislikes any change keeps the original.
  o.judge = [&](std::span<const sass::Instruction> candidate) {
    return candidate[3].operand(1).index == 0 && candidate[3].operand(2).index == 2 &&
                   candidate[3].operand(3).index == 4
               ? 1.0
               : 2.0;
  };
  const Recoloured r = recolour(analyse(code), o);
  EXPECT_EQ(r.webs_moved, 0U);
  EXPECT_EQ(r.judged_after, 1.0);
}

TEST(Colouring, TheSameSeedGivesTheSameCode) {
  const auto code = random_program(5, {.instructions = 300, .registers = 40});
  const Analysis a = analyse(code);
  const Recoloured x = recolour(a, options(one_cycle(), Change::both, 40));
  const Recoloured y = recolour(a, options(one_cycle(), Change::both, 40));
  EXPECT_EQ(x.assignment, y.assignment);
}

// Words written for the changed code read back as the changed code.
TEST(Rewrite, EncodedWordsReadBackTheSame) {
  const auto code = case_study("compiler");
  const Analysis a = analyse(code);
  Recoloured r = recolour(a, options(two_cycles(), Change::both, registers_used(a)));
  encode_changes(code, r.code);
  const auto bytes = code_bytes(r.code);
  const auto back = sass::decode_section(bytes, sass::Architecture::sm75);
  ASSERT_EQ(back.size(), r.code.size());
  EXPECT_TRUE(faults(code, back, registers_used(a)).empty());
  EXPECT_EQ(conflicts(back, a.flow, AccessTable(back), two_cycles()).conflicting, 0U);
}

class RandomPrograms : public ::testing::TestWithParam<int> {};

// For every random program, every kind of change keeps the meaning, does not lose more cycles than before and
// stays within the registers; the checker and the symbolic execution agree on it.
TEST_P(RandomPrograms, KeepTheirMeaning) {
  for (int k = 0; k < 25; ++k) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * 1000 + k);
    const unsigned registers = 12 + static_cast<unsigned>(seed % 5) * 8;
    const auto code = random_program(seed, {.instructions = 40 + static_cast<unsigned>(seed % 7) * 30,
                                            .registers = registers,
                                            .branches = seed % 3 != 0});
    const Analysis a = analyse(code);
    ASSERT_TRUE(is_valid(a, original_assignment(a), registers)) << seed;
    ASSERT_TRUE(faults(code, code, registers).empty()) << seed << faults(code, code, registers)[0].what;
    for (const Change change : {Change::banks, Change::reuse, Change::both}) {
      RecolourOptions o = options(seed % 2 == 0 ? one_cycle() : two_cycles(), change, registers);
      o.search.evaluations = 4000;
      o.search.seed = seed;
      const Recoloured r = recolour(a, o);
      ASSERT_TRUE(is_valid(a, r.assignment, registers)) << seed;
      ASSERT_LE(r.after.lost_cycles, r.before.lost_cycles) << seed;
      const auto found = faults(code, r.code, registers);
      ASSERT_TRUE(found.empty()) << seed << ": " << found[0].address << ' ' << found[0].what;
      ASSERT_EQ(symbolic_trace(code, seed), symbolic_trace(r.code, seed)) << seed;
    }
  }
}

// An assignment built from nothing is as sound as an improved one.
TEST_P(RandomPrograms, CanBeColouredAfresh) {
  unsigned coloured = 0;
  for (int k = 0; k < 25; ++k) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * 1000 + k);
    const auto code = random_program(seed, {.instructions = 80, .registers = 24});
    const Analysis a = analyse(code);
    const ReuseFlags none(code.size(), 0);
    const ConflictCost cost(a, one_cycle(), ReuseView::as_compiled, weights_by_loop_depth(a.flow));
    const auto assignment = colour(a, cost, 64, seed);
    if (!assignment) continue;
    ++coloured;
    std::vector<sass::Instruction> changed = with_assignment(a, *assignment);
    set_reuse(changed, a.flow, none);
    const auto found = faults(code, changed, 64);
    ASSERT_TRUE(found.empty()) << seed << ": " << found[0].address << ' ' << found[0].what;
    ASSERT_EQ(symbolic_trace(code, seed), symbolic_trace(changed, seed)) << seed;
  }
  EXPECT_GE(coloured, 20U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, ::testing::Range(1, 7));

TEST(Speed, TenThousandInstructionsAndAllRegistersTakeLessThanTenSeconds) {
  const auto code = random_program(42, {.instructions = 10'000, .registers = 252});
  const std::clock_t start = std::clock();  // of this process, whatever else the machine does
  const Analysis a = analyse(code);
  const Recoloured r = recolour(a, options(one_cycle(), Change::both, 255));
  const auto found = faults(code, r.code, 255);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_TRUE(found.empty());
  EXPECT_LT(r.after.lost_cycles, r.before.lost_cycles);
  EXPECT_LT(seconds, 10.0);
}

}  // namespace
}  // namespace warpgauge::registers
