// `warpgauge whatif registers`: other registers and reuse flags for one kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/launch_options.h"

namespace warpgauge::cli::whatif {

struct RegistersOptions {
  std::string cubin;
  std::string gpu = "h200";
  std::vector<std::string> changes;  // --set
  LaunchOptions launch;

  std::string change = "both";   // none, banks, reuse, both or plant
  std::string yields = "reuse";  // keep, reuse (drop those in the way of a reuse flag) or drop
  bool lower = false;            // as few registers as the colouring can
  unsigned registers = 0;        // --registers: what if the thread had this many
  unsigned banks = 0;            // 0: the device's
  unsigned ports = 0;
  bool no_reuse = false;
  std::uint64_t seed = 1;
  unsigned candidates = 4;
  double seconds = 60;
  int run = 0;  // --run: measure both on this machine's GPU, so often; 0: do not

  bool see = false;      // print the annotated listings
  std::string svg;       // file of the register map
  std::string tile_svg;  // file of the tile's table
  std::string json;      // file, - for standard output
  std::string output;    // file of the patched cubin
};

void run_registers(const RegistersOptions& options);

}  // namespace warpgauge::cli::whatif
