#include "model/registers/control_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/registers/kit.h"

namespace warpgauge::registers {
namespace {

using namespace kit;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::string refusal(const std::vector<sass::Instruction>& code, std::span<const BranchTargets> targets = {}) {
  try {
    control_flow(code, 0, targets);
  } catch (const Refusal& r) {
    return r.what();
  }
  return "";
}

TEST(ControlFlow, StraightCodeIsOneBlock) {
  const auto code = assemble({mov(0, 1), mov(1, 2), exit()});
  const ControlFlow flow = control_flow(code);
  ASSERT_EQ(flow.blocks.size(), 1U);
  EXPECT_EQ(flow.blocks[0].end, 3U);
  EXPECT_TRUE(flow.blocks[0].successors.empty());
}

TEST(ControlFlow, AGuardedBranchHasTwoSuccessorsAndAnUnguardedOneHasOne) {
  const auto code = assemble({mov(0, 1), bra(3).guard(0), mov(1, 1), bra(0), exit()});
  const ControlFlow flow = control_flow(code);
  ASSERT_EQ(flow.blocks.size(), 3U);
  EXPECT_THAT(flow.blocks[0].successors, ElementsAre(1, 2));
  EXPECT_THAT(flow.blocks[2].successors, ElementsAre(0));
  EXPECT_EQ(flow.block_of[4], no_block) << "nothing leads to the last instruction";
}

TEST(ControlFlow, LoopsNestAndWeighTenTimesEach) {
  const auto code = assemble({mov(0, 1), mov(1, 1), mov(2, 1), bra(2).guard(0), bra(1).guard(1), exit()});
  const auto weights = weights_by_loop_depth(control_flow(code));
  EXPECT_THAT(weights, ElementsAre(1, 10, 100, 100, 10, 1));
}

TEST(ControlFlow, TheBranchToItselfBehindTheEndIsNotALoop) {
  const auto code = assemble({bra(2).guard(0), exit(), bra(2)});
  const ControlFlow flow = control_flow(code);
  for (const Block& b : flow.blocks) EXPECT_EQ(b.loop_depth, 0U);
}

TEST(ControlFlow, AnUnknownInstructionIsRefusedWithItsAddress) {
  const auto code = assemble({mov(0, 1), unknown(), exit()});
  EXPECT_THAT(refusal(code), HasSubstr("0x0010: an instruction that is not known"));
}

TEST(ControlFlow, AnUnknownInstructionThatNothingReachesIsNoMatter) {
  const auto code = assemble({mov(0, 1), exit(), unknown()});
  EXPECT_EQ(refusal(code), "");
}

TEST(ControlFlow, AnIndirectBranchNeedsItsTargets) {
  const auto code = assemble({brx(2), mov(0, 1), exit(), exit()});
  EXPECT_EQ(refusal(code), "0x0000: the targets of this BRX are not listed");
  const std::vector<BranchTargets> targets{{0, {1, 3}}};
  const ControlFlow flow = control_flow(code, 0, targets);
  EXPECT_EQ(flow.blocks[0].successors.size(), 2U);
}

TEST(ControlFlow, CodeThatRunsOffTheSectionIsRefused) {
  EXPECT_EQ(refusal(assemble({mov(0, 1), mov(1, 1)})), "0x0010: the code runs past the end of its section");
  EXPECT_THAT(refusal(assemble({bra(7)})), HasSubstr("lies outside the code section"));
}

TEST(ControlFlow, ACallWhoseReturnAddressIsMovedInBecomesEdges) {
  // 0: return address 2; 1: call 4; 2: exit; 4: function
  const auto code = assemble({mov(20, 2 * 16), call(4), mov(0, 1), exit(), fadd(1, 2, 3), ret(20)});
  const ControlFlow flow = control_flow(code);
  EXPECT_FALSE(flow.has_opaque_calls());
  const Block& caller = flow.blocks[flow.block_of[1]];
  EXPECT_THAT(caller.successors, ElementsAre(flow.block_of[4]));
  const Block& callee = flow.blocks[flow.block_of[5]];
  EXPECT_THAT(callee.successors, ElementsAre(flow.block_of[2]));
}

TEST(ControlFlow, AFunctionWithTwoCallersReturnsToBoth) {
  const auto code = assemble({mov(20, 2 * 16), call(7), mov(0, 1), mov(20, 5 * 16), call(7), mov(0, 1),
                              exit(), mov_register(22, 20), ret(22)});
  const ControlFlow flow = control_flow(code);
  EXPECT_FALSE(flow.has_opaque_calls());
  EXPECT_THAT(flow.blocks[flow.block_of[8]].successors,
              UnorderedElementsAre(flow.block_of[2], flow.block_of[5]));
}

TEST(ControlFlow, AReturnAddressFromMemoryMakesCallsOpaque) {
  const auto code = assemble({mov(20, 2 * 16), call(4), mov(0, 1), exit(), ldg(20, 2, 1).sets(0), ret(20)});
  const ControlFlow flow = control_flow(code);
  EXPECT_TRUE(flow.has_opaque_calls());
  EXPECT_EQ(flow.boundary[1], Boundary::call);
  EXPECT_EQ(flow.boundary[5], Boundary::return_);
  EXPECT_TRUE(flow.blocks[flow.block_of[4]].opaque_entry);
}

TEST(ControlFlow, ACallThroughARegisterIsOpaque) {
  const auto code = assemble({mov(0, 1), call_register(2), exit()});
  EXPECT_EQ(control_flow(code).boundary[1], Boundary::call);
}

TEST(ControlFlow, BsyncGoesOnBehindItWhereItsBssySaysSo) {
  const auto code =
      assemble({bssy(3), bra(2).guard(0), bsync(), bssy(7), bra(6).guard(0), mov(0, 1), bsync(), exit()});
  const ControlFlow flow = control_flow(code);
  EXPECT_EQ(flow.block_of[7], flow.block_of[6]);
}

TEST(ControlFlow, ABsyncThatStandsElsewhereGoesWhereAnyBssyOfItsBarrierSaid) {
  const auto code = assemble({bssy(5), bra(3).guard(0), mov(0, 1), bsync(), exit(), mov(1, 1), exit()});
  const ControlFlow flow = control_flow(code);
  EXPECT_THAT(flow.blocks[flow.block_of[3]].successors,
              UnorderedElementsAre(flow.block_of[4], flow.block_of[5]));
}

}  // namespace
}  // namespace warpgauge::registers
