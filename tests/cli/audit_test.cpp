#include "cli/validate/audit.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpgauge::cli {
namespace {

Comparison with(std::string name, const std::string& metric, double predicted, double measured) {
  Comparison c;
  c.name = std::move(name);
  c.counters[metric] = {predicted, measured, std::nullopt};
  return c;
}

constexpr const char* l2_sectors = "lts__t_sectors.sum";
constexpr const char* l2_hits = "lts__t_sector_hit_rate.pct";

TEST(Audit, CountsTheCasesWithinTheLimitAndNamesTheFarthest) {
  const auto rows = audit({with("exact", l2_sectors, 100, 100), with("near", l2_sectors, 103, 100),
                           with("few", l2_sectors, 80, 100), with("many", l2_sectors, 110, 100)});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].cases, 4u);
  EXPECT_EQ(rows[0].within, 2u);
  EXPECT_EQ(rows[0].worst, "few");
  EXPECT_NEAR(rows[0].deviation, -0.2, 1e-12);
}

TEST(Audit, HitRatesAreComparedInPointsAndThoseAboveAHundredPercentLeftOut) {
  const auto rows =
      audit({with("a", l2_hits, 52, 50), with("b", l2_hits, 60, 50), with("c", l2_hits, 95, 126)});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].cases, 2u);
  EXPECT_EQ(rows[0].within, 1u);
  EXPECT_EQ(rows[0].worst, "b");
  EXPECT_NEAR(rows[0].deviation, 10, 1e-12);
}

TEST(Audit, DramBytesOfALaunchItselfAreNotHeldAgainstAKernel) {
  Comparison small = with("small", "dram__bytes_read.sum", 1000, 7000);
  small.counters["dram__bytes_write.sum"] = {0, 0, std::nullopt};
  Comparison large = with("large", "dram__bytes_read.sum", 1e6, 2e6);
  large.counters["dram__bytes_write.sum"] = {0, 0, std::nullopt};
  const auto rows = audit({small, large});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].within, 1u);
  EXPECT_EQ(rows[0].worst, "large");
}

TEST(Audit, FailedCasesAndMissingCountersDoNotCount) {
  Comparison failed = with("failed", l2_sectors, 0, 100);
  failed.failure = "unknown instruction";
  EXPECT_TRUE(audit({failed, Comparison{}}).empty());
}

TEST(Audit, ItsTablesHaveALineACounter) {
  const auto rows = audit({with("near", l2_sectors, 110, 100)});
  EXPECT_NE(audit_text(rows).find("near 10.0 %"), std::string::npos);
  const std::string table = audit_markdown(rows);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  EXPECT_NE(table.find("| L2 sectors | 3.0 % | 1 | 0 | near 10.0 % |"), std::string::npos);
}

}  // namespace
}  // namespace warpgauge::cli
