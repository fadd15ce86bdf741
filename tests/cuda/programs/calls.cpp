// A program for `warpgauge run`, on the driver interface: what its first argument says.
//   print    a kernel whose lanes print, of the cubin that the second argument names
//   host     saxpy of the cubin that the second argument names, on 65,536 elements of pinned memory of the host
//   device   the same on memory of the device
#include "tests/cuda/programs/driver_call.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void launch(void* driver, void* kernel, unsigned blocks, unsigned threads, void** arguments) {
  call(driver, "cuLaunchKernel", kernel, blocks, 1U, 1U, threads, 1U, 1U, 0U, static_cast<void*>(nullptr), arguments,
       static_cast<void**>(nullptr));
  call(driver, "cuCtxSynchronize");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 101;
  const std::string what = argv[1];
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return 102;
  call(driver, "cuInit", 0U);
  void* module = nullptr;
  void* kernel = nullptr;
  call(driver, "cuModuleLoad", &module, static_cast<const char*>(argv[2]));
  constexpr std::size_t bytes = 65'536 * sizeof(float);
  unsigned long long device = 0;
  call(driver, "cuMemAlloc_v2", &device, bytes);
  if (what == "print") {
    call(driver, "cuModuleGetFunction", &kernel, module, "prints");
    int n = 3;
    void* arguments[] = {&device, &n};
    launch(driver, kernel, 1, 32, arguments);
    return 0;
  }
  call(driver, "cuModuleGetFunction", &kernel, module, "saxpy");
  void* host = nullptr;
  call(driver, "cuMemAllocHost_v2", &host, bytes);
  unsigned long long data = device;
  if (what == "host") call(driver, "cuMemHostGetDevicePointer_v2", &data, host, 0U);
  int n = 65'536;
  float a = 2;
  void* arguments[] = {&n, &a, &data, &data};
  launch(driver, kernel, 256, 256, arguments);
  return 0;
}
