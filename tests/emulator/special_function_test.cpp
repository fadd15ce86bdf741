// The special function unit's results against sums that were formed of an H200's over whole ranges of inputs.
#include "traces/emulator/special_function_tables.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <vector>

#include "tests/emulator/device_fixture.h"
#include "tests/model/by_hand.h"

namespace warpgauge::emulator::testing {
namespace {

const std::map<std::string, SpecialFunction>& functions() {
  static const std::map<std::string, SpecialFunction> names{
      {"RCP", SpecialFunction::rcp},       {"RSQ", SpecialFunction::rsq},
      {"LG2", SpecialFunction::lg2},       {"EX2", SpecialFunction::ex2},
      {"SIN", SpecialFunction::sin},       {"COS", SpecialFunction::cos},
      {"SQRT", SpecialFunction::sqrt},     {"TANH", SpecialFunction::tanh},
      {"RCP64H", SpecialFunction::rcp64h}, {"RSQ64H", SpecialFunction::rsq64h}};
  return names;
}

struct Range {
  std::uint32_t first;
  std::uint64_t sum;
};

std::vector<Range> recorded(const std::string& function) {
  std::vector<Range> ranges;
  std::ifstream file(repository_file("tests/emulator/data/special_functions.txt"));
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    Range range{};
    if (words >> name >> std::hex >> range.first >> range.sum && name == function) ranges.push_back(range);
  }
  return ranges;
}

std::uint64_t sum_of(SpecialFunction function, std::uint32_t first) {
  std::uint64_t sum = 0;
  for (std::uint32_t k = 0; k < (1U << 19); ++k) {
    std::uint64_t z =
        (std::uint64_t{special_function_value(function, first | k)} << 19 | k) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 29)) * 0xBF58476D1CE4E5B9U;
    sum += z ^ (z >> 32);
  }
  return sum;
}

class SpecialFunctions : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Functions, SpecialFunctions,
                         ::testing::Values("RCP", "RSQ", "LG2", "EX2", "SIN", "COS", "SQRT", "TANH", "RCP64H",
                                           "RSQ64H"),
                         [](const auto& test) { return test.param; });

TEST_P(SpecialFunctions, GiveTheBitsOfTheCardOverWholeBinades) {
  const std::vector<Range> ranges = recorded(GetParam());
  ASSERT_GE(ranges.size(), 16U);
  for (const Range& range : ranges)
    EXPECT_EQ(sum_of(functions().at(GetParam()), range.first), range.sum) << std::hex << range.first;
}

TEST(SpecialFunctions, OfHalvesGiveTheBitsOfTheCard) {
  for (const std::string name : {"EX2.F16", "TANH.F16", "EX2.BF16", "TANH.BF16"}) {
    const auto function = name[0] == 'E' ? SpecialFunction::ex2 : SpecialFunction::tanh;
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (std::uint32_t x = 0; x < 65536; ++x)
      hash = (hash ^ special_function_half(function, name.find("BF16") != std::string::npos, x)) *
             0x100000001B3U;
    ASSERT_EQ(recorded(name).size(), 1U);
    EXPECT_EQ(hash, recorded(name)[0].sum) << name;
  }
}

float value(SpecialFunction function, float x) {
  return __builtin_bit_cast(float, special_function_value(function, __builtin_bit_cast(std::uint32_t, x)));
}

TEST(SpecialFunctions, KeepWithinTwoPlacesOfTheFunctionsThemselves) {
  constexpr float place = 0x1p-23F;
  for (float x = 1.0F; x < 4.0F; x += 0.0009765625F) {
    EXPECT_NEAR(value(SpecialFunction::rcp, x) * x, 1.0F, 2 * place);
    EXPECT_NEAR(value(SpecialFunction::rsq, x) * std::sqrt(x), 1.0F, 2 * place);
    EXPECT_NEAR(value(SpecialFunction::sqrt, x) / std::sqrt(x), 1.0F, 2 * place);
    EXPECT_NEAR(value(SpecialFunction::ex2, x) / std::exp2(x), 1.0F, 4 * place);
    EXPECT_NEAR(value(SpecialFunction::lg2, x), std::log2(x), 4 * place);
  }
}

TEST(SpecialFunctions, TakeSpecialValues) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(value(SpecialFunction::rcp, 0.0F), infinity);
  EXPECT_EQ(value(SpecialFunction::rcp, -infinity), 0.0F);
  EXPECT_TRUE(std::signbit(value(SpecialFunction::rcp, -infinity)));
  EXPECT_EQ(value(SpecialFunction::rcp, 0x1p-130F), infinity);
  EXPECT_EQ(value(SpecialFunction::rsq, -0.0F), -infinity);
  EXPECT_TRUE(std::isnan(value(SpecialFunction::rsq, -1.0F)));
  EXPECT_EQ(value(SpecialFunction::ex2, -infinity), 0.0F);
  EXPECT_EQ(value(SpecialFunction::ex2, -1.0F), 0.5F);
  EXPECT_EQ(value(SpecialFunction::lg2, 1.0F), 0.0F);
  EXPECT_EQ(value(SpecialFunction::lg2, 0.0F), -infinity);
  EXPECT_TRUE(std::isnan(value(SpecialFunction::sin, infinity)));
  EXPECT_EQ(value(SpecialFunction::tanh, 100.0F), 1.0F);
  EXPECT_EQ(value(SpecialFunction::tanh, -0x1p-140F), -0x1p-140F);
}

// FCHK of every pair of exponents: a block has its number as the exponent of a, a thread its own as that of b; against what an H200's
// divisions take (examples/validation/hardware/by_hand_h200.json).
TEST(Divisions, TakeTheLongWayWhereTheCardsDo) {
  Device device;
  const auto module = assembled(device,
                                "S2R R0, SR_CTAID.X ;\n"
                                "S2R R1, SR_TID.X ;\n"
                                "LDC.64 R4, c[0x0][0x210] ;\n"
                                "ULDC.64 UR6, c[0x0][0x208] ;\n"
                                "IMAD R6, R0, 0x100, R1 ;\n"
                                "SHF.L.U32 R2, R0, 0x17, RZ ;\n"
                                "SHF.L.U32 R3, R1, 0x17, RZ ;\n"
                                "IMAD.WIDE.U32 R4, R6, 0x4, R4 ;\n"
                                "FCHK P0, R2, R3 ;\n"
                                "SEL R7, RZ, 0x1, !P0 ;\n"
                                "STG.E desc[UR6][R4.64], R7 ;\n"
                                "EXIT ;\n",
                                {8});
  const DeviceAddress out = device.upload(std::vector<std::uint32_t>(65536));
  Emulator emulator(make_launch(module, "k", {256}, {256}, out));
  (void)drive(emulator);
  const auto slow = device.download<std::uint32_t>(out, 65536);
  const nlohmann::json card = model::test::by_hand("divisions_by_exponent")["rows"];
  ASSERT_EQ(card.size(), 250U);
  std::array<std::pair<unsigned, unsigned>, 256> fast;
  fast.fill({256, 0});
  for (const auto& row : card) fast.at(row[0].get<std::size_t>()) = {row[1], row[2]};
  unsigned apart = 0;
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned b = 0; b < 256; ++b)
      if ((slow[a * 256 + b] == 0) != (fast[b].first <= a && a <= fast[b].second)) ++apart;
  EXPECT_EQ(apart, 0U);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
