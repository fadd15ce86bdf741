// A warp multiplies 16 x 16 x 16 halves so often one after the other, and again so many cycles after it began, as that of
// clock_beside_products (by_hand_h200.json) does. Cycles of 1,980 MHz that go by for each time beyond the SM's own, by the clock of
// nanoseconds.
#include <mma.h>

#include <cstdio>

#include "check.h"

using namespace nvcuda;

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void multiply(int rounds, int products, int gap, unsigned long long* result) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(x, __float2half(1.37F));
  wmma::fill_fragment(y, __float2half(0.77F));
  wmma::fill_fragment(sum, 0.0F);
  const unsigned long long begun = nanoseconds();
  const unsigned first = clock();
  unsigned next = first;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 1
    for (int i = 0; i < products; ++i) wmma::mma_sync(sum, x, y, sum);
    next += gap;
    while (static_cast<int>(clock() - next) < 0) {
    }
  }
  const unsigned last = clock();
  if (threadIdx.x == 0) {
    result[0] = nanoseconds() - begun;
    result[1] = last - first;
  }
  if (sum.x[0] == 12345.0F) result[0] = 0;
}

int main() {
  unsigned long long* result;
  C(cudaMallocManaged(&result, 2 * sizeof(*result)));
  for (const int products : {1, 16})
    for (const int gap : {200, 500, 1000, 1200, 1750, 2000, 3000, 6000, 20000}) {
      if (gap < products * 40) continue;
      const int rounds = 400000 / gap;
      multiply<<<1, 32>>>(rounds, products, gap, result);
      C(cudaDeviceSynchronize());
      const double share = 1.98 * static_cast<double>(result[0]) / static_cast<double>(result[1]) - 1;
      std::printf("%d_%d %.1f\n", products, gap, gap * share);
    }
}
