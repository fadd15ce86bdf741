// The part of the CUDA driver's interface that the probes use, loaded at run time: the build needs no CUDA toolkit,
// and a machine without a GPU gets a sentence instead of a loader error. Declarations follow the public reference,
// https://docs.nvidia.com/cuda/cuda-driver-api/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace warpgauge::probes::driver {

using Result = int;
using Device = int;
using DevicePointer = std::uint64_t;
struct ContextTag;
struct ModuleTag;
struct FunctionTag;
struct StreamTag;
struct EventTag;
using Context = ContextTag*;
using Module = ModuleTag*;
using Function = FunctionTag*;
using Stream = StreamTag*;
using Event = EventTag*;

struct Uuid {
  unsigned char bytes[16];
};

// CUlaunchAttribute: 4 bytes of identifier, 4 of padding, 64 of value.
struct LaunchAttribute {
  std::uint32_t id;
  std::uint32_t padding;
  union {
    unsigned char pad[64];
    struct {
      std::uint32_t x, y, z;
    } cluster;
  } value;
};
inline constexpr std::uint32_t launch_attribute_cluster_dimension = 4;

// CUlaunchConfig.
struct LaunchConfig {
  std::uint32_t grid_x, grid_y, grid_z;
  std::uint32_t block_x, block_y, block_z;
  std::uint32_t shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  std::uint32_t attribute_count;
};

inline constexpr Result success = 0;
inline constexpr Result not_ready = 600;

// CUDA_RESOURCE_DESC with a linear resource, and CUDA_TEXTURE_DESC.
struct TextureResource {
  int type;
  union {
    struct {
      DevicePointer address;
      int format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    int reserved[32];
  } resource;
  unsigned flags;
};
inline constexpr int resource_linear = 2;
inline constexpr int format_u32 = 3;
struct TextureDescription {
  int address_mode[3];
  int filter_mode;
  unsigned flags;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most;
  float border[4];
  int reserved[12];
};
inline constexpr unsigned texture_read_as_integer = 1;

// CUmemLocation, CUmemAllocationProp, CUmemAccessDesc.
struct MemoryLocation {
  int type;
  int device;
};
struct MemoryProperties {
  int type;
  int handle_types;
  MemoryLocation location;
  void* windows;
  unsigned char flags[8];
};
struct MemoryAccess {
  MemoryLocation location;
  int flags;
};
inline constexpr int memory_on_device = 1;
inline constexpr int memory_pinned = 1;
inline constexpr int memory_read_write = 3;

// CUdevice_attribute.
inline constexpr int attribute_clock_rate = 13;
inline constexpr int attribute_sm_count = 16;
inline constexpr int attribute_compute_mode = 20;
inline constexpr int attribute_memory_clock_rate = 36;
inline constexpr int attribute_l2_bytes = 38;
inline constexpr int attribute_major = 75;
inline constexpr int attribute_minor = 76;
inline constexpr int attribute_shared_per_sm = 81;
inline constexpr int attribute_shared_optin = 97;

// CUfunction_attribute.
inline constexpr int function_max_dynamic_shared = 8;
inline constexpr int function_carveout = 9;
inline constexpr int function_nonportable_cluster = 14;

// The marks of cuLaunchKernel's `extra` list.
inline void* const launch_parameter_end = nullptr;
inline void* const launch_parameter_pointer = reinterpret_cast<void*>(std::uintptr_t{1});
inline void* const launch_parameter_size = reinterpret_cast<void*>(std::uintptr_t{2});

// The functions of libcuda.so.1, by their exported names.
struct Driver {
  Result (*cuInit)(unsigned);
  Result (*cuDriverGetVersion)(int*);
  Result (*cuGetErrorName)(Result, const char**);
  Result (*cuGetErrorString)(Result, const char**);
  Result (*cuDeviceGetCount)(int*);
  Result (*cuDeviceGet)(Device*, int);
  Result (*cuDeviceGetName)(char*, int, Device);
  Result (*cuDeviceGetUuid)(Uuid*, Device);
  Result (*cuDeviceGetAttribute)(int*, int, Device);
  Result (*cuDeviceTotalMem_v2)(std::size_t*, Device);
  Result (*cuDevicePrimaryCtxRetain)(Context*, Device);
  Result (*cuDevicePrimaryCtxRelease_v2)(Device);
  Result (*cuCtxSetCurrent)(Context);
  Result (*cuModuleLoadData)(Module*, const void*);
  Result (*cuModuleUnload)(Module);
  Result (*cuModuleGetFunction)(Function*, Module, const char*);
  Result (*cuModuleGetGlobal_v2)(DevicePointer*, std::size_t*, Module, const char*);
  Result (*cuFuncSetAttribute)(Function, int, int);
  Result (*cuFuncGetAttribute)(int*, int, Function);
  Result (*cuMemAlloc_v2)(DevicePointer*, std::size_t);
  Result (*cuMemFree_v2)(DevicePointer);
  Result (*cuMemcpyHtoD_v2)(DevicePointer, const void*, std::size_t);
  Result (*cuMemcpyDtoH_v2)(void*, DevicePointer, std::size_t);
  Result (*cuMemsetD8_v2)(DevicePointer, unsigned char, std::size_t);
  Result (*cuLaunchKernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,
                           void**, void**);
  Result (*cuLaunchKernelEx)(const LaunchConfig*, Function, void**, void**);  // absent before driver 11.8: null
  Result (*cuStreamCreate)(Stream*, unsigned);
  Result (*cuStreamDestroy_v2)(Stream);
  Result (*cuStreamSynchronize)(Stream);
  Result (*cuEventCreate)(Event*, unsigned);
  Result (*cuEventDestroy_v2)(Event);
  Result (*cuEventRecord)(Event, Stream);
  Result (*cuEventQuery)(Event);
  Result (*cuEventElapsedTime)(float*, Event, Event);
  Result (*cuTexObjectCreate)(std::uint64_t*, const TextureResource*, const TextureDescription*, const void*);
  Result (*cuTexObjectDestroy)(std::uint64_t);
  Result (*cuMemHostAlloc)(void**, std::size_t, unsigned);
  Result (*cuMemFreeHost)(void*);
  Result (*cuMemcpyHtoDAsync_v2)(DevicePointer, const void*, std::size_t, Stream);
  Result (*cuMemcpyDtoHAsync_v2)(void*, DevicePointer, std::size_t, Stream);
  Result (*cuMemcpyPeerAsync)(DevicePointer, Context, DevicePointer, Context, std::size_t, Stream);
  Result (*cuDeviceCanAccessPeer)(int*, Device, Device);
  Result (*cuCtxEnablePeerAccess)(Context, unsigned);
  // Absent before driver 10.2: null.
  Result (*cuMemGetAllocationGranularity)(std::size_t*, const MemoryProperties*, int);
  Result (*cuMemCreate)(std::uint64_t*, std::size_t, const MemoryProperties*, unsigned long long);
  Result (*cuMemAddressReserve)(DevicePointer*, std::size_t, std::size_t, DevicePointer, unsigned long long);
  Result (*cuMemMap)(DevicePointer, std::size_t, std::size_t, std::uint64_t, unsigned long long);
  Result (*cuMemSetAccess)(DevicePointer, std::size_t, const MemoryAccess*, std::size_t);
  Result (*cuProfilerStart)();
  Result (*cuProfilerStop)();

  // Throws TargetError saying what is missing when `library` cannot be loaded or lacks a function.
  static std::shared_ptr<const Driver> load(const std::string& library = "libcuda.so.1");

  // Throws TargetError with the driver's own words unless `result` is success.
  void check(Result result, const std::string& what) const;
};

}  // namespace warpgauge::probes::driver
