// Modules, functions and launches.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "traces/cuda/abi.h"
#include "traces/cuda/driver/handles.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Error;
using warpgauge::cuda::Function;
using warpgauge::cuda::guarded;
using warpgauge::cuda::Module;
using warpgauge::cuda::require;
using warpgauge::cuda::driver::DevicePointer;
namespace abi = warpgauge::cuda::abi;

namespace {

bool is_elf(const std::byte* bytes) {
  return std::memcmp(bytes,
                     "\x7f"
                     "ELF",
                     4) == 0;
}

template <class T>
T read_at(const std::byte* bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

// The interface passes images without their length: it stands in their headers.
std::span<const std::byte> image_bytes(const void* image) {
  require(image != nullptr, Error::invalid_value);
  const auto* bytes = static_cast<const std::byte*>(image);
  if (is_elf(bytes)) {
    const auto sections = read_at<std::uint64_t>(bytes, 0x28);
    const auto entry_bytes = read_at<std::uint16_t>(bytes, 0x3a);
    const auto count = read_at<std::uint16_t>(bytes, 0x3c);
    std::uint64_t end = sections + std::uint64_t{entry_bytes} * count;
    const auto segments = read_at<std::uint64_t>(bytes, 0x20);
    if (segments != 0) {
      end = std::max(end, segments + std::uint64_t{read_at<std::uint16_t>(bytes, 0x36)} *
                                         read_at<std::uint16_t>(bytes, 0x38));
    }
    return {bytes, end};
  }
  constexpr std::uint32_t fatbin_magic = 0xba55ed50;
  if (read_at<std::uint32_t>(bytes, 0) == fatbin_magic) {
    return {bytes, read_at<std::uint16_t>(bytes, 6) + read_at<std::uint64_t>(bytes, 8)};
  }
  const auto* wrapper = static_cast<const abi::FatbinWrapper*>(image);
  if (wrapper->magic == abi::FatbinWrapper::expected_magic) return image_bytes(wrapper->fatbin);
  throw warpgauge::cuda::Failure{Error::invalid_kernel_image};  // PTX, or nothing that is known
}

int launch(void* function_handle, warpgauge::traces::Dim3 grid, warpgauge::traces::Dim3 block,
           unsigned shared_bytes, void* stream, void** arguments, void** extra, bool cooperative,
           const warpgauge::cuda::LaunchWishes& wishes = {}) {
  const int code = guarded([&](Context& context) {
    Function function = *context.checked_function(function_handle);
    warpgauge::cuda::set_wishes(function, wishes);
    if (extra == nullptr) {
      context.launch(function, grid, block, shared_bytes, arguments, context.stream(stream), cooperative);
      return;
    }
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    constexpr std::uintptr_t end = 0;
    constexpr std::uintptr_t buffer_pointer = 1;
    constexpr std::uintptr_t buffer_size = 2;
    for (std::size_t i = 0; reinterpret_cast<std::uintptr_t>(extra[i]) != end; i += 2) {
      const auto key = reinterpret_cast<std::uintptr_t>(extra[i]);
      if (key == buffer_pointer) buffer = extra[i + 1];
      if (key == buffer_size) bytes = *static_cast<std::size_t*>(extra[i + 1]);
    }
    std::vector<std::byte> parameters(function.kernel->parameter_bytes);
    require(bytes <= parameters.size(), Error::invalid_value);
    if (bytes != 0) std::memcpy(parameters.data(), buffer, bytes);
    context.launch_block(function, grid, block, shared_bytes, std::move(parameters), context.stream(stream),
                         cooperative);
  });
  // An impossible shape has no code of its own in this interface.
  return code == static_cast<int>(Error::invalid_configuration) ? static_cast<int>(Error::invalid_value)
                                                                : code;
}

}  // namespace

extern "C" {

int cuModuleLoadData(void** module, const void* image) {
  return guarded([&](Context& context) { *module = context.load_module(image_bytes(image)); });
}
int cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
  return cuModuleLoadData(module, image);
}
int cuModuleLoadFatBinary(void** module, const void* image) {
  return cuModuleLoadData(module, image);
}
int cuModuleLoad(void** module, const char* path) {
  return guarded([&](Context& context) {
    std::ifstream in(path, std::ios::binary);
    require(static_cast<bool>(in), Error::file_not_found);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    *module = context.load_module(std::as_bytes(std::span(bytes)));
  });
}
int cuModuleUnload(void* module) {
  return guarded([&](Context& context) {
    context.finish_all();
    context.unload_module(static_cast<Module*>(module));
  });
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  return guarded(
      [&](Context& context) { *function = context.function(*static_cast<Module*>(module), name); });
}
int cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, void* module, const char* name) {
  return guarded([&](Context& context) {
    const auto& variable = context.variable(*static_cast<Module*>(module), name);
    if (address != nullptr) *address = variable.address;
    if (bytes != nullptr) *bytes = variable.size;
  });
}
int cuModuleGetLoadingMode(int* mode) {
  *mode = 1;
  return 0;
}
int cuLibraryLoadData(void** library, const void* image, int*, void**, unsigned, int*, void**, unsigned) {
  return cuModuleLoadData(library, image);
}
int cuLibraryUnload(void* library) {
  return cuModuleUnload(library);
}
int cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  return cuModuleGetFunction(kernel, library, name);
}
int cuLibraryGetModule(void** module, void* library) {
  *module = library;
  return 0;
}
int cuLibraryGetGlobal(DevicePointer* address, std::size_t* bytes, void* library, const char* name) {
  return cuModuleGetGlobal_v2(address, bytes, library, name);
}
int cuKernelGetFunction(void** function, void* kernel) {
  *function = kernel;
  return 0;
}

int cuFuncGetAttribute(int* value, int number, void* handle) {
  return guarded([&](Context& context) {
    const Function& function = *context.checked_function(handle);
    const auto& kernel = *function.kernel;
    switch (number) {
      case 0:
        *value = static_cast<int>(context.device().max_threads_per_block);
        break;
      case 1:
        *value = static_cast<int>(kernel.user_shared_bytes());
        break;
      case 2:
        *value = 0;
        break;
      case 3:
        *value = static_cast<int>(kernel.local_bytes());
        break;
      case 4:
        *value = static_cast<int>(kernel.registers);
        break;
      case 5:
      case 6:
        *value = static_cast<int>(kernel.architecture);
        break;
      case 7:
        *value = 0;
        break;
      case 8:
        *value = static_cast<int>(function.max_dynamic_shared_bytes);
        break;
      case 9:
        *value = function.carveout_percent;
        break;
      default:
        require(number <= 15, Error::invalid_value);
        *value = warpgauge::cuda::cluster_attribute(function, number);
    }
  });
}
int cuFuncSetAttribute(void* handle, int number, int value) {
  return guarded([&](Context& context) {
    constexpr int max_dynamic_shared = 8;
    constexpr int preferred_carveout = 9;
    Function& function = *context.checked_function(handle);
    if (number == max_dynamic_shared) warpgauge::cuda::allow_dynamic_shared(context, function, value);
    if (number == preferred_carveout) warpgauge::cuda::set_carveout(function, value);
    warpgauge::cuda::set_cluster_attribute(function, number, value);
  });
}
int cuFuncSetCacheConfig(void* handle, int config) {
  return guarded([&](Context& context) {
    context.checked_function(handle)->cache_config = warpgauge::cuda::cache_config(config);
  });
}
int cuFuncGetModule(void** module, void* handle) {
  return guarded([&](Context& context) { *module = context.checked_function(handle)->module; });
}
int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void* handle, int threads,
                                                         std::size_t shared_bytes, unsigned) {
  return guarded([&](Context& context) {
    *blocks = context.occupancy(*context.checked_function(handle), threads, shared_bytes).blocks_per_sm;
  });
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* handle, int threads,
                                                std::size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, threads, shared_bytes, 0);
}

int cuOccupancyMaxActiveClusters(int* clusters, void* handle, const abi::DriverLaunchConfig* c) {
  return guarded([&](Context& context) {
    const auto wishes = warpgauge::cuda::launch_wishes({c->attributes, c->attribute_count});
    const auto threads = static_cast<int>(c->block_x * c->block_y * c->block_z);
    *clusters = context.most_clusters(*context.checked_function(handle), wishes.cluster.value_or(warpgauge::traces::Dim3{}), threads, c->shared_bytes);
  });
}
int cuOccupancyMaxPotentialClusterSize(int* blocks, void* handle, const abi::DriverLaunchConfig*) {
  return guarded([&](Context& context) { *blocks = static_cast<int>(context.checked_function(handle)->most_cluster_blocks()); });
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** arguments,
                   void** extra) {
  return launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream,
                arguments, extra, false);
}
int cuLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                              void* stream, void** arguments) {
  return launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream,
                arguments, nullptr, true);
}
int cuLaunchKernelEx(const abi::DriverLaunchConfig* c, void* function, void** arguments, void** extra) {
  const auto wishes = warpgauge::cuda::launch_wishes({c->attributes, c->attribute_count});
  return launch(function, {c->grid_x, c->grid_y, c->grid_z}, {c->block_x, c->block_y, c->block_z},
                c->shared_bytes, c->stream, arguments, extra, wishes.cooperative, wishes);
}

}  // extern "C"
