// Lanes of functions that call themselves part and meet as on an H200: which lanes run together, at every place that they
// come to, and in which order (tests/divergence).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

using nlohmann::json;

constexpr std::uint32_t blocks = 64;

std::uint32_t hash_of(const std::uint32_t* words, std::size_t count) {
  std::uint32_t hash = 2166136261U;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ words[i]) * 16777619U;
  return hash;
}

// How many of a kernel's 64 warps see what they see on the card, and by what part of it the instructions of all may differ.
struct Expected {
  const char* kernel;
  int warps;
  double instructions;
};

class Calls : public ::testing::TestWithParam<Expected> {};
INSTANTIATE_TEST_SUITE_P(
    Divergence, Calls,
    ::testing::Values(Expected{"calls_straight", 64, 0}, Expected{"calls_either", 64, 0.001},
                      Expected{"calls_either_apart", 64, 0.001}, Expected{"calls_fibonacci", 64, 0},
                      Expected{"calls_tree", 64, 0.001}, Expected{"calls_walk", 64, 0.001},
                      Expected{"calls_cases", 64, 0.001}, Expected{"calls_ping", 64, 0.001},
                      Expected{"calls_ackermann", 64, 0}, Expected{"calls_quicksort", 62, 0.01},
                      // Of three lanes and more it is not known how often a BSYNC does not wait for those that stand back.
                      Expected{"calls_straight_yielding", 64, 0.005}, Expected{"calls_either_yielding", 62, 0.005},
                      Expected{"calls_either_apart_yielding", 48, 0.005},
                      Expected{"calls_fibonacci_yielding", 64, 0.005}, Expected{"calls_tree_yielding", 44, 0.02},
                      Expected{"calls_walk_yielding", 34, 0.025}, Expected{"calls_cases_yielding", 48, 0.02},
                      Expected{"calls_ping_yielding", 41, 0.02}, Expected{"calls_ackermann_yielding", 64, 0.005},
                      Expected{"calls_quicksort_yielding", 43, 0.02}),
    [](const auto& test) { return std::string(test.param.kernel); });

TEST_P(Calls, LanesRunTogetherAsOnTheCard) {
  const json document = json::parse(std::ifstream(repository_file("tests/divergence/h200.json")));
  const json& kernels = document.at("kernels");
  const auto kernel = std::ranges::find_if(kernels, [](const json& one) { return one.at("name") == GetParam().kernel; });
  ASSERT_NE(kernel, kernels.end()) << "the card was not asked";
  Device device;
  const auto module = device.load("tests/divergence/calls.sm_90.cubin");
  const std::vector<std::uint32_t> zeros(std::size_t{blocks} * lanes);
  const DeviceAddress words = device.upload(zeros);
  const DeviceAddress results = device.upload(zeros);
  Launch launch = make_launch(module, GetParam().kernel, {blocks}, {lanes}, words, results);
  launch.stack_bytes = 8192;
  Emulator emulator(launch);
  const auto instructions = static_cast<double>(drive(emulator));
  const auto seen = device.download<std::uint32_t>(words, zeros.size());
  int equal = 0;
  for (std::size_t b = 0; b < blocks; ++b)
    if (fmt::format("{:08x}", hash_of(&seen[b * lanes], lanes)) == kernel->at("warps").at(b)) ++equal;
  EXPECT_GE(equal, GetParam().warps);
  const auto returned = device.download<std::uint32_t>(results, zeros.size());
  EXPECT_EQ(fmt::format("{:08x}", hash_of(returned.data(), returned.size())), kernel->at("results"));
  const double on_card = kernel->at("instructions").get<double>();
  EXPECT_NEAR(instructions, on_card, GetParam().instructions * on_card);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
