// What kernels call that the device's own code does not hold: printf, malloc, free and failing assertions.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "traces/emulator/memory.h"
#include "traces/emulator/system_call.h"

namespace warpgauge::cuda {

// The heap that kernels allocate from: one allocation of the device, of the size that cudaLimitMallocHeapSize
// says, made at the first malloc.
class DeviceHeap {
 public:
  explicit DeviceHeap(emulator::DeviceMemory& memory) : memory_(memory) {}

  // Makes the heap itself; must not run while a kernel does. Does nothing the second time.
  void prepare();
  // False once the heap is there.
  bool set_limit(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t limit() const { return limit_; }

  // 0 when nothing fits, or for an alignment that is no power of two. Alignment: 16 bytes at least.
  emulator::DeviceAddress allocate(std::uint64_t bytes, std::uint64_t alignment = 1);
  // False for an address that was not allocated here.
  bool release(emulator::DeviceAddress address);

 private:
  emulator::DeviceMemory& memory_;
  std::mutex mutex_;
  std::uint64_t limit_ = std::uint64_t{8} << 20;
  emulator::DeviceAddress begin_ = 0;
  std::map<emulator::DeviceAddress, std::uint64_t> free_;  // begin -> bytes; neighbours are joined
  std::map<emulator::DeviceAddress, std::uint64_t> used_;
};

class KernelCalls final : public emulator::SystemCalls {
 public:
  explicit KernelCalls(emulator::DeviceMemory& memory) : heap_(memory) {}
  DeviceHeap& heap() { return heap_; }

  traces::DriverCall call(emulator::Block& block, emulator::Warp& warp, const std::string& function,
            std::uint32_t mask) override;

 private:
  DeviceHeap heap_;
};

}  // namespace warpgauge::cuda
