// What addresses name: address_spaces.cu.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

const std::string cubin = "tests/emulator/data/address_spaces.sm_90.cubin";

class AddressSpaces : public ::testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(All, AddressSpaces, ::testing::Values(Mode::functional, Mode::issued), [](const auto& test) {
  return test.param == Mode::issued ? "issued" : "functional";
});

// Block 0 adds 1 and block 1 adds 2 to each sum, from two of their 64 threads each.
TEST_P(AddressSpaces, AtomicsOfFloatsReachTheBlockWhoseAddressIsGiven) {
  Device device;
  const DeviceAddress out = device.upload(std::vector<float>(64, -1));
  run(make_launch(device.load(cubin), "add_to_first", {2}, {64}, out), GetParam());
  std::vector<float> expected(64, 0.0F);
  std::fill_n(expected.begin(), 32, 6.0F);
  EXPECT_EQ(device.download<float>(out, expected.size()), expected);
}

TEST_P(AddressSpaces, AnotherBlocksSharedMemoryIsTheClustersAndNotOnesOwn) {
  Device device;
  const DeviceAddress out = device.upload(std::vector<std::uint32_t>(8));
  run(make_launch(device.load(cubin), "name_spaces", {2}, {32}, out), GetParam());
  enum : std::uint32_t { own = 1, cluster = 2, global = 4, local = 8 };
  const std::vector<std::uint32_t> expected{own | cluster, cluster, local, global, cluster, own | cluster, local, global};
  EXPECT_EQ(device.download<std::uint32_t>(out, 8), expected);
}

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
