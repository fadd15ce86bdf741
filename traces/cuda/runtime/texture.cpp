// Arrays, texture and surface objects.
#include <algorithm>

#include "traces/cuda/arrays.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"

using warpgauge::cuda::Array;
using warpgauge::cuda::Context;
using warpgauge::cuda::CopySide;
using warpgauge::cuda::Error;
using warpgauge::cuda::guarded;
using warpgauge::cuda::require;
using warpgauge::cuda::wait;
namespace abi = warpgauge::cuda::abi;

namespace {

CopySide rows(const void* memory, std::size_t pitch) {
  CopySide side;
  side.memory = static_cast<std::byte*>(const_cast<void*>(memory));
  side.pitch = pitch;
  return side;
}

CopySide part(Context& context, const void* array, std::size_t x, std::size_t y) {
  CopySide side;
  side.array = &context.arrays().find(array);
  side.x = x;
  side.y = y;
  return side;
}

// A box of rows.
int copy(const auto& to_of, const auto& from_of, std::size_t width, std::size_t height, void* stream) {
  return guarded([&](Context& context) {
    submit(context, stream, warpgauge::cuda::copy_array(to_of(context), from_of(context), {width, height, 1}));
  });
}

std::size_t row_bytes(Context& context, const void* array) {
  const auto& image = context.arrays().find(array).image;
  return std::size_t{image.width} * image.format.bytes();
}

// So many bytes one behind the other, in an array's rows from a place on: the rest of its row, whole rows, the rest.
int copy_run(void* array, std::size_t x, std::size_t y, void* memory, std::size_t bytes, bool to_array, void* stream) {
  return guarded([&](Context& context) {
    const std::size_t row = row_bytes(context, array);
    std::size_t done = 0;
    while (done < bytes) {
      const std::size_t width = std::min(row - x, bytes - done);
      const std::size_t height = x == 0 && bytes - done >= row ? (bytes - done) / row : 1;
      const CopySide there = part(context, array, x, y);
      const CopySide here = rows(static_cast<std::byte*>(memory) + done, row);
      submit(context, stream, warpgauge::cuda::copy_array(to_array ? there : here, to_array ? here : there, {width, height, 1}));
      done += width * height;
      y += height;
      x = 0;
    }
  });
}

}  // namespace

extern "C" {

int cudaMalloc3DArray(Array** array, const abi::ChannelDescriptor* channels, abi::Extent extent, unsigned flags) {
  return guarded([&](Context& context) {
    require(array != nullptr && channels != nullptr, Error::invalid_value);
    *array = context.arrays().create(*channels, extent, flags);
  });
}
int cudaMallocArray(Array** array, const abi::ChannelDescriptor* channels, std::size_t width, std::size_t height,
                    unsigned flags) {
  return cudaMalloc3DArray(array, channels, {width, height, 0}, flags);
}
int cudaFreeArray(Array* array) {
  return guarded([&](Context& context) {
    context.finish_all();
    context.arrays().destroy(array);
  });
}
int cudaArrayGetInfo(abi::ChannelDescriptor* channels, abi::Extent* extent, unsigned* flags, Array* array) {
  return guarded([&](Context& context) {
    const Array& a = context.arrays().find(array);
    if (channels != nullptr) *channels = a.channels;
    if (extent != nullptr) *extent = a.extent;
    if (flags != nullptr) *flags = a.flags;
  });
}
int cudaGetChannelDesc(abi::ChannelDescriptor* channels, const Array* array) {
  return guarded([&](Context& context) { *channels = context.arrays().find(array).channels; });
}

int cudaCreateTextureObject(std::uint64_t* object, const abi::ResourceDescriptor* resource,
                            const abi::TextureDescriptor* texture, const void* view) {
  if (view != nullptr) return warpgauge::cuda::unsupported("cudaCreateTextureObject with a resource view");
  return guarded([&](Context& context) {
    require(object != nullptr && resource != nullptr && texture != nullptr, Error::invalid_value);
    *object = context.arrays().create_texture(*resource, *texture);
  });
}
int cudaCreateTextureObject_v2(std::uint64_t* object, const abi::ResourceDescriptor* resource,
                               const abi::TextureDescriptor* texture, const void* view) {
  return cudaCreateTextureObject(object, resource, texture, view);
}
int cudaDestroyTextureObject(std::uint64_t object) {
  return guarded([&](Context& context) {
    context.finish_all();
    context.arrays().destroy_object(object);
  });
}
int cudaGetTextureObjectResourceDesc(abi::ResourceDescriptor* resource, std::uint64_t object) {
  return guarded([&](Context& context) { *resource = context.arrays().object(object).resource; });
}
int cudaGetTextureObjectTextureDesc(abi::TextureDescriptor* texture, std::uint64_t object) {
  return guarded([&](Context& context) { *texture = context.arrays().object(object).texture; });
}
int cudaGetTextureObjectTextureDesc_v2(abi::TextureDescriptor* texture, std::uint64_t object) {
  return cudaGetTextureObjectTextureDesc(texture, object);
}
int cudaCreateSurfaceObject(std::uint64_t* object, const abi::ResourceDescriptor* resource) {
  return guarded([&](Context& context) {
    require(object != nullptr && resource != nullptr, Error::invalid_value);
    *object = context.arrays().create_surface(*resource);
  });
}
int cudaDestroySurfaceObject(std::uint64_t object) {
  return cudaDestroyTextureObject(object);
}
int cudaGetSurfaceObjectResourceDesc(abi::ResourceDescriptor* resource, std::uint64_t object) {
  return cudaGetTextureObjectResourceDesc(resource, object);
}
int cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width, const abi::ChannelDescriptor*, int) {
  constexpr std::size_t most_texels = std::size_t{1} << 27;  // CUDA C++ Programming Guide, table of technical specifications
  *width = most_texels;
  return 0;
}

int cudaMemcpy2DToArrayAsync(Array* array, std::size_t x, std::size_t y, const void* source, std::size_t pitch,
                             std::size_t width, std::size_t height, int, void* stream) {
  return copy([&](Context& c) { return part(c, array, x, y); }, [&](Context&) { return rows(source, pitch); }, width, height,
              stream);
}
int cudaMemcpy2DToArray(Array* array, std::size_t x, std::size_t y, const void* source, std::size_t pitch,
                        std::size_t width, std::size_t height, int kind) {
  return wait(cudaMemcpy2DToArrayAsync(array, x, y, source, pitch, width, height, kind, nullptr));
}
int cudaMemcpy2DFromArrayAsync(void* destination, std::size_t pitch, const Array* array, std::size_t x, std::size_t y,
                               std::size_t width, std::size_t height, int, void* stream) {
  return copy([&](Context&) { return rows(destination, pitch); }, [&](Context& c) { return part(c, array, x, y); }, width,
              height, stream);
}
int cudaMemcpy2DFromArray(void* destination, std::size_t pitch, const Array* array, std::size_t x, std::size_t y,
                          std::size_t width, std::size_t height, int kind) {
  return wait(cudaMemcpy2DFromArrayAsync(destination, pitch, array, x, y, width, height, kind, nullptr));
}
int cudaMemcpy2DArrayToArray(Array* to, std::size_t to_x, std::size_t to_y, const Array* from, std::size_t from_x,
                             std::size_t from_y, std::size_t width, std::size_t height, int) {
  return wait(copy([&](Context& c) { return part(c, to, to_x, to_y); },
                   [&](Context& c) { return part(c, from, from_x, from_y); }, width, height, nullptr));
}
int cudaMemcpyToArrayAsync(Array* array, std::size_t x, std::size_t y, const void* source, std::size_t bytes, int,
                           void* stream) {
  return copy_run(array, x, y, const_cast<void*>(source), bytes, true, stream);
}
int cudaMemcpyToArray(Array* array, std::size_t x, std::size_t y, const void* source, std::size_t bytes, int kind) {
  return wait(cudaMemcpyToArrayAsync(array, x, y, source, bytes, kind, nullptr));
}
int cudaMemcpyFromArrayAsync(void* destination, const Array* array, std::size_t x, std::size_t y, std::size_t bytes, int,
                             void* stream) {
  return copy_run(const_cast<Array*>(array), x, y, destination, bytes, false, stream);
}
int cudaMemcpyFromArray(void* destination, const Array* array, std::size_t x, std::size_t y, std::size_t bytes, int kind) {
  return wait(cudaMemcpyFromArrayAsync(destination, array, x, y, bytes, kind, nullptr));
}

}  // extern "C"
