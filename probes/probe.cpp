#include "probes/probe.h"

#include <algorithm>
#include <cmath>

namespace warpgauge::probes {

calib::Series& Findings::series(const std::string& label, const std::string& x_unit, const std::string& y_unit) {
  for (calib::Series& series : result.samples) {
    if (series.label == label) return series;
  }
  result.samples.push_back({label, x_unit, y_unit, {}, {}});
  return result.samples.back();
}

const calib::Series* Findings::find(const std::string& label) const {
  const auto found = std::find_if(result.samples.begin(), result.samples.end(),
                                  [&](const calib::Series& series) { return series.label == label; });
  return found == result.samples.end() ? nullptr : &*found;
}

const calib::Series& Findings::at(const std::string& label) const {
  const calib::Series* series = find(label);
  if (series == nullptr || series->x.empty()) throw ProbeRefusal("no samples of \"" + label + "\"");
  return *series;
}

void Findings::sample(const std::string& label, const std::string& x_unit, const std::string& y_unit, double x,
                      double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) throw ProbeRefusal("a sample of \"" + label + "\" is not a number");
  calib::Series& into = series(label, x_unit, y_unit);
  into.x.push_back(x);
  into.y.push_back(y);
}

void Findings::figure(const std::string& key, double value, calib::Unit unit, double spread, std::uint64_t n,
                      const std::string& label) {
  if (!std::isfinite(value)) throw ProbeRefusal("the value of " + key + " is not a number");
  result.figures.push_back({key, value, unit, spread, n, label});
}

}  // namespace warpgauge::probes
