// What every probe kernel shares: clocks, names of special registers, the record a block leaves behind.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

static __device__ __forceinline__ u64 clock_now() {
  u64 t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

static __device__ __forceinline__ u64 timer_now() {
  u64 t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

static __device__ __forceinline__ u32 sm_id() {
  u32 id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

// Whether this block is to leave the work to the SM `only`; 0xffffffff: to none. It stays until every SM has its block.
static __device__ __forceinline__ bool elsewhere(u32 only) {
  if (only == 0xffffffffu || only == sm_id()) return false;
  const u64 since = clock_now();
  while (clock_now() - since < 10000) {
  }
  return true;
}

// Five words a block: SM, clock and timer at its start, clock and timer at its end.
static __device__ __forceinline__ void record_block(u64* out, u64 clock_start, u64 timer_start) {
  __syncthreads();
  if (threadIdx.x == 0) {
    u64* mine = out + 5ull * blockIdx.x;
    const u64 clock_end = clock_now();
    mine[4] = timer_now();
    mine[0] = sm_id();
    mine[1] = clock_start;
    mine[2] = timer_start;
    mine[3] = clock_end;
  }
}

// Two words a warp of the block: clock at its start and at its end.
static __device__ __forceinline__ void record_warp(u64* out, u64 start, u64 end) {
  if ((threadIdx.x & 31) == 0) {
    u64* mine = out + 2ull * ((blockIdx.x * blockDim.x + threadIdx.x) >> 5);
    mine[0] = start;
    mine[1] = end;
  }
}

// 16 bytes of global memory that pass the L1, folded into x; and x written four times.
#define READ16(a)                                                                           \
  asm volatile(                                                                             \
      "{ .reg .u32 t, s, r, q; ld.global.cg.v4.u32 {t, s, r, q}, [%1]; xor.b32 %0, %0, t; " \
      "xor.b32 t, s, r; xor.b32 %0, %0, q; xor.b32 %0, %0, t; }"                            \
      : "+r"(x)                                                                             \
      : "l"(a)                                                                              \
      : "memory");
#define WRITE16(a) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(a), "r"(x) : "memory");

#define REP2(x) x x
#define REP4(x) REP2(x) REP2(x)
#define REP8(x) REP4(x) REP4(x)
#define REP16(x) REP8(x) REP8(x)
#define REP32(x) REP16(x) REP16(x)
#define REP64(x) REP32(x) REP32(x)
#define REP128(x) REP64(x) REP64(x)

// Runs `body` warm times and then `rounds` times through the same instructions, so that the timed pass finds them in
// the instruction cache; leaves the second pass's clocks in start and end. `drain` must wait for the body's results.
#define TIMED(warm, rounds, body, drain)                  \
  u64 start = 0, end = 0;                                 \
  _Pragma("unroll 1") for (u32 pass = 0; pass < 2; ++pass) { \
    const u32 count = pass == 0 ? (warm) : (rounds);      \
    start = clock_now();                                  \
    _Pragma("unroll 1") for (u32 i = 0; i < count; ++i) { \
      body                                                \
    }                                                     \
    drain                                                 \
    end = clock_now();                                    \
  }
