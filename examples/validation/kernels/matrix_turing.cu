// Matrix cores as Turing has them. Minimum architecture: sm_75.

#include <mma.h>

#include <cstdint>

using namespace nvcuda;

// 8-bit integers, a warp a 16 x 16 tile; B is column-major.
extern "C" __global__ void wmma_s8_global(const signed char* a, const signed char* b, int* c, int n, int k) {
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + (warp / 2) * 16;
  const int column = blockIdx.x * 32 + (warp % 2) * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, 0);
  for (int i = 0; i < k; i += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> y;
    wmma::load_matrix_sync(x, a + row * k + i, k);
    wmma::load_matrix_sync(y, b + column * k + i, k);
    wmma::mma_sync(sum, x, y, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// m16n8k8 with operands from ldmatrix: a warp 16 x 32 of C, four warps a block over 64 rows, depth 32.
extern "C" __global__ void mma_f16_ldmatrix(const uint16_t* a, const uint16_t* b, float* c, int n, int k) {
  __shared__ __align__(16) uint16_t as[64][40];
  __shared__ __align__(16) uint16_t bs[32][40];
  const int t = threadIdx.x;
  const int lane = t % 32;
  const int warp = t / 32;
  const int row0 = blockIdx.y * 64;
  const int column0 = blockIdx.x * 32;
  float sum[4][4] = {};
  for (int base = 0; base < k; base += 32) {
    for (int i = t; i < 256; i += 128) {
      *reinterpret_cast<uint4*>(&as[i / 4][i % 4 * 8]) =
          *reinterpret_cast<const uint4*>(a + (row0 + i / 4) * k + base + i % 4 * 8);
    }
    *reinterpret_cast<uint4*>(&bs[t / 4][t % 4 * 8]) =
        *reinterpret_cast<const uint4*>(b + (column0 + t / 4) * k + base + t % 4 * 8);
    __syncthreads();
#pragma unroll
    for (int d = 0; d < 32; d += 8) {
      uint32_t x[2];
      uint32_t y[4];
      const auto from_a = static_cast<uint32_t>(__cvta_generic_to_shared(&as[warp * 16 + lane % 16][d]));
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                   : "=r"(x[0]), "=r"(x[1])
                   : "r"(from_a));
      const auto from_b = static_cast<uint32_t>(__cvta_generic_to_shared(&bs[lane][d]));
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
                   : "r"(from_b));
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
            : "r"(x[0]), "r"(x[1]), "r"(y[j]));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    float* to = c + (row0 + warp * 16 + lane / 4) * n + column0 + j * 8 + lane % 4 * 2;
    *reinterpret_cast<float2*>(to) = make_float2(sum[j][0], sum[j][1]);
    *reinterpret_cast<float2*>(to + 8 * n) = make_float2(sum[j][2], sum[j][3]);
  }
}
