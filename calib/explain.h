// Why a key has its value: where it comes from, and the samples behind it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calib/calibration.h"
#include "calib/measurements.h"

namespace warpgauge::calib {

struct Explanation {
  std::string key;
  Unit unit = Unit::count;
  std::string doc;
  std::string value;
  Provenance provenance;

  // Of the last probe that measured the key; empty where none of the measurements did.
  std::string probe;
  std::string asks;
  std::string cites;
  std::string sass_hash;
  double clock_mhz = 0;
  std::vector<Series> samples;  // those that the figure was read from
  std::string missing;          // why a probe of that name brought nothing back
};

// Refuses an unknown key (CalibrationError). `measurements` may be null: then there are no samples.
Explanation explain(const Calibration& calibration, std::string_view key, const Measurements* measurements);

// For the terminal: the value, its provenance, and a plot of each series with the value as a level where the
// series has the key's unit.
std::string explanation_text(const Explanation& explanation);

// The plots under each other in one document; a line of text where there are no samples.
std::string explanation_svg(const Explanation& explanation);

}  // namespace warpgauge::calib
