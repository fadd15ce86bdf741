// Loads, stores, atomics and fences of every width, cache operator and scope.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#include <cstdint>

template <class T>
__global__ void copy(T* out, const T* in, int n) {
  __shared__ T buffer[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) buffer[threadIdx.x] = in[i];
  __syncthreads();
  T local[8];
#pragma unroll 1
  for (int k = 0; k < n % 8; ++k) local[(k * n) & 7] = buffer[(threadIdx.x + k) & 255];
  if (i < n) out[i] = local[n & 7];
  out[i + 5] = __ldg(in + i + 3);
  out[i + 77] = *const_cast<const volatile int*>(&n) ? in[i * 3] : in[i + 1];
}
template __global__ void copy<char>(char*, const char*, int);
template __global__ void copy<unsigned char>(unsigned char*, const unsigned char*, int);
template __global__ void copy<short>(short*, const short*, int);
template __global__ void copy<unsigned short>(unsigned short*, const unsigned short*, int);
template __global__ void copy<int>(int*, const int*, int);
template __global__ void copy<int2>(int2*, const int2*, int);
template __global__ void copy<int4>(int4*, const int4*, int);
template __global__ void copy<float2>(float2*, const float2*, int);
template __global__ void copy<float4>(float4*, const float4*, int);
template __global__ void copy<double>(double*, const double*, int);
template __global__ void copy<double2>(double2*, const double2*, int);

#define LOAD_AS(NAME, ASM)                                             \
  extern "C" __global__ void NAME(unsigned* out, const unsigned* in) { \
    unsigned a, b, c, d;                                               \
    asm volatile(ASM ".u32 %0, [%1];" : "=r"(a) : "l"(in + threadIdx.x) : "memory"); \
    asm volatile(ASM ".v2.u32 {%0, %1}, [%2+64];" : "=r"(b), "=r"(c) : "l"(in + 2 * threadIdx.x) : "memory"); \
    asm volatile(ASM ".u8 %0, [%1+3];" : "=r"(d) : "l"(in + threadIdx.x) : "memory"); \
    out[threadIdx.x] = a + b + c + d;                                  \
  }
LOAD_AS(load_ca, "ld.global.ca")
LOAD_AS(load_cg, "ld.global.cg")
LOAD_AS(load_cs, "ld.global.cs")
LOAD_AS(load_lu, "ld.global.lu")
LOAD_AS(load_cv, "ld.global.cv")
LOAD_AS(load_nc, "ld.global.nc")
LOAD_AS(load_volatile, "ld.volatile.global")
LOAD_AS(load_relaxed_cta, "ld.relaxed.cta.global")
LOAD_AS(load_relaxed_gpu, "ld.relaxed.gpu.global")
LOAD_AS(load_relaxed_sys, "ld.relaxed.sys.global")
LOAD_AS(load_acquire_gpu, "ld.acquire.gpu.global")
LOAD_AS(load_acquire_sys, "ld.acquire.sys.global")
LOAD_AS(load_generic, "ld")
LOAD_AS(load_generic_volatile, "ld.volatile")
LOAD_AS(load_evict_first, "ld.global.L1::evict_first")
LOAD_AS(load_evict_last, "ld.global.L1::evict_last")
LOAD_AS(load_no_allocate, "ld.global.L1::no_allocate")
LOAD_AS(load_evict_unchanged, "ld.global.L1::evict_unchanged")
// VOLTA is defined where code for sm_75 is made to pass for sm_70.
#ifndef VOLTA
LOAD_AS(load_prefetch_64, "ld.global.L2::64B")
LOAD_AS(load_prefetch_128, "ld.global.L2::128B")
#endif
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
LOAD_AS(load_prefetch_256, "ld.global.L2::256B")
#endif

#define STORE_AS(NAME, ASM)                                      \
  extern "C" __global__ void NAME(unsigned* out, unsigned a) {   \
    asm volatile(ASM ".u32 [%0], %1;" ::"l"(out + threadIdx.x), "r"(a) : "memory"); \
    asm volatile(ASM ".v4.u32 [%0+64], {%1, %1, %1, %1};" ::"l"(out + 4 * threadIdx.x), "r"(a) : "memory"); \
    asm volatile(ASM ".u8 [%0+3], %1;" ::"l"(out + threadIdx.x), "r"(a) : "memory"); \
    asm volatile(ASM ".u16 [%0+-2], %1;" ::"l"(out + threadIdx.x), "h"(short(a)) : "memory"); \
  }
STORE_AS(store_wb, "st.global.wb")
STORE_AS(store_cg, "st.global.cg")
STORE_AS(store_cs, "st.global.cs")
STORE_AS(store_wt, "st.global.wt")
STORE_AS(store_generic, "st")
STORE_AS(store_evict_first, "st.global.L1::evict_first")
STORE_AS(store_evict_last, "st.global.L1::evict_last")
STORE_AS(store_no_allocate, "st.global.L1::no_allocate")
extern "C" __global__ void store_ordered(unsigned* out, unsigned a) {
  asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(out), "r"(a) : "memory");
  asm volatile("st.relaxed.cta.global.u32 [%0], %1;" ::"l"(out + 1), "r"(a) : "memory");
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(out + 2), "r"(a) : "memory");
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(out + 3), "r"(a) : "memory");
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(out + 4), "r"(a) : "memory");
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(out + 5), "r"(a) : "memory");
  asm volatile("st.release.cta.u32 [%0], %1;" ::"l"(out + 6), "r"(a) : "memory");
  asm volatile("fence.sc.cta; fence.sc.gpu; fence.sc.sys; fence.acq_rel.cta; fence.acq_rel.gpu; fence.acq_rel.sys;" ::: "memory");
  asm volatile("prefetch.global.L1 [%0]; prefetch.global.L2 [%0];" ::"l"(out + 70));
#if __CUDA_ARCH__ >= 800
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(out));
#endif
  __threadfence_block();
  __threadfence();
  __threadfence_system();
}

template <class T>
__global__ void atomics(T* out, T* result, T x, T y) {
  __shared__ T cell[64];
  cell[threadIdx.x & 63] = x;
  __syncthreads();
  T* g = out + threadIdx.x;
  T* s = cell + (threadIdx.x & 63);
  result[0] = atomicAdd(g, x) + atomicExch(g + 1, y) + atomicMin(g + 2, x) + atomicMax(g + 3, y) + atomicAnd(g + 4, x) +
              atomicOr(g + 5, y) + atomicXor(g + 6, x) + atomicCAS(g + 7, x, y);
  atomicAdd(g + 8, x);
  atomicMin(g + 9, x);
  atomicMax(g + 10, y);
  atomicAnd(g + 11, x);
  atomicOr(g + 12, y);
  atomicXor(g + 13, x);
  atomicAdd_block(g + 14, x);
  atomicAdd_system(g + 15, x);
  result[1] = atomicAdd(s, x) + atomicExch(s, y) + atomicMin(s, x) + atomicMax(s, y) + atomicAnd(s, x) + atomicOr(s, y) +
              atomicXor(s, x) + atomicCAS(s, x, y);
  atomicAdd(s, x);
  T* either = threadIdx.x > x ? s : g;
  result[2] = atomicAdd(either, x) + atomicMax(either, y) + atomicCAS(either, x, y) + atomicExch(either, x);
  atomicAdd(either, y);
  atomicAdd(out, T(1));
  atomicAdd(cell, T(1));
}
template __global__ void atomics<int>(int*, int*, int, int);
template __global__ void atomics<unsigned>(unsigned*, unsigned*, unsigned, unsigned);
template __global__ void atomics<unsigned long long>(unsigned long long*, unsigned long long*, unsigned long long, unsigned long long);

extern "C" __global__ void atomics_more(unsigned* u, long long* l, unsigned short* h, unsigned x) {
  __shared__ unsigned cell[32];
  u[0] = atomicInc(u + 1, x) + atomicDec(u + 2, x) + atomicInc(cell + threadIdx.x, x) + atomicDec(cell + 3, x);
  l[0] = atomicMin(l + 1, (long long)x) + atomicMax(l + 2, (long long)x);
  atomicMax(l + 5, (long long)x);
  h[0] = atomicCAS(h + 1, (unsigned short)x, (unsigned short)3);
}
extern "C" __global__ void atomics_float(float* f, double* d, __half2* h, float x) {
  __shared__ float cell[32];
  __shared__ double wide[32];
  f[0] = atomicAdd(f + 1, x) + atomicAdd(cell + threadIdx.x, x) + atomicExch(f + 2, x);
  d[0] = atomicAdd(d + 1, double(x)) + atomicAdd(wide + threadIdx.x, double(x));
  atomicAdd(f + 3, x);
  atomicAdd(d + 3, double(x));
  h[0] = atomicAdd(h + 1, __floats2half2_rn(x, x));
  atomicAdd(h + 2, __floats2half2_rn(x, x));
  float* either = threadIdx.x > 3 ? f : cell;
  atomicAdd(either, x);
  f[9] = atomicAdd(either, x);
}
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void asynchronous_copy(float4* out, const float4* in, int n) {
  __shared__ float4 buffer[512];
  const unsigned to = unsigned(__cvta_generic_to_shared(buffer + threadIdx.x));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to + 16), "l"(in + threadIdx.x + n));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + 32), "l"(in + threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 512), "l"(in + 2 * threadIdx.x));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to + 48), "l"(in + threadIdx.x), "r"(n));
  asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 4, %2;" ::"r"(to + 64), "l"(in + threadIdx.x), "r"(n));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 1;");
  asm volatile("cp.async.wait_all;");
  __shared__ unsigned long long barrier[2];
  const unsigned b = unsigned(__cvta_generic_to_shared(barrier));
  unsigned long long state;
  asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(b));
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(b));
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(b));
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(b));
  unsigned done;
  asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "l"(state));
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(b + 8));
  __syncthreads();
  if (done) out[threadIdx.x] = buffer[threadIdx.x];
}
#endif
