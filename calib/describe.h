// The keys as documents: what calib/schema.json and calib/PARAMETERS.md hold.
#pragma once

#include <string>

namespace warpgauge::calib {

// A JSON schema (draft 2020-12) that accepts what the loader accepts, but for check(): sizes that must agree
// with each other.
std::string json_schema();

// A table for each section: key, unit, type, meaning.
std::string parameters_markdown();

}  // namespace warpgauge::calib
