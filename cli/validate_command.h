// `warpgauge validate`: how far can a prediction be trusted?
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::cli {

void add_validate_command(CLI::App& app);

}  // namespace warpgauge::cli
