#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "calib/loader.h"
#include "calib/measurements.h"
#include "tests/cli/run_binary.h"

namespace warpgauge::cli {
namespace {

using test::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CalibrateCommand : public test::BinaryTest {
 protected:
  CalibrateCommand() : BinaryTest("calibrate") {
    calib::Measurements m{"NVIDIA H200", "sm_90", "580.1", "2026-11-21", {}, {}};
    m.probes.push_back({"l1.latency",
                        "",
                        "",
                        "00ff",
                        1980,
                        {{"chase", "bytes", "cycles", {1024, 2048}, {33, 33}}},
                        {{"l1.hit_latency", 33.0, calib::Unit::cycles, 0.5, 2, ""}}});
    calib::save(m, path("measurements.json"));
  }

  [[nodiscard]] std::string succeed(const std::string& arguments) const {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 0) << arguments << ": " << o.error;
    EXPECT_EQ(o.error, "");
    return o.out;
  }
};

TEST_F(CalibrateCommand, FitsMeasurementsIntoTheShippedCalibrationOfTheirArchitecture) {
  const std::string out = succeed(path("measurements.json") + " --id mine -o " + path("c.json"));
  EXPECT_THAT(out, HasSubstr("values measured"));
  const calib::Calibration fitted = calib::load(path("c.json"));
  EXPECT_EQ(fitted.id, "mine");
  EXPECT_EQ(fitted.architecture, "sm_90");
  EXPECT_EQ(fitted.l1.hit_latency, 33U);
  EXPECT_EQ(fitted.provenance.at("l1.hit_latency").source, calib::Source::measured);
}

TEST_F(CalibrateCommand, WritesToStdoutWhatItWritesToAFile) {
  (void)succeed(path("measurements.json") + " -o " + path("c.json"));
  std::ifstream in(path("c.json"));
  const std::string written{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(succeed(path("measurements.json")), written);
}

TEST_F(CalibrateCommand, ExplainsAKeyWithTheSamplesBehindIt) {
  const std::string out =
      succeed(path("measurements.json") + " --explain l1.hit_latency --svg " + path("plot.svg"));
  EXPECT_THAT(out, AllOf(HasSubstr("l1.hit_latency = 33 cycles"), HasSubstr("measured: probe l1.latency"),
                         HasSubstr("chase")));
  std::ifstream in(path("plot.svg"));
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(in), {}), HasSubstr("<svg"));
  EXPECT_THAT(succeed("--gpu v100 --explain l1.hit_latency"), HasSubstr("published: Jia2018 table 3.1"));
}

TEST_F(CalibrateCommand, ShowsWhereTwoCalibrationsDiffer) {
  EXPECT_THAT(succeed("--diff v100 t4"),
              AllOf(HasSubstr("l1.hit_latency"), HasSubstr("1.143"), Not(HasSubstr("shared.banks"))));
  EXPECT_THAT(succeed("--diff t4 t4 --csv"), Not(HasSubstr("\n\n")));
}

TEST_F(CalibrateCommand, SetsACalibrationBesideAPapersColumns) {
  const std::string out = succeed("--gpu h200 --compare jia2018/k80 titan_rtx --csv");
  EXPECT_THAT(out,
              AllOf(HasSubstr("k80 (jia2018),titan_rtx (arafa2019)"), HasSubstr("ptx.optimized.int.abs")));
}

TEST_F(CalibrateCommand, ListsWhatNoProbeHasSet) {
  const std::string out = succeed(path("measurements.json") + " --unmeasured --csv");
  EXPECT_THAT(out, AllOf(HasSubstr("l1.line,"), Not(HasSubstr("l1.hit_latency,"))));
}

TEST_F(CalibrateCommand, RefusesWhatItCannotRead) {
  expect_refusal("nowhere.json", ExitCode::bad_file, "nowhere.json: cannot be read");
  expect_refusal("--gpu a100", ExitCode::bad_calibration, "h200, t4, v100");
  expect_refusal("--gpu h200 --explain l1.hit_latncy", ExitCode::bad_calibration, "l1.hit_latency");
  expect_refusal("--gpu h200 --compare jia2020", ExitCode::bad_file, "jia2018/k80");
  expect_refusal(path("measurements.json") + " --gpu t4", ExitCode::bad_calibration, "sm_90");
}

TEST_F(CalibrateCommand, RefusesOptionsThatDoNotFitTogether) {
  expect_refusal("", ExitCode::usage, "--gpu");
  expect_refusal("--gpu h200 --svg x.svg", ExitCode::usage, "--explain");
  expect_refusal("--diff h200", ExitCode::usage, "--diff");
  expect_refusal("--gpu h200 --explain l1.line --unmeasured", ExitCode::usage, "--explain");
}

}  // namespace
}  // namespace warpgauge::cli
