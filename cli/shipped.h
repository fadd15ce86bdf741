// Where the files that come with Warpgauge lie: beside an installed binary, or in the source tree it was
// built from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calib/calibration.h"

namespace warpgauge::cli {

// The folders with calibrations, one a device, with published figures, and with examples. WARPGAUGE_HOME
// overrides all.
std::filesystem::path devices_folder();
std::filesystem::path references_folder();
std::filesystem::path examples_folder();

// `gpu` is the name of a shipped device ("h200") or the path of a calibration; `changes` are KEY=VALUE
// what-ifs. Throws Failure (bad_calibration).
calib::Calibration read_calibration(const std::string& gpu, const std::vector<std::string>& changes);

}  // namespace warpgauge::cli
