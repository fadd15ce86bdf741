// Change points: the plateaus of a curve such as latency against footprint, whose ends are the sizes of
// caches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "calib/statistics.h"

namespace warpgauge::calib {

struct Plateau {
  std::size_t first = 0;  // points of the curve, both included
  std::size_t last = 0;
  double first_x = 0;
  double last_x = 0;  // for a pointer chase: the largest footprint that fits
  Estimate level;     // median of y
};

struct PlateauOptions {
  double least_step = 0.05;  // neighbouring levels differ by this share of the lower one, or are one plateau
  std::size_t least_points = 3;  // fewer are a transition and not reported
  double penalty = 3;            // more: fewer change points in noise
  std::uint64_t seed = 1;        // of the levels' intervals
};

// The curve cut where its level changes, in rising x. Repetitions of an x are taken together by their median
// first; points need not be sorted. One or two neighbouring points that are far off do not count. Cuts
// minimise the sum of squared distances from each piece's mean plus a penalty for each piece, scaled by the
// noise that the differences of neighbours show. Throws std::invalid_argument for no points, unequal counts,
// or a point that is not finite.
std::vector<Plateau> find_plateaus(std::span<const double> x, std::span<const double> y,
                                   const PlateauOptions& options = {});

// The x at which the curve leaves a level: half-way, on the scale of x, between the last point within
// `tolerance` (a share of the level) of it and the first point beyond. Points past the first departure do not
// count. The curve's last x when it never leaves.
double end_of_level(std::span<const double> x, std::span<const double> y, double level,
                    double tolerance = 0.05);

}  // namespace warpgauge::calib
