// Launch, placement, synchronisation, and what shares a scheduler.
#include "common.cuh"

extern "C" __global__ void empty() {}

// Where and when every block ran: five words a block. Spins for `spin` cycles, so that waves can be told apart.
extern "C" __global__ void place(u64* out, u64 spin) {
  const u64 start = clock_now(), timer = timer_now();
  while (clock_now() - start < spin) {
  }
  record_block(out, start, timer);
}

// Cycles of `rounds` times 16 barriers of the whole block.
extern "C" __global__ void barrier(u64* out, u32 warm, u32 rounds) {
  TIMED(warm, rounds, REP16(asm volatile("bar.sync 0;" ::: "memory");), )
  record_warp(out, start, end);
}

// Fences, with `stores` stores (0 or 1) before each, to lines of the thread's own.
#define FENCE(name, fence)                                                                      \
  extern "C" __global__ void name(u64* out, u64 base, u32 stores, u32 warm, u32 rounds) {       \
    const u64 p = base + (blockIdx.x * (u64)blockDim.x + threadIdx.x) * 128;                    \
    TIMED(warm, rounds,                                                                         \
          REP4(if (stores) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(i) : "memory"); \
               asm volatile(fence ::: "memory");), )                                            \
    record_warp(out, start, end);                                                               \
  }
FENCE(fence_cta, "fence.acq_rel.cta;")
FENCE(fence_gpu, "fence.acq_rel.gpu;")
FENCE(fence_sys, "fence.acq_rel.sys;")

// Only the warps of `mask` work: eight independent FFMA chains each (Jia2018 table 2.1).
extern "C" __global__ void busy_warps(u64* out, u64 mask, u32 warm, u32 rounds, float a, float b) {
  const u32 warp = threadIdx.x >> 5;
  float v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = a * (float)i;
  __syncthreads();
  if (((mask >> warp) & 1) == 0) return;
  TIMED(warm, rounds,
        REP8(_Pragma("unroll") for (int k = 0; k < 8; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                                                                        : "+f"(v[k])
                                                                        : "f"(a), "f"(b));),
        if (v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7] == 1.5f) out[0] = 0;)
  record_warp(out, start, end);
}

// Keeps every FP32 lane busy for `cycles`, for clocks under load; v depends on data so that power is drawn.
extern "C" __global__ void burn(u64* out, u64 cycles, float a, float b) {
  const u64 start = clock_now(), timer = timer_now();
  float v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = a * (float)(i + threadIdx.x);
  while (clock_now() - start < cycles) {
    REP16(_Pragma("unroll") for (int k = 0; k < 8; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                                                                     : "+f"(v[k])
                                                                     : "f"(a), "f"(b));)
  }
  if (v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7] == 1.5f) out[0] = 0;
  record_block(out, start, timer);
}
