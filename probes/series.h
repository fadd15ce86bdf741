// From series of samples to figures, with calib's estimates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calib/plateaus.h"
#include "calib/statistics.h"
#include "probes/probe.h"

namespace warpgauge::probes {

// The y of every sample with that x, in their order.
std::vector<double> values_at(const calib::Series& series, double x);

// Change of y for each x between the series' first and last x, by the medians of their samples.
double slope(const calib::Series& series);
// The same over the samples from `from` on.
double slope_from(const calib::Series& series, double from);

// Adds the median of the samples as a figure.
void report_median(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label);
// Adds the median of the samples at one x.
void report_median_at(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label, double x);
// Adds the largest or the least sample.
void report_largest(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label);
void report_least(Findings& findings, const std::string& key, calib::Unit unit, const std::string& label);

}  // namespace warpgauge::probes
