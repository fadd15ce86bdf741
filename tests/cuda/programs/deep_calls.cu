// Functions that call themselves on stacks of other sizes: cudaLimitStackSize, what it is rounded to and refuses, and what a
// kernel that needs more ends with. All of it as on an H200.
#include "check.h"

namespace {

__device__ __noinline__ int down(int n, const int* above) {
  int here[16];
  for (int i = 0; i < 16; i++) here[i] = above[(i * 7 + n) & 15] + n;
  if (n == 0) return here[3];
  return down(n - 1, here) + here[n & 15];
}

// Each call takes some 100 bytes.
__global__ void descend(int* out, int depth) {
  int first[16];
  for (int i = 0; i < 16; i++) first[i] = i * static_cast<int>(threadIdx.x);
  out[threadIdx.x] = down(depth, first);
}

int errors = 0;

void expect(std::size_t found, std::size_t due, const char* what) {
  if (found == due) return;
  std::printf("%s: %zu, not %zu\n", what, found, due);
  ++errors;
}

std::size_t limit() {
  std::size_t bytes = 0;
  C(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
  return bytes;
}

}  // namespace

int main() {
  int* out;
  C(cudaMalloc(&out, 32 * sizeof(int)));
  const auto fifth = [&](int depth) {
    int found[32];
    descend<<<1, 32>>>(out, depth);
    C(cudaGetLastError());
    C(cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost));
    return static_cast<std::size_t>(found[5]);
  };
  expect(limit(), 1024, "limit at first");
  expect(fifth(5), 280, "five calls");
  C(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  expect(limit(), 8192, "limit that was set");
  expect(fifth(40), 24445, "forty calls");
  C(cudaDeviceSetLimit(cudaLimitStackSize, 5000));
  expect(limit(), 5008, "limit that is not a multiple of 16");
  expect(cudaDeviceSetLimit(cudaLimitStackSize, 512 << 10), cudaErrorInvalidValue, "a limit of 512 KiB");
  cudaGetLastError();
  expect(limit(), 5008, "limit after one that was refused");
  C(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
  descend<<<1, 32>>>(out, 40);
  expect(cudaDeviceSynchronize(), cudaErrorIllegalAddress, "forty calls on 1 KiB");
  if (errors == 0) std::printf("all as it should be\n");
  return errors == 0 ? 0 : 1;
}
