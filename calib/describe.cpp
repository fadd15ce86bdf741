#include "calib/describe.h"

#include <fmt/format.h>

#include <limits>

#include "calib/json_leaf.h"
#include "calib/values.h"

namespace warpgauge::calib {
namespace {

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, Flag>)
    return "flag";
  else if constexpr (std::is_same_v<T, List>)
    return "list";
  else if constexpr (std::is_enum_v<T>)
    return join(choices<T>());
  else if constexpr (std::is_same_v<T, Real>)
    return "real";
  else
    return "whole";
}

Json whole(std::uint64_t maximum) {
  return {{"type", "integer"}, {"minimum", 0}, {"maximum", maximum}};
}

template <class T>
Json value_schema() {
  if constexpr (std::is_same_v<T, Flag>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_same_v<T, List>) {
    return {{"type", "array"}, {"items", whole(std::numeric_limits<std::uint64_t>::max())}};
  } else if constexpr (std::is_enum_v<T>) {
    Json names = Json::array();
    for (const std::string_view item : choices<T>()) names.push_back(std::string(item));
    return {{"enum", names}};
  } else if constexpr (std::is_same_v<T, Real>) {
    return {{"type", "number"}, {"minimum", 0}};
  } else {
    return whole(std::numeric_limits<T>::max());
  }
}

Json provenance_schema() {
  Json schema;
  schema["type"] = "object";
  schema["required"] = {"value", "unit", "source", "reference"};
  schema["properties"]["source"]["enum"] = {"measured", "published", "derived", "assumed"};
  schema["properties"]["reference"] = {{"type", "string"}, {"minLength", 1}};
  schema["properties"]["method"]["type"] = "string";
  schema["properties"]["samples"] = whole(std::numeric_limits<std::uint64_t>::max());
  schema["properties"]["spread"] = {{"type", "number"}, {"minimum", 0}};
  schema["properties"]["kept"]["type"] = "string";
  schema["if"] = {{"properties", {{"source", {{"const", "measured"}}}}}};
  schema["then"] = {{"required", {"samples"}}, {"properties", {{"samples", {{"minimum", 1}}}}}};
  return schema;
}

// The schema of the section at a path, made where it is not there yet.
Json& section_schema(Json& root, std::string_view path) {
  Json* node = &root;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    Json& child = (*node)["properties"][name];
    if (child.is_null()) {
      child["type"] = "object";
      child["additionalProperties"] = false;
      child["required"] = Json::array();
      child["properties"] = Json::object();
      (*node)["required"].push_back(name);
    }
    node = &child;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return *node;
}

struct SchemaWriter {
  Json root;

  template <class T>
  void operator()(const Key& key, const T&) {
    const std::size_t dot = key.path.rfind('.');
    Json& section = section_schema(root, std::string_view(key.path).substr(0, dot));
    const std::string leaf = key.path.substr(dot + 1);
    Json schema;
    schema["description"] = key.doc;
    schema["$ref"] = "#/$defs/provenance";
    schema["properties"]["value"] = value_schema<T>();
    schema["properties"]["unit"]["const"] = std::string(name(key.unit));
    schema["unevaluatedProperties"] = false;
    section["properties"][leaf] = std::move(schema);
    section["required"].push_back(leaf);
  }

  void section(const std::string& path, const char* doc) { section_schema(root, path)["description"] = doc; }
};

struct MarkdownWriter {
  std::string text;

  template <class T>
  void operator()(const Key& key, const T&) {
    if (!table_) text += "\n| key | unit | type | meaning |\n| --- | --- | --- | --- |\n";
    table_ = true;
    text += fmt::format("| `{}` | {} | {} | {} |\n", key.path, name(key.unit), type_name<T>(), key.doc);
  }

  void section(const std::string& path, const char* doc) {
    // A group's items share its heading: their tables are told apart by a line of their own.
    if (path.find('.') == std::string::npos || path == "latency.opcode")
      text += fmt::format("\n## {}\n\n{}.\n", path, doc);
    else
      text += fmt::format("\n`{}`: {}.\n", path, doc);
    table_ = false;
  }

 private:
  bool table_ = false;
};

}  // namespace

std::string json_schema() {
  SchemaWriter writer;
  Json& root = writer.root;
  root["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  root["title"] = Calibration::schema;
  root["description"] = "What one GPU's silicon answered: every size, latency and rate that the model uses.";
  root["type"] = "object";
  root["additionalProperties"] = false;
  root["required"] = {"schema", "id", "device", "architecture"};
  root["properties"]["schema"]["const"] = Calibration::schema;
  root["properties"]["id"]["type"] = "string";
  root["properties"]["device"]["type"] = "string";
  root["properties"]["architecture"] = {{"type", "string"}, {"pattern", "^sm_[0-9]+$"}};
  const Calibration empty;
  visit(empty, writer);
  root["$defs"]["provenance"] = provenance_schema();
  return root.dump(1) + "\n";
}

std::string parameters_markdown() {
  MarkdownWriter writer;
  writer.text =
      "# The keys of a calibration\n\n"
      "Made from `calib/keys.h` by `warpgauge_describe_calibration`. A calibration file has a leaf for every "
      "key:\n\n"
      "```json\n"
      "{\"value\": 28, \"unit\": \"cycles\", \"source\": \"published\", \"reference\": \"Jia2018 table "
      "3.1\"}\n"
      "```\n\n"
      "`source` is one of\n\n"
      "- `measured`: by a probe; then `reference` names the probe, device, driver and date, `method` the "
      "hash of the\n"
      "  machine code that was timed, `samples` their number and `spread` the half width of the 95 % "
      "interval;\n"
      "- `published`: `reference` names the paper and its table or figure, or the vendor's document;\n"
      "- `derived`: computed from the figures that `reference` names;\n"
      "- `assumed`: no figure is known; `reference` says what it was taken from.\n\n"
      "A leaf with `kept` stays as it is when measurements are fitted: the text says why a probe's figure of "
      "that key is\n"
      "not what the model needs.\n\n"
      "Cycles are those of the SM clock. A value of 0 stands for a mechanism that the device does not have, "
      "where the\n"
      "meaning says so.\n\n"
      "`--set KEY=VALUE` changes a value; sizes also take `KEY_kib`, `KEY_mib` and `KEY_gib`, clocks "
      "`KEY_ghz`, times\n"
      "`KEY_us`, bandwidths `KEY_tb_per_s`. What is a part of the value moves with it: `l1.size` takes\n"
      "`l1.max_data_bytes` and `l1.detected_sizes` along, `l2.size` takes `l2.effective_size`, and "
      "`chip.sm_count` is\n"
      "dealt out evenly into `chip.gpc_sms`.\n";
  const Calibration empty;
  visit(empty, writer);
  return writer.text;
}

}  // namespace warpgauge::calib
