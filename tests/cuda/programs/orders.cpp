// A program for `warpgauge run`: work in several streams whose result depends on their order. Its argument is saxpy's
// cubin: y = a x + y. Says "orders kept", or what was not.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void* driver = nullptr;

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  void* const function = dlsym(driver, name);
  const int code = function == nullptr ? -1 : reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
  if (code != 0) {
    std::printf("%s gave %d\n", name, code);
    std::exit(100);
  }
}

using Address = unsigned long long;
constexpr int elements = 4096;
constexpr std::size_t bytes = elements * sizeof(float);

void* saxpy = nullptr;

Address buffer(float value) {
  Address made = 0;
  call("cuMemAlloc_v2", &made, bytes);
  const std::vector<float> values(elements, value);
  call("cuMemcpyHtoD_v2", made, static_cast<const void*>(values.data()), bytes);
  return made;
}

void add(float a, Address x, Address y, void* stream) {
  int n = elements;
  void* arguments[] = {&n, &a, &x, &y};
  call("cuLaunchKernel", saxpy, elements / 128U, 1U, 1U, 128U, 1U, 1U, 0U, stream, static_cast<void**>(arguments),
       static_cast<void**>(nullptr));
}

void expect(const char* what, Address at, float value) {
  std::vector<float> values(elements);
  call("cuMemcpyDtoH_v2", static_cast<void*>(values.data()), at, bytes);
  for (const float each : values) {
    if (each == value) continue;
    std::printf("%s: %g instead of %g\n", what, static_cast<double>(each), static_cast<double>(value));
    std::exit(1);
  }
}

void* stream_of(unsigned flags) {
  void* made = nullptr;
  call("cuStreamCreate", &made, flags);
  return made;
}

void* event() {
  void* made = nullptr;
  call("cuEventCreate", &made, 0U);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 101;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return 102;
  call("cuInit", 0U);
  void* module = nullptr;
  call("cuModuleLoad", &module, static_cast<const char*>(argv[1]));
  call("cuModuleGetFunction", &saxpy, module, "saxpy");
  constexpr unsigned non_blocking = 1;
  void* const first = stream_of(non_blocking);
  void* const second = stream_of(non_blocking);

  // A stream keeps its order, an event makes another one wait.
  const Address one = buffer(1);
  const Address y = buffer(0);
  const Address z = buffer(0);
  void* const begin = event();
  void* const done = event();
  call("cuEventRecord", begin, first);
  for (int i = 0; i < 3; ++i) add(2, one, y, first);
  call("cuEventRecord", done, first);
  call("cuStreamWaitEvent", second, done, 0U);
  add(1, y, z, second);
  call("cuStreamSynchronize", second);
  expect("behind an event", z, 6);
  float milliseconds = 0;
  call("cuEventElapsedTime", &milliseconds, begin, done);
  if (milliseconds < 0) return std::printf("time ran backwards between events\n"), 1;

  // What the host gives is read when it gives it.
  std::vector<float> given(elements, 5);
  add(1, one, y, first);  // 7
  call("cuMemcpyHtoDAsync_v2", z, static_cast<const void*>(given.data()), bytes, first);
  given.assign(elements, -1);
  add(1, z, y, first);  // 12
  call("cuMemsetD32Async", z, 0U, static_cast<std::size_t>(elements), first);
  add(3, y, z, first);  // 36
  call("cuStreamSynchronize", first);
  expect("given by the host", y, 12);
  expect("filled", z, 36);

  // The legacy default stream waits for blocking streams, and they for it.
  void* const blocking = stream_of(0);
  const Address u = buffer(0);
  const Address v = buffer(0);
  add(1, one, u, blocking);  // u 1
  add(2, u, v, nullptr);     // v 2
  add(4, v, u, blocking);    // u 9
  call("cuStreamDestroy_v2", blocking);
  add(1, u, v, nullptr);  // v 11
  call("cuCtxSynchronize");
  expect("around the default stream", v, 11);

  // A function of the host sees what is before it and nothing behind it.
  static Address seen = 0;
  static float value = 0;
  seen = u;
  void (*const look)(void*) = [](void*) { value = *reinterpret_cast<const float*>(seen); };
  add(1, one, u, first);  // 10
  call("cuLaunchHostFunc", first, look, static_cast<void*>(nullptr));
  add(1, one, u, first);
  call("cuStreamSynchronize", first);
  if (value != 10) return std::printf("the host's function saw %g\n", static_cast<double>(value)), 1;

  // Nothing orders these.
  const Address p = buffer(0);
  const Address q = buffer(0);
  for (int i = 0; i < 4; ++i) {
    add(1, one, p, first);
    add(2, one, q, second);
  }
  call("cuCtxSynchronize");
  expect("one of two", p, 4);
  expect("the other", q, 8);
  std::printf("orders kept\n");
  return 0;
}
