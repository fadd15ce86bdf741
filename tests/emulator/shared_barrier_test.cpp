// Barrier objects of shared memory (mbarrier): what the PTX ISA says of them, worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/emulator/device_fixture.h"
#include "traces/emulator/fault.h"

namespace warpgauge::emulator::testing {
namespace {

struct Case {
  std::string architecture;
  Mode mode;
};

class SharedBarriers : public ::testing::TestWithParam<Case> {
 protected:
  SharedBarriers()
      : module(device.load("tests/emulator/data/shared_barriers." + GetParam().architecture + ".cubin")) {}

  template <class... Arguments>
  void launch(const std::string& kernel, std::uint32_t grid, std::uint32_t block,
              const Arguments&... arguments) {
    run(make_launch(module, kernel, {grid}, {block}, arguments...), GetParam().mode);
  }

  Device device;
  std::shared_ptr<Module> module;
};

INSTANTIATE_TEST_SUITE_P(All, SharedBarriers,
                         ::testing::Values(Case{"sm_80", Mode::functional}, Case{"sm_90", Mode::functional},
                                           Case{"sm_80", Mode::issued}, Case{"sm_90", Mode::issued}),
                         [](const auto& test) {
                           return test.param.architecture +
                                  (test.param.mode == Mode::functional ? "_functional" : "_issued");
                         });

TEST_P(SharedBarriers, HoldThreadsUntilAllHaveArrivedRoundAfterRound) {
  constexpr std::uint32_t blocks = 3;
  constexpr std::uint32_t threads = 200;
  constexpr std::uint32_t rounds = 7;
  std::vector<unsigned> values(std::size_t{blocks} * threads);
  std::mt19937 generator(3);
  for (unsigned& value : values) value = static_cast<unsigned>(generator());
  const DeviceAddress memory = device.upload(values);
  launch("meet", blocks, threads, memory, rounds);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const auto first = values.begin() + std::ptrdiff_t{block} * threads;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (std::uint32_t i = 0; i < threads; ++i) first[i] = 2 * first[i] + round;
      std::rotate(first, first + threads - 1, first + threads);
    }
  }
  EXPECT_EQ(device.download<unsigned>(memory, values.size()), values);
}

TEST_P(SharedBarriers, AreReachedByAsynchronousCopies) {
  constexpr std::uint32_t blocks = 2;
  constexpr std::uint32_t threads = 128;
  constexpr std::uint32_t tiles = 9;
  std::vector<unsigned> words(std::size_t{blocks} * tiles * threads * 4);
  std::mt19937 generator(5);
  for (unsigned& word : words) word = static_cast<unsigned>(generator());
  const DeviceAddress in = device.upload(words);
  std::vector<unsigned> expected;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    unsigned sum = 0;
    const std::size_t first = std::size_t{block} * tiles * threads * 4;
    for (std::size_t k = 0; k < std::size_t{tiles} * threads * 4; ++k)
      sum += static_cast<unsigned>(2 * (k % 4) + 1) * words[first + k];
    expected.insert(expected.end(), threads, sum);
  }
  for (const char* const kernel : {"sum_tiles_counted", "sum_tiles_uncounted"}) {
    const DeviceAddress sums = device.upload(std::vector<unsigned>(expected.size()));
    launch(kernel, blocks, threads, sums, in, tiles);
    EXPECT_EQ(device.download<unsigned>(sums, expected.size()), expected) << kernel;
  }
}

TEST_P(SharedBarriers, CountArrivalsOfAllKinds) {
  const DeviceAddress out = device.upload(std::vector<unsigned>(64));
  launch("count_down", 1, 32, out);
  const auto counts = device.download<unsigned>(out, 64);
  // 100 to come; one arrives, then 10; one drops out, then 8; 79 arrive, then the last. 91 come next time.
  EXPECT_EQ(std::vector<unsigned>(counts.begin(), counts.begin() + 10),
            (std::vector<unsigned>{100, 99, 89, 88, 80, 0, 1, 1, 91, 0}));
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(counts[32 + i], 1000 - 3 * i) << i;
}

TEST_P(SharedBarriers, MayDifferFromLaneToLane) {
  const DeviceAddress out = device.upload(std::vector<unsigned>(32));
  launch("count_in_lanes", 1, 32, out);
  const auto counts = device.download<unsigned>(out, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(counts[i], i % 3 == 1 ? 0 : 100 + i / 4) << i;
}

TEST_P(SharedBarriers, ThatNoOneCompletesAreADeadlock) {
  const DeviceAddress out = device.upload(std::vector<unsigned>(64));
  Launch waits = make_launch(module, "wait_for_nobody", {1}, {64}, out);
  waits.patience = 4096;
  try {
    run(waits, GetParam().mode);
    FAIL() << "it ended";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::barrier_deadlock) << fault.what();
  }
}

TEST(SharedBarriersOfHopper, WaitForTheBytesThatAreExpected) {
  Device device;
  const auto module = device.load("tests/emulator/data/shared_barriers.sm_90.cubin");
  const DeviceAddress out = device.upload(std::vector<unsigned>(8));
  run(make_launch(module, "expect_bytes", {1}, {32}, out), Mode::functional);
  EXPECT_EQ(device.download<unsigned>(out, 8), (std::vector<unsigned>{0, 1, 0, 0, 1, 0, 0, 1}));
}

}  // namespace
}  // namespace warpgauge::emulator::testing
