// Matrix transposes: naive, through a tile with and without padding.

#include <cstdint>

// Reads rows, writes columns: 32 sectors a store.
extern "C" __global__ void transpose_naive(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (x < width && y + k < height) {
      out[x * height + y + k] = in[(y + k) * width + x];
    }
  }
}

template <class T, int kPitch>
__device__ __forceinline__ void transpose_tile(const T* in, T* out, int width, int height) {
  __shared__ T tile[32][kPitch];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (x < width && y + k < height) {
      tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (x < height && y + k < width) {
      out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
    }
  }
}

// Every read of the tile's column is a 32-way bank conflict.
extern "C" __global__ void transpose_tiled(const float* in, float* out, int width, int height) {
  transpose_tile<float, 32>(in, out, width, height);
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int width, int height) {
  transpose_tile<float, 33>(in, out, width, height);
}

extern "C" __global__ void transpose_padded_f64(const double* in, double* out, int width, int height) {
  transpose_tile<double, 33>(in, out, width, height);
}
