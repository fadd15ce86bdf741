// Kernels whose blocks talk to each other: any number of threads gives the same report and the same memory.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "calib/loader.h"
#include "model/machine.h"
#include "model/report/render.h"
#include "tests/validation/suite_runner.h"

namespace warpgauge::validation {
namespace {

struct Outcome {
  std::string report;
  std::vector<std::byte> memory;
};

Outcome predict(const std::string& name, unsigned threads) {
  static const model::Machine machine(
      calib::load(WARPGAUGE_SOURCE_DIR "/calib/devices/h200/calibration.json"));
  model::Report report;
  const testing::SuiteCase done(name, 90, [&](emulator::Emulator& stream) {
    model::RunOptions options;
    options.threads = threads;
    options.per_instruction = true;
    report.kernels.push_back(machine.run(stream, options));
  });
  return {model::to_json(report), done.memory_after()};
}

class Threads : public ::testing::TestWithParam<const char*> {};

TEST_P(Threads, ChangeNeitherTheReportNorTheMemory) {
  const Outcome alone = predict(GetParam(), 1);
  EXPECT_EQ(alone.memory.empty(), false);
  for (const unsigned threads : {2U, 5U}) {
    const Outcome together = predict(GetParam(), threads);
    EXPECT_EQ(together.report, alone.report) << threads;
    EXPECT_EQ(together.memory, alone.memory) << threads;
  }
}

// Flags and spinning, atomics whose results choose addresses, unordered float sums, races between plain
// accesses.
INSTANTIATE_TEST_SUITE_P(Suite, Threads,
                         ::testing::Values("scan_look_back/wave", "bfs_frontier/small",
                                           "histogram_global/skewed", "atomic_float/few",
                                           "atomic_result/under", "label_spread/uniform", "copy_32/l1"));

}  // namespace
}  // namespace warpgauge::validation
