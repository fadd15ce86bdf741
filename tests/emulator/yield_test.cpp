// YIELD in a loop that waits for lanes of its own warp: who waits at the loop's BSYNC goes on, as on an H200
// (by_hand_h200.json, "locks_of_lanes" and "flags_of_lanes").
#include <gtest/gtest.h>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

// Instructions that so many lanes execute in `text`, which counts in the word at its argument.
std::uint64_t executed(const std::string& text, unsigned count, std::uint32_t& word) {
  Device device;
  const auto module = assembled(device, text, {8});
  const DeviceAddress out = device.upload(std::vector<std::uint32_t>(2));
  Launch launch = make_launch(module, "k", {1}, {count}, out);
  launch.patience = 1024;
  Emulator emulator(launch);
  const std::uint64_t instructions = drive(emulator);
  word = device.download<std::uint32_t>(out + 4, 1)[0];
  return instructions;
}

// Each lane asks once for each that has had the lock before.
TEST(Yield, LanesThatHaveALockGoOnThoughOthersAskForIt) {
  const std::string text =
      "LDC.64 R2, c[0x0][0x210] ;\n"
      "ULDC.64 UR6, c[0x0][0x208] ;\n"
      "MOV R4, RZ ;\n"
      "MOV R5, 0x1 ;\n"
      "BSSY B0, `(.L_join) ;\n"
      ".L_loop:\n"
      "YIELD ;\n"
      "ATOMG.E.CAS.STRONG.GPU PT, R6, [R2], R4, R5 ;\n"
      "ISETP.NE.AND P0, PT, R6, RZ, PT ;\n"
      "@P0 BRA `(.L_loop) ;\n"
      "BSYNC B0 ;\n"
      ".L_join:\n"
      "LDG.E R7, desc[UR6][R2.64+0x4] ;\n"
      "IADD3 R7, R7, 0x1, RZ ;\n"
      "STG.E desc[UR6][R2.64+0x4], R7 ;\n"
      "ATOMG.E.EXCH.STRONG.GPU PT, RZ, desc[UR6][R2.64], RZ ;\n"
      "EXIT ;\n";
  constexpr unsigned around = 5, each = 10;
  for (const unsigned count : {1U, 2U, 3U, 8U, 32U}) {
    std::uint32_t had = 0;
    // The first to have it executes the BSYNC once more when it is let go.
    const unsigned again = count > 1 ? 1 : 0;
    EXPECT_EQ(executed(text, count, had), around + each * count + again) << count;
    EXPECT_EQ(had, count);
  }
}

// Who spins looks once before those go on for whom it waits, which have executed no YIELD.
TEST(Yield, LanesThatWaitGoOnAtTheFirst) {
  const std::string text =
      "LDC.64 R2, c[0x0][0x210] ;\n"
      "ULDC.64 UR6, c[0x0][0x208] ;\n"
      "S2R R0, SR_LANEID ;\n"
      "MOV R5, 0x1 ;\n"
      "MOV R7, RZ ;\n"
      "ISETP.LT.U32.AND P1, PT, R0, 0x8, PT ;\n"
      "BSSY B0, `(.L_join) ;\n"
      "@P1 BRA `(.L_side) ;\n"
      ".L_loop:\n"
      "LDG.E.STRONG.SYS R6, desc[UR6][R2.64] ;\n"
      "IADD3 R7, R7, 0x1, RZ ;\n"
      "YIELD ;\n"
      "ISETP.EQ.AND P0, PT, R6, RZ, PT ;\n"
      "@P0 BRA `(.L_loop) ;\n"
      ".L_side:\n"
      "BSYNC B0 ;\n"
      ".L_join:\n"
      "STG.E.STRONG.SYS desc[UR6][R2.64], R5 ;\n"
      "STG.E desc[UR6][R2.64+0x4], R7 ;\n"
      "EXIT ;\n";
  std::uint32_t turns = 0;
  executed(text, 32, turns);
  EXPECT_EQ(turns, 2U) << "one before, one that finds it";
}

}  // namespace
}  // namespace warpgauge::emulator::testing
