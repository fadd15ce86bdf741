// A warp stores words to lines of so many lanes, once or several times one behind the other, and right behind that loads other words of
// them past the L1, as that of misses_behind_stores (by_hand_h200.json) does. Cycles from before the stores until the words are there.
#include <cstdio>

#include "check.h"

__device__ unsigned cycles() {
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}
__device__ void settle() {
  const unsigned from = cycles();
  while (cycles() - from < 3000) {
  }
}
// Waits until it is there.
__device__ void load(char* from) {
  unsigned word;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  if (word == 77777) __nanosleep(100);
}

template <int kStores>
__global__ void turns(char* lines, unsigned lanes, int pitch, int beside, unsigned* result) {
  if (threadIdx.x >= lanes) return;
  char* const line = lines + size_t{threadIdx.x} * pitch;
  unsigned sum = 0;
  for (int turn = 0; turn < 6; ++turn) {
    load(line);
    settle();
    const unsigned begin = cycles();
#pragma unroll
    for (int i = 0; i < kStores; ++i)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(line + 4 * i), "r"(i + turn) : "memory");
    load(line + beside);  // which the compiler does not know, and so leaves it behind the stores
    if (turn > 1) sum += cycles() - begin;
    settle();
  }
  if (threadIdx.x == 0) *result = sum / 4;
}

int main() {
  char* lines;
  unsigned* result;
  C(cudaMalloc(&lines, 1 << 20));
  C(cudaMemset(lines, 0, 1 << 20));
  C(cudaMallocManaged(&result, sizeof(*result)));
  for (const int pitch : {128, 640})
    for (const unsigned lanes : {1, 4, 8, 16, 32})
      for (const int stores : {1, 2, 4}) {
        const auto kernel = stores == 1 ? turns<1> : stores == 2 ? turns<2> : turns<4>;
        kernel<<<1, 32>>>(lines, lanes, pitch, 28, result);
        C(cudaDeviceSynchronize());
        std::printf("%d_%u_%d %u\n", pitch, lanes, stores, *result);
      }
}
