// nvcc -cubin -std=c++17 -arch=sm_90 -o formats.sm_90.cubin formats.cu
// Conversions that Hopper has alone, and instructions with operands that are easily read wrong. formats_test.cpp has
// what an H200 answered.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define CONVERT(instruction, result, type, ...) asm(instruction ";" : "=" type(result) : __VA_ARGS__)

// Every byte of both formats of 8 bits as binary16.
extern "C" __global__ void bytes(unsigned* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const unsigned short pair = (i & 0xff) | ((255 - (i & 0xff)) << 8);
  const unsigned short upper = ((pair | (pair << 16)) ^ 0x5a5a0000) >> 16;
  CONVERT("cvt.rn.f16x2.e4m3x2 %0, %1", out[i], "r", "h"(pair));
  CONVERT("cvt.rn.f16x2.e5m2x2 %0, %1", out[i + 256], "r", "h"(pair));
  CONVERT("cvt.rn.relu.f16x2.e5m2x2 %0, %1", out[i + 512], "r", "h"(pair));
  CONVERT("cvt.rn.relu.f16x2.e4m3x2 %0, %1", out[i + 768], "r", "h"(pair));
  CONVERT("cvt.rn.f16x2.e4m3x2 %0, %1", out[i + 1024], "r", "h"(upper));
}

// Every binary16, and a binary32 with each upper half, as bytes.
extern "C" __global__ void to_bytes(unsigned short* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const unsigned halves = i | ((65535 - i) << 16);
  const float f = __uint_as_float((unsigned(i) << 16) | (i * 40503 & 0xffff));
  CONVERT("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1", out[i], "h", "r"(halves));
  CONVERT("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1", out[i + 65536], "h", "r"(halves));
  CONVERT("cvt.rn.satfinite.relu.e5m2x2.f16x2 %0, %1", out[i + 65536 * 2], "h", "r"(halves));
  CONVERT("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2", out[i + 65536 * 3], "h", "f"(f), "f"(-f));
  CONVERT("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2", out[i + 65536 * 4], "h", "f"(f), "f"(f * 1.01f));
  CONVERT("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2", out[i + 65536 * 5], "h", "f"(f), "f"(-f));
}

extern "C" __global__ void to_tensor_floats(unsigned* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const float f = __uint_as_float((unsigned(i) << 16) | (i * 40503 & 0xffff));
  CONVERT("cvt.rn.tf32.f32 %0, %1", out[i], "r", "f"(f));
  CONVERT("cvt.rz.tf32.f32 %0, %1", out[i + 65536], "r", "f"(f));
  CONVERT("cvt.rn.relu.tf32.f32 %0, %1", out[i + 65536 * 2], "r", "f"(f));
  CONVERT("cvt.rna.tf32.f32 %0, %1", out[i + 65536 * 3], "r", "f"(f));
  CONVERT("cvt.rz.relu.tf32.f32 %0, %1", out[i + 65536 * 4], "r", "f"(f));
}

// bfloat16 from and to integers.
extern "C" __global__ void bfloat_integers(const int* in, const __nv_bfloat16* floats, __nv_bfloat16* out, long long* whole) {
  const int i = threadIdx.x;
  out[i] = __int2bfloat16_rn(in[i]);
  out[i + 32] = __uint2bfloat16_rz(in[i]);
  out[i + 64] = __short2bfloat16_ru(in[i]);
  out[i + 96] = __ll2bfloat16_rd((long long)in[i] * in[i + 1]);
  out[i + 128] = hfloor(floats[2 * i + 1]);
  out[i + 160] = hrint(floats[i]);
  whole[i] = __bfloat162ll_rz(floats[2 * i + 1]);
  whole[i + 32] = __bfloat162int_rd(floats[i]);
}

// (a + ib)(c + id) + (e + if)
extern "C" __global__ void complex_product(const __half2* in, __half2* out) {
  const int i = threadIdx.x;
  out[i] = __hcmadd(in[i], in[i + 32], in[i + 64]);
}

extern "C" __global__ void largest_of_three(const unsigned* in, unsigned* out) {
  const int i = threadIdx.x;
  const unsigned a = in[i], b = in[i + 32], c = in[i + 64];
  out[i] = __vimax3_s16x2(a, b, c);
  out[i + 32] = __vimin3_u16x2(a, b, c);
  out[i + 64] = __vimax3_s16x2_relu(a, b, c);
  bool high, low;
  out[i + 96] = __vibmax_s16x2(a, b, &high, &low);
  out[i + 128] = high + 2 * low;
  out[i + 160] = __vibmin_u16x2(a, b, &high, &low);
  out[i + 192] = high + 2 * low;
}

extern "C" __global__ void largest_halves(const __half2* in, __half2* out) {
  const int i = threadIdx.x;
  out[i] = __hmax2(__hmax2(in[i], in[i + 32]), in[i + 64]);
  out[i + 32] = __hmin2_nan(__hmin2_nan(in[i], in[i + 32]), in[i + 64]);
}

extern "C" __global__ void seventh(double* x) { x[threadIdx.x] = x[threadIdx.x] / 7.0; }

// A shuffle of the lower half of a warp that others execute too.
extern "C" __global__ void half_shuffle(unsigned* out, int limit) {
  const unsigned lane = threadIdx.x;
  unsigned sum = lane * 2654435761u;
  for (int n = 0; n < int(lane & 3) + 1; n++) sum += lane >> n;
  if (int(lane) < limit)
    for (int n = 0; n < 3; n++)
      if (limit + n != 3) sum += __shfl_xor_sync(0x0000ffffu, sum, 3);
  out[lane] = sum;
}

// Lanes that come to one shuffle from two places.
extern "C" __global__ void two_shuffles(unsigned* out, const unsigned* which) {
  const unsigned lane = threadIdx.x;
  unsigned sum = lane * 2654435761u;
  if (which[lane] != 0) {
    sum += __shfl_xor_sync(~0u, sum, 3);
    sum ^= which[sum & 31];
  } else {
    sum *= 3;
    sum += __shfl_xor_sync(~0u, sum, 3);
    sum -= which[sum & 31];
  }
  out[lane] = sum;
}
