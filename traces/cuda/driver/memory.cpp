// Allocation, copies and fills.
#include <cstddef>

#include "traces/cuda/driver/handles.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Error;
using warpgauge::cuda::guarded;
using warpgauge::cuda::MemoryKind;
using warpgauge::cuda::require;
using warpgauge::cuda::driver::DevicePointer;
using warpgauge::cuda::driver::pointer;

namespace {

int allocate(DevicePointer* out, std::size_t bytes, MemoryKind kind) {
  return guarded([&](Context& context) {
    require(bytes != 0, Error::invalid_value);
    *out = reinterpret_cast<DevicePointer>(context.allocate(bytes, kind));
  });
}

int copy(void* destination, const void* source, std::size_t bytes, void* stream) {
  return guarded([&](Context& context) {
    warpgauge::cuda::submit(context, stream, warpgauge::cuda::copy(destination, source, bytes));
  });
}

// After a call that is not asynchronous, in the default stream, has been asked for.
int wait(int code) {
  return code != 0 ? code : guarded([](Context& context) { context.finish_stream(context.stream(nullptr)); });
}

int fill(DevicePointer destination, unsigned value, std::size_t element_bytes, std::size_t count,
         void* stream) {
  return guarded([&](Context& context) {
    warpgauge::cuda::submit(context, stream,
                            warpgauge::cuda::fill(pointer(destination), value, element_bytes, count));
  });
}

struct Copy2D {  // CUDA_MEMCPY2D
  std::size_t source_x, source_y;
  int source_type;
  const void* source_host;
  DevicePointer source_device;
  void* source_array;
  std::size_t source_pitch;
  std::size_t destination_x, destination_y;
  int destination_type;
  void* destination_host;
  DevicePointer destination_device;
  void* destination_array;
  std::size_t destination_pitch;
  std::size_t width, height;
};
constexpr int host_memory = 1;
constexpr int array_memory = 3;

int copy_2d(const Copy2D* c, void* stream) {
  if (c->source_type == array_memory || c->destination_type == array_memory) {
    return warpgauge::cuda::unsupported("cuMemcpy2D with an array");
  }
  const auto* from = static_cast<const std::byte*>(c->source_type == host_memory ? c->source_host
                                                                                 : pointer(c->source_device));
  auto* to = static_cast<std::byte*>(c->destination_type == host_memory ? c->destination_host
                                                                        : pointer(c->destination_device));
  const std::size_t from_pitch = c->source_pitch != 0 ? c->source_pitch : c->width + c->source_x;
  const std::size_t to_pitch = c->destination_pitch != 0 ? c->destination_pitch : c->width + c->destination_x;
  return guarded([&](Context& context) {
    require(c->height <= 1 || (c->width <= from_pitch && c->width <= to_pitch), Error::invalid_value);
    warpgauge::cuda::submit(
        context, stream,
        warpgauge::cuda::copy_rows(to + c->destination_y * to_pitch + c->destination_x, {to_pitch, 0},
                                   from + c->source_y * from_pitch + c->source_x, {from_pitch, 0},
                                   {c->width, c->height, 1}));
  });
}

}  // namespace

extern "C" {

int cuMemAlloc_v2(DevicePointer* out, std::size_t bytes) {
  return allocate(out, bytes, MemoryKind::device);
}
int cuMemAllocAsync(DevicePointer* out, std::size_t bytes, void* stream) {
  return guarded([&](Context& context) {
    require(bytes != 0, Error::invalid_value);
    *out = reinterpret_cast<DevicePointer>(warpgauge::cuda::allocate_in_order(context, bytes, stream));
  });
}
int cuMemAllocManaged(DevicePointer* out, std::size_t bytes, unsigned) {
  return allocate(out, bytes, MemoryKind::managed);
}
int cuMemAllocPitch_v2(DevicePointer* out, std::size_t* pitch, std::size_t width, std::size_t height,
                       unsigned) {
  *pitch = warpgauge::cuda::pitch_of(width);
  return allocate(out, *pitch * height, MemoryKind::device);
}
int cuMemFree_v2(DevicePointer address) {
  return guarded([&](Context& context) {
    context.finish_all();
    context.release(pointer(address));
  });
}
int cuMemFreeAsync(DevicePointer address, void* stream) {
  return guarded(
      [&](Context& context) { warpgauge::cuda::release_in_order(context, pointer(address), stream); });
}
int cuMemHostAlloc(void** out, std::size_t bytes, unsigned) {
  return guarded([&](Context& context) { *out = context.allocate(bytes, MemoryKind::host); });
}
int cuMemAllocHost_v2(void** out, std::size_t bytes) {
  return cuMemHostAlloc(out, bytes, 0);
}
int cuMemFreeHost(void* host) {
  return guarded([&](Context& context) {
    context.finish_all();
    context.release(host);
  });
}
int cuMemHostRegister_v2(void* host, std::size_t bytes, unsigned) {
  return guarded([&](Context& context) { context.register_host(host, bytes); });
}
int cuMemHostUnregister(void* host) {
  return guarded([&](Context& context) {
    context.finish_all();
    context.unregister_host(host);
  });
}
int cuMemHostGetDevicePointer_v2(DevicePointer* address, void* host, unsigned) {
  return guarded([&](Context& context) {
    *address = reinterpret_cast<DevicePointer>(warpgauge::cuda::device_address_of_host(context, host));
  });
}
int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return guarded([&](Context& context) {
    const auto use = warpgauge::cuda::memory_use(context);
    *free_bytes = use.free_bytes;
    *total_bytes = use.total_bytes;
  });
}
int cuMemGetAddressRange_v2(DevicePointer* begin, std::size_t* bytes, DevicePointer address) {
  return guarded([&](Context& context) {
    const auto* allocation = context.allocation_of(pointer(address));
    require(allocation != nullptr, Error::invalid_value);
    if (begin != nullptr) *begin = allocation->begin;
    if (bytes != nullptr) *bytes = allocation->bytes;
  });
}
int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return wait(copy(pointer(to), from, bytes, nullptr));
}
int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return wait(copy(to, pointer(from), bytes, nullptr));
}
int cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return wait(copy(pointer(to), pointer(from), bytes, nullptr));
}
int cuMemcpy(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return cuMemcpyDtoD_v2(to, from, bytes);
}
int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, void* stream) {
  return copy(pointer(to), from, bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, void* stream) {
  return copy(to, pointer(from), bytes, stream);
}
int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, void* stream) {
  return copy(pointer(to), pointer(from), bytes, stream);
}
int cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t bytes, void* stream) {
  return copy(pointer(to), pointer(from), bytes, stream);
}
int cuMemcpy2D_v2(const Copy2D* parameters) {
  return wait(copy_2d(parameters, nullptr));
}
int cuMemcpy2DUnaligned_v2(const Copy2D* parameters) {
  return cuMemcpy2D_v2(parameters);
}
int cuMemcpy2DAsync_v2(const Copy2D* parameters, void* stream) {
  return copy_2d(parameters, stream);
}
int cuMemsetD8_v2(DevicePointer to, unsigned char value, std::size_t count) {
  return fill(to, value, 1, count, nullptr);
}
int cuMemsetD16_v2(DevicePointer to, unsigned short value, std::size_t count) {
  return fill(to, value, 2, count, nullptr);
}
int cuMemsetD32_v2(DevicePointer to, unsigned value, std::size_t count) {
  return fill(to, value, 4, count, nullptr);
}
int cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t count, void* stream) {
  return fill(to, value, 1, count, stream);
}
int cuMemsetD16Async(DevicePointer to, unsigned short value, std::size_t count, void* stream) {
  return fill(to, value, 2, count, stream);
}
int cuMemsetD32Async(DevicePointer to, unsigned value, std::size_t count, void* stream) {
  return fill(to, value, 4, count, stream);
}
int cuPointerGetAttribute(void* out, int number, DevicePointer address) {
  return guarded([&](Context& context) {
    const auto kind = context.kind_of(pointer(address));
    require(kind.has_value(), Error::invalid_value);
    switch (number) {
      case 1:
        *static_cast<void**>(out) = warpgauge::cuda::driver::context_handle();
        break;
      case 2:
        *static_cast<unsigned*>(out) = *kind == MemoryKind::host ? 1 : 2;
        break;
      case 3:
        *static_cast<DevicePointer*>(out) = address;
        break;
      case 4:
        *static_cast<void**>(out) = pointer(address);
        break;
      case 8:
        *static_cast<int*>(out) = *kind == MemoryKind::managed ? 1 : 0;
        break;
      case 9:
        *static_cast<int*>(out) = 0;
        break;
      default:
        throw warpgauge::cuda::Failure{Error::not_supported};
    }
  });
}

}  // extern "C"
