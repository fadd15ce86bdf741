// Matrix instructions by shape: `acc` independent accumulators of one warp, eight steps each a round.
#include "common.cuh"

#define MMA(name, a_count, b_count, c_count, c_type, c_constraint, text)                                        \
  template <int acc>                                                                                            \
  static __device__ __forceinline__ void run_##name(u64* out, u32 warm, u32 rounds, u32 seed) {                 \
    u32 a[4], b[4];                                                                                             \
    c_type c[acc][8];                                                                                           \
    _Pragma("unroll") for (int i = 0; i < 4; ++i) a[i] = seed + threadIdx.x, b[i] = seed * 3 + threadIdx.x;      \
    _Pragma("unroll") for (int j = 0; j < acc; ++j) _Pragma("unroll") for (int i = 0; i < 8; ++i) c[j][i] = 0;   \
    __syncthreads();                                                                                            \
    TIMED(warm, rounds, REP8(_Pragma("unroll") for (int j = 0; j < acc; ++j) text(c[j]);), {                    \
      c_type sum = 0;                                                                                           \
      _Pragma("unroll") for (int j = 0; j < acc; ++j) _Pragma("unroll") for (int i = 0; i < c_count; ++i) sum += c[j][i]; \
      if (sum == (c_type)1234567) out[0] = 0;                                                                   \
    })                                                                                                          \
    record_warp(out, start, end);                                                                               \
  }                                                                                                             \
  extern "C" __global__ void name##_1(u64* out, u32 warm, u32 rounds, u32 seed) { run_##name<1>(out, warm, rounds, seed); } \
  extern "C" __global__ void name##_4(u64* out, u32 warm, u32 rounds, u32 seed) { run_##name<4>(out, warm, rounds, seed); }

#if __CUDA_ARCH__ >= 750
#define HMMA_1688_F32(c)                                                                                      \
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                               \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
MMA(hmma_1688_f32, 2, 1, 4, float, "f", HMMA_1688_F32)
#define HMMA_1688_F16(c)                                                                                \
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"       \
               : "+r"(c[0]), "+r"(c[1])                                                                 \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
MMA(hmma_1688_f16, 2, 1, 2, u32, "r", HMMA_1688_F16)
#define IMMA_8816(c)                                                                        \
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};" \
               : "+r"(c[0]), "+r"(c[1])                                                     \
               : "r"(a[0]), "r"(b[0]));
MMA(imma_8816, 1, 1, 2, u32, "r", IMMA_8816)
#endif
#if __CUDA_ARCH__ >= 800
#define HMMA_16816_F32(c)                                                                                     \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "     \
               "{%0,%1,%2,%3};"                                                                               \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                               \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
MMA(hmma_16816_f32, 4, 2, 4, float, "f", HMMA_16816_F32)
#define HMMA_16816_F16(c)                                                                                        \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"      \
               : "+r"(c[0]), "+r"(c[1])                                                                          \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
MMA(hmma_16816_f16, 4, 2, 2, u32, "r", HMMA_16816_F16)
#define HMMA_16816_BF16(c)                                                                                    \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "   \
               "{%0,%1,%2,%3};"                                                                               \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                               \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
MMA(hmma_16816_bf16, 4, 2, 4, float, "f", HMMA_16816_BF16)
#define HMMA_1688_TF32(c)                                                                                     \
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "    \
               "{%0,%1,%2,%3};"                                                                               \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                               \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
MMA(hmma_1688_tf32, 4, 2, 4, float, "f", HMMA_1688_TF32)
#define IMMA_16832(c)                                                                                         \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "       \
               "{%0,%1,%2,%3};"                                                                               \
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                               \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
MMA(imma_16832, 4, 2, 4, u32, "r", IMMA_16832)
#define DMMA_884(c)                                                                                         \
  asm volatile("{ .reg .f64 p, q; mov.b64 p, {%2, %3}; mov.b64 q, {%4, %5}; "                               \
               "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {p}, {q}, {%0,%1}; }"               \
               : "+d"(c[0]), "+d"(c[1])                                                                     \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
MMA(dmma_884, 2, 2, 2, double, "d", DMMA_884)
#endif
#if __CUDA_ARCH__ == 700
#define HMMA_884_F32(c)                                                                                    \
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, "       \
               "{%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};"                                                     \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]) \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
MMA(hmma_884_f32, 2, 2, 8, float, "f", HMMA_884_F32)
#define HMMA_884_F16(c)                                                                                    \
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, "          \
               "{%0,%1,%2,%3};"                                                                            \
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                            \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
MMA(hmma_884_f16, 2, 2, 4, u32, "r", HMMA_884_F16)
#endif
