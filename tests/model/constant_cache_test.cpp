// Constant caches: what hits cost, what misses cost one after the other, and who waits for whom.
#include "model/sm/constant_cache.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/model/model_fixture.h"

namespace warpgauge::model::test {
namespace {

ConstantSpec small() {
  ConstantSpec spec;
  spec.l0_line_bytes = 64;
  spec.l0_lines = 8;
  spec.l0_ways = 2;
  spec.l0_miss_delay = 57;
  spec.l1_line_bytes = 64;
  spec.l1_lines = 32;
  spec.l1_ways = 4;
  spec.l1_latency = 28;
  spec.l1_miss_interval = 9;
  spec.l15_line_bytes = 256;
  spec.l15_lines = 256;
  spec.l15_ways = 4;
  spec.l15_latency = 94;
  spec.l2_latency = 262;
  return spec;
}

// Of an LDC from the L2, what its request does not spend beyond the SM.
constexpr Cycle beyond = 40;

// Caches whose second level has the first 16 KiB of a bank.
ConstantCaches warm() {
  ConstantCaches caches(small(), beyond);
  for (std::uint64_t line = 0; line < 64; ++line) caches.arrived(line, 0);
  return caches;
}

TEST(ConstantCaches, AHitTakesTheLatencyOfTheL1) {
  ConstantCaches caches = warm();
  EXPECT_EQ(caches.load(0, 100).latency, 94U);
  EXPECT_EQ(caches.load(60, 200).latency, 28U);
  EXPECT_EQ(caches.requests, 2U);
  EXPECT_EQ(caches.hits, 1U);
}

TEST(ConstantCaches, MissesFollowEachOtherAtTheIntervalOfTheWayBehind) {
  ConstantCaches caches = warm();
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(caches.load(64 * i, 100).latency, 94U + 9 * i);
}

TEST(ConstantCaches, WhoAsksForALineThatIsComingWaitsForItAndTakesNoTurn) {
  ConstantCaches caches = warm();
  EXPECT_EQ(caches.load(0, 100).latency, 94U);
  EXPECT_EQ(caches.load(4, 110).latency, 84U);
  EXPECT_EQ(caches.hits, 0U);
  EXPECT_EQ(caches.load(64, 111).latency, 94U);
}

TEST(ConstantCaches, LinesThatCrowdASetPushTheOldestOut) {
  ConstantCaches caches = warm();
  // Eight sets of four ways: lines 512 bytes apart fall into one.
  for (unsigned pass = 0; pass < 3; ++pass) {
    for (std::uint64_t i = 0; i < 4; ++i) caches.load(512 * i, 1000 * (pass + 1) + 100 * i);
  }
  EXPECT_EQ(caches.hits, 8U);
  for (std::uint64_t i = 0; i < 5; ++i) caches.load(512 * i, 5000 + 100 * i);
  EXPECT_EQ(caches.hits, 12U);
  EXPECT_EQ(caches.load(0, 6000).latency, 94U);
}

TEST(ConstantCaches, WhatTheSecondLevelLacksIsSaidAndThereOnceItHasArrived) {
  ConstantCaches caches(small(), beyond);
  constexpr std::uint64_t other_bank = 3 << 18;
  EXPECT_TRUE(caches.load(other_bank, 100).missing);
  EXPECT_TRUE(caches.load(other_bank + 4, 110).missing);
  caches.arrived(caches.line_of(other_bank), 400);
  const ConstantCaches::Lookup after = caches.load(other_bank + 8, 401);
  EXPECT_FALSE(after.missing);
  EXPECT_EQ(after.latency, 28U);
}

TEST(ConstantCaches, WhatALaunchWritesIsInTheSecondLevel) {
  ConstantCaches caches(small(), beyond);
  for (std::uint64_t byte = 0; byte < launch_constant_bytes; byte += 64) {
    const ConstantCaches::Lookup lookup = caches.load(byte, 1000 * (byte + 1));
    EXPECT_FALSE(lookup.missing) << byte;
    EXPECT_EQ(lookup.latency, 94U) << byte;
  }
  EXPECT_TRUE(caches.load(launch_constant_bytes, 1).missing);
}

// H200: a switch's table is 65 cycles further than a hit however cold the caches are, what the program declares 250 to 1,100.
TEST(ConstantCaches, TheCompilersOwnConstantsAreInTheSecondLevelAndTheProgramsAreNot) {
  ConstantCaches caches(small(), beyond);
  for (std::uint64_t byte = 0; byte < launch_constant_bytes; byte += 64) {
    EXPECT_FALSE(caches.load(2 * constant_bank_bytes + byte, 1000 * (byte + 1)).missing) << byte;
    EXPECT_TRUE(caches.load(3 * constant_bank_bytes + byte, 1000 * (byte + 1)).missing) << byte;
  }
  const Cycle later = 1000 * (launch_constant_bytes + 1);
  EXPECT_EQ(caches.operand(0, 2 * constant_bank_bytes / 64, later), later + 57);
  EXPECT_EQ(caches.operand(0, 3 * constant_bank_bytes / 64, later), never);
}

TEST(ConstantCaches, OperandsFindWhatALaunchWritesInTheSecondLevel) {
  ConstantCaches caches(small(), beyond);
  EXPECT_EQ(caches.operand(0, 0x210 / 64, 100), 157U);
  EXPECT_EQ(caches.operand(0, 0, 1000), 1057U);
  EXPECT_EQ(caches.operand(1, 0, 2000), 2057U) << "each processing block has its own";
}

TEST(ConstantCaches, AnOperandThatTheSecondLevelLacksWaitsUntilItsLineHasCome) {
  ConstantCaches caches(small(), beyond);
  constexpr std::uint64_t line = (3 << 18) / 64;
  EXPECT_EQ(caches.operand(0, line, 100), never);
  EXPECT_EQ(caches.operand(1, line, 120), never) << "though another processing block has asked";
  caches.wait(5, caches.behind(line));
  caches.wait(6, caches.behind(line));
  caches.arrived(caches.behind(line), 500);
  ASSERT_EQ(caches.woken().size(), 2U);
  for (const ConstantCaches::Woken& woken : caches.woken()) EXPECT_EQ(woken.at, 500 + beyond + 57 - 94);
  EXPECT_EQ(caches.operand(0, line, 600), 600U);
  EXPECT_EQ(caches.operand(1, line, 600), 600U);
  EXPECT_EQ(caches.operand_misses, 2U);
}

TEST(ConstantCaches, SmsOfAClusterTakeTurnsAtLinesOfOperands) {
  ConstantSpec spec = small();
  spec.gpc_interval = 2;
  ConstantCaches caches(spec, beyond);
  caches.share(16);
  // A line every 32 cycles; the first comes at the end of a round of all sixteen.
  for (unsigned block = 0; block < 4; ++block) EXPECT_EQ(caches.operand(block, 0, 100), 100 + 30 + 32 * block + 57);
  caches.share(1);
  EXPECT_EQ(caches.operand(0, 1, 1000), 1057U);
}

// All SMs of an H200, 16.5 of a cluster: 30 to 33 cycles a load that misses, where one SM alone takes 9 to 12.
TEST(ConstantCaches, SmsOfAClusterTakeTurnsAtLoadsThatMiss) {
  ConstantSpec spec = small();
  spec.gpc_interval = 2;
  ConstantCaches caches(spec, beyond);
  for (std::uint64_t line = 0; line < 64; ++line) caches.arrived(line, 0);
  caches.share(16);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(caches.load(64 * i, 100).latency, 94U + 32 * i);
  EXPECT_EQ(caches.load(0, 1000).latency, 28U) << "a hit asks nobody";
  caches.share(1);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(caches.load(4096 + 64 * i, 2000).latency, 94U + 9 * i);
}

// An SM whose loads of constants wait for four lines at a time.
ConstantSpec four_lines() {
  ConstantSpec spec = small();
  spec.l1_miss_interval = 0;
  spec.lines_in_flight = 4;
  spec.line_hold = 51;
  spec.line_retry = 38;
  return spec;
}

// An H100: of eight warps with a line each four have it after 104 to 113 cycles and four 76 to 80 cycles later.
TEST(ConstantCaches, AFifthLineFindsNoPlaceUntilOneOfFourHasLeftIt) {
  ConstantCaches caches(four_lines(), beyond);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_FALSE(caches.load(64 * i, 100 + i).refused) << i;
  const ConstantCaches::Lookup fifth = caches.load(256, 104);
  EXPECT_TRUE(fifth.refused);
  EXPECT_EQ(fifth.latency, 38U);
  EXPECT_TRUE(caches.load(256, 142, true).refused);
  const ConstantCaches::Lookup again = caches.load(256, 180, true);
  EXPECT_FALSE(again.refused);
  EXPECT_EQ(again.latency, 94U);
  EXPECT_EQ(caches.requests, 5U) << "it is one access, however often it asks";
  EXPECT_EQ(caches.hits, 0U);
}

TEST(ConstantCaches, WhoAsksForALineThatIsHereOrComesNeedsNoPlace) {
  ConstantCaches caches(four_lines(), beyond);
  caches.load(1024, 10);
  for (std::uint64_t i = 0; i < 4; ++i) caches.load(64 * i, 100);
  EXPECT_EQ(caches.load(1024, 101).latency, 28U);
  const ConstantCaches::Lookup comes = caches.load(68, 110);
  EXPECT_FALSE(comes.refused);
  EXPECT_TRUE(comes.waits);
  EXPECT_EQ(comes.latency, 84U);
}

// Six lines of the L2: four are there after 310 to 335 cycles, two after 605.
TEST(ConstantCaches, ALineFromTheL2KeepsItsPlaceUntilItHasCome) {
  ConstantCaches caches(four_lines(), beyond);
  constexpr std::uint64_t other_bank = 3 << 18;
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_TRUE(caches.load(other_bank + 256 * i, 100).missing);
  EXPECT_TRUE(caches.load(0, 350).refused) << "of the second level, too";
  EXPECT_TRUE(caches.load(other_bank + 4, 360).missing) << "a line that comes";
  caches.arrived(caches.line_of(other_bank), 400);
  EXPECT_FALSE(caches.load(0, 400, true).refused);
  EXPECT_TRUE(caches.load(64, 401).refused);
}

// All SMs of a cluster: who has taken less than its share has four lines at once, but when a launch begins all take turns.
TEST(ConstantCaches, AnSmsTurnsAtTheClustersLinesAreFeltFromTheFifthOnOnceItIsBehind) {
  ConstantSpec spec = four_lines();
  spec.gpc_interval = 2;
  spec.line_hold = 0;
  ConstantCaches caches(spec, beyond);
  caches.share(16);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(caches.load(64 * i, 1000).latency, 94U + 32 * i) << i;
  for (std::uint64_t i = 0; i < 8; ++i)
    EXPECT_EQ(caches.load(64 * (4 + i), 2000).latency, 94U + (i < 4 ? 0 : 32 * (i - 3))) << i;
}

TEST(ConstantCaches, OperandsOfWarpsOfABlockWaitForOneLineTogether) {
  ConstantCaches caches = warm();
  EXPECT_EQ(caches.operand(0, 13, 100), 157U);
  EXPECT_EQ(caches.operand(0, 13, 120), 157U);
  EXPECT_EQ(caches.operand(0, 13, 300), 300U);
  EXPECT_EQ(caches.operand(1, 13, 300), 357U) << "each processing block has its own";
}

// An LDC from the L2 takes the calibrated latency, near partition, once another SM or launch has brought it
// there.
TEST(ConstantCaches, AnLdcFromBeyondTheSmWaitsForTheL2) {
  const MachineSpec spec = one_sm();
  const auto time = [&](std::uint64_t first, std::uint64_t second) {
    const auto at = [&](const Where& w) { return w.iteration == 0 ? first : second; };
    return second_turn(spec, {load(sass::Opcode::LDC, 8, 4, 4, at).stall(2).writes(0),
                              op(sass::Opcode::NOP).waits(1)})[0][1];
  };
  const unsigned hit = spec.sm.constant.l1_latency;
  EXPECT_EQ(time(0, 4), hit);
  EXPECT_EQ(time(0, 64), hit + spec.sm.constant.l15_latency - spec.sm.constant.l1_latency);
  EXPECT_GE(time(0, 2 * launch_constant_bytes), spec.sm.constant.l2_latency);
}

// ULDC UR4, c[bank][uniform_register], which is `at`; or c[bank][0] where there is no register.
FakeOp uniform_load(unsigned bank, std::uint16_t uniform_register, AddressOf at) {
  FakeOp made = op(sass::Opcode::ULDC).stall(2);
  sass::Operand& operand = made.instruction.operand_storage[made.instruction.operand_count++];
  operand.kind = sass::OperandKind::constant;
  operand.access = sass::Access::read;
  operand.bank = static_cast<std::uint8_t>(bank);
  operand.uniform_index = uniform_register;
  made.space = traces::MemorySpace::constant;
  made.access = traces::MemoryAccess::load;
  made.address = std::move(at);
  return made;
}

// So many turns of a loop around one: how many cycles of missing constants its own account has, and that of the instruction
// behind it.
std::pair<std::uint64_t, std::uint64_t> missing_constants(const FakeOp& uldc, std::uint64_t turns) {
  FakeStream stream({uldc, op(sass::Opcode::NOP), branch_to(0, turns - 1).stall(5), exit_op()});
  RunOptions options;
  options.per_instruction = true;
  const KernelReport report = Machine(one_sm()).run(stream, options);
  const auto booked = [&](std::size_t i) { return report.instructions.at(i).stalls[static_cast<std::size_t>(Stall::imc_miss)]; };
  return {booked(0), booked(1)};
}

TEST(ConstantCaches, AUniformLoadMissesByThePlaceThatItsRegisterSaysAndTheNextInstructionWaits) {
  const ConstantSpec spec = one_sm().sm.constant;
  ASSERT_EQ(spec.l0_lines * spec.l0_line_bytes, 2048U);
  const std::uint64_t delay = spec.l0_miss_delay;
  const auto walk = [](std::uint64_t bytes) {
    return [bytes](const Where& w) { return w.iteration * 64 % bytes; };
  };
  using Booked = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(missing_constants(uniform_load(0, 6, walk(4096)), 256), Booked(0, 256 * delay));
  EXPECT_EQ(missing_constants(uniform_load(0, 6, walk(2048)), 256), Booked(0, 32 * delay)) << "it fits";
  EXPECT_EQ(missing_constants(uniform_load(0, 6, walk(64)), 256), Booked(0, delay)) << "the register stays";
  EXPECT_EQ(missing_constants(uniform_load(0, sass::Operand::no_base, walk(64)), 256), Booked(delay, 0))
      << "without a register the place is known before it issues";
  const Booked beyond_the_sm = missing_constants(uniform_load(3, 6, walk(64)), 256);
  EXPECT_EQ(beyond_the_sm.first, 0U);
  EXPECT_GT(beyond_the_sm.second, 200U) << "of its own bank";
}

// Five lines of a set of four, a and c on one side of the tree, b and d on the other: after a, b, c, d, b and a it has d make way, not c,
// which was used longest ago.
TEST(ConstantCaches, ATreeOfTurnsSaysWhichLineOfTheL1MakesWay) {
  ConstantSpec spec;
  spec.l1_line_bytes = 64;
  spec.l1_lines = 32;
  spec.l1_ways = 4;
  const auto hit_after = [&](bool by_turns, std::uint64_t asked) {
    spec.l1_by_turns = by_turns;
    ConstantCaches caches(spec, 0);
    Cycle now = 0;
    const auto load = [&](std::uint64_t n) {
      const std::uint64_t hits = caches.hits;
      (void)caches.load(n * 8 * 64, now += 10000);
      return caches.hits != hits;
    };
    for (const std::uint64_t n : {0, 1, 2, 3, 1, 0, 4}) (void)load(n);
    return load(asked);
  };
  const auto left = [&](bool by_turns) {
    return std::vector<bool>{hit_after(by_turns, 0), hit_after(by_turns, 1), hit_after(by_turns, 2), hit_after(by_turns, 3)};
  };
  EXPECT_EQ(left(false), (std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(left(true), (std::vector<bool>{true, true, true, false}));
}

// On an H200 two LDC of each of 1, 4, 8 and 32 warps whose line takes 100 cycles are there after 100, 118, 136 and 204 to 265
// (docs/h200.md).
TEST(ConstantCaches, LdcsBehindALineThatComesTakeTwoCyclesEachOnceItIsHere) {
  const auto time = [](unsigned count) {
    const auto at = [](const Where& w) { return 64ULL * w.iteration; };
    std::vector<FakeOp> body;
    for (unsigned i = 0; i < count; ++i) body.push_back(load(sass::Opcode::LDC, 8, 4, 4, at).stall(1).writes(0));
    body.push_back(op(sass::Opcode::NOP).stall(2));
    body.push_back(op(sass::Opcode::NOP).waits(1));
    const auto turn = second_turn(one_sm(), body)[0];
    return turn[count + 1] - turn[0];
  };
  for (const unsigned count : {2U, 4U, 6U}) EXPECT_EQ(time(count) - time(1), 2 * (count - 1)) << count;
}

}  // namespace
}  // namespace warpgauge::model::test
