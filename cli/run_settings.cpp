#include "cli/run_settings.h"

#include <cstdlib>
#include <filesystem>

#include "cli/shipped.h"

namespace warpgauge::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void set(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);
}

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const std::string text = variable(name);
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

}  // namespace

void RunSettings::make_independent_of_place() {
  const bool is_path = gpu.find('/') != std::string::npos || gpu.ends_with(".json");
  gpu = std::filesystem::absolute(is_path ? std::filesystem::path(gpu)
                                          : devices_folder() / gpu / "calibration.json")
            .string();
  for (std::string* path : {&json_path, &trace_path})
    if (!path->empty()) *path = std::filesystem::absolute(*path).string();
}

void RunSettings::export_to_environment() const {
  std::string lines;
  for (const std::string& change : changes) lines += change + '\n';
  set("WARPGAUGE_RUN_GPU", gpu);
  set("WARPGAUGE_RUN_SET", lines);
  set("WARPGAUGE_RUN_FUNCTIONAL", functional ? "1" : "");
  set("WARPGAUGE_RUN_FIRST_TOUCH", first_touch ? "1" : "");
  set("WARPGAUGE_RUN_CHECK_BOUNDS", check_bounds ? "1" : "");
  set("WARPGAUGE_RUN_KERNEL_NAME", kernel_name);
  set("WARPGAUGE_RUN_LAUNCH_SKIP", std::to_string(launch_skip));
  set("WARPGAUGE_RUN_LAUNCH_COUNT", std::to_string(launch_count));
  set("WARPGAUGE_RUN_KILL", kill ? "1" : "");
  set("WARPGAUGE_RUN_JSON", json_path);
  set("WARPGAUGE_RUN_CSV", csv ? "1" : "");
  set("WARPGAUGE_RUN_SOURCE", source ? "1" : "");
  set("WARPGAUGE_RUN_CONCURRENT", concurrent ? "1" : "");
  set("WARPGAUGE_RUN_QUIET", quiet ? "1" : "");
  set("WARPGAUGE_RUN_THREADS", std::to_string(threads));
  set("WARPGAUGE_RUN_TRACE", trace_path);
}

RunSettings RunSettings::from_environment() {
  RunSettings settings;
  if (const std::string gpu = variable("WARPGAUGE_RUN_GPU"); !gpu.empty()) settings.gpu = gpu;
  std::string lines = variable("WARPGAUGE_RUN_SET");
  for (std::size_t end; (end = lines.find('\n')) != std::string::npos; lines.erase(0, end + 1)) {
    settings.changes.push_back(lines.substr(0, end));
  }
  settings.functional = !variable("WARPGAUGE_RUN_FUNCTIONAL").empty();
  settings.first_touch = !variable("WARPGAUGE_RUN_FIRST_TOUCH").empty();
  settings.check_bounds = !variable("WARPGAUGE_RUN_CHECK_BOUNDS").empty();
  settings.kernel_name = variable("WARPGAUGE_RUN_KERNEL_NAME");
  settings.launch_skip = number("WARPGAUGE_RUN_LAUNCH_SKIP", settings.launch_skip);
  settings.launch_count = number("WARPGAUGE_RUN_LAUNCH_COUNT", settings.launch_count);
  settings.kill = !variable("WARPGAUGE_RUN_KILL").empty();
  settings.json_path = variable("WARPGAUGE_RUN_JSON");
  settings.csv = !variable("WARPGAUGE_RUN_CSV").empty();
  settings.source = !variable("WARPGAUGE_RUN_SOURCE").empty();
  settings.concurrent = !variable("WARPGAUGE_RUN_CONCURRENT").empty();
  settings.quiet = !variable("WARPGAUGE_RUN_QUIET").empty();
  settings.threads = static_cast<unsigned>(number("WARPGAUGE_RUN_THREADS", settings.threads));
  settings.trace_path = variable("WARPGAUGE_RUN_TRACE");
  return settings;
}

}  // namespace warpgauge::cli
