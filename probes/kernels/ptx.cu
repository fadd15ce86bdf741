// Single PTX instructions between two clock reads, each followed by one simple instruction that needs its
// result (Arafa2019 section IV). Compiled twice: with ptxas -O0 and with -O3.
#include "common.cuh"

// `kind` is the constraint of the operands: h, r or l for 16, 32 or 64 bits. v is the first operand and the
// result, %4 and %5 the others. The first operand waits for the first clock read, since %6 is the thread's
// index, zero; the second clock read waits for a branch that needs the result. Both stand around nothing too,
// which the host takes off.
#define PTX(name, type, kind, bits, enter, text, leave)                                                      \
  extern "C" __global__ void ptx_##name(u32* out, type a, type b, type c) {                                  \
    const u32 zero = threadIdx.x;                                                                            \
    u32 start = 0, end = 0;                                                                                  \
    type v = a;                                                                                              \
    _Pragma("unroll 1") for (u32 pass = 0; pass < 2; ++pass) {                                               \
      asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 s;\n\t.reg " bits " v;\n\tmov.u32 s, %%clock;\n\t" enter \
                   "\n\t" text "\n\t" leave                                                                  \
                   "\n\t@p exit;\n\tmov.u32 %1, %%clock;\n\tmov.u32 %0, s;\n\tmov" bits " %2, v;\n\t}"       \
                   : "=r"(start), "=r"(end), "=" #kind(v)                                                    \
                   : #kind(a), #kind(b), #kind(c), "r"(zero)                                                 \
                   : "memory");                                                                              \
    }                                                                                                        \
    out[0] = end - start;                                                                                    \
    *(type*)(out + 2) = v;                                                                                   \
  }
#define ENTER32 "mad.lo.u32 v, s, %6, %3;"
#define LEAVE32 "setp.eq.u32 p, v, 0x9e3779b9;"
#define ENTER64 "mad.wide.u32 v, s, %6, %3;"
#define LEAVE64 "setp.eq.u64 p, v, 0x9e3779b9;"
#define ENTER16 "{ .reg .u32 t; .reg .u16 h; mul.lo.u32 t, s, %6; cvt.u16.u32 h, t; add.u16 v, h, %3; }"
#define LEAVE16 "setp.eq.u16 p, v, 12345;"
// The clock alone, and what is taken off.
extern "C" __global__ void ptx_clock(u32* out) {
  u32 start = 0, end = 0;
#pragma unroll 1
  for (u32 pass = 0; pass < 2; ++pass) {
    asm volatile("mov.u32 %0, %%clock;\n\tmov.u32 %1, %%clock;" : "=r"(start), "=r"(end)::"memory");
  }
  out[0] = end - start;
}
PTX(nothing_32, u32, r, ".b32", ENTER32, "", LEAVE32)
PTX(nothing_64, u64, l, ".b64", ENTER64, "", LEAVE64)
PTX(nothing_16, unsigned short, h, ".b16", ENTER16, "", LEAVE16)

#define P32(name, text) PTX(name, u32, r, ".b32", ENTER32, text, LEAVE32)
#define P64(name, text) PTX(name, u64, l, ".b64", ENTER64, text, LEAVE64)
#define P16(name, text) PTX(name, unsigned short, h, ".b16", ENTER16, text, LEAVE16)
P32(add, "add.s32 v, v, %4;")
P32(sub, "sub.s32 v, v, %4;")
P32(min, "min.s32 v, v, %4;")
P32(max, "max.s32 v, v, %4;")
P32(mul, "mul.lo.s32 v, v, %4;")
P32(mad, "mad.lo.s32 v, v, %4, %5;")
P32(div_s, "div.s32 v, v, %4;")
P32(rem_s, "rem.s32 v, v, %4;")
P32(abs, "abs.s32 v, v;")
P32(div_u, "div.u32 v, v, %4;")
P32(rem_u, "rem.u32 v, v, %4;")
P32(and, "and.b32 v, v, %4;")
P32(or, "or.b32 v, v, %4;")
P32(not, "not.b32 v, v;")
P32(xor, "xor.b32 v, v, %4;")
P32(cnot, "cnot.b32 v, v;")
P32(shl, "shl.b32 v, v, %4;")
P32(shr, "shr.u32 v, v, %4;")
P32(add_f, "add.f32 v, v, %4;")
P32(min_f, "min.f32 v, v, %4;")
P32(mul_f, "mul.f32 v, v, %4;")
P32(fma_f, "fma.rn.f32 v, v, %4, %5;")
P32(div_f, "div.rn.f32 v, v, %4;")
P64(add_d, "add.f64 v, v, %4;")
P64(min_d, "min.f64 v, v, %4;")
P64(mul_d, "mul.f64 v, v, %4;")
P64(fma_d, "fma.rn.f64 v, v, %4, %5;")
P64(div_d, "div.rn.f64 v, v, %4;")
P16(add_h, "add.f16 v, v, %4;")
P16(mul_h, "mul.f16 v, v, %4;")
P16(fma_h, "fma.rn.f16 v, v, %4, %5;")
P32(add_cc, "add.cc.u32 v, v, %4;")
P32(addc, "addc.u32 v, v, %4;")
P32(sub_cc, "sub.cc.u32 v, v, %4;")
P32(subc, "subc.u32 v, v, %4;")
P32(mad_cc, "mad.lo.cc.u32 v, v, %4, %5;")
P32(madc, "madc.lo.u32 v, v, %4, %5;")
P32(rcp, "rcp.rn.f32 v, v;")
P32(sqrt, "sqrt.rn.f32 v, v;")
P32(rcp_approx, "rcp.approx.f32 v, v;")
P32(sqrt_approx, "sqrt.approx.f32 v, v;")
P32(rsqrt_approx, "rsqrt.approx.f32 v, v;")
P32(sin_approx, "sin.approx.f32 v, v;")
P32(cos_approx, "cos.approx.f32 v, v;")
P32(lg2_approx, "lg2.approx.f32 v, v;")
P32(ex2_approx, "ex2.approx.f32 v, v;")
P32(copysign, "copysign.f32 v, v, %4;")
P32(mul24, "mul24.lo.s32 v, v, %4;")
P32(mad24, "mad24.lo.s32 v, v, %4, %5;")
P32(mulhi, "mul.hi.s32 v, v, %4;")
P64(mul64hi, "mul.hi.s64 v, v, %4;")
P32(sad, "sad.s32 v, v, %4, %5;")
P32(popc, "popc.b32 v, v;")
P32(clz, "clz.b32 v, v;")
P32(bfe, "bfe.u32 v, v, %4, %5;")
P32(bfi, "bfi.b32 v, v, %4, %5, 4;")
P32(bfind, "bfind.u32 v, v;")
P32(brev, "brev.b32 v, v;")
