// `warpgauge validate --record`: what this machine's card does with the suite, stored for comparisons.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/validate/validation.h"

namespace warpgauge::cli::record {

struct Options {
  std::filesystem::path output;  // a folder, made where it is not there
  std::filesystem::path suite;
  Selection selection;
  unsigned repetitions = 3;
  double seconds = 450;  // for everything
  std::vector<std::string> stages = {"hashes", "events", "cold", "warm", "cold_counters", "warm_counters"};
  std::filesystem::path onto;  // an earlier hardware.json of the same cubins, to which stages are added
  std::string profiler = "ncu";
};

// Writes into the output folder, anew after every stage, so that a run that is cut short leaves what it had:
//   hardware.json   {"schema": "warpgauge-hardware/1", …}: device, driver, clocks, hashes of the cubins, and
//   a
//                   case a line with cycles, spread and counters
//   record.log      what was run, and what failed
//   profiler/       what Nsight Compute and the launches said themselves
// Nsight Compute leaves clocks as they are. Where it is missing, or may not read counters, the events' times
// and the SM clock beside them are all that is recorded, and "note" says so. Says what it does on standard
// output. Throws Failure: no_target where there is no card, bad_file, usage.
void record_suite(const Options& options);

}  // namespace warpgauge::cli::record
