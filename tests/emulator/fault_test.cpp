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

TEST_P(Faults, AStoreBehindAnAllocationPassesWhereBoundsAreOfPages) {
  device.memory.set_bounds(DeviceMemory::Bounds::of_pages);
  const DeviceAddress to = device.upload(std::vector<unsigned>(100));
  EXPECT_THAT(fault_of("store_at", 32, 0, to, 103LL).what(), HasSubstr("nothing went wrong"));
  EXPECT_THAT(device.memory.take_stray(),
              AllOf(HasSubstr("write of 4 bytes"), HasSubstr("12 bytes after the nearest"),
                    HasSubstr("of 400 bytes")));
  EXPECT_EQ(device.memory.take_stray(), "");
  EXPECT_EQ(fault_of("store_at", 32, 0, to, static_cast<long long>(DeviceMemory::device_page_bytes)).kind(),
            FaultKind::illegal_address);
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
  EXPECT_EQ(fault_of("shared_at", 64, 252, to, 1U).kind(), FaultKind::launch_failure) << "in whole units of memory";
  const Fault fault = fault_of("shared_at", 96, 256, to, 1U);
  EXPECT_EQ(fault.kind(), FaultKind::shared_out_of_range);
  EXPECT_EQ(fault.site().thread, (traces::Dim3{64, 0, 0}));
}

TEST_P(Faults, SharedAtomicsAreChecked) {
  const DeviceAddress to = device.upload(std::vector<unsigned>(4));
  EXPECT_EQ(fault_of("shared_atomic", 1, 16, to, 1024U).kind(), FaultKind::shared_out_of_range);
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

// What never comes, waited for by lanes, warps and blocks.
struct Wait {
  std::string kernel;
  std::uint32_t blocks;
  std::uint32_t threads;
  bool cooperative;
};

class WaitsInVain : public ::testing::TestWithParam<std::tuple<std::string, Wait>> {
 protected:
  Launch launch() {
    const Wait& wait = std::get<Wait>(GetParam());
    const auto module = device.load("tests/emulator/data/waits." + std::get<0>(GetParam()) + ".cubin");
    const DeviceAddress flag = device.upload(std::vector<unsigned>(1));
    const DeviceAddress out = device.upload(std::vector<unsigned>(2048));
    std::vector<std::vector<std::uint8_t>> arguments{bytes_of(flag), bytes_of(out)};
    if (module->kernel(wait.kernel).parameters.size() == 1)
      arguments.erase(arguments.begin() + (wait.kernel == "lane_waits_before_barrier" ? 1 : 0));
    Launch made;
    made.module = module;
    made.kernel = wait.kernel;
    made.grid = {wait.blocks};
    made.block = {wait.threads};
    made.parameters = pack_parameters(module->kernel(wait.kernel), arguments);
    made.cooperative = wait.cooperative;
    made.patience = 4096;
    return made;
  }
  void expect_deadlock(Mode mode) {
    try {
      run(launch(), mode);
      FAIL() << "it ended";
    } catch (const Fault& fault) {
      EXPECT_EQ(fault.kind(), FaultKind::barrier_deadlock) << fault.what();
      EXPECT_EQ(fault.cuda_error(), 702);
      EXPECT_THAT(fault.what(), AllOf(HasSubstr("deadlock: "), HasSubstr(std::get<Wait>(GetParam()).kernel),
                                      HasSubstr("by thread (")));
    }
  }
  Device device;
};

INSTANTIATE_TEST_SUITE_P(
    ThatNeverEnd, WaitsInVain,
    ::testing::Combine(
        ::testing::Values("sm_75", "sm_80", "sm_90"),
        ::testing::Values(Wait{"lane_waits_before_barrier", 1, 64, false},
                          Wait{"lane_skips_barrier", 1, 64, false}, Wait{"lane_misses_warp", 1, 32, false},
                          Wait{"halves_miss_each_other", 1, 32, false}, Wait{"spin", 1, 1, false},
                          Wait{"spin", 40, 64, false}, Wait{"spin", 12, 32, true},
                          Wait{"spin_asleep", 3, 33, false}, Wait{"spin_on_atomic", 2, 32, false},
                          Wait{"spin_in_shared", 2, 64, false}, Wait{"lock_twice", 3, 1, false},
                          Wait{"branch_to_itself", 2, 64, false})),
    [](const auto& test) {
      const Wait& wait = std::get<Wait>(test.param);
      return wait.kernel + "_" + std::to_string(wait.blocks) + (wait.cooperative ? "_cooperative_" : "_") +
             std::get<0>(test.param);
    });

TEST_P(WaitsInVain, AreADeadlockInARunWithoutTiming) {
  expect_deadlock(Mode::functional);
}

// Where a model issues, it sees for itself that no warp can move; what it cannot see is that those which do
// move wait in vain.
TEST(Waits, InVainAreADeadlockInAModelToo) {
  for (const std::string kernel : {"spin", "spin_asleep", "spin_on_atomic"}) {
    Device device;
    const auto module = device.load("tests/emulator/data/waits.sm_90.cubin");
    const DeviceAddress flag = device.upload(std::vector<unsigned>(1));
    Launch launch = make_launch(module, kernel, {2}, {64}, flag, flag);
    launch.patience = 256;
    try {
      run(launch, Mode::issued);
      ADD_FAILURE() << kernel << " ended";
    } catch (const Fault& fault) {
      EXPECT_EQ(fault.kind(), FaultKind::barrier_deadlock) << fault.what();
    }
  }
}

TEST(Waits, ForABlockThatTakesItsTimeAreNone) {
  for (const Mode mode : {Mode::functional, Mode::issued}) {
    Device device;
    const auto module = device.load("tests/emulator/data/waits.sm_90.cubin");
    const DeviceAddress flag = device.upload(std::vector<unsigned>(1));
    const DeviceAddress out = device.upload(std::vector<unsigned>(64));
    Launch launch = make_launch(module, "wait_for_last", {2}, {64}, flag, out, 40000U);
    launch.patience = 16384;
    EXPECT_NO_THROW(run(launch, mode));
    EXPECT_EQ(device.download<unsigned>(flag, 1)[0], 1U);
  }
}

// An H200 counts as many instructions whether all lanes name each other or each only itself.
TEST(Waits, AmongLanesThatAreThereDoNotPartThem) {
  std::vector<std::uint64_t> issues;
  for (const unsigned kinds : {1U, 4U, 32U}) {
    Device device;
    std::vector<unsigned> values(32);
    for (unsigned lane = 0; lane < 32; ++lane) values[lane] = lane % kinds;
    const DeviceAddress out = device.upload(std::vector<unsigned>(64));
    Emulator emulator(make_launch(device.load("tests/emulator/data/named_lanes.sm_90.cubin"),
                                  "wait_for_equals", {1}, {32}, out, device.upload(values)));
    issues.push_back(drive(emulator));
    const std::vector<unsigned> results = device.download<unsigned>(out, 64);
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(results[32 + lane], results[lane % kinds] + 1) << lane;
  }
  EXPECT_EQ(issues[1], issues[0]);
  EXPECT_EQ(issues[2], issues[0]);
}

// What an H200 gave (driver 580.159.04, 2026-11-21) for ballots whose lanes name different ones.
class Ballots : public ::testing::Test {
 protected:
  std::vector<unsigned> run_kind(unsigned kind) {
    const DeviceAddress out = device.upload(std::vector<unsigned>(64));
    run(make_launch(device.load("tests/emulator/data/waits.sm_90.cubin"), "ballot_among", {1}, {32}, out,
                    kind, pattern));
    return device.download<unsigned>(out, 64);
  }
  static constexpr unsigned pattern = 0x9248f731;
  Device device;
};

TEST_F(Ballots, AmongThoseThatLeaveTheirCallerOutAreIllegalInstructions) {
  for (const unsigned kind : {0U, 3U}) {
    try {
      run_kind(kind);
      ADD_FAILURE() << kind << " ended";
    } catch (const Fault& fault) {
      EXPECT_EQ(fault.kind(), FaultKind::illegal_instruction) << fault.what();
      EXPECT_EQ(fault.cuda_error(), 715);
    }
  }
}

TEST_F(Ballots, OfLanesThatNameThoseBelowAreTheirOwnAlone) {
  const std::vector<unsigned> got = run_kind(1);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(got[lane], pattern & 1U << lane) << lane;
}

TEST_F(Ballots, OfFourPartsAreEachParts) {
  const std::vector<unsigned> got = run_kind(4);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(got[lane], pattern & 0x11111111U << lane % 4) << lane;
}

TEST_F(Ballots, OfTwoHalvesAreEachHalfs) {
  const std::vector<unsigned> got = run_kind(2);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[lane], pattern & (lane < 16 ? 0xffffU : 0xffff0000U)) << lane;
    EXPECT_EQ(got[32 + lane], (lane ^ 1U) * 100) << lane;
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
