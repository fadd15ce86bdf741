// Matrix products in single and double precision, row-major C = A B, sizes multiples of the tile.

#include <cstdint>

extern "C" __global__ void gemm_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) {
    return;
  }
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    sum = fmaf(a[row * k + i], b[i * n + column], sum);
  }
  c[row * n + column] = sum;
}

template <class T>
__device__ __forceinline__ void gemm_tile16(const T* a, const T* b, T* c, int n, int k) {
  __shared__ T as[16][16];
  __shared__ T bs[16][16];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty;
  const int column = blockIdx.x * 16 + tx;
  T sum = 0;
  for (int base = 0; base < k; base += 16) {
    as[ty][tx] = a[row * k + base + tx];
    bs[ty][tx] = b[(base + ty) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      sum += as[ty][i] * bs[i][tx];
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void gemm_shared(const float* a, const float* b, float* c, int m, int n, int k) {
  gemm_tile16(a, b, c, n, k);
}

extern "C" __global__ void gemm_shared_f64(const double* a, const double* b, double* c, int m, int n, int k) {
  gemm_tile16(a, b, c, n, k);
}

// A block's tile of kTile x kTile, 256 threads in 16 x 16, kPer x kPer results a thread.
template <int kTile, int kPer>
__device__ __forceinline__ void gemm_registers(const float* a, const float* b, float* c, int n, int k) {
  constexpr int kDepth = 8;
  __shared__ float as[kDepth][kTile];
  __shared__ float bs[kDepth][kTile];
  const int t = threadIdx.x;
  const int tx = t % 16;
  const int ty = t / 16;
  const int row0 = blockIdx.y * kTile;
  const int column0 = blockIdx.x * kTile;
  float sum[kPer][kPer] = {};
  for (int base = 0; base < k; base += kDepth) {
    for (int i = t; i < kTile * kDepth; i += 256) {
      as[i % kDepth][i / kDepth] = a[(row0 + i / kDepth) * k + base + i % kDepth];
      bs[i / kTile][i % kTile] = b[(base + i / kTile) * n + column0 + i % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      float x[kPer], y[kPer];
#pragma unroll
      for (int i = 0; i < kPer; ++i) {
        x[i] = as[d][ty * kPer + i];
        y[i] = bs[d][tx * kPer + i];
      }
#pragma unroll
      for (int i = 0; i < kPer; ++i) {
#pragma unroll
        for (int j = 0; j < kPer; ++j) {
          sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kPer; ++i) {
#pragma unroll
    for (int j = 0; j < kPer; ++j) {
      c[(row0 + ty * kPer + i) * n + column0 + tx * kPer + j] = sum[i][j];
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
    gemm_register4(const float* a, const float* b, float* c, int m, int n, int k) {
  gemm_registers<64, 4>(a, b, c, n, k);
}

extern "C" __global__ void __launch_bounds__(256)
    gemm_register8(const float* a, const float* b, float* c, int m, int n, int k) {
  gemm_registers<128, 8>(a, b, c, n, k);
}

// y = A x, a warp a row.
extern "C" __global__ void gemv_warp(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) {
    return;
  }
  const float4* line = reinterpret_cast<const float4*>(a + static_cast<int64_t>(row) * columns);
  const float4* vector = reinterpret_cast<const float4*>(x);
  float sum = 0;
  for (int i = lane; i < columns / 4; i += 32) {
    const float4 p = line[i];
    const float4 q = vector[i];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, d);
  }
  if (lane == 0) {
    y[row] = sum;
  }
}
