// Packed half precision.
#include <cuda_fp16.h>

#include "program.h"

__device__ inline __half2 h2(unsigned b) { __half2 h; memcpy(&h, &b, 4); return h; }
__device__ inline unsigned bits(__half2 h) { unsigned b; memcpy(&b, &h, 4); return b; }
__device__ inline unsigned bits(__half h) { unsigned short b; memcpy(&b, &h, 2); return b; }

PROGRAM(f16_arithmetic, { o[0] = bits(__hadd2(h2(x), h2(y))); o[1] = bits(__hsub2(h2(x), h2(y))); o[2] = bits(__hmul2(h2(x), h2(y))); o[3] = bits(__hfma2(h2(x), h2(y), h2(z))); o[4] = bits(__hneg2(h2(x))); o[5] = bits(__habs2(h2(x))); o[6] = bits(__hadd2_sat(h2(x), h2(y))); o[7] = bits(__hfma2_sat(h2(x), h2(y), h2(z))); })
PROGRAM(f16_scalar, { const __half a = __low2half(h2(x)), b = __high2half(h2(x)), c = __low2half(h2(y)); o[0] = bits(__hadd(a, b)); o[1] = bits(__hmul(a, c)); o[2] = bits(__hfma(a, b, c)); o[3] = bits(__hdiv(a, c)); o[4] = bits(__hsub(b, c)); })
PROGRAM(f16_compare, { o[0] = bits(__heq2(h2(x), h2(y))); o[1] = bits(__hlt2(h2(x), h2(y))); o[2] = bits(__hgeu2(h2(x), h2(y))); o[3] = __hbeq2(h2(x), h2(y)) | __hbne2(h2(x), h2(y)) << 1 | __hbltu2(h2(x), h2(y)) << 2; o[4] = __hlt(__low2half(h2(x)), __high2half(h2(y))); o[5] = __hgt2_mask(h2(x), h2(y)); o[6] = bits(__hisnan2(h2(x))); })
PROGRAM(f16_convert, { o[0] = bits(__floats2half2_rn(f32(x), f32(y))); o[1] = bits(__float2half_rz(f32(x))); o[2] = bits(__float2half_ru(f32(x))); o[3] = bits(__float2half_rd(f32(x))); o[4] = bits(__half2float(__low2half(h2(x)))); o[5] = bits(__high2float(h2(x))); o[6] = static_cast<unsigned>(__half2int_rz(__low2half(h2(x)))); o[7] = bits(__int2half_rn(static_cast<int>(x) >> 12)); })
PROGRAM(f16_near, { const unsigned a = (x & 0x83ff83ffu) | 0x3c003c00u, b = (y & 0x83ff83ffu) | 0x38003800u, c = (z & 0x83ff83ffu) | 0x10001000u; o[0] = bits(__hfma2(h2(a), h2(b), h2(c))); o[1] = bits(__hmul2(h2(a), h2(b))); o[2] = bits(__hadd2(h2(a), h2(c))); o[3] = bits(__hfma2(h2(c), h2(c), h2(x & 0x80ff80ffu))); })
PROGRAM(f16_integral, { o[0] = bits(h2floor(h2(x))); o[1] = bits(h2ceil(h2(x))); o[2] = bits(h2rint(h2(x))); o[3] = bits(h2trunc(h2(x))); o[4] = static_cast<unsigned>(__half2short_rn(__low2half(h2(x)))); o[5] = __half2ushort_rd(__low2half(h2(x))); o[6] = bits(__ushort2half_rz(static_cast<unsigned short>(x))); })
