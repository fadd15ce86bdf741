// Matrix cores through wmma, as far as Volta has them: fp16 in, fp32 or fp16 out. Sizes multiples of 64.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// A warp a 16 x 16 tile of C, operands straight from global memory; B is column-major.
extern "C" __global__ void wmma_f16_global(const half* a, const half* b, float* c, int n, int k) {
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + (warp / 2) * 16;
  const int column = blockIdx.x * 32 + (warp % 2) * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0F);
  for (int i = 0; i < k; i += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::load_matrix_sync(x, a + row * k + i, k);
    wmma::load_matrix_sync(y, b + column * k + i, k);
    wmma::mma_sync(sum, x, y, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// 64 x 64 a block of four warps, 32 x 32 a warp, operands through shared memory, depth 32.
extern "C" __global__ void wmma_f16_shared(const half* a, const half* b, float* c, int n, int k) {
  __shared__ __align__(32) half as[64][40];
  __shared__ __align__(32) half bs[64][40];
  const int t = threadIdx.x;
  const int warp = t / 32;
  const int row0 = blockIdx.y * 64;
  const int column0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 4; ++i) {
    wmma::fill_fragment(sum[i / 2][i % 2], 0.0F);
  }
  for (int base = 0; base < k; base += 32) {
    for (int i = t; i < 64 * 4; i += 128) {
      const int line = i / 4;
      const int part = i % 4 * 8;
      *reinterpret_cast<uint4*>(&as[line][part]) = *reinterpret_cast<const uint4*>(a + (row0 + line) * k + base + part);
      *reinterpret_cast<uint4*>(&bs[line][part]) =
          *reinterpret_cast<const uint4*>(b + (column0 + line) * k + base + part);
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < 32; d += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(x[i], &as[warp / 2 * 32 + i * 16][d], 40);
        wmma::load_matrix_sync(y[i], &bs[warp % 2 * 32 + i * 16][d], 40);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        wmma::mma_sync(sum[i / 2][i % 2], x[i / 2], y[i % 2], sum[i / 2][i % 2]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = row0 + warp / 2 * 32 + i / 2 * 16;
    const int column = column0 + warp % 2 * 32 + i % 2 * 16;
    wmma::store_matrix_sync(c + row * n + column, sum[i / 2][i % 2], n, wmma::mem_row_major);
  }
}

// The pipe alone: each warp multiplies the same fragments again and again, accumulating in fp16.
extern "C" __global__ void wmma_f16_loop(const half* a, const half* b, half* c, int times) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum[2];
  wmma::load_matrix_sync(x, a, 16);
  wmma::load_matrix_sync(y, b, 16);
  wmma::fill_fragment(sum[0], __float2half(0.0F));
  wmma::fill_fragment(sum[1], __float2half(1.0F));
  for (int i = 0; i < times; ++i) {
    wmma::mma_sync(sum[0], x, y, sum[0]);
    wmma::mma_sync(sum[1], x, y, sum[1]);
  }
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  wmma::store_matrix_sync(c + warp * 512, sum[0], 16, wmma::mem_row_major);
  wmma::store_matrix_sync(c + warp * 512 + 256, sum[1], 16, wmma::mem_row_major);
}
