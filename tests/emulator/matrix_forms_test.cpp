// Matrix instructions against what an H200 gave for random operands with exponents far apart, zeros,
// infinities, NaNs and denormals: accumulation order, width and rounding show in the bits.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "tests/emulator/device_fixture.h"
#include "tests/emulator/matrix_operands.h"

namespace warpgauge::emulator::testing {
namespace {

constexpr unsigned tiles = 256;
constexpr unsigned classes = 16;

// The sums that matrix_forms.txt stores for the first 256 tiles: by class.
std::array<std::uint64_t, classes> recorded(const std::string& form) {
  std::array<std::uint64_t, classes> sums{};
  std::ifstream file(repository_file("tests/emulator/data/matrix_forms.txt"));
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    unsigned operand_class = 0;
    std::uint64_t sum = 0;
    if (words >> name >> operand_class >> std::hex >> sum && name == form) sums.at(operand_class) = sum;
  }
  return sums;
}

class MatrixForms : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Forms, MatrixForms, ::testing::Range(0, 10),
                         [](const auto& test) { return std::string(matrix_kinds[test.param].name); });

TEST_P(MatrixForms, GiveTheBitsOfTheCard) {
  const int form = GetParam();
  const MatrixKind& kind = matrix_kinds[form];
  const auto words = static_cast<std::size_t>(kind.a + kind.b + kind.c);
  std::vector<std::uint32_t> in(tiles * lanes * words);
  for (std::uint32_t tile = 0; tile < tiles; ++tile)
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      lane_words(form, tile, lane, &in[(std::size_t{tile} * lanes + lane) * words]);
  Device device;
  const auto results = static_cast<std::size_t>(kind.c) * lanes;
  const DeviceAddress input = device.upload(in);
  const DeviceAddress output = device.upload(std::vector<std::uint32_t>(tiles * results));
  run(make_launch(device.load("tests/emulator/data/matrix_forms.sm_90.cubin"), kind.name, {tiles}, {lanes},
                  input, output, 0));
  const auto out = device.download<std::uint32_t>(output, tiles * results);
  std::array<std::uint64_t, classes> sums{};
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (std::size_t i = 0; i < results; ++i) hash = (hash ^ out[tile * results + i]) * 0x100000001B3U;
    sums.at(tile % classes) += hash;
  }
  EXPECT_EQ(sums, recorded(kind.name));
}

}  // namespace
}  // namespace warpgauge::emulator::testing
