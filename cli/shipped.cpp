#include "cli/shipped.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "calib/check.h"
#include "calib/loader.h"
#include "cli/failure.h"

namespace warpgauge::cli {
namespace {

namespace fs = std::filesystem;

fs::path shipped_folder(const char* in_source, const char* installed) {
  if (const char* home = std::getenv("WARPGAUGE_HOME")) return fs::path(home) / in_source;
  std::error_code ignored;
  const fs::path binary = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path beside = binary.parent_path().parent_path() / "share/warpgauge" / installed;
  if (!ignored && fs::is_directory(beside, ignored)) return beside;
  return fs::path(WARPGAUGE_SOURCE_FOLDER) / in_source;
}

}  // namespace

fs::path devices_folder() {
  return shipped_folder("calib/devices", "devices");
}
fs::path references_folder() {
  return shipped_folder("calib/reference", "reference");
}
fs::path examples_folder() {
  return shipped_folder("examples", "examples");
}

calib::Calibration read_calibration(const std::string& gpu, const std::vector<std::string>& changes) {
  try {
    calib::Calibration calibration;
    if (gpu.find('/') != std::string::npos || gpu.ends_with(".json")) {
      calibration = calib::load(gpu);
    } else {
      const std::vector<std::string> known = calib::list_devices(devices_folder());
      if (std::find(known.begin(), known.end(), gpu) == known.end()) {
        throw Failure(
            ExitCode::bad_calibration,
            fmt::format("no calibration is shipped for \"{}\"; there are {}", gpu, fmt::join(known, ", ")));
      }
      calibration = calib::load_device(devices_folder(), gpu);
    }
    for (const std::string& change : changes) calib::set(calibration, change);
    if (!changes.empty()) calib::check(calibration, "--set");
    return calibration;
  } catch (const calib::CalibrationError& error) {
    throw Failure(ExitCode::bad_calibration, error.what());
  }
}

}  // namespace warpgauge::cli
