#include "calib/explain.h"

#include <algorithm>
#include <cmath>

#include "calib/plot.h"
#include "tests/calib/support.h"

namespace warpgauge::calib {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Series ramp() {
  return {"ramp", "bytes", "cycles", {0, 1, 2, 3, 4}, {0, 10, 20, 30, 40}};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    result.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(TextPlot, DrawsEveryPointInItsPlace) {
  EXPECT_EQ(plot_text(ramp(), {}, {.width = 5, .height = 5}),
            "ramp\n"
            "40 |    *\n"
            "   |   *\n"
            "20 |  *\n"
            "   | *\n"
            " 0 |*\n"
            "   +-----\n"
            "    0   4\n"
            "    cycles against bytes\n");
}

TEST(TextPlot, DrawsALevelAndMarksPointsThatCoincide) {
  Series series = ramp();
  series.x.push_back(4);
  series.y.push_back(40);
  const std::vector<std::string> drawn =
      lines(plot_text(series, {{"l1.hit_latency", 20}}, {.width = 5, .height = 5}));
  EXPECT_EQ(drawn[1], "40 |    #");
  EXPECT_EQ(drawn[3], "20 |--*--");
  EXPECT_EQ(drawn.back(), "    --- l1.hit_latency: 20");
}

TEST(TextPlot, PlacesFootprintsOnALogarithmicAxis) {
  const Series series{"chase", "bytes", "cycles", {1024, 32768, 1048576}, {1, 1, 1}};
  EXPECT_TRUE(wants_log_x(series));
  EXPECT_FALSE(wants_log_x(ramp()));
  const std::string text = plot_text(series, {}, {.width = 11, .height = 3, .log_x = true});
  EXPECT_THAT(text, HasSubstr("|*    *    *\n"));
  EXPECT_THAT(text, HasSubstr("logarithmic"));
}

TEST(TextPlot, OfOnePointOrNoneIsStillAPlot) {
  EXPECT_THAT(plot_text({"one", "a", "b", {5}, {7}}, {}, {.width = 9, .height = 3, .log_x = true}),
              HasSubstr("*"));
  EXPECT_THAT(plot_text({"none", "a", "b", {}, {}}, {}), HasSubstr("no points"));
  EXPECT_THAT(plot_text({"none", "a", "b", {1, -1}, {std::nan(""), 1}}, {}, {.log_x = true}),
              HasSubstr("no points"));
}

TEST(SvgPlot, HasACirclePerPointAndEscapesWhatItPrints) {
  Series series = ramp();
  series.label = "a<b & \"c\"";
  const std::string svg = plot_svg(series, {{"level", 20}});
  EXPECT_EQ(count(svg, "<circle"), 5U);
  EXPECT_THAT(svg,
              AllOf(HasSubstr("a&lt;b &amp; &quot;c&quot;"), HasSubstr("level: 20"), Not(HasSubstr("a<b"))));
  EXPECT_EQ(count(svg, "<svg"), count(svg, "</svg>"));
  EXPECT_EQ(svg, plot_svg(series, {{"level", 20}}));
  EXPECT_THAT(plot_svg({"none", "a", "b", {}, {}}, {}), HasSubstr("no points"));
}

Measurements measured() {
  Measurements m{"Tesla V100", "sm_70", "580.1", "2026-11-21", {}, {{"l2.latency", "timed out"}}};
  m.probes.push_back({"l1.latency",
                      "How long does a load that hits take?",
                      "Jia2018 section 3.1",
                      "00ff",
                      1980,
                      {ramp(), {"other", "bytes", "ns", {1}, {1}}},
                      {{"l1.hit_latency", 32.0, Unit::cycles, 0.5, 5, "ramp"},
                       {"l1.miss_latency", 21.0, Unit::cycles, 0, 6, ""}}});
  return m;
}

TEST(Explain, SaysWhereAPublishedValueComesFrom) {
  const std::string text =
      explanation_text(explain(load_device(devices(), "v100"), "l1.hit_latency", nullptr));
  EXPECT_EQ(text,
            "l1.hit_latency = 28 cycles\n  Load-to-use of an LDG that hits, in a pointer chase\n"
            "  published: Jia2018 table 3.1\n");
}

TEST(Explain, ShowsTheSamplesThatTheFigureWasReadFrom) {
  const Measurements m = measured();
  const Calibration fitted = fit(m, sound());
  const Explanation explanation = explain(fitted, "l1.hit_latency", &m);
  ASSERT_EQ(explanation.samples.size(), 1U);
  const std::string text = explanation_text(explanation);
  EXPECT_THAT(text,
              AllOf(HasSubstr("l1.hit_latency = 32 cycles"), HasSubstr("measured: probe l1.latency"),
                    HasSubstr("5 samples, ± 0.5 cycles"), HasSubstr("after Jia2018 section 3.1"),
                    HasSubstr("machine code 00ff, SM clock 1980 MHz"), HasSubstr("--- l1.hit_latency: 32")));
  EXPECT_THAT(text, Not(HasSubstr("other")));
}

TEST(Explain, ShowsAllSeriesOfAFigureThatNamesNoneAndLevelsOnlyInTheirUnit) {
  const Measurements m = measured();
  const Explanation explanation = explain(fit(m, sound()), "l1.miss_latency", &m);
  EXPECT_EQ(explanation.samples.size(), 2U);
  EXPECT_EQ(count(explanation_text(explanation), "--- l1.miss_latency"), 1U);
  const std::string svg = explanation_svg(explanation);
  EXPECT_EQ(count(svg, "<g "), 2U);
  EXPECT_EQ(count(svg, "<svg"), 3U);
}

TEST(Explain, SaysWhyAProbeBroughtNothingBack) {
  const Measurements m = measured();
  Calibration fitted = sound();
  fitted.provenance["l2.hit_latency"] = {Source::measured,
                                         "probe l2.latency on Tesla V100, driver 1, 2026-01-01", "", 3, 0};
  EXPECT_THAT(explanation_text(explain(fitted, "l2.hit_latency", &m)), HasSubstr("l2.latency: timed out"));
}

TEST(Explain, DrawsNoSamplesAsALine) {
  EXPECT_THAT(explanation_svg(explain(sound(), "l1.line", nullptr)), HasSubstr("l1.line: no samples"));
}

TEST(Explain, DoesNotGiveAUnitToAChoice) {
  EXPECT_THAT(explanation_text(explain(sound(), "issue.policy", nullptr)),
              HasSubstr("issue.policy = greedy_then_youngest\n"));
}

TEST(ExplainRefuses, AnUnknownKey) {
  EXPECT_THAT(refusal([] { (void)explain(sound(), "l1.hit_latncy", nullptr); }), HasSubstr("l1.hit_latency"));
}

}  // namespace
}  // namespace warpgauge::calib
