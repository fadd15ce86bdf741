// The device's global memory: a sparse 64-bit address space whose host pages appear when they are touched.
//
// Threads: allocate, release and the host's copies must not run while a kernel does; the lookups may run from
// any number of threads, since a running kernel changes no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/emulator/driver_layout.h"
#include "traces/emulator/texture.h"
#include "traces/warp_stream.h"

namespace warpgauge::emulator {

struct Allocation {
  DeviceAddress begin = 0;
  std::uint64_t bytes = 0;
  MemoryPool pool = MemoryPool::device;
  std::string label;  // what a fault message calls it; may be empty
  [[nodiscard]] DeviceAddress end() const { return begin + bytes; }
};

class DeviceMemory {
 public:
  // The first address that is given out where device and host differ: far from zero, so that a null pointer
  // with an offset faults.
  static constexpr DeviceAddress first_address = 0x7f40'0000'0000;
  static constexpr std::uint64_t redzone_bytes = 512;

  // How device addresses relate to the host's: any two memories give out the same ones in the same order, or
  // a device address is the host's, so that a program can use memory that both share (one such memory has the
  // same addresses in every run).
  enum class Addresses : std::uint8_t { of_their_own, as_on_host };

  // What kernels may access: allocations alone, or all of the pages that hold some of one. A card maps whole
  // pages, so that a program which reaches a little beyond an allocation runs there; the others find its
  // mistake.
  enum class Bounds : std::uint8_t { of_allocations, of_pages };
  static constexpr std::uint64_t device_page_bytes = DriverLayout::page_bytes;

  // Where allocations lie: apart, with a gap behind each and no address given out again before all have been,
  // so that accesses beyond one or to one that is gone are found; or as a driver has them (driver_layout.h),
  // side by side.
  enum class Layout : std::uint8_t { apart, as_driver };

  static constexpr std::uint64_t default_capacity = std::uint64_t{64} << 30;

  // `capacity` is what the device has; allocations beyond it fail. Only what is touched costs host memory.
  explicit DeviceMemory(std::uint64_t capacity = default_capacity,
                        Addresses addresses = Addresses::of_their_own, Layout layout = Layout::apart);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Zero-filled memory, but for what kernels stored there beyond an earlier allocation. Nothing when the
  // device's capacity is used up. Zero bytes give a unique address. Alignment is at least 512 bytes, 2 MiB
  // beyond 2 MiB, as the CUDA runtime gives it.
  std::optional<DeviceAddress> allocate(std::uint64_t bytes, std::string label = {},
                                        MemoryPool pool = MemoryPool::device);

  // Makes the host's own memory an allocation at the same address, until it is released. Does not count
  // towards the capacity. False when it overlaps an allocation, or where addresses are not as on the host.
  bool adopt(void* host, std::uint64_t bytes, std::string label = {});

  // False when `address` is not the begin of an allocation.
  bool release(DeviceAddress address);
  void release_all();

  // The allocation that holds [address, address + bytes), or null.
  [[nodiscard]] const Allocation* find(DeviceAddress address, std::uint64_t bytes = 1) const;
  // Whether [address, address + bytes), which no allocation holds, may be accessed all the same: never where
  // bounds are of allocations. Nothing but what kernels stored lies there.
  [[nodiscard]] bool in_mapped_page(DeviceAddress address, std::uint64_t bytes) const;
  // Where allocations of the host's memory lie, in order; those that touch are one.
  [[nodiscard]] std::vector<traces::AddressRange> host_memory() const;
  // Whether host() of the address is memory of this object, whatever is allocated there.
  [[nodiscard]] bool owns(DeviceAddress address) const { return in_arena(address); }
  void set_bounds(Bounds bounds) { bounds_ = bounds; }

  // The first access beyond an allocation that passed is kept until it is taken. Any thread may say one.
  void say_stray(std::string what);
  [[nodiscard]] std::string take_stray();

  // The allocation nearest to an address that none holds, or null when there is none.
  [[nodiscard]] const Allocation* nearest(DeviceAddress address) const;
  [[nodiscard]] bool was_released(DeviceAddress address) const;

  // Copies; throw Fault (illegal address) when the range is not inside one allocation.
  void write(DeviceAddress address, std::span<const std::byte> bytes);
  void read(DeviceAddress address, std::span<std::byte> bytes) const;
  void fill(DeviceAddress address, std::uint8_t value, std::uint64_t bytes);

  // The host's view of an address that find() has accepted.
  [[nodiscard]] std::byte* host(DeviceAddress address) const {
    return reinterpret_cast<std::byte*>(address + host_offset_);
  }

  // Host address - device address, modulo 2^64.
  [[nodiscard]] std::uint64_t host_offset() const { return host_offset_; }

  // How many allocations are gone: what find() gave stays true while this does.
  [[nodiscard]] std::uint64_t releases() const { return releases_; }

  // Of this memory; changes as allocations do, not while a kernel runs.
  [[nodiscard]] TextureTable& textures() { return textures_; }
  [[nodiscard]] const TextureTable& textures() const { return textures_; }

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t used() const { return used_; }
  [[nodiscard]] const std::map<DeviceAddress, Allocation>& allocations() const { return allocations_; }

 private:
  [[nodiscard]] std::optional<DeviceAddress> place_apart(std::uint64_t bytes) const;
  [[nodiscard]] bool in_arena(DeviceAddress address) const { return address - base_ < reserved_; }
  [[nodiscard]] std::byte* checked(DeviceAddress address, std::uint64_t bytes) const;

  std::uint64_t capacity_;
  std::uint64_t reserved_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t releases_ = 0;
  DeviceAddress base_ = first_address;    // of the arena
  DeviceAddress cursor_ = first_address;  // apart: behind the last one
  Layout layout_;
  DriverLayout driver_;
  std::uint64_t host_offset_ = 0;
  std::map<DeviceAddress, Allocation> allocations_;
  std::map<DeviceAddress, Allocation> released_;  // the last ones, for messages
  TextureTable textures_;
  Bounds bounds_ = Bounds::of_allocations;
  std::mutex stray_mutex_;  // guards stray_
  std::string stray_;
};

}  // namespace warpgauge::emulator
