// The examples against references on the host, bit for bit: all their arithmetic is exact IEEE.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

struct Case {
  std::string architecture;
  Mode mode;
};

class Example : public ::testing::TestWithParam<Case> {
 protected:
  std::string cubin(const std::string& name) const {
    return "examples/" + name + "/" + name + "." + GetParam().architecture + ".cubin";
  }
};

INSTANTIATE_TEST_SUITE_P(All, Example,
                         ::testing::Values(Case{"sm_70", Mode::functional}, Case{"sm_75", Mode::functional},
                                           Case{"sm_90", Mode::functional}, Case{"sm_70", Mode::issued},
                                           Case{"sm_75", Mode::issued}, Case{"sm_90", Mode::issued}),
                         [](const auto& test) {
                           return test.param.architecture +
                                  (test.param.mode == Mode::issued ? "_issued" : "_functional");
                         });

TEST_P(Example, SaxpyEqualsTheHostsMultiplyAdd) {
  Device device;
  const int n = 1000;
  const auto x = random_floats(n, 1);
  auto y = random_floats(n, 2);
  const DeviceAddress dx = device.upload(x);
  const DeviceAddress dy = device.upload(y);
  run(make_launch(device.load(cubin("saxpy")), "saxpy", {4}, {256}, n, 2.5F, dx, dy), GetParam().mode);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::fma(2.5F, x[i], y[i]);
  EXPECT_EQ(device.download<float>(dy, y.size()), y);
}

float fold(std::vector<float> values) {
  for (std::size_t offset = 16; offset > 0; offset /= 2)
    for (std::size_t lane = 0; lane + offset < 32; ++lane)
      if (lane < offset) values[lane] += values[lane + offset];
  return values[0];
}

TEST_P(Example, ReductionAddsInTheOrderOfTheShuffles) {
  Device device;
  const std::size_t n = 3001;
  const std::size_t blocks = 3;
  const std::size_t threads = 128;
  const auto x = random_floats(n, 3);
  const DeviceAddress dx = device.upload(x);
  const DeviceAddress sums = device.upload(std::vector<float>(blocks));
  run(make_launch(device.load(cubin("reduction")), "reduction", {blocks}, {threads}, static_cast<int>(n), dx,
                  sums),
      GetParam().mode);
  std::vector<float> expected;
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<float> warps(32, 0.0F);
    for (std::size_t w = 0; w < threads / 32; ++w) {
      std::vector<float> lane_sums(32, 0.0F);
      for (std::size_t lane = 0; lane < 32; ++lane)
        for (std::size_t i = b * threads + w * 32 + lane; i < n; i += blocks * threads)
          lane_sums[lane] += x[i];
      warps[w] = fold(lane_sums);
    }
    expected.push_back(fold(warps));
  }
  EXPECT_EQ(device.download<float>(sums, blocks), expected);
}

TEST_P(Example, MatrixProductAccumulatesInOrderOfK) {
  Device device;
  const std::size_t m = 64;
  const std::size_t n = 128;
  const std::size_t k = 48;
  const auto a = random_floats(m * k, 4);
  const auto b = random_floats(k * n, 5);
  const DeviceAddress da = device.upload(a);
  const DeviceAddress db = device.upload(b);
  const DeviceAddress dc = device.upload(std::vector<float>(m * n));
  run(make_launch(device.load(cubin("sgemm")), "sgemm", {n / 64, m / 64}, {16, 16}, static_cast<int>(n),
                  static_cast<int>(k), da, db, dc),
      GetParam().mode);
  std::vector<float> expected(m * n, 0.0F);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l)
        expected[i * n + j] = std::fma(a[i * k + l], b[l * n + j], expected[i * n + j]);
  EXPECT_EQ(device.download<float>(dc, m * n), expected);
}

TEST_P(Example, NoInstructionIsRefused) {
  Device device;
  for (const std::string name : {"saxpy", "reduction", "sgemm"}) {
    const auto module = device.load(cubin(name));
    const Program& program = *module->code(module->kernel(name)).program;
    for (const Refusal& refusal : program.refusals())
      ADD_FAILURE() << name << " at " << refusal.index * 16 << ": " << refusal.reason;
  }
}

class Cooperative : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Cooperative, ::testing::Values("sm_75", "sm_80", "sm_90"),
                         [](const auto& test) { return test.param; });

TEST_P(Cooperative, BlocksMeetAtAGridsBarrier) {
  Device device;
  const std::size_t blocks = 12;
  const std::size_t threads = 64;
  const std::size_t count = blocks * threads;
  std::vector<unsigned> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<unsigned>(i * i);
  const DeviceAddress in = device.upload(values);
  const DeviceAddress out = device.upload(std::vector<unsigned>(count));
  Launch launch = make_launch(device.load("tests/emulator/data/cooperative." + GetParam() + ".cubin"),
                              "grid_rounds", {blocks}, {threads}, in, out, 3);
  launch.cooperative = true;
  run(launch);
  for (int k = 0; k < 3; ++k) {
    for (unsigned& value : values) value = value * 3 + 1;
    std::vector<unsigned> next = values;
    for (std::size_t i = 0; i < count; ++i) next[i] += values[(i + threads) % count];
    values = next;
  }
  EXPECT_EQ(device.download<unsigned>(out, count), values);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
