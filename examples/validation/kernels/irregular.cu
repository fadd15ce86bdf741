// Gathers, scatters, searches, chains of dependent loads.

#include <cstdint>

extern "C" __global__ void gather_32(const uint32_t* index, const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = in[index[i]];
  }
}

extern "C" __global__ void gather_128(const uint32_t* index, const float4* in, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[index[i]];
  }
}

extern "C" __global__ void scatter_32(const uint32_t* index, const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[index[i]] = in[i];
  }
}

// An index of an index.
extern "C" __global__ void gather_twice(const uint32_t* first, const uint32_t* second, const uint32_t* in,
                                        uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[second[first[i]]];
  }
}

// Each thread follows `next` from its own start: one load in flight a thread.
extern "C" __global__ void pointer_chase(const uint32_t* next, uint32_t* out, int steps, int n) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t at = (thread * 7919U) % static_cast<uint32_t>(n);
  for (int i = 0; i < steps; ++i) {
    at = next[at];
  }
  out[thread] = at;
}

extern "C" __global__ void binary_search(const uint32_t* sorted, const uint32_t* keys, uint32_t* place, int size,
                                         int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  const uint32_t key = keys[i];
  int low = 0;
  int high = size;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  place[i] = static_cast<uint32_t>(low);
}

// Keeps the words that pass a test, in order in each block: ballots and a shared count.
extern "C" __global__ void compact_block(const uint32_t* in, uint32_t* out, uint32_t* kept, uint32_t limit, int n) {
  __shared__ uint32_t warps[8];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  const uint32_t v = i < n ? in[i] : 0xFFFFFFFFU;
  const bool keep = i < n && v < limit;
  const unsigned votes = __ballot_sync(0xFFFFFFFFU, keep);
  if (t % 32 == 0) {
    warps[t / 32] = static_cast<uint32_t>(__popc(votes));
  }
  __syncthreads();
  uint32_t before = 0;
  uint32_t all = 0;
  for (int w = 0; w < 8; ++w) {
    before += w < t / 32 ? warps[w] : 0;
    all += warps[w];
  }
  if (keep) {
    out[blockIdx.x * 256 + before + static_cast<uint32_t>(__popc(votes & ((1U << (t % 32)) - 1U)))] = v;
  }
  if (t == 0) {
    kept[blockIdx.x] = all;
  }
}
