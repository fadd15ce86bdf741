// Divergence, calls, barriers, forward progress.
#include "program.h"

PROGRAM(nested_branches, { unsigned r = x; for (int k = 0; k < 10; ++k) { if (r & 1) { if (r & 2) r = r * 3 + y; else { r ^= z; if (r & 8) continue; r += 7; } } else { r >>= 1; if (r == 0) break; } r += static_cast<unsigned>(k); } o[0] = r; })
PROGRAM(loops_of_each_length, { unsigned r = 0, v = x; while (v) { r += v & 1; v >>= 1; if (r > (y & 31)) break; } int c = 0; unsigned q = (z | 1) & 0xffff; while (q != 1 && c < 200) { q = q & 1 ? 3 * q + 1 : q / 2; ++c; } o[0] = r; o[1] = static_cast<unsigned>(c); })
PROGRAM(switch_table, { unsigned r = y; switch (x % 13) { case 0: r += 11; break; case 1: r *= 3; break; case 2: r ^= 0x1234; break; case 3: r -= z; break; case 4: r = r << 3 | r >> 29; case 5: r += x; break; case 6: r = ~r; break; case 7: r %= 1000; break; case 8: r = z; break; case 9: r *= r; break; case 10: r |= 1; break; case 11: r &= 0xff; break; default: r = 99; } o[0] = r; })

typedef unsigned (*Operation)(unsigned, unsigned);
__device__ __noinline__ unsigned op_add(unsigned a, unsigned b) { return a + b; }
__device__ __noinline__ unsigned op_mul(unsigned a, unsigned b) { return a * b; }
__device__ __noinline__ unsigned op_mix(unsigned a, unsigned b) { return op_add(a ^ b, op_mul(a, 7)); }
__device__ Operation operations[3] = {op_add, op_mul, op_mix};
PROGRAM(function_pointers, { o[0] = operations[x % 3](y, z); o[1] = op_mix(x, y); o[2] = operations[threadIdx.x / 32 % 3](x, y); })
__device__ __noinline__ unsigned ackermann_like(unsigned m, unsigned k) { if (m == 0) return k + 1; if (k == 0) return ackermann_like(m - 1, 1); return ackermann_like(m - 1, (k * m) & 3) + 1; }
PROGRAM(recursion, { o[0] = ackermann_like(x & 7, y & 3); })
PROGRAM(early_exits, { if (x % 5 == 0) return; o[0] = __popc(__activemask()) > 0; for (unsigned k = 0; k < (y & 15); ++k) { if ((x >> k) % 7 == 0) { o[1] = k; return; } } o[2] = x + y; })

ENTRY barrier_reductions(const unsigned* in, unsigned* out, int n) {
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const int c = __syncthreads_count(static_cast<int>(in[i] & 1)), a = __syncthreads_and(static_cast<int>(in[i] & 0xffffff)), r = __syncthreads_or(in[i] == 5);
  out[i] = static_cast<unsigned>(c) * 4 + (a != 0) * 2 + (r != 0) + static_cast<unsigned>(n) * 0;
}
ENTRY named_barriers(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[256];
  const unsigned t = threadIdx.x, half = t / 128, i = blockIdx.x * blockDim.x + t;
  s[t] = in[i];
  if (half == 0) asm volatile("bar.sync 1, 128;" ::: "memory"); else asm volatile("bar.sync 2, 128;" ::: "memory");
  const unsigned v = s[half * 128 + (t + 33) % 128];
  __syncthreads();
  if (t < 128) { s[t] = v * 3; asm volatile("bar.arrive 3, 256;" ::: "memory"); out[i] = v; }
  else { asm volatile("bar.sync 3, 256;" ::: "memory"); out[i] = s[t - 128] + v + static_cast<unsigned>(n) * 0; }
}
ENTRY exits_before_barriers(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = in[i];
  if (t >= 160) return;
  __syncthreads();
  unsigned v = s[(t + 1) % 160];
  if (t % 3 == 0) return;
  __syncthreads();
  s[t] = v; __syncthreads();
  out[i] = s[t - t % 3 + 1] + v + static_cast<unsigned>(n) * 0;
}
ENTRY lane_locks(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned lock, order; __shared__ unsigned long long total;
  if (threadIdx.x == 0) { lock = 0; order = 0; total = 0; }
  __syncthreads();
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0u, 1u) == 0) { __threadfence_block(); total = total + in[blockIdx.x * blockDim.x + threadIdx.x]; order = order + 1; __threadfence_block(); atomicExch(&lock, 0u); done = true; }
  }
  __syncthreads();
  if (threadIdx.x < 3) out[blockIdx.x * 3 + threadIdx.x] = threadIdx.x == 0 ? order : threadIdx.x == 1 ? static_cast<unsigned>(total) : static_cast<unsigned>(total >> 32) + static_cast<unsigned>(n) * 0;
}
ENTRY warps_in_turn(const unsigned* in, unsigned* out, int n) {
  __shared__ volatile unsigned turn; __shared__ volatile unsigned value;
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x == 0) { turn = 0; value = in[blockIdx.x]; }
  __syncthreads();
  if (threadIdx.x % 32 == 0) { while (turn != warp) {} value = value * 1664525u + warp; __threadfence_block(); turn = warp + 1; }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = value + static_cast<unsigned>(n) * 0;
}
ENTRY last_block(const unsigned* in, unsigned* out, int n) {
  __shared__ bool last; __shared__ unsigned s[256];
  unsigned v = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += static_cast<int>(gridDim.x * blockDim.x)) v += in[i] * 31 + 7;
  s[threadIdx.x] = v; __syncthreads();
  for (unsigned k = 128; k; k /= 2) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) { out[1 + blockIdx.x] = s[0]; __threadfence(); last = atomicAdd(out, 1u) == gridDim.x - 1; }
  __syncthreads();
  if (last && threadIdx.x == 0) { unsigned sum = 0; for (unsigned b = 0; b < gridDim.x; ++b) sum += reinterpret_cast<volatile unsigned*>(out)[1 + b]; out[0] = sum; }
}
ENTRY blocks_in_chain(const unsigned* in, unsigned* out, int n) {
  // Each block waits for the one before it.
  if (threadIdx.x == 0) {
    volatile unsigned* flags = out + gridDim.x;
    unsigned before = 17;
    if (blockIdx.x != 0) { while (flags[blockIdx.x - 1] == 0) {} __threadfence(); before = reinterpret_cast<volatile unsigned*>(out)[blockIdx.x - 1]; }
    out[blockIdx.x] = before * 5 + in[blockIdx.x]; __threadfence(); flags[blockIdx.x] = 1;
  }
  (void)n;
}
