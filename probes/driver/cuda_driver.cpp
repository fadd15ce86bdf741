#include "probes/driver/cuda_driver.h"

#include <dlfcn.h>

#include "probes/target.h"

namespace warpgauge::probes::driver {
namespace {

template <typename F>
void bind(void* library, const char* name, F& function, bool required = true) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr && required) {
    throw TargetError(std::string("the NVIDIA driver's library lacks ") + name + "; update the driver");
  }
  function = reinterpret_cast<F>(symbol);
}

}  // namespace

std::shared_ptr<const Driver> Driver::load(const std::string& name) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw TargetError("no NVIDIA driver on this machine: " + name +
                      " cannot be loaded; run the probes where a GPU is, or with --target model");
  }
  auto driver = std::make_shared<Driver>();
#define WARPGAUGE_BIND(function) bind(library, #function, driver->function)
  WARPGAUGE_BIND(cuInit);
  WARPGAUGE_BIND(cuDriverGetVersion);
  WARPGAUGE_BIND(cuGetErrorName);
  WARPGAUGE_BIND(cuGetErrorString);
  WARPGAUGE_BIND(cuDeviceGetCount);
  WARPGAUGE_BIND(cuDeviceGet);
  WARPGAUGE_BIND(cuDeviceGetName);
  WARPGAUGE_BIND(cuDeviceGetUuid);
  WARPGAUGE_BIND(cuDeviceGetAttribute);
  WARPGAUGE_BIND(cuDeviceTotalMem_v2);
  WARPGAUGE_BIND(cuDevicePrimaryCtxRetain);
  WARPGAUGE_BIND(cuDevicePrimaryCtxRelease_v2);
  WARPGAUGE_BIND(cuCtxSetCurrent);
  WARPGAUGE_BIND(cuModuleLoadData);
  WARPGAUGE_BIND(cuModuleUnload);
  WARPGAUGE_BIND(cuModuleGetFunction);
  WARPGAUGE_BIND(cuModuleGetGlobal_v2);
  WARPGAUGE_BIND(cuFuncSetAttribute);
  WARPGAUGE_BIND(cuFuncGetAttribute);
  WARPGAUGE_BIND(cuMemAlloc_v2);
  WARPGAUGE_BIND(cuMemFree_v2);
  WARPGAUGE_BIND(cuMemcpyHtoD_v2);
  WARPGAUGE_BIND(cuMemcpyDtoH_v2);
  WARPGAUGE_BIND(cuMemsetD8_v2);
  WARPGAUGE_BIND(cuLaunchKernel);
  WARPGAUGE_BIND(cuStreamCreate);
  WARPGAUGE_BIND(cuStreamDestroy_v2);
  WARPGAUGE_BIND(cuStreamSynchronize);
  WARPGAUGE_BIND(cuEventCreate);
  WARPGAUGE_BIND(cuEventDestroy_v2);
  WARPGAUGE_BIND(cuEventRecord);
  WARPGAUGE_BIND(cuEventQuery);
  WARPGAUGE_BIND(cuEventElapsedTime);
  WARPGAUGE_BIND(cuTexObjectCreate);
  WARPGAUGE_BIND(cuTexObjectDestroy);
  WARPGAUGE_BIND(cuMemHostAlloc);
  WARPGAUGE_BIND(cuMemFreeHost);
  WARPGAUGE_BIND(cuMemcpyHtoDAsync_v2);
  WARPGAUGE_BIND(cuMemcpyDtoHAsync_v2);
  WARPGAUGE_BIND(cuMemcpyPeerAsync);
  WARPGAUGE_BIND(cuDeviceCanAccessPeer);
  WARPGAUGE_BIND(cuCtxEnablePeerAccess);
  WARPGAUGE_BIND(cuProfilerStart);
  WARPGAUGE_BIND(cuProfilerStop);
#undef WARPGAUGE_BIND
  bind(library, "cuLaunchKernelEx", driver->cuLaunchKernelEx, false);
  bind(library, "cuMemGetAllocationGranularity", driver->cuMemGetAllocationGranularity, false);
  bind(library, "cuMemCreate", driver->cuMemCreate, false);
  bind(library, "cuMemAddressReserve", driver->cuMemAddressReserve, false);
  bind(library, "cuMemMap", driver->cuMemMap, false);
  bind(library, "cuMemSetAccess", driver->cuMemSetAccess, false);
  return driver;
}

void Driver::check(Result result, const std::string& what) const {
  if (result == success) return;
  const char* name = nullptr;
  const char* text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  throw TargetError(what + ": " + (name != nullptr ? name : "error " + std::to_string(result)) +
                    (text != nullptr ? std::string(" (") + text + ")" : ""));
}

}  // namespace warpgauge::probes::driver
