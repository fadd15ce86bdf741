// Warps among themselves: shuffles, votes, matches, barriers.

#include <cstdint>

extern "C" __global__ void shuffle_butterfly(const uint32_t* in, uint32_t* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = in[thread];
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      v += __shfl_xor_sync(0xFFFFFFFFU, v, d) * 3U;
    }
  }
  out[thread] = v;
}

// Any lane to any lane.
extern "C" __global__ void shuffle_index(const uint32_t* in, uint32_t* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = in[thread];
  uint32_t w = v * 7U;
  for (int r = 0; r < rounds; ++r) {
    v = __shfl_sync(0xFFFFFFFFU, w, static_cast<int>(v & 31U)) + 1U;
    w = __shfl_sync(0xFFFFFFFFU, v, static_cast<int>(w & 31U)) ^ w;
  }
  out[thread] = v ^ w;
}

extern "C" __global__ void vote_and_match(const uint32_t* in, uint32_t* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = in[thread];
  uint32_t sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const unsigned odd = __ballot_sync(0xFFFFFFFFU, (v & 1U) != 0);
    const unsigned like = __match_any_sync(0xFFFFFFFFU, v & 7U);
    sum += odd ^ like;
    sum += __any_sync(0xFFFFFFFFU, v % 97U == 0U) ? 1U : 0U;
    v = v * 1664525U + (sum >> 3);
  }
  out[thread] = sum;
}

// A barrier after every few instructions; the neighbour's value crosses warps.
extern "C" __global__ void barrier_ring(const uint32_t* in, uint32_t* out, int rounds) {
  extern __shared__ uint32_t ring[];
  const int size = static_cast<int>(blockDim.x);
  const int t = threadIdx.x;
  uint32_t v = in[blockIdx.x * size + t];
  for (int r = 0; r < rounds; ++r) {
    uint32_t* now = ring + (r & 1) * size;
    now[t] = v;
    __syncthreads();
    v = v * 5U + now[(t + 33) % size];
  }
  out[blockIdx.x * size + t] = v;
}

// Warps arrive at unequal times: the last warp of the block does the most work before each barrier.
extern "C" __global__ void barrier_uneven(uint32_t* out, int rounds) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = thread;
  uint32_t votes = 0;
  for (int r = 0; r < rounds; ++r) {
    const int steps = static_cast<int>((threadIdx.x / 32U + static_cast<uint32_t>(r)) % 8U) * 4;
    for (int i = 0; i < steps; ++i) {
      v = v * 1664525U + static_cast<uint32_t>(i);
    }
    votes += static_cast<uint32_t>(__syncthreads_count(static_cast<int>((v >> 16) & 1U)));
  }
  out[thread] = v + votes;
}

// Shared memory with a chosen stride: 1, 2, 4 … 32-way bank conflicts.
extern "C" __global__ void bank_stride(uint32_t* out, int stride, int rounds) {
  __shared__ uint32_t cell[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
    cell[i] = static_cast<uint32_t>(i) * 2654435761U;
  }
  __syncthreads();
  uint32_t at = threadIdx.x % 32U * static_cast<uint32_t>(stride);
  uint32_t sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += cell[(at + static_cast<uint32_t>(r)) & 4095U];
    sum ^= cell[(at + static_cast<uint32_t>(r) * 37U) & 4095U];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// 128-bit shared accesses.
extern "C" __global__ void shared_wide(const uint4* in, uint4* out, int rounds) {
  __shared__ uint4 cell[256];
  const int t = threadIdx.x;
  uint4 v = in[blockIdx.x * 256 + t];
  for (int r = 0; r < rounds; ++r) {
    cell[t] = v;
    __syncthreads();
    const uint4 w = cell[(t * 5 + r) & 255];
    v = make_uint4(v.x + w.y, v.y ^ w.z, v.z + w.w, v.w ^ w.x);
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = v;
}
