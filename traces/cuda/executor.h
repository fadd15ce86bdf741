// Who runs a kernel launch: the functional emulator alone, or the emulator driven by the timing model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

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
  traces::Dim3 cluster = {};  // of the launch's wishes
  bool names_clusters = false;  // the same, be they of one block
  emulator::SystemCalls* system_calls = nullptr;
  std::optional<std::uint8_t> carveout_percent = std::nullopt;  // traces::LaunchShape's
  std::uint32_t stack_bytes = 1024;  // emulator::Launch's
  std::uint32_t index = 0;  // of the launch in the program, from 0
};

struct LaunchOutcome {
  double time_ns = 0;  // 0 where nothing was timed
};

// Launches that run beside each other: tasks that wait for others, done when somebody waits for them. Their time is one for
// all, in nanoseconds from the first.
class TimeLine {
 public:
  using Task = std::size_t;
  struct After {
    Task task = 0;
    bool in_graph = false;  // an edge of a graph
  };
  virtual ~TimeLine() = default;

  // `parameters` are the request's. `priority` as CUDA's; `stream`: for the report.
  virtual Task launch(LaunchRequest request, std::vector<std::byte> parameters, int priority, std::string stream,
                      std::vector<After> after) = 0;
  // `action` takes no time; it may be empty.
  virtual Task act(std::function<void()> action, std::vector<After> after) = 0;
  // Until the task has ended, or all have. Throw what a launch or an action throws.
  virtual void finish(Task task) = 0;
  virtual void finish() = 0;
  [[nodiscard]] virtual double end_ns(Task task) const = 0;  // of one that has ended
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Throws emulator::Fault for what the kernel did wrong.
  virtual LaunchOutcome run(const LaunchRequest& request) = 0;
  // Null where each launch runs alone, at the time of the call, by run().
  virtual TimeLine* time_line() { return nullptr; }
  // The program is about to end: write what is to be written.
  virtual void finish() = 0;
};

}  // namespace warpgauge::cuda
