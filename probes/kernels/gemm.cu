// Matrix products C = A B of our own, by precision: on the matrix units through warp-wide fragments, and on
// the FMA pipes. A is row after row, B column after column, so that both have their k side by side; C is row
// after row.
#include <mma.h>
#if __CUDA_ARCH__ >= 800
#include <cuda_bf16.h>
#endif
#include <cuda_fp16.h>

#include "common.cuh"

// Small whole numbers, the same for the host to check by.
static __device__ __forceinline__ int element(u32 i, u32 seed) {
  return (int)(((i * 2654435761u + seed) >> 20) % 7) - 3;
}
#define FILL(name, type)                                                      \
  extern "C" __global__ void fill_##name(type* to, u32 count, u32 seed) {     \
    const u32 step = gridDim.x * blockDim.x;                                  \
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) \
      to[i] = (type)(float)element(i, seed);                                  \
  }
FILL(half, __half)
FILL(float, float)
FILL(double, double)
FILL(char, signed char)
#if __CUDA_ARCH__ >= 800
FILL(bfloat, __nv_bfloat16)
#endif

constexpr int tile = 128;  // of C, by a block of eight warps, each 32 by 64

// One block's tile by fragments of m x n x k; `store` is how an element lies in memory, `in` what the
// fragment is made of.
template <typename in, typename store, typename acc, int m, int n, int k, int depth>
static __device__ __forceinline__ void matrix_gemm(acc* c, const store* a, const store* b, u32 columns,
                                                   u32 inner) {
  using namespace nvcuda::wmma;
  constexpr int per_vector = 16 / sizeof(store), row = depth + per_vector;
  __shared__ __align__(32) store left[tile * row], right[tile * row];
  const u32 warp = threadIdx.x >> 5, warp_row = warp / 2 * 32, warp_column = warp % 2 * 64;
  const u32 first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  fragment<accumulator, m, n, k, acc> sums[32 / m][64 / n];
#pragma unroll
  for (int i = 0; i < 32 / m; ++i)
#pragma unroll
    for (int j = 0; j < 64 / n; ++j) fill_fragment(sums[i][j], (acc)0);
#pragma unroll 1
  for (u32 at = 0; at < inner; at += depth) {
    __syncthreads();
#pragma unroll
    for (int v = threadIdx.x; v < tile * depth / per_vector; v += 256) {
      const u32 r = v * per_vector / depth, x = v * per_vector % depth;
      *(uint4*)(left + r * row + x) = *(const uint4*)(a + (u64)(first_row + r) * inner + at + x);
      *(uint4*)(right + r * row + x) = *(const uint4*)(b + (u64)(first_column + r) * inner + at + x);
    }
    __syncthreads();
#pragma unroll
    for (int x = 0; x < depth; x += k) {
      fragment<matrix_a, m, n, k, in, row_major> lefts[32 / m];
      fragment<matrix_b, m, n, k, in, col_major> rights[64 / n];
#pragma unroll
      for (int i = 0; i < 32 / m; ++i) load_matrix_sync(lefts[i], left + (warp_row + i * m) * row + x, row);
#pragma unroll
      for (int j = 0; j < 64 / n; ++j)
        load_matrix_sync(rights[j], right + (warp_column + j * n) * row + x, row);
#pragma unroll
      for (int i = 0; i < 32 / m; ++i)
#pragma unroll
        for (int j = 0; j < 64 / n; ++j) mma_sync(sums[i][j], lefts[i], rights[j], sums[i][j]);
    }
  }
#pragma unroll
  for (int i = 0; i < 32 / m; ++i)
#pragma unroll
    for (int j = 0; j < 64 / n; ++j)
      store_matrix_sync(
          c + (u64)(first_row + warp_row + i * m) * columns + first_column + warp_column + j * n, sums[i][j],
          columns, mem_row_major);
}
#define MATRIX_GEMM(name, in, store, acc, m, n, k, depth)                           \
  extern "C" __global__ void __launch_bounds__(256)                                 \
      gemm_##name(acc* c, const store* a, const store* b, u32 columns, u32 inner) { \
    matrix_gemm<in, store, acc, m, n, k, depth>(c, a, b, columns, inner);           \
  }
MATRIX_GEMM(f16_f32, __half, __half, float, 16, 16, 16, 32)
MATRIX_GEMM(f16_f16, __half, __half, __half, 16, 16, 16, 32)
#if __CUDA_ARCH__ >= 750
MATRIX_GEMM(s8_s32, signed char, signed char, int, 16, 16, 16, 64)
#endif
#if __CUDA_ARCH__ >= 800
MATRIX_GEMM(bf16_f32, __nv_bfloat16, __nv_bfloat16, float, 16, 16, 16, 32)
MATRIX_GEMM(tf32_f32, nvcuda::wmma::precision::tf32, float, float, 16, 16, 8, 32)
MATRIX_GEMM(f64_matrix, double, double, double, 8, 8, 4, 16)
#endif

// The same tile on the FMA pipes: each thread 8 by 8 elements, or 4 by 8 of a tile of half as many rows.
template <typename type, int depth, int rows>
static __device__ __forceinline__ void scalar_gemm(type* c, const type* a, const type* b, u32 columns,
                                                   u32 inner) {
  constexpr int high = rows * 16;
  __shared__ type left[depth][high + 4], right[depth][tile + 4];
  const u32 first_row = blockIdx.y * high, first_column = blockIdx.x * tile;
  const u32 x = threadIdx.x % 16, y = threadIdx.x / 16;
  type sums[rows][8];
#pragma unroll
  for (int i = 0; i < rows; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[i][j] = 0;
#pragma unroll 1
  for (u32 at = 0; at < inner; at += depth) {
    __syncthreads();
    for (int v = threadIdx.x; v < high * depth; v += 256)
      left[v % depth][v / depth] = a[(u64)(first_row + v / depth) * inner + at + v % depth];
    for (int v = threadIdx.x; v < tile * depth; v += 256)
      right[v % depth][v / depth] = b[(u64)(first_column + v / depth) * inner + at + v % depth];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      type l[rows], r[8];
#pragma unroll
      for (int i = 0; i < rows; ++i) l[i] = left[k][y * rows + i];
#pragma unroll
      for (int j = 0; j < 8; ++j) r[j] = right[k][x + 16 * j];
#pragma unroll
      for (int i = 0; i < rows; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] += l[i] * r[j];
    }
  }
#pragma unroll
  for (int i = 0; i < rows; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j)
      c[(u64)(first_row + y * rows + i) * columns + first_column + x + 16 * j] = sums[i][j];
}
extern "C" __global__ void __launch_bounds__(256)
    gemm_f32(float* c, const float* a, const float* b, u32 columns, u32 inner) {
  scalar_gemm<float, 16, 8>(c, a, b, columns, inner);
}
extern "C" __global__ void __launch_bounds__(256)
    gemm_f64(double* c, const double* a, const double* b, u32 columns, u32 inner) {
  scalar_gemm<double, 8, 4>(c, a, b, columns, inner);
}
