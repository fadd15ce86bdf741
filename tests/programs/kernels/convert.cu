// Conversions between integers and floats.
#include "program.h"

PROGRAM(f32_to_integers, { o[0] = static_cast<unsigned>(__float2int_rn(f32(x))); o[1] = static_cast<unsigned>(__float2int_rz(f32(x))); o[2] = static_cast<unsigned>(__float2int_ru(f32(x))); o[3] = static_cast<unsigned>(__float2int_rd(f32(x))); o[4] = __float2uint_rn(f32(x)); o[5] = __float2uint_rz(f32(x)); o[6] = __float2uint_ru(f32(x)); o[7] = __float2uint_rd(f32(x)); })
PROGRAM(f32_to_long, { put(o, static_cast<unsigned long long>(__float2ll_rn(f32(x)))); put(o + 2, static_cast<unsigned long long>(__float2ll_rd(f32(x)))); put(o + 4, __float2ull_rz(f32(x))); put(o + 6, __float2ull_ru(f32(x))); })
PROGRAM(f32_to_narrow, {
  short a; unsigned short b; int c;
  asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(a) : "f"(f32(x))); asm("cvt.rni.u16.f32 %0, %1;" : "=h"(b) : "f"(f32(x)));
  asm("{ .reg .s8 t; cvt.rni.s8.f32 t, %1; cvt.s32.s8 %0, t; }" : "=r"(c) : "f"(f32(x)));
  o[0] = static_cast<unsigned>(a); o[1] = b; o[2] = static_cast<unsigned>(c);
  const float m = f32((x & 0x87ffffffu) | 0x40000000u); o[3] = static_cast<unsigned>(__float2int_rn(m)); o[4] = static_cast<unsigned>(static_cast<signed char>(static_cast<int>(m)));
})
PROGRAM(f64_to_integers, { const double a = f64(x, (z & 1) ? y : (y & 0x807fffffu) | 0x40000000u); o[0] = static_cast<unsigned>(__double2int_rn(a)); o[1] = static_cast<unsigned>(__double2int_rd(a)); o[2] = __double2uint_ru(a); o[3] = __double2uint_rz(a); put(o + 4, static_cast<unsigned long long>(__double2ll_rn(a))); put(o + 6, __double2ull_rd(a)); })
PROGRAM(integers_to_f32, { const int a = static_cast<int>(x); o[0] = bits(__int2float_rn(a)); o[1] = bits(__int2float_rz(a)); o[2] = bits(__int2float_ru(a)); o[3] = bits(__int2float_rd(a)); o[4] = bits(__uint2float_rn(x)); o[5] = bits(__uint2float_rz(x)); o[6] = bits(__uint2float_ru(x)); o[7] = bits(__uint2float_rd(x)); })
PROGRAM(long_to_f32, { const long long a = static_cast<long long>(u64(x, y)); o[0] = bits(__ll2float_rn(a)); o[1] = bits(__ll2float_rz(a)); o[2] = bits(__ll2float_ru(a)); o[3] = bits(__ll2float_rd(a)); o[4] = bits(__ull2float_rn(u64(x, y))); o[5] = bits(__ull2float_ru(u64(x, y >> (z & 31)))); })
PROGRAM(integers_to_f64, { put(o, __int2double_rn(static_cast<int>(x))); put(o + 2, __uint2double_rn(x)); put(o + 4, __ll2double_rd(static_cast<long long>(u64(x, y)))); put(o + 6, __ull2double_rn(u64(x, y))); })
PROGRAM(narrow_to_f32, { o[0] = bits(static_cast<float>(static_cast<unsigned char>(x))); o[1] = bits(static_cast<float>(static_cast<signed char>(x >> 8))); o[2] = bits(static_cast<float>(static_cast<short>(x >> 16))); o[3] = bits(static_cast<float>(static_cast<unsigned char>(x >> 24))); o[4] = bits(static_cast<float>(static_cast<unsigned short>(y >> 16))); })
PROGRAM(f32_and_f64, { put(o, static_cast<double>(f32(x))); const double a = f64(x, (y & 0xc7ffffffu)); o[2] = bits(__double2float_rn(a)); o[3] = bits(__double2float_rz(a)); o[4] = bits(__double2float_ru(a)); o[5] = bits(__double2float_rd(a)); const double b = f64(x, (y & 0x800fffffu) | 0x38000000u | (z & 0x1ff00000u)); o[6] = bits(__double2float_rn(b)); o[7] = bits(__double2float_ru(b)); })
