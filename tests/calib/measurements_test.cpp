#include "calib/measurements.h"

#include <cmath>

#include "tests/calib/support.h"

namespace warpgauge::calib {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Figure figure(std::string key, decltype(Figure::value) value, Unit unit) {
  return {std::move(key), std::move(value), unit, 0.25, 40, ""};
}

Measurements measured(std::vector<Figure> figures) {
  Measurements m{"Tesla V100", "sm_70", "580.1", "2026-11-21", {}, {}};
  m.probes.push_back({"l1.latency",
                      "How long does a load that hits take?",
                      "Jia2018 section 3.1",
                      "00ff",
                      1980,
                      {{"latency \"by\" footprint", "bytes", "cycles", {1024, 2048}, {32, 32.5}}},
                      std::move(figures)});
  m.missing.push_back({"links.peer", "one card only"});
  return m;
}

Measurements one() {
  return measured({figure("l1.hit_latency", 33.4, Unit::cycles)});
}

TEST(Measurements, AreReadBackAsTheyWereWritten) {
  Measurements m =
      measured({figure("l1.hit_latency", 33.4, Unit::cycles), figure("uniform.present", true, Unit::flag),
                figure("l1.replacement", std::string("lru"), Unit::choice),
                figure("atomics.contention", std::vector<double>{1, 2}, Unit::count)});
  m.probes[0].figures[0].series = "latency \"by\" footprint";
  m.probes.push_back(m.probes[0]);
  m.probes[1].date = "2026-11-28";
  EXPECT_EQ(parse_measurements(to_json(m), "m.json"), m);
  const Measurements empty{"d", "sm_70", "", "", {}, {}};
  EXPECT_EQ(parse_measurements(to_json(empty), "m.json"), empty);
}

TEST(Measurements, AreSavedAndLoaded) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "warpgauge_measurements.json";
  save(one(), file);
  EXPECT_EQ(load_measurements(file), one());
  std::filesystem::remove(file);
  EXPECT_THAT(refusal([&] { (void)load_measurements(file); }), HasSubstr("cannot be read"));
}

TEST(Fit, PutsEveryFigureInItsKey) {
  const Calibration fitted =
      fit(measured({figure("l1.hit_latency", 33.4, Unit::cycles), figure("l1.size", 131071.7, Unit::bytes),
                    figure("dram.measured_bandwidth", 4123.25, Unit::GB_per_s),
                    figure("uniform.present", false, Unit::flag),
                    figure("l1.replacement", std::string("lru"), Unit::choice),
                    figure("atomics.global_latency", std::vector<double>{1, 2.4, 3, 4, 5, 6}, Unit::cycles)}),
          sound());
  EXPECT_EQ(fitted.l1.hit_latency, 33U);
  EXPECT_EQ(fitted.l1.size, 131072U);
  EXPECT_EQ(fitted.dram.measured_bandwidth, 4123.25);
  EXPECT_EQ(fitted.l1.replacement, Replacement::lru);
  EXPECT_EQ(fitted.atomics.global_latency, (List{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(fitted.id, "tesla-v100-2026-11-21");
}

TEST(Fit, MarksWhatItSetMeasuredAndLeavesTheRest) {
  const Calibration fitted = fit(one(), sound());
  const Provenance& provenance = fitted.provenance.at("l1.hit_latency");
  EXPECT_EQ(provenance.source, Source::measured);
  EXPECT_THAT(provenance.reference,
              AllOf(HasSubstr("l1.latency"), HasSubstr("Tesla V100"), HasSubstr("580.1")));
  EXPECT_THAT(provenance.method, HasSubstr("00ff"));
  EXPECT_EQ(provenance.samples, 40U);
  EXPECT_EQ(provenance.spread, 0.25);
  EXPECT_EQ(diff(sound(), fitted).size(), 1U);
  EXPECT_EQ(fitted.provenance.at("l1.line"), sound().provenance.at("l1.line"));
  EXPECT_EQ(parse(to_json(fitted), "fitted.json"), fitted);
}

TEST(Fit, GivesTheDateOfAProbeThatWasAskedAgain) {
  Measurements again = one();
  again.probes[0].date = "2026-11-28";
  EXPECT_THAT(fit(again, sound()).provenance.at("l1.hit_latency").reference, HasSubstr("2026-11-28"));
  EXPECT_THAT(fit(one(), sound()).provenance.at("l1.hit_latency").reference, HasSubstr("2026-11-21"));
}

TEST(Fit, OfWhatTheCalibrationSaysGivesTheCalibrationBack) {
  Measurements all{
      "Tesla V100", "sm_70", "model", "2026-11-21", {{"everything", "", "", "00", 1980, {}, {}}}, {}};
  visit(sound(), [&](const Key& key, const auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    decltype(Figure::value) as;
    if constexpr (std::is_same_v<T, Flag>)
      as = value;
    else if constexpr (std::is_same_v<T, List>)
      as = std::vector<double>(value.begin(), value.end());
    else if constexpr (std::is_enum_v<T>)
      as = std::string(name(value));
    else
      as = static_cast<double>(value);
    all.probes[0].figures.push_back(figure(key.path, as, key.unit));
  });
  EXPECT_TRUE(diff(sound(), fit(all, sound())).empty());
  EXPECT_TRUE(unmeasured_keys(all).empty());
}

TEST(Fit, LetsTheLaterOfTwoFiguresStand) {
  EXPECT_EQ(fit(measured({figure("l1.hit_latency", 40.0, Unit::cycles),
                          figure("l1.hit_latency", 41.0, Unit::cycles)}),
                sound())
                .l1.hit_latency,
            41U);
}

std::string fit_refusal(const Measurements& m) {
  return refusal([&] { (void)fit(m, sound()); });
}

TEST(Fit, LeavesWhatIsKept) {
  Calibration base = load_device(devices(), "v100");
  base.provenance.at("l1.hit_latency").kept = "made by hand";
  const Calibration fitted = fit(one(), base);
  EXPECT_EQ(fitted.l1.hit_latency, base.l1.hit_latency);
  EXPECT_EQ(fitted.provenance.at("l1.hit_latency").kept, "made by hand");
  EXPECT_EQ(parse(to_json(base), "base.json").provenance.at("l1.hit_latency").kept, "made by hand");
}

// One command, `warpgauge calibrate measurements.json`, gives the shipped calibration of the H200.
TEST(Fit, OfTheShippedMeasurementsGivesTheShippedCalibration) {
  const Calibration shipped = load_device(devices(), "h200");
  const Calibration fitted = fit(load_measurements(devices() / "h200" / "measurements.json"), shipped);
  for (const Key& key : all_keys()) {
    EXPECT_EQ(get(fitted, key.path), get(shipped, key.path)) << key.path;
  }
}

TEST(FitRefuses, AnUnknownKey) {
  EXPECT_THAT(fit_refusal(measured({figure("l1.hit_latncy", 1.0, Unit::cycles)})),
              AllOf(HasSubstr("probe l1.latency"), HasSubstr("l1.hit_latncy"), HasSubstr("l1.hit_latency")));
}

TEST(FitRefuses, AWrongUnit) {
  EXPECT_THAT(fit_refusal(measured({figure("l1.hit_latency", 1.0, Unit::ns)})),
              HasSubstr("l1.hit_latency: the unit is cycles, got ns"));
}

TEST(FitRefuses, AWrongType) {
  EXPECT_THAT(fit_refusal(measured({figure("l1.hit_latency", true, Unit::cycles)})),
              HasSubstr("must be a number"));
  EXPECT_THAT(fit_refusal(measured({figure("uniform.present", 1.0, Unit::flag)})),
              HasSubstr("must be true or false"));
  EXPECT_THAT(fit_refusal(measured({figure("l1.replacement", 1.0, Unit::choice)})),
              HasSubstr("must be a text"));
  EXPECT_THAT(fit_refusal(measured({figure("l1.replacement", std::string("best"), Unit::choice)})),
              HasSubstr("lru"));
  EXPECT_THAT(fit_refusal(measured({figure("atomics.contention", 1.0, Unit::count)})),
              HasSubstr("must be a list"));
}

TEST(FitRefuses, ANumberThatTheKeyCannotHold) {
  EXPECT_THAT(fit_refusal(measured({figure("l1.hit_latency", -1.0, Unit::cycles)})),
              HasSubstr("does not fit"));
  EXPECT_THAT(fit_refusal(measured({figure("l1.hit_latency", 1e10, Unit::cycles)})),
              HasSubstr("does not fit"));
  EXPECT_THAT(fit_refusal(measured({figure("l1.hit_latency", std::nan(""), Unit::cycles)})),
              HasSubstr("does not fit"));
  EXPECT_THAT(fit_refusal(measured({figure("clocks.sm", std::nan(""), Unit::MHz)})), HasSubstr("finite"));
}

TEST(FitRefuses, AFigureOfNoSamples) {
  Measurements m = one();
  m.probes[0].figures[0].n = 0;
  EXPECT_THAT(fit_refusal(m), HasSubstr("no samples"));
}

TEST(FitRefuses, AnotherArchitecture) {
  Measurements m = one();
  m.architecture = "sm_75";
  EXPECT_THAT(fit_refusal(m), AllOf(HasSubstr("sm_75"), HasSubstr("sm_70")));
}

TEST(FitRefuses, ValuesThatContradictEachOther) {
  EXPECT_THAT(fit_refusal(measured({figure("dram.latency", 5.0, Unit::cycles)})), HasSubstr("dram.latency"));
}

TEST(UnmeasuredKeys, AreAllButThoseMeasured) {
  const std::vector<std::string> left = unmeasured_keys(one());
  EXPECT_EQ(left.size() + 1, all_keys().size());
  EXPECT_THAT(left, Not(Contains("l1.hit_latency")));
  EXPECT_THAT(left, Contains("l1.size"));
}

struct Spoiled {
  const char* name;
  const char* from;
  const char* to;
  const char* message;
};

class MeasurementsRefuse : public ::testing::TestWithParam<Spoiled> {};

TEST_P(MeasurementsRefuse, AndNameThePlace) {
  const std::string json = replaced(to_json(one()), GetParam().from, GetParam().to);
  EXPECT_THAT(refusal([&] { (void)parse_measurements(json, "m.json"); }),
              AllOf(StartsWith("m.json: "), HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Files, MeasurementsRefuse,
    ::testing::Values(
        Spoiled{"NotJson", "{", "[", "not JSON"},
        Spoiled{"AnotherSchema", "measurements/1", "measurements/9", "schema"},
        Spoiled{"NoDriver", "\"driver\"", "\"chauffeur\"", "chauffeur"},
        Spoiled{"AnUnknownName", "\"asks\"", "\"demands\"", "probe l1.latency: unknown name \"demands\""},
        Spoiled{"NoHash", "\"sass_hash\"", "\"hash\"", "hash"},
        Spoiled{"AClockThatIsText", "\"clock_mhz\": 1980", "\"clock_mhz\": \"fast\"",
                "\"clock_mhz\" must be a number"},
        Spoiled{"UnequalSamples", "[1024, 2048]", "[1024]", "1 x for 2 y"},
        Spoiled{"SamplesThatAreText", "[1024, 2048]", "[1024, \"a\"]", "one is a text"},
        Spoiled{"SamplesThatAreNoList", "[1024, 2048]", "1024", "\"x\" must be a list"},
        Spoiled{"ANegativeSpread", "\"spread\": 0.25", "\"spread\": -0.25", "\"spread\" is negative"},
        Spoiled{"AnUnknownUnit", "\"unit\": \"cycles\"", "\"unit\": \"cykles\"",
                "l1.hit_latency: unknown unit"},
        Spoiled{"NoValue", "\"value\": 33.4, ", "", "\"value\" is missing"},
        Spoiled{"AValueOfNull", "\"value\": 33.4", "\"value\": null", "must be a number"},
        Spoiled{"AFractionalCount", "\"n\": 40", "\"n\": 4.5", "\"n\" must be a whole number"},
        Spoiled{"AProbeTwiceNamed", "\"name\":", "\"name\": \"x\", \"name\":", "stands twice"},
        Spoiled{"AMissingWithoutReason", "\"reason\"", "\"why\"", "unknown name \"why\""}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(MeasurementsWriter, RefusesASampleThatIsNotFinite) {
  Measurements m = one();
  m.probes[0].samples[0].y[0] = std::nan("");
  EXPECT_THAT(refusal([&] { (void)to_json(m); }), HasSubstr("finite"));
}

}  // namespace
}  // namespace warpgauge::calib
