// What the programs share: one thread an element, inputs and outputs as 32-bit words.
#pragma once

#define ENTRY extern "C" __global__ void

// in: n words an operand, operand k from word k * n on. out: `results` words an element, one after the other.
#define PROGRAM(NAME, ...)                                                               \
  ENTRY NAME(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {       \
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);               \
    if (i >= n) return;                                                                  \
    const unsigned x = in[i], y = in[i + n], z = in[i + 2 * n], w = in[i + 3 * n];       \
    unsigned* o = out + 8 * static_cast<long long>(i);                                   \
    (void)x; (void)y; (void)z; (void)w; (void)o;                                         \
    __VA_ARGS__                                                                              \
  }

__device__ inline float f32(unsigned bits) { return __uint_as_float(bits); }
__device__ inline unsigned bits(float value) { return __float_as_uint(value); }
__device__ inline double f64(unsigned low, unsigned high) { return __hiloint2double(static_cast<int>(high), static_cast<int>(low)); }
__device__ inline void put(unsigned* to, double value) {
  to[0] = static_cast<unsigned>(__double2loint(value));
  to[1] = static_cast<unsigned>(__double2hiint(value));
}
__device__ inline void put(unsigned* to, unsigned long long value) {
  to[0] = static_cast<unsigned>(value);
  to[1] = static_cast<unsigned>(value >> 32);
}
__device__ inline unsigned long long u64(unsigned low, unsigned high) {
  return static_cast<unsigned long long>(high) << 32 | low;
}
