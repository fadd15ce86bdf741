// Atomics and reductions whose results do not depend on the order.
#include <cuda_fp16.h>

#include "program.h"

ENTRY atomics_32(const unsigned* in, unsigned* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], k = in[i + static_cast<unsigned>(n)] & 15;
  atomicAdd(out + k, x); atomicSub(out + 16 + k, x); atomicMin(out + 32 + k, x); atomicMax(out + 48 + k, x); atomicAnd(out + 64 + k, x | 0xff); atomicOr(out + 80 + k, x & 0xf0f0f); atomicXor(out + 96 + k, x);
  atomicMin(reinterpret_cast<int*>(out) + 112 + k, static_cast<int>(x)); atomicMax(reinterpret_cast<int*>(out) + 128 + k, static_cast<int>(x)); atomicInc(out + 144 + k, 1000); atomicDec(out + 160 + k, 77);
  unsigned seen = atomicAdd(out + 176, 1u); atomicXor(out + 177, seen * 2654435761u); atomicAdd(out + 178, atomicInc(out + 179, 30u));
}
ENTRY atomics_64(const unsigned* in, unsigned* out, int n) {
  typedef unsigned long long U; U* to = reinterpret_cast<U*>(out);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; const U x = u64(in[i], in[i + static_cast<unsigned>(n)]); const unsigned k = in[i] & 7;
  atomicAdd(to + k, x); atomicMin(to + 8 + k, x); atomicMax(to + 16 + k, x); atomicAnd(to + 24 + k, x | 255); atomicOr(to + 32 + k, x & 0xf0f0f0f0f0full); atomicXor(to + 40 + k, x);
  atomicMin(reinterpret_cast<long long*>(to) + 48 + k, static_cast<long long>(x)); atomicMax(reinterpret_cast<long long*>(to) + 56 + k, static_cast<long long>(x));
  U old = to[64], assumed; do { assumed = old; old = atomicCAS(to + 64, assumed, assumed * 1 + (x >> 40)); } while (assumed != old);
}
ENTRY atomics_float(const unsigned* in, unsigned* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = in[i] & 7; const float v = static_cast<float>(in[i] >> 24); // sums of small integers: exact
  atomicAdd(reinterpret_cast<float*>(out) + k, v); atomicAdd(reinterpret_cast<double*>(out + 16) + k, static_cast<double>(in[i] >> 8)); atomicAdd(reinterpret_cast<__half2*>(out + 40) + k, __floats2half2_rn(static_cast<float>(in[i] & 1), 0.5f * static_cast<float>(in[i] >> 31)));
  const float before = atomicAdd(reinterpret_cast<float*>(out) + 48, 1.0f); atomicOr(out + 50 + static_cast<unsigned>(before) / 32 % 64, 1u << (static_cast<unsigned>(before) % 32)); (void)n;
}
ENTRY atomics_shared(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[64]; __shared__ unsigned long long q[8]; __shared__ float f[8]; __shared__ double d[4];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, x = in[i], k = x & 7;
  if (t < 64) s[t] = t < 48 ? 0 : ~0u; if (t < 8) { q[t] = 0; f[t] = 0; } if (t < 4) d[t] = 0;
  __syncthreads();
  atomicAdd(s + k, x); atomicMax(s + 8 + k, x); atomicXor(s + 16 + k, x); atomicOr(s + 24 + k, x & 0xfff); atomicInc(s + 32 + k, 9); atomicMin(s + 48 + k, x); atomicAnd(s + 56 + k, x | 0xf); atomicAdd(q + k, static_cast<unsigned long long>(x) * x); atomicMax(q + ((k + 1) & 7), 0ull); atomicAdd(f + k, static_cast<float>(x >> 26)); atomicAdd(d + (k & 3), static_cast<double>(x));
  atomicAdd(s + 40, 1u); unsigned old = atomicCAS(s + 41, 0u, 1u); if (old == 0) s[42] = 5; atomicExch(s + 43, 3u);
  __syncthreads();
  if (t < 64) out[blockIdx.x * 104 + t] = s[t]; if (t < 8) { put(out + blockIdx.x * 104 + 64 + 2 * t, q[t]); out[blockIdx.x * 104 + 80 + t] = __float_as_uint(f[t]); } if (t < 4) put(out + blockIdx.x * 104 + 88 + 2 * t, d[t]); (void)n;
}
ENTRY atomics_generic(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[8];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 8) s[t] = 0;
  __syncthreads();
  unsigned* to = in[i] & 1 ? s + (in[i] >> 29) : out + (in[i] >> 29);
  atomicAdd(to, in[i] & 0xffff); atomicMax(to + 0, 1u);
  __syncthreads();
  if (t < 8) atomicAdd(out + 8 + t, s[t]); (void)n;
}
ENTRY compare_and_swap_loops(const unsigned* in, unsigned* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; unsigned* cell = out + (in[i] & 3);
  unsigned old = *cell, assumed; do { assumed = old; old = atomicCAS(cell, assumed, assumed + (in[i] >> 16) + 1); } while (old != assumed);
  unsigned short* half = reinterpret_cast<unsigned short*>(out + 8) + (in[i] & 3); unsigned short o16 = *half, a16; do { a16 = o16; o16 = atomicCAS(half, a16, static_cast<unsigned short>(a16 + 3)); } while (o16 != a16); (void)n;
}
