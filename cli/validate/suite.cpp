#include "cli/validate/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/failure.h"

namespace warpgauge::cli {
namespace {

using nlohmann::json;

json read_json(const std::filesystem::path& file, const char* schema) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Failure(ExitCode::bad_file, fmt::format("{}: cannot be read", file.string()));
  try {
    json document = json::parse(in);
    if (document.at("schema") != schema) {
      throw Failure(ExitCode::bad_file, fmt::format("{}: \"schema\" is not \"{}\"", file.string(), schema));
    }
    return document;
  } catch (const json::exception& error) {
    throw Failure(ExitCode::bad_file, fmt::format("{}: {}", file.string(), error.what()));
  }
}

// (largest - smallest) / median.
double relative_spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return median == 0 ? 0 : (values.back() - values.front()) / median;
}

HardwareCase hardware_case(const json& from, const char* stage) {
  HardwareCase result;
  const json& cycles = from.at(stage);
  result.cycles = cycles.at("median_cycles").get<double>();
  result.spread = cycles.at("spread").get<double>();
  const std::string counters = std::string(stage) + "_counters";
  if (from.contains(counters)) {
    for (const auto& item : from[counters].items()) {
      if (item.value().is_number()) result.counters[item.key()] = item.value().get<double>();
    }
  }
  for (const auto& [name, metric] : {std::pair{"sm_active_cycles", "sm__cycles_active.avg"},
                                     std::pair{"nanoseconds", "gpu__time_duration.sum"}}) {
    if (!cycles.contains(name)) continue;
    std::vector<double> values;
    for (const json& value : cycles[name]) {
      if (value.is_number()) values.push_back(value.get<double>());
    }
    if (values.size() > 1) result.counter_spreads[metric] = relative_spread(std::move(values));
  }
  return result;
}

}  // namespace

std::filesystem::path Suite::cubin(const SuiteCase& suite_case, sass::Architecture architecture) const {
  static constexpr std::string_view placeholder = "{architecture}";
  std::string file = suite_case.cubin;
  if (const auto at = file.find(placeholder); at != std::string::npos) {
    file.replace(at, placeholder.size(), fmt::format("{}", static_cast<unsigned>(architecture)));
  }
  return folder / file;
}

Suite read_suite(const std::filesystem::path& file) {
  const json document = read_json(file, "warpgauge-suite/1");
  Suite suite;
  try {
    suite.folder = file.parent_path() / document.at("cubin_folder").get<std::string>();
    for (const json& entry : document.at("cases")) {
      SuiteCase c;
      c.name = entry.at("name").get<std::string>();
      c.family = entry.at("family").get<std::string>();
      c.held_out = entry.at("half") == "held_out";
      c.reset = entry.at("reset").get<bool>();
      c.minimum_architecture = entry.at("minimum_architecture").get<unsigned>();
      c.cubin = entry.at("cubin").get<std::string>();
      c.launch = launch::parse(entry.at("launch").dump(), file.string() + ": " + c.name);
      suite.cases.push_back(std::move(c));
    }
  } catch (const json::exception& error) {
    throw Failure(ExitCode::bad_file, fmt::format("{}: {}", file.string(), error.what()));
  } catch (const launch::Error& error) {
    throw Failure(ExitCode::bad_file, error.what());
  }
  return suite;
}

Hardware read_hardware(const std::filesystem::path& file) {
  const json document = read_json(file, "warpgauge-hardware/1");
  Hardware hardware;
  try {
    hardware.device = document.at("device").get<std::string>();
    hardware.driver = document.at("driver").get<std::string>();
    hardware.date = document.at("date").get<std::string>();
    for (const json& entry : document.at("cases")) {
      const auto name = entry.at("name").get<std::string>();
      if (entry.contains("cold")) hardware.cold[name] = hardware_case(entry, "cold");
      if (entry.contains("warm")) hardware.warm[name] = hardware_case(entry, "warm");
    }
  } catch (const json::exception& error) {
    throw Failure(ExitCode::bad_file, fmt::format("{}: {}", file.string(), error.what()));
  }
  return hardware;
}

}  // namespace warpgauge::cli
