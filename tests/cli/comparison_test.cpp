#include "cli/validate/comparison.h"

#include <gtest/gtest.h>

namespace warpgauge::cli {
namespace {

Comparison pair(double predicted, double measured) {
  Comparison c;
  c.predicted = predicted;
  c.measured = measured;
  return c;
}

TEST(Comparison, SummarizesErrorsAgainstWhatWasMeasured) {
  const Summary s = summarize({pair(110, 100), pair(180, 200), pair(400, 400), pair(1200, 800)});
  EXPECT_EQ(s.cases, 4u);
  EXPECT_NEAR(s.mean_absolute_error, (0.1 + 0.1 + 0 + 0.5) / 4, 1e-12);
  EXPECT_NEAR(s.mean_error, (0.1 - 0.1 + 0 + 0.5) / 4, 1e-12);
  EXPECT_NEAR(s.median_absolute_error, 0.1, 1e-12);
  EXPECT_NEAR(s.worst, 0.5, 1e-12);
  EXPECT_NEAR(s.percentile_90, 0.1 + 0.7 * 0.4, 1e-12);
  EXPECT_NEAR(s.rank_correlation.value(), 1, 1e-12);
}

TEST(Comparison, OppositeOrderHasRankCorrelationMinusOne) {
  EXPECT_NEAR(summarize({pair(3, 1), pair(2, 2), pair(1, 3)}).rank_correlation.value(), -1, 1e-12);
}

TEST(Comparison, CasesWithoutAPredictionDoNotCount) {
  Comparison failed = pair(0, 100);
  failed.failure = "unknown instruction";
  const Summary s = summarize({failed, pair(100, 100)});
  EXPECT_EQ(s.cases, 1u);
  EXPECT_EQ(s.worst, 0);
  EXPECT_EQ(s.pearson, std::nullopt) << "one case has no correlation";
}

TEST(Comparison, PearsonIsOneForAStraightLineAndItsLogarithmForAPower) {
  const Summary line = summarize({pair(13, 1), pair(16, 2), pair(22, 4), pair(34, 8)});  // 3 x + 10
  EXPECT_NEAR(line.pearson.value(), 1, 1e-12);
  EXPECT_LT(line.pearson_log.value(), 0.99);
  const Summary square = summarize({pair(1, 1), pair(4, 2), pair(16, 4), pair(64, 8)});
  EXPECT_NEAR(square.pearson_log.value(), 1, 1e-12);
  EXPECT_LT(square.pearson.value(), 0.99);
}

TEST(Comparison, GroupsAreTheWholeThenFamiliesEachWithItsHalves) {
  std::vector<Comparison> all = {pair(110, 100), pair(100, 100), pair(200, 100)};
  all[0].family = "scan";
  all[1].family = "scan";
  all[1].held_out = true;
  all[2].family = "gemm";
  std::vector<std::string> names;
  for (const Group& group : summarize_groups(all)) {
    names.push_back(group.family + " " + group.half + " " + std::to_string(group.summary.cases));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"all both 3", "all open 2", "all held_out 1", "gemm both 1",
                                      "gemm open 1", "scan both 2", "scan open 1", "scan held_out 1"}));
}

TEST(Comparison, ACounterThatTheCardDidNotCountHasAnErrorOnlyWhereTheModelAgrees) {
  EXPECT_EQ((CounterPair{0, 0, {}}).error(), 0);
  EXPECT_EQ((CounterPair{5, 0, {}}).error(), std::nullopt);
  EXPECT_NEAR((CounterPair{150, 100, {}}).error().value(), 0.5, 1e-12);
}

TEST(Comparison, CountersAreSummarizedOverTheCasesThatHaveThem) {
  Comparison a = pair(1, 1);
  a.counters["x"] = {100.5, 100, {}};
  Comparison b = pair(1, 1);
  b.counters["x"] = {102, 100, {}};
  Comparison c = pair(1, 1);
  c.counters["x"] = {150, 100, {}};
  Comparison d = pair(1, 1);
  d.counters["x"] = {7, 0, {}};
  const CounterSummary s = summarize_counters({a, b, c, d, pair(1, 1)}).at("x");
  EXPECT_EQ(s.cases, 4u);
  EXPECT_NEAR(s.mean_absolute_error, (0.005 + 0.02 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(s.within_1_percent, 0.25, 1e-12);
  EXPECT_NEAR(s.within_3_percent, 0.5, 1e-12);
  EXPECT_NEAR(s.within_10_percent, 0.5, 1e-12);
}

TEST(Comparison, FailuresComeFirstThenTheLargestErrors) {
  Comparison failed = pair(0, 100);
  failed.failure = "no";
  failed.name = "failed";
  std::vector<Comparison> all = {pair(101, 100), pair(40, 100), failed};
  sort_worst_first(all);
  EXPECT_EQ(all[0].name, "failed");
  EXPECT_EQ(all[1].predicted, 40);
}

}  // namespace
}  // namespace warpgauge::cli
