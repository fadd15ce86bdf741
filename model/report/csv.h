// A field of a comma-separated table (RFC 4180).
#pragma once

#include <string>

namespace warpgauge::model {

// In quotation marks, those within doubled.
std::string csv_quoted(const std::string& text);

}  // namespace warpgauge::model
