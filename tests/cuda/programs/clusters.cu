// Clusters, copies of the tensor memory accelerator and warpgroup products at work together. Prints a line for each: the
// name, and either a sum of the results or, of names that begin with "cycles_", what a clock in the kernel saw.
//
// Build: nvcc -std=c++17 -arch=sm_90a -cudart shared -o clusters clusters.cu
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

__device__ unsigned window(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ unsigned clock_now() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
__device__ unsigned rank_of() {
  unsigned r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ unsigned blocks_of() {
  unsigned n;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
  return n;
}
__device__ unsigned at_rank(unsigned address, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
__device__ void meet() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
__device__ void meet_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ void make_barrier(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ void show_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nW%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D%=;\nbra W%=;\nD%=:\n}" ::"r"(
          barrier),
      "r"(parity)
      : "memory");
}
__device__ void load_bytes(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}
__device__ void load_tile(unsigned to, const CUtensorMap* map, int x, int y, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}
__device__ void load_tile_for_all(unsigned to, const CUtensorMap* map, int x, int y, unsigned barrier, unsigned blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, "
      "%3}], [%4], %5;" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(static_cast<unsigned short>(blocks))
      : "memory");
}
__device__ void send_word(unsigned to, unsigned value, unsigned barrier) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to), "r"(value),
               "r"(barrier)
               : "memory");
}

// --- what clocks see

__global__ void barriers(unsigned* out, int relaxed) {
  meet();
  meet();
  const unsigned begin = clock_now();
#pragma unroll 1
  for (int i = 0; i < 32; ++i) {
    if (relaxed)
      meet_relaxed();
    else
      meet();
  }
  const unsigned end = clock_now();
  if (threadIdx.x == 0) out[blockIdx.x] = (end - begin) / 32;
}

// Each block's words hold addresses of its own memory, as whoever reads it sees them.
__global__ void chain(unsigned* out, unsigned away) {
  __shared__ unsigned words[512];
  const unsigned own = at_rank(window(words), rank_of());
  for (int i = threadIdx.x; i < 512; i += blockDim.x) words[i] = own + (i * 33 + 33) % 512 * 4;
  meet();
  if (threadIdx.x == 0) {
    unsigned at = at_rank(window(words), (rank_of() + away) % blocks_of());
    asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at)::"memory");
    const unsigned begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < 64; ++i) asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at)::"memory");
    out[blockIdx.x] = (clock_now() - begin) / 64 + (at == 0);
  }
  meet();
}

__global__ void stores(unsigned* out) {
  extern __shared__ unsigned words[];
  const unsigned to = at_rank(window(words), rank_of() ^ 1) + threadIdx.x * 16;
  meet();
  const unsigned begin = clock_now();
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(to), "r"(i) : "memory");
  meet();
  if (threadIdx.x == 0) out[blockIdx.x] = clock_now() - begin;
}

__global__ void answers(unsigned* out, int by_store) {
  __shared__ alignas(16) unsigned long long barrier;
  __shared__ unsigned word;
  const unsigned own = window(&barrier), other = at_rank(own, rank_of() ^ 1), there = at_rank(window(&word), rank_of() ^ 1);
  if (threadIdx.x == 0) {
    make_barrier(own, 1);
    show_barriers();
  }
  meet();
  if (threadIdx.x == 0) {
    const unsigned begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < 32; ++i) {
      if (by_store) expect(own, 4);
      if ((rank_of() & 1) != 0) wait(own, i & 1);
      if (by_store)
        send_word(there, i, other);
      else
        arrive(other);
      if ((rank_of() & 1) == 0) wait(own, i & 1);
    }
    out[blockIdx.x] = (clock_now() - begin) / 32;
  }
  meet();
}

// Lanes 0 and 1 arrive at both blocks' objects at once, as those who have used what both were sent do.
__global__ void answers_to_both(unsigned* out) {
  __shared__ alignas(16) unsigned long long barrier;
  const unsigned own = window(&barrier);
  if (threadIdx.x == 0) make_barrier(own, 2);
  show_barriers();
  meet();
  const unsigned there = at_rank(own, threadIdx.x & 1);
  const unsigned begin = clock_now();
#pragma unroll 1
  for (int i = 0; i < 32; ++i) {
    if (threadIdx.x < 2) arrive(there);
    __syncwarp();
    wait(own, i & 1);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = (clock_now() - begin) / 32;
  meet();
}

// The last of eight copies of the same bytes, which the L2 has.
__global__ void copy_latency(unsigned* out, const char* from, unsigned bytes) {
  extern __shared__ __align__(128) unsigned words[];
  __shared__ alignas(16) unsigned long long barrier;
  const unsigned b = window(&barrier);
  if (threadIdx.x == 0) {
    make_barrier(b, 1);
    show_barriers();
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
      const unsigned begin = clock_now();
      expect(b, bytes);
      load_bytes(window(words), from, bytes, b);
      wait(b, i & 1);
      out[0] = clock_now() - begin;
    }
  }
}

__global__ void store_latency(unsigned* out, char* to, unsigned bytes) {
  extern __shared__ __align__(128) unsigned words[];
  if (threadIdx.x != 0) return;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    const unsigned begin = clock_now();
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(window(words)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    out[0] = clock_now() - begin;
  }
}

// --- what they compute

template <int Blocks>
__global__ void __cluster_dims__(Blocks, 1, 1) histogram(const unsigned* in, int n, unsigned* bins, int count) {
  extern __shared__ unsigned part[];
  cg::cluster_group cluster = cg::this_cluster();
  const int each = count / Blocks;
  for (int i = threadIdx.x; i < each; i += blockDim.x) part[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bin = (in[i] * 2654435761U >> 9) % count;
    atomicAdd(cluster.map_shared_rank(part, bin / each) + bin % each, 1U);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < each; i += blockDim.x) atomicAdd(&bins[cluster.block_rank() * each + i], part[i]);
}

template <int Blocks>
__global__ void __cluster_dims__(Blocks, 1, 1) smooth(const float* in, float* out, int steps) {
  extern __shared__ float both[];
  cg::cluster_group cluster = cg::this_cluster();
  const int width = blockDim.x, x = threadIdx.x + 1, g = blockIdx.x * width + threadIdx.x;
  const unsigned rank = cluster.block_rank();
  float* now = both;
  float* next = both + width + 2;
  now[x] = in[g];
  if (threadIdx.x == 0) now[0] = next[0] = now[width + 1] = next[width + 1] = 0;
  cluster.sync();
  for (int s = 0; s < steps; ++s) {
    if (threadIdx.x == 0 && rank > 0) now[0] = cluster.map_shared_rank(now, rank - 1)[width];
    if (threadIdx.x + 1 == width && rank + 1 < Blocks) now[width + 1] = cluster.map_shared_rank(now, rank + 1)[1];
    __syncthreads();
    next[x] = 0.25F * now[x - 1] + 0.5F * now[x] + 0.25F * now[x + 1];
    float* const last = now;
    now = next;
    next = last;
    cluster.sync();
  }
  out[g] = now[x];
}

template <int Blocks>
__global__ void __cluster_dims__(Blocks, 1, 1) ring(const float* in, float* out) {
  __shared__ alignas(16) float box[2][256];
  __shared__ alignas(16) unsigned long long barrier[2];
  if (threadIdx.x == 0) {
    make_barrier(window(&barrier[0]), 1);
    make_barrier(window(&barrier[1]), 1);
    show_barriers();
  }
  meet();
  const unsigned next = (rank_of() + 1) % Blocks;
  float value = in[blockIdx.x * 256 + threadIdx.x], sum = value;
  for (int s = 0; s + 1 < Blocks; ++s) {
    const int k = s & 1;
    if (threadIdx.x == 0) expect(window(&barrier[k]), 1024);
    send_word(at_rank(window(&box[k][threadIdx.x]), next), __float_as_uint(value), at_rank(window(&barrier[k]), next));
    wait(window(&barrier[k]), s >> 1 & 1);
    value = box[k][threadIdx.x];
    sum += value;
    meet();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// C = A B^T of 128 by 128 tiles: a thread asks for tiles, four stages ahead, and two warpgroups multiply. The blocks of a
// cluster share B's tiles: each asks for its part of one for all.
__device__ std::uint64_t matrix(unsigned at) {
  return static_cast<std::uint64_t>((at & 0x3ffff) >> 4) | std::uint64_t{1} << 16 | std::uint64_t{64} << 32 |
         std::uint64_t{1} << 62;
}
__device__ void multiply(float* c, std::uint64_t a, std::uint64_t b) {
#define F8(I) "+f"(c[I]), "+f"(c[I + 1]), "+f"(c[I + 2]), "+f"(c[I + 3]), "+f"(c[I + 4]), "+f"(c[I + 5]), "+f"(c[I + 6]), "+f"(c[I + 7])
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
      "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,"
      "%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, 1, 1, 1, 0, 0;"
      : F8(0), F8(8), F8(16), F8(24), F8(32), F8(40), F8(48), F8(56)
      : "l"(a), "l"(b));
#undef F8
}
template <int Blocks>
__global__ void __launch_bounds__(384) gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                            float* out, int columns, int depth) {
  extern __shared__ char given[];
  constexpr int stages = 4;
  constexpr unsigned half = 16384;  // bytes of a tile
  __shared__ alignas(16) unsigned long long full[stages], empty[stages];
  const unsigned base = (window(given) + 1023) & ~1023U;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      make_barrier(window(&full[s]), 1);
      make_barrier(window(&empty[s]), 2 * Blocks);
    }
    show_barriers();
  }
  meet();
  const int group = threadIdx.x / 128, tiles = depth / 64;
  if (group == 2) {
    if (threadIdx.x == 256)
      for (int i = 0; i < tiles; ++i) {
        const int s = i % stages;
        const unsigned to = base + s * 2 * half, barrier = window(&full[s]);
        if (i >= stages) wait(window(&empty[s]), (i / stages - 1) & 1);
        expect(barrier, 2 * half);
        load_tile(to, &a, i * 64, blockIdx.x * 128, barrier);
        const unsigned r = Blocks == 1 ? 0 : rank_of();
        if (Blocks == 1)
          load_tile(to + half, &b, i * 64, blockIdx.y * 128, barrier);
        else
          load_tile_for_all(to + half + r * (half / Blocks), &b, i * 64, blockIdx.y * 128 + r * (128 / Blocks), barrier,
                            (1U << Blocks) - 1);
      }
  } else {
    float c[64] = {};
    for (int i = 0; i < tiles; ++i) {
      const int s = i % stages;
      const unsigned tile = base + s * 2 * half;
      wait(window(&full[s]), (i / stages) & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int k = 0; k < 4; ++k) multiply(c, matrix(tile + group * 8192 + k * 32), matrix(tile + half + k * 32));
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (threadIdx.x % 128 < Blocks) arrive(at_rank(window(&empty[s]), threadIdx.x % 128));
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
    const std::size_t row = blockIdx.x * 128 + group * 64 + warp * 16 + lane / 4;
    for (int j = 0; j < 16; ++j) {
      float* const to = out + row * columns + blockIdx.y * 128 + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(to) = make_float2(c[4 * j], c[4 * j + 1]);
      *reinterpret_cast<float2*>(to + 8 * std::size_t(columns)) = make_float2(c[4 * j + 2], c[4 * j + 3]);
    }
  }
  meet();
}

// --- the host's side

template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, unsigned threads, std::size_t shared, unsigned blocks, A... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = blocks > 1 ? 1 : 0;
  if (shared > 48 * 1024) C(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)));
  C(cudaLaunchKernelEx(&config, kernel, P(arguments)...));
  C(cudaDeviceSynchronize());
}

unsigned* cycles;
void say_cycles(const std::string& name) {
  unsigned value = 0;
  C(cudaMemcpy(&value, cycles, 4, cudaMemcpyDeviceToHost));
  printf("cycles_%s %u\n", name.c_str(), value);
}
template <class T>
void say(const std::string& name, const T* from, std::size_t count) {
  std::vector<T> values(count);
  C(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < count * sizeof(T); ++i)
    sum = (sum ^ reinterpret_cast<unsigned char*>(values.data())[i]) * 0x100000001b3u;
  printf("%s %016llx\n", name.c_str(), static_cast<unsigned long long>(sum));
}

void see_clocks(char* memory) {
  for (const unsigned blocks : {2U, 4U, 8U}) {
    const std::string n = std::to_string(blocks);
    for (const unsigned threads : {32U, 256U}) {
      launch(barriers, blocks, threads, 0, blocks, cycles, 1);
      say_cycles("barrier_relaxed_" + n + "_" + std::to_string(threads));
    }
    launch(barriers, blocks, 32, 0, blocks, cycles, 0);
    say_cycles("barrier_" + n);
    launch(chain, blocks, 32, 0, blocks, cycles, 1);
    say_cycles("load_" + n);
    launch(answers, blocks, 32, 0, blocks, cycles, 0);
    say_cycles("answer_" + n);
    launch(answers, blocks, 32, 0, blocks, cycles, 1);
    say_cycles("answer_by_store_" + n);
    if (blocks == 2) {
      launch(answers_to_both, blocks, 32, 0, blocks, cycles);
      say_cycles("answer_to_both");
    }
    launch(stores, blocks, 256, 8192, blocks, cycles);
    say_cycles("stores_" + n);
  }
  for (const unsigned bytes : {16U, 1024U, 16384U, 65536U}) {
    launch(copy_latency, 1, 32, 65536, 1, cycles, memory, bytes);
    say_cycles("copy_" + std::to_string(bytes));
    launch(store_latency, 1, 32, 65536, 1, cycles, memory, bytes);
    say_cycles("copy_back_" + std::to_string(bytes));
  }
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                            const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
CUtensorMap map_of(__half* from, unsigned depth, unsigned rows, unsigned box) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found{};
  C(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found));
  CUtensorMap map;
  const cuuint64_t sizes[] = {depth, rows}, strides[] = {depth * 2};
  const cuuint32_t boxes[] = {64, box}, steps[] = {1, 1};
  if (reinterpret_cast<Encode>(encode)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, from, sizes, strides, boxes, steps,
                                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != 0)
    exit(1);
  return map;
}
template <int Blocks>
void try_gemm(__half* a, __half* b, float* c, unsigned rows, unsigned columns, unsigned depth) {
  C(cudaMemset(c, 0, rows * columns * 4));
  launch(gemm<Blocks>, dim3(rows / 128, columns / 128), 384, 132096, Blocks, map_of(a, depth, rows, 128),
         map_of(b, depth, columns, 128 / Blocks), c, columns, depth);
  say("gemm_" + std::to_string(Blocks), c, rows * columns);
}

int main() {
  constexpr int n = 1 << 18;
  std::vector<float> numbers(n);
  std::vector<__half> halves(n);
  for (int i = 0; i < n; ++i) {
    numbers[i] = static_cast<float>(i * 40503U % 256) * 0.125F;
    halves[i] = __float2half(static_cast<float>(static_cast<int>(i * 40503U % 17) - 8) * 0.25F);
  }
  float *in, *out;
  __half *a, *b;
  unsigned* bins;
  C(cudaMalloc(&in, n * 4));
  C(cudaMalloc(&out, n * 4));
  C(cudaMalloc(&a, n * 2));
  C(cudaMalloc(&b, n * 2));
  C(cudaMalloc(&bins, 4096 * 4));
  C(cudaMalloc(&cycles, 4096));
  C(cudaMemcpy(in, numbers.data(), n * 4, cudaMemcpyHostToDevice));
  C(cudaMemcpy(a, halves.data(), n * 2, cudaMemcpyHostToDevice));
  C(cudaMemcpy(b, halves.data(), n * 2, cudaMemcpyHostToDevice));

  C(cudaMemset(bins, 0, 4096 * 4));
  histogram<4><<<16, 256, 4096>>>(reinterpret_cast<unsigned*>(in), 1 << 15, bins, 4096);
  say("histogram_4", bins, 4096);
  C(cudaMemset(bins, 0, 4096 * 4));
  histogram<8><<<8, 256, 2048>>>(reinterpret_cast<unsigned*>(in), 1 << 15, bins, 4096);
  say("histogram_8", bins, 4096);
  smooth<4><<<8, 256, 2 * 258 * 4>>>(in, out, 20);
  say("smooth_4", out, 8 * 256);
  smooth<2><<<12, 96, 2 * 98 * 4>>>(in, out, 7);
  say("smooth_2", out, 12 * 96);
  ring<8><<<16, 256>>>(in, out);
  say("ring_8", out, 16 * 256);
  ring<2><<<16, 256>>>(in, out);
  say("ring_2", out, 16 * 256);
  try_gemm<1>(a, b, out, 256, 256, 512);
  try_gemm<2>(a, b, out, 256, 256, 512);
  try_gemm<4>(a, b, out, 512, 128, 512);
  see_clocks(reinterpret_cast<char*>(in));
}
