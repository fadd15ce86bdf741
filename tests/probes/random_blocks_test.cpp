// Straight-line truth: 200 random blocks of code on 1 to 16 warps, as an H200 ran them and as the model does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "calib/loader.h"
#include "calib/measurements.h"
#include "probes/model/model_target.h"
#include "probes/run.h"

namespace warpgauge::probes {
namespace {

const calib::ProbeResult& result_of(const calib::Measurements& measurements, const std::string& name) {
  for (const calib::ProbeResult& result : measurements.probes) {
    if (result.name == name) return result;
  }
  throw std::runtime_error("no probe " + name);
}

// What the model is asked to reach; it has 2.5 % and 7.6 %.
constexpr double mean_budget = 0.03;
constexpr double p95_budget = 0.10;

TEST(RandomBlocks, TheModelStaysWithinItsErrorBudgetOfTheH200) {
  const std::string folder = std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/h200/";
  const calib::Measurements card = calib::load_measurements(folder + "measurements.json");
  const calib::ProbeResult& measured = result_of(card, "blocks.random");
  const auto target = open_model(calib::load(folder + "calibration.json"));
  const ProbeOutcome outcome = run_probe(*target, *select_probes({"blocks.random"}).front());
  ASSERT_EQ(outcome.complaint, "");
  // The same blocks, or the comparison says nothing.
  ASSERT_EQ(outcome.result.sass_hash, measured.sass_hash);
  std::vector<double> errors;
  for (const calib::Series& series : outcome.result.samples) {
    const auto same = std::find_if(measured.samples.begin(), measured.samples.end(),
                                   [&](const calib::Series& each) { return each.label == series.label; });
    if (same == measured.samples.end() || series.y_unit != "cycles") continue;
    ASSERT_EQ(series.x, same->x);
    for (std::size_t i = 0; i < series.y.size(); ++i)
      errors.push_back(std::abs(series.y[i] - same->y[i]) / same->y[i]);
  }
  ASSERT_EQ(errors.size(), 1000U);
  std::sort(errors.begin(), errors.end());
  double sum = 0;
  for (const double error : errors) sum += error;
  RecordProperty("mean_percent", std::to_string(100 * sum / 1000));
  RecordProperty("p95_percent", std::to_string(100 * errors[950]));
  EXPECT_LE(sum / 1000, mean_budget);
  EXPECT_LE(errors[950], p95_budget);
}

}  // namespace
}  // namespace warpgauge::probes
