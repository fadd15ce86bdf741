// Kernels so short that the launch, the first fetch and the last write are what they cost.

#include <cstdint>

extern "C" __global__ void tiny_empty() {}

extern "C" __global__ void tiny_store(uint32_t* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

extern "C" __global__ void tiny_one_thread(const uint32_t* in, uint32_t* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out[0] = in[0] + in[1];
  }
}

// A hundred parameters' worth of constant bank would be unusual; eight are not.
extern "C" __global__ void tiny_many_arguments(uint32_t* out, uint32_t a, uint32_t b, uint32_t c, uint32_t d, float e,
                                               double f, int64_t g) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a * i + b + (c ^ d) + static_cast<uint32_t>(e) + static_cast<uint32_t>(f) + static_cast<uint32_t>(g);
}

extern "C" __global__ void tiny_barrier(const uint32_t* in, uint32_t* out) {
  __shared__ uint32_t cell[256];
  cell[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = cell[255 - threadIdx.x];
}
