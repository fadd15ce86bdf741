// One warp instruction with any pattern of addresses: lane l uses base + offsets[l]. Chains of dependent accesses for
// latency, independent ones for throughput. The pattern decides what is asked: bank conflicts, lines a load, atomics
// on one address.
#include "common.cuh"

// Chains: each accessed word holds its own address, so an access returns the address of the next one.
#define GLOBAL_CHAIN(name, type, constraint, step)                                                         \
  extern "C" __global__ void name(u64* out, u64 base, const u32* offsets, u32 zero, u32 warm, u32 rounds) { \
    u64 p = base + offsets[threadIdx.x & 31] + (u64)blockIdx.x * zero;                                     \
    *(volatile u64*)p = p;                                                                                 \
    __threadfence();                                                                                       \
    __syncthreads();                                                                                       \
    TIMED(warm, rounds, REP16(step), if (p == 1) out[0] = 0;)                                              \
    record_warp(out, start, end);                                                                          \
  }
GLOBAL_CHAIN(chain_ld64, u64, "l", asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");)
GLOBAL_CHAIN(chain_ldcg64, u64, "l", asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");)
GLOBAL_CHAIN(chain_atom_exch64, u64, "l", asm volatile("atom.global.exch.b64 %0, [%0], %0;" : "+l"(p)::"memory");)
GLOBAL_CHAIN(chain_atom_add64, u64, "l",
             asm volatile("{ .reg .u64 z; cvt.u64.u32 z, %1; atom.global.add.u64 %0, [%0], z; }"
                          : "+l"(p)
                          : "r"(zero)
                          : "memory");)
GLOBAL_CHAIN(chain_atom_cas64, u64, "l",
             asm volatile("atom.global.cas.b64 %0, [%0], %0, %0;" : "+l"(p)::"memory");)
// 32-bit atomic add: its result, zero, is added to the address; one IMAD or IADD of the chain is not the atomic's.
GLOBAL_CHAIN(chain_atom_add32, u64, "l",
             asm volatile("{ .reg .u32 l, h; mov.b64 {l, h}, %0; atom.global.add.u32 l, [%0], %1; mov.b64 %0, {l, h}; }"
                          : "+l"(p)
                          : "r"(zero)
                          : "memory");)

#define SHARED_CHAIN(name, step)                                                                           \
  extern "C" __global__ void name(u64* out, u64 unused, const u32* offsets, u32 zero, u32 warm, u32 rounds) { \
    extern __shared__ u32 memory[];                                                                        \
    u32 a;                                                                                                 \
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(memory));           \
    a += offsets[threadIdx.x & 31];                                                                        \
    asm volatile("st.shared.u32 [%0], %0;" ::"r"(a) : "memory");                                           \
    __syncthreads();                                                                                       \
    TIMED(warm, rounds, REP16(step), if (a == 1) out[0] = 0;)                                              \
    record_warp(out, start, end);                                                                          \
  }
SHARED_CHAIN(chain_lds32, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(a)::"memory");)
SHARED_CHAIN(chain_lds64, asm volatile("{ .reg .u32 h; ld.shared.v2.u32 {%0, h}, [%0]; }" : "+r"(a)::"memory");)
SHARED_CHAIN(chain_lds128,
             asm volatile("{ .reg .u32 h, i, j; ld.shared.v4.u32 {%0, h, i, j}, [%0]; }" : "+r"(a)::"memory");)
SHARED_CHAIN(chain_atoms_exch32, asm volatile("atom.shared.exch.b32 %0, [%0], %0;" : "+r"(a)::"memory");)
SHARED_CHAIN(chain_atoms_add32, asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(a) : "r"(zero) : "memory");)
SHARED_CHAIN(chain_atoms_cas32, asm volatile("atom.shared.cas.b32 %0, [%0], %0, %0;" : "+r"(a)::"memory");)

// Throughput: four addresses a thread, `step_stride` apart; warps `warp_stride` apart, blocks `block_stride`. The
// block's start and end go to `out` five words a block (SM, clock, timer, clock, timer).
#define GLOBAL_FLOOD(name, body, drain)                                                                              \
  extern "C" __global__ void name(u64* out, u64 base, const u32* offsets, u32 warp_stride, u32 step_stride,          \
                                  u64 block_stride, u32 warm, u32 rounds) {                                          \
    const u64 p0 = base + offsets[threadIdx.x & 31] + (threadIdx.x >> 5) * (u64)warp_stride + blockIdx.x * block_stride; \
    const u64 p1 = p0 + step_stride, p2 = p1 + step_stride, p3 = p2 + step_stride;                                   \
    u32 x = 0, y = 0, z = 0, w = 0;                                                                                  \
    u64 first_clock = 0, first_timer = 0;                                                                            \
    _Pragma("unroll 1") for (u32 pass = 0; pass < 2; ++pass) {                                                       \
      const u32 count = pass == 0 ? warm : rounds;                                                                   \
      __syncthreads();                                                                                               \
      first_clock = clock_now();                                                                                     \
      first_timer = timer_now();                                                                                     \
      _Pragma("unroll 1") for (u32 i = 0; i < count; ++i) { REP4(body) }                                             \
      drain                                                                                                          \
    }                                                                                                                \
    record_block(out, first_clock, first_timer);                                                                     \
  }
#define DRAIN \
  if ((x ^ y ^ z ^ w) == 0x9e3779b9u) out[0] = 0;
#define LOAD32(op, p)                                                        \
  asm volatile("{ .reg .u32 t; " op ".u32 t, [%1]; xor.b32 %0, %0, t; }" : "+r"(x) : "l"(p) : "memory");
#define LOAD64(op, p)                                                                                         \
  asm volatile("{ .reg .u32 t, s; " op ".v2.u32 {t, s}, [%2]; xor.b32 %0, %0, t; xor.b32 %1, %1, s; }" \
               : "+r"(x), "+r"(y)                                                                             \
               : "l"(p)                                                                                       \
               : "memory");
#define LOAD128(op, p)                                                                                       \
  asm volatile("{ .reg .u32 t, s, r, q; " op ".v4.u32 {t, s, r, q}, [%4]; xor.b32 %0, %0, t; "               \
               "xor.b32 %1, %1, s; xor.b32 %2, %2, r; xor.b32 %3, %3, q; }"                                  \
               : "+r"(x), "+r"(y), "+r"(z), "+r"(w)                                                          \
               : "l"(p)                                                                                      \
               : "memory");
#define FOUR(M, op) M(op, p0) M(op, p1) M(op, p2) M(op, p3)
// Relaxed and volatile loads: weak ones of one address would be merged by the assembler. ld.relaxed.cta compiles to the
// same LDG as ld.global.ca.
GLOBAL_FLOOD(flood_ca32, FOUR(LOAD32, "ld.relaxed.cta.global"), DRAIN)
GLOBAL_FLOOD(flood_ca64, FOUR(LOAD64, "ld.relaxed.cta.global"), DRAIN)
GLOBAL_FLOOD(flood_ca128, FOUR(LOAD128, "ld.relaxed.cta.global"), DRAIN)
GLOBAL_FLOOD(flood_cg32, FOUR(LOAD32, "ld.relaxed.gpu.global"), DRAIN)
GLOBAL_FLOOD(flood_cg128, FOUR(LOAD128, "ld.relaxed.gpu.global"), DRAIN)
#define STORE32(op, p) asm volatile(op ".u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
#define STORE64(op, p) asm volatile(op ".v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(x), "r"(y) : "memory");
#define STORE128(op, p) \
  asm volatile(op ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
GLOBAL_FLOOD(flood_st32, FOUR(STORE32, "st.global"), __threadfence();)
GLOBAL_FLOOD(flood_st64, FOUR(STORE64, "st.global"), __threadfence();)
GLOBAL_FLOOD(flood_st128, FOUR(STORE128, "st.global"), __threadfence();)
#define ATOM32(op, p)                                                                                          \
  asm volatile("{ .reg .u32 t; " op ".add.u32 t, [%1], 1; xor.b32 %0, %0, t; }" : "+r"(x) : "l"(p) : "memory");
#define RED32(op, p) asm volatile(op ".add.u32 [%0], 1;" ::"l"(p) : "memory");
#define CAS32(op, p)                                                                                            \
  asm volatile("{ .reg .u32 t; " op ".cas.b32 t, [%1], 0, 1; xor.b32 %0, %0, t; }" : "+r"(x) : "l"(p) : "memory");
#define REDF32(op, p) asm volatile(op ".add.f32 [%0], 0f3F800000;" ::"l"(p) : "memory");
GLOBAL_FLOOD(flood_atom32, FOUR(ATOM32, "atom.global"), DRAIN)
GLOBAL_FLOOD(flood_red32, FOUR(RED32, "red.global"), __threadfence();)
GLOBAL_FLOOD(flood_redf32, FOUR(REDF32, "red.global"), __threadfence();)
GLOBAL_FLOOD(flood_cas32, FOUR(CAS32, "atom.global"), DRAIN)

#define SHARED_FLOOD(name, body, drain)                                                                              \
  extern "C" __global__ void name(u64* out, u64 unused, const u32* offsets, u32 warp_stride, u32 step_stride,        \
                                  u64 block_stride, u32 warm, u32 rounds) {                                          \
    extern __shared__ u32 memory[];                                                                                  \
    u32 p0;                                                                                                          \
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(p0) : "l"(memory));                    \
    p0 += offsets[threadIdx.x & 31] + (threadIdx.x >> 5) * warp_stride;                                              \
    const u32 p1 = p0 + step_stride, p2 = p1 + step_stride, p3 = p2 + step_stride;                                   \
    u32 x = 0, y = 0, z = 0, w = 0;                                                                                  \
    u64 first_clock = 0, first_timer = 0;                                                                            \
    _Pragma("unroll 1") for (u32 pass = 0; pass < 2; ++pass) {                                                       \
      const u32 count = pass == 0 ? warm : rounds;                                                                   \
      __syncthreads();                                                                                               \
      first_clock = clock_now();                                                                                     \
      first_timer = timer_now();                                                                                     \
      _Pragma("unroll 1") for (u32 i = 0; i < count; ++i) { REP4(body) }                                             \
      drain                                                                                                          \
    }                                                                                                                \
    record_block(out, first_clock, first_timer);                                                                     \
  }
#define SLOAD32(op, p) asm volatile("{ .reg .u32 t; " op ".u32 t, [%1]; xor.b32 %0, %0, t; }" : "+r"(x) : "r"(p) : "memory");
#define SLOAD64(op, p)                                                                                  \
  asm volatile("{ .reg .u32 t, s; " op ".v2.u32 {t, s}, [%2]; xor.b32 %0, %0, t; xor.b32 %1, %1, s; }" \
               : "+r"(x), "+r"(y)                                                                       \
               : "r"(p)                                                                                 \
               : "memory");
#define SLOAD128(op, p)                                                                        \
  asm volatile("{ .reg .u32 t, s, r, q; " op ".v4.u32 {t, s, r, q}, [%4]; xor.b32 %0, %0, t; " \
               "xor.b32 %1, %1, s; xor.b32 %2, %2, r; xor.b32 %3, %3, q; }"                    \
               : "+r"(x), "+r"(y), "+r"(z), "+r"(w)                                            \
               : "r"(p)                                                                        \
               : "memory");
#define SSTORE32(op, p) asm volatile(op ".u32 [%0], %1;" ::"r"(p), "r"(x) : "memory");
#define SSTORE64(op, p) asm volatile(op ".v2.u32 [%0], {%1, %2};" ::"r"(p), "r"(x), "r"(y) : "memory");
#define SSTORE128(op, p) \
  asm volatile(op ".v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(p), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
#define SATOM32(op, p)                                                                                         \
  asm volatile("{ .reg .u32 t; " op ".add.u32 t, [%1], 1; xor.b32 %0, %0, t; }" : "+r"(x) : "r"(p) : "memory");
#define SCAS32(op, p)                                                                                           \
  asm volatile("{ .reg .u32 t; " op ".cas.b32 t, [%1], 0, 1; xor.b32 %0, %0, t; }" : "+r"(x) : "r"(p) : "memory");
#define SRED32(op, p) asm volatile(op ".add.u32 [%0], 1;" ::"r"(p) : "memory");
SHARED_FLOOD(flood_lds32, FOUR(SLOAD32, "ld.volatile.shared"), DRAIN)
SHARED_FLOOD(flood_lds64, FOUR(SLOAD64, "ld.volatile.shared"), DRAIN)
SHARED_FLOOD(flood_lds128, FOUR(SLOAD128, "ld.volatile.shared"), DRAIN)
SHARED_FLOOD(flood_sts32, FOUR(SSTORE32, "st.shared"), )
SHARED_FLOOD(flood_sts64, FOUR(SSTORE64, "st.shared"), )
SHARED_FLOOD(flood_sts128, FOUR(SSTORE128, "st.shared"), )
SHARED_FLOOD(flood_atoms32, FOUR(SATOM32, "atom.shared"), DRAIN)
SHARED_FLOOD(flood_atoms_cas32, FOUR(SCAS32, "atom.shared"), DRAIN)
SHARED_FLOOD(flood_reds32, FOUR(SRED32, "red.shared"), )
