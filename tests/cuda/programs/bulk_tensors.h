// Tensors that bulk copies go to or come from, and their descriptions.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bulk_copies.h"

struct Coordinates {
  int at[5];
  unsigned short shift[3];
};

#define COORDINATES_1 "{%3}"
#define COORDINATES_2 "{%3, %4}"
#define COORDINATES_3 "{%3, %4, %5}"
#define COORDINATES_4 "{%3, %4, %5, %6}"
#define COORDINATES_5 "{%3, %4, %5, %6, %7}"
#define OPERANDS                                                                                         \
  "r"(to), "l"(map), "r"(barrier), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4]), \
      "h"(c.shift[0]), "h"(c.shift[1]), "h"(c.shift[2])

template <int Rank, bool Columns>
__device__ void load_tensor(unsigned to, const CUtensorMap* map, unsigned barrier, const Coordinates& c) {
#define LOAD(N)                                                                                           \
  if constexpr (Rank == N && !Columns)                                                                    \
    asm volatile("cp.async.bulk.tensor." #N                                                               \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " COORDINATES_##N \
                 "], [%2];" ::OPERANDS                                                                    \
                 : "memory");
  LOAD(1)
  LOAD(2)
  LOAD(3)
  LOAD(4)
  LOAD(5)
#define LOAD_COLUMNS(N, SHIFTS)                                                                             \
  if constexpr (Rank == N && Columns)                                                                       \
    asm volatile("cp.async.bulk.tensor." #N                                                                 \
                 "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " COORDINATES_##N \
                 "], [%2], " SHIFTS ";" ::OPERANDS                                                          \
                 : "memory");
      LOAD_COLUMNS(3, "{%8}") LOAD_COLUMNS(4, "{%8, %9}") LOAD_COLUMNS(5, "{%8, %9, %10}")
}

template <int Rank, bool Columns>
__device__ void store_tensor(unsigned to, const CUtensorMap* map, const Coordinates& c) {
  const unsigned barrier = 0;
#define STORE(N)                                                                                         \
  if constexpr (Rank == N && !Columns)                                                                   \
    asm volatile("cp.async.bulk.tensor." #N "d.global.shared::cta.tile.bulk_group [%1, " COORDINATES_##N \
                 "], [%0];" ::OPERANDS                                                                   \
                 : "memory");
  STORE(1)
  STORE(2)
  STORE(3)
  STORE(4)
  STORE(5)
#define STORE_COLUMNS(N)                                                                \
  if constexpr (Rank == N && Columns)                                                   \
    asm volatile("cp.async.bulk.tensor." #N                                             \
                 "d.global.shared::cta.im2col_no_offs.bulk_group [%1, " COORDINATES_##N \
                 "], [%0];" ::OPERANDS                                                  \
                 : "memory");
      STORE_COLUMNS(3) STORE_COLUMNS(4) STORE_COLUMNS(5)
}

// ---- the host's side

using EncodeTiled = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                 const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                 CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill);
using EncodeIm2col = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                  const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t,
                                  const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                  CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
inline EncodeTiled encode_tiled;
inline EncodeIm2col encode_im2col;

constexpr const char* type_names[] = {"u8",  "u16", "u32",  "s32",     "u64",  "s64",     "f16",
                                      "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};
constexpr int type_bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
constexpr int u8 = 0, u16 = 1, u32 = 2, f16 = 6, f32 = 7;

struct Tensor {
  int type = u32;
  std::vector<cuuint64_t> sizes;
  std::vector<cuuint64_t> strides;  // made where there are none: rows of whole 16 bytes, side by side
  std::vector<cuuint32_t> box;      // none: columns
  std::vector<cuuint32_t> steps;    // ones where there are none
  int swizzle = 0, promotion = 0, fill = 0;
  std::vector<int> lower, upper;
  unsigned channels = 0, pixels = 0;
  int begin = 0;  // bytes from the memory's begin

  [[nodiscard]] bool columns() const { return box.empty(); }
  [[nodiscard]] unsigned bytes() const {
    if (columns()) return channels * pixels * type_bytes[type];
    unsigned bytes = type_bytes[type] * box[0];
    for (std::size_t i = 1; i < box.size(); ++i) {
      const unsigned step = steps.empty() ? 1 : steps[i];
      bytes *= (box[i] + step - 1) / step;
    }
    return bytes;
  }
  bool encode(CUtensorMap* map) const {
    std::vector<cuuint64_t> strides_here = strides;
    if (strides_here.empty()) {
      cuuint64_t stride = (sizes[0] * type_bytes[type] + 15) / 16 * 16;
      for (std::size_t i = 1; i < sizes.size(); ++i) {
        strides_here.push_back(stride);
        stride *= sizes[i];
      }
    }
    std::vector<cuuint32_t> steps_here = steps;
    if (steps_here.empty()) steps_here.assign(sizes.size(), 1);
    const auto type_here = static_cast<CUtensorMapDataType>(type);
    const auto rank = static_cast<cuuint32_t>(sizes.size());
    const auto swizzle_here = static_cast<CUtensorMapSwizzle>(swizzle);
    const auto promotion_here = static_cast<CUtensorMapL2promotion>(promotion);
    const auto fill_here = static_cast<CUtensorMapFloatOOBfill>(fill);
    const CUresult code =
        columns() ? encode_im2col(map, type_here, rank, memory + begin, sizes.data(), strides_here.data(),
                                  lower.data(), upper.data(), channels, pixels, steps_here.data(),
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_here, promotion_here, fill_here)
                  : encode_tiled(map, type_here, rank, memory + begin, sizes.data(), strides_here.data(),
                                 box.data(), steps_here.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_here,
                                 promotion_here, fill_here);
    return code == CUDA_SUCCESS;
  }
};

// A card stops where the first coordinate is not at a multiple of 16 bytes: it is rounded down to one.
inline Coordinates coordinates(int type, const std::vector<int>& at, const std::vector<int>& shift = {}) {
  Coordinates c = {};
  for (std::size_t i = 0; i < at.size(); ++i) c.at[i] = at[i];
  c.at[0] &= -(16 / type_bytes[type]);
  for (std::size_t i = 0; i < shift.size(); ++i) c.shift[i] = static_cast<unsigned short>(shift[i]);
  return c;
}

// Nor does it store from before a tensor's begin.
inline Coordinates within(Coordinates c) {
  for (int& at : c.at) at = std::max(at, 0);
  return c;
}

inline Tensor plane(int type) {
  Tensor t;
  t.type = type;
  t.sizes = {static_cast<cuuint64_t>(200 / type_bytes[type] - 3), 20};
  t.box = {static_cast<cuuint32_t>(64 / type_bytes[type]), 5};
  return t;
}

inline void find_encoders() {
  cudaDriverEntryPointQueryResult found;
  void *tiled = nullptr, *im2col = nullptr;
  C(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &tiled, 12000, cudaEnableDefault, &found));
  C(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &im2col, 12000, cudaEnableDefault, &found));
  if (tiled == nullptr || im2col == nullptr) {
    printf("no tensor maps\n");
    exit(1);
  }
  encode_tiled = reinterpret_cast<EncodeTiled>(tiled);
  encode_im2col = reinterpret_cast<EncodeIm2col>(im2col);
}
