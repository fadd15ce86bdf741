// WARPSYNC of lanes with masks of their own: how often a warp executes it and what is behind it, as an H200
// and an H100 count it.
#include <gtest/gtest.h>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

// Instructions that a warp executes which comes to `synchronization` with the mask of its lane's group of
// `size` in R4.
std::uint64_t executed(const std::string& synchronization, unsigned size) {
  const std::string text =
      "S2R R0, SR_LANEID ;\n"
      "LOP3.LUT R1, R0, " +
      std::to_string(32 - size) +
      ", RZ, 0xc0, !PT ;\n"
      "MOV R4, " +
      std::to_string(size == 32 ? 0xffffffffU : (1U << size) - 1) +
      " ;\n"
      "SHF.L.U32 R4, R4, R1, RZ ;\n"
      "BSSY B0, `(.L_join) ;\n" +
      synchronization +
      " ;\n"
      "VOTE.ANY R5, PT, PT ;\n"
      "BSYNC B0 ;\n"
      ".L_join:\n"
      "EXIT ;\n";
  Device device;
  const auto module = assembled(device, text);
  Emulator emulator(make_launch(module, "k", {1}, {32}));
  return drive(emulator);
}

// Four ballots by groups of two lanes execute 60 instructions a warp more than with one WARPSYNC each, by
// groups of sixteen four.
TEST(GroupSync, AnExclusiveOneIsExecutedOnceForEachMaskAndSoIsWhatStandsBehindIt) {
  constexpr unsigned around = 6;    // once
  constexpr unsigned repeated = 3;  // WARPSYNC, VOTE and BSYNC
  for (const unsigned size : {32U, 16U, 8U, 2U, 1U})
    EXPECT_EQ(executed("WARPSYNC.EXCLUSIVE R4", size), around + repeated * (32 / size)) << size;
}

TEST(GroupSync, APlainOneKeepsTheWarpTogether) {
  for (const unsigned size : {32U, 16U, 2U}) EXPECT_EQ(executed("WARPSYNC R4", size), 9U) << size;
}

}  // namespace
}  // namespace warpgauge::emulator::testing
