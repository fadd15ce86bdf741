// `warpgauge run`: an unmodified CUDA program on the model.
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::cli {

void add_run_command(CLI::App& app);

}  // namespace warpgauge::cli
