// Latency under load: one thread chases pointers on an SM of its own while warps of other SMs read and write
// as fast as they can. How many SMs and warps take part sets the load.
#include "common.cuh"

// Everyone first visits what shall be in the L2: the chase `chase_warm` times four of its ring's slots, the
// others `laps` times the whole region. Then the window begins. out[0], out[1]: cycles and steps of the
// chase; out[2]: blocks that are ready; out[3]: one more than the chase's SM, zero before the window. From
// out[4] on two words a block: bytes that it moved in the middle half of the window, and the cycles of that
// half by its own clock. Blocks that share the chase's SM end at once.
template <int reads, int writes>
static __device__ __forceinline__ void load_of(u64* out, u64 p, u64 base, u64 bytes, u64 window,
                                               u32 chase_warm, u32 laps) {
  volatile u64* seat = out + 3;
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
#pragma unroll 1
    for (u32 i = 0; i < chase_warm; ++i) {
      REP4(asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");)
    }
    while (*(volatile u64*)(out + 2) != gridDim.x - 1 || p == 1) {
    }
    *seat = sm_id() + 1;
    const u64 start = clock_now();
    while (clock_now() - start < window / 4) {
    }
    u64 steps = 0;
    const u64 chase_start = clock_now();
    u64 now = chase_start;
    while (now - start < window * 3 / 4) {
      REP4(asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");)
      if (p == 1) out[0] = 0;
      steps += 4;
      now = clock_now();
    }
    out[0] = now - chase_start;
    out[1] = steps;
    return;
  }
  // The blocks count from 1; a block walks every (gridDim.x - 1)-th piece of the region.
  const u64 width = (u64)(gridDim.x - 1) * blockDim.x * 16;
  u64 at = ((u64)(blockIdx.x - 1) * blockDim.x + threadIdx.x) * 16;
  u32 x = threadIdx.x;
#pragma unroll 1
  for (u32 lap = 0; lap < laps; ++lap) {
#pragma unroll 1
    for (u64 near = at; near < bytes; near += 4 * width) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const u64 a = near + i * width;
        READ16(base + (a < bytes ? a : near))
      }
    }
  }
  if (x == 0x9e3779b9u) out[0] = 0;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out + 2, 1ull);
  u64 taken = *seat;
  while (taken == 0) taken = *seat;
  if (taken == sm_id() + 1) return;
  u64 first = 0, last = 0, moved_first = 0, moved_last = 0, moved = 0;
  const u64 start = clock_now();
#pragma unroll 1
  while (true) {
    const u64 now = clock_now();
    if (first == 0 && now - start >= window / 4) first = now, moved_first = moved;
    if (last == 0 && now - start >= window * 3 / 4) last = now, moved_last = moved;
    if (now - start >= window) break;
#pragma unroll
    for (int i = 0; i < reads; ++i) {
      READ16(base + at)
      at += width;
      at = at >= bytes ? at - bytes : at;
    }
#pragma unroll
    for (int i = 0; i < writes; ++i) {
      WRITE16(base + at)
      at += width;
      at = at >= bytes ? at - bytes : at;
    }
    if (x == 0x9e3779b9u) out[0] = 0;
    moved += 16 * (reads + writes);
  }
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(out + 4 + 2 * blockIdx.x, 32 * (moved_last - moved_first));
    if (threadIdx.x == 0) out[5 + 2 * blockIdx.x] = last - first;
  }
}
#define LOAD_OF(name, reads, writes)                                                     \
  extern "C" __global__ void __launch_bounds__(1024, 2)                                  \
      name(u64* out, u64 p, u64 base, u64 bytes, u64 window, u32 chase_warm, u32 laps) { \
    load_of<reads, writes>(out, p, base, bytes, window, chase_warm, laps);               \
  }
LOAD_OF(load_reads, 4, 0)
LOAD_OF(load_writes, 0, 4)
LOAD_OF(load_mixed, 2, 2)
