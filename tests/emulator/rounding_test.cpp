// Arithmetic of the program suite against the host's own, in the host's rounding modes: bit for bit, NaNs
// aside, whose bits the host chooses in its own way.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>

#include "tests/emulator/device_fixture.h"
#include "traces/launch_fill.h"

namespace warpgauge::emulator::testing {
namespace {

constexpr std::size_t count = 4096;

struct Outcome {
  std::vector<std::uint32_t> in;
  std::vector<std::uint32_t> out;
  [[nodiscard]] std::uint32_t word(std::size_t operand, std::size_t i) const {
    return in[operand * count + i];
  }
  [[nodiscard]] float single(std::size_t operand, std::size_t i) const {
    return std::bit_cast<float>(word(operand, i));
  }
  [[nodiscard]] double wide(std::size_t operand, std::size_t i) const {
    return std::bit_cast<double>(std::uint64_t{word(operand + 1, i)} << 32 | word(operand, i));
  }
};

Outcome run_program(const std::string& family, const std::string& kernel, const std::string& architecture) {
  Device device;
  Outcome outcome;
  outcome.in.resize(4 * count);
  launch::Fill fill;
  fill.name = "random_u32";
  fill.seed = 4711;
  fill.max = 4294967295.0;
  launch::fill_buffer(outcome.in.data(), outcome.in.size() * 4, fill);
  const DeviceAddress in = device.upload(outcome.in);
  const DeviceAddress out = device.upload(std::vector<std::uint32_t>(8 * count));
  const auto module = device.load("tests/programs/cubins/" + family + "." + architecture + ".cubin");
  run(make_launch(module, kernel, {16}, {256}, in, out, static_cast<int>(count)));
  outcome.out = device.download<std::uint32_t>(out, 8 * count);
  return outcome;
}

// The four roundings in the order in which the programs write their results.
constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

template <class T>
T rounded(int mode, const std::function<T()>& compute) {
  std::fesetround(mode);
  const volatile T result = compute();
  std::fesetround(FE_TONEAREST);
  return result;
}

void expect_single(const Outcome& o, const std::function<float(float, float, float)>& host,
                   std::size_t modes_checked) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t m = 0; m < modes_checked; ++m) {
      // The operands must not be known to the compiler, which computes in one rounding.
      const volatile float a = o.single(0, i);
      const volatile float b = o.single(1, i);
      const volatile float c = o.single(2, i);
      const float expected = rounded<float>(modes[m], [&] { return host(a, b, c); });
      const std::uint32_t got = o.out[8 * i + m];
      const bool same =
          std::isnan(expected) ? got == 0x7fffffffU : got == std::bit_cast<std::uint32_t>(expected);
      if (!same && wrong++ < 5)
        ADD_FAILURE() << "element " << i << " rounding " << m << ": " << std::hexfloat << a << ", " << b
                      << ", " << c << " gave " << std::bit_cast<float>(got) << ", not " << expected;
    }
  }
  EXPECT_EQ(wrong, 0U);
}

void expect_double(const Outcome& o, const std::function<double(double, double)>& host,
                   std::size_t modes_checked) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t m = 0; m < modes_checked; ++m) {
      const volatile double a = o.wide(0, i);
      const volatile double b = o.wide(2, i);
      const double expected = rounded<double>(modes[m], [&] { return host(a, b); });
      const std::uint64_t got = std::uint64_t{o.out[8 * i + 2 * m + 1]} << 32 | o.out[8 * i + 2 * m];
      const bool same = std::isnan(expected) ? std::isnan(std::bit_cast<double>(got))
                                             : got == std::bit_cast<std::uint64_t>(expected);
      if (!same && wrong++ < 5)
        ADD_FAILURE() << "element " << i << " rounding " << m << ": " << std::hexfloat << a << ", " << b
                      << " gave " << std::bit_cast<double>(got) << ", not " << expected;
    }
  }
  EXPECT_EQ(wrong, 0U);
}

class Rounding : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Rounding, ::testing::Values("sm_75", "sm_80", "sm_90"),
                         [](const auto& test) { return test.param; });

TEST_P(Rounding, SingleAdditionFollowsIeee) {
  expect_single(
      run_program("float32", "f32_add", GetParam()), [](float a, float b, float) { return a + b; }, 4);
}

TEST_P(Rounding, SingleMultiplicationFollowsIeee) {
  expect_single(
      run_program("float32", "f32_multiply", GetParam()), [](float a, float b, float) { return a * b; }, 4);
}

TEST_P(Rounding, SingleFusedMultiplyAddFollowsIeee) {
  expect_single(
      run_program("float32", "f32_fused", GetParam()),
      [](float a, float b, float c) { return std::fma(a, b, c); }, 4);
}

TEST_P(Rounding, SingleDivisionIsTheCompilersSequenceAndFollowsIeee) {
  expect_single(
      run_program("float32", "f32_divide", GetParam()), [](float a, float b, float) { return a / b; }, 4);
}

TEST_P(Rounding, SingleRootsAreTheCompilersSequenceAndFollowIeee) {
  expect_single(
      run_program("float32", "f32_root", GetParam()), [](float a, float, float) { return std::sqrt(a); }, 4);
}

TEST_P(Rounding, DoubleAdditionFollowsIeee) {
  expect_double(
      run_program("float64", "f64_add", GetParam()), [](double a, double b) { return a + b; }, 4);
}

TEST_P(Rounding, DoubleMultiplicationFollowsIeee) {
  expect_double(
      run_program("float64", "f64_multiply", GetParam()), [](double a, double b) { return a * b; }, 4);
}

TEST_P(Rounding, DoubleDivisionIsTheCompilersSequenceAndFollowsIeee) {
  expect_double(
      run_program("float64", "f64_divide", GetParam()), [](double a, double b) { return a / b; }, 3);
}

TEST_P(Rounding, DoubleRootIsTheCompilersSequenceAndFollowsIeee) {
  expect_double(
      run_program("float64", "f64_root", GetParam()), [](double a, double) { return std::sqrt(a); }, 1);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
