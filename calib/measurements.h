// What probes bring back: every sample, with the machine code that was timed and the clock it ran at.
//
// {"schema": "warpgauge-measurements/1", "device", "driver", "date", "probes": [{"name", "sass_hash",
// "clock_mhz", "date" (of a probe that was asked again later),
//  "samples": [{"label", "unit", "x", "y"}], "figures": [{"key", "value", "unit", "spread", "n"}]}],
//  "missing": […]}
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "calib/calibration.h"
#include "calib/errors.h"

namespace warpgauge::calib {

// One sweep of a probe: y, in `unit`, against x. A probe without a sweep has x = 0, 1, 2 … for its
// repetitions. An x may repeat, once for each repetition.
struct Series {
  std::string label;   // "latency against footprint"
  std::string x_unit;  // "bytes"
  std::string y_unit;  // "cycles"
  std::vector<double> x;
  std::vector<double> y;
  friend bool operator==(const Series&, const Series&) = default;
};

// A value that a probe concluded from its samples, for one key of the calibration. `value` is a number, a
// list, a flag or a choice's name; spread is the half width of its 95 % interval, n the samples behind it.
struct Figure {
  std::string key;
  std::variant<double, bool, std::string, std::vector<double>> value = 0.0;
  Unit unit = Unit::cycles;
  double spread = 0;
  std::uint64_t n = 0;
  std::string series;  // label of the series it was read from; empty: all of the probe's
  friend bool operator==(const Figure&, const Figure&) = default;
};

struct ProbeResult {
  std::string name;       // "l1.latency"
  std::string asks;       // one line
  std::string cites;      // "Jia2018 section 3.2, figure 3.5"
  std::string sass_hash;  // of the instructions that were timed
  double clock_mhz = 0;   // SM clock during the run
  std::vector<Series> samples;
  std::vector<Figure> figures;
  std::string date = {};  // of its own, where it was asked again later; empty: that of all
  friend bool operator==(const ProbeResult&, const ProbeResult&) = default;
};

// A probe that brought nothing back, and why.
struct MissingProbe {
  std::string name;
  std::string reason;
  friend bool operator==(const MissingProbe&, const MissingProbe&) = default;
};

struct Measurements {
  static constexpr const char* schema = "warpgauge-measurements/1";
  std::string device;        // "NVIDIA H200"
  std::string architecture;  // "sm_90"
  std::string driver;
  std::string date;  // "2026-11-21"
  std::vector<ProbeResult> probes;
  std::vector<MissingProbe> missing;
  friend bool operator==(const Measurements&, const Measurements&) = default;
};

// Throw CalibrationError, naming the origin and the place in the file.
Measurements parse_measurements(std::string_view json, std::string_view origin);
Measurements load_measurements(const std::filesystem::path& file);
std::string to_json(const Measurements& measurements);
void save(const Measurements& measurements, const std::filesystem::path& file);

// The base calibration, under a new id made of device and date, with every figure's value in its key, marked
// measured, with the probe's name as reference, its machine code's hash as method, n and spread. A value for
// a key that counts (cycles, bytes, count) is rounded. Where two probes give the same key, the later one
// stands; a key that the base says is kept stays. Refuses a figure whose key is unknown or whose unit or type is not its key's, one of no samples,
// and measurements of another architecture than the base's.
Calibration fit(const Measurements& measurements, const Calibration& base);

// The keys that measurements of this kind did not set, in order: what stays from the base.
std::vector<std::string> unmeasured_keys(const Measurements& measurements);

}  // namespace warpgauge::calib
