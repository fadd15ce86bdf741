// What only sm_90a has: warpgroup matrix products, bulk copies, clusters, mbarriers with transactions, register
// reallocation, and the dynamic-programming integer instructions.
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>

extern "C" __global__ void dynamic_programming(int* out, int x, int y, int z, unsigned u, unsigned v, unsigned w) {
  int r = __vimax3_s32(x, y, z) + __vimin3_s32(x, y, z) + __vimax_s32_relu(x, y) + __vimin_s32_relu(x, z) +
          __viaddmax_s32(x, y, z) + __viaddmin_s32(x, y, z) + __viaddmax_s32_relu(x, y, z) + __vimax3_s32_relu(x, y, z);
  unsigned s = __vimax3_u32(u, v, w) + __vimin3_u32(u, v, w) + __viaddmax_u32(u, v, w) + __viaddmin_u32(u, v, w) +
               __vimax3_s16x2(u, v, w) + __vimin3_u16x2(u, v, w) + __viaddmax_s16x2(u, v, w) + __viaddmin_u16x2(u, v, w) +
               __vimax_s16x2_relu(u, v) + __viaddmax_s16x2_relu(u, v, w) + __vimin3_s16x2_relu(u, v, w);
  bool p, q;
  r += __vibmax_s32(x, z, &p) + __vibmin_s32(y, z, &q);
  s += __vibmax_u16x2(u, v, &p, &q);
  out[threadIdx.x] = r + int(s) + p + q + min(x, 5) + max(int(u), y) + int(min(u, v)) + int(__vadd2(u, v)) + x - 77;
}

template <int N>
__device__ void touch(float (&d)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
#define GROUP_4(C, F) \
  "{%0,%1,%2,%3}"
extern "C" __global__ void __launch_bounds__(128) warpgroup(float* out, uint64_t a, uint64_t b, int scale, const uint32_t* registers) {
  float d[4] = {0, 0, 0, 0};
  uint32_t r[4] = {registers[0], registers[1], registers[2], registers[3]};
  int q[4] = {0, 0, 0, 0};
  uint32_t h[2] = {0, 0};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#define WGMMA(TEXT) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned." TEXT ";}" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(scale), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]))
  WGMMA("m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0");
  WGMMA("m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 1, 1");
  WGMMA("m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 1");
  WGMMA("m64n8k8.f32.tf32.tf32 {%0,%1,%2,%3}, %4, %5, p, 1, 1");
  WGMMA("m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, %4, %5, p, 1, 1");
  WGMMA("m64n8k32.f32.e5m2.e4m3 {%0,%1,%2,%3}, %4, %5, p, 1, 1");
  WGMMA("m64n8k32.f32.e4m3.e5m2 {%0,%1,%2,%3}, %4, %5, p, 1, 1");
  WGMMA("m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, {%7,%8,%9,%10}, %5, p, 1, 1, 1");
  WGMMA("m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, {%7,%8,%9,%10}, %5, p, 1, 1");
  WGMMA("m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, -1, -1, 0, 0");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
#define WGMMA_INT(TEXT) \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned." TEXT ";}" \
               : "+r"(q[0]), "+r"(q[1]), "+r"(q[2]), "+r"(q[3]) : "l"(a), "l"(b), "r"(scale), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]))
  WGMMA_INT("m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, %4, %5, p");
  WGMMA_INT("m64n8k32.s32.u8.u8.satfinite {%0,%1,%2,%3}, %4, %5, p");
  WGMMA_INT("m64n8k32.s32.s8.u8 {%0,%1,%2,%3}, {%7,%8,%9,%10}, %5, p");
  WGMMA_INT("m64n8k256.s32.b1.b1.and.popc {%0,%1,%2,%3}, %4, %5, p");
  asm volatile("{.reg .pred p; setp.ne.b32 p, %4, 0; wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0,%1}, %2, %3, p, 1, 1, 0, 0;}"
               : "+r"(h[0]), "+r"(h[1]) : "l"(a), "l"(b), "r"(scale));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  touch(d);
  for (int i = 0; i < 4; ++i) out[threadIdx.x + i * 128] = d[i] + float(q[i]) + float(h[i & 1]);
}

extern "C" __global__ void __launch_bounds__(256) bulk(const __grid_constant__ CUtensorMap map, char* global, unsigned bytes, unsigned short mask) {
  __shared__ alignas(128) char buffer[8192];
  __shared__ uint64_t barrier;
  const unsigned bar = unsigned(__cvta_generic_to_shared(&barrier)), to = unsigned(__cvta_generic_to_shared(buffer));
  const uint64_t m = reinterpret_cast<uint64_t>(&map);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("fence.proxy.async.global;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes));
    asm volatile("prefetch.tensormap [%0];" ::"l"(m));
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(3));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3,%4}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(3), "r"(5));
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3,%4,%3}], [%2], %5;" ::"r"(to), "l"(m), "r"(bar), "r"(3), "r"(5), "l"(0x14f0000000000000));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3,%4}], [%2], %5;" ::"r"(to), "l"(m), "r"(bar), "r"(3), "r"(5), "h"(mask));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(global), "r"(bytes), "r"(bar));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(global), "r"(bytes));
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1,%2}];" ::"l"(m), "r"(3), "r"(5));
  }
  unsigned done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(bar), "r"(0));
  asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(bar), "r"(1));
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1,%2}], [%3];" ::"l"(m), "r"(1), "r"(2), "r"(to));
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1,%2}], [%3];" ::"l"(m), "r"(1), "r"(2), "r"(to));
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global), "r"(to), "r"(bytes));
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(global), "r"(to), "r"(bytes));
  asm volatile("cp.async.bulk.commit_group;");
  asm volatile("cp.async.bulk.wait_group 0;");
  asm volatile("cp.async.bulk.wait_group.read 1;");
  global[threadIdx.x] = char(done) + buffer[threadIdx.x];
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster(int* out, unsigned x) {
  __shared__ unsigned cell[256];
  __shared__ uint64_t barrier;
  cell[threadIdx.x] = x;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");
  unsigned rank, remote, value, elected;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(unsigned(__cvta_generic_to_shared(cell))), "r"(rank ^ 1));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote + 4 * threadIdx.x));
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote), "r"(value));
  asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(value) : "r"(remote), "r"(x));
  unsigned bar;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(unsigned(__cvta_generic_to_shared(&barrier))), "r"(rank ^ 1));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(remote), "r"(x), "r"(bar));
  asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(elected));
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  out[threadIdx.x] = int(rank + value + elected);
}

extern "C" __global__ void __launch_bounds__(384, 1) specialised(float* out) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void stores(uint32_t* out, float4* vector, __half2* halves, uint32_t x) {
  __shared__ uint4 buffer[64];
  const unsigned to = unsigned(__cvta_generic_to_shared(buffer)) + threadIdx.x * 16;
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(to), "r"(x));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(to), "r"(x), "r"(x + 1));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(x), "r"(x + 1), "r"(x + 2), "r"(x + 3));
  asm volatile("red.global.add.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"(vector), "f"(float(x)));
  asm volatile("red.global.add.v2.f32 [%0], {%1,%1};" ::"l"(vector), "f"(float(x)));
  asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1,%1,%1,%1};" ::"l"(halves), "r"(x));
  asm volatile("red.global.max.noftz.v2.bf16x2 [%0], {%1,%1};" ::"l"(halves), "r"(x));
  out[threadIdx.x] = buffer[threadIdx.x & 63].x;
}
