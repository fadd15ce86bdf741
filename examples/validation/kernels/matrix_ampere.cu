// Matrix cores as Ampere has them, and asynchronous copies. Minimum architecture: sm_80.

#include <cuda_pipeline_primitives.h>

#include <cstdint>

// bf16 m16n8k16 over 64 x 64 of C a block of four warps, cp.async in two stages, ldmatrix; B column-major.
extern "C" __global__ void mma_bf16_pipelined(const uint16_t* a, const uint16_t* b, float* c, int n, int k) {
  __shared__ __align__(16) uint16_t as[2][64][40];
  __shared__ __align__(16) uint16_t bs[2][64][40];
  const int t = threadIdx.x;
  const int lane = t % 32;
  const int warp = t / 32;
  const int row0 = blockIdx.y * 64;
  const int column0 = blockIdx.x * 64;
  const auto load = [&](int stage, int base) {
    for (int i = t; i < 256; i += 128) {
      const int line = i / 4;
      const int part = i % 4 * 8;
      __pipeline_memcpy_async(&as[stage][line][part], a + (row0 + line) * k + base + part, 16);
      __pipeline_memcpy_async(&bs[stage][line][part], b + (column0 + line) * k + base + part, 16);
    }
    __pipeline_commit();
  };
  float sum[8][4] = {};
  load(0, 0);
  for (int base = 0; base < k; base += 32) {
    const int stage = base / 32 % 2;
    if (base + 32 < k) {
      load(stage ^ 1, base + 32);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < 32; d += 16) {
      uint32_t x[4];
      const auto from_a =
          static_cast<uint32_t>(__cvta_generic_to_shared(&as[stage][warp * 16 + lane % 16][d + lane / 16 * 8]));
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "r"(from_a));
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        uint32_t y[2];
        const auto from_b =
            static_cast<uint32_t>(__cvta_generic_to_shared(&bs[stage][j * 8 + lane % 8][d + lane / 8 % 2 * 8]));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(y[0]), "=r"(y[1])
                     : "r"(from_b));
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    float* to = c + (row0 + warp * 16 + lane / 4) * n + column0 + j * 8 + lane % 4 * 2;
    *reinterpret_cast<float2*>(to) = make_float2(sum[j][0], sum[j][1]);
    *reinterpret_cast<float2*>(to + 8 * n) = make_float2(sum[j][2], sum[j][3]);
  }
}

// fp64 m8n8k4: a warp 16 x 16 of C from global memory; A row-major, B column-major.
extern "C" __global__ void mma_f64(const double* a, const double* b, double* c, int n, int k) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + warp / 2 * 16 + lane / 4;
  const int column = blockIdx.x * 32 + warp % 2 * 16 + lane / 4;
  double sum[2][2][2] = {};
  for (int i = lane % 4; i < k; i += 4) {
    const double x[2] = {a[row * k + i], a[(row + 8) * k + i]};
    const double y[2] = {b[column * k + i], b[(column + 8) * k + i]};
#pragma unroll
    for (int p = 0; p < 2; ++p) {
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(sum[p][q][0]), "+d"(sum[p][q][1])
                     : "d"(x[p]), "d"(y[q]));
      }
    }
  }
  const int column_out = blockIdx.x * 32 + warp % 2 * 16 + lane % 4 * 2;
  for (int p = 0; p < 2; ++p) {
    for (int q = 0; q < 2; ++q) {
      double* to = c + (row + p * 8) * n + column_out + q * 8;
      to[0] = sum[p][q][0];
      to[1] = sum[p][q][1];
    }
  }
}

// 8-bit integers m16n8k32: a warp 16 x 32 of C from global memory; B column-major; words of four bytes.
extern "C" __global__ void mma_s8(const uint32_t* a, const uint32_t* b, int* c, int n, int k) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int words = k / 4;
  const int row = blockIdx.y * 64 + warp * 16 + lane / 4;
  const int column = blockIdx.x * 32 + lane / 4;
  int sum[4][4] = {};
  for (int i = lane % 4; i < words; i += 8) {
    const uint32_t x[4] = {a[row * words + i], a[(row + 8) * words + i], a[row * words + i + 4],
                           a[(row + 8) * words + i + 4]};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint32_t y[2] = {b[(column + j * 8) * words + i], b[(column + j * 8) * words + i + 4]};
      asm volatile(
          "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+r"(sum[j][0]), "+r"(sum[j][1]), "+r"(sum[j][2]), "+r"(sum[j][3])
          : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    int* to = c + row * n + blockIdx.x * 32 + j * 8 + lane % 4 * 2;
    to[0] = sum[j][0];
    to[1] = sum[j][1];
    to[8 * n] = sum[j][2];
    to[8 * n + 1] = sum[j][3];
  }
}

// tf32 m16n8k8, the pipe alone: four independent accumulators a warp.
extern "C" __global__ void mma_tf32_loop(const uint32_t* in, float* out, int times) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const uint32_t x[4] = {in[lane], in[lane + 32], in[lane + 64], in[lane + 96]};
  const uint32_t y[2] = {in[lane + 128], in[lane + 160]};
  float sum[4][4] = {};
  for (int i = 0; i < times; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      asm volatile(
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
          : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
  }
  float total = 0;
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    total += sum[j / 4][j % 4];
  }
  out[thread] = total;
}

// A block adds up its chunk, fetched by 16-byte asynchronous copies through a ring of four stages.
extern "C" __global__ void async_copy_sum(const uint4* in, uint32_t* out, int tiles) {
  __shared__ uint4 ring[4][256];
  const uint4* mine = in + static_cast<int64_t>(blockIdx.x) * tiles * 256;
  const int t = threadIdx.x;
  for (int s = 0; s < 3; ++s) {
    if (s < tiles) {
      __pipeline_memcpy_async(&ring[s][t], mine + s * 256 + t, 16);
    }
    __pipeline_commit();
  }
  uint32_t sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + 3 < tiles) {
      __pipeline_memcpy_async(&ring[(i + 3) % 4][t], mine + (i + 3) * 256 + t, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(3);
    __syncthreads();
    const uint4 v = ring[i % 4][255 - t];
    sum += v.x ^ v.y ^ v.z ^ v.w;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sum;
}

// Asynchronous 4-byte copies scattered over the tile, then a stencil over it.
extern "C" __global__ void async_copy_stencil(const float* in, float* out, int n) {
  __shared__ float tile[258];
  const int base = blockIdx.x * 256 - 1;
  for (int i = threadIdx.x; i < 258; i += 256) {
    const int at = min(max(base + i, 0), n - 1);
    __pipeline_memcpy_async(&tile[i], in + at, 4);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    out[i] = 0.25F * tile[threadIdx.x] + 0.5F * tile[threadIdx.x + 1] + 0.25F * tile[threadIdx.x + 2];
  }
}
