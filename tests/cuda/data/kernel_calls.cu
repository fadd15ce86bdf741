// Calls of what no module defines. Built by build_cubins beside it.
#include <cassert>
#include <cstdio>

extern "C" __global__ void prints(const unsigned* from, int n) {
  if (threadIdx.x < 2) printf("%d|%5u|%-6s|%.3f|%lld|%c|%x|%%|%*d\n", n, from[threadIdx.x], threadIdx.x ? "one" : "zero", 1.5 + threadIdx.x, -5000000000ll, 'a' + threadIdx.x, from[0], 4, 7);
}
extern "C" __global__ void allocates(unsigned* to, int n) {
  unsigned* p = static_cast<unsigned*>(malloc(static_cast<size_t>(n) * 4));
  unsigned* q = static_cast<unsigned*>(malloc(size_t{1} << 30));
  if (p == nullptr) return;
  for (int k = 0; k < n; ++k) p[k] = threadIdx.x * 100 + static_cast<unsigned>(k);
  unsigned sum = q == nullptr ? 0 : 1u << 31;
  for (int k = 0; k < n; ++k) sum += p[k];
  to[threadIdx.x] = sum;
  free(p);
}
extern "C" __global__ void asserts(int n) { assert(n < static_cast<int>(threadIdx.x) + 5); }
