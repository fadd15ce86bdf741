// Constant and local memory: uniform and divergent constant reads, arrays indexed at run time, spills.

#include <cstdint>

// Linear congruential contents, so that the initialiser stays short in source and image alike.
#define W1(s) (s), (s) * 5U + 1U, (s) * 25U + 6U, (s) * 125U + 31U
#define W2(s) W1(s), W1((s) * 7U + 3U), W1((s) * 11U + 5U), W1((s) * 13U + 9U)
#define W3(s) W2(s), W2((s) * 17U + 1U), W2((s) * 19U + 7U), W2((s) * 23U + 3U)
#define W4(s) W3(s), W3((s) * 29U + 5U), W3((s) * 31U + 1U), W3((s) * 37U + 7U)
#define W5(s) W4(s), W4((s) * 41U + 3U), W4((s) * 43U + 9U), W4((s) * 47U + 5U)
__constant__ uint32_t kTable[4096] = {W5(1U), W5(1000003U), W5(7777777U), W5(123456789U)};

// All lanes read the same word of a table larger than the first constant cache.
extern "C" __global__ void constant_uniform(uint32_t* out, int rounds) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = thread;
  for (int r = 0; r < rounds; ++r) {
    v = v * 3U + kTable[(r * 5 + blockIdx.x) & 511];
  }
  out[thread] = v;
}

extern "C" __global__ void constant_wide(uint32_t* out, int rounds) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = thread;
  for (int r = 0; r < rounds; ++r) {
    v = v * 3U + kTable[(r * 67) & 4095];
  }
  out[thread] = v;
}

// Lanes read `ways` different words (a power of two): the reads are taken one after another.
extern "C" __global__ void constant_divergent(uint32_t* out, int ways, int rounds) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = thread;
  for (int r = 0; r < rounds; ++r) {
    v = v * 3U + kTable[((thread & static_cast<uint32_t>(ways - 1)) * 33U + static_cast<uint32_t>(r)) & 1023U];
  }
  out[thread] = v;
}

// A small array a thread, indexed by data: local memory, coalesced when lanes agree.
extern "C" __global__ void local_array(const uint32_t* in, uint32_t* out, int rounds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  uint32_t bins[32];
  for (int b = 0; b < 32; ++b) {
    bins[b] = static_cast<uint32_t>(b);
  }
  uint32_t v = in[i];
  for (int r = 0; r < rounds; ++r) {
    bins[v & 31U] += v >> 9;
    v = v * 1664525U + bins[(v >> 7) & 31U];
  }
  uint32_t sum = v;
  for (int b = 0; b < 32; ++b) {
    sum = sum * 31U + bins[b];
  }
  out[i] = sum;
}

// The same index in every lane.
extern "C" __global__ void local_uniform(uint32_t* out, int rounds) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t ring[64];
  for (int b = 0; b < 64; ++b) {
    ring[b] = thread + static_cast<uint32_t>(b);
  }
  uint32_t v = thread;
  for (int r = 0; r < rounds; ++r) {
    v += ring[(r * 7) & 63];
    ring[(r * 11) & 63] = v ^ static_cast<uint32_t>(r);
  }
  out[thread] = v + ring[thread & 63U];
}

// More live values than the launch bounds allow registers: spills.
extern "C" __global__ void __launch_bounds__(1024, 2) spilled(const float* in, float* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float v[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) {
    v[i] = in[thread] * static_cast<float>(i + 1);
  }
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < 48; ++i) {
      v[i] = fmaf(v[i], 0.5F, v[(i + 17) % 48]);
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 48; ++i) {
    sum += v[i];
  }
  out[thread] = sum;
}

// Textures' stand-in: read-only loads through the L1 with heavy reuse between neighbours.
extern "C" __global__ void read_only_reuse(const float* __restrict__ in, float* __restrict__ out, int window, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + window > n) {
    return;
  }
  float sum = 0;
  for (int k = 0; k < window; ++k) {
    sum += __ldg(&in[i + k]);
  }
  out[i] = sum;
}
