#include "calib/measurements.h"

#include <fmt/format.h>

#include <cmath>

#include "calib/json_leaf.h"

namespace warpgauge::calib {
namespace {

std::vector<double> read_numbers(const Json& object, const char* name, std::string_view where) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(where, fmt::format("\"{}\" is missing", name));
  if (!found->is_array()) refuse(where, fmt::format("\"{}\" must be a list, got {}", name, describe(*found)));
  std::vector<double> numbers;
  numbers.reserve(found->size());
  for (const Json& item : *found) {
    if (!item.is_number())
      refuse(where, fmt::format("\"{}\" must be a list of numbers, one is {}", name, describe(item)));
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

// The list of objects at `name`; absent counts as empty where it may.
const Json& read_list(const Json& object, const char* name, std::string_view where) {
  static const Json empty = Json::array();
  const auto found = object.find(name);
  if (found == object.end()) return empty;
  if (!found->is_array()) refuse(where, fmt::format("\"{}\" must be a list, got {}", name, describe(*found)));
  return *found;
}

Series read_series(const Json& json, std::string_view where) {
  if (!json.is_object()) refuse(where, fmt::format("expected an object, got {}", describe(json)));
  allow_only(json, {"label", "x_unit", "y_unit", "x", "y"}, where);
  Series series{read_string(json, "label", where), read_string(json, "x_unit", where),
                read_string(json, "y_unit", where), read_numbers(json, "x", where),
                read_numbers(json, "y", where)};
  if (series.x.size() != series.y.size())
    refuse(where, fmt::format("{} x for {} y", series.x.size(), series.y.size()));
  return series;
}

Figure read_figure(const Json& json, std::string_view where) {
  if (!json.is_object()) refuse(where, fmt::format("expected an object, got {}", describe(json)));
  allow_only(json, {"key", "value", "unit", "spread", "n", "series"}, where);
  Figure figure;
  figure.key = read_string(json, "key", where);
  const std::string here = fmt::format("{}: {}", where, figure.key);
  const auto value = json.find("value");
  if (value == json.end()) refuse(here, "\"value\" is missing");
  if (value->is_boolean())
    figure.value = value->get<bool>();
  else if (value->is_string())
    figure.value = value->get<std::string>();
  else if (value->is_array())
    figure.value = read_numbers(json, "value", here);
  else
    figure.value = read_number(json, "value", here);
  figure.unit = read_unit(json, here);
  figure.spread = read_number(json, "spread", here);
  if (figure.spread < 0) refuse(here, "\"spread\" is negative");
  figure.n = read_count(json, "n", here);
  if (json.contains("series")) figure.series = read_string(json, "series", here);
  return figure;
}

ProbeResult read_probe(const Json& json, std::string_view origin, std::size_t index) {
  const std::string place = fmt::format("{}: probe {}", origin, index);
  if (!json.is_object()) refuse(place, fmt::format("expected an object, got {}", describe(json)));
  ProbeResult probe;
  probe.name = read_string(json, "name", place);
  const std::string where = fmt::format("{}: probe {}", origin, probe.name);
  allow_only(json, {"name", "asks", "cites", "sass_hash", "clock_mhz", "date", "samples", "figures"}, where);
  if (json.contains("asks")) probe.asks = read_string(json, "asks", where);
  if (json.contains("cites")) probe.cites = read_string(json, "cites", where);
  probe.sass_hash = read_string(json, "sass_hash", where);
  probe.clock_mhz = read_number(json, "clock_mhz", where);
  if (json.contains("date")) probe.date = read_string(json, "date", where);
  for (const Json& series : read_list(json, "samples", where))
    probe.samples.push_back(read_series(series, where));
  for (const Json& figure : read_list(json, "figures", where))
    probe.figures.push_back(read_figure(figure, where));
  return probe;
}

std::string numbers_text(const std::vector<double>& numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) throw CalibrationError("a sample is not a finite number");
    text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
  }
  return text + "]";
}

struct ValueText {
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(const std::string& text) const { return quote(text); }
  std::string operator()(const std::vector<double>& numbers) const { return numbers_text(numbers); }
};

// Items one a line, or "[]".
std::string list_text(const std::vector<std::string>& items, std::string_view indent) {
  if (items.empty()) return "[]";
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i)
    text += fmt::format("{}\n{}  {}", i == 0 ? "" : ",", indent, items[i]);
  return fmt::format("{}\n{}]", text, indent);
}

std::string probe_text(const ProbeResult& probe) {
  std::vector<std::string> samples;
  for (const Series& series : probe.samples)
    samples.push_back(fmt::format(R"({{"label": {}, "x_unit": {}, "y_unit": {}, "x": {}, "y": {}}})",
                                  quote(series.label), quote(series.x_unit), quote(series.y_unit),
                                  numbers_text(series.x), numbers_text(series.y)));
  std::vector<std::string> figures;
  for (const Figure& figure : probe.figures) {
    std::string text =
        fmt::format(R"({{"key": {}, "value": {}, "unit": "{}", "spread": {}, "n": {})", quote(figure.key),
                    std::visit(ValueText{}, figure.value), name(figure.unit), figure.spread, figure.n);
    if (!figure.series.empty()) text += fmt::format(R"(, "series": {})", quote(figure.series));
    figures.push_back(text + "}");
  }
  return fmt::format(
      "{{\n      \"name\": {},\n      \"asks\": {},\n      \"cites\": {},\n      \"sass_hash\": {},\n"
      "      \"clock_mhz\": {},\n{}      \"samples\": {},\n      \"figures\": {}\n    }}",
      quote(probe.name), quote(probe.asks), quote(probe.cites), quote(probe.sass_hash), probe.clock_mhz,
      probe.date.empty() ? "" : fmt::format("      \"date\": {},\n", quote(probe.date)),
      list_text(samples, "      "), list_text(figures, "      "));
}

}  // namespace

Measurements parse_measurements(std::string_view text, std::string_view origin) {
  const Json root = parse_json(text, origin);
  if (!root.is_object()) refuse(origin, fmt::format("expected an object, got {}", describe(root)));
  const std::string schema = read_string(root, "schema", origin);
  if (schema != Measurements::schema)
    refuse(origin, fmt::format("schema \"{}\", expected \"{}\"", schema, Measurements::schema));
  allow_only(root, {"schema", "device", "architecture", "driver", "date", "probes", "missing"}, origin);
  Measurements measurements;
  measurements.device = read_string(root, "device", origin);
  measurements.architecture = read_string(root, "architecture", origin);
  measurements.driver = read_string(root, "driver", origin);
  measurements.date = read_string(root, "date", origin);
  for (const Json& probe : read_list(root, "probes", origin))
    measurements.probes.push_back(read_probe(probe, origin, measurements.probes.size()));
  for (const Json& missing : read_list(root, "missing", origin)) {
    const std::string where = fmt::format("{}: missing {}", origin, measurements.missing.size());
    if (!missing.is_object()) refuse(where, fmt::format("expected an object, got {}", describe(missing)));
    allow_only(missing, {"name", "reason"}, where);
    measurements.missing.push_back(
        {read_string(missing, "name", where), read_string(missing, "reason", where)});
  }
  return measurements;
}

Measurements load_measurements(const std::filesystem::path& file) {
  return parse_measurements(read_file(file.string()), file.string());
}

std::string to_json(const Measurements& measurements) {
  std::vector<std::string> probes;
  for (const ProbeResult& probe : measurements.probes) probes.push_back(probe_text(probe));
  std::vector<std::string> missing;
  for (const MissingProbe& probe : measurements.missing)
    missing.push_back(fmt::format(R"({{"name": {}, "reason": {}}})", quote(probe.name), quote(probe.reason)));
  return fmt::format(
      "{{\n  \"schema\": {},\n  \"device\": {},\n  \"architecture\": {},\n  \"driver\": {},\n  \"date\": "
      "{},\n"
      "  \"probes\": {},\n  \"missing\": {}\n}}\n",
      quote(Measurements::schema), quote(measurements.device), quote(measurements.architecture),
      quote(measurements.driver), quote(measurements.date), list_text(probes, "  "),
      list_text(missing, "  "));
}

void save(const Measurements& measurements, const std::filesystem::path& file) {
  write_file(file.string(), to_json(measurements));
}

}  // namespace warpgauge::calib
