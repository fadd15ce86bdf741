// All warps of all SMs load one word, or words at random of two lines, past the L1 and one load behind the other: cycles of a load
// on the median SM.
#include <algorithm>
#include <vector>

#include "check.h"

namespace {

template <bool whole_system>
__device__ int load(const int* word) {
  int value;
  if (whole_system)
    asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  else
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

template <bool whole_system>
__global__ void ask(const int* words, int count, int rounds, int* cycles) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = thread * 977U + 11;
  int sum = load<whole_system>(words + (threadIdx.x & 31) * 32);
  __syncthreads();
  const long long begin = clock64();
  for (int round = 0; round < rounds; ++round) {
    state = state * 1664525U + 1013904223U;
    const auto word = count == 1 ? 5U : static_cast<unsigned>(static_cast<unsigned long long>(state) * static_cast<unsigned>(count) >> 32);
    sum += load<whole_system>(words + word + sum);
  }
  const long long end = clock64();
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<int>(end - begin) / rounds + (sum == 12345 ? 1 : 0);
}

template <bool whole_system>
void report(const int* words, int* cycles, int count, int warps) {
  constexpr int blocks = 132, rounds = 64;
  ask<whole_system><<<blocks, warps * 32>>>(words, count, rounds, cycles);
  std::vector<int> each(blocks);
  C(cudaMemcpy(each.data(), cycles, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  std::nth_element(each.begin(), each.begin() + blocks / 2, each.end());
  std::printf("%s_%d_%d %d\n", whole_system ? "ld.volatile" : "ld.relaxed.gpu", count, warps, each[blocks / 2]);
}

}  // namespace

int main() {
  int *words, *cycles;
  C(cudaMalloc(&words, 1 << 16));
  C(cudaMalloc(&cycles, 1024));
  C(cudaMemset(words, 0, 1 << 16));
  for (const int warps : {1, 8, 16, 32}) {
    report<false>(words, cycles, 1, warps);
    report<true>(words, cycles, 1, warps);
  }
  report<false>(words, cycles, 64, 8);
  report<true>(words, cycles, 64, 8);
}
