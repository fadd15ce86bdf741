// Allocation and copies.
#include "traces/cuda/abi.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"
#include "traces/cuda/program.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Error;
using warpgauge::cuda::guarded;
using warpgauge::cuda::MemoryKind;
using warpgauge::cuda::Program;
using warpgauge::cuda::require;
using warpgauge::cuda::Rows;
using warpgauge::cuda::wait;
namespace abi = warpgauge::cuda::abi;

namespace {

int allocate(void** pointer, std::size_t bytes, MemoryKind kind) {
  return guarded([&](Context& context) {
    require(pointer != nullptr, Error::invalid_value);
    *pointer = bytes == 0 ? nullptr : context.allocate(bytes, kind);
  });
}

// Whatever may use it is waited for.
int release(void* pointer) {
  return guarded([&](Context& context) {
    context.finish_all();
    context.release(pointer);
  });
}

int submit(void* stream, const warpgauge::cuda::Operation& operation) {
  return guarded([&](Context& context) { warpgauge::cuda::submit(context, stream, operation); });
}

int copy(void* destination, const void* source, std::size_t bytes, int kind, void* stream) {
  return guarded([&](Context& context) {
    require(kind >= abi::memcpy_host_to_host && kind <= abi::memcpy_default, Error::invalid_memcpy_direction);
    // Nothing is copied where the kind makes pageable memory of the host the device's; whatever else the pointers are, an H200's
    // driver copies as they say (all 80 pairs of malloc, pinned, device and managed memory under the five kinds).
    const bool to_device = kind == abi::memcpy_host_to_device || kind == abi::memcpy_device_to_device;
    const bool from_device = kind == abi::memcpy_device_to_host || kind == abi::memcpy_device_to_device;
    require(bytes == 0 || !to_device || context.kind_of(destination), Error::invalid_value);
    require(bytes == 0 || !from_device || context.kind_of(source), Error::invalid_value);
    warpgauge::cuda::submit(context, stream, warpgauge::cuda::copy(destination, source, bytes));
  });
}

int copy_3d(const abi::Copy3D* c, void* stream) {
  return guarded([&](Context& context) {
    const bool array = c->source_array != nullptr || c->destination_array != nullptr;
    warpgauge::cuda::submit(context, stream,
                            array ? warpgauge::cuda::copy_array_box(context.arrays(), *c) : warpgauge::cuda::copy_box(*c));
  });
}

// The low byte of `value` goes to each byte.
int fill_rows(void* destination, Rows to, int value, abi::Extent extent, void* stream) {
  return submit(stream, warpgauge::cuda::fill_rows(destination, to, static_cast<unsigned>(value), 1, extent));
}

int copy_symbol(const void* symbol, std::size_t offset, void* host, std::size_t bytes, bool to_symbol,
                void* stream) {
  return guarded([&](Context& context) {
    void* const device = Program::instance().address_in(context, symbol, offset, bytes);
    warpgauge::cuda::submit(
        context, stream,
        to_symbol ? warpgauge::cuda::copy(device, host, bytes) : warpgauge::cuda::copy(host, device, bytes));
  });
}

}  // namespace

extern "C" {

int cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::device);
}
int cudaMallocAsync(void** pointer, std::size_t bytes, void* stream) {
  return guarded([&](Context& context) {
    require(pointer != nullptr, Error::invalid_value);
    *pointer = bytes == 0 ? nullptr : warpgauge::cuda::allocate_in_order(context, bytes, stream);
  });
}
int cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void*, void* stream) {
  return cudaMallocAsync(pointer, bytes, stream);
}
int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  return allocate(pointer, bytes, MemoryKind::managed);
}
int cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::host);
}
int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return allocate(pointer, bytes, MemoryKind::host);
}
int cudaFree(void* pointer) {
  return release(pointer);
}
int cudaFreeAsync(void* pointer, void* stream) {
  return guarded([&](Context& context) { warpgauge::cuda::release_in_order(context, pointer, stream); });
}
int cudaFreeHost(void* pointer) {
  return release(pointer);
}

int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  *pitch = warpgauge::cuda::pitch_of(width);
  return allocate(pointer, *pitch * height, MemoryKind::device);
}

int cudaMalloc3D(abi::PitchedPointer* pitched, abi::Extent extent) {
  pitched->width = extent.width;
  pitched->height = extent.height;
  return cudaMallocPitch(&pitched->pointer, &pitched->pitch, extent.width, extent.height * extent.depth);
}

int cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  return guarded([&](Context& context) { context.register_host(pointer, bytes); });
}
int cudaHostUnregister(void* pointer) {
  return guarded([&](Context& context) {
    context.finish_all();
    context.unregister_host(pointer);
  });
}
int cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return guarded([&](Context& context) { *device = warpgauge::cuda::device_address_of_host(context, host); });
}
int cudaHostGetFlags(unsigned* flags, void* host) {
  return guarded([&](Context& context) {
    warpgauge::cuda::device_address_of_host(context, host);
    *flags = 0;
  });
}

int cudaMemcpy(void* destination, const void* source, std::size_t bytes, int kind) {
  return wait(copy(destination, source, bytes, kind, nullptr));
}
int cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes, int kind, void* stream) {
  return copy(destination, source, bytes, kind, stream);
}
int cudaMemcpyPeer(void* destination, int, const void* source, int, std::size_t bytes) {
  return wait(copy(destination, source, bytes, abi::memcpy_default, nullptr));
}
int cudaMemcpyPeerAsync(void* destination, int, const void* source, int, std::size_t bytes, void* stream) {
  return copy(destination, source, bytes, abi::memcpy_default, stream);
}
int cudaMemcpy2DAsync(void* destination, std::size_t to_pitch, const void* source, std::size_t from_pitch,
                      std::size_t width, std::size_t height, int, void* stream) {
  return guarded([&](Context& context) {
    warpgauge::cuda::submit(
        context, stream,
        warpgauge::cuda::copy_rows(destination, {to_pitch, 0}, source, {from_pitch, 0}, {width, height, 1}));
  });
}
int cudaMemcpy2D(void* destination, std::size_t to_pitch, const void* source, std::size_t from_pitch,
                 std::size_t width, std::size_t height, int kind) {
  return wait(cudaMemcpy2DAsync(destination, to_pitch, source, from_pitch, width, height, kind, nullptr));
}
int cudaMemcpy3D(const abi::Copy3D* parameters) {
  return wait(copy_3d(parameters, nullptr));
}
int cudaMemcpy3DAsync(const abi::Copy3D* parameters, void* stream) {
  return copy_3d(parameters, stream);
}

int cudaMemcpyToSymbolAsync(const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                            int, void* stream) {
  return copy_symbol(symbol, offset, const_cast<void*>(source), bytes, true, stream);
}
int cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                       int kind) {
  return wait(cudaMemcpyToSymbolAsync(symbol, source, bytes, offset, kind, nullptr));
}
int cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, std::size_t bytes, std::size_t offset,
                              int, void* stream) {
  return copy_symbol(symbol, offset, destination, bytes, false, stream);
}
int cudaMemcpyFromSymbol(void* destination, const void* symbol, std::size_t bytes, std::size_t offset,
                         int kind) {
  return wait(cudaMemcpyFromSymbolAsync(destination, symbol, bytes, offset, kind, nullptr));
}

int cudaMemsetAsync(void* destination, int value, std::size_t bytes, void* stream) {
  return fill_rows(destination, {}, value, {bytes, 1, 1}, stream);
}
int cudaMemset(void* destination, int value, std::size_t bytes) {
  return cudaMemsetAsync(destination, value, bytes, nullptr);
}
int cudaMemset2DAsync(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height,
                      void* stream) {
  return fill_rows(destination, {pitch, 0}, value, {width, height, 1}, stream);
}
int cudaMemset2D(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return cudaMemset2DAsync(destination, pitch, value, width, height, nullptr);
}
int cudaMemset3DAsync(abi::PitchedPointer to, int value, abi::Extent extent, void* stream) {
  return fill_rows(to.pointer, {to.pitch, to.pitch * to.height}, value, extent, stream);
}
int cudaMemset3D(abi::PitchedPointer to, int value, abi::Extent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}

int cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return guarded([&](Context& context) {
    const auto use = warpgauge::cuda::memory_use(context);
    *free_bytes = use.free_bytes;
    *total_bytes = use.total_bytes;
  });
}

int cudaPointerGetAttributes(abi::PointerAttributes* attributes, const void* pointer) {
  return guarded([&](Context& context) {
    const auto kind = context.kind_of(pointer);
    void* const address = const_cast<void*>(pointer);
    attributes->device = 0;
    attributes->type = !kind ? 0 : *kind == MemoryKind::host ? 1 : *kind == MemoryKind::device ? 2 : 3;
    attributes->device_pointer = kind ? address : nullptr;
    attributes->host_pointer = !kind || *kind != MemoryKind::device ? address : nullptr;
  });
}

// Hints about where managed memory should live; there is one memory here.
int cudaMemAdvise(const void*, std::size_t, int, ...) {
  return 0;
}
int cudaMemPrefetchAsync(const void*, std::size_t, ...) {
  return 0;
}
int cudaStreamAttachMemAsync(void*, void*, std::size_t, unsigned) {
  return 0;
}

// One pool, which is the device's memory.
int cudaDeviceGetDefaultMemPool(void** pool, int) {
  static int the_pool;
  *pool = &the_pool;
  return 0;
}
int cudaDeviceGetMemPool(void** pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
int cudaDeviceSetMemPool(int, void*) {
  return 0;
}
int cudaMemPoolSetAttribute(void*, int, void*) {
  return 0;
}
int cudaMemPoolTrimTo(void*, std::size_t) {
  return 0;
}

}  // extern "C"
