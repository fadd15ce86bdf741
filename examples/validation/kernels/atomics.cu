// Atomics: hot and spread, in global and in shared memory, on integers and floats, with and without a result.

#include <cstdint>

// All lanes add to one word.
extern "C" __global__ void atomic_hot(uint32_t* out, int times) {
  for (int i = 0; i < times; ++i) {
    atomicAdd(out, threadIdx.x ^ static_cast<uint32_t>(i));
  }
}

// Each lane adds to a word of its own choice among `slots` (a power of two).
extern "C" __global__ void atomic_spread(const uint32_t* in, uint32_t* out, uint32_t slots, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&out[in[i] & (slots - 1U)], 1U);
  }
}

extern "C" __global__ void atomic_float(const uint32_t* in, float* out, uint32_t slots, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&out[in[i] & (slots - 1U)], 0.5F);
  }
}

extern "C" __global__ void atomic_max_u64(const uint32_t* in, unsigned long long* out, uint32_t slots, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const uint32_t v = in[i];
    atomicMax(&out[v & (slots - 1U)], (static_cast<unsigned long long>(v) << 32) | static_cast<uint32_t>(i));
  }
}

// The old value is used: a chain of round trips to the L2.
extern "C" __global__ void atomic_result(uint32_t* words, uint32_t* out, int times) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t sum = 0;
  for (int i = 0; i < times; ++i) {
    sum += atomicExch(&words[thread], sum + thread);
  }
  out[thread] = sum;
}

extern "C" __global__ void atomic_shared_hot(uint32_t* out, int times) {
  __shared__ uint32_t cell[2];
  if (threadIdx.x < 2) {
    cell[threadIdx.x] = 0;
  }
  __syncthreads();
  for (int i = 0; i < times; ++i) {
    atomicMax(&cell[i & 1], threadIdx.x * 31U + static_cast<uint32_t>(i));
  }
  __syncthreads();
  if (threadIdx.x < 2) {
    out[blockIdx.x * 2 + threadIdx.x] = cell[threadIdx.x];
  }
}

extern "C" __global__ void atomic_shared_spread(uint32_t* out, int times) {
  __shared__ uint32_t cell[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    cell[i] = 0;
  }
  __syncthreads();
  uint32_t state = threadIdx.x * 2654435761U + 1U;
  for (int i = 0; i < times; ++i) {
    state = state * 1664525U + 1013904223U;
    atomicAdd(&cell[state >> 22], 1U);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    out[blockIdx.x * 1024 + i] = cell[i];
  }
}

// Floats in shared memory are added by a loop of compare-and-swap; values are whole, so the sum is exact.
extern "C" __global__ void atomic_shared_float(const uint32_t* in, float* out, int n) {
  __shared__ float cell[64];
  if (threadIdx.x < 64) {
    cell[threadIdx.x] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint32_t v = in[i];
    atomicAdd(&cell[v & 63U], static_cast<float>(v >> 28));
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    out[blockIdx.x * 64 + threadIdx.x] = cell[threadIdx.x];
  }
}
