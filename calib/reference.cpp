#include "calib/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "calib/json_leaf.h"
#include "calib/loader.h"
#include "calib/values.h"

namespace warpgauge::calib {
namespace {

const std::map<std::string, Unit, std::less<>>& key_units() {
  static const std::map<std::string, Unit, std::less<>> units = [] {
    std::map<std::string, Unit, std::less<>> by_path;
    for (const Key& key : all_keys()) by_path.emplace(key.path, key.unit);
    return by_path;
  }();
  return units;
}

ReferenceValue read_value(const Json& json, std::string_view where) {
  if (json.is_number()) return json.get<double>();
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array())
    refuse(where, fmt::format("expected a number, a flag, a text or a list, got {}", describe(json)));
  std::vector<double> numbers;
  for (const Json& item : json) {
    if (!item.is_number())
      refuse(where, fmt::format("expected a list of numbers, one is {}", describe(item)));
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

struct ValueText {
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const std::vector<double>& numbers) const {
    std::string text;
    for (const double number : numbers) text += fmt::format("{}{}", text.empty() ? "" : ",", number);
    return text;
  }
};

std::string column_name(const Reference& reference) {
  return fmt::format("{} ({})", reference.name, reference.paper);
}

std::vector<std::vector<std::string>> as_cells(const Comparison& comparison) {
  std::vector<std::vector<std::string>> table;
  std::vector<std::string> head{"key", "unit"};
  head.insert(head.end(), comparison.columns.begin(), comparison.columns.end());
  table.push_back(std::move(head));
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<std::string> line{row.key, std::string(name(row.unit))};
    line.insert(line.end(), row.cells.begin(), row.cells.end());
    table.push_back(std::move(line));
  }
  return table;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

const ReferenceFigure* Reference::find(std::string_view key) const {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const ReferenceFigure& figure) { return figure.key == key; });
  return found == figures.end() ? nullptr : &*found;
}

Reference parse_reference(std::string_view text, std::string_view origin) {
  const Json root = parse_json(text, origin);
  if (!root.is_object()) refuse(origin, fmt::format("expected an object, got {}", describe(root)));
  const std::string schema = read_string(root, "schema", origin);
  if (schema != "warpgauge-reference/1")
    refuse(origin, fmt::format("schema \"{}\", expected \"warpgauge-reference/1\"", schema));
  allow_only(root, {"schema", "device", "architecture", "figures"}, origin);
  Reference reference;
  reference.device = read_string(root, "device", origin);
  reference.architecture = read_string(root, "architecture", origin);
  const auto figures = root.find("figures");
  if (figures == root.end() || !figures->is_object()) refuse(origin, "\"figures\" must be an object");
  for (const auto& [key, leaf] : figures->items()) {
    const std::string where = fmt::format("{}: {}", origin, key);
    if (!is_leaf(leaf)) refuse(where, "expected a leaf with a \"value\"");
    ReferenceFigure figure{key, read_value(leaf["value"], where), read_unit(leaf, where),
                           read_provenance(leaf, where)};
    if (figure.provenance.source != Source::published) refuse(where, "the source must be published");
    const auto known = key_units().find(key);
    if (known != key_units().end() && known->second != figure.unit)
      refuse(where, fmt::format("the unit is {}, got {}", name(known->second), name(figure.unit)));
    reference.figures.push_back(std::move(figure));
  }
  return reference;
}

Reference load_reference(const std::filesystem::path& file) {
  Reference reference = parse_reference(read_file(file.string()), file.string());
  reference.name = file.stem().string();
  reference.paper = file.parent_path().filename().string();
  return reference;
}

std::vector<Reference> load_references(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error) refuse(folder.string(), "cannot be read");
  std::sort(files.begin(), files.end());
  std::vector<Reference> references;
  for (const std::filesystem::path& file : files) references.push_back(load_reference(file));
  return references;
}

std::string to_text(const ReferenceValue& value) {
  return std::visit(ValueText{}, value);
}

Comparison compare(std::span<const Calibration> calibrations, std::span<const Reference> references,
                   bool with_all_keys) {
  Comparison comparison;
  for (const Calibration& calibration : calibrations) comparison.columns.push_back(calibration.id);
  for (const Reference& reference : references) comparison.columns.push_back(column_name(reference));

  // Calibration keys in their order, then the papers' own in the order in which they first appear.
  std::vector<std::pair<std::string, Unit>> keys;
  for (const Key& key : all_keys()) {
    const bool printed = std::any_of(references.begin(), references.end(),
                                     [&](const Reference& r) { return r.find(key.path) != nullptr; });
    if (printed || with_all_keys) keys.emplace_back(key.path, key.unit);
  }
  std::map<std::string, bool, std::less<>> seen;
  for (const Reference& reference : references)
    for (const ReferenceFigure& figure : reference.figures)
      if (!key_units().contains(figure.key) && seen.emplace(figure.key, true).second)
        keys.emplace_back(figure.key, figure.unit);

  for (const auto& [key, unit] : keys) {
    ComparisonRow row{key, unit, {}};
    for (const Calibration& calibration : calibrations)
      row.cells.push_back(key_units().contains(key) ? get(calibration, key) : std::string());
    for (const Reference& reference : references) {
      const ReferenceFigure* figure = reference.find(key);
      row.cells.push_back(figure == nullptr ? std::string() : to_text(figure->value));
    }
    comparison.rows.push_back(std::move(row));
  }
  return comparison;
}

std::string comparison_text(const Comparison& comparison) {
  const auto table = as_cells(comparison);
  std::vector<std::size_t> widths(table[0].size(), 0);
  for (const auto& line : table)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : table) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i)
      // Names to the left, figures to the right.
      out += i < 2 ? fmt::format("{:<{}}  ", line[i], widths[i])
                   : fmt::format("{:>{}}  ", line[i].empty() ? "-" : line[i], widths[i]);
    text += out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string comparison_markdown(const Comparison& comparison) {
  const auto table = as_cells(comparison);
  std::string text;
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const std::string& cell : table[row]) text += fmt::format("| {} ", cell.empty() ? "-" : cell);
    text += "|\n";
    if (row != 0) continue;
    for (std::size_t i = 0; i < table[0].size(); ++i) text += i < 2 ? "| --- " : "| ---: ";
    text += "|\n";
  }
  return text;
}

std::string comparison_csv(const Comparison& comparison) {
  std::string text;
  for (const auto& line : as_cells(comparison)) {
    for (std::size_t i = 0; i < line.size(); ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ",", csv_cell(line[i]));
    text += '\n';
  }
  return text;
}

}  // namespace warpgauge::calib
