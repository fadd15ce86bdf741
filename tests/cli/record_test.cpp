// `warpgauge validate --record` with the stand-in for CUDA's driver in the place of a card, and a script in
// the place of Nsight Compute: it runs the launches and makes a table of what their log says.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/record/process.h"
#include "cli/record/profiler.h"
#include "tests/cli/run_binary.h"

namespace warpgauge::cli {
namespace {

using test::Outcome;
using test::read_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Launch I takes 1000 + 10 I cycles, of tiny_barrier/wave 1000 + 100 I. It does not know idc__requests, and
// loses the second launch of tiny_barrier/one.
constexpr const char* profiler = R"sh(#!/bin/sh
[ "$1" = --query-metrics ] && { echo "Device 0"; exit 0; }
[ -n "$FAKE_DENIED" ] && { echo "==ERROR== ERR_NVGPUCTRPERM: no permission"; exit 1; }
table= metrics= log=
while [ $# -gt 0 ]; do
  case "$1" in
    --log-file) table="$2"; shift 2 ;;
    --metrics) metrics="$2,device__attribute_clock_rate"; shift 2 ;;
    --csv) shift ;;
    --*) shift 2 ;;
    *) break ;;
  esac
done
case "$metrics" in *idc__requests.sum*) echo "==ERROR== Failed to find metric idc__requests.sum"; exit 1 ;; esac
"$@" || exit $?
while [ $# -gt 0 ]; do [ "$1" = --launch-log ] && log="$2"; shift; done
awk -v metrics="$metrics" '
  BEGIN { n = split(metrics, m, ","); printf "==PROF== connected\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\"";
          for (i = 1; i <= n; ++i) printf ",\"%s\"", m[i]; printf "\n\"\",\"\",\"\",\"\""; for (i = 1; i <= n; ++i) printf ",\"cycle\"";
          printf "\n" }
  $1 == "launch" && !($2 == "tiny_barrier/one" && $3 == 1) {
    printf "\"%d\",\"%s\",\"(%d, %d, %d)\",\"(%d, %d, %d)\"", id++, $4, $8, $9, $10, $5, $6, $7
    for (i = 1; i <= n; ++i) printf ",\"1,%03d\"", $3 * ($2 == "tiny_barrier/wave" ? 100 : 10)
    printf "\n" }' "$log" > "$table"
)sh";

class Record : public test::BinaryTest {
 protected:
  Record() : BinaryTest("validate") {
    std::ofstream(path("ncu")) << profiler;
    std::filesystem::permissions(path("ncu"), std::filesystem::perms::owner_all);
    setenv("LD_LIBRARY_PATH", WARPGAUGE_STAND_INS, 1);
    setenv("WARPGAUGE_RUN_FUNCTIONAL", "1", 1);
    setenv("WARPGAUGE_RUN_QUIET", "1", 1);
  }
  ~Record() override {
    for (const char* name :
         {"LD_LIBRARY_PATH", "WARPGAUGE_RUN_FUNCTIONAL", "WARPGAUGE_RUN_QUIET", "FAKE_DENIED"})
      unsetenv(name);
  }
  [[nodiscard]] Outcome record(const std::string& options) const {
    return run("--record " + path("out") + " --only tiny_barrier " + options);
  }
  [[nodiscard]] nlohmann::json result() const {
    return nlohmann::json::parse(read_file(path("out/hardware.json")));
  }
};

TEST_F(Record, StoresCyclesSpreadCountersAndHashesOfEveryCase) {
  const Outcome outcome = record("--ncu " + path("ncu"));
  ASSERT_EQ(outcome.code, 0) << outcome.error << outcome.out;
  const nlohmann::json document = result();
  EXPECT_EQ(document.at("architecture"), "sm_90");
  EXPECT_THAT(document.at("stages"),
              ElementsAre("hashes", "events", "cold", "warm", "cold_counters", "warm_counters"));
  EXPECT_THAT(document.at("metrics_not_offered"), ElementsAre("idc__requests.sum"));
  EXPECT_EQ(document.at("cubin_sha256").size(), 1u);
  EXPECT_FALSE(document.contains("note"));
  ASSERT_EQ(document.at("cases").size(), 2u);

  const auto& one = document.at("cases").at(0);
  ASSERT_EQ(one.at("name"), "tiny_barrier/one");
  EXPECT_THAT(one.at("cold").at("cycles"), ElementsAre(1000, 1020)) << "the lost launch has no row";
  EXPECT_EQ(one.at("cold").at("median_cycles"), 1010);
  EXPECT_FALSE(one.at("cold").at("unsteady"));

  const auto& wave = document.at("cases").at(1);
  EXPECT_THAT(wave.at("warm").at("cycles"), ElementsAre(1000, 1100, 1200));
  EXPECT_EQ(wave.at("warm").at("median_cycles"), 1100);
  EXPECT_NEAR(wave.at("warm").at("spread").get<double>(), 200.0 / 1100, 1e-4);
  EXPECT_TRUE(wave.at("warm").at("unsteady")) << "18 % is more than 5 %";
  EXPECT_THAT(wave.at("warm").at("sm_active_cycles"), ElementsAre(1000, 1100, 1200));
  EXPECT_EQ(wave.at("event_microseconds").size(), 5u);
  for (const char* metric : {"smsp__inst_executed.sum", "l1tex__t_sector_hit_rate.pct",
                             "dram__bytes_read.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                             "sm__warps_active.avg.pct_of_peak_sustained_active",
                             "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"}) {
    EXPECT_TRUE(wave.at("cold_counters").contains(metric)) << metric;
  }
  EXPECT_FALSE(wave.at("cold_counters").contains("device__attribute_clock_rate")) << "nobody asked for it";
  EXPECT_TRUE(wave.at("warm_counters").contains("lts__t_sectors.sum"));
  EXPECT_FALSE(wave.at("warm_counters").contains("smsp__inst_executed.sum"));

  // The emulated card leaves in the buffers what the H200 left there.
  const auto stored = nlohmann::json::parse(read_file(repository("examples/validation/hardware/h200.json")));
  for (const auto& c : stored.at("cases")) {
    if (c.at("name") == "tiny_barrier/wave") {
      EXPECT_EQ(c.at("buffer_hashes"), wave.at("buffer_hashes"));
      EXPECT_EQ(stored.at("cubin_sha256").at("tiny.sm_90.cubin"),
                document.at("cubin_sha256").at("tiny.sm_90.cubin"));
    }
  }
}

TEST_F(Record, WhatItStoresIsWhatAValidationReads) {
  ASSERT_EQ(record("--stages cold --ncu " + path("ncu")).code, 0);
  const Outcome outcome = run("--hardware " + path("out/hardware.json") + " --csv");
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("tiny_barrier/wave,tiny,open,gpc__cycles_elapsed.max,"));
  EXPECT_THAT(outcome.out, HasSubstr(",1100,"));
}

TEST_F(Record, MoreStagesAreAddedToAnEarlierRecording) {
  ASSERT_EQ(record("--stages hashes --ncu " + path("ncu")).code, 0);
  std::filesystem::copy_file(path("out/hardware.json"), path("first.json"));
  ASSERT_EQ(record("--stages cold --onto " + path("first.json") + " --ncu " + path("ncu")).code, 0);
  const nlohmann::json document = result();
  EXPECT_THAT(document.at("stages"), ElementsAre("hashes", "cold"));
  EXPECT_TRUE(document.at("cases").at(0).contains("buffer_hashes"));
  EXPECT_TRUE(document.at("cases").at(0).contains("cold"));
}

TEST_F(Record, WithoutTheRightToCountersEventTimesRemainAndANoteSaysSo) {
  setenv("FAKE_DENIED", "1", 1);
  const Outcome outcome = record("--ncu " + path("ncu"));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("does not permit counters"));
  const nlohmann::json document = result();
  EXPECT_THAT(document.at("note").get<std::string>(), HasSubstr("event times stand in"));
  EXPECT_FALSE(document.at("cases").at(0).contains("cold"));
  EXPECT_EQ(document.at("cases").at(0).at("event_microseconds").size(), 5u);
}

TEST_F(Record, WithoutAProfilerTheSame) {
  const Outcome outcome = record("--ncu " + path("nowhere"));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(result().at("note").get<std::string>(), HasSubstr("is not there"));
}

TEST_F(Record, WithoutACardItSaysSoInOneLine) {
  std::ofstream(path("libcuda.so.1")) << "not a library";
  setenv("LD_LIBRARY_PATH", std::filesystem::path(path("ncu")).parent_path().c_str(), 1);
  expect_refusal("--record " + path("out"), ExitCode::no_target, "needs a machine with an NVIDIA GPU");
}

TEST_F(Record, RefusesAnUnknownStage) {
  expect_refusal("--record " + path("out") + " --stages cold,lukewarm", ExitCode::usage, "lukewarm");
}

TEST(Process, EndsWhatRunsTooLongAndItsChildren) {
  const auto result = record::run_process({"/bin/sh", "-c", "echo begun; sleep 60 & sleep 60"}, 0.3);
  EXPECT_EQ(result.status, 124);
  EXPECT_EQ(result.output, "begun\n");
}

TEST(Process, TellsHowItEnded) {
  EXPECT_EQ(record::run_process({"/bin/sh", "-c", "exit 7"}, 10).status, 7);
  EXPECT_EQ(record::run_process({"/bin/sh", "-c", "kill -9 $$"}, 10).status, 128 + 9);
  EXPECT_EQ(record::run_process({"/no/such/program"}, 10).status, 127);
}

TEST(Profiler, ReadsQuotedFieldsWithCommasAndLeavesUnitsOut) {
  const auto rows = record::read_rows(
      "==PROF== Connected\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"a__b.sum\",\"c__d.pct\"\n"
      "\"\",\"\",\"\",\"\",\"inst\",\"%\"\n\"0\",\"k(int, float)\",\"(32, 1, 1)\",\"(4, 2, "
      "1)\",\"1,234,567\",\"99.5\"\n"
      "\"1\",\"k\",\"(32, 1, 1)\",\"(4, 2, 1)\",\"n/a\",\"0\"\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kernel, "k");
  EXPECT_THAT(rows[0].grid, ElementsAre(4, 2, 1));
  EXPECT_EQ(rows[0].metrics.at("a__b.sum"), 1234567);
  EXPECT_EQ(rows[0].metrics.at("c__d.pct"), 99.5);
  EXPECT_FALSE(rows[1].metrics.contains("a__b.sum"));
}

TEST(Profiler, AsksForWhatIsOfferedAndNamesWhatIsNot) {
  std::string answer = "Device NVIDIA H200\n";
  for (int i = 0; i < 120; ++i) answer += "  other__metric_" + std::to_string(i) + "  # of something\n";
  answer +=
      "smsp__inst_executed            # of warp instructions\nsmsp__inst_executed_pipe_alu  # of them\n";
  const auto offered = record::offered_metrics(answer);
  ASSERT_TRUE(offered.has_value());
  const auto wanted = record::wanted_metrics(offered);
  EXPECT_THAT(wanted.metrics, ::testing::IsSupersetOf({std::string("smsp__inst_executed.sum"),
                                                       std::string("smsp__inst_executed_pipe_alu.sum"),
                                                       std::string("launch__waves_per_multiprocessor")}));
  EXPECT_THAT(wanted.not_offered, ::testing::Contains("dram__bytes_read.sum"));
  EXPECT_FALSE(record::offered_metrics("==ERROR== no device\n").has_value());
}

}  // namespace
}  // namespace warpgauge::cli
