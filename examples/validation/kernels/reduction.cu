// Reductions: shared-memory tree, shuffles, atomics, and pairs of value and place.

#include <cstdint>

__device__ __forceinline__ int warp_sum(int v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    v += __shfl_down_sync(0xFFFFFFFFU, v, d);
  }
  return v;
}

// The tree with a barrier at each level; block of 256, a block sums 512 words.
extern "C" __global__ void reduce_shared(const int* in, int* out, int n) {
  __shared__ int cell[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 512 + t;
  cell[t] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      cell[t] += cell[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = cell[0];
  }
}

extern "C" __global__ void reduce_shuffle(const int* in, int* out, int n) {
  __shared__ int partial[32];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  sum = warp_sum(sum);
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  if (lane == 0) {
    partial[warp] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    sum = lane < static_cast<int>(blockDim.x / 32) ? partial[lane] : 0;
    sum = warp_sum(sum);
    if (lane == 0) {
      out[blockIdx.x] = sum;
    }
  }
}

// 128-bit loads; one atomic a block.
extern "C" __global__ void reduce_atomic(const int4* in, int* out, int n) {
  __shared__ int total;
  if (threadIdx.x == 0) {
    total = 0;
  }
  __syncthreads();
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&total, sum);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(out, total);
  }
}

extern "C" __global__ void dot_f32(const float* a, const float* b, float* out, int n) {
  __shared__ float partial[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum = fmaf(a[i], b[i], sum);
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, d);
  }
  if (threadIdx.x % 32 == 0) {
    partial[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < 8; ++i) {
      total += partial[i];
    }
    out[blockIdx.x] = total;
  }
}

// The largest value and the first place that holds it; block of 256.
extern "C" __global__ void argmax_f32(const float* in, float* best_value, int* best_place, int n) {
  __shared__ float values[256];
  __shared__ int places[256];
  float value = -1e30F;
  int place = 0x7FFFFFFF;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float v = in[i];
    if (v > value) {
      value = v;
      place = i;
    }
  }
  values[threadIdx.x] = value;
  places[threadIdx.x] = place;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = values[threadIdx.x + half];
      const int other_place = places[threadIdx.x + half];
      if (other > values[threadIdx.x] || (other == values[threadIdx.x] && other_place < places[threadIdx.x])) {
        values[threadIdx.x] = other;
        places[threadIdx.x] = other_place;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    best_value[blockIdx.x] = values[0];
    best_place[blockIdx.x] = places[0];
  }
}

// A warp a row of a matrix: the maximum along rows in double precision.
extern "C" __global__ void row_max_f64(const double* in, double* out, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) {
    return;
  }
  double best = -1e300;
  for (int c = lane; c < columns; c += 32) {
    best = fmax(best, in[static_cast<int64_t>(row) * columns + c]);
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    best = fmax(best, __shfl_xor_sync(0xFFFFFFFFU, best, d));
  }
  if (lane == 0) {
    out[row] = best;
  }
}
