// Calibrations as JSON: {"schema": "warpgauge-calibration/1", "id", "device", "architecture", sections of
// leaves}. A leaf is {"value", "unit", "source", "reference", "method"?, "samples"?, "spread"?}; leaves nest
// as their keys do, "l1.hit_latency" is l1 → hit_latency.
//
// Everything that refuses throws CalibrationError with one line that names the origin (a file) and the key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "calib/calibration.h"
#include "calib/errors.h"

namespace warpgauge::calib {

// Refuses: what is not JSON, another schema, an unknown key, a missing key, another unit than the key's,
// another type (a fraction for a count, a negative number, a name that is not a choice), a leaf without
// provenance, a key that stands twice.
Calibration parse(std::string_view json, std::string_view origin);
Calibration load(const std::filesystem::path& file);

// In the order of keys.h, two spaces deep, a leaf a line. parse(to_json(c)) == c.
std::string to_json(const Calibration& calibration);
void save(const Calibration& calibration, const std::filesystem::path& file);

// Sixteen hexadecimal digits over id and all keys and values, provenance aside: two calibrations that predict
// the same have the same hash.
std::string hash(const Calibration& calibration);

// Changes one value, for a what-if: set(c, "l1.size=262144"), set(c, "l1.size_kib=256"),
// set(c, "issue.policy=greedy_then_oldest"), set(c, "chip.shared_carveouts=0,8192"). Bytes also take the
// suffixes _kib, _mib and _gib; MHz _ghz; ns _us; GB/s _tb_per_s. The provenance becomes `assumed`, reference
// "set by the user".
void set(Calibration& calibration, std::string_view assignment);
void set(Calibration& calibration, std::string_view key, std::string_view value);

// One value as text, "32", "0.5", "true", "lru", "0,8192"; refuses an unknown key.
std::string get(const Calibration& calibration, std::string_view key);

struct Difference {
  std::string key;
  Unit unit = Unit::count;
  std::string left;
  std::string right;
  double ratio = 0;  // right/left; 0 where that has no meaning
};

// The keys whose values differ, in the order of keys.h.
std::vector<Difference> diff(const Calibration& left, const Calibration& right);

// All keys in order, for completion and "did you mean".
std::vector<Key> all_keys();

// The key nearest in spelling, for messages.
std::string nearest_key(std::string_view key);

// The calibration shipped for "v100", "t4" or "h200" under a folder that holds <name>/calibration.json.
Calibration load_device(const std::filesystem::path& devices, std::string_view name);
std::vector<std::string> list_devices(const std::filesystem::path& devices);

}  // namespace warpgauge::calib
