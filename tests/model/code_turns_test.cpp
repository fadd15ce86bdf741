// Turns of a cluster's code.
#include <gtest/gtest.h>

#include "model/gpu/code_turns.h"

namespace warpgauge::model {
namespace {

using Lines = std::vector<std::uint64_t>;

// SMs 0 to 3 are two TPCs of one cluster, 4 and 5 one of another; a line takes two cycles.
CodeTurns turns(unsigned together) {
  FrontEndSpec spec;
  spec.gpc_interval = 2;
  spec.l0_sms = together;
  spec.l0_lines = 4;
  spec.l0_ways = 4;
  return {spec, {0, 0, 0, 0, 1, 1}};
}

TEST(CodeTurns, WhatBothSmsOfATpcAskForIsGivenOutOnce) {
  CodeTurns code = turns(2);
  code.ask(0, Lines{7, 8, 9});
  EXPECT_EQ(code.queue(0), 6U);
  code.ask(1, Lines{8, 9});
  EXPECT_EQ(code.queue(0), 6U);
  code.ask(1, Lines{10});
  EXPECT_EQ(code.queue(1), 8U);
}

TEST(CodeTurns, EachTpcOfAClusterTakesItsOwnAndOtherClustersDoNotMind) {
  CodeTurns code = turns(2);
  code.ask(0, Lines{7});
  code.ask(2, Lines{7});
  EXPECT_EQ(code.queue(3), 4U);
  EXPECT_EQ(code.queue(4), 0U);
}

TEST(CodeTurns, AnSmWithAFirstLevelOfItsOwnTakesWhatItAsksFor) {
  CodeTurns code = turns(1);
  code.ask(0, Lines{7});
  code.ask(1, Lines{7});
  EXPECT_EQ(code.queue(0), 4U);
}

TEST(CodeTurns, WhatTheFirstLevelHasLostIsGivenOutAgain) {
  CodeTurns code = turns(2);
  code.ask(0, Lines{1, 2, 3, 4, 5});
  code.ask(1, Lines{1});
  EXPECT_EQ(code.queue(0), 12U);
}

TEST(CodeTurns, TimePasses) {
  CodeTurns code = turns(2);
  code.ask(0, Lines{1, 2, 3});
  code.pass(4);
  EXPECT_EQ(code.queue(0), 2U);
  code.pass(100);
  EXPECT_EQ(code.queue(0), 0U);
}

}  // namespace
}  // namespace warpgauge::model
