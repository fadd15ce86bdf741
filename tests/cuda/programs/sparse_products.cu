// What sparse products of a warp give: every shape, type and selector of mma.sp. Prints each set's name and
// the FNV-1a sum of its results. Sets: exact (small numbers), mixed (many magnitudes), unordered (metadata's
// numbers in any order), wild (any metadata), special (infinities and NaNs). All lanes have metadata of their
// own, whichever the selector names.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.h"
#include "random.h"

enum { F16, BF16, TF32, I8, I4 };
constexpr int kTrials = 6;
// regs: 4 A, 4 B, 4 C, 1 E; each [13][32] a trial
#define LOAD                                                                                     \
  const uint32_t* p = in + blockIdx.x * 13 * 32 + threadIdx.x;                                   \
  uint32_t a0 = p[0], a1 = p[32], a2 = p[64], a3 = p[96], b0 = p[128], b1 = p[160], b2 = p[192], \
           b3 = p[224];                                                                          \
  uint32_t c0 = p[256], c1 = p[288], c2 = p[320], c3 = p[352], e = p[384];
#define STORE                                             \
  uint32_t* q = out + blockIdx.x * 128 + threadIdx.x * 4; \
  q[0] = c0;                                              \
  q[1] = c1;                                              \
  q[2] = c2;                                              \
  q[3] = c3;
#define K_A4(NAME, SEL, OP)                                                                              \
  __global__ void NAME##_##SEL(const uint32_t* in, uint32_t* out) {                                      \
    LOAD asm volatile(OP " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, " #SEL ";" \
                      : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3)                                           \
                      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(e)); \
    STORE                                                                                                \
  }
#define K_A2(NAME, SEL, OP)                                                               \
  __global__ void NAME##_##SEL(const uint32_t* in, uint32_t* out) {                       \
    LOAD asm volatile(OP " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, " #SEL ";" \
                      : "+r"(c0), "+r"(c1), "+r"(c2), "+r"(c3)                            \
                      : "r"(a0), "r"(a1), "r"(b0), "r"(b1), "r"(e));                      \
    STORE                                                                                 \
  }
#define K_H4(NAME, SEL, OP)                                                                              \
  __global__ void NAME##_##SEL(const uint32_t* in, uint32_t* out) {                                      \
    LOAD asm volatile(OP " {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%0,%1}, %10, " #SEL ";"               \
                      : "+r"(c0), "+r"(c1)                                                               \
                      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(e)); \
    STORE                                                                                                \
  }
#define K_H2(NAME, SEL, OP)                                                   \
  __global__ void NAME##_##SEL(const uint32_t* in, uint32_t* out) {           \
    LOAD asm volatile(OP " {%0,%1}, {%2,%3}, {%4,%5}, {%0,%1}, %6, " #SEL ";" \
                      : "+r"(c0), "+r"(c1)                                    \
                      : "r"(a0), "r"(a1), "r"(b0), "r"(b1), "r"(e));          \
    STORE                                                                     \
  }
#define SP "mma.sp::ordered_metadata.sync.aligned."
#define FLOATS(X4, X2)                                                               \
  X4(f16_k32_f32, F16, "m16n8k32.row.col.f32.f16.f16.f32", K_A4)                     \
  X4(bf16_k32_f32, BF16, "m16n8k32.row.col.f32.bf16.bf16.f32", K_A4)                 \
      X4(f16_k32_f16, F16, "m16n8k32.row.col.f16.f16.f16.f16", K_H4)                 \
          X4(tf32_k16_f32, TF32, "m16n8k16.row.col.f32.tf32.tf32.f32", K_A4)         \
              X2(f16_k16_f32, F16, "m16n8k16.row.col.f32.f16.f16.f32", K_A2)         \
                  X2(bf16_k16_f32, BF16, "m16n8k16.row.col.f32.bf16.bf16.f32", K_A2) \
                      X2(f16_k16_f16, F16, "m16n8k16.row.col.f16.f16.f16.f16", K_H2) \
                          X2(tf32_k8_f32, TF32, "m16n8k8.row.col.f32.tf32.tf32.f32", K_A2)
#define INTS(X1, X2, A, B, SAT, SUFFIX)                                             \
  X1(A##B##SUFFIX##_k64, I8, "m16n8k64.row.col" SAT ".s32." #A "." #B ".s32", K_A4) \
  X2(A##B##SUFFIX##_k32, I8, "m16n8k32.row.col" SAT ".s32." #A "." #B ".s32", K_A2)
#define NIBBLES(X1, X2, A, B, SAT, SUFFIX)                                            \
  X1(A##B##SUFFIX##_k128, I4, "m16n8k128.row.col" SAT ".s32." #A "." #B ".s32", K_A4) \
  X2(A##B##SUFFIX##_k64, I4, "m16n8k64.row.col" SAT ".s32." #A "." #B ".s32", K_A2)
#define ALL_NIBBLES(X1, X2)                                                           \
  NIBBLES(X1, X2, s4, s4, , )                                                         \
  NIBBLES(X1, X2, s4, u4, , ) NIBBLES(X1, X2, u4, s4, , ) NIBBLES(X1, X2, u4, u4, , ) \
      NIBBLES(X1, X2, s4, s4, ".satfinite", _sat)
#define ALL(X1, X2, X4)                                                                               \
  FLOATS(X2, X4)                                                                                      \
  INTS(X1, X2, s8, s8, , ) INTS(X1, X2, s8, u8, , ) INTS(X1, X2, u8, s8, , ) INTS(X1, X2, u8, u8, , ) \
      INTS(X1, X2, s8, s8, ".satfinite", _sat) INTS(X1, X2, u8, s8, ".satfinite", _sat)               \
          INTS(X1, X2, u8, u8, ".satfinite", _sat) ALL_NIBBLES(X1, X2)
#define D1(N, T, OP, K) K(N, 0, SP OP)
#define D2(N, T, OP, K) K(N, 0, SP OP) K(N, 1, SP OP)
#define D4(N, T, OP, K) K(N, 0, SP OP) K(N, 1, SP OP) K(N, 2, SP OP) K(N, 3, SP OP)
ALL(D1, D2, D4)
struct Case {
  const char* name;
  int sel, type;
  bool half;
  void (*kernel)(const uint32_t*, uint32_t*);
};
#define IS_HALF_K_A4 false
#define IS_HALF_K_A2 false
#define IS_HALF_K_H4 true
#define IS_HALF_K_H2 true
#define E1(N, T, OP, K) {#N, 0, T, IS_HALF_##K, N##_0},
#define E2(N, T, OP, K) E1(N, T, OP, K){#N, 1, T, IS_HALF_##K, N##_1},
#define E4(N, T, OP, K) E2(N, T, OP, K){#N, 2, T, IS_HALF_##K, N##_2}, {#N, 3, T, IS_HALF_##K, N##_3},
static const Case cases[] = {ALL(E1, E2, E4)};

static uint32_t to_half(float f) {  // exact or towards zero; in the normal range only
  uint32_t b;
  memcpy(&b, &f, 4);
  if ((b & 0x7fffffff) == 0) return b >> 16 & 0x8000;
  int ex = (int)(b >> 23 & 255) - 127 + 15;
  return (b >> 16 & 0x8000) | (ex << 10) | (b >> 13 & 1023);
}
static uint32_t bits(float f) {
  uint32_t b;
  memcpy(&b, &f, 4);
  return b;
}
static uint32_t element(int type, int set) {  // one factor of a float type
  if (set != 1) {
    float f = (float)((int)(rnd() % 9) - 4);
    if (set == 4) {
      uint32_t r = rnd() % 40;
      if (r == 0) return type == F16 ? 0x7c00 : type == BF16 ? 0x7f80 : 0x7f800000;
      if (r == 1) return type == F16 ? 0xfc00 : type == BF16 ? 0xff80 : 0xff800000;
      if (r == 2) return type == F16 ? 0x7e01 : type == BF16 ? 0x7fc1 : 0x7fc10000;
    }
    return type == F16 ? to_half(f) : type == BF16 ? bits(f) >> 16 : bits(f);
  }
  uint32_t sign = rnd() & 1, ex = 127 - 7 + rnd() % 15, man = rnd() & 0x7fffff;
  uint32_t b = sign << 31 | ex << 23 | man;
  float f;
  memcpy(&f, &b, 4);
  return type == F16 ? to_half(f) : type == BF16 ? b >> 16 : b;
}
static uint32_t word(int type, int set) {
  if (type == TF32) return element(type, set);
  if (type == F16 || type == BF16) {
    uint32_t lo = element(type, set);
    return lo | element(type, set) << 16;
  }
  return rnd();
}
static uint32_t metadata(int type, int set) {
  if (set == 3) return rnd();
  uint32_t m = 0;
  for (int n = 0; n < 8; ++n) {
    uint32_t lo = rnd() % 4, hi = rnd() % 4;
    while (hi == lo) hi = rnd() % 4;
    if (set != 2 && lo > hi) {
      uint32_t t = lo;
      lo = hi;
      hi = t;
    }
    uint32_t four = lo | hi << 2;
    if (type == TF32) {
      four = rnd() % 2 ? 0xe : 0x4;
      if (set == 2 && rnd() % 2) four = four == 0xe ? 0xb : 0x1;
    }
    m |= four << 4 * n;
  }
  return m;
}
static uint32_t accumulator(const Case& c, int set) {
  if (c.type >= I8) {
    int32_t small = (int32_t)(rnd() % 2001) - 1000;
    return set == 1 ? (rnd() & 1 ? 0x7fffffffu - rnd() % 60000 : 0x80000000u + rnd() % 60000)
                    : (uint32_t)small;
  }
  if (c.half) {
    uint32_t lo = element(F16, set);
    return lo | element(F16, set) << 16;
  }
  if (set != 1) return bits((float)((int)(rnd() % 41) - 20));
  uint32_t b = rnd() << 31 | (127 - 12 + rnd() % 24) << 23 | (rnd() & 0x7fffff);
  return b;
}
int main() {
  const size_t words = (size_t)kTrials * 13 * 32;
  uint32_t *in, *out;
  C(cudaMalloc(&in, words * 4));
  C(cudaMalloc(&out, kTrials * 128 * 4));
  const char* sets[] = {"exact", "mixed", "unordered", "wild", "special"};
  int number = 0;
  for (const Case& c : cases) {
    for (int set = 0; set < 5; ++set) {
      if (c.type >= I8 && set == 4) continue;
      random_state = 88172645463325252ull + 1000003ull * ++number;
      for (int i = 0; i < 20; ++i) rnd();
      std::vector<uint32_t> h(words), d(kTrials * 128);
      for (int t = 0; t < kTrials; ++t)
        for (int r = 0; r < 13; ++r)
          for (int l = 0; l < 32; ++l)
            h[(t * 13 + r) * 32 + l] = r < 8    ? word(c.type, set)
                                       : r < 12 ? accumulator(c, set)
                                                : metadata(c.type, set);
      C(cudaMemcpy(in, h.data(), words * 4, cudaMemcpyHostToDevice));
      c.kernel<<<kTrials, 32>>>(in, out);
      C(cudaGetLastError());
      C(cudaMemcpy(d.data(), out, d.size() * 4, cudaMemcpyDeviceToHost));
      uint64_t sum = 0xcbf29ce484222325ull;
      for (int i = 0; i < kTrials * 128; ++i)
        if (!c.half || i % 4 < 2) sum = (sum ^ d[i]) * 0x100000001b3ull;
      printf("%s_%d_%s %016llx\n", c.name, c.sel, sets[set], (unsigned long long)sum);
    }
  }
}
