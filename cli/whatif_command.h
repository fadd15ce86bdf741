// `warpgauge whatif`: registers, sweep and diff.
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::cli {

void add_whatif_command(CLI::App& app);

}  // namespace warpgauge::cli
