// A program for `warpgauge run`: finds the driver by its name, as any program does, and launches saxpy as
// often as its second argument says, with 32 elements more each time. Ends with its third argument. The
// fourth is how many bytes are allocated, if it is not a MiB. Further ones set the kernel up: aN its preferred carve-out to N
// percent, cN its cache configuration to N.
#include "tests/cuda/programs/driver_call.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 4) return 101;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return 102;
  call(driver, "cuInit", 0U);
  void* module = nullptr;
  void* saxpy = nullptr;
  unsigned long long data = 0;
  call(driver, "cuModuleLoad", &module, static_cast<const char*>(argv[1]));
  call(driver, "cuModuleGetFunction", &saxpy, module, "saxpy");
  call(driver, "cuMemAlloc_v2", &data,
       argc > 4 ? static_cast<std::size_t>(std::atoll(argv[4])) : std::size_t{1} << 20);
  constexpr int preferred_carveout = 9;
  for (int i = 5; i < argc; ++i) {
    const int value = std::atoi(argv[i] + 1);
    if (argv[i][0] == 'a') call(driver, "cuFuncSetAttribute", saxpy, preferred_carveout, value);
    if (argv[i][0] == 'c') call(driver, "cuFuncSetCacheConfig", saxpy, value);
  }
  const int launches = std::atoi(argv[2]);
  for (int i = 0; i < launches; ++i) {
    int n = 32 * (i + 1);
    float a = 2;
    void* arguments[] = {&n, &a, &data, &data};
    call(driver, "cuLaunchKernel", saxpy, static_cast<unsigned>(i + 1), 1U, 1U, 32U, 1U, 1U, 0U,
         static_cast<void*>(nullptr), static_cast<void**>(arguments), static_cast<void**>(nullptr));
  }
  call(driver, "cuCtxSynchronize");
  std::printf("launched %d\n", launches);
  return std::atoi(argv[3]);
}
