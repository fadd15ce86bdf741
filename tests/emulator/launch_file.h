// Launch files ("warpgauge-launch/1") run on the emulator: buffers filled by rule, outputs as hashes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {

// One case of a suite file ("warpgauge-suite/1").
struct SuiteCase {
  std::string name;
  std::string kernel;
  std::string size;
  std::string cubin;  // with {architecture} in it
  unsigned minimum_architecture = 70;
  std::string result;  // exact, float_atomics, order
  std::string launch;  // JSON
};

struct Suite {
  std::string folder;  // of cubins, from the repository's root
  std::vector<SuiteCase> cases;
};

Suite read_suite(const std::string& path);

// A launch made ready: its buffers are filled.
class PreparedCase {
 public:
  // `cubin` from the repository's root.
  PreparedCase(const std::string& cubin, const std::string& launch_json, HostLevel level = host_level());

  [[nodiscard]] Emulator& emulator() { return *emulator_; }
  [[nodiscard]] const Launch& launch() const { return launch_; }
  [[nodiscard]] std::vector<std::uint64_t> hashes() const;  // FNV-1a of each buffer, in the order of the arguments

 private:
  Device device_;
  Launch launch_;
  std::vector<std::pair<DeviceAddress, std::uint64_t>> buffers_;
  std::unique_ptr<Emulator> emulator_;
};

struct LaunchResult {
  std::vector<std::uint64_t> hashes;  // FNV-1a of each buffer after the launch, in the order of the arguments
  std::uint64_t warp_instructions = 0;
  double seconds = 0;  // of processor time, of the run alone
};

// `cubin` from the repository's root.
LaunchResult run_launch(const std::string& cubin, const std::string& launch_json,
                        Mode mode = Mode::functional, HostLevel level = host_level());

}  // namespace warpgauge::emulator::testing
