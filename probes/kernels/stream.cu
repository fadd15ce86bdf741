// Streams over a large region: bandwidth of L2 and DRAM by mix of reads and writes, latency under load, misses in flight.
#include "common.cuh"

// `reads` and `writes` of every eight 16-byte accesses; the grid walks the region `rounds` times, a grid's width a step.
// Reads and writes go to separate halves so that none waits for the other.
template <int reads, int writes>
static __device__ __forceinline__ void stream(u64* out, u64 base, u64 bytes, u32 rounds) {
  const u64 start = clock_now(), timer = timer_now();
  const u64 width = (u64)gridDim.x * blockDim.x * 16;
  const u64 read_bytes = writes == 0 ? bytes : bytes / 8 * reads;
  const u64 first = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 16;
  u32 x = threadIdx.x;
#pragma unroll 1
  for (u32 round = 0; round < rounds; ++round) {
    u64 from = base + first, to = base + read_bytes + first;
#pragma unroll 1
    for (u64 done = 0; done + 8 * width <= bytes; done += 8 * width) {
#pragma unroll
      for (int i = 0; i < reads; ++i) {
        READ16(from)
        from += width;
      }
#pragma unroll
      for (int i = 0; i < writes; ++i) {
        WRITE16(to)
        to += width;
      }
    }
  }
  if (x == 0x9e3779b9u) out[0] = 0;
  if (writes > 0) __threadfence();
  record_block(out, start, timer);
}
#define STREAM(reads, writes)                                                                             \
  extern "C" __global__ void stream_##reads##_##writes(u64* out, u64 base, u64 bytes, u32 rounds) {       \
    stream<reads, writes>(out, base, bytes, rounds);                                                      \
  }
STREAM(8, 0)
STREAM(7, 1)
STREAM(6, 2)
STREAM(5, 3)
STREAM(4, 4)
STREAM(3, 5)
STREAM(2, 6)
STREAM(1, 7)
STREAM(0, 8)

// Streams whose blocks are dealt out as SMs become free: of a block's eight accesses of 16 bytes a thread `reads` and `writes`,
// each kind in a row over `window` blocks, the next ones again from the start. Of `every` blocks one has both kinds, the others
// that alone of which it has more.
template <int reads, int writes>
static __device__ __forceinline__ void dealt(u64* out, u64 from, u64 to, u32 window, u32 every) {
  constexpr bool more_reads = reads >= writes;
  const u64 block = blockIdx.x % window, width = blockDim.x * 16;
  const u64 rarer = (block + every - 1) / every * (more_reads ? writes : reads);
  const u64 frequent = block * 8 - rarer;
  const int loads = block % every == 0 ? reads : more_reads ? 8 : 0;
  from += (more_reads ? frequent : rarer) * width + threadIdx.x * 16;
  to += (more_reads ? rarer : frequent) * width + threadIdx.x * 16;
  u32 x = threadIdx.x;
#pragma unroll
  for (int i = 0; i < (more_reads ? 8 : reads); ++i)
    if (i < loads) READ16(from + i * width)
  if (x == 0x9e3779b9u) out[0] = 0;
#pragma unroll
  for (int i = 0; i < (more_reads ? writes : 8); ++i)
    if (i < 8 - loads) WRITE16(to + i * width)
}
#define DEALT(reads, writes)                                                                            \
  extern "C" __global__ void dealt_##reads##_##writes(u64* out, u64 from, u64 to, u32 window, u32 every) { \
    dealt<reads, writes>(out, from, to, window, every);                                                 \
  }
DEALT(8, 0)
DEALT(7, 1)
DEALT(6, 2)
DEALT(5, 3)
DEALT(4, 4)
DEALT(3, 5)
DEALT(2, 6)
DEALT(1, 7)
DEALT(0, 8)

// Block 0 chases pointers with one warp while the others read at a chosen rate for `window` cycles: `pause` cycles
// between groups of four loads. out[0..2]: cycles and steps of the chase. Then five words a block as elsewhere, and
// after those one word a block: bytes that it read in the window.
extern "C" __global__ void loaded_latency(u64* out, u64 p, u64 base, u64 bytes, u64 window, u32 pause) {
  const u64 start = clock_now(), timer = timer_now();
  u64* blocks = out + 4;
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      while (clock_now() - start < window / 4) {
      }
      u64 steps = 0;
      const u64 chase_start = clock_now();
      while (clock_now() - start < window * 3 / 4) {
        REP4(asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");)
        if (p == 1) out[0] = 0;
        steps += 4;
      }
      out[0] = clock_now() - chase_start;
      out[1] = steps;
      out[2] = p;
    }
    record_block(blocks, start, timer);
    return;
  }
  const u64 width = (u64)(gridDim.x - 1) * blockDim.x * 16;
  u64 at = ((u64)(blockIdx.x - 1) * blockDim.x + threadIdx.x) * 16;
  u32 x = 0;
  u64 count = 0;
#pragma unroll 1
  while (true) {
    const u64 now = clock_now();
    if (now - start >= window) break;
    u64 a = at, b = a + width, c = b + width, d = c + width;
    b = b >= bytes ? b - bytes : b;
    c = c >= bytes ? c - bytes : c;
    d = d >= bytes ? d - bytes : d;
    READ16(base + a)
    READ16(base + b)
    READ16(base + c)
    READ16(base + d)
    at = d + width;
    at = at >= bytes ? at - bytes : at;
    if (x == 0x9e3779b9u) out[0] = 0;
    count += 64;
    while (clock_now() - now < pause) {
    }
  }
  __shared__ u64 total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, count);
  __syncthreads();
  if (threadIdx.x == 0) blocks[5ull * gridDim.x + blockIdx.x] = total;
  record_block(blocks, start, timer);
}

// Misses in flight: every thread of one block issues `n` independent loads, each to a sector of its own, and waits.
#define BURST(n)                                                                                          \
  extern "C" __global__ void burst_##n(u64* out, u64 base, u32 stride, u32 through_l1) {                   \
    const u64 mine = base + (u64)threadIdx.x * stride;                                                    \
    const u64 hop = (u64)blockDim.x * stride;                                                             \
    u32 v[n];                                                                                             \
    u64 start = 0, end = 0;                                                                               \
    _Pragma("unroll 1") for (u32 pass = 0; pass < 2; ++pass) {                                            \
      const u64 p = mine + pass * n * hop;                                                                \
      __syncthreads();                                                                                    \
      start = clock_now();                                                                                \
      if (through_l1) {                                                                                   \
        _Pragma("unroll") for (int i = 0; i < n; ++i)                                                     \
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i]) : "l"(p + i * hop) : "memory");         \
      } else {                                                                                            \
        _Pragma("unroll") for (int i = 0; i < n; ++i)                                                     \
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[i]) : "l"(p + i * hop) : "memory");         \
      }                                                                                                   \
      u32 x = 0;                                                                                          \
      _Pragma("unroll") for (int i = 0; i < n; ++i) x ^= v[i];                                            \
      if (x == 0x9e3779b9u) out[0] = 0;                                                                   \
      end = clock_now();                                                                                  \
    }                                                                                                     \
    record_warp(out, start, end);                                                                         \
  }
BURST(1)
BURST(2)
BURST(4)
BURST(8)
BURST(16)
