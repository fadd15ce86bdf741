// Streaming: every element is read or written once, in accesses of 8 to 128 bits.

#include <cstdint>

#define GRID_STRIDE(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

extern "C" __global__ void copy_8(const uint8_t* in, uint8_t* out, int n) {
  GRID_STRIDE(i, n) { out[i] = in[i]; }
}

extern "C" __global__ void copy_32(const float* in, float* out, int n) {
  GRID_STRIDE(i, n) { out[i] = in[i]; }
}

extern "C" __global__ void copy_64(const float2* in, float2* out, int n) {
  GRID_STRIDE(i, n) { out[i] = in[i]; }
}

extern "C" __global__ void copy_128(const float4* in, float4* out, int n) {
  GRID_STRIDE(i, n) { out[i] = in[i]; }
}

extern "C" __global__ void scale_32(const float* in, float* out, float a, int n) {
  GRID_STRIDE(i, n) { out[i] = a * in[i]; }
}

extern "C" __global__ void triad_32(const float* b, const float* c, float* a, float s, int n) {
  GRID_STRIDE(i, n) { a[i] = b[i] + s * c[i]; }
}

extern "C" __global__ void triad_128(const float4* b, const float4* c, float4* a, float s, int n) {
  GRID_STRIDE(i, n) {
    const float4 x = b[i];
    const float4 y = c[i];
    a[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
  }
}

extern "C" __global__ void triad_f64(const double* b, const double* c, double* a, double s, int n) {
  GRID_STRIDE(i, n) { a[i] = b[i] + s * c[i]; }
}

extern "C" __global__ void fill_128(uint4* out, uint32_t value, int n) {
  GRID_STRIDE(i, n) { out[i] = make_uint4(value, value + i, value ^ i, value - i); }
}

// Reads only: four independent loads are in flight, one word a thread is written.
extern "C" __global__ void read_128(const uint4* in, uint32_t* out, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  uint32_t sum = 0;
#pragma unroll 4
  for (int i = thread; i < n; i += threads) {
    const uint4 v = in[i];
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  out[thread] = sum;
}

// A warp touches 32 words that lie `stride` words apart.
extern "C" __global__ void read_strided(const uint32_t* in, uint32_t* out, int stride, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < n) {
    out[thread] = in[static_cast<int64_t>(thread) * stride] + 1;
  }
}

// Each block reads its own chunk `passes` times: the chunk's size decides which cache serves it.
extern "C" __global__ void read_again(const uint4* in, uint32_t* out, int chunk, int passes) {
  const uint4* mine = in + static_cast<int64_t>(blockIdx.x) * chunk;
  uint32_t sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (int i = threadIdx.x; i < chunk; i += blockDim.x) {
      const uint4 v = mine[i];
      sum = sum * 3 + (v.x ^ v.y ^ v.z ^ v.w);
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
