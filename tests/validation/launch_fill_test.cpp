#include "traces/launch_fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace warpgauge::launch {
namespace {

template <class T>
std::vector<T> filled(std::size_t count, Fill fill) {
  std::vector<T> values(count);
  fill_buffer(values.data(), count * sizeof(T), fill);
  return values;
}

// The value of a finite binary16, from its definition.
double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(LaunchFill, DrawsArePublishedSplitMix64Outputs) {
  const std::uint64_t expected[] = {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                    4593380528125082431ULL, 16408922859458223821ULL};
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(draw(1234567, i), expected[i]);
  }
}

TEST(LaunchFill, Fnv1aGivesThePublishedHashes) {
  EXPECT_EQ(fnv1a("", 0), 0xCBF29CE484222325ULL);
  EXPECT_EQ(fnv1a("a", 1), 0xAF63DC4C8601EC8CULL);
  EXPECT_EQ(fnv1a("foobar", 6), 0x85944171F73967E8ULL);
}

TEST(LaunchFill, EveryFiniteHalfComesBackFromItsOwnValue) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7C00) != 0x7C00) {
      const auto half = static_cast<std::uint16_t>(bits);
      ASSERT_EQ(half_bits(static_cast<float>(half_value(half))), half) << bits;
    }
  }
}

TEST(LaunchFill, BetweenTwoHalvesTheNearerWinsAndATieGoesToTheEvenOne) {
  for (std::uint16_t low = 0; low < 0x7BFF; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const auto middle = static_cast<float>((half_value(low) + half_value(high)) / 2);
    ASSERT_EQ(half_bits(middle), low % 2 == 0 ? low : high) << low;
    ASSERT_EQ(half_bits(std::nextafter(middle, 0.0F)), low) << low;
    ASSERT_EQ(half_bits(std::nextafter(middle, 1e9F)), high) << low;
  }
}

TEST(LaunchFill, HalvesTooLargeBecomeInfinite) {
  EXPECT_EQ(half_bits(65519.996F), 0x7BFF);
  EXPECT_EQ(half_bits(65520.0F), 0x7C00);
  EXPECT_EQ(half_bits(-1e30F), 0xFC00);
}

TEST(LaunchFill, Bfloat16KeepsTheTopBitsAndRoundsTiesToEven) {
  EXPECT_EQ(bfloat16_bits(1.0F), 0x3F80);
  EXPECT_EQ(bfloat16_bits(1.0F + 0x1p-8F), 0x3F80);
  EXPECT_EQ(bfloat16_bits(1.0F + 0x1p-8F + 0x1p-20F), 0x3F81);
  EXPECT_EQ(bfloat16_bits(1.0F + 0x3p-8F), 0x3F82);
}

TEST(LaunchFill, RandomWordsReachBothBoundsAndNothingBeyond) {
  const auto values = filled<std::uint32_t>(4096, {"random_u32", 3, 10, 17, 1});
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), 10U);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 17U);
}

TEST(LaunchFill, TheFullRangeOfWordsIsTheTopHalfOfTheDraw) {
  const auto values = filled<std::uint32_t>(64, {"random_u32", 9, 0, 4294967295.0, 1});
  for (std::uint64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(values[i], static_cast<std::uint32_t>(draw(9, i) >> 32));
  }
}

TEST(LaunchFill, RandomFloatsStayInRangeWithTheRightMean) {
  const auto values = filled<float>(1 << 16, {"random_f32", 5, -2, 6, 1});
  for (const float v : values) {
    ASSERT_GE(v, -2.0F);
    ASSERT_LT(v, 6.0F);
  }
  // The mean of n uniform numbers of width w has the deviation w / sqrt(12 n); five of them are allowed.
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  EXPECT_NEAR(mean, 2.0, 5 * 8.0 / std::sqrt(12.0 * 65536));
}

TEST(LaunchFill, HalvesAndBfloatsAreTheRoundedFloats) {
  const auto floats = filled<float>(1000, {"random_f32", 7, -1, 1, 1});
  const auto halves = filled<std::uint16_t>(1000, {"random_f16", 7, -1, 1, 1});
  const auto bfloats = filled<std::uint16_t>(1000, {"random_bf16", 7, -1, 1, 1});
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(halves[i], half_bits(floats[i]));
    EXPECT_EQ(bfloats[i], bfloat16_bits(floats[i]));
  }
}

TEST(LaunchFill, APermutationHoldsEveryNumberOnce) {
  for (const std::size_t count : {1U, 2U, 3U, 1000U}) {
    auto values = filled<std::uint32_t>(count, {"permutation_u32", 11, 0, 0, 1});
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(values[i], i);
    }
  }
}

TEST(LaunchFill, ACycleVisitsEveryElementBeforeItReturns) {
  for (const std::size_t count : {2U, 3U, 1000U}) {
    const auto next = filled<std::uint32_t>(count, {"cycle_u32", 13, 0, 0, 1});
    std::size_t steps = 0;
    std::uint32_t at = 0;
    do {
      at = next[at];
      ++steps;
    } while (at != 0 && steps <= count);
    EXPECT_EQ(steps, count);
  }
}

TEST(LaunchFill, RowOffsetsStartAtZeroAndGrowByTheDegreesAllowed) {
  for (const char* name : {"csr_row_u32", "csr_row_skewed_u32"}) {
    const auto rows = filled<std::uint32_t>(5001, {name, 17, 2, 60, 1});
    EXPECT_EQ(rows[0], 0U);
    for (std::size_t i = 0; i < 5000; ++i) {
      ASSERT_GE(rows[i + 1], rows[i] + 2);
      ASSERT_LE(rows[i + 1], rows[i] + 60);
    }
  }
}

TEST(LaunchFill, SkewedRowsHaveTheMeanOfACube) {
  const auto rows = filled<std::uint32_t>(40001, {"csr_row_skewed_u32", 19, 0, 999, 1});
  // The mean of u^3 is 1/4; of 40000 rows its deviation is under 0.0015.
  EXPECT_NEAR(rows[40000] / 40000.0, 249.5, 7.5);
}

TEST(LaunchFill, IotaWrapsAround) {
  const auto values = filled<std::uint32_t>(3, {"iota_u32", 0, 4294967290.0, 0, 5});
  EXPECT_EQ(values, (std::vector<std::uint32_t>{4294967290U, 4294967295U, 4U}));
}

TEST(LaunchFill, BytesBehindTheLastWholeElementAreZero) {
  std::vector<unsigned char> bytes(11, 0xAA);
  fill_buffer(bytes.data(), bytes.size(), {"constant_u32", 0, 4294967295.0, 0, 1});
  EXPECT_EQ(bytes[7], 0xFF);
  EXPECT_EQ(bytes[8], 0);
  EXPECT_EQ(bytes[10], 0);
}

TEST(LaunchFill, BadFillsAreRefusedByName) {
  unsigned char byte = 0;
  EXPECT_THROW(fill_buffer(&byte, 1, {"random_f80", 0, 0, 1, 1}), FillError);
  EXPECT_THROW(fill_buffer(&byte, 1, {"random_u32", 0, 2, 1, 1}), FillError);
  EXPECT_THROW(fill_buffer(&byte, 1, {"random_u32", 0, -1, 1, 1}), FillError);
  EXPECT_THROW(fill_buffer(&byte, 1, {"constant_u32", 0, 5e9, 0, 1}), FillError);
  EXPECT_THROW(fill_buffer(&byte, 1, {"constant_u32", 0, std::numeric_limits<double>::quiet_NaN(), 0, 1}),
               FillError);
}

}  // namespace
}  // namespace warpgauge::launch
