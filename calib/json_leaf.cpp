#include "calib/json_leaf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace warpgauge::calib {

void refuse(std::string_view where, std::string_view what) {
  throw CalibrationError(fmt::format("{}: {}", where, what));
}

Json parse_json(std::string_view text, std::string_view origin) {
  std::vector<std::set<std::string>> names;
  std::string twice;
  const Json::parser_callback_t watch = [&](int, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
        names.emplace_back();
        break;
      case Json::parse_event_t::object_end:
        names.pop_back();
        break;
      case Json::parse_event_t::key:
        if (!names.back().insert(parsed.get<std::string>()).second && twice.empty())
          twice = parsed.get<std::string>();
        break;
      default:
        break;
    }
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, watch);
  } catch (const Json::exception& error) {
    refuse(origin, fmt::format("not JSON: {}", error.what()));
  }
  if (!twice.empty()) refuse(origin, fmt::format("\"{}\" stands twice in one object", twice));
  return json;
}

std::string_view describe(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::string:
      return "a text";
    case Json::value_t::boolean:
      return "a flag";
    case Json::value_t::number_float:
      return "a fraction";
    case Json::value_t::number_integer:
      return "a negative number";
    case Json::value_t::number_unsigned:
      return "a whole number";
    default:
      return "something else";
  }
}

std::string read_string(const Json& object, const char* name, std::string_view where) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(where, fmt::format("\"{}\" is missing", name));
  if (!found->is_string())
    refuse(where, fmt::format("\"{}\" must be a text, got {}", name, describe(*found)));
  return found->get<std::string>();
}

double read_number(const Json& object, const char* name, std::string_view where) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(where, fmt::format("\"{}\" is missing", name));
  if (!found->is_number())
    refuse(where, fmt::format("\"{}\" must be a number, got {}", name, describe(*found)));
  const double number = found->get<double>();
  if (!std::isfinite(number)) refuse(where, fmt::format("\"{}\" is not finite", name));
  return number;
}

std::uint64_t read_count(const Json& object, const char* name, std::string_view where) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(where, fmt::format("\"{}\" is missing", name));
  if (!found->is_number_unsigned())
    refuse(where, fmt::format("\"{}\" must be a whole number, got {}", name, describe(*found)));
  return found->get<std::uint64_t>();
}

void allow_only(const Json& object, std::initializer_list<const char*> names, std::string_view where) {
  for (const auto& item : object.items()) {
    const std::string& name = item.key();
    const bool known =
        std::any_of(names.begin(), names.end(), [&](const char* allowed) { return name == allowed; });
    if (!known) refuse(where, fmt::format("unknown name \"{}\"", name));
  }
}

bool is_leaf(const Json& json) {
  return json.is_object() && json.contains("value");
}

Unit read_unit(const Json& leaf, std::string_view where) {
  const std::string text = read_string(leaf, "unit", where);
  const std::optional<Unit> unit = parse_unit(text);
  if (!unit) refuse(where, fmt::format("unknown unit \"{}\"", text));
  return *unit;
}

Provenance read_provenance(const Json& leaf, std::string_view where) {
  allow_only(leaf, {"value", "unit", "source", "reference", "method", "samples", "spread", "kept"}, where);
  Provenance provenance;
  const std::string source = read_string(leaf, "source", where);
  const std::optional<Source> parsed = parse_source(source);
  if (!parsed)
    refuse(where,
           fmt::format("unknown source \"{}\", expected measured, published, derived or assumed", source));
  provenance.source = *parsed;
  provenance.reference = read_string(leaf, "reference", where);
  if (provenance.reference.empty()) refuse(where, "\"reference\" is empty");
  if (leaf.contains("method")) provenance.method = read_string(leaf, "method", where);
  if (leaf.contains("samples")) provenance.samples = read_count(leaf, "samples", where);
  if (leaf.contains("spread")) provenance.spread = read_number(leaf, "spread", where);
  if (provenance.spread < 0) refuse(where, "\"spread\" is negative");
  if (leaf.contains("kept")) provenance.kept = read_string(leaf, "kept", where);
  if (provenance.source == Source::measured && provenance.samples == 0)
    refuse(where, "measured, but \"samples\" is missing or 0");
  return provenance;
}

std::string quote(std::string_view text) {
  return Json(std::string(text)).dump();
}

std::string provenance_text(Unit unit, const Provenance& provenance) {
  std::string text = fmt::format(R"("unit": "{}", "source": "{}", "reference": {})", name(unit),
                                 name(provenance.source), quote(provenance.reference));
  if (!provenance.method.empty()) text += fmt::format(R"(, "method": {})", quote(provenance.method));
  if (provenance.samples != 0) text += fmt::format(R"(, "samples": {})", provenance.samples);
  if (provenance.spread != 0) text += fmt::format(R"(, "spread": {})", provenance.spread);
  if (!provenance.kept.empty()) text += fmt::format(R"(, "kept": {})", quote(provenance.kept));
  return text;
}

std::string read_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) refuse(file, "cannot be read");
  return std::move(text).str();
}

void write_file(const std::string& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.flush();
  if (!stream) refuse(file, "cannot be written");
}

}  // namespace warpgauge::calib
