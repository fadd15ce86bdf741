// Convolutions: one-dimensional with the filter in constant memory, direct and tiled in two, depthwise.

#include <cstdint>

__constant__ float kTaps[25] = {0.01F, 0.02F, 0.03F, 0.02F, 0.01F, 0.02F, 0.05F, 0.08F, 0.05F,
                                0.02F, 0.03F, 0.08F, 0.16F, 0.08F, 0.03F, 0.02F, 0.05F, 0.08F,
                                0.05F, 0.02F, 0.01F, 0.02F, 0.03F, 0.02F, 0.01F};

extern "C" __global__ void conv_1d(const float* in, float* out, int n) {
  __shared__ float line[256 + 24];
  const int base = blockIdx.x * 256;
  for (int i = threadIdx.x; i < 280; i += 256) {
    const int at = base + i - 12;
    line[i] = at >= 0 && at < n ? in[at] : 0.0F;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 25; ++k) {
    sum = fmaf(kTaps[k], line[threadIdx.x + k], sum);
  }
  if (base + static_cast<int>(threadIdx.x) < n) {
    out[base + threadIdx.x] = sum;
  }
}

// 5 x 5, every tap from global memory, filter from global memory.
extern "C" __global__ void conv_2d_direct(const float* in, const float* filter, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  float sum = 0;
  for (int dy = 0; dy < 5; ++dy) {
    for (int dx = 0; dx < 5; ++dx) {
      const int sx = min(max(x + dx - 2, 0), width - 1);
      const int sy = min(max(y + dy - 2, 0), height - 1);
      sum = fmaf(filter[dy * 5 + dx], in[sy * width + sx], sum);
    }
  }
  out[y * width + x] = sum;
}

// 5 x 5 with a tile of 20 x 20 in shared memory and the filter in constant memory; block 16 x 16.
extern "C" __global__ void conv_2d_tiled(const float* in, float* out, int width, int height) {
  __shared__ float tile[20][20];
  const int x0 = blockIdx.x * 16 - 2;
  const int y0 = blockIdx.y * 16 - 2;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256) {
    const int x = x0 + i % 20;
    const int y = y0 + i / 20;
    tile[i / 20][i % 20] = x >= 0 && y >= 0 && x < width && y < height ? in[y * width + x] : 0.0F;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 5; ++dy) {
#pragma unroll
    for (int dx = 0; dx < 5; ++dx) {
      sum = fmaf(kTaps[dy * 5 + dx], tile[threadIdx.y + dy][threadIdx.x + dx], sum);
    }
  }
  const int x = x0 + 2 + threadIdx.x;
  const int y = y0 + 2 + threadIdx.y;
  if (x < width && y < height) {
    out[y * width + x] = sum;
  }
}

// 3 x 3 over `channels` planes, a filter a plane; eight outputs a thread share their loads.
extern "C" __global__ void conv_depthwise(const float* in, const float* filters, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * 8;
  if (x < 1 || x >= width - 1 || y0 < 1 || y0 + 8 >= height) {
    return;
  }
  const float* plane = in + static_cast<int64_t>(blockIdx.z) * width * height;
  float* result = out + static_cast<int64_t>(blockIdx.z) * width * height;
  float w[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    w[i] = filters[blockIdx.z * 9 + i];
  }
  float v[10][3];
#pragma unroll
  for (int r = 0; r < 10; ++r) {
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      v[r][c] = plane[(y0 + r - 1) * width + x + c - 1];
    }
  }
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      sum = fmaf(w[k], v[r + k / 3][k % 3], sum);
    }
    result[(y0 + r) * width + x] = fmaxf(sum, 0.0F);
  }
}

// A convolution as networks have it: 3 x 3, C input channels, each block 16 output channels x 64 pixels.
extern "C" __global__ void conv_channels(const float* in, const float* filters, float* out, int channels, int width,
                                         int height) {
  __shared__ float patch[3][66];
  __shared__ float w[16][9];
  const int tx = threadIdx.x;  // 64
  const int ty = threadIdx.y;  // 4
  const int t = ty * 64 + tx;
  const int x0 = blockIdx.x * 64;
  const int y = blockIdx.y;
  const int k0 = blockIdx.z * 16;
  float sum[4] = {};
  for (int c = 0; c < channels; ++c) {
    __syncthreads();
    for (int i = t; i < 198; i += 256) {
      const int sx = x0 + i % 66 - 1;
      const int sy = y + i / 66 - 1;
      const bool inside = sx >= 0 && sy >= 0 && sx < width && sy < height;
      patch[i / 66][i % 66] = inside ? in[(c * height + sy) * width + sx] : 0.0F;
    }
    if (t < 144) {
      w[t / 9][t % 9] = filters[((k0 + t / 9) * channels + c) * 9 + t % 9];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      const float v = patch[k / 3][tx + k % 3];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        sum[j] = fmaf(w[ty * 4 + j][k], v, sum[j]);
      }
    }
  }
  if (x0 + tx < width) {
    for (int j = 0; j < 4; ++j) {
      out[((k0 + ty * 4 + j) * height + y) * width + x0 + tx] = sum[j];
    }
  }
}
