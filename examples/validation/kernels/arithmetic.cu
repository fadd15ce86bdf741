// Arithmetic alone: one pipe at a time, and mixtures. Little memory is touched.

#include <cuda_fp16.h>

#include <cstdint>

template <int kChains>
__device__ __forceinline__ void ffma_chains(float* out, float a, float b, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float v[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) {
    v[i] = static_cast<float>(thread + i);
  }
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
      for (int i = 0; i < kChains; ++i) {
        v[i] = fmaf(v[i], a, b);
      }
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i) {
    sum += v[i];
  }
  out[thread] = sum;
}

extern "C" __global__ void ffma_one_chain(float* out, float a, float b, int rounds) {
  ffma_chains<1>(out, a, b, rounds);
}
extern "C" __global__ void ffma_four_chains(float* out, float a, float b, int rounds) {
  ffma_chains<4>(out, a, b, rounds);
}

extern "C" __global__ void fp64_polynomial(double* out, double a, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  double x = 1e-3 * thread;
  double y = x + 1.0;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      x = fma(x, a, 0.25);
      y = fma(y, a, x);
    }
  }
  out[thread] = x + y;
}

extern "C" __global__ void fp64_divide(double* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  double x = 1.0 + 1e-3 * thread;
  for (int r = 0; r < rounds; ++r) {
    x = sqrt(x + 2.0) + 1.0 / x;
  }
  out[thread] = x;
}

extern "C" __global__ void special_fast(float* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0.5F + 1e-4F * static_cast<float>(thread & 1023);
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += __sinf(x) + __cosf(x * 0.5F) + __expf(-x) + __log2f(x + 1.0F) + rsqrtf(x);
    x += 0.01F;
  }
  out[thread] = sum;
}

// The accurate library functions: range reductions, branches, polynomials.
extern "C" __global__ void special_accurate(float* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0.5F + 1e-2F * static_cast<float>(thread & 1023);
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += sinf(x) * expf(-x) + logf(x + 1.0F) + powf(x, 0.37F) + atanf(x) + erff(x * 0.1F);
    x += 0.01F;
  }
  out[thread] = sum;
}

extern "C" __global__ void half2_polynomial(const uint32_t* in, uint32_t* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t bits = in[thread];
  __half2 x = *reinterpret_cast<const __half2*>(&bits);
  __half2 y = __hadd2(x, x);
  const __half2 a = __float2half2_rn(0.5F);
  const __half2 b = __float2half2_rn(0.25F);
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      x = __hfma2(x, a, b);
      y = __hfma2(y, a, x);
    }
  }
  const __half2 sum = __hadd2(x, y);
  out[thread] = *reinterpret_cast<const uint32_t*>(&sum);
}

extern "C" __global__ void dot_s8(const uint32_t* a, const uint32_t* b, int* out, int words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  int sum = 0;
  for (int w = 0; w < words; ++w) {
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a[w * n + i]), "r"(b[w]));
  }
  out[i] = sum;
}

extern "C" __global__ void integer_divide(const uint32_t* in, uint32_t* out, uint32_t divisor, int rounds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  uint32_t v = in[i];
  uint32_t d = divisor;
  for (int r = 0; r < rounds; ++r) {
    const uint32_t q = v / d;
    v = v * 1664525U + q + v % (d + 2U);
    d += 3U;
  }
  out[i] = v;
}

extern "C" __global__ void integer_divide_64(const uint32_t* in, unsigned long long* out, int rounds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  unsigned long long v = (static_cast<unsigned long long>(in[i]) << 32) | 12345U;
  unsigned long long d = in[i] | 1U;
  for (int r = 0; r < rounds; ++r) {
    v = v / d + v * 6364136223846793005ULL + 1442695040888963407ULL;
    d = (d << 1) | 1U;
  }
  out[i] = v;
}

extern "C" __global__ void bits(const uint32_t* in, uint32_t* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = in[thread];
  uint32_t sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += static_cast<uint32_t>(__popc(v) + __clz(v) + __ffs(v));
    v = __brev(v) ^ __byte_perm(v, sum, 0x2103);
    v = __funnelshift_l(v, sum, r & 31) + ((v >> 5) & (sum << 3) & 0xFFFFU);
  }
  out[thread] = v ^ sum;
}

extern "C" __global__ void wide_multiply(const uint32_t* in, unsigned long long* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long x = in[thread];
  unsigned long long y = x ^ 0x9E3779B97F4A7C15ULL;
  for (int r = 0; r < rounds; ++r) {
    x = x * y + 1442695040888963407ULL;
    y = __umul64hi(x, y) ^ (x >> 29);
  }
  out[thread] = x ^ y;
}

// Integers, floats, conversions and special functions side by side: several pipes at once.
extern "C" __global__ void mixed_pipes(const uint32_t* in, float* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = in[thread];
  float f = 0.5F;
  float g = 0.25F;
  for (int r = 0; r < rounds; ++r) {
    v = v * 1664525U + 1013904223U;
    const float x = static_cast<float>(v >> 8) * 0x1p-24F;
    f = fmaf(f, x, g);
    g = fminf(fmaxf(f - g, -1.0F), 1.0F);
    g += __expf(-x);
    v ^= static_cast<uint32_t>(static_cast<int>(f * 64.0F)) & 0xFFU;
  }
  out[thread] = f + g;
}
