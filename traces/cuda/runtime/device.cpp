// Devices, their attributes, limits, errors and functions' attributes.
#include <dlfcn.h>

#include <cstring>

#include "traces/cuda/abi.h"
#include "traces/cuda/attributes.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"
#include "traces/cuda/program.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Device;
using warpgauge::cuda::Error;
using warpgauge::cuda::Function;
using warpgauge::cuda::guarded;
using warpgauge::cuda::Program;
using warpgauge::cuda::require;
namespace abi = warpgauge::cuda::abi;

namespace {

constexpr int function_max_dynamic_shared = 8;
constexpr int function_carveout = 9;

int check_device(int device) {
  return guarded([&](Context&) { require(device == 0, Error::invalid_device); });
}

}  // namespace

extern "C" {

int cudaGetDeviceCount(int* count) {
  *count = 1;
  return 0;
}
int cudaGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cudaSetDevice(int device) {
  return check_device(device);
}
int cudaInitDevice(int device, unsigned, unsigned) {
  return check_device(device);
}
int cudaSetValidDevices(int*, int) {
  return 0;
}
int cudaChooseDevice(int* device, const void*) {
  return cudaGetDevice(device);
}
int cudaSetDeviceFlags(unsigned) {
  return 0;
}
int cudaGetDeviceFlags(unsigned* flags) {
  *flags = 0;
  return 0;
}
int cudaDeviceSynchronize() {
  return guarded([](Context& context) { context.finish_all(); });
}
int cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
int cudaThreadExit() {
  return 0;
}
// Memory and modules stay: a program that goes on after a reset finds a device as good as new.
int cudaDeviceReset() {
  return cudaDeviceSynchronize();
}
int cudaDeviceSetCacheConfig(int config) {
  return guarded([&](Context& context) { context.cache_config = warpgauge::cuda::cache_config(config); });
}
int cudaDeviceGetCacheConfig(int* config) {
  return guarded([&](Context& context) { *config = static_cast<int>(context.cache_config); });
}
int cudaDeviceSetSharedMemConfig(int) {
  return 0;
}
int cudaDeviceGetSharedMemConfig(int* config) {
  *config = 1;
  return 0;
}
int cudaDeviceSetLimit(int limit, std::size_t value) {
  return guarded([&](Context& context) { warpgauge::cuda::set_limit(context, limit, value); });
}
int cudaDeviceGetLimit(std::size_t* value, int limit) {
  return guarded([&](Context& context) { *value = warpgauge::cuda::limit(context, limit); });
}
int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return 0;
}
int cudaDeviceGetAttribute(int* value, int number, int device) {
  return guarded([&](Context& context) {
    require(device == 0, Error::invalid_device);
    const auto found = warpgauge::cuda::attribute(context.device(), number);
    require(found.has_value(), Error::invalid_value);
    *value = *found;
  });
}
int cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return 0;
}
int cudaDeviceEnablePeerAccess(int, unsigned) {
  return check_device(1);
}
int cudaDeviceDisablePeerAccess(int) {
  return check_device(1);
}
int cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return guarded([&](Context&) {
    require(device == 0, Error::invalid_device);
    warpgauge::cuda::give_text(id, length, "0000:01:00.0");
  });
}
int cudaDeviceGetByPCIBusId(int* device, const char*) {
  return cudaGetDevice(device);
}

int cudaDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cudaRuntimeGetVersion(int* version) {
  *version = WARPGAUGE_CUDART_VERSION;
  return 0;
}

int cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                     unsigned long long flags, int* status) {
  *function = nullptr;
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY);
  using Lookup = int (*)(const char*, void**, int, unsigned long long, int*);
  const auto lookup =
      driver == nullptr ? nullptr : reinterpret_cast<Lookup>(dlsym(driver, "cuGetProcAddress_v2"));
  int found = 1;
  if (lookup != nullptr) lookup(name, function, static_cast<int>(version), flags, &found);
  if (status != nullptr) *status = found;
  return 0;
}
int cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags, int* status) {
  return cudaGetDriverEntryPointByVersion(name, function, WARPGAUGE_CUDART_VERSION, flags, status);
}
abi::ChannelDescriptor cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

int cudaGetLastError() {
  const int code = warpgauge::cuda::last_error();
  warpgauge::cuda::last_error() = static_cast<int>(Context::instance().sticky_error());
  return code;
}
int cudaPeekAtLastError() {
  return warpgauge::cuda::last_error();
}
const char* cudaGetErrorName(int code) {
  const char* const text = warpgauge::cuda::runtime_name(code);
  return text == nullptr ? "unrecognized error code" : text;
}
const char* cudaGetErrorString(int code) {
  const char* const text = warpgauge::cuda::describe(code);
  return text == nullptr ? "unrecognized error code" : text;
}

int cudaFuncGetAttributes(abi::FunctionAttributes* attributes, const void* host) {
  return guarded([&](Context& context) {
    const Function& function = *Program::instance().function(context, host);
    const auto& kernel = *function.kernel;
    // Later versions append fields about clusters, all zero here, and reserved ones.
    constexpr std::size_t struct_bytes = WARPGAUGE_CUDART_VERSION < 12000 ? sizeof *attributes : 144;
    std::memset(static_cast<void*>(attributes), 0, struct_bytes);
    attributes->shared_bytes = kernel.user_shared_bytes();
    const auto constants = function.module->loaded().constant_banks.find(3);
    attributes->constant_bytes =
        constants == function.module->loaded().constant_banks.end() ? 0 : constants->second.size();
    attributes->local_bytes = kernel.local_bytes();
    attributes->max_threads_per_block = static_cast<int>(
        kernel.max_threads[0] != 0 ? kernel.max_threads[0] * kernel.max_threads[1] * kernel.max_threads[2]
                                   : context.device().max_threads_per_block);
    attributes->registers = static_cast<int>(kernel.registers);
    attributes->ptx_version = attributes->binary_version = static_cast<int>(kernel.architecture);
    attributes->max_dynamic_shared_bytes =
        static_cast<int>(context.device().shared_per_block - kernel.user_shared_bytes());
    attributes->preferred_carveout = function.carveout_percent;
  });
}
int cudaFuncSetAttribute(const void* host, int attribute, int value) {
  return guarded([&](Context& context) {
    Function& function = *Program::instance().function(context, host);
    if (attribute == function_max_dynamic_shared) {
      warpgauge::cuda::allow_dynamic_shared(context, function, value);
    } else if (!warpgauge::cuda::set_cluster_attribute(function, attribute, value)) {
      require(attribute == function_carveout, Error::invalid_value);
      warpgauge::cuda::set_carveout(function, value);
    }
  });
}
int cudaFuncSetCacheConfig(const void* host, int config) {
  return guarded([&](Context& context) {
    Program::instance().function(context, host)->cache_config = warpgauge::cuda::cache_config(config);
  });
}
int cudaFuncSetSharedMemConfig(const void*, int) {
  return 0;
}
int cudaFuncGetName(const char** name, const void* host) {
  return guarded(
      [&](Context& context) { *name = Program::instance().function(context, host)->kernel->name.c_str(); });
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host, int block_threads,
                                                           std::size_t shared_bytes, unsigned) {
  return guarded([&](Context& context) {
    const Function& function = *Program::instance().function(context, host);
    *blocks = context.occupancy(function, block_threads, shared_bytes).blocks_per_sm;
  });
}
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int block_threads,
                                                  std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, block_threads, shared_bytes, 0);
}
int cudaOccupancyMaxActiveClusters(int* clusters, const void* host, const abi::LaunchConfig* config) {
  return guarded([&](Context& context) {
    const Function& function = *Program::instance().function(context, host);
    const auto wishes = warpgauge::cuda::launch_wishes({config->attributes, config->attribute_count});
    const auto threads = static_cast<int>(config->block.x * config->block.y * config->block.z);
    *clusters = context.most_clusters(function, wishes.cluster.value_or(warpgauge::traces::Dim3{}), threads, config->shared_bytes);
  });
}
int cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* host, const abi::LaunchConfig*) {
  return guarded([&](Context& context) {
    *blocks = static_cast<int>(Program::instance().function(context, host)->most_cluster_blocks());
  });
}
int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* host, int, int) {
  return guarded([&](Context& context) {
    *bytes = context.device().shared_per_block -
             Program::instance().function(context, host)->kernel->user_shared_bytes();
  });
}

// Profilers are told nothing; what is measured here is chosen on the command line.
int cudaProfilerStart() {
  return 0;
}
int cudaProfilerStop() {
  return 0;
}
int cudaCtxResetPersistingL2Cache() {
  return 0;
}

}  // extern "C"
