// Calls whose targets lie in memory: tables and variables of the module, pointers that kernels and hosts hand
// on, virtual functions.
#include <gtest/gtest.h>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

struct Case {
  std::string architecture;
  Mode mode;
};

class FunctionPointers : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr std::uint32_t blocks = 3;
  static constexpr std::uint32_t threads = 96;
  static constexpr std::size_t count = std::size_t{blocks} * threads;

  FunctionPointers()
      : module(device.load("tests/emulator/data/function_pointers." + GetParam().architecture + ".cubin")),
        values(count) {
    std::mt19937 generator(7);
    for (unsigned& value : values) value = static_cast<unsigned>(generator());
    in = device.upload(values);
    out = device.upload(std::vector<unsigned>(count));
  }

  template <class... Arguments>
  void launch(const std::string& kernel, std::uint32_t grid, std::uint32_t block,
              const Arguments&... arguments) {
    Launch prepared = make_launch(module, kernel, {grid}, {block}, arguments...);
    prepared.stack_bytes = 1024;
    run(prepared, GetParam().mode);
  }
  std::vector<unsigned> results() { return device.download<unsigned>(out, count); }

  Device device;
  std::shared_ptr<Module> module;
  std::vector<unsigned> values;
  DeviceAddress in = 0;
  DeviceAddress out = 0;
};

INSTANTIATE_TEST_SUITE_P(All, FunctionPointers,
                         ::testing::Values(Case{"sm_75", Mode::functional}, Case{"sm_80", Mode::functional},
                                           Case{"sm_90", Mode::functional}, Case{"sm_75", Mode::issued},
                                           Case{"sm_80", Mode::issued}, Case{"sm_90", Mode::issued}),
                         [](const auto& test) {
                           return test.param.architecture +
                                  (test.param.mode == Mode::issued ? "_issued" : "_functional");
                         });

unsigned call(unsigned entry, unsigned a, unsigned b) {
  switch (entry) {
    case 0:
      return a + b;
    case 1:
      return a * b;
    case 2:
      return std::rotl(a, static_cast<int>(b % 32));
    default:
      return b % 4 == 0 ? a : call(b % 3, a, b) ^ call(3, a + 1, b - 1);
  }
}

TEST_P(FunctionPointers, EachLaneCallsTheEntryOfATableThatItsDataNames) {
  launch("through_table", blocks, threads, in, out);
  const std::vector<unsigned> got = results();
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(got[i], call(values[i] % 4, values[i], values[i] >> 8)) << i;
}

TEST_P(FunctionPointers, AVariableHoldsWhatTheModuleOrAKernelPutThere) {
  const auto expect = [&](unsigned entry) {
    launch("through_variable", blocks, threads, in, out);
    const std::vector<unsigned> got = results();
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(got[i], call(entry, values[i], static_cast<unsigned>(i))) << i;
  };
  expect(1);
  const DeviceAddress seen = device.upload(std::vector<std::uint64_t>(1));
  for (const unsigned entry : {2U, 3U, 0U}) {
    launch("choose", 1, 1, entry, seen);
    expect(entry);
  }
}

TEST_P(FunctionPointers, APointerThatAKernelWroteCanBeAnArgument) {
  const DeviceAddress seen = device.upload(std::vector<std::uint64_t>(1));
  launch("choose", 1, 1, 2U, seen);
  launch("through_argument", blocks, threads, in, out, device.download<std::uint64_t>(seen, 1)[0]);
  const std::vector<unsigned> got = results();
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(got[i], call(2, values[i], static_cast<unsigned>(i))) << i;
}

TEST_P(FunctionPointers, VirtualFunctionsAreThoseOfTheObject) {
  const DeviceAddress places = device.upload(std::vector<std::uint64_t>(count));
  const DeviceAddress storage = device.upload(std::vector<std::uint64_t>(2 * count));
  launch("make_shapes", blocks, threads, in, places, storage);
  launch("through_virtual", blocks, threads, places, out);
  const std::vector<unsigned> got = results();
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned v = values[i];
    const auto scale = static_cast<unsigned>(i);
    ASSERT_EQ(got[i], v % 3 == 0 ? v + scale : v * v * scale) << i;
  }
}

TEST_P(FunctionPointers, APointerToNoFunctionIsAFault) {
  const auto fault_of = [&](std::uint64_t pointer) {
    try {
      launch("through_argument", 1, 32, in, out, pointer);
    } catch (const Fault& fault) {
      return fault;
    }
    return Fault(FaultKind::launch_failure, "nothing went wrong");
  };
  // A pointer to a function names a place in a constant bank; at the null pointer's there is an odd address.
  EXPECT_EQ(fault_of(0).kind(), FaultKind::invalid_program_counter);
  EXPECT_EQ(fault_of(0).cuda_error(), 718);
  EXPECT_EQ(fault_of(0x12345670).cuda_error(), 700);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
