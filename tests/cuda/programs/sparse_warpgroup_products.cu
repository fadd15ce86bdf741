// What sparse products of a warpgroup give: m64n16 of every type and selector of wgmma.mma_async.sp, A in
// shared memory and in registers, with and without a swizzle of 128 bytes, of small numbers and of many
// magnitudes. Prints each set's name and the FNV-1a sum of its results.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.h"
#include "random.h"

enum { F16, BF16, TF32, S8, U8, E4M3, E5M2 };
constexpr int N = 16, kTrials = 4;
// image: A at 0 (8 KiB), B at 8192 (2 or 4 KiB); then A's registers, accumulators, metadata by thread
struct Job {
  uint64_t a, b;
};
__device__ uint64_t at(const void* p) {
  return ((uint64_t)(__cvta_generic_to_shared(p) & 0x3ffff) >> 4);
}
#define BEGIN                                                                 \
  extern __shared__ __align__(1024) uint8_t image[];                          \
  const uint32_t* p = in + blockIdx.x * (4096 + 13 * 128);                    \
  for (int i = threadIdx.x; i < 4096; i += 128) ((uint32_t*)image)[i] = p[i]; \
  __syncthreads();                                                            \
  asm volatile("fence.proxy.async;" ::: "memory");                            \
  const uint32_t* q = p + 4096 + threadIdx.x;                                 \
  uint32_t r0 = q[0], r1 = q[128], r2 = q[256], r3 = q[384];                  \
  uint32_t d[8];                                                              \
  for (int i = 0; i < 8; ++i) d[i] = q[512 + 128 * i];                        \
  uint32_t e = q[12 * 128];                                                   \
  (void)r0;                                                                   \
  (void)r1;                                                                   \
  (void)r2;                                                                   \
  (void)r3;                                                                   \
  uint64_t da = job.a + at(image), db = job.b + at(image + 8192);             \
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                     \
  (void)da;
#define END                                                                                         \
  asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory"); \
  for (int i = 0; i < 8; ++i) asm volatile("" : "+r"(d[i]));                                        \
  for (int i = 0; i < 8; ++i) out[(blockIdx.x * 128 + threadIdx.x) * 8 + i] = d[i];
#define D8 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define SS(NAME, SEL, OP, TAIL)                                                                         \
  __global__ void NAME##_ss_##SEL(Job job, const uint32_t* in, uint32_t* out) {                         \
    BEGIN                                                                                               \
    asm volatile("wgmma.mma_async.sp.sync.aligned." OP " {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, %10, " #SEL \
                 ", 1" TAIL ";"                                                                         \
                 : D8                                                                                   \
                 : "l"(da), "l"(db), "r"(e));                                                           \
    END                                                                                                 \
  }
#define RS(NAME, SEL, OP, TAIL)                                                                \
  __global__ void NAME##_rs_##SEL(Job job, const uint32_t* in, uint32_t* out) {                \
    BEGIN                                                                                      \
    asm volatile("wgmma.mma_async.sp.sync.aligned." OP                                         \
                 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, %12, %13, " #SEL ", 1" TAIL ";" \
                 : D8                                                                          \
                 : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "l"(db), "r"(e));                       \
    END                                                                                        \
  }
#define BOTH(NAME, SEL, OP, TS, TR) SS(NAME, SEL, OP, TS) RS(NAME, SEL, OP, TR)
#define FORMS(X, Y)                                                                                 \
  X(f16, F16, 32, "m64n16k32.f32.f16.f16", ", 1, 1, 0, 0", ", 1, 1, 0")                             \
  X(bf16, BF16, 32, "m64n16k32.f32.bf16.bf16", ", 1, 1, 0, 0", ", 1, 1, 0")                         \
      X(tf32, TF32, 16, "m64n16k16.f32.tf32.tf32", ", 1, 1", ", 1, 1")                              \
          Y(s8, S8, 64, "m64n16k64.s32.s8.s8", "", "") Y(u8, U8, 64, "m64n16k64.s32.u8.u8", "", "") \
              Y(e4m3, E4M3, 64, "m64n16k64.f32.e4m3.e4m3", ", 1, 1", ", 1, 1")                      \
                  Y(e5m2, E5M2, 64, "m64n16k64.f32.e5m2.e5m2", ", 1, 1", ", 1, 1")
#define MAKE2(NAME, T, K, OP, TS, TR) BOTH(NAME, 0, OP, TS, TR) BOTH(NAME, 1, OP, TS, TR)
#define MAKE1(NAME, T, K, OP, TS, TR) BOTH(NAME, 0, OP, TS, TR)
FORMS(MAKE2, MAKE1)
struct Case {
  const char* name;
  int type, k, sel;
  bool rs;
  void (*kernel)(Job, const uint32_t*, uint32_t*);
};
#define CASE1(NAME, T, K, OP, TS, TR) \
  {#NAME, T, K, 0, false, NAME##_ss_0}, {#NAME, T, K, 0, true, NAME##_rs_0},
#define CASE2(NAME, T, K, OP, TS, TR) \
  CASE1(NAME, T, K, OP, TS, TR){#NAME, T, K, 1, false, NAME##_ss_1}, {#NAME, T, K, 1, true, NAME##_rs_1},
static const Case cases[] = {FORMS(CASE2, CASE1)};
static int width(int t) {
  return t == TF32 ? 4 : t <= BF16 ? 2 : 1;
}
static float as_f(uint32_t b) {
  float f;
  memcpy(&f, &b, 4);
  return f;
}
static uint32_t as_b(float f) {
  uint32_t b;
  memcpy(&b, &f, 4);
  return b;
}
static uint32_t element(int type, bool mixed) {
  if (type == S8 || type == U8) return rnd() & 255;
  if (type == E4M3 || type == E5M2) {
    uint32_t b = rnd() & 255;
    if (!mixed) {
      static const uint32_t e4[] = {0, 0x30, 0x38, 0x3c, 0x40, 0xb0, 0xb8, 0xc0},
                            e5[] = {0, 0x38, 0x3c, 0x3e, 0x40, 0xb8, 0xbc, 0xc0};
      return type == E4M3 ? e4[b & 7] : e5[b & 7];
    }
    if (type == E4M3 && (b & 0x7f) == 0x7f) b ^= 1;
    if (type == E5M2 && (b & 0x7c) == 0x7c) b ^= 0x40;
    return b;
  }
  uint32_t b = mixed ? rnd() << 31 | (127 - 7 + rnd() % 15) << 23 | (rnd() & 0x7fffff)
                     : as_b((float)((int)(rnd() % 9) - 4));
  if (type == TF32) return b;
  if (type == BF16) return b >> 16;
  if ((b & 0x7fffffff) == 0) return 0;
  return (b >> 16 & 0x8000) | ((b >> 23 & 255) - 112) << 10 | (b >> 13 & 1023);
}
static double number(int type, uint32_t v) {
  if (type == TF32) return as_f(v & 0xffffe000);
  if (type == BF16) return as_f(v << 16);
  if (type == S8) return (int8_t)v;
  if (type == U8) return v;
  int m = type == F16    ? 10
          : type == E4M3 ? 3
                         : 2,
      x = type == E4M3 ? 4 : 5, bias = (1 << (x - 1)) - 1, ex = v >> m & ((1 << x) - 1);
  double f = v & ((1 << m) - 1);
  if (ex)
    f += 1 << m;
  else
    ex = 1;
  for (int i = 0; i < bias + m; ++i) f /= 2;
  for (int i = 0; i < ex; ++i) f *= 2;
  return v >> (m + x) & 1 ? -f : f;
}
int main() {
  const size_t per = 4096 + 13 * 128;
  uint32_t *in, *out;
  C(cudaMalloc(&in, kTrials * per * 4));
  C(cudaMalloc(&out, kTrials * 1024 * 4));
  int number_ = 0;
  for (const Case& c : cases)
    for (int swizzle = 0; swizzle < 2; ++swizzle)
      for (int mixed = 0; mixed < 2; ++mixed) {
        random_state = 88172645463325252ull + 1000003ull * ++number_;
        for (int i = 0; i < 20; ++i) rnd();
        std::vector<uint32_t> h(kTrials * per), d(kTrials * 1024);
        int w = width(c.type), stored = 32 / w;
        Job job;
        for (int t = 0; t < kTrials; ++t) {
          uint8_t* im = (uint8_t*)&h[t * per];
          uint32_t* regs = &h[t * per + 4096];
          std::vector<uint32_t> A(64 * stored), B(N * c.k);
          for (auto& x : A) x = element(c.type, mixed);
          for (auto& x : B) x = element(c.type, mixed);
          auto put = [&](uint8_t* to, int row, int byte, uint32_t v, int chunks) {
            int kc = byte / 16;
            size_t o = swizzle ? row / 8 * 1024 + row % 8 * 128 + ((kc ^ row % 8) * 16) + byte % 16
                               : (row / 8 * chunks + kc) * 128 + row % 8 * 16 + byte % 16;
            memcpy(to + o, &v, w);
          };
          for (int r = 0; r < 64; ++r)
            for (int i = 0; i < stored; ++i) put(im, r, i * w, A[r * stored + i], 2);
          for (int n = 0; n < N; ++n)
            for (int i = 0; i < c.k; ++i) put(im + 8192, n, i * w, B[n * c.k + i], 4);
          for (int th = 0; th < 128; ++th) {
            int warp = th / 32, g = th % 32 / 4, q = th % 4;
            for (int r = 0; r < 4; ++r) {
              uint32_t v = 0;
              for (int p = 0; p < 4 / w; ++p)
                v |= A[(warp * 16 + g + 8 * (r % 2)) * stored + (r / 2 * 4 + q) * (4 / w) + p] << 8 * w * p;
              regs[r * 128 + th] = v;
            }
            for (int i = 0; i < 8; ++i)
              regs[512 + 128 * i + th] =
                  c.type == S8 || c.type == U8 ? rnd() % 1000
                  : mixed ? rnd() << 31 | (127 - 10 + rnd() % 20) << 23 | (rnd() & 0x7fffff)
                          : as_b((float)((int)(rnd() % 41) - 20));
            uint32_t m = 0;
            for (int n = 0; n < 8; ++n) {
              uint32_t lo = rnd() % 4, hi = rnd() % 4;
              while (hi == lo) hi = rnd() % 4;
              if (lo > hi) {
                uint32_t x = lo;
                lo = hi;
                hi = x;
              }
              m |= (c.type == TF32 ? (rnd() % 2 ? 0xe : 0x4) : lo | hi << 2) << 4 * n;
            }
            regs[12 * 128 + th] = m;
          }
        }
        job.a = swizzle ? (uint64_t)1 << 62 | (uint64_t)(1024 / 16) << 32 | (uint64_t)1 << 16
                        : (uint64_t)(256 / 16) << 32 | (uint64_t)(128 / 16) << 16;
        job.b = swizzle ? job.a : (uint64_t)(512 / 16) << 32 | (uint64_t)(128 / 16) << 16;
        C(cudaMemcpy(in, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
        c.kernel<<<kTrials, 128, 16384>>>(job, in, out);
        C(cudaGetLastError());
        C(cudaMemcpy(d.data(), out, d.size() * 4, cudaMemcpyDeviceToHost));
        for (int t = 0; t < kTrials; ++t) {
          uint64_t sum = 0xcbf29ce484222325ull;
          for (int i = 0; i < 1024; ++i) sum = (sum ^ d[t * 1024 + i]) * 0x100000001b3ull;
          printf("%s_%s_%d_%s_%s_%d %016llx\n", c.name, c.rs ? "rs" : "ss", c.sel,
                 swizzle ? "swizzled" : "plain", mixed ? "mixed" : "exact", t, (unsigned long long)sum);
        }
      }
}
