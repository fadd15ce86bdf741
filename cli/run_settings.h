// What `warpgauge run` tells the shared libraries inside the program that it starts: environment variables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgauge::cli {

struct RunSettings {
  std::string gpu = "h200";          // WARPGAUGE_RUN_GPU: a shipped device's name or a calibration's path
  std::vector<std::string> changes;  // WARPGAUGE_RUN_SET: KEY=VALUE, one a line
  bool functional = false;           // WARPGAUGE_RUN_FUNCTIONAL: execute only
  bool first_touch = false;          // WARPGAUGE_RUN_FIRST_TOUCH: a page's first access walks the page tables
  bool check_bounds = false;         // WARPGAUGE_RUN_CHECK_BOUNDS: an access beyond an allocation is a fault
  std::string kernel_name;           // WARPGAUGE_RUN_KERNEL_NAME: "name" or "regex:…"; empty: all
  std::uint64_t launch_skip = 0;     // WARPGAUGE_RUN_LAUNCH_SKIP: matching launches that are not timed first
  std::uint64_t launch_count = ~std::uint64_t{0};  // WARPGAUGE_RUN_LAUNCH_COUNT: how many are timed then
  bool kill = false;                               // WARPGAUGE_RUN_KILL: end the program after these
  std::string json_path;                           // WARPGAUGE_RUN_JSON
  bool csv = false;                                // WARPGAUGE_RUN_CSV
  bool source = false;                             // WARPGAUGE_RUN_SOURCE: instruction by instruction
  bool concurrent = false;                         // WARPGAUGE_RUN_CONCURRENT: launches of different streams beside each other
  bool quiet = false;                              // WARPGAUGE_RUN_QUIET: no report on standard output
  unsigned threads = 1;                            // WARPGAUGE_RUN_THREADS: that share the SMs
  std::string trace_path;                          // WARPGAUGE_RUN_TRACE: record the chosen launches here

  // Turns names into absolute paths: the program may be elsewhere, and change its folder.
  void make_independent_of_place();
  void export_to_environment() const;
  static RunSettings from_environment();
};

}  // namespace warpgauge::cli
