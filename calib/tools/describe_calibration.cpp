// Writes calib/schema.json and calib/PARAMETERS.md anew after a change of calib/keys.h, and the shipped
// calibrations in the writer's order.
//
//   warpgauge_describe_calibration CALIB_FOLDER
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "calib/describe.h"
#include "calib/loader.h"

namespace {

void write(const std::filesystem::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text << std::flush;
  if (!stream) throw warpgauge::calib::CalibrationError(file.string() + ": cannot be written");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: warpgauge_describe_calibration CALIB_FOLDER\n", stderr);
    return 2;
  }
  try {
    namespace calib = warpgauge::calib;
    const std::filesystem::path folder = arguments[1];
    write(folder / "schema.json", calib::json_schema());
    write(folder / "PARAMETERS.md", calib::parameters_markdown());
    for (const std::string& device : calib::list_devices(folder / "devices"))
      calib::save(calib::load_device(folder / "devices", device),
                  folder / "devices" / device / "calibration.json");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
