// data/formats.cu: conversions of narrow formats, and instructions with operands that are easily read wrong.
// Expected are host computations, and hashes of what an H200 wrote (driver 580.159.04, 2026-11-23), where the
// answer is a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "tests/emulator/device_fixture.h"
#include "traces/emulator/float_format.h"

namespace warpgauge::emulator::testing {
namespace {

class Formats : public ::testing::Test {
 protected:
  template <class... Arguments>
  void launch(const std::string& kernel, std::uint32_t blocks, const Arguments&... arguments) {
    run(make_launch(module(), kernel, {blocks}, {32}, arguments...));
  }
  std::shared_ptr<Module> module() { return device.load("tests/emulator/data/formats.sm_90.cubin"); }
  DeviceAddress zeros(std::size_t words) { return device.upload(std::vector<std::uint32_t>(words)); }
  std::vector<std::uint32_t> words(DeviceAddress address, std::size_t count) {
    return device.download<std::uint32_t>(address, count);
  }
  // FNV-1a.
  std::uint64_t hash(DeviceAddress address, std::size_t bytes) {
    std::uint64_t h = 14695981039346656037U;
    for (const std::uint8_t byte : device.download<std::uint8_t>(address, bytes))
      h = (h ^ byte) * 1099511628211U;
    return h;
  }
  std::vector<std::uint32_t> random_words(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<std::uint32_t> values(count);
    for (auto& value : values) value = static_cast<std::uint32_t>(generator());
    return values;
  }
  Device device;
};

// By the formats' definition: sign, exponent, fraction; e4m3 has no infinity and one NaN.
double value_of_byte(unsigned byte, unsigned fraction_bits, int bias) {
  const double sign = (byte & 0x80U) != 0 ? -1.0 : 1.0;
  const unsigned exponent = (byte & 0x7fU) >> fraction_bits;
  const double fraction =
      (byte & ((1U << fraction_bits) - 1)) / std::ldexp(1.0, static_cast<int>(fraction_bits));
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
  return sign * std::ldexp(1.0 + fraction, static_cast<int>(exponent) - bias);
}

TEST_F(Formats, EveryByteIsTheHalfOfItsValue) {
  const DeviceAddress out = zeros(1280);
  launch("bytes", 8, out);
  const auto got = words(out, 1280);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool e4m3_nan = (byte & 0x7fU) == 0x7f;
    const bool e5m2_nan = (byte & 0x7fU) > 0x7c;
    const std::uint32_t e4m3 = got[byte] & 0xffffU;
    const std::uint32_t e5m2 = got[256 + byte] & 0xffffU;
    const double infinity = std::copysign(std::numeric_limits<double>::infinity(), byte < 0x80 ? 1.0 : -1.0);
    const double e5m2_value = (byte & 0x7fU) == 0x7c ? infinity : value_of_byte(byte, 2, 15);
    EXPECT_EQ(e4m3, e4m3_nan ? 0x7fffU : round_to_half(value_of_byte(byte, 3, 7), round_nearest)) << byte;
    EXPECT_EQ(e5m2, e5m2_nan ? 0x7fffU : round_to_half(e5m2_value, round_nearest)) << byte;
    EXPECT_EQ(e5m2 >> 15, e5m2_nan ? 0U : byte >> 7);
    const bool negative = (byte & 0x80U) != 0;
    EXPECT_EQ(got[768 + byte] & 0xffffU, negative && !e4m3_nan ? 0U : e4m3);
    EXPECT_EQ(got[512 + byte] & 0xffffU, negative && !e5m2_nan ? 0U : e5m2);
    EXPECT_EQ(got[byte] >> 16, got[255 - byte] & 0xffffU);
  }
}

TEST_F(Formats, HalvesAndFloatsBecomeTheCardsBytes) {
  const DeviceAddress out = zeros(6 * 65536 / 2);
  launch("to_bytes", 2048, out);
  EXPECT_EQ(hash(out, std::size_t{6} * 65536 * 2), 13480032272069789452U);
}

TEST_F(Formats, FloatsBecomeTheCardsTensorFloats) {
  const DeviceAddress out = zeros(5 * 65536);
  launch("to_tensor_floats", 2048, out);
  EXPECT_EQ(hash(out, std::size_t{5} * 65536 * 4), 1188912275596528729U);
}

std::uint32_t bfloat(double x, unsigned rounding) {
  return round_to_bfloat(x, rounding);
}

TEST_F(Formats, IntegersAndBfloatsBecomeEachOther) {
  const auto in = random_words(33, 1);
  // Halves of registers: odd elements lie in the upper one.
  std::vector<std::uint16_t> floats(64);
  for (std::size_t i = 0; i < 64; ++i)
    floats[i] = static_cast<std::uint16_t>(bfloat((static_cast<double>(i) - 20.3) * 1.7, round_nearest));
  const DeviceAddress out = zeros(96);
  const DeviceAddress whole = zeros(128);
  launch("bfloat_integers", 1, device.upload(in), device.upload(floats), out, whole);
  const auto got = device.download<std::uint16_t>(out, 192);
  const auto integers = device.download<std::int64_t>(whole, 64);
  for (std::size_t i = 0; i < 32; ++i) {
    const auto x = static_cast<std::int32_t>(in[i]);
    const std::int64_t product = std::int64_t{x} * static_cast<std::int32_t>(in[i + 1]);
    EXPECT_EQ(got[i], bfloat(x, round_nearest));
    EXPECT_EQ(got[i + 32], bfloat(in[i], round_zero));
    EXPECT_EQ(got[i + 64], bfloat(static_cast<std::int16_t>(x), round_up));
    // 63 bits: rounded down to 53 first, and then to 8, is rounded down once.
    const int back = std::fegetround();
    std::fesetround(FE_DOWNWARD);
    const volatile std::int64_t exact = product;
    const auto rounded = static_cast<double>(exact);
    std::fesetround(back);
    EXPECT_EQ(got[i + 96], bfloat(rounded, round_down));
    const double odd = bfloat_to_float(floats[2 * i + 1]);
    EXPECT_EQ(got[i + 128], bfloat(std::floor(odd), round_nearest));
    EXPECT_EQ(got[i + 160], bfloat(std::nearbyint(bfloat_to_float(floats[i])), round_nearest));
    EXPECT_EQ(integers[i], static_cast<std::int64_t>(odd));
    EXPECT_EQ(integers[i + 32], static_cast<std::int64_t>(std::floor(bfloat_to_float(floats[i]))));
  }
}

// Small integers: exact in binary16.
std::uint32_t complex_half(int real, int imaginary) {
  return round_to_half(real, round_nearest) | round_to_half(imaginary, round_nearest) << 16;
}

TEST_F(Formats, ComplexNumbersAreMultiplied) {
  std::vector<std::uint32_t> in(96);
  const auto part = [](std::size_t i, int k) {
    return static_cast<int>((i * 7 + static_cast<std::size_t>(k) * 5) % 23) - 11;
  };
  for (std::size_t i = 0; i < 96; ++i) in[i] = complex_half(part(i, 0), part(i, 1));
  const DeviceAddress out = zeros(32);
  launch("complex_product", 1, device.upload(in), out);
  const auto got = words(out, 32);
  for (std::size_t i = 0; i < 32; ++i) {
    const int a = part(i, 0), b = part(i, 1), c = part(i + 32, 0), d = part(i + 32, 1);
    const int e = part(i + 64, 0), f = part(i + 64, 1);
    EXPECT_EQ(got[i], complex_half(a * c - b * d + e, a * d + b * c + f)) << i;
  }
}

TEST_F(Formats, TheLargestOfThreeAndWhichOfTwoItIs) {
  auto in = random_words(96, 2);
  in[32] = in[0];  // equal counts as the first
  const DeviceAddress out = zeros(224);
  launch("largest_of_three", 1, device.upload(in), out);
  const auto got = words(out, 224);
  for (std::size_t i = 0; i < 32; ++i) {
    for (unsigned h = 0; h < 32; h += 16) {
      const auto half = [&](std::uint32_t word) { return static_cast<std::uint16_t>(word >> h); };
      const auto whole = [&](std::uint32_t word) { return static_cast<std::int16_t>(half(word)); };
      const std::int16_t a = whole(in[i]), b = whole(in[i + 32]), c = whole(in[i + 64]);
      const std::int16_t largest = std::max(a, std::max(b, c));
      EXPECT_EQ(whole(got[i]), largest);
      EXPECT_EQ(half(got[i + 32]), std::min(half(in[i]), std::min(half(in[i + 32]), half(in[i + 64]))));
      EXPECT_EQ(whole(got[i + 64]), std::max<std::int16_t>(largest, 0));
      EXPECT_EQ(whole(got[i + 96]), std::max(a, b));
      EXPECT_EQ(half(got[i + 160]), std::min(half(in[i]), half(in[i + 32])));
      const unsigned bit = h == 0 ? 1 : 0;  // the kernel writes the upper half's answer to bit 0
      EXPECT_EQ(got[i + 128] >> bit & 1U, a >= b ? 1U : 0U);
      EXPECT_EQ(got[i + 192] >> bit & 1U, half(in[i]) <= half(in[i + 32]) ? 1U : 0U);
    }
  }
}

TEST_F(Formats, TheLargestOfThreeHalves) {
  auto in = random_words(96, 3);
  in[0] = 0x7e003c00;   // a NaN and 1
  in[32] = 0x40007e00;  // 2 and a NaN
  in[64] = 0x42004200;  // 3 and 3
  const DeviceAddress out = zeros(64);
  launch("largest_halves", 1, device.upload(in), out);
  const auto got = words(out, 64);
  EXPECT_EQ(got[0], 0x42004200U);   // a NaN is left out
  EXPECT_EQ(got[32], 0x7fff7fffU);  // or passed on
  for (std::size_t i = 1; i < 32; ++i) {
    for (unsigned h = 0; h < 32; h += 16) {
      const auto value = [&](std::uint32_t word) { return half_to_float(word >> h & 0xffffU); };
      const float a = value(in[i]), b = value(in[i + 32]), c = value(in[i + 64]);
      if (std::isnan(a) || std::isnan(b) || std::isnan(c)) continue;
      EXPECT_EQ(value(got[i]), std::max(a, std::max(b, c)));
      EXPECT_EQ(value(got[i + 32]), std::min(a, std::min(b, c)));
    }
  }
}

// The reciprocal of a constant double: when it is wrong, every lane takes the way for denormals, which is
// right too but three times as long.
TEST_F(Formats, ADivisionByAConstantTakesTheShortWay) {
  std::vector<double> x(32);
  for (std::size_t i = 0; i < 32; ++i) x[i] = 1.25 * static_cast<double>(i + 1);
  const DeviceAddress values = device.upload(x);
  Emulator emulator(make_launch(module(), "seventh", {1}, {32}, values));
  EXPECT_LT(drive(emulator), 32U);
  const auto got = device.download<double>(values, 32);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], x[i] / 7.0);
}

std::vector<std::uint32_t> exchanged(const std::vector<std::uint32_t>& values) {
  std::vector<std::uint32_t> sums = values;
  for (std::size_t lane = 0; lane < values.size(); ++lane)
    if ((lane ^ 3U) < values.size()) sums[lane] += values[lane ^ 3U];
  return sums;
}

// Lanes that the barrier does not name run with those that it names, as on the card.
TEST_F(Formats, LanesOutsideAShufflesMaskTakePart) {
  for (const int limit : {32, 20, 16}) {
    const DeviceAddress out = zeros(32);
    launch("half_shuffle", 1, out, limit);
    std::vector<std::uint32_t> all(32);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      all[lane] = lane * 2654435761U;
      for (std::uint32_t n = 0; n < (lane & 3U) + 1; ++n) all[lane] += lane >> n;
    }
    std::vector<std::uint32_t> part(all.begin(), all.begin() + limit);
    for (int n = 0; n < 3; ++n) part = exchanged(part);
    std::copy(part.begin(), part.end(), all.begin());
    EXPECT_EQ(words(out, 32), all) << limit;
  }
}

// Both parts give their own values to one shuffle, and each goes on where it came from.
TEST_F(Formats, LanesMeetAtAShuffleFromTwoPlaces) {
  std::vector<std::uint32_t> which(32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) which[lane] = lane % 3 == 0 || lane == 17 ? lane + 1 : 0;
  const DeviceAddress out = zeros(32);
  launch("two_shuffles", 1, out, device.upload(which));
  std::vector<std::uint32_t> sums(32);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    sums[lane] = lane * 2654435761U * (which[lane] != 0 ? 1U : 3U);
  sums = exchanged(sums);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    sums[lane] =
        which[lane] != 0 ? sums[lane] ^ which[sums[lane] & 31U] : sums[lane] - which[sums[lane] & 31U];
  EXPECT_EQ(words(out, 32), sums);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
