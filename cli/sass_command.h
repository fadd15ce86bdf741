// `warpgauge sass`: machine code and the files that hold it.
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::cli {

// Adds the command with its subcommands list, disassemble, assemble, extract, patch and unsupported. They
// report what is wrong with a file or an option by throwing cubin::Error, cubin::KernelNotFound or
// CLI::ValidationError out of the application's parse().
void add_sass_command(CLI::App& app);

}  // namespace warpgauge::cli
