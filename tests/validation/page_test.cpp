// The page that `validate --html` writes, in a headless Chromium without a network.
#include "cli/validate/page.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/validation/browser.h"

namespace warpgauge::cli {
namespace {

constexpr const char* stall_reason = "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio";
constexpr const char* other_reason = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";

Comparison one(const std::string& name, const std::string& family, bool held_out, double predicted,
               double measured) {
  Comparison c;
  c.name = name;
  c.family = family;
  c.held_out = held_out;
  c.predicted = predicted;
  c.measured = measured;
  c.spread = 0.02;
  c.counters["smsp__inst_executed.sum"] = {predicted * 2, measured * 2, std::nullopt};
  c.counters["sm__cycles_active.avg"] = {predicted / 2, measured / 2, 0.01};
  c.counters[stall_reason] = {3, 2, std::nullopt};
  c.counters[other_reason] = {1, 4, std::nullopt};
  return c;
}

Validation sample() {
  Validation v{"A card", "1.2", "2026-11-21", "a-calibration", {}};
  for (int i = 0; i < 40; ++i) {
    const double measured = 3000 * std::pow(1.15, i);
    const double error = (i % 7 - 3) * 0.05;
    v.comparisons.push_back(one("kernel" + std::to_string(i) + "/l2", i % 3 == 0 ? "streaming" : "gemm",
                                i % 2 == 1, measured * (1 + error), measured));
  }
  Comparison failed = one("broken/</script><b>", "gemm", false, 0, 5000);
  failed.failure = "unknown \"instruction\" <i>";
  failed.counters.clear();
  v.comparisons.push_back(failed);
  sort_worst_first(v.comparisons);
  return v;
}

// The page of the sample, opened once for all tests.
testing::Browser& page() {
  static const std::filesystem::path file = [] {
    auto at =
        std::filesystem::temp_directory_path() / ("warpgauge_page_" + std::to_string(getpid()) + ".html");
    std::ofstream(at, std::ios::binary) << to_html(sample());
    return at;
  }();
  static testing::Browser browser;
  static const bool opened = [] {
    browser.open("file://" + file.string());
    std::filesystem::remove(file);
    return true;
  }();
  EXPECT_TRUE(opened);
  return browser;
}

TEST(ValidationPage, NamesNoAddressThatABrowserWouldFetch) {
  const std::string html = to_html(sample());
  for (const char* reference : {"src=\"http", "href=\"http", "url(http", "@import", "<script src", "fetch(",
                                "XMLHttpRequest", "WebSocket"}) {
    EXPECT_EQ(html.find(reference), std::string::npos) << reference;
  }
}

TEST(ValidationPage, LoadsOfflineWithoutAComplaintAndAsksForNothingElse) {
  testing::Browser& browser = page();
  EXPECT_EQ(browser.value("document.querySelector('h1').textContent"), "Predicted against measured");
  EXPECT_TRUE(browser.complaints().empty()) << browser.complaints().front();
  for (const std::string& request : browser.requests()) {
    EXPECT_TRUE(request.starts_with("file:") || request.starts_with("data:")) << request;
  }
}

TEST(ValidationPage, DrawsAPointWhereEveryPredictedCaseBelongs) {
  testing::Browser& browser = page();
  EXPECT_EQ(browser.value("validation.drawn().length"), 40);
  // Colours of points are saturated, those of axes, bands and text are not. A ring is empty in its middle,
  // so a little around it counts.
  const auto missing = browser.value(R"js((() => {
    const {plot} = validation;
    const ctx = plot.ctx, r = Math.round(6 * devicePixelRatio);
    return validation.drawn().filter(c => {
      const x = Math.round(plot.valToPos(c.measured, 'x', true)), y = Math.round(plot.valToPos(c.predicted, 'y', true));
      const {data} = ctx.getImageData(x - r, y - r, 2 * r + 1, 2 * r + 1);
      for (let i = 0; i < data.length; i += 4) {
        const [red, green, blue, alpha] = data.slice(i, i + 4);
        if (alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) return false;
      }
      return true;
    }).map(c => c.name);
  })())js");
  EXPECT_EQ(missing, nlohmann::json::array());
}

TEST(ValidationPage, HasARowForEveryCaseAndTheWorstFirst) {
  testing::Browser& browser = page();
  EXPECT_EQ(browser.value("document.querySelectorAll('#cases tr.case').length"), 41);
  EXPECT_EQ(browser.value("document.querySelector('#cases tr.case').dataset.name"), "broken/</script><b>");
  EXPECT_EQ(browser.value("document.querySelectorAll('b, i').length"), 0) << "a name became markup";
  const auto errors = browser.value(
      "[...document.querySelectorAll('#cases tr.case')].slice(1).map(r => "
      "Math.abs(parseFloat(r.cells[5].textContent.replace('−', '-'))))");
  for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_GE(errors[i - 1], errors[i]) << i;
}

TEST(ValidationPage, SortsByAHeadingAndTurnsRoundAtTheSecondClick) {
  testing::Browser& browser = page();
  const std::string measured =
      "[...document.querySelectorAll('#cases tr.case')].map(r => +r.cells[4].textContent.replaceAll(',', "
      "''))";
  browser.value("document.querySelector('#cases th button[data-key=measured]').click()");
  auto down = browser.value(measured).get<std::vector<double>>();
  ASSERT_EQ(down.size(), 41u);
  EXPECT_TRUE(std::is_sorted(down.rbegin(), down.rend()));
  EXPECT_EQ(browser.value("document.querySelector('#cases th[aria-sort]').getAttribute('aria-sort')"),
            "descending");
  browser.value("document.querySelector('#cases th button[data-key=measured]').click()");
  const auto up = browser.value(measured).get<std::vector<double>>();
  EXPECT_TRUE(std::is_sorted(up.begin(), up.end()));
  browser.value("document.querySelector('#cases th button[data-key=name]').click()");
  auto names = browser.value("[...document.querySelectorAll('#cases tr.case')].map(r => r.dataset.name)")
                   .get<std::vector<std::string>>();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  browser.value("document.querySelector('#cases th button[data-key=error]').click()");
}

TEST(ValidationPage, AClickOnACaseOpensItsCountersAndBothStallStacks) {
  testing::Browser& browser = page();
  browser.value("document.querySelector('#cases tr.case[data-name=\"kernel3/l2\"]').click()");
  const std::string details = "document.querySelector('#cases tr.details')";
  EXPECT_EQ(browser.value(details + ".querySelectorAll('.counters tbody tr').length"), 4);
  EXPECT_EQ(browser.value(details + ".querySelectorAll('.stacks .bar').length"), 2);
  const auto texts =
      browser.value("[..." + details + ".querySelectorAll('.stacks h3')].map(h => h.textContent)");
  EXPECT_EQ(texts, nlohmann::json({"Predicted: 4 warp cycles per instruction",
                                   "Measured: 6 warp cycles per instruction"}));
  browser.value("document.querySelector('#cases tr.case[data-name=\"kernel3/l2\"]').click()");
  EXPECT_EQ(browser.value("document.querySelectorAll('#cases tr.details').length"), 0);
}

TEST(ValidationPage, FiltersLeaveTheSameCasesInPlotAndTable) {
  testing::Browser& browser = page();
  browser.value("document.querySelector('#families button[data-family=gemm]').click()");
  EXPECT_EQ(browser.value("document.querySelectorAll('#cases tr.case').length"), 14);
  EXPECT_EQ(browser.value("validation.drawn().length"), 14);
  browser.value("document.querySelector('#families button[data-family=gemm]').click()");
  browser.value(
      "{ const t = document.getElementById('text'); t.value = 'kernel1'; "
      "t.dispatchEvent(new Event('input')); }");
  EXPECT_EQ(browser.value("document.querySelectorAll('#cases tr.case').length"), 11);
  browser.value(
      "{ const t = document.getElementById('text'); t.value = ''; t.dispatchEvent(new Event('input')); }");
}

TEST(ValidationPage, AChosenCounterBecomesColumnsToSortBy) {
  testing::Browser& browser = page();
  browser.value(
      "{ const m = document.getElementById('metric'); m.value = 'smsp__inst_executed.sum'; "
      "m.dispatchEvent(new Event('change')); }");
  EXPECT_EQ(browser.value("document.querySelectorAll('#cases > thead th').length"), 11);
  browser.value("document.querySelector('#cases th button[data-key=\"counter measured\"]').click()");
  // The failed case has no counter and comes last.
  EXPECT_EQ(browser.value("document.querySelector('#cases tr.case').dataset.name"), "kernel39/l2");
  EXPECT_EQ(browser.value("[...document.querySelectorAll('#cases tr.case')].at(-1).dataset.name"),
            "broken/</script><b>");
}

TEST(ValidationPage, StatisticsStandByFamilyAndHalf) {
  testing::Browser& browser = page();
  const auto rows = browser.value(
      "[...document.querySelectorAll('#short tbody tr, #groups tbody tr')].map(r => r.cells.length)");
  EXPECT_EQ(rows.size(), 9u) << "all, gemm and streaming, each whole, open and held out";
  EXPECT_EQ(browser.value("document.querySelectorAll('#counters tbody tr').length"), 4);
}

}  // namespace
}  // namespace warpgauge::cli
