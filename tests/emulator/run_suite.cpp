// Runs the cases of a suite file and prints what came of each: `run_suite SUITE.json SM [SIZE] [NAME]`.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "tests/emulator/launch_file.h"

int main(int argc, char** argv) {
  using namespace warpgauge::emulator::testing;
  if (argc < 3) {
    fmt::print(stderr, "usage: run_suite SUITE.json SM [SIZE] [NAME]\n");
    return 2;
  }
  const std::string sm = argv[2];
  const std::string size = argc > 3 ? argv[3] : "";
  const std::string name = argc > 4 ? argv[4] : "";
  int failures = 0;
  try {
    const Suite suite = read_suite(argv[1]);
    for (const SuiteCase& one : suite.cases) {
      if (one.minimum_architecture > std::stoul(sm)) continue;
      if ((!size.empty() && one.size != size) || one.name.find(name) == std::string::npos) continue;
      std::string cubin = one.cubin;
      cubin.replace(cubin.find("{architecture}"), 14, sm);
      try {
        const LaunchResult result = run_launch(suite.folder + "/" + cubin, one.launch);
        fmt::print("{} ok {} warp instructions, {:.1f} million a second,", one.name, result.warp_instructions,
                   static_cast<double>(result.warp_instructions) / result.seconds / 1e6);
        for (const std::uint64_t hash : result.hashes) fmt::print(" {:016x}", hash);
        fmt::print("\n");
        std::fflush(stdout);
      } catch (const std::exception& error) {
        ++failures;
        fmt::print("{} FAILED {}\n", one.name, error.what());
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return failures == 0 ? 0 : 1;
}
