// Stencils in two and three dimensions; borders are copied.

#include <cstdint>

extern "C" __global__ void stencil_2d(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  const int i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[i] = in[i];
    return;
  }
  out[i] = 0.5F * in[i] + 0.125F * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

// Block of 32 x 8; the tile and a halo of one in shared memory; outside counts as zero.
extern "C" __global__ void stencil_2d_shared(const float* in, float* out, int width, int height) {
  __shared__ float tile[10][34];
  const int x0 = blockIdx.x * 32 - 1;
  const int y0 = blockIdx.y * 8 - 1;
  const int t = threadIdx.y * 32 + threadIdx.x;
  for (int i = t; i < 340; i += 256) {
    const int x = x0 + i % 34;
    const int y = y0 + i / 34;
    const bool inside = x >= 0 && y >= 0 && x < width && y < height;
    tile[i / 34][i % 34] = inside ? in[y * width + x] : 0.0F;
  }
  __syncthreads();
  const int x = x0 + 1 + threadIdx.x;
  const int y = y0 + 1 + threadIdx.y;
  if (x < width && y < height) {
    const int a = threadIdx.y + 1;
    const int b = threadIdx.x + 1;
    float sum = 0;
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) {
        sum += tile[a + dy][b + dx];
      }
    }
    out[y * width + x] = sum * 0.111F;
  }
}

extern "C" __global__ void stencil_3d(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= nx || y >= ny) {
    return;
  }
  const int plane = nx * ny;
  const int i = z * plane + y * nx + x;
  if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
    out[i] = in[i];
    return;
  }
  out[i] = 0.4F * in[i] +
           0.1F * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane]);
}

// Each thread marches along z and keeps its column's three planes in registers.
extern "C" __global__ void stencil_3d_march(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) {
    return;
  }
  const int plane = nx * ny;
  int i = y * nx + x;
  float below = in[i];
  float here = in[i + plane];
  for (int z = 1; z < nz - 1; ++z) {
    i += plane;
    const float above = in[i + plane];
    out[i] = 0.4F * here + 0.1F * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    below = here;
    here = above;
  }
}

extern "C" __global__ void stencil_2d_f64(const double* in, double* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) {
    return;
  }
  const int i = y * width + x;
  const double near = in[i - 1] + in[i + 1] + in[i - width] + in[i + width];
  const double far = in[i - 2] + in[i + 2] + in[i - 2 * width] + in[i + 2 * width];
  out[i] = in[i] + 0.01 * (16.0 * near - far - 60.0 * in[i]);
}

// Conway's life on a torus whose sides are powers of two; a byte a cell.
extern "C" __global__ void life(const uint8_t* in, uint8_t* out, int log_width, int log_height) {
  const int width = 1 << log_width;
  const int height = 1 << log_height;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  int alive = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      const int at = (((y + dy) & (height - 1)) << log_width) + ((x + dx) & (width - 1));
      alive += in[at] & 1;
    }
  }
  const int self = in[(y << log_width) + x] & 1;
  out[(y << log_width) + x] = alive == 3 || (self != 0 && alive == 4);
}
