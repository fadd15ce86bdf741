// Blocks of a cluster of eight access each other's shared memory, as those of other_blocks_memory (by_hand_h200.json) do: each the
// next one's, or some of them the first one's. Cycles an access of the blocks that ask, mean and longest.
#include <cstdio>

#include "check.h"

enum What { add_rows, add_random, store_rows, store_random, load_random };

constexpr unsigned blocks = 8, warps = 4, rounds = 32, at_once = 8;

__device__ unsigned in_block(unsigned address, unsigned rank) {
  unsigned mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

__device__ void meet() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }

template <What what>
__device__ unsigned ask(unsigned base, unsigned salt) {
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
    unsigned words[at_once];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      salt = salt * 1664525U + 1013904223U;
      const bool rows = what == add_rows || what == store_rows;
      const unsigned address = base + (rows ? j * 128 : (salt >> 20 & 1023U) * 4);
      if (what == add_rows || what == add_random)
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(address), "r"(1) : "memory");
      else if (what == load_random)
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(words[j]) : "r"(address) : "memory");
      else
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(round) : "memory");
    }
    if (what == load_random)
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j) sum += words[j];
  }
  return sum;
}

extern __shared__ unsigned shared[];

template <What what>
__global__ void __cluster_dims__(blocks, 1, 1) run(unsigned asking, unsigned* cycles, unsigned* out) {
  const unsigned rank = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool ring = asking == blocks;
  const unsigned rows_from = what == add_rows || what == store_rows ? warp * 1024 + lane * 4 : 0;
  const unsigned base = in_block(static_cast<unsigned>(__cvta_generic_to_shared(shared)) + rows_from, ring ? (rank + 1) % blocks : 0);
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) shared[i] = 0;
  unsigned sum = 0;
  for (int twice = 0; twice < 2; ++twice) {
    meet();
    const unsigned from = clock();
    if (ring || (rank >= 1 && rank <= asking)) sum += ask<what>(base, threadIdx.x * 2654435761U + rank * 77777 + 5);
    __syncthreads();
    if (threadIdx.x == 0) cycles[rank] = clock() - from;
  }
  meet();
  if (sum == 0x7fffffff) *out = sum;
}

template <What what>
void report(const char* name, unsigned asking) {
  unsigned *cycles, *out;
  C(cudaMallocManaged(&cycles, blocks * sizeof *cycles));
  C(cudaMalloc(&out, sizeof *out));
  constexpr unsigned bytes = 130 << 10;  // so that no two blocks share an SM
  C(cudaFuncSetAttribute(run<what>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  run<what><<<blocks, warps * 32, bytes>>>(asking, cycles, out);
  C(cudaDeviceSynchronize());
  double sum = 0, longest = 0;
  const unsigned first = asking == blocks ? 0 : 1;
  for (unsigned rank = first; rank < first + asking; ++rank) {
    const double each = cycles[rank] / static_cast<double>(rounds * at_once * warps);
    sum += each;
    longest = each > longest ? each : longest;
  }
  std::printf("%s_%u %.2f %.2f\n", name, asking, sum / asking, longest);
  C(cudaFree(out));
  C(cudaFree(cycles));
}

int main() {
  for (const unsigned asking : {1U, 3U, 7U, blocks}) {
    report<add_rows>("RED", asking);
    report<add_random>("REDR", asking);
    report<store_rows>("ST1", asking);
    report<store_random>("STR", asking);
    report<load_random>("LDR", asking);
  }
}
