// What goes wrong in a program is one exception with its place, as a memory checker words it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Faults : public ::testing::TestWithParam<Mode> {
 protected:
  template <class... Arguments>
  Fault fault_of(const std::string& kernel, std::uint32_t threads, std::uint32_t shared,
                 const Arguments&... arguments) {
    Launch launch = make_launch(device.load("tests/emulator/data/faults.sm_90.cubin"), kernel, {2}, {threads},
                                arguments...);
    launch.dynamic_shared_bytes = shared;
    try {
      run(launch, GetParam());
    } catch (const Fault& fault) {
      return fault;
    }
    return Fault(FaultKind::launch_failure, "nothing went wrong");
  }
  Device device;
};

INSTANTIATE_TEST_SUITE_P(Both, Faults, ::testing::Values(Mode::functional, Mode::issued),
                         [](const auto& test) {
                           return test.param == Mode::functional ? "functional" : "issued";
                         });

TEST_P(Faults, AStoreBehindAnAllocationNamesEverything) {
  const DeviceAddress to = device.upload(std::vector<unsigned>(100));
  const Fault fault = fault_of("store_at", 32, 0, to, 103LL);
  EXPECT_EQ(fault.kind(), FaultKind::illegal_address);
  EXPECT_EQ(fault.cuda_error(), 700);
  EXPECT_EQ(fault.site().thread, (traces::Dim3{5, 0, 0}));
  EXPECT_EQ(fault.site().block, (traces::Dim3{0, 0, 0}));
  EXPECT_THAT(fault.what(),
              AllOf(HasSubstr("write of 4 bytes"), HasSubstr("12 bytes after the nearest"),
                    HasSubstr("of 400 bytes"), HasSubstr("STG"), HasSubstr("in kernel store_at")));
}

TEST_P(Faults, NullIsAnIllegalAddress) {
  const DeviceAddress to = device.upload(std::vector<unsigned>(1));
  const Fault fault = fault_of("load_at", 1, 0, DeviceAddress{0}, to, 16LL);
  EXPECT_EQ(fault.kind(), FaultKind::illegal_address);
  EXPECT_THAT(fault.what(), HasSubstr("read of 4 bytes at 0x10 "));
}

TEST_P(Faults, ReleasedMemoryIsSaidToBeReleased) {
  const DeviceAddress to = device.upload(std::vector<unsigned>(1));
  const DeviceAddress from = device.upload(std::vector<unsigned>(4));
  device.memory.release(from);
  EXPECT_THAT(fault_of("load_at", 1, 0, from, to, 4LL).what(), HasSubstr("in released memory"));
}

TEST_P(Faults, AMisalignedReadHasItsOwnCode) {
  const DeviceAddress to = device.upload(std::vector<unsigned>(4));
  const Fault fault = fault_of("load_at", 1, 0, to, to, 2LL);
  EXPECT_EQ(fault.kind(), FaultKind::misaligned_address);
  EXPECT_EQ(fault.cuda_error(), 716);
}

TEST_P(Faults, SharedMemoryEndsWhereTheLaunchSays) {
  const DeviceAddress to = device.upload(std::vector<unsigned>(64));
  EXPECT_EQ(fault_of("shared_at", 64, 256, to, 1U).kind(), FaultKind::launch_failure);  // fits: no fault
  const Fault fault = fault_of("shared_at", 64, 252, to, 1U);
  EXPECT_EQ(fault.kind(), FaultKind::shared_out_of_range);
  EXPECT_EQ(fault.site().thread, (traces::Dim3{63, 0, 0}));
}

TEST_P(Faults, SharedAtomicsAreChecked) {
  const DeviceAddress to = device.upload(std::vector<unsigned>(4));
  EXPECT_EQ(fault_of("shared_atomic", 1, 16, to, 16U).kind(), FaultKind::shared_out_of_range);
  EXPECT_EQ(fault_of("shared_atomic", 1, 16, to, 2U).kind(), FaultKind::misaligned_address);
}

TEST_P(Faults, ATrapStopsTheProgram) {
  const Fault fault = fault_of("stop", 64, 0, 33U);
  EXPECT_EQ(fault.kind(), FaultKind::trap);
  EXPECT_EQ(fault.site().thread, (traces::Dim3{33, 0, 0}));
}

TEST(Deadlock, ABarrierThatAWarpNeverReachesIsReported) {
  Device device;
  const DeviceAddress to = device.upload(std::vector<unsigned>(64));
  const auto module = device.load("tests/emulator/data/faults.sm_90.cubin");
  try {
    run(make_launch(module, "missing_warp", {1}, {64}, to));
    FAIL() << "no fault";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::barrier_deadlock);
    EXPECT_EQ(fault.cuda_error(), 702);
    EXPECT_THAT(fault.what(), HasSubstr("not all threads"));
  }
}

TEST(LaunchChecks, ArgumentsMustFitTheKernel) {
  Device device;
  const auto module = device.load("tests/emulator/data/faults.sm_90.cubin");
  EXPECT_THROW(make_launch(module, "store_at", {1}, {32}, DeviceAddress{1}), Fault);
  EXPECT_THROW(make_launch(module, "store_at", {1}, {32}, DeviceAddress{1}, 3), Fault);
  Launch launch = make_launch(module, "stop", {1}, {32}, 1U);
  launch.parameters.push_back(0);
  EXPECT_THROW(Emulator{launch}, Fault);
}

TEST(LaunchChecks, ShapesMustBePossible) {
  Device device;
  const auto module = device.load("tests/emulator/data/faults.sm_90.cubin");
  EXPECT_THROW(Emulator{make_launch(module, "stop", {0}, {32}, 1U)}, Fault);
  EXPECT_THROW(Emulator{make_launch(module, "stop", {1}, {1025}, 1U)}, Fault);
  EXPECT_THROW(Emulator{make_launch(module, "stop", {1}, {32, 33}, 1U)}, Fault);
  EXPECT_THROW(Emulator{make_launch(module, "stop", {1}, {0}, 1U)}, Fault);
  EXPECT_NO_THROW(Emulator{make_launch(module, "stop", {1}, {1024}, 1U)});
}

TEST(Refusals, AnUnknownWordStopsTheProgramOnlyWhereItIsReached) {
  std::vector<sass::Instruction> code(2);
  code[0].word = {0xfffULL, 0};
  const Program program(code);
  ASSERT_EQ(program.refusals().size(), 2U);
  EXPECT_EQ(program.refusals()[0].index, 0U);
  EXPECT_EQ(program.ops().size(), 3U);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
