// What addresses name: address_spaces.cu.
#include <gtest/gtest.h>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

const std::string cubin = "tests/emulator/data/address_spaces.sm_90.cubin";

class AddressSpaces : public ::testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(All, AddressSpaces, ::testing::Values(Mode::functional, Mode::issued), [](const auto& test) {
  return test.param == Mode::issued ? "issued" : "functional";
});

TEST_P(AddressSpaces, AConstantOfTheBanksSecondHalfIsFound) {
  Device device;
  const DeviceAddress out = device.upload(std::vector<int>(7 * 32, -1));
  run(make_launch(device.load(cubin), "read_both_halves", {1}, {32}, out), GetParam());
  std::vector<int> expected;
  const auto row = [&](auto value) {
    for (int lane = 0; lane < 32; ++lane) expected.push_back(value(lane));
  };
  row([](int lane) { return 8160 + lane; });
  row([](int lane) { return 8192 + lane; });
  row([](int lane) { return 8200 - lane; });
  row([](int) { return 8191; });
  row([](int) { return 8192; });
  row([](int lane) { return 8319 * lane; });
  row([](int) { return 8300; });
  EXPECT_EQ(device.download<int>(out, expected.size()), expected);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
