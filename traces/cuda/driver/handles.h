// The handles of the driver interface that are no objects of the context.
#pragma once

namespace warpgauge::cuda::driver {

using DevicePointer = unsigned long long;

inline void* pointer(DevicePointer address) {
  return reinterpret_cast<void*>(address);
}

// There is one context.
inline void* context_handle() {
  static int the_context;
  return &the_context;
}

}  // namespace warpgauge::cuda::driver
