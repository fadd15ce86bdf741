// `warpgauge predict` and `warpgauge demo`.
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::cli {

void add_predict_command(CLI::App& app);
void add_demo_command(CLI::App& app);

}  // namespace warpgauge::cli
