// `warpgauge calibrate`: from measurements to a calibration, and what a calibration holds.
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::cli {

// Throws Failure (bad_file, bad_calibration) or CLI::ValidationError out of the application's parse().
void add_calibrate_command(CLI::App& app);

}  // namespace warpgauge::cli
