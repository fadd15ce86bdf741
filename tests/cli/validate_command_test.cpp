// `warpgauge validate` as a user runs it, on the suite's smallest cases.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_binary.h"

namespace warpgauge::cli {
namespace {

using test::Outcome;
using test::read_file;

class ValidateCommand : public test::BinaryTest {
 protected:
  ValidateCommand() : BinaryTest("validate") {}
  [[nodiscard]] nlohmann::json json(const std::string& name) const {
    return nlohmann::json::parse(read_file(path(name)));
  }
};

TEST_F(ValidateCommand, EveryCaseHasWhatWasPredictedMeasuredErrorAndSpread) {
  const Outcome outcome = run("--only tiny_store --json " + path("a.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const nlohmann::json document = json("a.json");
  EXPECT_EQ(document.at("schema"), "warpgauge-validation/2");
  ASSERT_GE(document.at("cases").size(), 2u);
  for (const auto& c : document.at("cases")) {
    const double predicted = c.at("predicted");
    const double measured = c.at("measured");
    EXPECT_NEAR(c.at("error").get<double>(), (predicted - measured) / measured, 1e-9);
    EXPECT_TRUE(c.at("spread").is_number());
    const auto& counters = c.at("counters");
    for (const char* metric :
         {"smsp__inst_executed.sum", "lts__t_sectors.sum", "dram__bytes_read.sum", "sm__cycles_active.avg",
          "l1tex__t_sector_hit_rate.pct", "smsp__inst_executed_pipe_alu.sum",
          "sm__warps_active.avg.pct_of_peak_sustained_active",
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
          "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"}) {
      ASSERT_TRUE(counters.contains(metric)) << metric;
      EXPECT_TRUE(counters.at(metric).contains("error")) << metric;
    }
    EXPECT_EQ(counters.at("smsp__inst_executed.sum").at("error"), 0) << c.at("name");
    EXPECT_TRUE(counters.at("sm__cycles_active.avg").at("spread").is_number());
  }
  for (const char* key : {"mean_absolute_error", "median_absolute_error", "percentile_90", "worst",
                          "mean_error", "pearson", "pearson_log", "rank_correlation"}) {
    EXPECT_TRUE(document.at("groups").at(0).contains(key)) << key;
  }
  EXPECT_NE(outcome.out.find("tiny_store"), std::string::npos);
}

TEST_F(ValidateCommand, CommaSeparatedValuesHaveALineForEveryCounter) {
  const Outcome outcome = run("--only tiny_store/one --csv");
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "case,family,half,metric,predicted,measured,error,spread,failure");
  std::size_t metrics = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 8) << line;
    ++metrics;
  }
  EXPECT_GT(metrics, 40u);
}

TEST_F(ValidateCommand, WhatWasWrittenIsShownAgainWithoutARun) {
  const Outcome first = run("--only tiny_store --json " + path("a.json"));
  const Outcome again =
      run("--from " + path("a.json") + " --json " + path("b.json") + " --html " + path("b.html"));
  ASSERT_EQ(again.code, 0) << again.error;
  EXPECT_EQ(first.out, again.out);
  EXPECT_EQ(read_file(path("a.json")), read_file(path("b.json")));
  EXPECT_TRUE(read_file(path("b.html")).starts_with("<!DOCTYPE html>"));
}

TEST_F(ValidateCommand, MarkdownHasHalvesWorstCasesAndFamilies) {
  ASSERT_EQ(run("--only tiny_ --json " + path("a.json") + " --markdown " + path("a.md")).code, 0);
  const std::string text = read_file(path("a.md"));
  for (const char* part : {"\n| all | 12 |", "\n| open |", "\n| held out |", "\n| tiny | 12 |", "| tiny_"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

// A T4 has no stored results: the papers' rates stand in, and the report says what it is not.
TEST_F(ValidateCommand, OfACardThatNobodyMeasuredPredictionsStandBesideThePapersRates) {
  const Outcome outcome = run("--gpu t4 --only copy_64/l2 --csv --markdown " + path("a.md"));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const std::string text = read_file(path("a.md"));
  EXPECT_NE(text.find("**not validated on a card**"), std::string::npos);
  EXPECT_NE(text.find("Jia2019 table 3.1"), std::string::npos);
  // 8 MiB there and 8 MiB back, but for what stays in the L2, at 220 GB/s and 1,590 MHz.
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  double predicted = 0;
  double bound = 0;
  ASSERT_EQ(std::sscanf(line.c_str(), "copy_64/l2,streaming,%lf,%lf,DRAM", &predicted, &bound), 2) << line;
  EXPECT_NEAR(bound, (16 << 20) / (220e9 / 1590e6), 0.25 * bound);
  EXPECT_NEAR(predicted / bound, 1, 0.15);
  expect_refusal("--gpu t4 --only copy_64/l2 --html " + path("x.html"), ExitCode::usage,
                 "no card's results");
}

TEST_F(ValidateCommand, ABudgetHoldsItsOwnErrorsAndNotThoseOfAnotherMachine) {
  ASSERT_EQ(run("--only tiny_store --write-budget " + path("budget.json")).code, 0);
  EXPECT_EQ(run("--only tiny_store --budget " + path("budget.json")).code, 0);
  const Outcome worse =
      run("--only tiny_store --set launch.begin_overhead=5000 --budget " + path("budget.json"));
  EXPECT_EQ(worse.code, static_cast<int>(ExitCode::over_budget));
  EXPECT_NE(worse.out.find("over budget: mean error"), std::string::npos);
  EXPECT_EQ(std::count(worse.error.begin(), worse.error.end(), '\n'), 1) << worse.error;
}

TEST_F(ValidateCommand, AnAblationSaysWhatAMechanismIsWorth) {
  const Outcome outcome = run("--half both --only tiny_store --ablate launch,tlb --json " + path("a.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("\nlaunch "), std::string::npos) << outcome.out;
  const nlohmann::json document = json("a.json");
  const auto& launch = document.at("mechanisms").at(0);
  EXPECT_EQ(launch.at("changes").at("launch.begin_overhead").at(1), "0");
  EXPECT_LT(launch.at("cycles").get<double>(), -0.3) << "a kernel of one store is launch and little else";
  EXPECT_EQ(launch.at("families").at(0).at("family"), "tiny");
  EXPECT_NEAR(document.at("mechanisms").at(1).at("cycles").get<double>(), 0, 0.2);
}

TEST_F(ValidateCommand, AblationsLookAtTheOpenHalfUnlessToldOtherwise) {
  const Outcome open = run("--only tiny_ --ablate launch --csv");
  ASSERT_EQ(open.code, 0) << open.error;
  EXPECT_EQ(open.out.find("held_out"), std::string::npos);
  EXPECT_NE(open.out.find(",open,"), std::string::npos);
}

TEST_F(ValidateCommand, ListsWhatCanBeIdealised) {
  const Outcome outcome = run("--ablate list");
  EXPECT_EQ(outcome.code, 0);
  for (const char* name : {"reuse_cache", "prefetch", "register_ports", "constant_caches", "shared_conflicts",
                           "l1_tags", "tlb", "far_partition", "dram_turnaround", "launch"}) {
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name;
  }
}

TEST_F(ValidateCommand, RefusesWhatDoesNotExist) {
  expect_refusal("--only no_such_case", ExitCode::usage, "no case");
  expect_refusal("--ablate launch,magic --only tiny_store", ExitCode::usage, "magic");
  expect_refusal("--from " + path("missing.json"), ExitCode::bad_file, "cannot be read");
  expect_refusal("--gpu h200 --hardware " + path("missing.json"), ExitCode::bad_file, "cannot be read");
  expect_refusal("--ablate launch --html " + path("x.html"), ExitCode::usage, "excludes");
}

}  // namespace
}  // namespace warpgauge::cli
