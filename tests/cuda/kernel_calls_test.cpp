#include "traces/cuda/kernel_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::cuda {
namespace {

using namespace emulator;
using namespace emulator::testing;

using ::testing::AllOf;
using ::testing::HasSubstr;

class KernelCallsOfKernels : public ::testing::Test {
 protected:
  Launch served(Launch launch) {
    calls.heap().prepare();
    launch.system_calls = &calls;
    return launch;
  }
  Device device;
  KernelCalls calls{device.memory};
  std::shared_ptr<Module> module = device.load("tests/cuda/data/kernel_calls.sm_90.cubin");
};

TEST_F(KernelCallsOfKernels, PrintfWritesWhatTheHostsPrintfWould) {
  const DeviceAddress from = device.upload(std::vector<unsigned>{77, 4000000000U});
  ::testing::internal::CaptureStdout();
  run(served(make_launch(module, "prints", {1}, {32}, from, -3)));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "-3|   77|zero  |1.500|-5000000000|a|4d|%|   7\n"
            "-3|4000000000|one   |2.500|-5000000000|b|4d|%|   7\n");
}

// Passes calls on and keeps what they are said to take.
class Listener final : public SystemCalls {
 public:
  explicit Listener(SystemCalls& to) : to_(to) {}
  traces::DriverCall call(Block& block, Warp& warp, const std::string& function, std::uint32_t mask) override {
    heard.push_back(to_.call(block, warp, function, mask));
    return heard.back();
  }
  std::vector<traces::DriverCall> heard;

 private:
  SystemCalls& to_;
};

TEST_F(KernelCallsOfKernels, SayWhatTheirTimeHangsOn) {
  using Function = traces::DriverCall::Function;
  calls.heap().prepare();
  Listener listener(calls);
  Launch prints = make_launch(module, "prints", {1}, {32}, device.upload(std::vector<unsigned>{77, 4000000000U}), -3);
  prints.system_calls = &listener;
  ::testing::internal::CaptureStdout();
  run(prints);
  ::testing::internal::GetCapturedStdout();
  ASSERT_EQ(listener.heard.size(), 1U);
  const traces::DriverCall& print = listener.heard[0];
  EXPECT_EQ(print.function, Function::print);
  EXPECT_EQ(print.lanes, 2);
  EXPECT_EQ(print.passed, 0);
  EXPECT_EQ(print.arguments, 9);
  EXPECT_EQ(print.characters, std::strlen("%d|%5u|%-6s|%.3f|%lld|%c|%x|%%|%*d\n"));
  EXPECT_EQ(print.string_characters, 4) << "of \"zero\"";

  listener.heard.clear();
  Launch allocates = make_launch(module, "allocates", {1}, {64}, device.upload(std::vector<unsigned>(64)), 10);
  allocates.system_calls = &listener;
  run(allocates);
  ASSERT_FALSE(listener.heard.empty());
  EXPECT_EQ(listener.heard[0].function, Function::allocate);
  EXPECT_EQ(listener.heard[0].lanes, 32);
  EXPECT_EQ(listener.heard.back().function, Function::release);
}

TEST_F(KernelCallsOfKernels, MallocGivesEachThreadMemoryOfItsOwn) {
  const DeviceAddress to = device.upload(std::vector<unsigned>(64));
  run(served(make_launch(module, "allocates", {1}, {64}, to, 10)));
  const auto sums = device.download<unsigned>(to, 64);
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(sums[t], t * 1000 + 45);
}

TEST_F(KernelCallsOfKernels, AFailedAssertionSaysWhatAndWhere) {
  const Launch launch = served(make_launch(module, "asserts", {1}, {32}, 8));
  ::testing::internal::CaptureStderr();
  try {
    run(launch);
    FAIL() << "no fault";
  } catch (const Fault& fault) {
    // One line a thread, as a card's driver writes them.
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr(".cu:18: void asserts(int): block: [0,0,0], thread: [3,0,0] Assertion `"));
    EXPECT_EQ(fault.kind(), FaultKind::assertion);
    EXPECT_EQ(fault.cuda_error(), 710);
    EXPECT_THAT(fault.what(),
                AllOf(HasSubstr("n < static_cast<int>(threadIdx.x) + 5"), HasSubstr("asserts")));
  }
}

TEST_F(KernelCallsOfKernels, UnservedAreRefusedByName) {
  const DeviceAddress from = device.upload(std::vector<unsigned>(2));
  try {
    run(make_launch(module, "prints", {1}, {32}, from, 1));
    FAIL() << "no fault";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::unsupported_instruction);
    EXPECT_THAT(fault.what(), HasSubstr("vprintf"));
  }
}

}  // namespace
}  // namespace warpgauge::cuda
