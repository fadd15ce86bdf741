// Half precision of Ampere and later, bfloat16. Minimum architecture: sm_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "program.h"

__device__ inline __half2 h2(unsigned b) { __half2 h; memcpy(&h, &b, 4); return h; }
__device__ inline unsigned bits(__half2 h) { unsigned b; memcpy(&b, &h, 4); return b; }
__device__ inline __nv_bfloat162 b2(unsigned b) { __nv_bfloat162 h; memcpy(&h, &b, 4); return h; }
__device__ inline unsigned bits(__nv_bfloat162 h) { unsigned b; memcpy(&b, &h, 4); return b; }
__device__ inline unsigned bits(__nv_bfloat16 h) { unsigned short b; memcpy(&b, &h, 2); return b; }

PROGRAM(f16_minimum_maximum, { o[0] = bits(__hmin2(h2(x), h2(y))); o[1] = bits(__hmax2(h2(x), h2(y))); o[2] = bits(__hmin2_nan(h2(x), h2(y))); o[3] = bits(__hmax2_nan(h2(x), h2(y))); o[4] = bits(__hfma2_relu(h2(x), h2(y), h2(z))); })
PROGRAM(bf16_arithmetic, { o[0] = bits(__hadd2(b2(x), b2(y))); o[1] = bits(__hsub2(b2(x), b2(y))); o[2] = bits(__hmul2(b2(x), b2(y))); o[3] = bits(__hfma2(b2(x), b2(y), b2(z))); o[4] = bits(__hfma2_relu(b2(x), b2(y), b2(z))); o[5] = bits(__hmin2(b2(x), b2(y))); o[6] = bits(__hmax2(b2(x), b2(y))); o[7] = bits(__hfma2_sat(b2(x), b2(y), b2(z))); })
PROGRAM(bf16_near, { const unsigned a = (x & 0x807f807fu) | 0x3f803f80u, b = (y & 0x807f807fu) | 0x3f003f00u, c = (z & 0x807f807fu) | 0x3b003b00u; o[0] = bits(__hfma2(b2(a), b2(b), b2(c))); o[1] = bits(__hfma2(b2(a), b2(b), b2((z & 0x807f807fu) | 0x20002000u))); o[2] = bits(__hadd2(b2(a), b2(c))); })
PROGRAM(bf16_convert, { o[0] = bits(__floats2bfloat162_rn(f32(x), f32(y))); o[1] = bits(__float2bfloat16_rz(f32(x))); o[2] = bits(__float2bfloat16_rn(f32(x))); o[3] = bits(__low2float(b2(x))); o[4] = bits(__high2float(b2(x))); o[5] = static_cast<unsigned>(__bfloat162int_rz(__low2bfloat16(b2(x)))); })
PROGRAM(bf16_compare, { o[0] = bits(__heq2(b2(x), b2(y))); o[1] = bits(__hlt2(b2(x), b2(y))); o[2] = bits(__hgeu2(b2(x), b2(y))); o[3] = __hbeq2(b2(x), b2(y)) | __hbltu2(b2(x), b2(y)) << 1; })
PROGRAM(tf32_convert, { unsigned a; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(a) : "f"(f32(x))); o[0] = a; float b; asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(a) : "f"(f32(x)), "f"(f32(y))); o[1] = a; asm("min.NaN.f32 %0, %1, %2;" : "=f"(b) : "f"(f32(x)), "f"(f32(y))); o[2] = bits(b); })
