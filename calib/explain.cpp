#include "calib/explain.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "calib/loader.h"
#include "calib/plot.h"
#include "calib/values.h"

namespace warpgauge::calib {
namespace {

void add_samples(const Measurements& measurements, Explanation& explanation) {
  for (const ProbeResult& probe : measurements.probes)
    for (const Figure& figure : probe.figures) {
      if (figure.key != explanation.key) continue;
      explanation.probe = probe.name;
      explanation.asks = probe.asks;
      explanation.cites = probe.cites;
      explanation.sass_hash = probe.sass_hash;
      explanation.clock_mhz = probe.clock_mhz;
      explanation.samples.clear();
      for (const Series& series : probe.samples)
        if (figure.series.empty() || figure.series == series.label) explanation.samples.push_back(series);
    }
  if (!explanation.probe.empty()) return;
  // A provenance that names a probe which is now missing.
  for (const MissingProbe& probe : measurements.missing)
    if (explanation.provenance.reference.find("probe " + probe.name + " ") != std::string::npos)
      explanation.missing = fmt::format("{}: {}", probe.name, probe.reason);
}

std::vector<Level> levels(const Explanation& explanation, const Series& series) {
  if (series.y_unit != name(explanation.unit)) return {};
  double value = 0;
  const char* end = explanation.value.data() + explanation.value.size();
  const auto parsed = std::from_chars(explanation.value.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return {};
  return {{explanation.key, value}};
}

PlotOptions options_for(const Series& series) {
  PlotOptions options;
  options.log_x = wants_log_x(series);
  return options;
}

}  // namespace

Explanation explain(const Calibration& calibration, std::string_view key, const Measurements* measurements) {
  Explanation explanation;
  const bool found = with_key(calibration, key, [&](const Key& of, const auto& value) {
    explanation.key = of.path;
    explanation.unit = of.unit;
    explanation.doc = of.doc;
    explanation.value = to_text(value);
  });
  if (!found) throw CalibrationError(fmt::format("unknown key {}; the nearest is {}", key, nearest_key(key)));
  const auto provenance = calibration.provenance.find(key);
  if (provenance != calibration.provenance.end()) explanation.provenance = provenance->second;
  if (measurements != nullptr) add_samples(*measurements, explanation);
  return explanation;
}

std::string explanation_text(const Explanation& e) {
  std::string text =
      fmt::format("{} = {}{}\n  {}\n  {}: {}\n", e.key, e.value,
                  e.unit == Unit::flag || e.unit == Unit::choice ? "" : fmt::format(" {}", name(e.unit)),
                  e.doc, name(e.provenance.source), e.provenance.reference);
  if (!e.provenance.method.empty()) text += fmt::format("  {}\n", e.provenance.method);
  if (e.provenance.samples != 0)
    text += fmt::format("  {} samples, ± {} {} (95 %)\n", e.provenance.samples, e.provenance.spread,
                        name(e.unit));
  if (!e.missing.empty()) text += fmt::format("  its probe brought nothing back: {}\n", e.missing);
  if (e.probe.empty()) return text;
  text += fmt::format("\nprobe {}", e.probe);
  if (!e.asks.empty()) text += fmt::format(": {}", e.asks);
  text += "\n";
  if (!e.cites.empty()) text += fmt::format("  after {}\n", e.cites);
  text += fmt::format("  machine code {}, SM clock {} MHz\n", e.sass_hash, e.clock_mhz);
  for (const Series& series : e.samples)
    text += "\n" + plot_text(series, levels(e, series), options_for(series));
  return text;
}

std::string explanation_svg(const Explanation& e) {
  constexpr int plot_height = 420;
  const int count = static_cast<int>(e.samples.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 {0}\" width=\"720\" height=\"{0}\">\n",
      count == 0 ? 60 : count * plot_height);
  if (count == 0)
    svg += fmt::format("<text x=\"20\" y=\"36\" font-family=\"sans-serif\">{}: no samples</text>\n", e.key);
  for (int i = 0; i < count; ++i) {
    const Series& series = e.samples[static_cast<std::size_t>(i)];
    svg += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", i * plot_height,
                       plot_svg(series, levels(e, series), options_for(series)));
  }
  return svg + "</svg>\n";
}

}  // namespace warpgauge::calib
