// Chains (latency) and independent groups (throughput) of single PTX instructions whose SASS is one instruction. What
// was compiled is checked before a figure is reported.
#include "common.cuh"

// 64 dependent steps a round.
#define CHAIN(name, type, init, step, keep)                                                        \
  extern "C" __global__ void lat_##name(u64* out, u32 warm, u32 rounds, u32 seed, u32 k) {         \
    type v = init;                                                                                 \
    TIMED(warm, rounds, REP64(step(v)), if (keep) out[0] = 0;)                                     \
    record_warp(out, start, end);                                                                  \
  }                                                                                                \
  extern "C" __global__ void thr_##name(u64* out, u32 warm, u32 rounds, u32 seed, u32 k) {         \
    type v = init, v1 = init, v2 = init, v3 = init, v4 = init, v5 = init, v6 = init, v7 = init;    \
    __syncthreads();                                                                               \
    TIMED(warm, rounds, REP8(step(v) step(v1) step(v2) step(v3) step(v4) step(v5) step(v6) step(v7)), { \
      bool any = keep;                                                                             \
      v = v1; any |= keep; v = v2; any |= keep; v = v3; any |= keep; v = v4; any |= keep;          \
      v = v5; any |= keep; v = v6; any |= keep; v = v7; any |= keep;                               \
      if (any) out[0] = 0;                                                                         \
    })                                                                                             \
    record_warp(out, start, end);                                                                  \
  }

#define UNARY_F(name) CHAIN(name, float, __uint_as_float(seed + threadIdx.x), STEP_##name, v == 1.5f)
#define STEP_mufu_rsq(v) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(v));
#define STEP_mufu_ex2(v) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
#define STEP_mufu_lg2(v) asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(v));
#define STEP_frnd(v) asm volatile("cvt.rpi.f32.f32 %0, %0;" : "+f"(v));
#define STEP_ffma(v) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v) : "f"(__uint_as_float(k)));
#define STEP_fadd(v) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(v) : "f"(__uint_as_float(k)));
#define STEP_fmul(v) asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(v) : "f"(__uint_as_float(k)));
#define STEP_f2i_i2f(v) asm volatile("{ .reg .s32 t; cvt.rzi.s32.f32 t, %0; cvt.rn.f32.s32 %0, t; }" : "+f"(v));
#define STEP_f2f_f64(v) asm volatile("{ .reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t; }" : "+f"(v));
#define STEP_f2f_f16(v) asm volatile("{ .reg .b16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t; }" : "+f"(v));
UNARY_F(mufu_rsq)
UNARY_F(mufu_ex2)
UNARY_F(mufu_lg2)
UNARY_F(frnd)
UNARY_F(ffma)
UNARY_F(fadd)
UNARY_F(fmul)
UNARY_F(f2i_i2f)
UNARY_F(f2f_f64)
UNARY_F(f2f_f16)
#if __CUDA_ARCH__ >= 750
#define STEP_mufu_tanh(v) asm volatile("tanh.approx.f32 %0, %0;" : "+f"(v));
UNARY_F(mufu_tanh)
#endif

#define UNARY_D(name) CHAIN(name, double, (double)(seed + threadIdx.x), STEP_##name, v == 1.5)
#define STEP_dfma(v) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(v) : "d"(scale));
#define STEP_dadd(v) asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(v) : "d"(scale));
#define STEP_dmul(v) asm volatile("mul.rn.f64 %0, %0, %1;" : "+d"(v) : "d"(scale));
#define scale ((double)k)
UNARY_D(dfma)
UNARY_D(dadd)
UNARY_D(dmul)
#undef scale

#define UNARY_U(name) CHAIN(name, u32, seed + threadIdx.x, STEP_##name, v == 0x9e3779b9u)
#define STEP_popc(v) asm volatile("popc.b32 %0, %0;" : "+r"(v));
#define STEP_flo(v) asm volatile("bfind.u32 %0, %0;" : "+r"(v));
#define STEP_brev(v) asm volatile("brev.b32 %0, %0;" : "+r"(v));
#define STEP_imad(v) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(v) : "r"(k));
#define STEP_hfma2(v) asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(v) : "r"(k));
#define STEP_hadd2(v) asm volatile("add.rn.f16x2 %0, %0, %1;" : "+r"(v) : "r"(k));
#define STEP_shfl(v) asm volatile("shfl.sync.idx.b32 %0, %0, %0, 31, 0xffffffff;" : "+r"(v));
#define STEP_vote(v)                                                                                     \
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "+r"(v) : "r"(k));
#define STEP_match_any(v) asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(v));
#define STEP_idp4a(v) asm volatile("dp4a.u32.u32 %0, %0, %1, %1;" : "+r"(v) : "r"(k));
#define STEP_i2f_f2i64(v) asm volatile("{ .reg .f64 t; cvt.rn.f64.u32 t, %0; cvt.rzi.u32.f64 %0, t; }" : "+r"(v));
UNARY_U(popc)
UNARY_U(flo)
UNARY_U(brev)
UNARY_U(imad)
UNARY_U(hfma2)
UNARY_U(hadd2)
UNARY_U(shfl)
UNARY_U(vote)
UNARY_U(match_any)
UNARY_U(idp4a)
UNARY_U(i2f_f2i64)
#define STEP_imad_wide(v) asm volatile("{ .reg .u32 l, h; mov.b64 {l, h}, %0; mad.wide.u32 %0, l, %1, %2; }" : "+l"(v) : "r"(k), "l"(wide));
#define wide ((u64)k << 20)
CHAIN(imad_wide, u64, seed + threadIdx.x, STEP_imad_wide, v == 0x9e3779b9u)
#if __CUDA_ARCH__ >= 800
#define STEP_redux(v) asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(v));
UNARY_U(redux)
#endif

// The clock's own cost (Arafa2019, clock overhead): 64 reads in a row.
extern "C" __global__ void lat_clock(u64* out, u32 warm, u32 rounds, u32 seed, u32 k) {
  u64 sum = 0;
  TIMED(warm, rounds, REP64(sum += clock_now();), if (sum == 1) out[0] = 0;)
  record_warp(out, start, end);
}
