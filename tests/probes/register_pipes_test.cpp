// Rows of arithmetic of all pipes, and beside instructions that read their registers later: what an H200 did to the cycle, and the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "calib/loader.h"
#include "calib/measurements.h"
#include "probes/model/model_target.h"
#include "probes/run.h"

namespace warpgauge::probes {
namespace {

constexpr const char* probe = "registers.pipes";

class RegisterPipes : public testing::Test {
 protected:
  using Cycles = std::map<std::pair<std::string, int>, double>;

  static Cycles of(const calib::ProbeResult& result) {
    Cycles cycles;
    for (const calib::Series& series : result.samples) {
      if (series.y_unit != "cycles") continue;
      for (std::size_t i = 0; i < series.x.size(); ++i) cycles[{series.label, static_cast<int>(series.x[i])}] = series.y[i];
    }
    return cycles;
  }

  static void SetUpTestSuite() {
    const std::string folder = std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/h200/";
    const calib::Measurements measurements = calib::load_measurements(folder + "measurements.json");
    const auto measured = std::ranges::find(measurements.probes, probe, &calib::ProbeResult::name);
    ASSERT_NE(measured, measurements.probes.end());
    const auto target = open_model(calib::load(folder + "calibration.json"));
    const ProbeOutcome outcome = run_probe(*target, *select_probes({probe}).front());
    ASSERT_EQ(outcome.complaint, "");
    ASSERT_EQ(outcome.result.sass_hash, measured->sass_hash) << "not the rows that the card ran";
    card = of(*measured);
    model = of(outcome.result);
  }

  static double cycles(const std::string& label, int x) { return model.at({label, x}); }

  inline static Cycles card;
  inline static Cycles model;
};

TEST_F(RegisterPipes, AreTheCardsToTheCycleInAllButOneRowOfAHundred) {
  ASSERT_EQ(card.size(), 1844U);
  ASSERT_EQ(model.size(), card.size());
  std::size_t off = 0;
  for (const auto& [row, measured] : card) {
    const double error = model.at(row) - measured;
    off += error != 0 ? 1 : 0;
    EXPECT_LE(std::abs(error), 2) << row.first << ", " << row.second;
  }
  EXPECT_LE(off, 11U);
}

TEST_F(RegisterPipes, RandomArithmeticOfFp32AndIntegersIsTheCardsToTheCycle) {
  for (const std::string kinds : {"FP32", "integers", "both"})
    for (int i = 0; i < 40; ++i) EXPECT_EQ(cycles("random: " + kinds, i), card.at({"random: " + kinds, i})) << kinds << ' ' << i;
}

TEST_F(RegisterPipes, OfTwoResultsOnTheirWayFromOneBankTheElderIsReadAgain) {
  const std::string row = "on their way: F, F read by F, ";
  EXPECT_EQ(cycles(row + "one bank", 54) - cycles(row + "two banks", 54), 3);
  EXPECT_EQ(cycles(row + "one bank", 64) - cycles(row + "two banks", 64), 2);
  EXPECT_EQ(cycles(row + "one bank", 65) - cycles(row + "two banks", 65), 2);
  EXPECT_EQ(cycles(row + "one bank", 74) - cycles(row + "two banks", 74), 0);
}

TEST_F(RegisterPipes, TheNewestOfAnotherPipeCanBeHadACycleLater) {
  const std::string row = "on their way: F, A read by F, ";
  EXPECT_EQ(cycles(row + "one bank", 54) - cycles(row + "two banks", 54), 1);
  EXPECT_EQ(cycles(row + "one bank", 64) - cycles(row + "two banks", 64), 1);
}

TEST_F(RegisterPipes, WhoWouldWriteTogetherWithAMatrixProductOfHalvesWaits) {
  EXPECT_EQ(cycles("behind HFMA2.MMA: FADD", 2) - cycles("behind HFMA2.MMA: NOP", 2), 1);
  EXPECT_EQ(cycles("behind HFMA2.MMA: UIADD3", 2) - cycles("behind HFMA2.MMA: NOP", 2), 0);
  EXPECT_EQ(cycles("behind DFMA: FADD", 2) - cycles("behind DFMA: NOP", 2), 1);
}

TEST_F(RegisterPipes, AProductOf64BitsMultipliesWhatIsSevenCyclesOldOrJustComesFromAnotherPipe) {
  const std::string own = "factor a R20 of F, added RZ";
  const std::string other = "factor a R20 of A, added RZ";
  for (int distance = 4; distance < 7; ++distance) EXPECT_EQ(cycles(own, distance) - distance, cycles(own, 7) - distance) << distance;
  EXPECT_EQ(cycles(other, 4), cycles(other, 7) - 3);
  EXPECT_EQ(cycles(other, 5), cycles(other, 7));
}

TEST_F(RegisterPipes, AStoreOf16BytesKeepsNobodyFromIssuingWhoReadsOneRegister) {
  EXPECT_EQ(cycles("read later by STS.128, one", 11), cycles("read later by LDS, one", 11));
  EXPECT_EQ(cycles("read later by STS.128, two", 15), cycles("read later by LDS, two", 15) + 2);
}

}  // namespace
}  // namespace warpgauge::probes
