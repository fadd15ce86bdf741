// Reads the board's sensors and its other users through NVIDIA's management library, loaded at run time. Reads only:
// nothing here can set a clock. Declarations follow https://docs.nvidia.com/deploy/nvml-api/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probes/target.h"

namespace warpgauge::probes::driver {

class Nvml {
 public:
  // Null where the library or the board is missing: the sensors are then simply not reported.
  static std::unique_ptr<Nvml> open(const std::string& gpu_uuid);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] ClockReading read() const;
  // Process ids of compute work on this board other than this process.
  [[nodiscard]] std::vector<unsigned> other_processes() const;
  [[nodiscard]] std::string driver_version() const;

 private:
  struct Functions;
  Nvml(std::unique_ptr<Functions> functions, void* device);

  std::unique_ptr<Functions> functions_;
  void* device_;
};

}  // namespace warpgauge::probes::driver
