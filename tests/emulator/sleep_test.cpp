// What the model is told of a NANOSLEEP.
#include <gtest/gtest.h>

#include <optional>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

TEST(Sleep, SaysHowManyBitsTheLongestLanesNanosecondsHave) {
  Device device;
  const auto module = assembled(device,
                                "S2R R0, SR_TID.X ;\n"
                                "IADD3 R1, R0, 0xe1, RZ ;\n"
                                "NANOSLEEP 0x64 ;\n"
                                "NANOSLEEP R1 ;\n"
                                "NANOSLEEP 0x0 ;\n"
                                "ISETP.LT.U32.AND P0, PT, R0, 0x10, PT ;\n"
                                "@P0 NANOSLEEP R1 ;\n"
                                "EXIT ;\n",
                                {8});
  const DeviceAddress out = device.upload(std::vector<std::uint32_t>(2));
  Emulator emulator(make_launch(module, "k", {1}, {32}, out));
  const traces::BlockHandle block = emulator.begin_block(0, {});
  std::vector<unsigned> measures;
  traces::Issued issued;
  do {
    emulator.issue(block, 0, 0, issued);
    measures.push_back(issued.measure);
  } while (!issued.exited);
  emulator.end_block(block);
  // 100 has seven bits, 225 to 256 have up to nine, 225 to 240 eight.
  EXPECT_EQ(measures, (std::vector<unsigned>{0, 0, 7, 9, 0, 0, 8, 0}));
}

}  // namespace
}  // namespace warpgauge::emulator::testing
