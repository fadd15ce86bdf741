// `warpgauge run` from the outside: what it starts, what it times, what it reports.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace warpgauge::cuda {
namespace {

struct Outcome {
  int code = -1;
  std::string output;  // both streams
};

Outcome warpgauge(const std::string& arguments) {
  Outcome outcome;
  FILE* const pipe = popen((WARPGAUGE_BINARY " " + arguments + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.output.append(buffer.data(), n);
  outcome.code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

Outcome run(const std::string& options, const std::string& program = WARPGAUGE_LAUNCHES_PROGRAM,
            const std::string& arguments = WARPGAUGE_SOURCE_DIR "/examples/saxpy/saxpy.sm_90.cubin 3 0") {
  return warpgauge("run " + options + " -- " + program + " " + arguments);
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++found;
  return found;
}

TEST(Run, ReportsEveryLaunchAfterTheProgramsOwnOutput) {
  const Outcome outcome = run("--gpu h200");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(outcome.output.starts_with("launched 3\n")) << outcome.output;
  EXPECT_EQ(count(outcome.output, "Elapsed Cycles"), 3U);
}

int config_kib_of(const std::string& report) {
  std::ifstream file(report);
  return nlohmann::json::parse(file)["kernels"][0]["occupancy"]["shared_config_bytes"].get<int>() >> 10;
}

// What an H200 divides its SMs to: by_hand_h200.json, "wishes_for_carveouts" and "cache_configurations".
TEST(Run, AKernelsWishForACarveOutDividesTheSms) {
  const auto config_kib = [](const std::string& wishes) {
    const std::string path = ::testing::TempDir() + "warpgauge_run_wishes_test.json";
    const Outcome outcome = run("--quiet --json " + path, WARPGAUGE_LAUNCHES_PROGRAM,
                                WARPGAUGE_SOURCE_DIR "/examples/saxpy/saxpy.sm_90.cubin 1 0 1048576 " + wishes);
    EXPECT_EQ(outcome.output, "launched 1\n");
    return config_kib_of(path);
  };
  EXPECT_EQ(config_kib(""), 32);
  EXPECT_EQ(config_kib("a0"), 32) << "without shared memory of its own no less";
  EXPECT_EQ(config_kib("a100"), 228);
  EXPECT_EQ(config_kib("c1"), 228);
  EXPECT_EQ(config_kib("c3"), 132);
  EXPECT_EQ(config_kib("a25 c1"), 64) << "the attribute counts, whichever comes last";
  EXPECT_EQ(config_kib("c1 a-1"), 228);
}

TEST(Run, ARecordedLaunchKeepsItsWishForACarveOut) {
  const std::string trace = ::testing::TempDir() + "warpgauge_wishes_test.wgt", report = trace + ".json";
  for (const std::string wishes : {"", "a100"}) {
    EXPECT_EQ(warpgauge("trace record -o " + trace + " -- " WARPGAUGE_LAUNCHES_PROGRAM " " WARPGAUGE_SOURCE_DIR
                        "/examples/saxpy/saxpy.sm_90.cubin 1 0 1048576 " +
                        wishes)
                  .code,
              0);
    EXPECT_EQ(warpgauge("predict " + trace + " --gpu h200 --json " + report).code, 0);
    EXPECT_EQ(config_kib_of(report), wishes.empty() ? 32 : 228);
  }
}

// Cycles of the only launch of a report.
double cycles_of(const std::string& report) {
  std::ifstream file(report);
  return nlohmann::json::parse(file)["kernels"][0]["cycles"];
}

const std::string saxpy = WARPGAUGE_SOURCE_DIR "/examples/saxpy/saxpy.sm_90.cubin";
const std::string printing = WARPGAUGE_SOURCE_DIR "/tests/cuda/data/kernel_calls.sm_90.cubin";

// by_hand_h200.json, "host_kernels": 100,000 words that are read and written take an H200 27,000 cycles; these are 65,536.
TEST(Run, MemoryOfTheHostIsReadAndWrittenOverTheBus) {
  const std::string report = ::testing::TempDir() + "warpgauge_host_test.json";
  const auto cycles = [&](const std::string& where) {
    EXPECT_EQ(run("--quiet --json " + report, WARPGAUGE_CALLS_PROGRAM, where + " " + saxpy).code, 0);
    return cycles_of(report);
  };
  EXPECT_LT(cycles("device"), 7'000);
  EXPECT_NEAR(cycles("host"), 17'500, 3'000);
}

TEST(Run, AKernelThatPrintsTakesTheTimeOfItsPrintf) {
  const std::string report = ::testing::TempDir() + "warpgauge_print_test.json";
  EXPECT_EQ(run("--quiet --json " + report, WARPGAUGE_CALLS_PROGRAM, "print " + printing).code, 0);
  EXPECT_GT(cycles_of(report), 50'000);
  EXPECT_EQ(run("--quiet --set calls.print=0 --json " + report, WARPGAUGE_CALLS_PROGRAM, "print " + printing).code, 0);
  EXPECT_LT(cycles_of(report), 7'000);
}

// What it calls of the driver's, and where the host's memory lies.
TEST(Run, ARecordedLaunchTakesAsLongAsItsProgram) {
  const std::string trace = ::testing::TempDir() + "warpgauge_calls_test.wgt", report = trace + ".json";
  for (const std::string& program : {"print " + printing, "host " + saxpy}) {
    EXPECT_EQ(run("--quiet --json " + report, WARPGAUGE_CALLS_PROGRAM, program).code, 0);
    const double ran = cycles_of(report);
    EXPECT_EQ(warpgauge("trace record -o " + trace + " -- " WARPGAUGE_CALLS_PROGRAM " " + program).code, 0);
    EXPECT_EQ(warpgauge("predict " + trace + " --gpu h200 --json " + report).code, 0);
    EXPECT_EQ(cycles_of(report), ran) << program;
  }
}

TEST(Run, FunctionalRunsReportNothing) {
  const Outcome outcome = run("--functional");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, "launched 3\n");
}

TEST(Run, TheProgramsExitCodeIsTheCommands) {
  EXPECT_EQ(run("--functional", WARPGAUGE_LAUNCHES_PROGRAM,
                WARPGAUGE_SOURCE_DIR "/examples/saxpy/saxpy.sm_90.cubin 1 17")
                .code,
            17);
}

TEST(Run, OnlyTheChosenLaunchesAreTimed) {
  const Outcome second = run("--launch-skip 1 --launch-count 1");
  EXPECT_EQ(count(second.output, "Elapsed Cycles"), 1U);
  EXPECT_NE(second.output.find("(2, 1, 1)"), std::string::npos) << second.output;
  EXPECT_EQ(count(run("--kernel-name saxpy").output, "Elapsed Cycles"), 3U);
  EXPECT_EQ(count(run("--kernel-name sax").output, "Elapsed Cycles"), 0U);
  EXPECT_EQ(count(run("--kernel-name regex:^sax").output, "Elapsed Cycles"), 3U);
}

TEST(Run, KillEndsTheProgramAfterTheLastChosenLaunch) {
  const std::string of_three = WARPGAUGE_SOURCE_DIR "/examples/saxpy/saxpy.sm_90.cubin 3 17";
  const Outcome killed = run("--launch-skip 1 --launch-count 1 --kill", WARPGAUGE_LAUNCHES_PROGRAM, of_three);
  EXPECT_EQ(killed.code, 0);
  EXPECT_EQ(count(killed.output, "Elapsed Cycles"), 1U) << killed.output;
  EXPECT_EQ(count(killed.output, "launched"), 0U) << killed.output;
  const Outcome too_few = run("--launch-count 4 --kill", WARPGAUGE_LAUNCHES_PROGRAM, of_three);
  EXPECT_EQ(too_few.code, 17);
  EXPECT_EQ(count(too_few.output, "Elapsed Cycles"), 3U);
}

// A buffer of 120 bytes, saxpy of 32 elements: the two last lie beyond it, in its page.
TEST(Run, AccessesBeyondAnAllocationPassInItsPageAndTheFirstIsSaid) {
  const std::string arguments = WARPGAUGE_SOURCE_DIR "/examples/saxpy/saxpy.sm_90.cubin 3 0 120";
  const Outcome passes = run("--functional", WARPGAUGE_LAUNCHES_PROGRAM, arguments);
  EXPECT_EQ(passes.code, 0);
  EXPECT_NE(passes.output.find("launched 3\n"), std::string::npos) << passes.output;
  EXPECT_EQ(count(passes.output, "is out of bounds, 0 bytes after the nearest"), 1U) << passes.output;
  const Outcome timed = run("--launch-count 3 --quiet", WARPGAUGE_LAUNCHES_PROGRAM, arguments);
  EXPECT_NE(timed.output.find("launched 3\n"), std::string::npos) << timed.output;
  EXPECT_EQ(count(timed.output, "is out of bounds"), 1U) << timed.output;
  const Outcome stops = run("--functional --check-bounds", WARPGAUGE_LAUNCHES_PROGRAM, arguments);
  EXPECT_NE(stops.output.find("gave 700"), std::string::npos) << stops.output;
}

TEST(Run, ThePageOfTheSourceHasEveryInstruction) {
  const Outcome outcome = run("--page source --launch-count 1");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("FFMA"), std::string::npos) << outcome.output;
  EXPECT_EQ(count(outcome.output, "Elapsed Cycles"), 0U);
  const std::string path = ::testing::TempDir() + "warpgauge_run_source_test.json";
  run("--quiet --page source --launch-count 1 --json " + path);
  std::ifstream in(path);
  const std::string json{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(json.find("\"instructions\""), std::string::npos) << json.substr(0, 500);
  std::remove(path.c_str());
}

// The cycles of the first launch and of the second, which touches the same pages.
std::array<std::size_t, 2> cycles_of_two(const std::string& options) {
  const Outcome outcome = run("--csv --launch-count 2 " + options);
  std::array<std::size_t, 2> cycles{};
  std::size_t at = 0;
  for (std::size_t& each : cycles) {
    at = outcome.output.find("gpc__cycles_elapsed.max", at);
    if (at == std::string::npos) {
      ADD_FAILURE() << outcome.output;
      return cycles;
    }
    at = outcome.output.find(',', at) + 1;
    each = std::stoul(outcome.output.substr(at + (outcome.output[at] == '"' ? 1 : 0)));
  }
  return cycles;
}

TEST(Run, AFirstTouchCostsTheFirstLaunchAWalkAndIsNotSeenUnlessAskedFor) {
  const auto usual = cycles_of_two("");
  const auto touched = cycles_of_two("--first-touch");
  EXPECT_GT(touched[0], usual[0] + 500);
  EXPECT_NEAR(static_cast<double>(touched[1]), static_cast<double>(usual[1]),
              0.03 * static_cast<double>(usual[1]));
}

TEST(Run, WritesTheReportAsJsonWhereItIsTold) {
  const std::string path = ::testing::TempDir() + "warpgauge_run_test.json";
  EXPECT_EQ(run("--quiet --json " + path).output, "launched 3\n");
  std::ifstream in(path);
  const std::string json{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(count(json, "\"symbol\": \"saxpy\""), 3U) << json.substr(0, 500);
  std::remove(path.c_str());
}

TEST(Run, TwoRunsPredictTheSameNumbers) {
  const Outcome first = run("--csv");
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(first.output, run("--csv").output);
}

TEST(Run, SaysWhatIsWrongBeforeTheProgramStarts) {
  const Outcome unknown = run("--gpu b200");
  EXPECT_EQ(unknown.code, 9);
  EXPECT_EQ(unknown.output.find("launched"), std::string::npos);
  EXPECT_EQ(count(unknown.output, "\n"), 1U) << unknown.output;
  const Outcome missing = run("--functional", "/nowhere/program");
  EXPECT_EQ(missing.code, 3);
  EXPECT_EQ(missing.output, "warpgauge: /nowhere/program: No such file or directory\n");
}

TEST(Run, AProgramForAnotherCardIsToldThatItHasNoCode) {
  const Outcome outcome = run("--gpu t4 --functional");
  EXPECT_NE(outcome.output.find("cuModuleLoad gave 209"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("has no machine code for sm_75; it has sm_90"), std::string::npos)
      << outcome.output;
}

// --- launches beside each other

TEST(RunConcurrent, StreamsEventsCopiesAndTheDefaultStreamKeepTheirOrder) {
  for (const char* options : {"--quiet", "--quiet --concurrent", "--concurrent --functional",
                              "--quiet --concurrent --launch-skip 2 --launch-count 3"}) {
    const Outcome outcome = run(options, WARPGAUGE_ORDERS_PROGRAM, saxpy);
    EXPECT_EQ(outcome.code, 0) << options;
    EXPECT_EQ(outcome.output, "orders kept\n") << options;
  }
}

nlohmann::json report_of(const std::string& options) {
  const std::string path = testing::TempDir() + "concurrent.json";
  const Outcome outcome = run("--quiet --json " + path + " " + options, WARPGAUGE_ORDERS_PROGRAM, saxpy);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

TEST(RunConcurrent, ReportsATimeLineOnWhichUnorderedLaunchesOverlap) {
  const nlohmann::json report = report_of("--concurrent");
  const auto& kernels = report["kernels"];
  ASSERT_EQ(kernels.size(), 21U);
  unsigned overlapping = 0;
  for (const auto& a : kernels) {
    const auto& of_a = a["time_line"];
    EXPECT_EQ(of_a["end"].get<std::uint64_t>() - of_a["start"].get<std::uint64_t>(), a["cycles"]);
    for (const auto& b : kernels) {
      const auto& of_b = b["time_line"];
      const bool at_once = of_a["start"] < of_b["end"] && of_b["start"] < of_a["end"];
      // A stream's own never do.
      if (of_a["stream"] == of_b["stream"]) {
        EXPECT_EQ(at_once, a["launch"]["index"] == b["launch"]["index"]);
      }
      overlapping += at_once && of_a["stream"] < of_b["stream"] ? 1 : 0;
    }
  }
  // The last eight launches: four of each of two streams.
  EXPECT_GE(overlapping, 4U);
  EXPECT_EQ(report, report_of("--concurrent --threads 2"));
  EXPECT_FALSE(report_of("")["kernels"][0].contains("time_line"));
}

TEST(RunConcurrent, TheTextHasTheTimeLine) {
  const Outcome outcome = run("--concurrent", WARPGAUGE_ORDERS_PROGRAM, saxpy);
  EXPECT_NE(outcome.output.find("Time line, in cycles"), std::string::npos) << outcome.output;
  EXPECT_EQ(count(outcome.output, "Section: Time Line"), 21U);
}

}  // namespace
}  // namespace warpgauge::cuda
