// The validation suite and the hardware results that it is compared with, as files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "traces/launch_file.h"
#include "traces/sass/architecture.h"

namespace warpgauge::cli {

struct SuiteCase {
  std::string name;       // "copy_32/l2"
  std::string family;     // "streaming"
  bool held_out = false;  // may not be looked at while mechanisms are worked on
  bool reset = false;     // a launch must not see what an earlier one wrote
  unsigned minimum_architecture = 0;
  std::string cubin;  // file name, "{architecture}" stands for the number
  launch::Description launch;
};

struct Suite {
  std::filesystem::path folder;  // where its cubins are
  std::vector<SuiteCase> cases;
  [[nodiscard]] std::filesystem::path cubin(const SuiteCase& suite_case,
                                            sass::Architecture architecture) const;
};

// Throws Failure (bad_file) with the place.
Suite read_suite(const std::filesystem::path& file);

// What the card did, one case.
struct HardwareCase {
  double cycles = 0;  // median of gpc__cycles_elapsed.max
  double spread = 0;  // (largest - smallest) / median of the repetitions
  std::map<std::string, double> counters;
  std::map<std::string, double> counter_spreads;  // of those that were recorded several times
};

struct Hardware {
  std::string device;
  std::string driver;
  std::string date;
  std::map<std::string, HardwareCase> cold;
  std::map<std::string, HardwareCase> warm;
};

Hardware read_hardware(const std::filesystem::path& file);

}  // namespace warpgauge::cli
