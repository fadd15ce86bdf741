// Functions of the special function unit: the hardware's tables decide the last bits.
#include "program.h"

#define MUFU(NAME, INSTRUCTION) PROGRAM(NAME, { float a; asm(INSTRUCTION " %0, %1;" : "=f"(a) : "f"(f32(x))); o[0] = bits(a); })
MUFU(mufu_rcp, "rcp.approx.ftz.f32")
MUFU(mufu_rsq, "rsqrt.approx.ftz.f32")
MUFU(mufu_sqrt, "sqrt.approx.ftz.f32")
MUFU(mufu_lg2, "lg2.approx.ftz.f32")
MUFU(mufu_ex2, "ex2.approx.ftz.f32")
MUFU(mufu_sin, "sin.approx.ftz.f32")
MUFU(mufu_cos, "cos.approx.ftz.f32")
MUFU(mufu_tanh, "tanh.approx.f32")
PROGRAM(library_functions, { const float a = f32((x & 0x807fffffu) | 0x3f800000u); o[0] = bits(expf(a)); o[1] = bits(logf(fabsf(a))); o[2] = bits(sinf(a * 100)); o[3] = bits(powf(fabsf(a), 1.7f)); o[4] = bits(atan2f(a, 0.3f)); o[5] = bits(erff(a)); o[6] = bits(tanhf(a)); o[7] = bits(__fdividef(a, 3.3f)); })
