// `warpgauge whatif sweep`: one launch on many changed machines; `warpgauge whatif diff`: two launches or
// machines.
#pragma once

#include <string>
#include <vector>

#include "cli/launch_options.h"

namespace warpgauge::cli::whatif {

struct SweepOptions {
  std::string cubin;
  std::string gpu = "h200";
  std::vector<std::string> changes;
  LaunchOptions launch;
  std::vector<std::string> vary;  // KEY=V1,V2,…; the key `registers` is the thread's register count
  bool csv = false;
  std::string json;
  std::string svg;
};
void run_sweep(const SweepOptions& options);

struct DiffOptions {
  std::string cubin;
  std::string other_cubin;  // empty: the same
  std::string gpu = "h200";
  std::string other_gpu;  // empty: the same
  std::vector<std::string> changes;
  std::vector<std::string> other_changes;
  LaunchOptions launch;
  std::string other_kernel;  // empty: the same name
  std::string json;
};
void run_diff(const DiffOptions& options);

}  // namespace warpgauge::cli::whatif
