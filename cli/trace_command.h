// `warpgauge trace`: record launches, look at what was recorded, convert, compare.
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::cli {

void add_trace_command(CLI::App& app);

}  // namespace warpgauge::cli
