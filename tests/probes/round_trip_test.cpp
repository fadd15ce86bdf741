// What comes back must equal what went in: probes run on the model of a calibration, and the calibration fitted from their
// figures has that calibration's values.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "calib/loader.h"
#include "calib/measurements.h"
#include "probes/model/model_target.h"
#include "probes/run.h"

namespace warpgauge::probes {
namespace {

// Every numeric leaf by its key; flags and choices as numbers.
struct Leaves {
  std::map<std::string, double> values;
  template <class T>
  void operator()(const calib::Key& key, const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      values[key.path] = static_cast<double>(value);
    } else if constexpr (std::is_enum_v<T>) {
      values[key.path] = static_cast<double>(static_cast<int>(value));
    }
  }
};

Leaves leaves_of(const calib::Calibration& calibration) {
  Leaves leaves;
  calib::visit(calibration, leaves);
  return leaves;
}

// What the model does not yet tell apart, and what the probe reads instead: an immediate address from one in a register
// for LDC.
const std::set<std::string> blurred = {"access.load_constant_32.raw_uniform"};

class RoundTrip : public ::testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, GivesEveryFigureBack) {
  const calib::Calibration given =
      calib::load(std::string(WARPGAUGE_SOURCE_DIR) + "/calib/devices/" + GetParam() + "/calibration.json");
  const auto target = open_model(given);
  calib::Measurements measurements;
  measurements.device = given.device;
  measurements.architecture = given.architecture;
  measurements.driver = target->facts().driver;
  measurements.date = today();
  for (const Probe* probe :
       select_probes({"issue.codes", "issue.steps", "issue.holds", "issue.nested", "issue.policy", "issue.blocks", "instructions.tracked", "lsu.access", "matrix.distances"})) {
    if (target->facts().sm < probe->from_sm) continue;
    const ProbeOutcome outcome = run_probe(*target, *probe);
    EXPECT_EQ(outcome.complaint, "") << probe->name;
    measurements.probes.push_back(outcome.result);
  }
  const Leaves in = leaves_of(given), out = leaves_of(calib::fit(measurements, given));
  std::size_t compared = 0;
  for (const calib::ProbeResult& result : measurements.probes) {
    for (const calib::Figure& figure : result.figures) {
      if (blurred.contains(figure.key)) continue;
      ASSERT_TRUE(in.values.contains(figure.key)) << figure.key;
      const double given_value = in.values.at(figure.key);
      EXPECT_NEAR(out.values.at(figure.key), given_value, 0.03 * std::abs(given_value)) << figure.key << " of " << result.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 50u);
}
INSTANTIATE_TEST_SUITE_P(Devices, RoundTrip, ::testing::Values("v100", "t4", "h200"));

}  // namespace
}  // namespace warpgauge::probes
