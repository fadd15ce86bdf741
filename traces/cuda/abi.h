// The shapes of CUDA's public C interfaces that cross the border of the shared libraries, as far as they are
// answered. Layouts follow the public headers of CUDA 11.8 to 13.0; fields that nobody reads here are only
// sized.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgauge::cuda::abi {

struct Dim3 {
  unsigned x, y, z;
};

struct PitchedPointer {
  void* pointer;
  std::size_t pitch, width, height;
};

struct ChannelDescriptor {  // cudaChannelFormatDesc
  int x, y, z, w, kind;
};

struct Extent {
  std::size_t width, height, depth;
};

struct Position {
  std::size_t x, y, z;
};

struct Copy3D {  // cudaMemcpy3DParms
  void* source_array;
  Position source_position;
  PitchedPointer source;
  void* destination_array;
  Position destination_position;
  PitchedPointer destination;
  Extent extent;
  int kind;
};

struct ResourceDescriptor {  // cudaResourceDesc
  int type;
  union {
    void* array;
    struct {
      void* pointer;
      ChannelDescriptor channels;
      std::size_t bytes;
    } linear;
    struct {
      void* pointer;
      ChannelDescriptor channels;
      std::size_t width, height, pitch;
    } pitched;
  } of;
};
inline constexpr int resource_array = 0;
inline constexpr int resource_linear = 2;
inline constexpr int resource_pitched = 3;

struct TextureDescriptor {  // cudaTextureDesc
  int address_modes[3];
  int filter;             // 1: linear
  int normalized_values;  // cudaReadModeNormalizedFloat
  int srgb;
  float border[4];
  int normalized_coordinates;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most;
  int no_trilinear_optimization, seamless_cubemap;
};

inline constexpr unsigned array_layered = 1;
inline constexpr unsigned array_surface = 2;
inline constexpr unsigned array_cubemap = 4;

struct PointerAttributes {  // cudaPointerAttributes
  int type;
  int device;
  void* device_pointer;
  void* host_pointer;
  long reserved[8];  // from CUDA 13 on
};

struct FunctionAttributes {  // cudaFuncAttributes; what follows is reserved and left as it is
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
  int max_dynamic_shared_bytes, preferred_carveout;
};

union LaunchAttributeValue {
  char padding[64];
  int cooperative;
  unsigned carveout_percent;
  struct {
    unsigned x, y, z;
  } cluster;
};

struct LaunchAttribute {
  int id;
  char padding[4];
  LaunchAttributeValue value;
};
inline constexpr int attribute_cooperative = 2;
inline constexpr int attribute_cluster = 4;
inline constexpr int attribute_carveout = 14;

struct LaunchConfig {  // cudaLaunchConfig_t
  Dim3 grid;
  Dim3 block;
  std::size_t shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

struct DriverLaunchConfig {  // CUlaunchConfig
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

struct KernelNodeParameters {  // cudaKernelNodeParams
  void* function;
  Dim3 grid;
  Dim3 block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
};

struct MemsetParameters {  // cudaMemsetParams
  void* destination;
  std::size_t pitch;
  unsigned value;
  unsigned element_bytes;
  std::size_t width;
  std::size_t height;
};

struct MemAllocNodeParameters {  // cudaMemAllocNodeParams
  char pool_and_access[104];
  std::size_t bytes;
  void* pointer;
};

using HostFunction = void (*)(void*);
struct HostNodeParameters {
  HostFunction function;
  void* data;
};

// What nvcc leaves in a program for each translation unit.
struct FatbinWrapper {
  static constexpr int expected_magic = 0x466243b1;
  int magic;
  int version;
  const void* fatbin;
  void* linked;
};

inline constexpr int memcpy_host_to_host = 0;
inline constexpr int memcpy_host_to_device = 1;
inline constexpr int memcpy_device_to_host = 2;
inline constexpr int memcpy_device_to_device = 3;
inline constexpr int memcpy_default = 4;

inline constexpr int node_kernel = 0;
inline constexpr int node_memcpy = 1;
inline constexpr int node_memset = 2;
inline constexpr int node_host = 3;
inline constexpr int node_graph = 4;
inline constexpr int node_empty = 5;
inline constexpr int node_wait_event = 6;
inline constexpr int node_event_record = 7;
inline constexpr int node_mem_alloc = 10;
inline constexpr int node_mem_free = 11;

}  // namespace warpgauge::cuda::abi
