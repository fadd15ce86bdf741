// Figures that papers print, whole columns of their tables, and any calibration beside them.
//
// calib/reference/<paper>/<device>.json: {"schema": "warpgauge-reference/1", "device", "architecture",
// "figures":
// {"<key>": leaf}}. A figure that means what a calibration's key means bears its key, and must have its unit;
// the others have names of their own ("ptx.optimized.int.abs", "gemm.half").
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "calib/calibration.h"
#include "calib/errors.h"

namespace warpgauge::calib {

using ReferenceValue = std::variant<double, bool, std::string, std::vector<double>>;

struct ReferenceFigure {
  std::string key;
  ReferenceValue value = 0.0;
  Unit unit = Unit::count;
  Provenance provenance;
};

// What one paper says of one device.
struct Reference {
  std::string paper;   // the folder's name, "jia2018"
  std::string name;    // the file's name, "v100"
  std::string device;  // "Tesla V100 PCIe"
  std::string architecture;
  std::vector<ReferenceFigure> figures;

  [[nodiscard]] const ReferenceFigure* find(std::string_view key) const;
};

// Throw CalibrationError with the origin and the key: an unknown schema, a leaf that is not right, a
// calibration's key with another unit, a source that is not `published`.
Reference parse_reference(std::string_view json, std::string_view origin);
Reference load_reference(const std::filesystem::path& file);

// All files of a folder of folders, by paper, then name.
std::vector<Reference> load_references(const std::filesystem::path& folder);

std::string to_text(const ReferenceValue& value);

struct ComparisonRow {
  std::string key;
  Unit unit = Unit::count;
  std::vector<std::string> cells;  // one a column; empty where the column has no such figure
};

struct Comparison {
  std::vector<std::string> columns;  // calibrations by their id, then references as "V100 (jia2018)"
  std::vector<ComparisonRow> rows;   // calibration keys in their order, then the papers' other figures
};

// One row for each figure that any of the references has, none left out, and with `all_keys` one for each
// key.
Comparison compare(std::span<const Calibration> calibrations, std::span<const Reference> references,
                   bool all_keys = false);

std::string comparison_text(const Comparison& comparison);  // aligned columns
std::string comparison_markdown(const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);

}  // namespace warpgauge::calib
