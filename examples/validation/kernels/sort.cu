// Sorting: bitonic in shared memory, one bitonic pass over global memory, radix passes, merging.

#include <cstdint>

// Each block sorts its 1024 words with 512 threads.
extern "C" __global__ void bitonic_block(const uint32_t* in, uint32_t* out, int n) {
  __shared__ uint32_t cell[1024];
  const int base = blockIdx.x * 1024;
  for (int i = threadIdx.x; i < 1024; i += 512) {
    cell[i] = base + i < n ? in[base + i] : 0xFFFFFFFFU;
  }
  for (int size = 2; size <= 1024; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const bool up = (i & size) == 0;
      const uint32_t a = cell[i];
      const uint32_t b = cell[i + stride];
      if ((a > b) == up) {
        cell[i] = b;
        cell[i + stride] = a;
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 512) {
    if (base + i < n) {
      out[base + i] = cell[i];
    }
  }
}

// One compare-and-exchange pass of a large bitonic sort, from one array into another.
extern "C" __global__ void bitonic_pass(const uint32_t* in, uint32_t* out, int size, int stride, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  const int other = i ^ stride;
  const uint32_t a = in[i];
  const uint32_t b = in[other];
  const bool up = (i & size) == 0;
  const bool low = i < other;
  out[i] = low == up ? min(a, b) : max(a, b);
}

// Four-bit digits: how many of each a block of 256 threads and 2048 words holds.
extern "C" __global__ void radix_count(const uint32_t* in, uint32_t* counts, int shift, int n) {
  __shared__ uint32_t bins[16];
  if (threadIdx.x < 16) {
    bins[threadIdx.x] = 0;
  }
  __syncthreads();
  const int base = blockIdx.x * 2048;
  for (int i = threadIdx.x; i < 2048; i += 256) {
    const bool there = base + i < n;
    const uint32_t digit = there ? (in[base + i] >> shift) & 15U : 16U;
#pragma unroll
    for (uint32_t d = 0; d < 16; ++d) {
      const unsigned holders = __ballot_sync(0xFFFFFFFFU, digit == d);
      if (threadIdx.x % 32 == d && holders != 0) {
        atomicAdd(&bins[d], __popc(holders));
      }
    }
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
  }
}

// Each block of 256 threads sorts 256 words by their low `bits` bits: a stable split a bit.
extern "C" __global__ void radix_block(const uint32_t* in, uint32_t* out, int bits, int n) {
  __shared__ uint32_t cell[256];
  __shared__ int zeros_of_warp[8];
  const int t = threadIdx.x;
  const int lane = t % 32;
  const int warp = t / 32;
  const int at = blockIdx.x * 256 + t;
  uint32_t v = at < n ? in[at] : 0xFFFFFFFFU;
  for (int bit = 0; bit < bits; ++bit) {
    const bool one = ((v >> bit) & 1U) != 0;
    const unsigned zeros = __ballot_sync(0xFFFFFFFFU, !one);
    if (lane == 0) {
      zeros_of_warp[warp] = __popc(zeros);
    }
    __syncthreads();
    int before = 0;
    int all = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      before += w < warp ? zeros_of_warp[w] : 0;
      all += zeros_of_warp[w];
    }
    before += __popc(zeros & ((1U << lane) - 1U));
    cell[one ? all + t - before : before] = v;
    __syncthreads();
    v = cell[t];
    __syncthreads();
  }
  if (at < n) {
    out[at] = v;
  }
}

// Merges two sorted arrays: each thread finds its element's rank in the other by binary search.
extern "C" __global__ void merge_rank(const uint32_t* a, const uint32_t* b, uint32_t* out, int na, int nb) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= na + nb) {
    return;
  }
  const bool first = i < na;
  const uint32_t v = first ? a[i] : b[i - na];
  const uint32_t* other = first ? b : a;
  int low = 0;
  int high = first ? nb : na;
  while (low < high) {
    const int middle = (low + high) / 2;
    const bool right = first ? other[middle] < v : other[middle] <= v;
    if (right) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[(first ? i : i - na) + low] = v;
}
