// `warpgauge sass unsupported`: will these kernels run?
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::cli {

void add_sass_unsupported(CLI::App& sass);

}  // namespace warpgauge::cli
