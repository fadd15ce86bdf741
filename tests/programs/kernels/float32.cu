// Single precision: every rounding, FTZ, saturation, comparisons, division and roots. Bits of all kinds come in.
#include "program.h"

PROGRAM(f32_add, { o[0] = bits(__fadd_rn(f32(x), f32(y))); o[1] = bits(__fadd_rz(f32(x), f32(y))); o[2] = bits(__fadd_ru(f32(x), f32(y))); o[3] = bits(__fadd_rd(f32(x), f32(y))); o[4] = bits(__fsub_rd(f32(x), f32(y))); })
PROGRAM(f32_multiply, { o[0] = bits(__fmul_rn(f32(x), f32(y))); o[1] = bits(__fmul_rz(f32(x), f32(y))); o[2] = bits(__fmul_ru(f32(x), f32(y))); o[3] = bits(__fmul_rd(f32(x), f32(y))); })
PROGRAM(f32_fused, { o[0] = bits(__fmaf_rn(f32(x), f32(y), f32(z))); o[1] = bits(__fmaf_rz(f32(x), f32(y), f32(z))); o[2] = bits(__fmaf_ru(f32(x), f32(y), f32(z))); o[3] = bits(__fmaf_rd(f32(x), f32(y), f32(z))); o[4] = bits(__fmaf_rn(-f32(x), fabsf(f32(y)), -f32(z))); })
PROGRAM(f32_flushed, {
  float a, b, c, d;
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(a) : "f"(f32(x)), "f"(f32(y)));
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(b) : "f"(f32(x)), "f"(f32(y)));
  asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(c) : "f"(f32(x)), "f"(f32(y)), "f"(f32(z)));
  asm("fma.rz.ftz.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(f32(x)), "f"(f32(y)), "f"(f32(z)));
  o[0] = bits(a); o[1] = bits(b); o[2] = bits(c); o[3] = bits(d);
})
PROGRAM(f32_saturated, {
  float a, b, c;
  asm("add.sat.f32 %0, %1, %2;" : "=f"(a) : "f"(f32(x)), "f"(f32(y)));
  asm("mul.sat.f32 %0, %1, %2;" : "=f"(b) : "f"(f32(x)), "f"(f32(y)));
  asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(c) : "f"(f32(x)), "f"(f32(y)), "f"(f32(z)));
  o[0] = bits(a); o[1] = bits(b); o[2] = bits(c); o[3] = bits(__saturatef(f32(x)));
})
PROGRAM(f32_near, {
  const float a = f32((x & 0x007fffffu) | 0x3f800000u), b = f32((y & 0x007fffffu) | 0x3f800000u | (y & 0x80000000u)), c = f32((z & 0x807fffffu) | 0x33000000u);
  o[0] = bits(__fmaf_rn(a, b, c)); o[1] = bits(__fmaf_rd(a, b, c)); o[2] = bits(__fadd_ru(a, c)); o[3] = bits(__fadd_rz(b, c)); o[4] = bits(a * b + c);
})
PROGRAM(f32_small, {
  const float a = f32((x & 0x80ffffffu) | 0x00100000u), b = f32(y & 0x80ffffffu);
  o[0] = bits(a + b); o[1] = bits(a * 0.37f); o[2] = bits(__fmaf_rn(a, 0.5f, b)); o[3] = bits(__fmul_rd(a, f32((z & 0x007fffffu) | 0x3e800000u))); o[4] = bits(__fmul_ru(a, f32((z & 0x007fffffu) | 0x3e800000u)));
})
PROGRAM(f32_minimum_maximum, {
  o[0] = bits(fminf(f32(x), f32(y))); o[1] = bits(fmaxf(f32(x), f32(y))); o[2] = bits(fminf(f32(x & 0x80000000u), f32(y & 0x80000000u)));
  float a; asm("min.ftz.f32 %0, %1, %2;" : "=f"(a) : "f"(f32(x)), "f"(f32(y))); o[3] = bits(a);
  o[4] = bits(fmaxf(fabsf(f32(x)), -f32(y)));
})
PROGRAM(f32_compare, {
  const float a = f32(x), b = f32((y & 3) == 0 ? x : y);
  unsigned r = 0;
#define COMPARE(BIT, OP) { int p; asm("{ .reg .pred p; setp." #OP ".f32 p, %1, %2; selp.s32 %0, 1, 0, p; }" : "=r"(p) : "f"(a), "f"(b)); r |= static_cast<unsigned>(p) << BIT; }
  COMPARE(0, eq) COMPARE(1, ne) COMPARE(2, lt) COMPARE(3, le) COMPARE(4, gt) COMPARE(5, ge) COMPARE(6, equ) COMPARE(7, neu) COMPARE(8, ltu) COMPARE(9, leu) COMPARE(10, gtu) COMPARE(11, geu) COMPARE(12, num) COMPARE(13, nan)
  o[0] = r; o[1] = a < b ? x : y; o[2] = bits(a > b ? a : -b);
  float s; asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(s) : "f"(a), "f"(b)); o[3] = bits(s);
})
PROGRAM(f32_divide, { o[0] = bits(__fdiv_rn(f32(x), f32(y))); o[1] = bits(__fdiv_rz(f32(x), f32(y))); o[2] = bits(__fdiv_ru(f32(x), f32(y))); o[3] = bits(__fdiv_rd(f32(x), f32(y))); })
PROGRAM(f32_root, { o[0] = bits(__fsqrt_rn(f32(x))); o[1] = bits(__fsqrt_rz(f32(x))); o[2] = bits(__fsqrt_ru(f32(x))); o[3] = bits(__fsqrt_rd(f32(x))); o[4] = bits(__frcp_rn(f32(x))); o[5] = bits(__frcp_rd(f32(x))); o[6] = bits(__frsqrt_rn(f32(x & 0x7fffffffu) + 1.0f)); })
PROGRAM(f32_integral, { o[0] = bits(floorf(f32(x))); o[1] = bits(ceilf(f32(x))); o[2] = bits(truncf(f32(x))); o[3] = bits(rintf(f32(x))); o[4] = bits(roundf(f32(x))); o[5] = bits(fmodf(f32(x), f32((y & 0x83ffffffu) | 0x3f000000u))); })
PROGRAM(f32_parts, { int e; o[0] = bits(frexpf(f32(x), &e)); o[1] = static_cast<unsigned>(e); o[2] = bits(ldexpf(f32(x), static_cast<int>(y % 300) - 150)); o[3] = bits(copysignf(f32(x), f32(y))); o[4] = isnan(f32(x)) + 2 * isinf(f32(x)) + 4 * signbit(f32(x)); o[5] = bits(nextafterf(f32(x), f32(y))); })
PROGRAM(f32_polynomial, {
  float t = f32((x & 0x007fffffu) | 0x3f000000u), r = 0.1f;
  for (int k = 0; k < 20; ++k) r = r * t + 0.01f * static_cast<float>(k);
  o[0] = bits(r); o[1] = bits(r / t); o[2] = bits(sqrtf(r));
})
