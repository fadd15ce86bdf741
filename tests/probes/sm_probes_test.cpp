// Probes of parted warps, matches and stalls on the model of the H200, beside what the card answered
// (docs/h200.md).
#include <gtest/gtest.h>

#include <map>

#include "calib/loader.h"
#include "calib/measurements.h"
#include "probes/model/model_target.h"
#include "probes/run.h"

namespace warpgauge::probes {
namespace {

calib::Calibration h200() {
  return calib::load(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/h200/calibration.json");
}

calib::ProbeResult on_the_model(const std::string& name, const calib::Calibration& calibration = h200()) {
  const auto target = open_model(calibration);
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

// Cycles of one, the clocks' own taken out.
double each(const calib::ProbeResult& result, const std::string& what) {
  return (at(result, "cycles of " + what, 10) - at(result, "cycles of " + what, 2)) / 8;
}

TEST(HoldsOnTheModel, AreTheCards) {
  const calib::ProbeResult result = on_the_model("issue.holds");
  EXPECT_EQ(each(result, "YIELD"), 51);
  // Those that left first wait; the YIELD stands where the other region has a NOP with a stall count of five.
  EXPECT_NEAR(each(result, "a region that eight lanes leave first, YIELD in it") -
                  each(result, "a region that eight lanes leave first"),
              46.5, 0.5);
  // A stall count of five, and eight cycles more where a lane leaves.
  EXPECT_EQ(each(result, "EXIT of no lane"), 6 + 13 + 5);
  EXPECT_EQ(each(result, "EXIT of one lane"), 6 + 13 + 13);
  EXPECT_EQ(each(result, "EXIT of one lane, stall 10"), 6 + 13 + 13);
  EXPECT_EQ(each(result, "BMOV to a register that is waited for"), 18);
}

// Four blocks of eight warps that fill the processing blocks' issue slots, one block after the other.
TEST(BlocksOnTheModel, AreThroughInTheOrderInWhichTheyCame) {
  const std::string end = "eight chains, blocks: 4 of 8 warps, end of block ";
  const calib::ProbeResult oldest = on_the_model("issue.blocks");
  const double card[] = {13414, 26890, 40322, 53674};
  for (int block = 0; block < 4; ++block)
    EXPECT_NEAR(at(oldest, end + std::to_string(block), 0), card[block], 0.01 * card[block]) << block;
  calib::Calibration other = h200();
  other.issue.block_priority = calib::BlockPriority::youngest_first;
  const calib::ProbeResult youngest = on_the_model("issue.blocks", other);
  for (int block = 0; block < 4; ++block)
    EXPECT_NEAR(at(youngest, end + std::to_string(3 - block), 0), card[block], 0.03 * card[block]) << block;
  ASSERT_EQ(oldest.figures.size(), 1u);
  ASSERT_EQ(youngest.figures.size(), 1u);
  EXPECT_EQ(std::get<std::string>(oldest.figures[0].value), "oldest_first");
  EXPECT_EQ(std::get<std::string>(youngest.figures[0].value), "youngest_first");
}

std::map<std::string, double> figures_of(const calib::ProbeResult& result) {
  std::map<std::string, double> figures;
  for (const calib::Figure& each : result.figures) figures[each.key] = std::get<double>(each.value);
  return figures;
}

// One path more with each branch, and the sides of all that wait are at hand or not; where the last instructions of a line are
// branched to, two cycles lie between (the card: 0, 35, 67 and 106).
TEST(NestedBranchesOnTheModel, CostWhatThePathsThatAreNotAtHandTake) {
  const calib::ProbeResult result = on_the_model("issue.nested");
  for (const auto& [paths, cycles] : std::map<int, int>{{2, 0}, {3, 35}, {4, 68}, {5, 105}})
    EXPECT_EQ(at(result, "cycles more for paths that wait", paths), cycles) << paths;
  std::map<std::string, double> figures = figures_of(result);
  EXPECT_EQ(figures.at("issue.held_paths"), 2);
  EXPECT_EQ(figures.at("issue.path_return_cost"), 35);
}

TEST(NestedBranchesOnTheModel, TellHowManyPathsAreAtHand) {
  // The two cycles of a line's end are in what four paths leave to measure.
  for (const auto& [held, cost] : std::map<unsigned, unsigned>{{3, 50}, {4, 52}}) {
    calib::Calibration other = h200();
    other.issue.held_paths = held;
    other.issue.path_return_cost = 50;
    const std::map<std::string, double> figures = figures_of(on_the_model("issue.nested", other));
    EXPECT_EQ(figures.at("issue.held_paths"), held);
    EXPECT_EQ(figures.at("issue.path_return_cost"), cost) << held;
  }
  calib::Calibration all = h200();
  all.issue.held_paths = 0;
  EXPECT_EQ(figures_of(on_the_model("issue.nested", all)).at("issue.held_paths"), 0);
}

// As ifs nested by hand on the card: two deep with four ends 35 cycles more than the same branches take otherwise, three
// deep with eight ends 104 (`nested_branches`).
TEST(NestedBranchesOnTheModel, SendLanesToTheirEndsByTheirNumber) {
  const calib::ProbeResult result = on_the_model("issue.nested");
  calib::Calibration all = h200();
  all.issue.held_paths = 0;
  const calib::ProbeResult free = on_the_model("issue.nested", all);
  const auto more = [&](int deep, int groups) {
    const std::string label = "cycles of branches nested " + std::to_string(deep) + " deep, lanes by their number";
    return at(result, label, groups) - at(free, label, groups);
  };
  EXPECT_EQ(more(1, 2), 0);
  EXPECT_EQ(more(2, 2), 0);
  EXPECT_EQ(more(2, 4), 35);
  EXPECT_EQ(more(3, 8), 3 * 35);
}

TEST(GuardsOnTheModel, LetWhatNoLaneDoesTakeItsWay) {
  const calib::ProbeResult result = on_the_model("issue.guards");
  const auto chain = [&](const std::string& what, const char* lanes) {
    return at(result, "cycles of " + what + " with a guard, chain, " + lanes, 1);
  };
  for (const char* load : {"LDS", "LDS.128", "LDG", "LDG.128", "LD", "LDL", "ATOMS", "ATOMG", "LDSM"})
    EXPECT_EQ(chain(load, "no lane"), 22) << load;
  for (const char* load : {"LDC", "MATCH"}) EXPECT_EQ(chain(load, "no lane"), 25) << load;
  for (const char* store : {"STS", "STG", "STL", "RED"}) EXPECT_EQ(chain(store, "no lane"), 8) << store;
  EXPECT_NEAR(at(result, "cycles of LDC with a guard, row, no lane", 28), 56, 1);
  const std::map<std::string, double> all = {{"LDS", 23}, {"LDS.128", 32}, {"STS", 11}, {"ATOMS", 26}, {"LDG", 31},
                                             {"LDG.128", 40}, {"STG", 13}, {"RED", 13}, {"LDL", 29}, {"LDC", 28},
                                             {"SHFL", 24}, {"MUFU", 17}, {"S2R", 23}, {"FCHK", 26}, {"B2R", 26}};
  for (const auto& [what, cycles] : all) EXPECT_EQ(chain(what, "all lanes"), cycles) << what;
}

// What waits at the barrier on the card costs the model's warp its stall count behind it, what passes does not.
TEST(DeferredBarriersOnTheModel, HoldWhatTheyHoldOnTheCard) {
  const calib::ProbeResult model = on_the_model("issue.deferred");
  const calib::Measurements card =
      calib::load_measurements(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/h200/measurements.json");
  std::size_t waiting = 0, passing = 0;
  for (const calib::ProbeResult& probe : card.probes) {
    if (probe.name != "issue.deferred") continue;
    for (const calib::Series& series : probe.samples) {
      if (!series.label.starts_with("cycles from a barrier to the clock behind ")) continue;
      // Conversions between integers have a fixed latency on the card only.
      if (series.label.ends_with(" i2i_fixed")) continue;
      const bool waits = series.y.back() > 100;
      ++(waits ? waiting : passing);
      EXPECT_EQ(at(model, series.label, 0) > 22, waits) << series.label;
    }
  }
  EXPECT_EQ(waiting, 43U);
  EXPECT_EQ(passing, 45U);
}

TEST(BarriersInARowOnTheModel, TakeWhatTheyTakeOnTheCard) {
  const calib::ProbeResult result = on_the_model("issue.deferred");
  const std::map<int, std::map<int, double>> card = {{0, {{1, 16.7}, {4, 22.6}, {16, 46.6}, {32, 78.4}}},
                                                     {4, {{1, 27.0}, {4, 28.4}, {16, 51.5}, {32, 83.9}}},
                                                     {16, {{1, 75.0}, {4, 76.4}}},
                                                     {64, {{1, 267}, {4, 268.4}}}};
  for (const auto& [ffmas, by_warps] : card) {
    for (const auto& [warps, cycles] : by_warps) {
      EXPECT_NEAR(at(result, "cycles of a barrier, FFMAs between: " + std::to_string(ffmas), warps), cycles, 0.06 * cycles)
          << ffmas << " by " << warps;
    }
  }
}

}  // namespace
}  // namespace warpgauge::probes
