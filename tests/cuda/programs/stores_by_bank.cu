// Warps store words to lines so far apart, several times one behind the other, as those of stores_by_bank (by_hand_h200.json) do: which
// of the stores join one that has not left hangs on how many of the lines lie in one bank of the L1's tags. Each once and three times,
// with a while between: what is looked up more is two turns'.
#include <cstdio>

#include "check.h"

__device__ void settle() {
  const unsigned from = clock();
  while (static_cast<unsigned>(clock()) - from < 6000) {
  }
}

// A warp's lanes are in so many rows, each of a line; kWords stores to them.
template <int kLines, int kWords>
__global__ void rows(unsigned* lines, int turns, int pitch) {
  constexpr int each = 32 / kLines;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int turn = 0; turn < turns; ++turn) {
    unsigned* const word =
        lines + (size_t(turn) * 32 * kLines + warp * kLines + lane / each) * pitch * 32 + lane % each * kLines;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(word + i), "r"(lane) : "memory");
    settle();
  }
}

// The results of a block's product of 64 columns: four rows of four words a thread.
__global__ void results(unsigned* lines, int turns, int pitch) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int turn = 0; turn < turns; ++turn) {
    unsigned* word = lines + (size_t(turn) * 72 + (warp * 2 + lane / 16) * 4) * pitch * 32 + lane % 16 * 4;
    __syncthreads();
#pragma unroll
    for (int row = 0; row < 4; ++row, word += pitch * 32)
#pragma unroll
      for (int i = 0; i < 4; ++i) asm volatile("st.global.u32 [%0], %1;" ::"l"(word + i), "r"(lane) : "memory");
    settle();
  }
}

int main() {
  unsigned* lines;
  C(cudaMalloc(&lines, std::size_t{1} << 29));
  const struct {
    const char* name;
    void (*kernel)(unsigned*, int, int);
    int warps;
  } runs[] = {{"rows4_4", rows<4, 4>, 4}, {"rows4_6", rows<4, 4>, 6}, {"rows4_7", rows<4, 4>, 7},
              {"rows4_8", rows<4, 4>, 8}, {"rows16_1", rows<16, 4>, 1}, {"results_4", results, 4},
              {"results_6", results, 6}, {"results_8", results, 8}};
  for (const auto& run : runs)
    for (const int pitch : {1, 3, 4, 6, 8, 11, 12, 22, 64})
      for (const int turns : {1, 3}) {
        if (run.kernel == results && pitch < 2) continue;
        run.kernel<<<1, run.warps * 32>>>(lines, turns, pitch);
        C(cudaDeviceSynchronize());
        std::printf("%s_%d_%d\n", run.name, pitch, turns);
      }
}
