// A chase through a one-dimensional texture of words: each texel is the next one's index (Arafa2019 figure
// 6b). On the SM `only` of a grid that covers all, or wherever the block lands.
#include "common.cuh"

extern "C" __global__ void chase_texture(u64* out, u64 texture, u32 first, u32 warm_rounds, u32 rounds, u32 only) {
  if (elsewhere(only)) return;
  u32 texel = first;
#define STEP                                                                         \
  asm volatile("{ .reg .u32 y, z, w; tex.1d.v4.u32.s32 {%0, y, z, w}, [%1, {%0}]; }" \
               : "+r"(texel)                                                             \
               : "l"(texture)                                                        \
               : "memory");
  TIMED(warm_rounds, rounds, REP16(STEP), if (texel == 0xffffffffu) out[3] = 0;)
  out[0] = end - start;
  out[1] = 16ull * rounds;
  out[2] = texel;
}

// One latency a step, kept in shared memory until the end.
extern "C" __global__ void fine_texture(u64* out, u64 texture, u32 first, u32 steps) {
  extern __shared__ u32 latency[];
  u32 texel = first;
#pragma unroll 1
  for (u32 k = 0; k < steps; ++k) {
    u32 before, after;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(before)::"memory");
    STEP((volatile u32*)latency)[k] = texel;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(after)::"memory");
    ((volatile u32*)latency)[k] = after - before;
  }
  for (u32 k = 0; k < steps; ++k) out[k] = latency[k];
  out[steps] = texel;
}
