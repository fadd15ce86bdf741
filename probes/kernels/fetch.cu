// Straight-line code of a chosen length in a loop: groups of 128 FFMAs (2 KiB) with a way out after each, so that one
// kernel serves every size. The two instructions of the exit stand for 1.6 % of the code.
#include "common.cuh"

#define FOUR_FMA                                                                                   \
  asm volatile("fma.rn.f32 %0, %0, %4, %5; fma.rn.f32 %1, %1, %4, %5; fma.rn.f32 %2, %2, %4, %5; " \
               "fma.rn.f32 %3, %3, %4, %5;"                                                        \
               : "+f"(x), "+f"(y), "+f"(z), "+f"(w)                                                \
               : "f"(a), "f"(b));
#define GROUP              \
  REP32(FOUR_FMA)          \
  if (--left == 0) goto done;
// `groups` of 2 KiB, `rounds` times after `warm` times, by the warps of `mask`.
extern "C" __global__ void straight(u64* out, u64 mask, u32 groups, u32 warm, u32 rounds, float a, float b) {
  if (((mask >> (threadIdx.x >> 5)) & 1) == 0) return;
  float x = a, y = a + 1, z = a + 2, w = a + 3;
  u64 start = 0, end = 0;
#pragma unroll 1
  for (u32 pass = 0; pass < 2; ++pass) {
    const u32 count = pass == 0 ? warm : rounds;
    start = clock_now();
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      u32 left = groups;
      REP128(GROUP)
      REP64(GROUP)
    done:;
    }
    if (x + y + z + w == 1.5f) out[0] = 0;
    end = clock_now();
  }
  record_warp(out, start, end);
}
