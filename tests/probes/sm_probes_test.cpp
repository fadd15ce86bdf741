// Probes of parted warps, matches and stalls on the model of the H200, beside what the card answered
// (docs/h200.md).
#include <gtest/gtest.h>

#include <map>

#include "calib/loader.h"
#include "probes/model/model_target.h"
#include "probes/run.h"

namespace warpgauge::probes {
namespace {

calib::ProbeResult on_the_model(const std::string& name) {
  const auto target =
      open_model(calib::load(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/h200/calibration.json"));
  for (const Probe* each : all_probes()) {
    if (each->name == name) return run_probe(*target, *each).result;
  }
  throw std::runtime_error("no probe " + name);
}

double at(const calib::ProbeResult& result, const std::string& label, double x) {
  for (const calib::Series& each : result.samples) {
    if (each.label != label) continue;
    for (std::size_t i = 0; i < each.x.size(); ++i) {
      if (each.x[i] == x) return each.y[i];
    }
  }
  throw std::runtime_error("no sample of " + label);
}

TEST(MatchOnTheModel, TakesAsLongAsItsLanesHaveValues) {
  const calib::ProbeResult result = on_the_model("instructions.match");
  const std::string latency = "latency of MATCH.ANY against its lanes' values";
  const std::map<double, double> card = {{1, 28}, {2, 39}, {4, 61}, {8, 105}, {32, 369}};
  for (const auto& [values, cycles] : card) EXPECT_NEAR(at(result, latency, values), cycles, 1) << values;
  EXPECT_NEAR(at(result, "cycles a MATCH.ANY of 32 values against warps", 16), 63.76, 1.3);
  EXPECT_NEAR(at(result, "cycles a MATCH.ANY of 1 values against warps", 16), 2, 0.1);
}

TEST(PartedWarpsOnTheModel, RunTheirSidesWhenTheCardDoes) {
  const calib::ProbeResult result = on_the_model("issue.paths");
  const auto mark = [&](int index, const std::string& path, int b, int lane) {
    return at(result, "mark " + std::to_string(index) + ", " + path + ", b = " + std::to_string(b), lane);
  };
  const std::string sides = "two sides of 8 and 8 NOPs";
  EXPECT_NEAR(mark(6, sides, 0, 0), 45, 1);   // all go on
  EXPECT_NEAR(mark(6, sides, 32, 0), 40, 1);  // all take the branch
  // The smaller side goes first.
  EXPECT_NEAR(mark(4, sides, 8, 0), 15, 1);
  EXPECT_NEAR(mark(2, sides, 8, 8), 43, 1);
  EXPECT_NEAR(mark(6, sides, 8, 0), 78, 2);
  EXPECT_NEAR(mark(2, sides, 24, 24), 12, 1);
  EXPECT_NEAR(mark(4, sides, 24, 0), 50, 1);
  EXPECT_NEAR(mark(6, sides, 24, 0), 75, 2);
  EXPECT_NEAR(mark(18, "8 ways by tests", 8, 0), 450, 9);
  // BRX asks for one target at a time.
  EXPECT_NEAR(mark(18, "8 ways by BRX", 1, 0), 75, 1);
  EXPECT_NEAR(mark(18, "8 ways by BRX", 8, 0), 586, 12);
  EXPECT_NEAR(mark(1, "call", 1, 0), 12, 1);
  EXPECT_NEAR(mark(3, "call", 1, 0), 60, 1);
}

// One warp, turn after turn; what the loop itself takes is the same on both.
TEST(LoopsOfOneKindOnTheModel, TakeWhatTheyTakeOnTheCard) {
  const calib::ProbeResult result = on_the_model("issue.waits");
  const std::map<std::string, double> card = {
      {"nop_s1", 1.72},       {"nop_s5", 5.71},        {"nop_s13", 13.71},         {"iadd3_chain", 4.71},
      {"ffma_row", 1.72},     {"ffma_conflict", 3.68}, {"iadd3_row", 2.71},        {"guard_false", 2.71},
      {"isetp_guard", 17.83}, {"branch_taken", 11.43}, {"branch_not_taken", 6.42}, {"mufu_waited", 21.84},
      {"lds_waited", 26.83},  {"ldg_waited", 36.13},   {"ldc_waited", 29.91},      {"mufu_row", 9.14},
      {"ldg_row", 4.48},      {"stg_row", 6.01},       {"imad_hi_chain", 10.35},   {"imad_then_hi", 15.42},
      {"dfma_chain", 9.42},   {"uiadd3_chain", 5.42},  {"diverged", 73.67}};
  for (const auto& [name, cycles] : card)
    EXPECT_NEAR(at(result, "cycles of " + name + ", once", 1), cycles, std::max(0.25, cycles * 0.03)) << name;
}

}  // namespace
}  // namespace warpgauge::probes
