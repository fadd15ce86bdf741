// Blocks of four warps multiply tiles of 64 x 64 of matrices that nobody has touched, step by step through registers and shared
// memory, as those of tiles_of_products (by_hand_h200.json) do. Cycles of a step: until the first half of what it loads is stored,
// until the second is, and to the next one.
#include <mma.h>

#include <cstdio>
#include <vector>

#include "check.h"

using namespace nvcuda;

constexpr int tile = 64, deep = 32, stride = 40, steps_kept = 16, warps = 4, times = 4;

__global__ void multiply(const half* a, const half* b, float* c, int n, int depth, unsigned* clocks) {
  __shared__ __align__(32) half as[tile][stride];
  __shared__ __align__(32) half bs[tile][stride];
  __shared__ unsigned kept[steps_kept * warps * times];
  const int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * tile, column0 = blockIdx.x * tile;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 4; ++i) wmma::fill_fragment(sum[i / 2][i % 2], 0.0F);
  for (int step = 0; step * deep < depth; ++step) {
    unsigned at[times];
    at[0] = clock();
#pragma unroll
    for (int half_of = 0; half_of < 2; ++half_of) {
      const int i = t + half_of * 128, line = i / 4, part = i % 4 * 8;
      const uint4 x = *reinterpret_cast<const uint4*>(a + (row0 + line) * depth + step * deep + part);
      const uint4 y = *reinterpret_cast<const uint4*>(b + (column0 + line) * depth + step * deep + part);
      *reinterpret_cast<uint4*>(&as[line][part]) = x;
      asm volatile("" ::: "memory");
      *reinterpret_cast<uint4*>(&bs[line][part]) = y;
      asm volatile("" ::: "memory");
      at[1 + half_of] = clock();
      asm volatile("" ::: "memory");
    }
    __syncthreads();
    at[3] = clock();
#pragma unroll
    for (int d = 0; d < deep; d += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(x[i], &as[warp / 2 * 32 + i * 16][d], stride);
        wmma::load_matrix_sync(y[i], &bs[warp % 2 * 32 + i * 16][d], stride);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) wmma::mma_sync(sum[i / 2][i % 2], x[i / 2], y[i % 2], sum[i / 2][i % 2]);
    }
    __syncthreads();
    if (t % 32 == 0)
      for (int i = 0; i < times; ++i) kept[(step * warps + warp) * times + i] = at[i];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    wmma::store_matrix_sync(c + (row0 + warp / 2 * 32 + i / 2 * 16) * n + column0 + warp % 2 * 32 + i % 2 * 16, sum[i / 2][i % 2], n,
                            wmma::mem_row_major);
  __syncthreads();
  for (int i = t; i < depth / deep * warps * times; i += 128)
    clocks[(blockIdx.y * gridDim.x + blockIdx.x) * steps_kept * warps * times + i] = kept[i];
}

int main() {
  constexpr int most = 8, each = steps_kept * warps * times;
  char* memory;
  unsigned* clocks;
  std::size_t used = 0;
  C(cudaMalloc(&memory, std::size_t{256} << 20));
  C(cudaMalloc(&clocks, most * most * each * sizeof(unsigned)));
  std::vector<unsigned> read(most * most * each);
  for (const int side : {1, 2, 4, 8})
    for (const int depth : {256, 512}) {
      const std::size_t bytes = std::size_t{64} * 1024 * ((side * tile * depth * 2 + 65535) / 65536);
      char* const a = memory + used;
      used = (used + 2 * bytes + std::size_t{4} * side * tile * side * tile + (2 << 20) - 1) >> 21 << 21;
      multiply<<<dim3(side, side), warps * 32>>>(reinterpret_cast<half*>(a), reinterpret_cast<half*>(a + bytes),
                                                 reinterpret_cast<float*>(a + 2 * bytes), side * tile, depth, clocks);
      C(cudaMemcpy(read.data(), clocks, read.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
      double first = 0, second = 0, step = 0;
      int counted = 0;
      for (int block = 0; block < side * side; ++block)
        for (int i = 1; i < depth / deep; ++i)
          for (int warp = 0; warp < warps; ++warp, ++counted) {
            const unsigned* const now = &read[block * each + (i * warps + warp) * times];
            first += now[1] - now[0];
            second += now[2] - now[0];
            step += now[0] - now[-warps * times];
          }
      std::printf("%d_%d %.1f %.1f %.1f\n", side, depth, first / counted, second / counted, step / counted);
    }
}
