// What `warpgauge trace` does, apart from reading its options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/launch_options.h"
#include "cli/run_settings.h"

namespace warpgauge::cli::trace {

struct RecordOptions {
  RunSettings run;  // of a program; its trace_path is the output
  std::string cubin;
  LaunchOptions launch;  // … of a cubin
  bool timing = false;   // record while the model decides the order
  std::vector<std::string> program;
};
void record(RecordOptions& options);

struct InfoOptions {
  std::string trace;
  std::string kernel;  // name; empty: all
  std::string json_path;
};
void info(const InfoOptions& options);

struct ConvertOptions {
  std::string input;
  std::string output;
  std::vector<std::string> cubins;
};
void convert(const ConvertOptions& options);

struct DiffOptions {
  std::string first;
  std::string second;
};
void diff(const DiffOptions& options);

}  // namespace warpgauge::cli::trace
