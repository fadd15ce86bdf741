#include "traces/emulator/kernel_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Library : public ::testing::Test {
 protected:
  Launch with_library(Launch launch) {
    launch.system_calls = &library;
    return launch;
  }
  Device device;
  std::string printed;
  KernelLibrary library{device.memory, [this](std::string_view text) { printed += text; }};
  std::shared_ptr<Module> module = device.load("tests/emulator/data/library.sm_90.cubin");
};

TEST_F(Library, PrintfWritesWhatTheHostsPrintfWould) {
  const DeviceAddress from = device.upload(std::vector<unsigned>{77, 4000000000U});
  run(with_library(make_launch(module, "prints", {1}, {32}, from, -3)));
  EXPECT_EQ(printed,
            "-3|   77|zero  |1.500|-5000000000|a|4d|%|   7\n"
            "-3|4000000000|one   |2.500|-5000000000|b|4d|%|   7\n");
}

TEST_F(Library, MallocGivesEachThreadMemoryOfItsOwn) {
  const DeviceAddress to = device.upload(std::vector<unsigned>(64));
  run(with_library(make_launch(module, "allocates", {1}, {64}, to, 10)));
  const auto sums = device.download<unsigned>(to, 64);
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(sums[t], t * 1000 + 45);
}

TEST_F(Library, AFailedAssertionSaysWhatAndWhere) {
  try {
    run(with_library(make_launch(module, "asserts", {1}, {32}, 8)));
    FAIL() << "no fault";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::assertion);
    EXPECT_EQ(fault.cuda_error(), 710);
    EXPECT_THAT(fault.what(), AllOf(HasSubstr("n < static_cast<int>(threadIdx.x) + 5"),
                                    HasSubstr("library.cu"), HasSubstr("asserts")));
  }
}

TEST_F(Library, WithoutALibraryACallIsRefusedByName) {
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
}  // namespace warpgauge::emulator::testing
