// `warpgauge probe`: asks the silicon, or the model, and writes measurements.json.
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::cli {

// Adds the command. What is wrong comes as Failure out of the application's parse().
void add_probe_command(CLI::App& app);

}  // namespace warpgauge::cli
