// Integer arithmetic, logic, shifts and bit fields.
#include "program.h"

PROGRAM(add_carry_chain, {
  unsigned a, b, c, d;
  asm("add.cc.u32 %0, %4, %6;\n\taddc.cc.u32 %1, %5, %7;\n\taddc.cc.u32 %2, %4, %5;\n\taddc.u32 %3, 0, 0;"
      : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(x), "r"(y), "r"(z), "r"(w));
  o[0] = a; o[1] = b; o[2] = c; o[3] = d;
})
PROGRAM(subtract_borrow_chain, {
  unsigned a, b, c, d;
  asm("sub.cc.u32 %0, %4, %6;\n\tsubc.cc.u32 %1, %5, %7;\n\tsubc.cc.u32 %2, %4, %5;\n\tsubc.u32 %3, 0, 0;"
      : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(x), "r"(y), "r"(z), "r"(w));
  o[0] = a; o[1] = b; o[2] = c; o[3] = d;
})
PROGRAM(add_three, { o[0] = x + y + z; o[1] = x - y - z; o[2] = x - y + z; o[3] = 12345u - x + y; })
PROGRAM(multiply_low_high, {
  o[0] = x * y; o[1] = __umulhi(x, y); o[2] = static_cast<unsigned>(__mulhi(static_cast<int>(x), static_cast<int>(y)));
  o[3] = x * y + z; o[4] = x * 2654435761u - z; o[5] = __umul24(x, y); o[6] = static_cast<unsigned>(__mul24(static_cast<int>(x), static_cast<int>(y)));
})
PROGRAM(multiply_wide, {
  put(o, static_cast<unsigned long long>(x) * y + u64(z, w));
  put(o + 2, static_cast<unsigned long long>(static_cast<long long>(static_cast<int>(x)) * static_cast<int>(y) + static_cast<long long>(u64(z, w))));
  put(o + 4, static_cast<unsigned long long>(x) * 1000003u - u64(z, w));
})
PROGRAM(multiply_64, {
  put(o, u64(x, y) * u64(z, w)); put(o + 2, __umul64hi(u64(x, y), u64(z, w)));
  put(o + 4, static_cast<unsigned long long>(__mul64hi(static_cast<long long>(u64(x, y)), static_cast<long long>(u64(z, w)))));
})
PROGRAM(multiply_add_carry, {
  unsigned a, b;
  asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, %5;" : "=r"(a), "=r"(b) : "r"(x), "r"(y), "r"(z), "r"(w));
  o[0] = a; o[1] = b;
})
PROGRAM(shift_clamped, {
  unsigned a, b; int c;
  const unsigned s = y % 70;
  asm("shl.b32 %0, %1, %2;" : "=r"(a) : "r"(x), "r"(s));
  asm("shr.u32 %0, %1, %2;" : "=r"(b) : "r"(x), "r"(s));
  asm("shr.s32 %0, %1, %2;" : "=r"(c) : "r"(static_cast<int>(x)), "r"(s));
  o[0] = a; o[1] = b; o[2] = static_cast<unsigned>(c); o[3] = x << (y & 31); o[4] = static_cast<unsigned>(static_cast<int>(x) >> (y & 31));
})
PROGRAM(shift_64, {
  unsigned long long a, b; long long c;
  const unsigned s = z % 140;
  asm("shl.b64 %0, %1, %2;" : "=l"(a) : "l"(u64(x, y)), "r"(s));
  asm("shr.u64 %0, %1, %2;" : "=l"(b) : "l"(u64(x, y)), "r"(s));
  asm("shr.s64 %0, %1, %2;" : "=l"(c) : "l"(static_cast<long long>(u64(x, y))), "r"(s));
  put(o, a); put(o + 2, b); put(o + 4, static_cast<unsigned long long>(c));
})
PROGRAM(shift_funnel, {
  o[0] = __funnelshift_l(x, y, z); o[1] = __funnelshift_r(x, y, z); o[2] = __funnelshift_lc(x, y, z % 50);
  o[3] = __funnelshift_rc(x, y, z % 50); o[4] = __funnelshift_l(x, x, 7); o[5] = __funnelshift_r(x, y, 19);
})
PROGRAM(logic_three, {
  o[0] = (x & y) | z; o[1] = x ^ y ^ z; o[2] = (x & y) | (~x & z); o[3] = (x & y) | (x & z) | (y & z);
  o[4] = ~(x | y | z); o[5] = (x ^ 0x55aa33ccu) & ~y; o[6] = x | ~z; o[7] = (x & 0xffff0000u) == 0 ? y : z;
})
PROGRAM(permute_bytes, {
  unsigned a, b, c, d, e;
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(a) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(b) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(c) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(e) : "r"(x), "r"(y), "r"(z));
  o[0] = __byte_perm(x, y, z); o[1] = a; o[2] = b; o[3] = c; o[4] = d; o[5] = e;
  asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(a) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(b) : "r"(x), "r"(y), "r"(z));
  o[6] = a; o[7] = b;
})
PROGRAM(count_bits, {
  unsigned a; int b;
  asm("bfind.u32 %0, %1;" : "=r"(a) : "r"(x >> (y & 31)));
  asm("bfind.s32 %0, %1;" : "=r"(b) : "r"(static_cast<int>(x) >> (y & 31)));
  o[0] = a; o[1] = static_cast<unsigned>(b); o[2] = __popc(x); o[3] = __clz(static_cast<int>(x >> (y & 31)));
  o[4] = __ffs(static_cast<int>(x << (y & 31))); o[5] = __brev(x); o[6] = __popcll(u64(x, y)); o[7] = __clzll(static_cast<long long>(u64(x, y) >> (z & 63)));
})
PROGRAM(bit_fields, {
  unsigned a, b, d; int c;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(a) : "r"(x), "r"(y & 63), "r"(z & 63));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(b) : "r"(x), "r"(y), "r"(z & 63), "r"(w & 63));
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(c) : "r"(static_cast<int>(x)), "r"(y & 63), "r"(z & 63));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(y & 63), "r"(z & 63));
  o[0] = a; o[1] = b; o[2] = static_cast<unsigned>(c); o[3] = d;
  asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(d) : "r"(y), "r"(z));
  o[4] = d;
  asm("szext.clamp.u32 %0, %1, %2;" : "=r"(a) : "r"(x), "r"(y & 63));
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(c) : "r"(static_cast<int>(x)), "r"(y));
  o[5] = a; o[6] = static_cast<unsigned>(c);
})
PROGRAM(minimum_maximum, {
  const int a = static_cast<int>(x), b = static_cast<int>(y);
  o[0] = min(x, y); o[1] = max(x, y); o[2] = static_cast<unsigned>(min(a, b)); o[3] = static_cast<unsigned>(max(a, b));
  o[4] = static_cast<unsigned>(max(min(a, 1000), -1000)); o[5] = static_cast<unsigned>(abs(a));
  o[6] = static_cast<unsigned>(max(a + b, static_cast<int>(z))); o[7] = min(min(x, y), z);
})
PROGRAM(absolute_differences, {
  o[0] = __sad(static_cast<int>(x), static_cast<int>(y), z); o[1] = __usad(x, y, z); o[2] = __vabsdiffu4(x, y); o[3] = __vsadu4(x, y); o[4] = __vabsdiffs4(x, y);
})
PROGRAM(dot_products, {
  o[0] = __dp4a(x, y, z); o[1] = static_cast<unsigned>(__dp4a(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)));
  o[2] = __dp2a_lo(x, y, z); o[3] = __dp2a_hi(x, y, z);
  o[4] = static_cast<unsigned>(__dp2a_lo(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)));
  o[5] = static_cast<unsigned>(__dp2a_hi(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)));
})
PROGRAM(divide_32, {
  const unsigned d = (y >> (z & 31)) | 1; const int s = static_cast<int>(d);
  o[0] = x / d; o[1] = x % d; o[2] = static_cast<unsigned>(static_cast<int>(x) / (s == -1 ? 1 : s)); o[3] = static_cast<unsigned>(static_cast<int>(x) % (s == -1 ? 1 : s));
  o[4] = x / 7; o[5] = static_cast<unsigned>(static_cast<int>(x) / -10); o[6] = x % 1000003;
})
PROGRAM(divide_64, {
  const unsigned long long d = (u64(z, w) >> (x & 63)) | 1;
  put(o, u64(x, y) / d); put(o + 2, u64(x, y) % d);
  const long long s = static_cast<long long>(d);
  put(o + 4, static_cast<unsigned long long>(static_cast<long long>(u64(x, y)) / (s == -1 ? 3 : s)));
})
PROGRAM(scaled_addresses, {
  o[0] = in[(x & 1023u)]; o[1] = x * 8 + y; o[2] = (x << 5) - y; put(o + 3, u64(x, y) * 16 + u64(z, w));
  o[5] = x * 9; o[6] = static_cast<unsigned>((static_cast<long long>(static_cast<int>(x)) * 4 + static_cast<long long>(u64(y, z))) >> 32);
})
PROGRAM(packed_integers, {
  o[0] = __vadd2(x, y); o[1] = __vmaxs2(x, y); o[2] = __vminu2(x, y); o[3] = __vadd4(x, y); o[4] = __vmaxs4(x, y);
  o[5] = __vaddss2(x, y); o[6] = __vcmpgtu4(x, y); o[7] = __vavgu4(x, y);
})
PROGRAM(compare_64, {
  const long long a = static_cast<long long>(u64(x, y & 3)), b = static_cast<long long>(u64(z, w & 3));
  o[0] = a < b; o[1] = a <= b; o[2] = a == b; o[3] = u64(x, y) > u64(z, w); o[4] = (a < 0) != (b > 5);
  put(o + 5, static_cast<unsigned long long>(a < b ? a : b)); o[7] = (x < y && z < w) || (x > w && y != z);
})
PROGRAM(narrow_integers, {
  const unsigned char a = static_cast<unsigned char>(x); const short b = static_cast<short>(y); const signed char c = static_cast<signed char>(z);
  o[0] = static_cast<unsigned>(a * b + c); o[1] = static_cast<unsigned>(static_cast<short>(b * c)); o[2] = static_cast<unsigned char>(a + x);
  int s; asm("cvt.sat.s8.s32 %0, %1;" : "=r"(s) : "r"(static_cast<int>(x))); o[3] = static_cast<unsigned>(s);
  unsigned t; asm("cvt.sat.u16.s32 %0, %1;" : "=r"(t) : "r"(static_cast<int>(y))); o[4] = t;
})
PROGRAM(saturating_add, {
  int a, b;
  asm("add.sat.s32 %0, %1, %2;" : "=r"(a) : "r"(static_cast<int>(x)), "r"(static_cast<int>(y)));
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(b) : "r"(static_cast<int>(x)), "r"(static_cast<int>(y)));
  o[0] = static_cast<unsigned>(a); o[1] = static_cast<unsigned>(b);
})
PROGRAM(predicate_logic, {
  const bool a = x & 1, b = x & 2, c = x & 4, d = y & 1;
  unsigned r = 0;
  if ((a && b) != (c || d)) r |= 1;
  if ((a != b) && !(c && d)) r |= 2;
  if (x > y && (z < w || a)) r |= 4;
  if (!a && !b && (x ^ z) > w) r |= 8;
  o[0] = r; o[1] = a ? (b ? x : y) : (c ? z : w); o[2] = (a ? 3u : 5u) + (d ? x : 0);
})
