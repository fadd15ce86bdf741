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

// As operands, which compilers of sm_90 no longer make, in one register and in two, and of a byte.
TEST(ConstantPlaces, OfTheBanksSecondHalfAreOperandsToo) {
  const std::string text =
      "LDC.64 R4, c[0x0][0x210] ;\n"
      "IADD3 R6, RZ, c[0x3][-0x8000], RZ ;\n"
      "IADD3 R7, RZ, c[0x3][-0x4], RZ ;\n"
      "LDC.64 R8, c[0x3][-0x8000] ;\n"
      "LDC.U8 R10, c[0x3][-0x7fff] ;\n"
      "IADD3 R11, RZ, c[0x3][0x7ffc], RZ ;\n"
      "STG.E.64 [R4], R6 ;\n"
      "STG.E.64 [R4+0x8], R8 ;\n"
      "STG.E.64 [R4+0x10], R10 ;\n"
      "EXIT ;\n";
  constexpr std::size_t bank_bytes = 65536;
  std::vector<std::uint32_t> words(bank_bytes / 4);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i << 4);
  cubin::Bytes bank(bank_bytes);
  std::memcpy(bank.data(), words.data(), bank_bytes);
  cubin::KernelSource kernel = cubin::testing::kernel_of(text, sass::Architecture::sm90);
  kernel.parameters = cubin::lay_out_parameters(std::vector<std::uint32_t>{8});
  Device device;
  const auto module = std::make_shared<Module>(
      device.memory, cubin::Image(cubin::write_cubin({sass::Architecture::sm90, {kernel}, bank})), host_level());
  const DeviceAddress out = device.upload(std::vector<std::uint32_t>(6));
  run(make_launch(module, "k", {1}, {1}, out));
  constexpr std::uint32_t half = bank_bytes / 8;
  const std::vector<std::uint32_t> expected{half << 4, (2 * half - 1) << 4, half << 4, (half + 1) << 4,
                                            half >> 4 & 0xffU, (half - 1) << 4};
  EXPECT_EQ(device.download<std::uint32_t>(out, expected.size()), expected);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
