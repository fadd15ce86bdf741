// Sparse matrices: CSR a thread or a warp a row, COO by atomics, ELL, and a dense right-hand side.

#include <cstdint>

extern "C" __global__ void spmv_csr_scalar(const uint32_t* rows, const uint32_t* columns, const float* values,
                                           const float* x, float* y, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) {
    return;
  }
  float sum = 0;
  for (uint32_t i = rows[row]; i < rows[row + 1]; ++i) {
    sum = fmaf(values[i], x[columns[i]], sum);
  }
  y[row] = sum;
}

extern "C" __global__ void spmv_csr_vector(const uint32_t* rows, const uint32_t* columns, const float* values,
                                           const float* x, float* y, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= n) {
    return;
  }
  float sum = 0;
  const uint32_t end = rows[row + 1];
  for (uint32_t i = rows[row] + lane; i < end; i += 32) {
    sum = fmaf(values[i], x[columns[i]], sum);
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_down_sync(0xFFFFFFFFU, sum, d);
  }
  if (lane == 0) {
    y[row] = sum;
  }
}

extern "C" __global__ void spmv_coo(const uint32_t* rows, const uint32_t* columns, const float* values,
                                    const float* x, float* y, int entries) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < entries; i += gridDim.x * blockDim.x) {
    atomicAdd(&y[rows[i]], values[i] * x[columns[i]]);
  }
}

// Column-major with a fixed number of entries a row.
extern "C" __global__ void spmv_ell(const uint32_t* columns, const float* values, const float* x, float* y, int n,
                                    int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) {
    return;
  }
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    sum = fmaf(values[k * n + row], x[columns[k * n + row]], sum);
  }
  y[row] = sum;
}

// Thirty-two dense columns: a warp a row, a lane a column.
extern "C" __global__ void spmm_csr(const uint32_t* rows, const uint32_t* columns, const float* values,
                                    const float* b, float* c, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= n) {
    return;
  }
  float sum = 0;
  const uint32_t end = rows[row + 1];
  for (uint32_t i = rows[row]; i < end; ++i) {
    sum = fmaf(values[i], b[columns[i] * 32 + lane], sum);
  }
  c[row * 32 + lane] = sum;
}
