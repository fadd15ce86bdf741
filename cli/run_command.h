// `warpgauge run`: an unmodified CUDA program on the model.
#pragma once

#include <string>
#include <vector>

#include "cli/run_settings.h"

namespace CLI {
class App;
}

namespace warpgauge::cli {

void add_run_command(CLI::App& app);

// Becomes the program, with the libraries that stand in for CUDA. Throws Failure.
[[noreturn]] void start_program(RunSettings settings, const std::vector<std::string>& program);

}  // namespace warpgauge::cli
