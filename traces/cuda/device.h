// What a program may ask of the device that it believes it runs on: the calibration's figures, as plain data,
// and how its memory is handed out.
#pragma once

#include <cstdint>
#include <string>

#include "traces/emulator/memory.h"

namespace warpgauge::cuda {

struct Device {
  std::string name;
  int major = 0;
  int minor = 0;
  std::uint32_t sm_count = 0;
  std::uint32_t gpc_count = 0;
  std::uint32_t max_threads_per_block = 0;
  std::uint32_t max_threads_per_sm = 0;
  std::uint32_t max_blocks_per_sm = 0;
  std::uint32_t registers_per_block = 0;
  std::uint32_t registers_per_sm = 0;
  std::uint32_t register_allocation_unit = 0;     // registers of a warp
  std::uint32_t warp_allocation_granularity = 0;  // warps of a block
  std::uint64_t shared_per_block = 0;             // without opting in
  std::uint64_t shared_per_block_optin = 0;
  std::uint64_t shared_per_sm = 0;
  std::uint64_t shared_reserved_per_block = 0;
  std::uint64_t shared_allocation_unit = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  double sm_mhz = 0;
  double memory_mhz = 0;
  std::uint32_t memory_bus_bits = 0;
  emulator::DeviceMemory::Layout layout = emulator::DeviceMemory::Layout::as_driver;  // of what it allocates
};

}  // namespace warpgauge::cuda
