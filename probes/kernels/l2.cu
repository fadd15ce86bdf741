// The L2 by its slices and by what it keeps: reductions to lists of lines by chosen SMs, latencies of atomics from chosen
// SMs, and ranges of lines that are read one after the other before samples of them are timed.
#include "common.cuh"

// Work is for the SMs whose entry of `ranks` is a number below 0xffffffff. The others' blocks stay until each SM has one.
static __device__ __forceinline__ u32 rank_here(const u32* ranks) {
  const u32 rank = ranks[sm_id()];
  if (rank != 0xffffffffu || threadIdx.x >= 32) return rank;
  const u64 since = clock_now();
  while (clock_now() - since < 1000) {
  }
  return rank;
}

// Adds doubles `steps` times to each of `count` lines, with two lanes of a warp to each of a line's words. Either half of an
// SM's warps has a line of its own, shares it with others where there are more halves than lines, or has several in turn:
// what one slice holds up holds up few others' lines, and each line has two SMs, since one alone sends a slice less than it
// could take. Clocks at the start and the end by rank.
extern "C" __global__ void red_lines(u64* out, const u64* lines, const u32* ranks, u32 sms, u32 count, u32 warm, u32 steps) {
  const u32 rank = rank_here(ranks);
  if (rank == 0xffffffffu) return;
  const u32 halves = 2 * sms, half = rank + (threadIdx.x >> 5) % 2 * sms, warp = threadIdx.x >> 6, warps = blockDim.x >> 6;
  const u32 first = half % count, word = threadIdx.x % 16 * 8;
  const u32 sharers = count < halves ? (halves - first + count - 1) / count : 1;
  u64 start = 0;
#pragma unroll 1
  for (u32 pass = 0; pass < 2; ++pass) {
    const u32 end = pass == 0 ? warm : steps;
    u32 line = first;
    u64 p = lines[line] + word;
    __syncthreads();
    start = clock_now();
#pragma unroll 1
    for (u32 i = half / count * warps + warp; i < end;) {
      asm volatile("{ .reg .f64 v; mov.f64 v, 0d3FF0000000000000; red.global.add.f64 [%0], v; }" ::"l"(p) : "memory");
      if (count > halves) {
        line = line + halves < count ? line + halves : first;
        p = lines[line] + word;
      }
      if (line == first) i += sharers * warps;
    }
    __syncthreads();
    // An atomic that returns comes behind all that.
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
      u32 value;
      asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(value) : "l"(lines[first]) : "memory");
      if (value == 0x9e3779b9u) out[0] = 0;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[2 * rank] = start;
    out[2 * rank + 1] = clock_now();
  }
}

// Latency of atomics from each SM with a rank to every line of the list: what eight that add each other's results take
// more than four. Each SM begins at another line, so that few ask one slice at a time. out[rank * count + line].
extern "C" __global__ void atomic_latency(u32* out, const u64* lines, const u32* ranks, u32 count, u32 repeats) {
  const u32 rank = rank_here(ranks);
  if (rank == 0xffffffffu) return;
#pragma unroll 1
  for (u32 k = 0; k < count; ++k) {
    const u32 line = (rank + k) % count;
    const u64 p = lines[line];
    u32 sum = 0, four = 0xffffffffu, eight = 0xffffffffu;
    asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(sum) : "l"(p) : "memory");
#pragma unroll 1
    for (u32 r = 0; r < repeats; ++r) {
      if (sum == 0x7fffffffu) out[0] = 0;
      const u64 start = clock_now();
      REP4(asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(sum) : "l"(p) : "memory");)
      if (sum == 0x7fffffffu) out[0] = 0;
      const u64 middle = clock_now();
      REP8(asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(sum) : "l"(p) : "memory");)
      if (sum == 0x7fffffffu) out[0] = 0;
      const u64 end = clock_now();
      four = min(four, (u32)(middle - start));
      eight = min(eight, (u32)(end - middle));
    }
    out[rank * count + line] = eight - four;
  }
}

// Reads ranges of lines one after the other past the L1: of range r `ranges[4r + 1]` lines from line ranges[4r] of
// `base` on, ranges[4r + 2] in a row, then as many as ranges[4r + 3] less that are left out. Then times loads of the
// lines of `samples`, one at a time. One block; cycles in `out`, and the block's SM behind them.
extern "C" __global__ void read_ranges(u32* out, u64 base, const u32* ranges, u32 range_count, const u32* samples,
                                       u32 sample_count) {
  extern __shared__ u32 cycles[];
  const u32 warp = threadIdx.x >> 5, warps = blockDim.x >> 5, lane = threadIdx.x & 31;
  u32 x = 0;
#pragma unroll 1
  for (u32 r = 0; r < range_count; ++r) {
    const u32 first = ranges[4 * r], count = ranges[4 * r + 1], run = ranges[4 * r + 2], period = ranges[4 * r + 3];
#pragma unroll 4
    for (u32 i = warp; i < count; i += warps) {
      const u64 line = first + i / run * period + i % run;
      u32 word;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(base + line * 128 + 4 * lane) : "memory");
      x ^= word;
    }
    if (x == 0x9e3779b9u) out[0] = 0;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    u32 line = samples[0];
#pragma unroll 1
    for (u32 i = 0; i < sample_count; ++i) {
      const u32 next = samples[i + 1 == sample_count ? 0 : i + 1];
      const u64 p = base + (u64)line * 128;
      u32 word;
      if (next == 0x9e3779b9u) out[0] = 0;
      const u64 start = clock_now();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(p) : "memory");
      if (word == 0x9e3779b9u) out[0] = 0;
      const u64 end = clock_now();
      cycles[i] = (u32)(end - start);
      line = next;
    }
    out[sample_count] = sm_id();
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < sample_count; i += blockDim.x) out[i] = cycles[i];
}
