// cudaGetDeviceProperties: the struct's layout is another in each major version of the runtime.
#include <cstring>
#include <initializer_list>

#include "traces/cuda/attributes.h"
#include "traces/cuda/guard.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Device;
using warpgauge::cuda::Error;
using warpgauge::cuda::guarded;
using warpgauge::cuda::require;

namespace {

// Writes fields one after the other, as a C compiler lays a struct out.
class Layout {
 public:
  Layout(void* out, const Device& device) : at_(static_cast<char*>(out)), start_(at_), device_(device) {}

  void text(std::size_t bytes, const std::string& value) {
    std::memset(at_, 0, bytes);
    std::memcpy(at_, value.data(), std::min(bytes - 1, value.size()));
    at_ += bytes;
  }
  void size(std::uint64_t value) { put(value, 8); }
  void number(int value) { put(static_cast<std::uint32_t>(value), 4); }
  void attribute(int which) { number(warpgauge::cuda::attribute(device_, which).value_or(0)); }
  void attributes(std::initializer_list<int> which) {
    for (const int w : which) attribute(w);
  }
  void zeros(unsigned count) {
    for (unsigned i = 0; i < count; ++i) number(0);
  }

 private:
  void put(std::uint64_t value, std::size_t bytes) {
    const std::size_t offset = static_cast<std::size_t>(at_ - start_);
    at_ += (bytes - offset % bytes) % bytes;
    std::memcpy(at_, &value, bytes);
    at_ += bytes;
  }

  char* at_;
  char* start_;
  const Device& device_;
};

// Fields in the order of CUDA's public header; `with_clocks` are those that CUDA 13 dropped, `extended` those
// that came with CUDA 12.
void write_properties(void* out, const Device& d, bool with_clocks, bool extended) {
  Layout to(out, d);
  to.text(256, d.name);
  to.text(16, "");  // uuid
  to.text(8, "");   // luid
  to.number(0);
  to.size(d.memory_bytes);
  to.size(d.shared_per_block);
  to.attributes({12, 10});
  to.size(0x7fffffff);
  to.attributes({1, 2, 3, 4, 5, 6, 7});
  if (with_clocks) to.attribute(13);
  to.size(65536);
  to.attributes({75, 76});
  to.size(512);
  to.size(32);
  if (with_clocks) to.number(1);  // deviceOverlap
  to.attribute(16);
  if (with_clocks) to.number(0);  // kernelExecTimeoutEnabled
  to.attributes({18, 19});
  if (with_clocks) to.number(0);  // computeMode
  // Texture and surface limits: 42 numbers, 43 before CUDA 13 (maxTexture1DLinear).
  constexpr unsigned texture_fields = 2 + 2 + 2 + 3 + 2 + 3 + 3 + 1 + 2 + 3 + 2 + 1 + 2 + 3 + 2 + 3 + 1 + 2;
  to.zeros(with_clocks ? texture_fields + 1 : texture_fields);
  to.size(512);  // surfaceAlignment
  to.attributes({31, 32, 33, 34, 50, 35, 40, 41});
  if (with_clocks) to.attribute(36);
  to.attributes({37, 38});
  to.number(0);  // persistingL2CacheMaxSize
  to.attributes({39, 78, 79, 80});
  to.size(d.shared_per_sm);
  to.attributes({82, 83, 84, 85, 86});
  if (with_clocks) to.attribute(87);
  to.attributes({88, 89, 90, 91, 95});
  if (with_clocks) to.number(0);  // cooperativeMultiDeviceLaunch
  to.size(d.shared_per_block_optin);
  to.attributes({100, 101, 106});
  to.number(0);  // accessPolicyMaxWindowSize
  to.size(d.shared_reserved_per_block);
  if (extended) {
    to.attributes({99});
    to.zeros(3);  // sparse arrays, read-only registration, timeline semaphores
    to.attribute(115);
    to.zeros(20);
  }
}

int properties(void* out, int device, bool with_clocks, bool extended) {
  return guarded([&](Context& context) {
    require(device == 0, Error::invalid_device);
    write_properties(out, context.device(), with_clocks, extended);
  });
}

}  // namespace

extern "C" {

int cudaGetDeviceProperties(void* out, int device) {
  constexpr bool with_clocks = WARPGAUGE_CUDART_VERSION < 13000;
  return properties(out, device, with_clocks, !with_clocks);
}
int cudaGetDeviceProperties_v2(void* out, int device) {
  return properties(out, device, true, true);
}

}  // extern "C"
