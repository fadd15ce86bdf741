// Histograms of bytes, 256 bins: straight to global memory, a block's bins, a warp's bins.

#include <cstdint>

extern "C" __global__ void histogram_global(const uint32_t* in, uint32_t* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[in[i] & 255U], 1U);
  }
}

extern "C" __global__ void histogram_shared(const uint32_t* in, uint32_t* bins, int n) {
  __shared__ uint32_t mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    mine[b] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint32_t v = in[i];
    atomicAdd(&mine[v & 255U], 1U);
    atomicAdd(&mine[(v >> 8) & 255U], 1U);
    atomicAdd(&mine[(v >> 16) & 255U], 1U);
    atomicAdd(&mine[v >> 24], 1U);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    atomicAdd(&bins[b], mine[b]);
  }
}

// Block of 256: each of the eight warps has its own bins, merged at the end.
extern "C" __global__ void histogram_warps(const uint32_t* in, uint32_t* bins, int n) {
  __shared__ uint32_t mine[8][256];
  for (int b = threadIdx.x; b < 8 * 256; b += 256) {
    mine[b / 256][b % 256] = 0;
  }
  __syncthreads();
  uint32_t* own = mine[threadIdx.x / 32];
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    atomicAdd(&own[in[i] & 255U], 1U);
  }
  __syncthreads();
  uint32_t sum = 0;
  for (int w = 0; w < 8; ++w) {
    sum += mine[w][threadIdx.x];
  }
  atomicAdd(&bins[threadIdx.x], sum);
}
