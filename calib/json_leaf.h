// The leaves that all of calib's JSON files share, and reading JSON without losing a key that stands twice.
// Only .cpp files may include this: it brings in nlohmann/json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "calib/calibration.h"
#include "calib/errors.h"

namespace warpgauge::calib {

using Json = nlohmann::ordered_json;

// `where` is what every message starts with: "file.json", or "file.json: l1.size".
[[noreturn]] void refuse(std::string_view where, std::string_view what);

// The whole document; refuses what is not JSON, and an object that has a name twice.
Json parse_json(std::string_view text, std::string_view origin);

// "a number", "an object" …, for messages.
std::string_view describe(const Json& json);

std::string read_string(const Json& object, const char* name, std::string_view where);
double read_number(const Json& object, const char* name, std::string_view where);
std::uint64_t read_count(const Json& object, const char* name, std::string_view where);

// Refuses a name in `object` that is not one of `names`.
void allow_only(const Json& object, std::initializer_list<const char*> names, std::string_view where);

// A node of the tree that is a leaf rather than a section.
bool is_leaf(const Json& json);

// The leaf's unit and provenance; refuses what is missing, unknown or of the wrong type.
Unit read_unit(const Json& leaf, std::string_view where);
Provenance read_provenance(const Json& leaf, std::string_view where);

// `"unit": …, "source": …, "reference": …`, and what else is not empty.
std::string provenance_text(Unit unit, const Provenance& provenance);

// With quotes and escapes.
std::string quote(std::string_view text);

std::string read_file(const std::string& file);
void write_file(const std::string& file, std::string_view text);

}  // namespace warpgauge::calib
