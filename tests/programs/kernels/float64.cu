// Double precision.
#include "program.h"

PROGRAM(f64_add, { const double a = f64(x, y), b = f64(z, w); put(o, __dadd_rn(a, b)); put(o + 2, __dadd_rz(a, b)); put(o + 4, __dadd_ru(a, b)); put(o + 6, __dadd_rd(a, b)); })
PROGRAM(f64_multiply, { const double a = f64(x, y), b = f64(z, w); put(o, __dmul_rn(a, b)); put(o + 2, __dmul_rz(a, b)); put(o + 4, __dmul_ru(a, b)); put(o + 6, __dmul_rd(a, b)); })
PROGRAM(f64_fused, { const double a = f64(x, (y & 0x800fffffu) | 0x3ff00000u), b = f64(z, (w & 0x800fffffu) | 0x3ff00000u), c = f64(y, (x & 0x801fffffu) | 0x3c000000u); put(o, __fma_rn(a, b, c)); put(o + 2, __fma_rz(a, b, c)); put(o + 4, __fma_ru(a, b, c)); put(o + 6, __fma_rd(a, b, -c)); })
PROGRAM(f64_fused_any, { const double a = f64(x, y), b = f64(z, w), c = f64(y, z); put(o, __fma_rn(a, b, c)); put(o + 2, __fma_rd(a, b, c)); put(o + 4, __fma_ru(-a, b, fabs(c))); })
PROGRAM(f64_near, { const double a = f64(x, (y & 0x800fffffu) | 0x3ff00000u), c = f64(z, (w & 0x800fffffu) | 0x3cb00000u); put(o, __dadd_ru(a, c)); put(o + 2, __dadd_rd(a, c)); put(o + 4, __dadd_rz(a, c)); put(o + 6, a + c); })
PROGRAM(f64_small, { const double a = f64(x, y & 0x801fffffu), b = f64(z, (w & 0x000fffffu) | 0x3fd00000u); put(o, a * b); put(o + 2, __dmul_ru(a, b)); put(o + 4, __dmul_rd(a, b)); put(o + 6, __fma_rz(a, b, a)); })
PROGRAM(f64_divide, { const double a = f64(x, y), b = f64(z, w); put(o, __ddiv_rn(a, b)); put(o + 2, __ddiv_rz(a, b)); put(o + 4, __ddiv_ru(a, b)); put(o + 6, __drcp_rn(a)); })
PROGRAM(f64_root, { const double a = f64(x, y); put(o, __dsqrt_rn(a)); put(o + 2, __dsqrt_rz(fabs(a))); put(o + 4, __dsqrt_ru(fabs(a))); put(o + 6, rsqrt(fabs(a))); })
PROGRAM(f64_compare, {
  const double a = f64(x, y), b = (z & 3) == 0 ? a : f64(z, w);
  o[0] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | isnan(a) << 6;
  put(o + 1, fmin(a, b)); put(o + 3, fmax(a, b)); put(o + 5, a < b ? a : -b);
})
PROGRAM(f64_integral, { const double a = f64(x, (y & 0x807fffffu) | 0x40000000u); put(o, floor(a)); put(o + 2, ceil(a)); put(o + 4, rint(a)); put(o + 6, fmod(a, 3.7)); })
PROGRAM(f64_functions, { const double a = f64(x, (y & 0x000fffffu) | 0x3fe00000u); put(o, exp(a)); put(o + 2, log(a)); put(o + 4, sin(a)); put(o + 6, pow(a, 2.5)); })
