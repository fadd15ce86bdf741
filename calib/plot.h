// Samples as a picture: in the terminal, and as SVG.
#pragma once

#include <string>
#include <vector>

#include "calib/measurements.h"

namespace warpgauge::calib {

// A line across the plot at a value of y: the figure that was read from the samples.
struct Level {
  std::string label;
  double y = 0;
};

struct PlotOptions {
  std::size_t width = 72;   // of the terminal plot's area, in characters
  std::size_t height = 18;  // in lines
  bool log_x = false;
};

// True when x spans a factor of more than 32 and is positive: footprints, strides.
bool wants_log_x(const Series& series);

// Points as '*', several in one cell as '#', levels as '-'; axes with their least and largest values and
// units. A series without a finite point gives a line that says so.
std::string plot_text(const Series& series, const std::vector<Level>& levels,
                      const PlotOptions& options = {});

// A document of its own of 720 by 420 pixels, the same bytes for the same input.
std::string plot_svg(const Series& series, const std::vector<Level>& levels, const PlotOptions& options = {});

}  // namespace warpgauge::calib
