// Branches, calls, convergence, barriers, votes, shuffles, predicates and special registers.
#include <cooperative_groups.h>

#include <cstdint>
#include <cstdio>

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ float far_away(float x, float y) { return x > y ? x / y : sqrtf(x * y); }
using Function = float (*)(float, float);
__device__ float add(float x, float y) { return x + y; }
__device__ float multiply(float x, float y) { return x * y; }
__device__ Function table[3] = {add, multiply, far_away};

extern "C" __global__ void calls(int* out, float* values, int n) {
  out[threadIdx.x] = fibonacci(n + int(threadIdx.x));
  values[threadIdx.x] = far_away(values[threadIdx.x], float(n));
  values[threadIdx.x + 32] = table[n % 3](values[threadIdx.x], 2.0f);
  if (n == 7) printf("%d %f\n", n, double(values[0]));
  if (n == 8) asm volatile("trap;");
  if (n == 9) asm volatile("brkpt;");
}

extern "C" __global__ void jump_table(int* out, const int* in) {
  int x = in[threadIdx.x];
  switch (x & 15) {
    case 0: x = x * 3 + 1; break;
    case 1: x = x / 3; break;
    case 2: x ^= 0x55; break;
    case 3: x = __popc(x); break;
    case 4: x = in[x & 31]; break;
    case 5: x = x << 7; break;
    case 6: x = -x; break;
    case 7: x = atomicAdd(out + 99, x); break;
    case 8: x = __brev(x); break;
    case 9: x = x % 77; break;
    case 10: x = max(x, 12); break;
    case 11: x = int(sqrtf(float(x))); break;
    default: break;
  }
  out[threadIdx.x] = x;
}

extern "C" __global__ void divergence(int* out, const int* in, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; ++i) {
    if (in[i] == 3) continue;
    if (in[i] > 100) break;
    int j = in[i];
    while (j > 0) {
      sum += in[j];
      if (sum > 1000) return;
      j = j & 1 ? 3 * j + 1 : j / 2;
    }
    __syncwarp();
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void warp_wide(unsigned* out, unsigned mask, unsigned x, unsigned long long wide) {
  const unsigned lane = threadIdx.x;
  unsigned r = __shfl_sync(mask, x, int(lane) ^ 3) + __shfl_up_sync(mask, x, 1) + __shfl_down_sync(mask, x, 2, 16) +
               __shfl_xor_sync(mask, x, 4) + __shfl_sync(0xffffffffu, x, 5) + __shfl_xor_sync(0xffffffffu, x, lane, 8) +
               __shfl_up_sync(0xffffffffu, x, x, 4) + __shfl_down_sync(0xffffffffu, x, x);
  r += __ballot_sync(mask, x > lane) + __any_sync(mask, x == 3) + __all_sync(mask, x != 3) + __activemask();
  r += __match_any_sync(mask, x) + __match_any_sync(mask, wide);
  int all = 0;
  r += __match_all_sync(mask, x, &all) + __match_all_sync(mask, wide, &all) + unsigned(all);
  asm volatile("{.reg .pred p, q; setp.gt.u32 p, %1, 9; vote.sync.uni.pred q, p, %2; selp.u32 %0, 1, 0, q;}" : "+r"(r) : "r"(x), "r"(mask));
#if __CUDA_ARCH__ >= 800
  r += __reduce_add_sync(mask, x) + __reduce_min_sync(mask, x) + __reduce_max_sync(mask, x) + __reduce_and_sync(mask, x) +
       __reduce_or_sync(mask, x) + __reduce_xor_sync(mask, x);
  r += unsigned(__reduce_min_sync(mask, int(x)) + __reduce_max_sync(mask, int(x)) + __reduce_add_sync(mask, int(x)));
#endif
  __syncwarp(mask);
  __syncwarp(0x0000ffff);
  __nanosleep(100);
  __nanosleep(x);
  out[lane] = r;
}

extern "C" __global__ void barriers(int* out, int x) {
  __syncthreads();
  out[0] = __syncthreads_count(x > int(threadIdx.x)) + __syncthreads_and(x == 2) + __syncthreads_or(x != 7);
  asm volatile("bar.sync 1, 64;" ::: "memory");
  asm volatile("bar.arrive 2, 128;" ::: "memory");
  asm volatile("bar.sync %0;" ::"r"(x) : "memory");
  asm volatile("bar.sync %0, %1;" ::"r"(x), "r"(x * 32) : "memory");
  asm volatile("bar.sync %0, 96;" ::"r"(x) : "memory");
  asm volatile("bar.arrive %0, %1;" ::"r"(x), "r"(x * 64) : "memory");
  asm volatile("bar.sync 5, %0;" ::"r"(x * 32) : "memory");
  asm volatile("barrier.sync 6, 32;" ::: "memory");
}

extern "C" __global__ void special_registers(unsigned* out, unsigned long long* wide) {
  unsigned a, b, c, d, e, f, g, h, i, j, k, l;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(a));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(b));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(c));
  asm volatile("mov.u32 %0, %%clock;" : "=r"(d));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(e));
  asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(f));
  asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(g));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(h));
  asm volatile("mov.u32 %0, %%gridid;" : "=r"(i));
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(j));
  asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(k));
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(l));
  out[threadIdx.x + blockIdx.y * gridDim.z + threadIdx.y + threadIdx.z + blockIdx.z] =
      a + b + c + d + e + f + g + h + i + j + k + l + blockDim.y + blockDim.z + gridDim.x;
  wide[0] = clock64();
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  wide[1] = t;
}

extern "C" __global__ void groups(int* out, int x) {
  namespace cg = cooperative_groups;
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  auto active = cg::coalesced_threads();
  out[0] = tile.shfl(x, 3) + int(tile.ballot(x > 1)) + tile.any(x) + int(active.size()) + int(active.thread_rank());
  auto grid = cg::this_grid();
  grid.sync();
  out[1] = int(grid.thread_rank());
  block.sync();
}

extern "C" __global__ void spin(int* lock, int* value) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *value += 1;
  __threadfence();
  atomicExch(lock, 0);
  bool done = false;
  while (!done) {
    if (atomicCAS(lock + threadIdx.x % 3, 0, 1) == 0) {
      value[3] += 2;
      atomicExch(lock + threadIdx.x % 3, 0);
      done = true;
    }
  }
}

// More predicates than there are predicate registers: P2R and R2P.
extern "C" __global__ void many_predicates(int* out, const int* in) {
  bool p[20];
#pragma unroll
  for (int i = 0; i < 20; ++i) p[i] = in[i * 32 + threadIdx.x] > i;
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 20; ++i) {
    if (p[i] && (p[(i * 7 + 3) % 20] || !p[(i + 9) % 20])) sum += in[i + 99];
  }
  out[threadIdx.x] = sum;
}
