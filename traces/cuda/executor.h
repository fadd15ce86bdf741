// Who runs a kernel launch: the functional emulator alone, or the emulator driven by the timing model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "traces/cubin/cubin.h"
#include "traces/cuda/device.h"
#include "traces/emulator/launch.h"
#include "traces/warp_stream.h"

namespace warpgauge::cuda {

struct LaunchRequest {
  std::shared_ptr<emulator::Module> module;
  const cubin::Kernel& kernel;
  traces::Dim3 grid;
  traces::Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::span<const std::byte> parameters;  // the parameter block, as it goes into constant bank 0
  bool cooperative = false;
  emulator::SystemCalls* system_calls = nullptr;
  std::uint32_t index = 0;  // of the launch in the program, from 0
};

struct LaunchOutcome {
  double time_ns = 0;  // 0 where nothing was timed
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Throws emulator::Fault for what the kernel did wrong.
  virtual LaunchOutcome run(const LaunchRequest& request) = 0;
  // The program is about to end: write what is to be written.
  virtual void finish() = 0;
};

}  // namespace warpgauge::cuda
