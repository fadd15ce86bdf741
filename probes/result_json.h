// One probe's result as JSON text, in the schema of calib/measurements.h.
#pragma once

#include <string>

#include "calib/measurements.h"
#include "probes/target.h"

namespace warpgauge::probes {

std::string to_json(const calib::ProbeResult& result);

// Text with its quotes and escapes, as JSON has it.
std::string json_string(const std::string& text);

}  // namespace warpgauge::probes
