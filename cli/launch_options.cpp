#include "cli/launch_options.h"

#include <CLI/CLI.hpp>

#include "cli/failure.h"

namespace warpgauge::cli {

void add_launch_options(CLI::App& command, LaunchOptions& options) {
  command.add_option("--launch", options.launch_file, "Launch file: kernel, grid, block, arguments");
  command.add_option("--kernel,--kernel-name", options.kernel, "Kernel, by symbol or demangled name");
  command.add_option("--grid", options.grid, "Blocks: x, x,y or x,y,z");
  command.add_option("--block", options.block, "Threads of a block: x, x,y or x,y,z");
  command.add_option("--shared", options.dynamic_shared_bytes, "Bytes of dynamic shared memory");
  command.add_option("--arg", options.arguments,
                     "An argument, in order: i32:5, f32:2.5, buffer:BYTES[:FILL[:SEED[:MIN:MAX]]]");
}

launch::Description describe(const LaunchOptions& options) {
  launch::Description description;
  if (!options.launch_file.empty()) {
    try {
      description = launch::read(options.launch_file);
    } catch (const launch::Error& error) {
      throw Failure(ExitCode::bad_file, error.what());
    }
  } else if (options.grid.empty() || options.block.empty()) {
    throw Failure(ExitCode::usage, "give a launch file (--launch), or --grid and --block");
  }
  try {
    if (!options.kernel.empty()) description.kernel = options.kernel;
    if (!options.grid.empty()) description.grid = launch::parse_dimensions(options.grid);
    if (!options.block.empty()) description.block = launch::parse_dimensions(options.block);
    if (options.dynamic_shared_bytes != 0) description.dynamic_shared_bytes = options.dynamic_shared_bytes;
    if (!options.arguments.empty()) description.arguments.clear();
    for (const std::string& text : options.arguments)
      description.arguments.push_back(launch::parse_argument(text));
  } catch (const launch::Error& error) {
    throw Failure(ExitCode::bad_arguments, error.what());
  }
  return description;
}

}  // namespace warpgauge::cli
