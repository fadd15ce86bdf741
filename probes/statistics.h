// The few statistics that turn samples into figures. For more, with intervals, see calib's fits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "calib/measurements.h"

namespace warpgauge::probes {

// Not a number of an empty list.
double median(std::span<const double> values);
// Half the distance between the 2.5th and the 97.5th percentile of the values: 0 for fewer than two.
double half_width(std::span<const double> values);

struct Line {
  double slope = 0;
  double at_zero = 0;
};
// Least squares. A single x gives a slope of 0.
Line fit_line(std::span<const double> x, std::span<const double> y);

// The y of every sample with that x.
std::vector<double> values_at(const calib::Series& series, double x);

// One y, the median, for each x in rising order.
struct Curve {
  std::vector<double> x;
  std::vector<double> y;
};
Curve curve_of(const calib::Series& series);

// A run of a curve that stays within `tolerance` (a share) of its median and holds at least `points` points.
struct Plateau {
  double value = 0;   // median
  double first = 0;   // x of its first and last point
  double last = 0;
  std::size_t points = 0;
};
std::vector<Plateau> plateaus(const Curve& curve, double tolerance, std::size_t points);

}  // namespace warpgauge::probes
