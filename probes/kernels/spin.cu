// Spinning on a flag in global memory: how often a warp asks, and how soon it sees that another has written.
#include "common.cuh"

static __device__ __forceinline__ u32 ask_volatile(const u32* flag) {
  return *(volatile const u32*)flag;
}
static __device__ __forceinline__ u32 ask_relaxed(const u32* flag) {
  u32 v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory");
  return v;
}
static __device__ __forceinline__ u32 ask_acquire(const u32* flag) {
  u32 v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory");
  return v;
}
static __device__ __forceinline__ void tell_volatile(u32* flag, u32 v) {
  *(volatile u32*)flag = v;
}
static __device__ __forceinline__ void tell_release(u32* flag, u32 v) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(v) : "memory");
}

// Lane 0 of every warp asks `polls` times for a value that never comes; a warp's flag is `flag_stride` bytes
// after the one before it, a block's `block_stride`.
#define POLL(name, ask)                                                                                \
  extern "C" __global__ void name(u64* out, u64 flags, u32 flag_stride, u32 block_stride, u32 polls) { \
    const u32* flag =                                                                                  \
        (const u32*)(flags + (threadIdx.x >> 5) * flag_stride + blockIdx.x * (u64)block_stride);       \
    u64 start = 0, end = 0;                                                                            \
    _Pragma("unroll 1") for (u32 pass = 0; pass < 2; ++pass) {                                         \
      __syncthreads();                                                                                 \
      const u32 count = pass == 0 ? 4 : polls;                                                         \
      start = clock_now();                                                                             \
      if ((threadIdx.x & 31) == 0) {                                                                   \
        _Pragma("unroll 1") for (u32 i = 0; i < count; ++i) {                                          \
          if (ask(flag) == 0x9e3779b9u) break;                                                         \
        }                                                                                              \
      }                                                                                                \
      __syncwarp();                                                                                    \
      end = clock_now();                                                                               \
    }                                                                                                  \
    record_warp(out, start, end);                                                                      \
  }
POLL(poll_volatile, ask_volatile)
POLL(poll_relaxed, ask_relaxed)
POLL(poll_acquire, ask_acquire)

// Warp 0 of the block writes after `delay` cycles; the others spin. Clocks of one SM: out[2 w] when warp w
// saw it, out[2 w + 1] how often it asked; of warp 0 when it wrote. `spinners` more blocks spin on the same
// flag and record nothing.
#define SEEN(name, ask, tell)                                             \
  extern "C" __global__ void name(u64* out, u32* flag, u32 delay) {       \
    const u32 warp = threadIdx.x >> 5;                                    \
    if ((threadIdx.x & 31) != 0) return;                                  \
    if (blockIdx.x == 0 && warp == 0) {                                   \
      const u64 begin = clock_now();                                      \
      while (clock_now() - begin < delay) {                               \
      }                                                                   \
      out[0] = clock_now();                                               \
      tell(flag, 1);                                                      \
      out[1] = clock_now();                                               \
      return;                                                             \
    }                                                                     \
    u64 asked = 1;                                                        \
    while (ask(flag) == 0) ++asked;                                       \
    const u64 seen = clock_now();                                         \
    if (blockIdx.x == 0) out[2 * warp] = seen, out[2 * warp + 1] = asked; \
  }
SEEN(seen_volatile, ask_volatile, tell_volatile)
SEEN(seen_acquire, ask_acquire, tell_release)

// Blocks 0 and 1 hand a number back and forth `rounds` times; a hand-over takes half of a round. Further
// blocks, and the further warps of these, spin on the same word until the end. flags[0]: the number,
// flags[64]: the end.
#define PING_PONG(name, ask, tell)                                    \
  extern "C" __global__ void name(u64* out, u32* flags, u32 rounds) { \
    if ((threadIdx.x & 31) != 0) return;                              \
    if (blockIdx.x > 1 || threadIdx.x >= 32) {                        \
      while (ask(flags) < 2 * rounds) {                               \
      }                                                               \
      return;                                                         \
    }                                                                 \
    const u32 me = blockIdx.x;                                        \
    const u64 start = clock_now();                                    \
    _Pragma("unroll 1") for (u32 i = 0; i < rounds; ++i) {            \
      while (ask(flags) != 2 * i + me) {                              \
      }                                                               \
      tell(flags, 2 * i + me + 1);                                    \
    }                                                                 \
    out[2 * me] = start;                                              \
    out[2 * me + 1] = clock_now();                                    \
    out[4 + me] = sm_id();                                            \
  }
PING_PONG(ping_pong_volatile, ask_volatile, tell_volatile)
PING_PONG(ping_pong_acquire, ask_acquire, tell_release)
