#include "calib/reference.h"

#include <algorithm>
#include <set>

#include "tests/calib/support.h"

namespace warpgauge::calib {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<Reference>& shipped() {
  static const std::vector<Reference> references =
      load_references(std::filesystem::path(WARPGAUGE_SOURCE_DIR) / "calib" / "reference");
  return references;
}

const Reference& reference(std::string_view paper, std::string_view name) {
  const auto found = std::find_if(shipped().begin(), shipped().end(),
                                  [&](const Reference& r) { return r.paper == paper && r.name == name; });
  if (found == shipped().end()) throw std::runtime_error("no such reference");
  return *found;
}

double number(const Reference& from, std::string_view key) {
  const ReferenceFigure* figure = from.find(key);
  if (figure == nullptr) throw std::runtime_error("no figure " + std::string(key));
  return std::get<double>(figure->value);
}

TEST(ShippedReferences, HaveEveryColumnOfThePapers) {
  std::set<std::string> names;
  for (const Reference& r : shipped()) names.insert(r.paper + "/" + r.name);
  const std::set<std::string> expected{"jia2018/v100",        "jia2018/p100",   "jia2018/p4",
                                       "jia2018/m60",         "jia2018/k80",    "jia2018/v100_nvlink",
                                       "jia2018/p100_nvlink", "jia2019/t4",     "jia2019/v100",
                                       "jia2019/p100",        "jia2019/p4",     "jia2019/m60",
                                       "jia2019/k80",         "arafa2019/k40m", "arafa2019/titan_x",
                                       "arafa2019/p100",      "arafa2019/v100", "arafa2019/titan_rtx"};
  EXPECT_EQ(names, expected);
}

TEST(ShippedReferences, CiteATableOrSectionOfThePaperTheyLieUnder) {
  for (const Reference& r : shipped()) {
    EXPECT_FALSE(r.figures.empty());
    for (const ReferenceFigure& figure : r.figures) {
      std::string paper = figure.provenance.reference.substr(0, figure.provenance.reference.find(' '));
      std::transform(paper.begin(), paper.end(), paper.begin(),
                     [](char c) { return static_cast<char>(c | 0x20); });
      EXPECT_EQ(paper, r.paper) << r.name << " " << figure.key;
    }
  }
}

TEST(ShippedReferences, CarryFiguresOfEveryTable) {
  EXPECT_EQ(number(reference("jia2018", "k80"), "l1.hit_latency"), 35);
  EXPECT_EQ(number(reference("jia2018", "m60"), "dram.mixed_efficiency"), 79.3);
  EXPECT_EQ(number(reference("jia2018", "v100_nvlink"), "gemm.half"), 87420);
  EXPECT_EQ(number(reference("jia2018", "p100_nvlink"), "link.peer_bandwidth"), 36.72);
  EXPECT_EQ(number(reference("jia2018", "p4"), "latency.opcode.XMAD"), 6);
  EXPECT_EQ(number(reference("jia2019", "t4"), "gemm.int1"), 552230);
  EXPECT_EQ(number(reference("arafa2019", "titan_rtx"), "ptx.unoptimized.double.mul_mad_fma"), 54);
  EXPECT_EQ(number(reference("arafa2019", "v100"), "ptx.cuda_10.intrinsic.popc"), 5);
  EXPECT_EQ(to_text(reference("jia2018", "k80").find("atomics.shared_latency")->value),
            "93,214,460,952,1936,4257");
}

// Where a paper prints the figure of a key, the shipped calibration holds it or says why it holds another.
class CalibrationAgainstItsPaper : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(CalibrationAgainstItsPaper, DiffersOnlyWhereItIsNotCitedAsPublished) {
  const auto [device, paper] = GetParam();
  const Calibration calibration = load_device(devices(), device);
  int same = 0;
  for (const ReferenceFigure& figure : reference(paper, device).figures) {
    const auto provenance = calibration.provenance.find(figure.key);
    if (provenance == calibration.provenance.end()) continue;
    if (provenance->second.source != Source::published) continue;
    if (!provenance->second.reference.starts_with(figure.provenance.reference)) continue;
    EXPECT_EQ(get(calibration, figure.key), to_text(figure.value)) << figure.key;
    ++same;
  }
  EXPECT_GT(same, 60);
}

INSTANTIATE_TEST_SUITE_P(Devices, CalibrationAgainstItsPaper,
                         ::testing::Values(std::pair{"v100", "jia2018"}, std::pair{"t4", "jia2019"}),
                         [](const auto& row) { return std::string(row.param.first); });

std::string spoiled(std::string_view leaf) {
  return R"({"schema": "warpgauge-reference/1", "device": "d", "architecture": "sm_60", "figures": {)" +
         std::string(leaf) + "}}";
}

std::string reference_refusal(const std::string& json) {
  return refusal([&] { (void)parse_reference(json, "r.json"); });
}

TEST(ReferenceRefuses, WhatIsNotAReference) {
  EXPECT_THAT(reference_refusal("{"), HasSubstr("not JSON"));
  EXPECT_THAT(reference_refusal("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(reference_refusal(R"({"schema": "warpgauge-calibration/1"})"),
              HasSubstr("warpgauge-reference/1"));
  EXPECT_THAT(reference_refusal(R"({"schema": "warpgauge-reference/1", "device": "d", "architecture": "a"})"),
              HasSubstr("figures"));
}

TEST(ReferenceRefuses, AFigureThatIsNotRight) {
  const std::string rest = R"("unit": "cycles", "source": "published", "reference": "x"})";
  EXPECT_THAT(
      reference_refusal(spoiled(
          R"("l1.hit_latency": {"value": 1, "unit": "ns", "source": "published", "reference": "x"})")),
      AllOf(StartsWith("r.json: l1.hit_latency"), HasSubstr("the unit is cycles, got ns")));
  EXPECT_THAT(reference_refusal(spoiled(R"("a": {"value": null, )" + rest)), HasSubstr("got null"));
  EXPECT_THAT(reference_refusal(spoiled(R"("a": {"value": [1, "b"], )" + rest)), HasSubstr("one is a text"));
  EXPECT_THAT(reference_refusal(spoiled(R"("a": {)" + rest)), HasSubstr("expected a leaf"));
  EXPECT_THAT(reference_refusal(
                  spoiled(R"("a": {"value": 1, "unit": "cycles", "source": "assumed", "reference": "x"})")),
              HasSubstr("must be published"));
}

TEST(ReferenceRefuses, AFolderThatIsNotThere) {
  EXPECT_THAT(refusal([] { (void)load_references("nowhere"); }), HasSubstr("nowhere: cannot be read"));
}

TEST(Compare, HasARowForEveryFigureOfTheReferences) {
  const std::vector<Calibration> calibrations{load_device(devices(), "v100"), load_device(devices(), "h200")};
  const Comparison comparison = compare(calibrations, shipped());
  ASSERT_EQ(comparison.columns.size(), 2 + shipped().size());
  EXPECT_EQ(comparison.columns[0], "v100-papers");
  std::size_t cells = 0;
  for (const ComparisonRow& row : comparison.rows) {
    ASSERT_EQ(row.cells.size(), comparison.columns.size());
    for (std::size_t i = 2; i < row.cells.size(); ++i) cells += !row.cells[i].empty();
  }
  std::size_t figures = 0;
  for (const Reference& r : shipped()) figures += r.figures.size();
  EXPECT_EQ(cells, figures);
}

TEST(Compare, SetsACalibrationBesideAPaper) {
  const std::vector<Calibration> calibrations{sound()};
  const std::vector<Reference> references{reference("jia2018", "p100")};
  const Comparison comparison = compare(calibrations, references);
  const auto row = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                [](const ComparisonRow& r) { return r.key == "l1.hit_latency"; });
  ASSERT_NE(row, comparison.rows.end());
  EXPECT_EQ(row->cells, (std::vector<std::string>{get(sound(), "l1.hit_latency"), "82"}));
  EXPECT_EQ(comparison.rows.back().cells[0], "") << "the papers' own figures come last";
}

TEST(Compare, ShowsAllKeysWhenAsked) {
  const std::vector<Calibration> calibrations{sound()};
  EXPECT_EQ(compare(calibrations, {}, true).rows.size(), all_keys().size());
  EXPECT_TRUE(compare(calibrations, {}).rows.empty());
}

TEST(ComparisonRenderings, HoldTheSameCells) {
  const Comparison comparison{{"a", "b, c"},
                              {{"l1.size", Unit::bytes, {"128", ""}}, {"x", Unit::cycles, {"", "1,2"}}}};
  EXPECT_EQ(comparison_text(comparison),
            "key      unit      a  b, c\n"
            "l1.size  bytes   128     -\n"
            "x        cycles    -   1,2\n");
  EXPECT_EQ(comparison_markdown(comparison),
            "| key | unit | a | b, c |\n| --- | --- | ---: | ---: |\n"
            "| l1.size | bytes | 128 | - |\n| x | cycles | - | 1,2 |\n");
  EXPECT_EQ(comparison_csv(comparison), "key,unit,a,\"b, c\"\nl1.size,bytes,128,\nx,cycles,,\"1,2\"\n");
}

}  // namespace
}  // namespace warpgauge::calib
