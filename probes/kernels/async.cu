// Copies from global to shared memory that no register sees (LDGSTS): latency of one, rate of many.
#include "common.cuh"

#if __CUDA_ARCH__ >= 800
#define COPY(bytes, cache, at) \
  asm volatile("cp.async." cache ".shared.global [%0], [%1], " #bytes ";" ::"r"(to), "l"(at) : "memory");
#define DONE asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
#define ASYNC(name, bytes, cache)                                                                   \
  extern "C" __global__ void name##_latency(u64* out, u64 from, u32 stride, u32 warm, u32 rounds) { \
    extern __shared__ __align__(16) unsigned char memory[];                                         \
    const u32 to = (u32)__cvta_generic_to_shared(memory) + threadIdx.x * bytes;                     \
    u64 p = from + threadIdx.x * bytes;                                                             \
    TIMED(warm, rounds, COPY(bytes, cache, p) DONE p += stride;, )                                  \
    record_warp(out, start, end);                                                                   \
  }                                                                                                 \
  extern "C" __global__ void name##_rate(u64* out, u64 from, u32 stride, u32 warm, u32 rounds) {    \
    extern __shared__ __align__(16) unsigned char memory[];                                         \
    const u32 to = (u32)__cvta_generic_to_shared(memory) + threadIdx.x * bytes;                     \
    const u64 p = from + (u64)(threadIdx.x + blockDim.x * blockIdx.x) * bytes;                      \
    __syncthreads();                                                                                \
    TIMED(warm, rounds, REP8(COPY(bytes, cache, p)) REP8(COPY(bytes, cache, p + stride)), DONE)     \
    record_warp(out, start, end);                                                                   \
  }
ASYNC(async_ca4, 4, "ca")
ASYNC(async_ca8, 8, "ca")
ASYNC(async_ca16, 16, "ca")
ASYNC(async_cg16, 16, "cg")
#endif
