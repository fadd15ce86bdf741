// What the driver's cuTensorMap functions are asked for, checked as the CUDA driver API documents it
// (CUDA 13.0, "Tensor Map Object Management") for devices of compute capability 9.0.
#pragma once

#include <cstdint>

namespace warpgauge::cuda {

inline constexpr unsigned tensor_map_bytes = 128;

// What both kinds of maps have; enumerations as numbers of the public header.
struct TensorDescription {
  int type;  // CUtensorMapDataType
  std::uint32_t rank;
  void* address;
  const std::uint64_t* sizes;    // `rank`
  const std::uint64_t* strides;  // bytes, `rank` - 1
  const std::uint32_t* steps;    // `rank`
  int interleave, swizzle, promotion, fill;
};

// Each fills the 128 bytes at `map`, or throws Failure (invalid value).
void encode_boxes(void* map, const TensorDescription& tensor, const std::uint32_t* box);
void encode_columns(void* map, const TensorDescription& tensor, const int* lower, const int* upper,
                    std::uint32_t channels, std::uint32_t pixels);
void replace_address(void* map, void* address);

}  // namespace warpgauge::cuda
