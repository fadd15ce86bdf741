// The options by which a command is told what to launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/launch_file.h"

namespace CLI {
class App;
}

namespace warpgauge::cli {

struct LaunchOptions {
  std::string launch_file;
  std::string kernel;
  std::string grid;
  std::string block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::string> arguments;

  // Whether a launch was described at all.
  [[nodiscard]] bool given() const { return !launch_file.empty() || !grid.empty() || !block.empty(); }
};

// --launch, --kernel, --grid, --block, --shared and --arg. `options` must outlive the parsing.
void add_launch_options(CLI::App& command, LaunchOptions& options);

// The launch file with the other options laid over it. Throws Failure: bad_file, usage, bad_arguments.
launch::Description describe(const LaunchOptions& options);

}  // namespace warpgauge::cli
