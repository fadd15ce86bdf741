#include "probes/series.h"

#include <algorithm>

namespace warpgauge::probes {

std::vector<double> values_at(const calib::Series& series, double x) {
  std::vector<double> values;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (series.x[i] == x) values.push_back(series.y[i]);
  }
  return values;
}

double slope_from(const calib::Series& series, double from) {
  double first = 0, last = 0;
  bool any = false;
  for (const double x : series.x) {
    if (x < from) continue;
    first = any ? std::min(first, x) : x;
    last = any ? std::max(last, x) : x;
    any = true;
  }
  if (!any || first == last) throw ProbeRefusal("\"" + series.label + "\" has a single point: no slope");
  return (calib::median(values_at(series, last)) - calib::median(values_at(series, first))) / (last - first);
}

double slope(const calib::Series& series) {
  if (series.x.empty()) throw ProbeRefusal("no samples of \"" + series.label + "\"");
  return slope_from(series, *std::min_element(series.x.begin(), series.x.end()));
}

void report_median(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label) {
  const calib::Estimate estimate = calib::estimate_median(findings.at(label).y);
  findings.figure(key, estimate.value, unit, estimate.half_width(), estimate.samples, label);
}

void report_median_at(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label, double x) {
  const std::vector<double> values = values_at(findings.at(label), x);
  if (values.empty()) throw ProbeRefusal("no sample of \"" + label + "\" at " + std::to_string(x));
  const calib::Estimate estimate = calib::estimate_median(values);
  findings.figure(key, estimate.value, unit, estimate.half_width(), estimate.samples, label);
}

void report_largest(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label) {
  const auto& y = findings.at(label).y;
  findings.figure(key, *std::max_element(y.begin(), y.end()), unit, 0, y.size(), label);
}

void report_least(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label) {
  const auto& y = findings.at(label).y;
  findings.figure(key, *std::min_element(y.begin(), y.end()), unit, 0, y.size(), label);
}

}  // namespace warpgauge::probes
