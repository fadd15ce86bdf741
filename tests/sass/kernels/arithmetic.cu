// Every arithmetic instruction that the compiler can be led to, for the stored corpus.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#define UNARY(NAME, TYPE, ...) \
  extern "C" __global__ void NAME(TYPE* out, const TYPE* in) { \
    const TYPE x = in[threadIdx.x];                         \
    out[threadIdx.x] = __VA_ARGS__;                          \
  }
#define TERNARY(NAME, TYPE, ...) \
  extern "C" __global__ void NAME(TYPE* out, const TYPE* in, TYPE k, int n) {          \
    const TYPE x = in[threadIdx.x], y = in[threadIdx.x + n], z = in[threadIdx.x + 2 * n]; \
    out[threadIdx.x] = __VA_ARGS__;                                                     \
  }

TERNARY(int_mix, int, (x * y + z) ^ (x - k) + (y << 3) - (z >> 5) + x * 12 + (y & 0xff00) + (z | k))
TERNARY(int_div, int, x / y + z % k + x / 7 + y % 10 + abs(z) + min(x, k) + max(y, 17))
TERNARY(uint_div, unsigned, x / y + z % k + x / 7u + y % 10u + min(x, k) + max(y, 17u))
TERNARY(long_mix, long long, x * y + (z >> 7) + (x << (k & 63)) - (y & z) + (x < y ? z : k) + x / 3)
TERNARY(ulong_mix, unsigned long long, x * y + (z >> (k & 63)) + __umul64hi(x, y) + (x < y ? z : k) + y % 1000)
TERNARY(int_intrinsics, unsigned,
        __popc(x) + __clz(y) + __ffs(z) + __brev(k) + __byte_perm(x, y, z) + __umulhi(x, y) + __mulhi(int(x), int(z)) +
            __funnelshift_l(x, y, z) + __funnelshift_r(x, y, k) + __funnelshift_lc(x, z, y) + __sad(int(x), int(y), z) +
            __usad(x, y, z) + __mul24(int(x), int(y)) + __umul24(y, z) + __hadd(int(x), int(y)) + __rhadd(int(x), int(z)))
TERNARY(int_dot, int, __dp4a(x, y, z) + __dp2a_lo(x, y, k) + __dp2a_hi(x, y, z))
TERNARY(uint_dot, unsigned, __dp4a(x, y, z) + __dp2a_lo(x, y, k) + __dp2a_hi(x, y, z))
TERNARY(int_simd, unsigned,
        __vadd4(x, y) + __vabsdiffu4(x, y) + __vmaxs2(y, z) + __vcmpeq4(x, k) + __vavgu4(x, z) + __vsub2(x, y) +
            __vminu4(x, z) + __vsads4(x, y))
TERNARY(bit_fields, unsigned, [&] {
  unsigned a, b, c, d, e;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(a) : "r"(x), "r"(y), "r"(z));
  asm("bfe.s32 %0, %1, %2, 5;" : "=r"(b) : "r"(x), "r"(y));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(c) : "r"(x), "r"(y), "r"(z), "r"(k));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(y));
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(e) : "r"(x), "r"(z));
  return a ^ b ^ c ^ d ^ e;
}())
TERNARY(carry_chain, unsigned, [&] {
  unsigned a, b, c, d;
  asm("add.cc.u32 %0, %4, %5; addc.cc.u32 %1, %5, %6; addc.cc.u32 %2, %6, %7; addc.u32 %3, %7, %4;"
      : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(x), "r"(y), "r"(z), "r"(k));
  unsigned p, q, r;
  asm("sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, %4, %5; subc.u32 %2, %5, %3;" : "=r"(p), "=r"(q), "=r"(r) : "r"(x), "r"(y), "r"(z));
  unsigned s, t, u;
  asm("mad.lo.cc.u32 %0, %3, %4, %5; madc.hi.cc.u32 %1, %3, %4, %5; madc.lo.u32 %2, %4, %5, %3;"
      : "=r"(s), "=r"(t), "=r"(u) : "r"(x), "r"(y), "r"(z));
  return a ^ b ^ c ^ d ^ p ^ q ^ r ^ s ^ t ^ u;
}())
TERNARY(prmt_modes, unsigned, [&] {
  unsigned a, b, c, d, e, f;
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(a) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(b) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(c) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(e) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(f) : "r"(x), "r"(y), "r"(z));
  return a ^ b ^ c ^ d ^ e ^ f;
}())
TERNARY(logic, unsigned, ((x & y) | (~x & z)) ^ ((x & y) ^ (y | k)) ^ ((x == y && z != k) ? 1u : 0u) ^ (x > y || y > z))

TERNARY(float_mix, float, x * y + z - k * 0.5f + fminf(x, y) - fmaxf(z, k) + fabsf(x) * -y + (x < y ? z : k))
TERNARY(float_round, float,
        __fadd_rn(x, y) + __fadd_rz(x, k) + __fadd_ru(y, z) + __fadd_rd(x, z) + __fmul_rz(x, y) + __fmul_ru(y, k) +
            __fmul_rd(x, k) + __fmaf_rz(x, y, z) + __fmaf_ru(x, k, z) + __fmaf_rd(y, k, z) + __saturatef(x * y) +
            __saturatef(x + k))
TERNARY(float_functions, float,
        sinf(x) + cosf(y) + expf(z) + logf(k) + sqrtf(x) + rsqrtf(y) + powf(x, y) + x / y + tanhf(z) + __sinf(k) +
            __expf(x) + __log2f(y) + __fdividef(x, z) + exp2f(k) + fmodf(x, y) + erff(z) + cbrtf(x))
UNARY(float_to_integral, float, truncf(x) + floorf(x) + ceilf(x) + rintf(x) + roundf(x))
TERNARY(double_mix, double, x * y + z - k * 0.5 + fmin(x, y) - fmax(z, k) + fabs(x) * -y + (x < y ? z : k))
TERNARY(double_round, double,
        __dadd_rz(x, k) + __dadd_ru(y, z) + __dadd_rd(x, z) + __dmul_rz(x, y) + __dmul_ru(y, k) + __dmul_rd(x, k) +
            __fma_rz(x, y, z) + __fma_ru(x, k, z) + __fma_rd(y, k, z))
TERNARY(double_functions, double, sin(x) + exp(z) + log(k) + sqrt(x) + rsqrt(y) + x / y + pow(x, y) + trunc(x) + floor(y))

TERNARY(half_mix, __half, __hfma(x, y, z) + x * k - __hmax(y, z) + __hmin(x, k) + __habs(x) + hsqrt(y) + hrcp(z) + hexp2(k))
TERNARY(half2_mix, __half2,
        __hfma2(x, y, z) + x * k - __habs2(y) + __hmul2_sat(x, y) + __hadd2_sat(y, z) + __hfma2_sat(x, y, k) +
            __hgt2(x, y) + __hneu2(y, z) + __lows2half2(x, y) + __highs2half2(z, k) + __half2half2(__low2half(x)) * y)
TERNARY(half_compare, __half, (__hlt(x, y) || __hgeu(y, z)) && __hne(x, k) ? x : z)
#if __CUDA_ARCH__ >= 800
TERNARY(bfloat_mix, __nv_bfloat16, __hfma(x, y, z) + x * k - __hmax(y, z) + __hmin(x, k))
TERNARY(bfloat2_mix, __nv_bfloat162, __hfma2(x, y, z) + x * k - __habs2(y) + __hmax2(y, z) + __hmin2(x, k))
#endif

template <class To, class From>
__global__ void convert(To* out, const From* in) {
  out[threadIdx.x] = static_cast<To>(in[threadIdx.x]);
  out[threadIdx.x + 1000] = static_cast<To>(in[threadIdx.x + 77] + From(3));
}
#define CONVERT_FROM(FROM)                                                              \
  template __global__ void convert<signed char, FROM>(signed char*, const FROM*);       \
  template __global__ void convert<unsigned char, FROM>(unsigned char*, const FROM*);   \
  template __global__ void convert<short, FROM>(short*, const FROM*);                   \
  template __global__ void convert<unsigned short, FROM>(unsigned short*, const FROM*); \
  template __global__ void convert<int, FROM>(int*, const FROM*);                       \
  template __global__ void convert<unsigned, FROM>(unsigned*, const FROM*);             \
  template __global__ void convert<long long, FROM>(long long*, const FROM*);           \
  template __global__ void convert<unsigned long long, FROM>(unsigned long long*, const FROM*); \
  template __global__ void convert<float, FROM>(float*, const FROM*);                   \
  template __global__ void convert<double, FROM>(double*, const FROM*);
CONVERT_FROM(signed char)
CONVERT_FROM(unsigned char)
CONVERT_FROM(short)
CONVERT_FROM(unsigned short)
CONVERT_FROM(int)
CONVERT_FROM(unsigned)
CONVERT_FROM(long long)
CONVERT_FROM(unsigned long long)
CONVERT_FROM(float)
CONVERT_FROM(double)

extern "C" __global__ void convert_rounded(int* out, const float* in, const double* wide, const __half* half) {
  const float x = in[threadIdx.x];
  const double y = wide[threadIdx.x];
  const __half h = half[threadIdx.x];
  out[0] = __float2int_rn(x) + __float2int_rz(x) + __float2int_ru(x) + __float2int_rd(x);
  out[1] = int(__float2uint_rn(x) + __float2uint_ru(x) + __float2uint_rd(x));
  out[2] = __double2int_rn(y) + __double2int_ru(y) + __double2int_rd(y);
  out[3] = int(__float2ll_rn(x) + __float2ll_ru(x) + __double2ll_rd(y) + __float2ull_rz(x));
  out[4] = __half2int_rn(h) + __half2int_rz(h) + int(__half2uint_ru(h)) + __half2short_rd(h) + int(__half2ll_rn(h));
  out[5] = __float_as_int(__double2float_rz(y) + __double2float_ru(y) + __double2float_rd(y));
  out[6] = __float_as_int(__int2float_rz(out[9]) + __int2float_ru(out[9]) + __uint2float_rd(unsigned(out[9])) + __ll2float_rn(out[9]));
  out[7] = __half_as_short(__float2half_rz(x) + __float2half_ru(x) + __float2half_rd(x) + __int2half_rn(out[9]) +
                           __double2half(y) + __short2half_rn(short(out[8])) + htrunc(h) + hfloor(h) + hceil(h) + hrint(h));
  out[8] = int(__double2hiint(y) + __double2loint(y)) + __float_as_int(__half2float(h));
}
