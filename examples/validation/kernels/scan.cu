// Prefix sums: in a warp, in a block, work-efficient in shared memory, and one pass with look-back.

#include <cstdint>

__device__ __forceinline__ uint32_t warp_scan(uint32_t v) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t other = __shfl_up_sync(0xFFFFFFFFU, v, d);
    if (lane >= d) {
      v += other;
    }
  }
  return v;
}

// Inclusive scan of each group of 32 words.
extern "C" __global__ void scan_warp(const uint32_t* in, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t v = warp_scan(i < n ? in[i] : 0);
  if (i < n) {
    out[i] = v;
  }
}

// Inclusive scan of the block's blockDim.x words; `total` gets the block's sum.
__device__ __forceinline__ uint32_t block_scan(uint32_t v, uint32_t* warps, uint32_t* total) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  v = warp_scan(v);
  if (lane == 31) {
    warps[warp] = v;
  }
  __syncthreads();
  if (warp == 0) {
    const uint32_t w = lane < static_cast<int>(blockDim.x / 32) ? warps[lane] : 0;
    warps[lane] = warp_scan(w);
  }
  __syncthreads();
  if (warp > 0) {
    v += warps[warp - 1];
  }
  *total = warps[blockDim.x / 32 - 1];
  return v;
}

extern "C" __global__ void scan_block(const uint32_t* in, uint32_t* out, uint32_t* sums, int n) {
  __shared__ uint32_t warps[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t total = 0;
  const uint32_t v = block_scan(i < n ? in[i] : 0, warps, &total);
  if (i < n) {
    out[i] = v;
  }
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = total;
  }
}

// Blelloch's two sweeps over 1024 words by 512 threads, indices padded against bank conflicts.
extern "C" __global__ void scan_sweeps(const uint32_t* in, uint32_t* out, int n) {
  __shared__ uint32_t cell[1024 + 32];
  const auto at = [](int i) { return i + i / 32; };
  const int t = threadIdx.x;
  const int base = blockIdx.x * 1024;
  cell[at(t)] = base + t < n ? in[base + t] : 0;
  cell[at(t + 512)] = base + t + 512 < n ? in[base + t + 512] : 0;
  int step = 1;
  for (int d = 512; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) {
      cell[at(step * (2 * t + 2) - 1)] += cell[at(step * (2 * t + 1) - 1)];
    }
    step *= 2;
  }
  __syncthreads();
  if (t == 0) {
    cell[at(1023)] = 0;
  }
  for (int d = 1; d < 1024; d *= 2) {
    step /= 2;
    __syncthreads();
    if (t < d) {
      const int low = at(step * (2 * t + 1) - 1);
      const int high = at(step * (2 * t + 2) - 1);
      const uint32_t kept = cell[low];
      cell[low] = cell[high];
      cell[high] += kept;
    }
  }
  __syncthreads();
  if (base + t < n) {
    out[base + t] = cell[at(t)];
  }
  if (base + t + 512 < n) {
    out[base + t + 512] = cell[at(t + 512)];
  }
}

// One pass over the array: a block publishes its sum (state 1), looks back until it meets a block
// that published its inclusive prefix (state 2), then publishes its own. `states` and `ticket` are
// zero before the launch; a state and its 32-bit value share one 64-bit word.
extern "C" __global__ void scan_look_back(const uint32_t* in, uint32_t* out, unsigned long long* states,
                                          unsigned int* ticket, int n) {
  __shared__ uint32_t warps[32];
  __shared__ unsigned int tile;
  __shared__ uint32_t before;
  if (threadIdx.x == 0) {
    tile = atomicAdd(ticket, 1U);
  }
  __syncthreads();
  const int i = static_cast<int>(tile * blockDim.x + threadIdx.x);
  uint32_t total = 0;
  const uint32_t v = block_scan(i < n ? in[i] : 0, warps, &total);
  if (threadIdx.x == 0) {
    volatile unsigned long long* published = states;
    uint32_t sum = 0;
    if (tile > 0) {
      published[tile] = (1ULL << 32) | total;
      for (int look = static_cast<int>(tile) - 1;;) {
        const unsigned long long state = published[look];
        if (state >> 32 == 0) {
          continue;
        }
        sum += static_cast<uint32_t>(state);
        if (state >> 32 == 2) {
          break;
        }
        --look;
      }
    }
    published[tile] = (2ULL << 32) | (sum + total);
    before = sum;
  }
  __syncthreads();
  if (i < n) {
    out[i] = v + before;
  }
}
