// What a warp may be given while it waits at a block's barrier: what reads and writes nothing but its
// registers.
#include <gtest/gtest.h>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

class BarrierAhead : public ::testing::Test {
 protected:
  // A block of two warps with the address of `out` as its argument.
  traces::BlockHandle begin(const std::string& text) {
    const auto module = assembled(device, text, {8});
    out = device.upload(std::vector<std::uint32_t>(2));
    emulator.emplace(make_launch(module, "k", {1}, {64}, out));
    return emulator->begin_block(0, {});
  }
  // So many instructions of a warp; what the last of them did.
  traces::Issued issue(traces::BlockHandle block, unsigned warp, unsigned count, std::uint64_t cycle = 0) {
    traces::Issued issued;
    for (unsigned i = 0; i < count; ++i) emulator->issue(block, warp, cycle, issued);
    return issued;
  }

  Device device;
  DeviceAddress out = 0;
  std::optional<Emulator> emulator;
};

TEST_F(BarrierAhead, AWarpThatWaitsGoesOnWithItsRegistersAndFromThereWhenTheBarrierOpens) {
  const traces::BlockHandle block = begin(
      "LDC.64 R4, c[0x0][0x210] ;\n"
      "ULDC.64 UR6, c[0x0][0x208] ;\n"
      "MOV R1, 0x5 ;\n"
      "BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
      "IADD3 R1, R1, 0x2, RZ ;\n"
      "CS2R.32 R2, SR_CLOCKLO ;\n"
      "STG.E desc[UR6][R4.64], R1 ;\n"
      "STG.E desc[UR6][R4.64+0x4], R2 ;\n"
      "EXIT ;\n");
  const traces::Issued arrival = issue(block, 0, 4);
  EXPECT_TRUE(arrival.blocked);
  EXPECT_TRUE(arrival.goes_ahead);
  const traces::Issued addition = issue(block, 0, 1);
  EXPECT_EQ(addition.active_mask, 0xffffffffU);
  EXPECT_EQ(addition.next, 5U);
  EXPECT_FALSE(addition.blocked);
  EXPECT_EQ(emulator->next(block, 0).status, traces::WarpStatus::at_barrier);
  issue(block, 0, 1, 77);
  EXPECT_EQ(emulator->next(block, 0).status, traces::WarpStatus::at_barrier);
  EXPECT_EQ(issue(block, 1, 4).released_warps, 3U);
  const traces::NextInstruction next = emulator->next(block, 0);
  EXPECT_EQ(next.status, traces::WarpStatus::ready);
  EXPECT_EQ(next.index, 6U);
  EXPECT_TRUE(issue(block, 1, 5, 5).exited);
  EXPECT_TRUE(issue(block, 0, 3).exited);
  emulator->end_block(block);
  EXPECT_EQ(device.download<std::uint32_t>(out, 2), (std::vector<std::uint32_t>{7, 77}));
}

TEST_F(BarrierAhead, AWarpWhoseLanesWaitAtTwoPlacesDoesNot) {
  const traces::BlockHandle block = begin(
      "S2R R0, SR_LANEID ;\n"
      "ISETP.GE.AND P0, PT, R0, 0x8, PT ;\n"
      "@P0 BRA `(.L_other) ;\n"
      "BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
      "EXIT ;\n"
      ".L_other:\n"
      "BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
      "EXIT ;\n");
  issue(block, 0, 3);
  EXPECT_FALSE(issue(block, 0, 1).blocked);
  const traces::Issued arrival = issue(block, 0, 1);
  EXPECT_TRUE(arrival.blocked);
  EXPECT_FALSE(arrival.goes_ahead);
  traces::Issued issued;
  EXPECT_THROW(emulator->issue(block, 0, 0, issued), std::logic_error);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
