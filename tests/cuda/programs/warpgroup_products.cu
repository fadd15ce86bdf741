// What Hopper's warpgroup matrix products give: all types, widths, layouts and swizzles of operands in shared
// memory, operands in registers, negations, and operands that tell how sums are made. Prints each set's name
// and the FNV-1a sum of its cases' sums; with a name as argument it writes all cases' results to
// NAME.layouts, NAME.integers and NAME.floats as well.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

constexpr unsigned threads = 128;
constexpr unsigned image_bytes = 64 * 1024;

// Descriptors are relative to the image. Each of `count` products accumulates onto the one before it; their
// descriptors lie `step` apart.
struct Job {
  uint64_t a, b, step_a, step_b;
  int accumulate;
  int count;
};

// Operands of the asm: %0 and %1 descriptors, %2 to %5 A's registers, %6 whether to accumulate, D from %10
// on (%7 to %9 are not used).
#define TEN(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9"
#define LIST_2 "%10,%11"
#define LIST_4 LIST_2 ",%12,%13"
#define LIST_6 LIST_4 ",%14,%15"
#define LIST_8 LIST_6 ",%16,%17"
#define LIST_12 TEN(1) ",%20,%21"
#define LIST_16 LIST_12 ",%22,%23,%24,%25"
#define LIST_20 TEN(1) "," TEN(2)
#define LIST_24 LIST_20 ",%30,%31,%32,%33"
#define LIST_32 LIST_20 "," TEN(3) ",%40,%41"
#define LIST_64 LIST_20 "," TEN(3) "," TEN(4) "," TEN(5) "," TEN(6) ",%70,%71,%72,%73"
#define LIST_120                                                                                            \
  LIST_20 "," TEN(3) "," TEN(4) "," TEN(5) "," TEN(6) "," TEN(7) "," TEN(8) "," TEN(9) "," TEN(10) "," TEN( \
      11) "," TEN(12)
#define LIST_128 LIST_120 ",%130,%131,%132,%133,%134,%135,%136,%137"
#define BIND_2(c, i) c(d[i]), c(d[i + 1])
#define BIND_4(c, i) BIND_2(c, i), BIND_2(c, i + 2)
#define BIND_6(c, i) BIND_4(c, i), BIND_2(c, i + 4)
#define BIND_8(c, i) BIND_4(c, i), BIND_4(c, i + 4)
#define BIND_12(c, i) BIND_8(c, i), BIND_4(c, i + 8)
#define BIND_16(c, i) BIND_8(c, i), BIND_8(c, i + 8)
#define BIND_20(c, i) BIND_16(c, i), BIND_4(c, i + 16)
#define BIND_24(c, i) BIND_16(c, i), BIND_8(c, i + 16)
#define BIND_32(c, i) BIND_16(c, i), BIND_16(c, i + 16)
#define BIND_64(c, i) BIND_32(c, i), BIND_32(c, i + 32)
#define BIND_128(c, i) BIND_64(c, i), BIND_64(c, i + 64)

__device__ inline void get(float& to, uint32_t word) {
  to = __uint_as_float(word);
}
__device__ inline void get(uint32_t& to, uint32_t word) {
  to = word;
}
__device__ inline uint32_t put(float x) {
  return __float_as_uint(x);
}
__device__ inline uint32_t put(uint32_t x) {
  return x;
}

// `head` and `tail` are what stands behind "wgmma.mma_async.sync.aligned.".
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define PRODUCT(name, type, constraint, words, head, tail) \
  __global__ void name(const uint4*, const uint32_t*, const uint32_t*, uint32_t*, Job) {}
#else
#define PRODUCT(name, type, constraint, words, head, tail)                                               \
  __global__ void __launch_bounds__(threads)                                                             \
      name(const uint4* image, const uint32_t* fragment, const uint32_t* c, uint32_t* result, Job job) { \
    extern __shared__ __align__(1024) uint4 shared[];                                                    \
    const unsigned t = threadIdx.x;                                                                      \
    for (unsigned i = t; i < image_bytes / 16; i += threads) shared[i] = image[i];                       \
    type d[words];                                                                                       \
    uint32_t a[4];                                                                                       \
    for (int i = 0; i < words; ++i) get(d[i], c[i * threads + t]);                                       \
    for (int i = 0; i < 4; ++i) a[i] = fragment[i * threads + t];                                        \
    const uint64_t base = __cvta_generic_to_shared(shared) >> 4;                                         \
    uint64_t of_a = job.a + base, of_b = job.b + base;                                                   \
    uint32_t accumulate = job.accumulate;                                                                \
    uint32_t n0 = 0, n1 = 0, n2 = 0;                                                                     \
    asm volatile("fence.proxy.async;" ::: "memory");                                                     \
    __syncthreads();                                                                                     \
    _Pragma("unroll 1") for (int i = 0; i < job.count; ++i) {                                            \
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                            \
      asm volatile("{.reg .pred p; setp.ne.u32 p, %6, 0; wgmma.mma_async.sync.aligned." head tail "}"    \
                   : "+l"(of_a), "+l"(of_b), "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]),             \
                     "+r"(accumulate), "+r"(n0), "+r"(n1), "+r"(n2), BIND_##words(constraint, 0)         \
                   :                                                                                     \
                   : "memory");                                                                          \
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                     \
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                     \
      accumulate = 1;                                                                                    \
      of_a += job.step_a;                                                                                \
      of_b += job.step_b;                                                                                \
    }                                                                                                    \
    for (int i = 0; i < words; ++i) result[i * threads + t] = put(d[i]);                                 \
  }
#endif
#define FROM_SHARED "%0"
#define FROM_REGISTERS "{%2,%3,%4,%5}"
#define FLOATS(name, words, shape, a, tail) \
  PRODUCT(name, float, "+f", words, shape " {" LIST_##words "}, " a ", %1, p", tail ";")
#define WORDS(name, words, shape, a, tail) \
  PRODUCT(name, uint32_t, "+r", words, shape " {" LIST_##words "}, " a ", %1, p", tail ";")

// The types at 64 columns, and widths.
FLOATS(f16_64, 32, "m64n64k16.f32.f16.f16", FROM_SHARED, ",1,1,0,0")
FLOATS(f16_64_r, 32, "m64n64k16.f32.f16.f16", FROM_REGISTERS, ",1,1,0")
FLOATS(f16_64_r_tb, 32, "m64n64k16.f32.f16.f16", FROM_REGISTERS, ",1,1,1")
FLOATS(f16_64_ta, 32, "m64n64k16.f32.f16.f16", FROM_SHARED, ",1,1,1,0")
FLOATS(f16_64_tb, 32, "m64n64k16.f32.f16.f16", FROM_SHARED, ",1,1,0,1")
FLOATS(f16_64_ta_tb, 32, "m64n64k16.f32.f16.f16", FROM_SHARED, ",1,1,1,1")
FLOATS(f16_64_na, 32, "m64n64k16.f32.f16.f16", FROM_SHARED, ",-1,1,0,0")
FLOATS(f16_64_nb, 32, "m64n64k16.f32.f16.f16", FROM_SHARED, ",1,-1,0,0")
FLOATS(f16_64_na_nb, 32, "m64n64k16.f32.f16.f16", FROM_SHARED, ",-1,-1,1,1")
FLOATS(f16_64_r_na, 32, "m64n64k16.f32.f16.f16", FROM_REGISTERS, ",-1,1,0")
FLOATS(f16_64_r_nb, 32, "m64n64k16.f32.f16.f16", FROM_REGISTERS, ",1,-1,0")
WORDS(f16_64_h, 16, "m64n64k16.f16.f16.f16", FROM_SHARED, ",1,1,0,0")
WORDS(f16_64_h_r, 16, "m64n64k16.f16.f16.f16", FROM_REGISTERS, ",1,1,0")
WORDS(f16_64_h_na, 16, "m64n64k16.f16.f16.f16", FROM_SHARED, ",-1,1,1,1")
FLOATS(bf16_64, 32, "m64n64k16.f32.bf16.bf16", FROM_SHARED, ",1,1,0,0")
FLOATS(bf16_64_r, 32, "m64n64k16.f32.bf16.bf16", FROM_REGISTERS, ",1,1,0")
FLOATS(bf16_64_ta_tb, 32, "m64n64k16.f32.bf16.bf16", FROM_SHARED, ",1,1,1,1")
FLOATS(bf16_64_na, 32, "m64n64k16.f32.bf16.bf16", FROM_SHARED, ",-1,1,0,0")
FLOATS(tf32_64, 32, "m64n64k8.f32.tf32.tf32", FROM_SHARED, ",1,1")
FLOATS(tf32_64_r, 32, "m64n64k8.f32.tf32.tf32", FROM_REGISTERS, ",1,1")
FLOATS(tf32_64_na, 32, "m64n64k8.f32.tf32.tf32", FROM_SHARED, ",-1,1")
FLOATS(tf32_64_r_nb, 32, "m64n64k8.f32.tf32.tf32", FROM_REGISTERS, ",1,-1")
FLOATS(f16_8, 4, "m64n8k16.f32.f16.f16", FROM_SHARED, ",1,1,0,0")
FLOATS(f16_8_tb, 4, "m64n8k16.f32.f16.f16", FROM_SHARED, ",1,1,0,1")
FLOATS(f16_16, 8, "m64n16k16.f32.f16.f16", FROM_SHARED, ",1,1,0,0")
FLOATS(f16_24, 12, "m64n24k16.f32.f16.f16", FROM_SHARED, ",1,1,0,0")
FLOATS(f16_24_tb, 12, "m64n24k16.f32.f16.f16", FROM_SHARED, ",1,1,0,1")
FLOATS(f16_40, 20, "m64n40k16.f32.f16.f16", FROM_SHARED, ",1,1,0,0")
FLOATS(f16_128, 64, "m64n128k16.f32.f16.f16", FROM_SHARED, ",1,1,0,0")
FLOATS(f16_128_tb, 64, "m64n128k16.f32.f16.f16", FROM_SHARED, ",1,1,0,1")
FLOATS(f16_256, 128, "m64n256k16.f32.f16.f16", FROM_SHARED, ",1,1,0,0")
FLOATS(f16_256_tb, 128, "m64n256k16.f32.f16.f16", FROM_SHARED, ",1,1,0,1")
FLOATS(f16_256_r, 128, "m64n256k16.f32.f16.f16", FROM_REGISTERS, ",1,1,0")
WORDS(f16_8_h, 2, "m64n8k16.f16.f16.f16", FROM_SHARED, ",1,1,0,0")
WORDS(f16_24_h, 6, "m64n24k16.f16.f16.f16", FROM_SHARED, ",1,1,0,0")
WORDS(f16_256_h, 64, "m64n256k16.f16.f16.f16", FROM_SHARED, ",1,1,0,0")
FLOATS(bf16_8, 4, "m64n8k16.f32.bf16.bf16", FROM_SHARED, ",1,1,0,0")
FLOATS(bf16_256, 128, "m64n256k16.f32.bf16.bf16", FROM_SHARED, ",1,1,0,0")
FLOATS(tf32_8, 4, "m64n8k8.f32.tf32.tf32", FROM_SHARED, ",1,1")
FLOATS(tf32_256, 128, "m64n256k8.f32.tf32.tf32", FROM_SHARED, ",1,1")
#define INTEGERS(a, b)                                                                  \
  WORDS(a##_##b##_64, 32, "m64n64k32.s32." #a "." #b, FROM_SHARED, "")                  \
  WORDS(a##_##b##_64_r, 32, "m64n64k32.s32." #a "." #b, FROM_REGISTERS, "")             \
  WORDS(a##_##b##_64_sat, 32, "m64n64k32.s32." #a "." #b ".satfinite", FROM_SHARED, "") \
  WORDS(a##_##b##_8, 4, "m64n8k32.s32." #a "." #b, FROM_SHARED, "")
INTEGERS(s8, s8)
INTEGERS(s8, u8)
INTEGERS(u8, s8)
INTEGERS(u8, u8)
WORDS(s8_16, 8, "m64n16k32.s32.s8.s8", FROM_SHARED, "")
WORDS(s8_24, 12, "m64n24k32.s32.s8.s8", FROM_SHARED, "")
WORDS(s8_48, 24, "m64n48k32.s32.s8.s8", FROM_SHARED, "")
WORDS(s8_128, 64, "m64n128k32.s32.s8.s8", FROM_SHARED, "")
WORDS(s8_256, 128, "m64n256k32.s32.s8.s8", FROM_SHARED, "")
WORDS(b1_64, 32, "m64n64k256.s32.b1.b1.and.popc", FROM_SHARED, "")
WORDS(b1_64_r, 32, "m64n64k256.s32.b1.b1.and.popc", FROM_REGISTERS, "")
WORDS(b1_8, 4, "m64n8k256.s32.b1.b1.and.popc", FROM_SHARED, "")
WORDS(b1_256, 128, "m64n256k256.s32.b1.b1.and.popc", FROM_SHARED, "")
#define BYTES(a, b)                                                              \
  FLOATS(a##_##b##_64, 32, "m64n64k32.f32." #a "." #b, FROM_SHARED, ",1,1")      \
  FLOATS(a##_##b##_64_r, 32, "m64n64k32.f32." #a "." #b, FROM_REGISTERS, ",1,1") \
  WORDS(a##_##b##_64_h, 16, "m64n64k32.f16." #a "." #b, FROM_SHARED, ",1,1")
BYTES(e4m3, e4m3)
BYTES(e4m3, e5m2)
BYTES(e5m2, e4m3)
BYTES(e5m2, e5m2)
FLOATS(e4m3_na, 32, "m64n64k32.f32.e4m3.e4m3", FROM_SHARED, ",-1,1")
FLOATS(e4m3_nb, 32, "m64n64k32.f32.e4m3.e4m3", FROM_SHARED, ",1,-1")
FLOATS(e4m3_r_na_nb, 32, "m64n64k32.f32.e4m3.e4m3", FROM_REGISTERS, ",-1,-1")
FLOATS(e4m3_8, 4, "m64n8k32.f32.e4m3.e4m3", FROM_SHARED, ",1,1")
FLOATS(e4m3_256, 128, "m64n256k32.f32.e4m3.e4m3", FROM_SHARED, ",1,1")

uint32_t state = 12345;
uint32_t rnd() {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
constexpr uint64_t fnv_basis = 0xcbf29ce484222325u;
template <class T>
uint64_t fnv(uint64_t sum, T word) {
  for (unsigned i = 0; i < 8 * sizeof(T); i += 8) sum = (sum ^ (word >> i & 255)) * 0x100000001b3u;
  return sum;
}

// Formats of elements: bits of all, of the fraction and of the exponent.
struct Format {
  unsigned bits, fraction, exponent;
};
constexpr Format f16{16, 10, 5}, bf16{16, 7, 8}, tf32{32, 23, 8}, e4m3{8, 3, 4}, e5m2{8, 2, 5},
    whole{0, 0, 0};

// small: whole numbers of -4 to 4, whose sums are exact. near: exponents of 4 neighbours.
// wide: of 24 (f16: all). far: of all. sparse: as wide, three of four zero. special: as wide, with zeros,
// denormals, infinities and NaNs.
enum class Fill { small, near, wide, far, sparse, special };

uint32_t element(Format f, Fill fill) {
  const uint32_t r = rnd();
  if (fill == Fill::sparse && (rnd() & 3) != 0) return 0;
  const uint32_t sign = (r >> 31) << (f.bits - 1);
  const uint32_t all = (1u << f.exponent) - 1;
  const uint32_t fraction = r & ((1u << f.fraction) - 1);
  const unsigned bias = all / 2;
  if (fill == Fill::small) {
    constexpr unsigned exponents[] = {0, 0, 1, 1, 2};
    const unsigned value = (r >> 8) % 5;
    if (value == 0) return 0;
    const uint32_t half = value == 3 ? 1u << (f.fraction - 1) : 0;
    return sign | ((bias + exponents[value]) << f.fraction) | half;
  }
  if (fill == Fill::special) {
    switch (rnd() % 64) {
      case 0:
      case 1:
        return sign;
      case 2:
        return sign | (fraction >> 1);
      case 3:
        return rnd() % 4 != 0 ? sign : sign | (all << f.fraction);
      case 4:
        return rnd() % 8 != 0 ? sign : sign | (all << f.fraction) | fraction;
    }
  }
  const unsigned pick = rnd();
  if (fill == Fill::near) return sign | ((bias - 2 + pick % 4) << f.fraction) | fraction;
  const bool every = all - 1 < 24 || fill == Fill::far;
  const unsigned range = every ? all - 1 : 24;
  const unsigned first = every ? 1 : bias - 12;
  const uint32_t exponent = first + pick % range;
  if (f.exponent == 5 && f.bits == 16 && pick % 31 == 0) return sign | fraction;
  return sign | (exponent << f.fraction) | fraction;
}

void fill_words(std::vector<uint32_t>& words, Format f, Fill fill) {
  for (uint32_t& word : words) {
    if (f.bits == 0) {
      word = rnd();
    } else {
      word = 0;
      for (unsigned at = 0; at < 32; at += f.bits) word |= element(f, fill) << at;
    }
  }
}

FILE* out;
void* device_image;
uint32_t *device_fragment, *device_c, *device_d;
using Kernel = void (*)(const uint4*, const uint32_t*, const uint32_t*, uint32_t*, Job);

struct Operands {
  std::vector<uint32_t> image = std::vector<uint32_t>(image_bytes / 4);
  std::vector<uint32_t> fragment = std::vector<uint32_t>(4 * threads);
  std::vector<uint32_t> c = std::vector<uint32_t>(128 * threads);
};

// Of the cases since the last set was printed.
uint64_t set_sum = fnv_basis;
void print_set(const std::string& name) {
  std::printf("%s %016llx\n", name.c_str(), static_cast<unsigned long long>(set_sum));
  set_sum = fnv_basis;
}

void run(const std::string& name, Kernel kernel, unsigned words, const Operands& with, const Job& job) {
  C(cudaMemcpy(device_image, with.image.data(), image_bytes, cudaMemcpyHostToDevice));
  C(cudaMemcpy(device_fragment, with.fragment.data(), 16 * threads, cudaMemcpyHostToDevice));
  C(cudaMemcpy(device_c, with.c.data(), 4 * words * threads, cudaMemcpyHostToDevice));
  C(cudaMemset(device_d, 0, 512 * threads));
  C(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, image_bytes));
  kernel<<<1, threads, image_bytes>>>(static_cast<const uint4*>(device_image), device_fragment, device_c,
                                      device_d, job);
  C(cudaDeviceSynchronize());
  std::vector<uint32_t> d(words * threads);
  C(cudaMemcpy(d.data(), device_d, 4 * d.size(), cudaMemcpyDeviceToHost));
  uint64_t sum = fnv_basis;
  for (const uint32_t word : d) sum = fnv(sum, word);
  set_sum = fnv(set_sum, sum);
  if (out == nullptr || words > 64) return;
  char head[64] = {};
  snprintf(head, 60, "%s", name.c_str());
  memcpy(head + 60, &words, 4);
  fwrite(head, 1, 64, out);
  fwrite(d.data(), 4, d.size(), out);
}

// Offsets in bytes; swizzle: 0 none, 1 128 bytes, 2 64, 3 32.
uint64_t descriptor(unsigned start, unsigned leading, unsigned stride, unsigned swizzle, unsigned base = 0) {
  return uint64_t{start >> 4} | uint64_t{leading >> 4} << 16 | uint64_t{stride >> 4} << 32 |
         uint64_t{base} << 49 | uint64_t{swizzle} << 62;
}

constexpr unsigned b_at = 16 * 1024;  // where B lies in the image

Job plain(unsigned count = 1, bool accumulate = true) {
  return {descriptor(0, 128, 256, 0), descriptor(b_at, 128, 256, 0), 2048 / 16, 8192 / 16, accumulate,
          static_cast<int>(count)};
}

// Exact operands: what matters is where they lie.
void layouts(Operands& with) {
  struct Form {
    const char* name;
    Kernel kernel;
    unsigned words;
    bool a_columns, b_columns;
    Format format;
  };
  const Form forms[] = {
      {"f16_8", f16_8, 4, false, false, f16},
      {"f16_8_tb", f16_8_tb, 4, false, true, f16},
      {"f16_16", f16_16, 8, false, false, f16},
      {"f16_24", f16_24, 12, false, false, f16},
      {"f16_24_tb", f16_24_tb, 12, false, true, f16},
      {"f16_40", f16_40, 20, false, false, f16},
      {"f16_64", f16_64, 32, false, false, f16},
      {"f16_64_ta", f16_64_ta, 32, true, false, f16},
      {"f16_64_tb", f16_64_tb, 32, false, true, f16},
      {"f16_64_ta_tb", f16_64_ta_tb, 32, true, true, f16},
      {"f16_64_r_tb", f16_64_r_tb, 32, false, true, f16},
      {"bf16_64_ta_tb", bf16_64_ta_tb, 32, true, true, bf16},
      {"f16_128", f16_128, 64, false, false, f16},
      {"f16_128_tb", f16_128_tb, 64, false, true, f16},
      {"f16_256", f16_256, 128, false, false, f16},
      {"f16_256_tb", f16_256_tb, 128, false, true, f16},
      {"bf16_8", bf16_8, 4, false, false, bf16},
      {"bf16_64", bf16_64, 32, false, false, bf16},
      {"bf16_256", bf16_256, 128, false, false, bf16},
      {"tf32_8", tf32_8, 4, false, false, tf32},
      {"tf32_64", tf32_64, 32, false, false, tf32},
      {"tf32_256", tf32_256, 128, false, false, tf32},
      {"s8_s8_64", s8_s8_64, 32, false, false, whole},
      {"s8_16", s8_16, 8, false, false, whole},
      {"s8_24", s8_24, 12, false, false, whole},
      {"s8_48", s8_48, 24, false, false, whole},
      {"s8_128", s8_128, 64, false, false, whole},
      {"s8_256", s8_256, 128, false, false, whole},
      {"b1_8", b1_8, 4, false, false, whole},
      {"b1_64", b1_64, 32, false, false, whole},
      {"b1_256", b1_256, 128, false, false, whole},
      {"e4m3_8", e4m3_8, 4, false, false, e4m3},
      {"e4m3_64", e4m3_e4m3_64, 32, false, false, e4m3},
      {"e4m3_256", e4m3_256, 128, false, false, e4m3},
  };
  constexpr unsigned widths[] = {16, 128, 64, 32};  // of a swizzle's rows, bytes
  for (const Form& form : forms) {
    fill_words(with.image, form.format, Fill::small);
    fill_words(with.fragment, form.format, Fill::small);
    fill_words(with.c, form.format.bits == 0 ? whole : tf32, Fill::small);
    for (unsigned swizzle = 0; swizzle < 4; ++swizzle) {
      const unsigned atom = 8 * widths[swizzle];
      // As libraries lay tiles out: dense.
      const auto dense = [&](unsigned start, bool columns, bool wide) {
        if (swizzle == 0)
          return descriptor(start, columns ? (wide ? 2048u : 1024u) : 128u, columns ? 128u : 256u, 0);
        return descriptor(start, columns ? 2 * atom : 16u, atom, swizzle);
      };
      const std::string name = std::string(form.name) + "_w" + std::to_string(widths[swizzle]);
      run(name + "_dense", form.kernel, form.words, with,
          {dense(0, form.a_columns, false), dense(b_at, form.b_columns, form.words > 64), 0, 0, 1, 1});
      // Two products along k.
      run(name + "_inner", form.kernel, form.words, with,
          {dense(0, form.a_columns, false), dense(b_at, form.b_columns, form.words > 64), 2, 2, 0, 2});
      // Any offsets, and matrices that begin anywhere.
      for (unsigned n = 0; n < 2; ++n) {
        const unsigned step = form.words > 64 ? 1024 : 2048;
        const auto any = [&] { return 16 + 16 * (rnd() % (step / 16)); };
        const unsigned from_a = 16 * (rnd() % 128), from_b = 8192 + 16 * (rnd() % 128);
        const unsigned lead_a = any(), side_a = any(), lead_b = any() % 1024, side_b = any() % 1024;
        run(name + "_any" + std::to_string(n), form.kernel, form.words, with,
            {descriptor(from_a, lead_a, side_a, swizzle), descriptor(from_b, lead_b, side_b, swizzle), 0, 0,
             1, 1});
      }
      print_set(name);
    }
  }
  // Base offsets.
  fill_words(with.image, f16, Fill::small);
  for (unsigned swizzle = 1; swizzle < 4; ++swizzle) {
    for (unsigned base = 0; base < 8; ++base) {
      run("base_w" + std::to_string(widths[swizzle]) + "_" + std::to_string(base), f16_64, 32, with,
          {descriptor(128 * base, 16, 8 * widths[swizzle], swizzle, base),
           descriptor(b_at + 128 * (base ^ 1), 16, 8 * widths[swizzle], swizzle, base), 0, 0, 1, 1});
      run("base_columns_w" + std::to_string(widths[swizzle]) + "_" + std::to_string(base), f16_64_ta_tb, 32,
          with,
          {descriptor(0, 2048, 1024, swizzle, base), descriptor(b_at, 2048, 1024, swizzle, 7 - base), 0, 0, 1,
           1});
    }
    print_set("base_w" + std::to_string(widths[swizzle]));
  }
}

void integers(Operands& with) {
  struct Form {
    const char* name;
    Kernel kernel[4];
  };
#define FORM(a, b)                                                \
  {                                                               \
#a "_" #b, {                                                  \
      a##_##b##_64, a##_##b##_64_r, a##_##b##_64_sat, a##_##b##_8 \
    }                                                             \
  }
  const Form forms[] = {FORM(s8, s8), FORM(s8, u8), FORM(u8, s8), FORM(u8, u8)};
#undef FORM
  constexpr const char* kinds[] = {"_64", "_64_r", "_64_sat", "_8"};
  for (const Form& form : forms) {
    fill_words(with.image, whole, Fill::wide);
    fill_words(with.fragment, whole, Fill::wide);
    fill_words(with.c, whole, Fill::wide);
    // Some near the ends, which products cross.
    for (uint32_t& word : with.c)
      if (rnd() % 2 != 0) word = (rnd() % 2 != 0 ? 0x7fffffffu : 0x80000000u) ^ (rnd() & 0xfffff);
    for (unsigned kind = 0; kind < 4; ++kind) {
      const unsigned words = kind == 3 ? 4 : 32;
      const std::string name = std::string(form.name) + kinds[kind];
      run(name, form.kernel[kind], words, with, plain());
      run(name + "_fresh", form.kernel[kind], words, with, plain(1, false));
      run(name + "_chain", form.kernel[kind], words, with, plain(4));
      print_set(name);
    }
  }
  run("b1_64", b1_64, 32, with, plain());
  run("b1_64_r", b1_64_r, 32, with, plain());
  run("b1_64_chain", b1_64, 32, with, plain(4, false));
  print_set("b1");
}

void floats(Operands& with) {
  struct Form {
    const char* name;
    Kernel kernel;
    unsigned words;
    Format a, b, c;
  };
  const Format f32 = tf32;
#define FORM(kernel, words, a, b, c) \
  { #kernel, kernel, words, a, b, c }
  const Form forms[] = {
      FORM(f16_64, 32, f16, f16, f32),           FORM(f16_64_r, 32, f16, f16, f32),
      FORM(f16_64_na, 32, f16, f16, f32),        FORM(f16_64_nb, 32, f16, f16, f32),
      FORM(f16_64_na_nb, 32, f16, f16, f32),     FORM(f16_64_r_na, 32, f16, f16, f32),
      FORM(f16_64_r_nb, 32, f16, f16, f32),      FORM(f16_64_h, 16, f16, f16, f16),
      FORM(f16_64_h_r, 16, f16, f16, f16),       FORM(f16_64_h_na, 16, f16, f16, f16),
      FORM(f16_8_h, 2, f16, f16, f16),           FORM(f16_24_h, 6, f16, f16, f16),
      FORM(f16_256_h, 64, f16, f16, f16),        FORM(f16_256_r, 128, f16, f16, f32),
      FORM(bf16_64, 32, bf16, bf16, f32),        FORM(bf16_64_r, 32, bf16, bf16, f32),
      FORM(bf16_64_na, 32, bf16, bf16, f32),     FORM(tf32_64, 32, tf32, tf32, f32),
      FORM(tf32_64_r, 32, tf32, tf32, f32),      FORM(tf32_64_na, 32, tf32, tf32, f32),
      FORM(tf32_64_r_nb, 32, tf32, tf32, f32),   FORM(e4m3_e4m3_64, 32, e4m3, e4m3, f32),
      FORM(e4m3_e4m3_64_r, 32, e4m3, e4m3, f32), FORM(e4m3_e4m3_64_h, 16, e4m3, e4m3, f16),
      FORM(e4m3_e5m2_64, 32, e4m3, e5m2, f32),   FORM(e4m3_e5m2_64_r, 32, e4m3, e5m2, f32),
      FORM(e4m3_e5m2_64_h, 16, e4m3, e5m2, f16), FORM(e5m2_e4m3_64, 32, e5m2, e4m3, f32),
      FORM(e5m2_e4m3_64_r, 32, e5m2, e4m3, f32), FORM(e5m2_e4m3_64_h, 16, e5m2, e4m3, f16),
      FORM(e5m2_e5m2_64, 32, e5m2, e5m2, f32),   FORM(e5m2_e5m2_64_r, 32, e5m2, e5m2, f32),
      FORM(e5m2_e5m2_64_h, 16, e5m2, e5m2, f16), FORM(e4m3_na, 32, e4m3, e4m3, f32),
      FORM(e4m3_nb, 32, e4m3, e4m3, f32),        FORM(e4m3_r_na_nb, 32, e4m3, e4m3, f32),
  };
#undef FORM
  constexpr const char* fills[] = {"small", "near", "wide", "far", "sparse", "special"};
  for (const Form& form : forms) {
    for (const Fill fill : {Fill::small, Fill::near, Fill::wide, Fill::far, Fill::sparse, Fill::special}) {
      if (fill == Fill::far && form.a.exponent < 8) continue;
      // A and B in a half of the image each.
      std::vector<uint32_t> part(b_at / 4);
      fill_words(part, form.a, fill);
      memcpy(with.image.data(), part.data(), b_at);
      part.resize((image_bytes - b_at) / 4);
      fill_words(part, form.b, fill);
      memcpy(with.image.data() + b_at / 4, part.data(), image_bytes - b_at);
      fill_words(with.fragment, form.a, fill);
      fill_words(with.c, form.c, fill);
      const std::string name = std::string(form.name) + "_" + fills[static_cast<int>(fill)];
      run(name, form.kernel, form.words, with, plain());
      run(name + "_fresh", form.kernel, form.words, with, plain(1, false));
      if (fill != Fill::sparse) run(name + "_chain", form.kernel, form.words, with, plain(4));
      print_set(name);
    }
  }
}

int main(int argc, char** argv) {
  C(cudaMalloc(&device_image, image_bytes));
  C(cudaMalloc(&device_fragment, 16 * threads));
  C(cudaMalloc(&device_c, 512 * threads));
  C(cudaMalloc(&device_d, 512 * threads));
  Operands with;
  struct Part {
    const char* name;
    void (*cases)(Operands&);
  };
  for (const Part part : {Part{".layouts", layouts}, Part{".integers", integers}, Part{".floats", floats}}) {
    if (argc > 1) out = fopen((std::string(argv[1]) + part.name).c_str(), "wb");
    part.cases(with);
    if (out != nullptr) fclose(out);
  }
  return 0;
}
