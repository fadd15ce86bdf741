#include "model/registers/webs.h"

#include <gtest/gtest.h>

#include "tests/model/registers/kit.h"

namespace warpgauge::registers {
namespace {

using namespace kit;

// The web that the instruction's n-th access names.
const Web& web(const Analysis& a, std::uint32_t instruction, std::size_t access) {
  return a.webs.webs[a.web_of(instruction, access)];
}

TEST(Liveness, AGuardedWriteKeepsTheOldValueAlive) {
  const auto code = assemble({mov(0, 1), mov(0, 2).guard(0), stg(2, 0), exit()});
  const Analysis a = analyse(code);
  const auto after = live_after_each(a.code, a.flow, a.accesses, a.live);
  EXPECT_TRUE(after[0].test(0));
}

TEST(Liveness, AnUnguardedWriteEndsTheOldValue) {
  const auto code = assemble({mov(0, 1), mov(0, 2), stg(2, 0), exit()});
  const Analysis a = analyse(code);
  const auto after = live_after_each(a.code, a.flow, a.accesses, a.live);
  EXPECT_FALSE(after[0].test(0));
  EXPECT_TRUE(after[1].test(0));
}

TEST(Liveness, TheZeroRegisterIsNeverLive) {
  const auto code = assemble({ffma(0, rz, rz, rz), stg(rz, 0), exit()});
  const Analysis a = analyse(code);
  EXPECT_TRUE(a.live.live_in[0].empty());
}

TEST(Webs, TwoLivesOfOneRegisterAreTwoWebs) {
  const auto code = assemble({mov(0, 1), stg(2, 0), mov(0, 2), stg(2, 0), exit()});
  const Analysis a = analyse(code);
  EXPECT_NE(a.web_of(0, 0), a.web_of(2, 0));
}

TEST(Webs, WritesOnTwoWaysToOneReadAreOneWeb) {
  const auto code = assemble({bra(3).guard(0), mov(0, 1), bra(4), mov(0, 2), stg(2, 0), exit()});
  const Analysis a = analyse(code);
  EXPECT_EQ(a.web_of(1, 0), a.web_of(3, 0));
}

TEST(Webs, AGuardedWriteJoinsWhatItMayLeave) {
  const auto code = assemble({mov(0, 1), mov(0, 2).guard(0), stg(2, 0), exit()});
  const Analysis a = analyse(code);
  EXPECT_EQ(a.web_of(0, 0), a.web_of(1, 0));
}

TEST(Webs, PairsAndQuadsMoveAsAlignedGroups) {
  const auto code = assemble({lds(8, 0, 4), stg(2, 8, 2), stg(2, 10, 2), exit()});
  const Analysis a = analyse(code);
  const Group& quad = a.webs.groups[web(a, 0, 0).group];
  EXPECT_EQ(quad.webs.size(), 4U);
  EXPECT_EQ(quad.alignment, 4U);
  EXPECT_EQ(web(a, 2, 2).group, web(a, 0, 0).group);
}

TEST(Webs, WhatIsReadButNeverWrittenIsPinned) {
  const auto code = assemble({stg(2, 5), exit()});
  const Analysis a = analyse(code);
  EXPECT_TRUE(web(a, 0, 0).pinned);
}

TEST(Webs, TheStackPointerIsPinned) {
  const auto code = assemble({mov_stack_pointer(), stg(2, 1), exit()});
  EXPECT_TRUE(web(analyse(code), 0, 0).pinned);
}

TEST(Webs, WhatCrossesAnOpaqueCallIsPinnedAndWhatDoesNotIsFree) {
  const auto code = assemble({mov(5, 1), call_register(2), fadd(6, 5, 5), stg(2, 6), exit()});
  const Analysis a = analyse(code);
  EXPECT_TRUE(web(a, 0, 0).pinned);
  EXPECT_FALSE(web(a, 2, 0).pinned);
}

TEST(Interference, LiveTogetherMeansApartAndOneAfterTheOtherDoesNot) {
  const auto code =
      assemble({mov(0, 1), mov(1, 2), fadd(3, 0, 1), stg(rz, 3), mov(4, 1), stg(rz, 4), exit()});
  const Analysis a = analyse(code);
  EXPECT_TRUE(a.graph.interfere(a.web_of(0, 0), a.web_of(1, 0)));
  EXPECT_FALSE(a.graph.interfere(a.web_of(2, 0), a.web_of(0, 0)));
}

TEST(Interference, AnUnusedResultStillTakesARegister) {
  const auto code = assemble({mov(0, 1), mov(7, 2), stg(rz, 0), exit()});
  const Analysis a = analyse(code);
  EXPECT_TRUE(a.graph.interfere(a.web_of(0, 0), a.web_of(1, 0)));
}

TEST(Interference, AStoreWithoutACounterHoldsItsSourcesToTheEnd) {
  const auto code = assemble({mov(0, 1), stg(rz, 0), mov(1, 2), stg(rz, 1), exit()});
  const Analysis a = analyse(code);
  EXPECT_TRUE(a.graph.interfere(a.web_of(0, 0), a.web_of(2, 0)));
}

TEST(Interference, WaitingForTheCounterFreesThem) {
  const auto code = assemble({mov(0, 1), stg(rz, 0).frees(3), mov(1, 2).waits(3), stg(rz, 1), exit()});
  const Analysis a = analyse(code);
  EXPECT_FALSE(a.graph.interfere(a.web_of(0, 0), a.web_of(2, 0)));
}

TEST(Interference, WaitingForTheResultFreesTheSourcesOfALoad) {
  const auto code = assemble({mov(0, 1), lds(4, 0).sets(2), fadd(5, 4, 4).waits(2), mov(1, 2),
                              stg(rz, 5).frees(0), stg(rz, 1), exit()});
  const Analysis a = analyse(code);
  EXPECT_FALSE(a.graph.interfere(a.web_of(0, 0), a.web_of(3, 0)));
}

TEST(Interference, AnUnreadLoadHoldsItsTargetUntilItArrives) {
  const auto code = assemble({lds(4, rz).sets(2), mov(1, 2), stg(rz, 1), exit()});
  const Analysis a = analyse(code);
  EXPECT_TRUE(a.graph.interfere(a.web_of(0, 0), a.web_of(1, 0)));
}

TEST(Interference, ThePressureIsTheMostThatLiveAtOnce) {
  const auto code = assemble({mov(10, 1), mov(20, 2), mov(30, 3), ffma(40, 10, 20, 30), stg(rz, 40), exit()});
  const Analysis a = analyse(code);
  EXPECT_EQ(register_pressure(a.code, a.flow, a.accesses, a.live), 3U);
}

}  // namespace
}  // namespace warpgauge::registers
