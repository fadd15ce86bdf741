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
  EXPECT_NEAR(s.rank_correlation, 1, 1e-12);
}

TEST(Comparison, OppositeOrderHasRankCorrelationMinusOne) {
  EXPECT_NEAR(summarize({pair(3, 1), pair(2, 2), pair(1, 3)}).rank_correlation, -1, 1e-12);
}

TEST(Comparison, CasesWithoutAPredictionDoNotCount) {
  Comparison failed = pair(0, 100);
  failed.failure = "unknown instruction";
  const Summary s = summarize({failed, pair(100, 100)});
  EXPECT_EQ(s.cases, 1u);
  EXPECT_EQ(s.worst, 0);
}

TEST(Comparison, CountersWithinTheirBoundAreCounted) {
  Comparison a = pair(1, 1);
  a.counters["x"] = {101, 100};
  Comparison b = pair(1, 1);
  b.counters["x"] = {150, 100};
  Comparison c = pair(1, 1);
  EXPECT_NEAR(share_within({a, b, c}, "x", 0.02, 0), 0.5, 1e-12);
  EXPECT_NEAR(share_within({a, b, c}, "x", 0, 60), 1, 1e-12);
  EXPECT_EQ(share_within({c}, "x", 1, 1), 0);
}

}  // namespace
}  // namespace warpgauge::cli
