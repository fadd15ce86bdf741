// Descriptions of tensors for Hopper's bulk copies.
#include "traces/cuda/tensor_maps.h"

#include "traces/cuda/guard.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Error;
using warpgauge::cuda::guarded;
using warpgauge::cuda::require;
using warpgauge::cuda::TensorDescription;

namespace {

template <class Encode>
int encoded(Encode encode) {
  return guarded([&](Context& context) {
    constexpr int hopper = 9;
    require(context.device().major >= hopper, Error::not_supported);
    encode();
  });
}

}  // namespace

extern "C" {

int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address, const std::uint64_t* sizes,
                           const std::uint64_t* strides, const unsigned* box, const unsigned* steps,
                           int interleave, int swizzle, int promotion, int fill) {
  return encoded([&] {
    const TensorDescription tensor{type,  rank,       address, sizes,     strides,
                                   steps, interleave, swizzle, promotion, fill};
    warpgauge::cuda::encode_boxes(map, tensor, box);
  });
}
int cuTensorMapEncodeIm2col(void* map, int type, unsigned rank, void* address, const std::uint64_t* sizes,
                            const std::uint64_t* strides, const int* lower, const int* upper,
                            unsigned channels, unsigned pixels, const unsigned* steps, int interleave,
                            int swizzle, int promotion, int fill) {
  return encoded([&] {
    const TensorDescription tensor{type,  rank,       address, sizes,     strides,
                                   steps, interleave, swizzle, promotion, fill};
    warpgauge::cuda::encode_columns(map, tensor, lower, upper, channels, pixels);
  });
}
int cuTensorMapReplaceAddress(void* map, void* address) {
  return encoded([&] { warpgauge::cuda::replace_address(map, address); });
}

}  // extern "C"
