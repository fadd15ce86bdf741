// A validation as one HTML page that needs nothing beside itself: style, scripts, charts and data are in it.
#pragma once

#include <string>

#include "cli/validate/validation.h"

namespace warpgauge::cli {

std::string to_html(const Validation& validation);

}  // namespace warpgauge::cli
