// Loads of places that lie nowhere near each other: what tags and rows make of them. Addresses are computed, so that
// nothing but the loads themselves is in a cache.
#include "common.cuh"

// A bijection of the numbers below 2^bits.
static __device__ __forceinline__ u32 scatter(u32 k, u32 bits) {
  const u32 mask = (1u << bits) - 1;
  u32 h = (k * 0x9e3779b1u) & mask;
  h ^= h >> (bits / 2);
  h = (h * 0x85ebca6bu) & mask;
  h ^= h >> (bits / 2);
  return (h * 0xc2b2ae35u) & mask;
}

static __device__ __forceinline__ u32 next_random(u32 x) {
  x ^= x << 13;
  x ^= x >> 17;
  return x ^ (x << 5);
}

// One warp walks `lines` of the 2^17 lines at `base` again and again, in order or drawn: out = cycles of the last `steps`.
extern "C" __global__ void scattered(u64* out, u64 base, u32 lines, u32 warm, u32 steps, u32 drawn) {
  u32 x = 12345u, at = 0, sum = 0;
  u64 start = 0;
  for (u32 i = 0; i < warm + steps; ++i) {
    if (i == warm) start = clock_now();
    u32 k = at;
    if (drawn != 0) {
      x = next_random(x);
      k = (u32)(((u64)x * lines) >> 32);
    }
    at = at + 1 == lines ? 0 : at + 1;
    const u64 p = base + (u64)scatter(k, 17) * 128 + (threadIdx.x & 31) * 4;
    u32 v;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    sum += v;
    x += sum;  // zero: the next address waits for this load
    at += sum;
  }
  const u64 end = clock_now();
  if (threadIdx.x == 0) {
    out[0] = end - start;
    out[1] = sum;
  }
}

// The first `lanes` lanes of each warp load a random sector each, `steps` times, each load after the one before:
// out[1 + block] = cycles.
extern "C" __global__ void sectors(u64* out, u64 base, u32 count, u32 steps, u32 lanes) {
  const u64 start = clock_now();
  u32 x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u;
  if ((threadIdx.x & 31) < lanes) {
    for (u32 i = 0; i < steps; ++i) {
      x = next_random(x);
      const u64 p = base + (((u64)x * count) >> 32) * 32;
      u32 v;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
      x += v;
    }
    if (x == 0) out[0] = 1;
  }
  const u64 end = clock_now();
  if (threadIdx.x == 0) out[1 + blockIdx.x] = end - start;
}

// A load of DRAM: what the L2 has of the line is thrown away first. Clock at its end, and what it took.
static __device__ __forceinline__ uint2 load_anew(u64 line) {
  u32 value, end;
#if __CUDA_ARCH__ >= 800
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(line) : "memory");
#endif
  for (const u64 since = clock_now(); clock_now() - since < 150;) {
  }
  const u32 start = (u32)clock_now();
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(line) : "memory");
  asm volatile(
      "{ .reg .pred here; setp.ne.u32 here, %1, 0x7654321; mov.u32 %0, 0; @here mov.u32 %0, %%clock; }"
      : "=r"(end)
      : "r"(value)
      : "memory");
  return make_uint2(end, end - start);
}

// Loads each line of a list again and again from DRAM, in turn with the first of them. out[0] to out[3]: timer and
// clock at the beginning and at the end; then, times and times again, the two loads: the clock at the end in
// the upper half of a word, the cycles in the lower.
extern "C" __global__ void lines_anew(u64* out, const u64* lines, u32 line_count, u32 times) {
  out[0] = timer_now();
  out[1] = clock_now();
  u64* next = out + 4;
#pragma unroll 1
  for (u32 i = 0; i < line_count; ++i) {
#pragma unroll 1
    for (u32 k = 0; k < times; ++k) {
      const uint2 first = load_anew(lines[0]);
      const uint2 other = load_anew(lines[i]);
      next[0] = (u64)first.x << 32 | first.y;
      next[1] = (u64)other.x << 32 | other.y;
      next += 2;
      // Another pause each time: refreshes would find the loads at the same place of their turn otherwise.
      for (const u64 since = clock_now(); clock_now() - since < k * 37 % 200;) {
      }
    }
  }
  out[2] = timer_now();
  out[3] = clock_now();
}
