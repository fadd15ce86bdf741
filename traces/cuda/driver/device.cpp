// Devices, contexts, errors and the entry points by name.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "traces/cuda/attributes.h"
#include "traces/cuda/driver/handles.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Error;
using warpgauge::cuda::guarded;
using warpgauge::cuda::require;

extern "C" {

int cuInit(unsigned) {
  return guarded([](Context&) {});
}
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  return guarded([&](Context&) {
    require(ordinal == 0, Error::invalid_device);
    *device = 0;
  });
}
int cuDeviceGetName(char* name, int length, int) {
  return guarded(
      [&](Context& context) { warpgauge::cuda::give_text(name, length, context.device().name.c_str()); });
}
int cuDeviceGetUuid(void* uuid, int) {
  std::memset(uuid, 0, 16);
  return 0;
}
int cuDeviceGetUuid_v2(void* uuid, int device) {
  return cuDeviceGetUuid(uuid, device);
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  return guarded([&](Context& context) { *bytes = context.memory().capacity(); });
}
int cuDeviceGetAttribute(int* value, int number, int) {
  return guarded([&](Context& context) {
    const auto found = warpgauge::cuda::attribute(context.device(), number);
    require(found.has_value(), Error::invalid_value);
    *value = *found;
  });
}
int cuDeviceComputeCapability(int* major, int* minor, int) {
  return guarded([&](Context& context) {
    *major = context.device().major;
    *minor = context.device().minor;
  });
}
int cuDeviceGetPCIBusId(char* id, int length, int) {
  return guarded([&](Context&) { warpgauge::cuda::give_text(id, length, "0000:01:00.0"); });
}
int cuDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return 0;
}

int cuCtxCreate_v2(void** context, unsigned, int) {
  *context = warpgauge::cuda::driver::context_handle();
  return 0;
}
int cuCtxCreate_v3(void** context, void*, int, unsigned, int) {
  return cuCtxCreate_v2(context, 0, 0);
}
int cuCtxCreate_v4(void** context, void*, unsigned, int) {
  return cuCtxCreate_v2(context, 0, 0);
}
int cuCtxDestroy_v2(void*) {
  return 0;
}
int cuCtxGetCurrent(void** context) {
  return cuCtxCreate_v2(context, 0, 0);
}
int cuCtxSetCurrent(void*) {
  return 0;
}
int cuCtxPushCurrent_v2(void*) {
  return 0;
}
int cuCtxPopCurrent_v2(void** context) {
  return context == nullptr ? 0 : cuCtxCreate_v2(context, 0, 0);
}
int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cuCtxGetFlags(unsigned* flags) {
  *flags = 0;
  return 0;
}
int cuCtxGetApiVersion(void*, unsigned* version) {
  *version = 13000;
  return 0;
}
int cuCtxSynchronize() {
  return guarded([](Context& context) { context.finish_all(); });
}
int cuCtxSynchronize_v2(void*) {
  return cuCtxSynchronize();
}
int cuCtxGetDevice_v2(int* device, void*) {
  return cuCtxGetDevice(device);
}
int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return 0;
}
int cuCtxGetCacheConfig(int* config) {
  return guarded([&](Context& context) { *config = static_cast<int>(context.cache_config); });
}
int cuCtxGetLimit(std::size_t* value, int limit) {
  return guarded([&](Context& context) { *value = warpgauge::cuda::limit(context, limit); });
}
int cuCtxSetLimit(int limit, std::size_t value) {
  return guarded([&](Context& context) { warpgauge::cuda::set_limit(context, limit, value); });
}
int cuCtxSetCacheConfig(int config) {
  return guarded([&](Context& context) { context.cache_config = warpgauge::cuda::cache_config(config); });
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  return cuCtxCreate_v2(context, 0, 0);
}
int cuDevicePrimaryCtxRelease_v2(int) {
  return 0;
}
int cuDevicePrimaryCtxReset_v2(int) {
  return 0;
}
int cuDevicePrimaryCtxSetFlags_v2(int, unsigned) {
  return 0;
}
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return 0;
}

int cuGetErrorName(int code, const char** text) {
  *text = warpgauge::cuda::driver_name(code);
  return *text == nullptr ? static_cast<int>(Error::invalid_value) : 0;
}
int cuGetErrorString(int code, const char** text) {
  *text = warpgauge::cuda::describe(code);
  return *text == nullptr ? static_cast<int>(Error::invalid_value) : 0;
}

int cuProfilerStart() {
  return 0;
}
int cuProfilerStop() {
  return 0;
}

// A name without its version suffix means the newest one that the version of the caller knows.
int cuGetProcAddress(const char* name, void** function, int version, unsigned long long) {
  void* const self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* const scope = self != nullptr ? self : RTLD_DEFAULT;
  // Those that take other arguments than their predecessors.
  constexpr std::string_view since_13[] = {"cuCtxCreate_v3", "cuCtxCreate_v4", "cuCtxSynchronize_v2",
                                           "cuCtxGetDevice_v2"};
  constexpr int version_13 = 13000;
  for (const char* suffix : {"_v4", "_v3", "_v2", ""}) {
    const std::string full = std::string(name) + suffix;
    const bool newer = std::find(std::begin(since_13), std::end(since_13), full) != std::end(since_13);
    if (newer && version < version_13) continue;
    *function = dlsym(scope, full.c_str());
    if (*function != nullptr) return 0;
  }
  warpgauge::cuda::unsupported(name);
  return static_cast<int>(Error::symbol_not_found);
}
int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags,
                        int* status) {
  const int code = cuGetProcAddress(name, function, version, flags);
  if (status != nullptr) *status = code == 0 ? 0 : 1;
  return code;
}

}  // extern "C"
