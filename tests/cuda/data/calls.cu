// What kernels call outside their own code, and variables that the host reaches by symbol.
#include <cassert>
#include <cstdio>
#include <cstdlib>

__device__ int counter = 5;
__constant__ int factor = 2;
__managed__ int both = 7;

extern "C" __global__ void print(int number, long long wide, double real, const char* text) {
  if (threadIdx.x < 2) printf("[%d] %5d|%-4u|%llx|%hd|%c|%%|%.3f|%*d\n", threadIdx.x, number, 7U, wide, (short)-3, 'q', real, 4, 9);
  if (threadIdx.x == 0) printf("%s and %8.2e %p\n", text == nullptr ? "a text" : text, real, (void*)0x1234);
}

extern "C" __global__ void heap(int* out) {
  int* mine = static_cast<int*>(malloc(8 * sizeof(int)));
  out[threadIdx.x] = mine == nullptr;
  if (mine == nullptr) return;
  for (int i = 0; i < 8; ++i) mine[i] = threadIdx.x * 8 + i;
  __syncthreads();
  for (int i = 0; i < 8; ++i) out[threadIdx.x] += mine[i];
  free(mine);
}

extern "C" __global__ void check(int limit) { assert(threadIdx.x < limit); }

extern "C" __global__ void touch() {
  atomicAdd(&counter, factor);
  if (threadIdx.x == 0) ++both;
}

// The address of constants taken: read past the constant caches, by a pointer that walks, and by a function that does not know.
__constant__ int steps[24];
__device__ __noinline__ int sum_of(const int* values, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

extern "C" __global__ void walk(int* out, const int* elsewhere, int count) {
  int mixed = 0;
#pragma unroll 1
  for (int i = 0; i < 24; ++i) mixed = mixed * factor + __ldg(steps + i);
  out[0] = mixed;
  out[1] = __ldg(&steps[5]);
  out[2] = sum_of(count > 3 ? steps : elsewhere, count);
  out[3] = steps[count];
}
extern "C" __global__ void step(int* steps_by_address) { steps_by_address[threadIdx.x] += threadIdx.x; }
