// A module on the device, and the launch of one of its kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/cubin/cubin.h"
#include "traces/emulator/memory.h"
#include "traces/emulator/program.h"
#include "traces/warp_stream.h"

namespace warpgauge::emulator {

class SystemCalls;

// A cubin loaded: its variables lie in device memory, its code is decoded when a kernel is first launched.
class Module {
 public:
  // `level` chooses the executors; all give the same results.
  Module(DeviceMemory& memory, const cubin::Image& image, HostLevel level = host_level());
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  [[nodiscard]] const cubin::LoadedModule& loaded() const { return loaded_; }
  [[nodiscard]] const cubin::Kernel& kernel(std::string_view name) const { return loaded_.kernel(name); }
  [[nodiscard]] DeviceMemory& memory() const { return *memory_; }
  // The cubin that was loaded, as a file.
  [[nodiscard]] cubin::ByteView file() const { return file_.bytes().first(file_.extent()); }

  // The code that the kernel may reach: its own section, or the whole module where functions have sections.
  struct Code {
    std::shared_ptr<const Program> program;
    std::uint32_t entry = 0;    // index in the program
    std::uint64_t address = 0;  // of its first instruction
  };
  [[nodiscard]] Code code(const cubin::Kernel& kernel);

 private:
  DeviceMemory* memory_;
  HostLevel level_;
  cubin::ElfFile file_;
  cubin::LoadedModule loaded_;
  std::vector<DeviceAddress> segments_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const Program>> programs_;  // by offset in the module's code
};

struct Launch {
  std::shared_ptr<Module> module;
  std::string kernel;  // as cubin::find_kernel accepts it
  traces::Dim3 grid;
  traces::Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::optional<std::uint8_t> carveout_percent = std::nullopt;  // see traces::LaunchShape
  std::vector<std::uint8_t> parameters;  // as they lie from the kernel's parameter base on
  bool cooperative = false;              // all blocks run at the same time
  traces::Dim3 cluster = {};             // of the launch's wishes; a kernel's own __cluster_dims__ go first
  bool names_clusters = false;           // the same, be they of one block
  std::uint32_t stack_bytes = 1024;      // a thread's stack where the compiler could not tell
  SystemCalls* system_calls = nullptr;   // serves vprintf and its kin; may be null
  // After so many turns of warps that only looked at memory, each of some thousand instructions, what they
  // wait for will not come: a deadlock.
  std::uint32_t patience = 1U << 18;
};

// Throws Fault (launch failure) when the launch makes no sense: sizes of zero, more than 1024 threads,
// clusters that are too large or do not divide the grid, parameters of another size than the kernel's.
void check(const Launch& launch);

// The clusters that a launch's blocks form: the kernel's own, or those that the launch wishes for.
traces::Dim3 cluster_of(const cubin::Kernel& kernel, const traces::Dim3& wish);

// The parameter block made of one value a parameter, in order. Throws Fault when their number or a size is
// not the kernel's.
std::vector<std::uint8_t> pack_parameters(const cubin::Kernel& kernel,
                                          std::span<const std::vector<std::uint8_t>> values);

}  // namespace warpgauge::emulator
