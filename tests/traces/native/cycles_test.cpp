// A replay takes as many cycles as the run that it was recorded from, on every device.
#include <gtest/gtest.h>

#include <set>

#include "calib/loader.h"
#include "model/machine.h"
#include "model/report/render.h"
#include "tests/traces/native/support.h"
#include "traces/native/record.h"
#include "traces/native/replay.h"

namespace warpgauge::native::test {
namespace {

using emulator::testing::PreparedCase;
using emulator::testing::repository_file;

struct Program {
  const char* name;
  const char* cubin;  // without the architecture
  const char* launch;
};

const Program programs[] = {
    {"saxpy", "examples/saxpy/saxpy.",
     R"({"kernel": "saxpy", "grid": [300, 1, 1], "block": [256, 1, 1], "arguments": [{"i32": 76000}, {"f32": 2.0},
         {"buffer": {"bytes": 304000, "fill": "random_f32", "seed": 1, "min": -1, "max": 1}},
         {"buffer": {"bytes": 304000, "fill": "zero"}}]})"},
    {"reduction", "examples/reduction/reduction.",
     R"({"kernel": "reduction", "grid": [64, 1, 1], "block": [256, 1, 1], "arguments": [{"i32": 50000},
         {"buffer": {"bytes": 200000, "fill": "random_f32", "seed": 1, "min": -1, "max": 1}},
         {"buffer": {"bytes": 256, "fill": "zero"}}]})"},
    {"sgemm", "examples/sgemm/sgemm.",
     R"({"kernel": "sgemm", "grid": [2, 2, 1], "block": [16, 16, 1], "arguments": [{"i32": 128}, {"i32": 64},
         {"buffer": {"bytes": 65536, "fill": "random_f32", "seed": 1, "min": -1, "max": 1}},
         {"buffer": {"bytes": 65536, "fill": "random_f32", "seed": 2, "min": -1, "max": 1}},
         {"buffer": {"bytes": 65536, "fill": "zero"}}]})"},
};

class Cycles : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  Cycles()
      : calibration_(calib::load_device(repository_file("calib/devices"), GetParam().first)),
        machine_(calibration_) {}

  std::string report(traces::WarpStream& stream, unsigned threads = 1) {
    model::RunOptions options;
    options.per_instruction = true;
    options.threads = threads;
    model::Report report;
    report.kernels.push_back(machine_.run(stream, options));
    EXPECT_GT(report.kernels[0].cycles, 100U);
    return model::to_json(report);
  }

  // The report of the execution, of a trace recorded without timing, and of one recorded with it.
  void check(const std::string& cubin, const std::string& launch) {
    PreparedCase executed(cubin, launch);
    const std::string expected = report(executed.emulator());
    const TemporaryFile file;
    {
      PreparedCase alone(cubin, launch);
      PreparedCase timed(cubin, launch);
      Writer writer(file.path());
      record(writer, alone.launch(), alone.emulator(), 0);
      record(writer, timed.launch(), timed.emulator(), 0,
             [&](traces::WarpStream& stream) { EXPECT_EQ(report(stream), expected); });
      writer.finish();
    }
    const Reader reader(file.path());
    EXPECT_EQ(reader.modules(), 1U);
    for (const std::size_t k : {0U, 1U}) {
      const auto trace = reader.kernel(k);
      for (const unsigned threads : {1U, 2U}) {
        ReplayStream replay(*trace);
        EXPECT_EQ(report(replay, threads), expected);
      }
    }
  }

  calib::Calibration calibration_;
  model::Machine machine_;
};

INSTANTIATE_TEST_SUITE_P(Devices, Cycles,
                         ::testing::Values(std::pair{"v100", "sm_70"}, std::pair{"t4", "sm_75"},
                                           std::pair{"h200", "sm_90"}),
                         [](const auto& test) { return std::string(test.param.first); });

TEST_P(Cycles, OfTheExamplesAreTheSame) {
  for (const Program& program : programs) {
    SCOPED_TRACE(program.name);
    check(std::string(program.cubin) + GetParam().second + ".cubin", program.launch);
  }
}

// The emulator's programs are built from sm_75 on.
class ProgramCycles : public Cycles {};
INSTANTIATE_TEST_SUITE_P(Devices, ProgramCycles,
                         ::testing::Values(std::pair{"t4", "sm_75"}, std::pair{"h200", "sm_90"}),
                         [](const auto& test) { return std::string(test.param.first); });

// Divergence, named barriers, local memory, atomics that do not decide what comes next, matrices, copies,
// matches.
TEST_P(ProgramCycles, AreTheSame) {
  const std::string sm = std::string(GetParam().second).substr(3);
  const emulator::testing::Suite suite = emulator::testing::read_suite("tests/programs/suite.json");
  const std::set<std::string> wanted{"nested_branches", "switch_table", "function_pointers", "block_scan",
                                     "local_wide",      "atomics_32",   "histogram_256",     "async_copies",
                                     "shuffle_modes",   "hash_rounds",  "match_values"};
  unsigned checked = 0;
  for (const emulator::testing::SuiteCase& one : suite.cases) {
    if (!wanted.contains(one.name) || one.minimum_architecture > std::stoul(sm)) continue;
    SCOPED_TRACE(one.name);
    check(cubin_of(suite, one, sm), one.launch);
    ++checked;
  }
  EXPECT_GE(checked, 9U);
}

}  // namespace
}  // namespace warpgauge::native::test
