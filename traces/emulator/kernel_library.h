// The functions that every kernel may call although no module defines them: vprintf, malloc, free,
// __assertfail.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "traces/emulator/memory.h"
#include "traces/emulator/system_call.h"

namespace warpgauge::emulator {

class KernelLibrary final : public SystemCalls {
 public:
  static constexpr std::uint64_t default_heap_bytes = std::uint64_t{8} << 20;  // as CUDA's

  // `print` receives each formatted text, threads of a warp in the order of their lanes. The heap lies in
  // `memory`, which must outlive this, and lasts as long as this does.
  KernelLibrary(DeviceMemory& memory, std::function<void(std::string_view)> print,
                std::uint64_t heap_bytes = default_heap_bytes);
  ~KernelLibrary() override;
  KernelLibrary(const KernelLibrary&) = delete;
  KernelLibrary& operator=(const KernelLibrary&) = delete;

  void call(Block& block, Warp& warp, const std::string& function, std::uint32_t mask) override;

 private:
  [[nodiscard]] DeviceAddress take(std::uint64_t bytes);
  void give_back(DeviceAddress address, unsigned lane);

  DeviceMemory* memory_;
  std::function<void(std::string_view)> print_;
  std::uint64_t heap_bytes_;
  std::mutex mutex_;  // guards what follows
  DeviceAddress heap_ = 0;
  std::map<DeviceAddress, std::uint64_t> used_;  // pieces of the heap: begin -> bytes
};

}  // namespace warpgauge::emulator
