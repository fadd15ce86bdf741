// Bulk copies: bytes through shared memory and back, boxes of a tensor.
#include <cuda.h>

#include <cstdint>

__device__ unsigned window(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void make_barrier(unsigned barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ void wait_for(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::
          "r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ void load(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ void finish() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Each block: its 1,024 bytes of `from`, doubled, to `to`; added there twice more; then what stands there to
// `seen`.
extern "C" __global__ void through(const unsigned* from, unsigned* to, unsigned* seen) {
  __shared__ alignas(128) unsigned words[256];
  __shared__ alignas(8) std::uint64_t barrier;
  const unsigned bar = window(&barrier), at = window(words), first = blockIdx.x * 256;
  if (threadIdx.x == 0) make_barrier(bar);
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(bar, 1024);
    load(at, from + first, 1024, bar);
  }
  wait_for(bar, 0);
  words[threadIdx.x] *= 2;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + first), "r"(at),
                 "r"(1024)
                 : "memory");
    finish();
    for (int i = 0; i < 2; ++i)
      asm volatile(
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to + first),
          "r"(at), "r"(1024)
          : "memory");
    finish();
    expect(bar, 1024);
    load(at, to + first, 1024, bar);
  }
  wait_for(bar, 1);
  seen[first + threadIdx.x] = words[threadIdx.x];
}

// A box of 4 by 3 words at (x, y) to `out`, then, one added to each, to the box below it.
extern "C" __global__ void box(const __grid_constant__ CUtensorMap map, int x, int y, unsigned* out) {
  __shared__ alignas(128) unsigned words[12];
  __shared__ alignas(8) std::uint64_t barrier;
  const unsigned bar = window(&barrier), at = window(words);
  if (threadIdx.x == 0) {
    make_barrier(bar);
    expect(bar, 48);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
        "%3}], [%4];" ::"r"(at),
        "l"(&map), "r"(x), "r"(y), "r"(bar)
        : "memory");
  }
  __syncthreads();
  wait_for(bar, 0);
  if (threadIdx.x < 12) out[threadIdx.x] = words[threadIdx.x]++;
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
               "r"(x), "r"(y + 3), "r"(at)
               : "memory");
  finish();
}

// The kernel's own parameter by its address.
struct Many {
  unsigned words[40];
};
extern "C" __global__ void parameter(const __grid_constant__ Many many, unsigned* out) {
  const unsigned* volatile words = many.words;
  out[threadIdx.x] = words[threadIdx.x];
}

// A copy to an address that is `offset` off a multiple of 16.
extern "C" __global__ void astray(const char* from, unsigned offset, unsigned bytes) {
  __shared__ alignas(128) unsigned words[256];
  __shared__ alignas(8) std::uint64_t barrier;
  if (threadIdx.x == 0) make_barrier(window(&barrier));
  load(window(words) + offset, from, bytes, window(&barrier));
}

// One block: `count` tiles of 64 words, two buffers, one barrier object; sums of the tiles to `sums`. The first warp asks for the
// next tile before the second has waited for this one, which is right only as long as a copy takes longer than that.
extern "C" __global__ void tiles_ahead(const unsigned* from, unsigned count, unsigned* sums) {
  __shared__ alignas(128) unsigned words[2][64];
  __shared__ alignas(8) std::uint64_t barrier;
  const unsigned bar = window(&barrier);
  if (threadIdx.x == 0) {
    make_barrier(bar);
    expect(bar, 256);
    load(window(words[0]), from, 256, bar);
  }
  __syncthreads();
  for (unsigned tile = 0; tile < count; ++tile) {
    wait_for(bar, tile & 1);
    if (threadIdx.x == 0 && tile + 1 < count) {
      expect(bar, 256);
      load(window(words[(tile + 1) & 1]), from + (tile + 1) * 64, 256, bar);
    }
    const unsigned sum = __reduce_add_sync(~0U, words[tile & 1][threadIdx.x]);
    if (threadIdx.x % 32 == 0) sums[tile * 2 + threadIdx.x / 32] = sum;
    __syncthreads();
  }
}

// Clusters of two: 32 words of `from` a block, copied to shared memory by an address that names the block's own rank, turned round.
extern "C" __global__ void __cluster_dims__(2, 1, 1) copied_by_rank(const unsigned* from, unsigned* to) {
  __shared__ alignas(16) unsigned words[32];
  unsigned rank, place;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place) : "r"(window(words + threadIdx.x)), "r"(rank));
  const unsigned index = blockIdx.x * 32 + threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.wait_all;" ::"r"(place), "l"(from + index) : "memory");
  __syncwarp();
  to[index] = words[31 - threadIdx.x];
}

// Additions of floats by an address that may be of any memory, in shared memory: the instruction leaves them to the program.
extern "C" __global__ void generic_additions(float* to) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  float* any = threadIdx.x < 1024 ? &sum : to;
  asm volatile("" : "+l"(any));
  atomicAdd(any, 1.0F);
  __syncthreads();
  if (threadIdx.x == 0) *to = sum;
}
