// What Hopper's bulk copies leave in memory: boxes and columns of tensors of all types, sizes, steps,
// swizzles and fills, stores, reductions, and copies of plain bytes. Prints each copy's name and the FNV-1a
// sum of the memory that it was to fill; of a description that is not accepted, "refused". With a file as
// argument it writes the memory there as well, each behind a name of 56 bytes and its length in 8.
//
// Build: nvcc -std=c++17 -arch=sm_90a -cudart shared -o bulk_copies bulk_copies.cu
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

constexpr int memory_bytes = 1 << 17;  // of the tensor
constexpr int shared_bytes = 1 << 14;  // looked at
constexpr int shared_given = shared_bytes + 1024;

std::uint32_t state = 12345;
std::uint32_t rnd() {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
FILE* out;
std::uint64_t fnv(const std::vector<char>& bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return sum;
}
void say(const std::string& name, const std::vector<char>& bytes) {
  printf("%s %016llx\n", name.c_str(), static_cast<unsigned long long>(fnv(bytes)));
  fflush(stdout);
  if (out == nullptr) return;
  char head[64] = {};
  snprintf(head, 56, "%s", name.c_str());
  const std::uint64_t count = bytes.size();
  memcpy(head + 56, &count, 8);
  fwrite(head, 1, 64, out);
  fwrite(bytes.data(), 1, bytes.size(), out);
}

struct Coordinates {
  int at[5];
  unsigned short shift[3];
};

__device__ unsigned window(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// The first place at a multiple of 1,024 bytes, where swizzling begins anew.
__device__ char* begin_of_shared() {
  extern __shared__ char given[];
  const unsigned at = window(given);
  return given + ((at + 1023) / 1024 * 1024 - at);
}

__device__ void make_barrier(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// Gives up where the bytes do not come.
__device__ unsigned wait_for(unsigned barrier) {
  unsigned done = 0;
  for (int i = 0; i < (1 << 14) && done == 0; ++i)
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  return done;
}
__device__ void finish_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ void fill_shared(char* shared, const char* from) {
  for (int i = threadIdx.x * 4; i < shared_bytes; i += blockDim.x * 4)
    *reinterpret_cast<unsigned*>(shared + i) =
        from == nullptr ? 0xabababab : *reinterpret_cast<const unsigned*>(from + i);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}
__device__ void show_shared(const char* shared, unsigned* to, unsigned done) {
  for (int i = threadIdx.x * 4; i < shared_bytes; i += blockDim.x * 4)
    to[i / 4] = *reinterpret_cast<const unsigned*>(shared + i);
  if (threadIdx.x == 0) to[shared_bytes / 4] = done;
}

#define COORDINATES_1 "{%3}"
#define COORDINATES_2 "{%3, %4}"
#define COORDINATES_3 "{%3, %4, %5}"
#define COORDINATES_4 "{%3, %4, %5, %6}"
#define COORDINATES_5 "{%3, %4, %5, %6, %7}"
#define OPERANDS                                                                                         \
  "r"(to), "l"(map), "r"(barrier), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4]), \
      "h"(c.shift[0]), "h"(c.shift[1]), "h"(c.shift[2])

template <int Rank, bool Columns>
__device__ void load_tensor(unsigned to, const CUtensorMap* map, unsigned barrier, const Coordinates& c) {
#define LOAD(N)                                                                                           \
  if constexpr (Rank == N && !Columns)                                                                    \
    asm volatile("cp.async.bulk.tensor." #N                                                               \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " COORDINATES_##N \
                 "], [%2];" ::OPERANDS                                                                    \
                 : "memory");
  LOAD(1)
  LOAD(2)
  LOAD(3)
  LOAD(4) LOAD(5)
#define LOAD_COLUMNS(N, SHIFTS)                                                                             \
  if constexpr (Rank == N && Columns)                                                                       \
    asm volatile("cp.async.bulk.tensor." #N                                                                 \
                 "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " COORDINATES_##N \
                 "], [%2], " SHIFTS ";" ::OPERANDS                                                          \
                 : "memory");
      LOAD_COLUMNS(3, "{%8}") LOAD_COLUMNS(4, "{%8, %9}") LOAD_COLUMNS(5, "{%8, %9, %10}")
}

template <int Rank, bool Columns>
__device__ void store_tensor(unsigned to, const CUtensorMap* map, const Coordinates& c) {
  const unsigned barrier = 0;
#define STORE(N)                                                                                         \
  if constexpr (Rank == N && !Columns)                                                                   \
    asm volatile("cp.async.bulk.tensor." #N "d.global.shared::cta.tile.bulk_group [%1, " COORDINATES_##N \
                 "], [%0];" ::OPERANDS                                                                   \
                 : "memory");
  STORE(1)
  STORE(2)
  STORE(3)
  STORE(4) STORE(5)
#define STORE_COLUMNS(N)                                                                \
  if constexpr (Rank == N && Columns)                                                   \
    asm volatile("cp.async.bulk.tensor." #N                                             \
                 "d.global.shared::cta.im2col_no_offs.bulk_group [%1, " COORDINATES_##N \
                 "], [%0];" ::OPERANDS                                                  \
                 : "memory");
      STORE_COLUMNS(3) STORE_COLUMNS(4) STORE_COLUMNS(5)
}

__device__ void prefetch_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

template <int Rank, bool Columns>
__global__ void load(const __grid_constant__ CUtensorMap map, Coordinates c, unsigned bytes, unsigned offset,
                     unsigned* result) {
  __shared__ alignas(8) std::uint64_t barrier;
  char* const shared = begin_of_shared();
  if (threadIdx.x == 0) make_barrier(window(&barrier), 1);
  fill_shared(shared, nullptr);
  if (threadIdx.x == 0) {
    prefetch_map(&map);
    expect(window(&barrier), bytes);
    load_tensor<Rank, Columns>(window(shared) + offset, &map, window(&barrier), c);
  }
  const unsigned done = wait_for(window(&barrier));
  __syncthreads();
  show_shared(shared, result, done);
}

// A map in global memory, and one that the kernel makes there from the one that it was given.
__global__ void load_through(CUtensorMap* maps, Coordinates c, unsigned bytes, int change, char* other,
                             unsigned value, unsigned* result) {
  __shared__ alignas(8) std::uint64_t barrier;
  char* const shared = begin_of_shared();
  if (threadIdx.x == 0) make_barrier(window(&barrier), 1);
  fill_shared(shared, nullptr);
  if (threadIdx.x == 0) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    std::uint64_t map;
    asm volatile("cvta.to.global.u64 %0, %1;" : "=l"(map) : "l"(maps));
    if (change == 1)
      asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map), "l"(other)
                   : "memory");
    if (change == 2)
      asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 0, %1;" ::"l"(map), "r"(value)
                   : "memory");
    if (change == 3)
      asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 1, %1;" ::"l"(map), "r"(value)
                   : "memory");
    if (change == 4)
      asm volatile("tensormap.replace.tile.global_stride.global.b1024.b64 [%0], 0, %1;" ::"l"(map),
                   "l"(static_cast<std::uint64_t>(value))
                   : "memory");
    if (change == 5)
      asm volatile("tensormap.replace.tile.box_dim.global.b1024.b32 [%0], 1, %1;" ::"l"(map), "r"(value)
                   : "memory");
    if (change == 6)
      asm volatile("tensormap.replace.tile.element_stride.global.b1024.b32 [%0], 1, %1;" ::"l"(map),
                   "r"(value)
                   : "memory");
    if (change == 7)
      asm volatile("tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%0], 2;" ::"l"(map) : "memory");
    if (change == 8)
      asm volatile("tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 8;" ::"l"(map) : "memory");
    if (change == 9)
      asm volatile("tensormap.replace.tile.fill_mode.global.b1024.b32 [%0], 1;" ::"l"(map) : "memory");
#endif
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(maps) : "memory");
    expect(window(&barrier), bytes);
    load_tensor<2, false>(window(shared), maps, window(&barrier), c);
  }
  const unsigned done = wait_for(window(&barrier));
  __syncthreads();
  show_shared(shared, result, done);
}

template <int Rank, bool Columns>
__global__ void store(const __grid_constant__ CUtensorMap map, Coordinates c, unsigned offset,
                      const char* from) {
  char* const shared = begin_of_shared();
  fill_shared(shared, from);
  if (threadIdx.x != 0) return;
  store_tensor<Rank, Columns>(window(shared) + offset, &map, c);
  finish_stores();
}

enum Operation { op_add, op_min, op_max, op_inc, op_dec, op_and, op_or, op_xor };

__global__ void reduce(const __grid_constant__ CUtensorMap map, Coordinates c, int operation,
                       const char* from) {
  char* const shared = begin_of_shared();
  fill_shared(shared, from);
  if (threadIdx.x != 0) return;
#define REDUCE(OP)                                                        \
  if (operation == op_##OP)                                               \
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." #OP \
                 ".tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),    \
                 "r"(c.at[0]), "r"(c.at[1]), "r"(window(shared))          \
                 : "memory");
  REDUCE(add)
  REDUCE(min) REDUCE(max) REDUCE(inc) REDUCE(dec) REDUCE(and) REDUCE(or) REDUCE(xor) finish_stores();
}

__global__ void prefetch(const __grid_constant__ CUtensorMap map, Coordinates c, const char* memory) {
  if (threadIdx.x != 0) return;
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(c.at[0]),
               "r"(c.at[1])
               : "memory");
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(memory), "r"(4096) : "memory");
}

// Bytes in a row: into shared memory at `offset`, and (twice, of two groups) out of it.
__global__ void bytes_through(const char* from, char* to, unsigned bytes, unsigned offset, int pieces,
                              int hinted, unsigned* result) {
  __shared__ alignas(8) std::uint64_t barrier;
  char* const shared = begin_of_shared();
  if (threadIdx.x == 0) make_barrier(window(&barrier), 1);
  fill_shared(shared, nullptr);
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  if (threadIdx.x == 0) {
    for (int i = 0; i < pieces; ++i) {
      const unsigned at = window(shared) + offset + i * bytes;
      if (hinted)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], "
            "%2, [%3], %4;" ::"r"(at),
            "l"(from + 2 * i * bytes), "r"(bytes), "r"(window(&barrier)), "l"(policy)
            : "memory");
      else
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                at),
            "l"(from + 2 * i * bytes), "r"(bytes), "r"(window(&barrier))
            : "memory");
    }
    expect(window(&barrier), bytes * pieces);
  }
  const unsigned done = wait_for(window(&barrier));
  __syncthreads();
  show_shared(shared, result, done);
  __syncthreads();
  for (int k = 0; k < 2; ++k) {
    for (unsigned i = threadIdx.x; i < bytes * pieces / 4; i += blockDim.x)
      reinterpret_cast<unsigned*>(shared + offset)[i] += 0x01020304;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int i = 0; i < pieces; ++i)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         to + k * bytes * pieces + i * bytes),
                     "r"(window(shared) + offset + i * bytes), "r"(bytes)
                     : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      if (k == 0)
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      else
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
  }
}

#define BULK_REDUCTIONS(X)                                                                              \
  X(add_u32, "add.u32")                                                                                 \
  X(add_s32, "add.s32")                                                                                 \
  X(add_u64, "add.u64")                                                                                 \
  X(add_f16, "add.noftz.f16") X(add_bf16, "add.noftz.bf16") X(add_f32, "add.f32") X(add_f64, "add.f64") \
      X(min_u32, "min.u32") X(min_s32, "min.s32") X(min_u64, "min.u64") X(min_s64, "min.s64")           \
          X(min_f16, "min.f16") X(min_bf16, "min.bf16") X(max_u32, "max.u32") X(max_s32, "max.s32")     \
              X(max_u64, "max.u64") X(max_s64, "max.s64") X(max_f16, "max.f16") X(max_bf16, "max.bf16") \
                  X(inc_u32, "inc.u32") X(dec_u32, "dec.u32") X(and_b32, "and.b32") X(or_b32, "or.b32") \
                      X(xor_b32, "xor.b32") X(and_b64, "and.b64") X(or_b64, "or.b64") X(xor_b64, "xor.b64")
enum BulkReduction {
#define X(NAME, TEXT) reduction_##NAME,
  BULK_REDUCTIONS(X)
#undef X
      reductions
};
__global__ void reduce_bytes(const char* from, char* to, unsigned bytes, int reduction) {
  char* const shared = begin_of_shared();
  fill_shared(shared, from);
  if (threadIdx.x != 0) return;
#define X(NAME, TEXT)                                                                                     \
  if (reduction == reduction_##NAME)                                                                      \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." TEXT " [%0], [%1], %2;" ::"l"(to), \
                 "r"(window(shared)), "r"(bytes)                                                          \
                 : "memory");
  BULK_REDUCTIONS(X)
#undef X
  finish_stores();
}

// Within the block's own shared memory, which is that of a cluster of one.
#define SHARED_REDUCTIONS(X)                                                                \
  X(add_u32, "add.u32")                                                                     \
  X(add_s32, "add.s32")                                                                     \
  X(add_u64, "add.u64")                                                                     \
  X(inc_u32, "inc.u32") X(dec_u32, "dec.u32") X(min_u32, "min.u32") X(max_u32, "max.u32")   \
      X(min_s32, "min.s32") X(max_s32, "max.s32") X(and_b32, "and.b32") X(or_b32, "or.b32") \
          X(xor_b32, "xor.b32")
enum SharedReduction {
  shared_copy,
#define X(NAME, TEXT) shared_##NAME,
  SHARED_REDUCTIONS(X)
#undef X
      shared_reductions
};
__global__ void within_shared(const char* from, unsigned bytes, int reduction, unsigned* result) {
  __shared__ alignas(8) std::uint64_t barrier;
  char* const shared = begin_of_shared();
  if (threadIdx.x == 0) make_barrier(window(&barrier), 1);
  fill_shared(shared, from);
  if (threadIdx.x == 0) {
    const unsigned source = window(shared), to = source + 4096;
    expect(window(&barrier), bytes);
    if (reduction == shared_copy)
      asm volatile(
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
              "r"(to),
          "r"(source), "r"(bytes), "r"(window(&barrier))
          : "memory");
#define X(NAME, TEXT)                                                                                  \
  if (reduction == shared_##NAME)                                                                      \
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." TEXT \
                 " [%0], [%1], %2, [%3];" ::"r"(to),                                                   \
                 "r"(source), "r"(bytes), "r"(window(&barrier))                                        \
                 : "memory");
    SHARED_REDUCTIONS(X)
#undef X
  }
  const unsigned done = wait_for(window(&barrier));
  __syncthreads();
  show_shared(shared, result, done);
}

// Words that threads store, or combine with others, each telling the barrier.
__global__ void store_words(const char* from, int reduction, unsigned* result) {
  __shared__ alignas(8) std::uint64_t barrier;
  char* const shared = begin_of_shared();
  if (threadIdx.x == 0) make_barrier(window(&barrier), 1);
  fill_shared(shared, from);
  const unsigned bar = window(&barrier), to = window(shared) + threadIdx.x * 32;
  const unsigned v = threadIdx.x * 0x10203 + 7;
  const std::uint64_t w = v * 0x100000001ull;
  if (threadIdx.x == 0)
    expect(bar, (reduction == 0 ? 4 + 8 + 16 : reduction == shared_add_u64 ? 8 : 4) * blockDim.x);
  if (reduction == 0) {
#define ASYNC "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes."
    asm volatile(ASYNC "u32 [%0], %1, [%2];" ::"r"(to), "r"(v), "r"(bar) : "memory");
    asm volatile(ASYNC "u64 [%0], %1, [%2];" ::"r"(to + 8), "l"(w), "r"(bar) : "memory");
    asm volatile(ASYNC "v4.u32 [%0], {%1, %3, %1, %3}, [%2];" ::"r"(to + 16), "r"(v), "r"(bar), "r"(~v)
                 : "memory");
  }
#define X(NAME, TEXT)                                                                           \
  if (reduction == shared_##NAME)                                                               \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." TEXT \
                 " [%0], %1, [%2];" ::"r"(to),                                                  \
                 VALUE, "r"(bar)                                                                \
                 : "memory");
#define VALUE "r"(v)
  X(add_u32, "add.u32")
  X(add_s32, "add.s32")
  X(inc_u32, "inc.u32")
  X(dec_u32, "dec.u32") X(min_u32, "min.u32") X(max_u32, "max.u32") X(min_s32, "min.s32")
      X(max_s32, "max.s32") X(and_b32, "and.b32") X(or_b32, "or.b32") X(xor_b32, "xor.b32")
#undef VALUE
#define VALUE "l"(w)
          X(add_u64, "add.u64")
#undef VALUE
#undef X
              const unsigned done = wait_for(bar);
  __syncthreads();
  show_shared(shared, result, done);
}

// ---- the host's side

using EncodeTiled = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                 const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                 CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill);
using EncodeIm2col = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                  const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t,
                                  const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                  CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
EncodeTiled encode_tiled;
EncodeIm2col encode_im2col;

char *memory, *other;  // the tensor's, and what is stored
unsigned* result;
std::vector<char> random_bytes(memory_bytes);

constexpr const char* type_names[] = {"u8",  "u16", "u32",  "s32",     "u64",  "s64",     "f16",
                                      "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};
constexpr int type_bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
constexpr int u8 = 0, u16 = 1, u32 = 2, f16 = 6, f32 = 7;

struct Tensor {
  int type = u32;
  std::vector<cuuint64_t> sizes;
  std::vector<cuuint64_t> strides;  // made where there are none: rows of whole 16 bytes, side by side
  std::vector<cuuint32_t> box;      // none: columns
  std::vector<cuuint32_t> steps;    // ones where there are none
  int swizzle = 0, promotion = 0, fill = 0;
  std::vector<int> lower, upper;
  unsigned channels = 0, pixels = 0;
  int begin = 0;  // bytes from the memory's begin

  [[nodiscard]] bool columns() const { return box.empty(); }
  [[nodiscard]] unsigned bytes() const {
    if (columns()) return channels * pixels * type_bytes[type];
    unsigned bytes = type_bytes[type] * box[0];
    for (std::size_t i = 1; i < box.size(); ++i) {
      const unsigned step = steps.empty() ? 1 : steps[i];
      bytes *= (box[i] + step - 1) / step;
    }
    return bytes;
  }
  bool encode(CUtensorMap* map) const {
    std::vector<cuuint64_t> strides_here = strides;
    if (strides_here.empty()) {
      cuuint64_t stride = (sizes[0] * type_bytes[type] + 15) / 16 * 16;
      for (std::size_t i = 1; i < sizes.size(); ++i) {
        strides_here.push_back(stride);
        stride *= sizes[i];
      }
    }
    std::vector<cuuint32_t> steps_here = steps;
    if (steps_here.empty()) steps_here.assign(sizes.size(), 1);
    const auto type_here = static_cast<CUtensorMapDataType>(type);
    const auto rank = static_cast<cuuint32_t>(sizes.size());
    const auto swizzle_here = static_cast<CUtensorMapSwizzle>(swizzle);
    const auto promotion_here = static_cast<CUtensorMapL2promotion>(promotion);
    const auto fill_here = static_cast<CUtensorMapFloatOOBfill>(fill);
    const CUresult code =
        columns() ? encode_im2col(map, type_here, rank, memory + begin, sizes.data(), strides_here.data(),
                                  lower.data(), upper.data(), channels, pixels, steps_here.data(),
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_here, promotion_here, fill_here)
                  : encode_tiled(map, type_here, rank, memory + begin, sizes.data(), strides_here.data(),
                                 box.data(), steps_here.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_here,
                                 promotion_here, fill_here);
    return code == CUDA_SUCCESS;
  }
};

// A card stops where the first coordinate is not at a multiple of 16 bytes: it is rounded down to one.
Coordinates coordinates(int type, const std::vector<int>& at, const std::vector<int>& shift = {}) {
  Coordinates c = {};
  for (std::size_t i = 0; i < at.size(); ++i) c.at[i] = at[i];
  c.at[0] &= -(16 / type_bytes[type]);
  for (std::size_t i = 0; i < shift.size(); ++i) c.shift[i] = static_cast<unsigned short>(shift[i]);
  return c;
}

// Nor does it store from before a tensor's begin.
Coordinates within(Coordinates c) {
  for (int& at : c.at) at = std::max(at, 0);
  return c;
}

void reset(const std::vector<char>& bytes) {
  C(cudaMemcpy(memory, bytes.data(), memory_bytes, cudaMemcpyHostToDevice));
  C(cudaMemset(result, 0, shared_bytes + 4));
}
std::vector<char> taken(const void* from, std::size_t bytes) {
  C(cudaDeviceSynchronize());
  std::vector<char> r(bytes);
  C(cudaMemcpy(r.data(), from, bytes, cudaMemcpyDeviceToHost));
  return r;
}
void show_result(const std::string& name) {
  say(name, taken(result, shared_bytes + 4));
}
void show_memory(const std::string& name) {
  say(name, taken(memory, memory_bytes));
}

template <class Kernel>
void allow_shared(Kernel* kernel) {
  C(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_given));
}

template <int Rank, bool Columns>
void load_here(const CUtensorMap& map, const Coordinates& c, unsigned bytes, unsigned offset) {
  allow_shared(load<Rank, Columns>);
  load<Rank, Columns><<<1, 128, shared_given>>>(map, c, bytes, offset, result);
}
void try_load(const std::string& name, const Tensor& tensor, const std::vector<int>& at, unsigned offset = 0,
              const std::vector<int>& shift = {}) {
  alignas(64) CUtensorMap map;
  if (!tensor.encode(&map)) {
    printf("%s refused\n", name.c_str());
    return;
  }
  reset(random_bytes);
  const Coordinates c = coordinates(tensor.type, at, shift);
  const unsigned bytes = tensor.bytes();
  switch (tensor.sizes.size() + (tensor.columns() ? 10 : 0)) {
    case 1:
      load_here<1, false>(map, c, bytes, offset);
      break;
    case 2:
      load_here<2, false>(map, c, bytes, offset);
      break;
    case 3:
      load_here<3, false>(map, c, bytes, offset);
      break;
    case 4:
      load_here<4, false>(map, c, bytes, offset);
      break;
    case 5:
      load_here<5, false>(map, c, bytes, offset);
      break;
    case 13:
      load_here<3, true>(map, c, bytes, offset);
      break;
    case 14:
      load_here<4, true>(map, c, bytes, offset);
      break;
    case 15:
      load_here<5, true>(map, c, bytes, offset);
      break;
  }
  show_result(name);
}
template <int Rank, bool Columns>
void store_here(const CUtensorMap& map, const Coordinates& c, unsigned offset) {
  allow_shared(store<Rank, Columns>);
  store<Rank, Columns><<<1, 128, shared_given>>>(map, c, offset, other);
}
void try_store(const std::string& name, const Tensor& tensor, const std::vector<int>& at,
               unsigned offset = 0) {
  alignas(64) CUtensorMap map;
  if (!tensor.encode(&map)) {
    printf("%s refused\n", name.c_str());
    return;
  }
  reset(random_bytes);
  const Coordinates c = within(coordinates(tensor.type, at));
  switch (tensor.sizes.size() + (tensor.columns() ? 10 : 0)) {
    case 1:
      store_here<1, false>(map, c, offset);
      break;
    case 2:
      store_here<2, false>(map, c, offset);
      break;
    case 3:
      store_here<3, false>(map, c, offset);
      break;
    case 4:
      store_here<4, false>(map, c, offset);
      break;
    case 5:
      store_here<5, false>(map, c, offset);
      break;
    case 13:
      store_here<3, true>(map, c, offset);
      break;
    case 14:
      store_here<4, true>(map, c, offset);
      break;
    case 15:
      store_here<5, true>(map, c, offset);
      break;
  }
  show_memory(name);
}

std::string number(const char* text, int a, int b = -1, int c = -1) {
  char name[64];
  snprintf(name, sizeof name, text, a, b, c);
  return name;
}

Tensor plane(int type) {
  Tensor t;
  t.type = type;
  t.sizes = {static_cast<cuuint64_t>(200 / type_bytes[type] - 3), 20};
  t.box = {static_cast<cuuint32_t>(64 / type_bytes[type]), 5};
  return t;
}

void loads_of_types() {
  for (int type = 0; type <= 12; ++type) {
    const std::string name = type_names[type];
    Tensor t = plane(type);
    try_load("load_" + name, t, {3, 2});
    const int wide = static_cast<int>(t.sizes[0]);
    try_load("load_" + name + "_left", t, {-3, -2});
    try_load("load_" + name + "_right", t, {wide - 5, 17});
    t.fill = 1;
    try_load("load_" + name + "_nan", t, {wide - 5, -1});
  }
}

void loads_of_ranks() {
  const std::vector<cuuint64_t> sizes{21, 9, 7, 5, 4};
  const std::vector<cuuint32_t> box{8, 4, 3, 2, 3};
  const std::vector<std::vector<int>> places{{2, 1, 2, 1, 1},  {-3, -1, -1, -1, -2}, {17, 7, 6, 4, 3},
                                             {0, 20, 0, 0, 0}, {-100, 0, 0, 0, 0},   {1 << 30, 0, 0, 0, 0},
                                             {0, -1, 0, 0, 0}};
  for (int rank = 1; rank <= 5; ++rank)
    for (std::size_t k = 0; k < places.size(); ++k) {
      Tensor t;
      t.type = rank % 2 == 0 ? u16 : u32;
      t.sizes.assign(sizes.begin(), sizes.begin() + rank);
      t.box.assign(box.begin(), box.begin() + rank);
      t.begin = 512;
      try_load(number("load_rank_%d_place_%d", rank, static_cast<int>(k)), t, places[k]);
    }
}

void loads_with_steps() {
  for (int k = 0; k < 6; ++k) {
    Tensor t;
    t.sizes = {40, 30, 12};
    t.box = {16, 9, 5};
    const std::vector<std::vector<cuuint32_t>> steps{{1, 2, 1}, {1, 1, 3}, {1, 3, 2},
                                                     {2, 1, 1}, {1, 8, 4}, {4, 5, 8}};
    t.steps = steps[k];
    try_load(number("load_steps_%d", k), t, {4, 3, 2});
    try_load(number("load_steps_%d_outside", k), t, {-4, -3, -2});
    try_load(number("load_steps_%d_beyond", k), t, {35, 25, 10});
  }
}

void loads_with_swizzles() {
  for (int swizzle = 0; swizzle <= 3; ++swizzle)
    for (int inner : {16, 32, 48, 64, 96, 128, 256})
      for (unsigned offset : {0U, 128U, 640U}) {
        Tensor t;
        t.type = u8;
        t.sizes = {300, 40};
        t.strides = {400};
        t.box = {static_cast<cuuint32_t>(inner), 19};
        t.swizzle = swizzle;
        try_load(number("load_swizzle_%d_inner_%d_offset_%d", swizzle, inner, static_cast<int>(offset)), t,
                 {32, 3}, offset);
        if (offset == 0) {
          try_load(number("load_swizzle_%d_inner_%d_outside", swizzle, inner), t, {290, 30});
          try_store(number("store_swizzle_%d_inner_%d", swizzle, inner), t, {7, 3});
          try_store(number("store_swizzle_%d_inner_%d_outside", swizzle, inner), t, {290, 30});
        }
      }
  for (int swizzle = 1; swizzle <= 3; ++swizzle) {
    Tensor t;
    t.type = f16;
    t.sizes = {64, 10, 6};
    t.box = {static_cast<cuuint32_t>(8 << swizzle), 4, 3};
    t.swizzle = swizzle;
    try_load(number("load_swizzle_%d_rank_3", swizzle), t, {8, 1, 1});
  }
}

void loads_otherwise() {
  for (int promotion = 0; promotion <= 3; ++promotion) {
    Tensor t = plane(f32);
    t.promotion = promotion;
    try_load(number("load_promotion_%d", promotion), t, {3, 2});
  }
  Tensor t = plane(u32);
  t.strides = {0};
  try_load("load_stride_0", t, {0, 0});
  t.strides = {16};
  try_load("load_stride_16", t, {0, 0});
  t = plane(u8);
  t.box = {256, 32};
  t.sizes = {256, 200};
  try_load("load_box_256_32", t, {0, 1});
  t.box = {16, 256};
  try_load("load_box_16_256", t, {5, 1});
}

Tensor picture(int rank) {
  Tensor t;
  t.type = f16;
  const std::vector<cuuint64_t> sizes{24, 9, 7, 5};
  t.sizes.assign(sizes.begin(), sizes.begin() + rank - 1);
  t.sizes.push_back(3);
  t.channels = 16;
  t.pixels = 40;
  t.lower.assign(rank - 2, 0);
  t.upper.assign(rank - 2, 0);
  return t;
}

void columns() {
  for (int rank = 3; rank <= 5; ++rank) {
    const std::vector<int> zero(rank, 0);
    std::vector<int> inside(rank, 1), end(rank, 2);
    inside[0] = end[0] = 8;
    Tensor t = picture(rank);
    const std::vector<int> one(rank - 2, 1);
    const std::vector<int> mixed = rank == 3   ? std::vector<int>{2}
                                   : rank == 4 ? std::vector<int>{2, 1}
                                               : std::vector<int>{2, 1, 3};
    try_load(number("columns_%d", rank), t, zero, 0, std::vector<int>(rank - 2, 0));
    try_load(number("columns_%d_inside", rank), t, inside, 0, std::vector<int>(rank - 2, 0));
    try_load(number("columns_%d_shifted", rank), t, inside, 0, mixed);
    try_store(number("columns_%d_store", rank), t, inside);
    const std::vector<int> lower{-1, -2, -3}, upper{-3, -1, -2};
    t.lower.assign(lower.begin(), lower.begin() + rank - 2);
    t.upper.assign(upper.begin(), upper.begin() + rank - 2);
    std::vector<int> corner(rank, 0);
    for (int i = 1; i + 1 < rank; ++i) corner[i] = lower[i - 1];
    try_load(number("columns_%d_corners", rank), t, corner, 0, std::vector<int>(rank - 2, 0));
    try_load(number("columns_%d_corners_shifted", rank), t, corner, 0, mixed);
    t.fill = 1;
    try_load(number("columns_%d_corners_nan", rank), t, corner, 0, mixed);
    t.fill = 0;
    t.steps.assign(rank, 1);
    for (int i = 1; i + 1 < rank; ++i) t.steps[i] = i + 1;
    try_load(number("columns_%d_steps", rank), t, corner, 0, mixed);
    t.steps.clear();
    try_load(number("columns_%d_end", rank), t, end, 0, one);
    t.channels = 32;
    t.pixels = 70;
    try_load(number("columns_%d_channels", rank), t, corner, 0, one);
    for (int swizzle = 1; swizzle <= 3; ++swizzle) {
      t.swizzle = swizzle;
      t.channels = 8U << swizzle;
      try_load(number("columns_%d_swizzle_%d", rank, swizzle), t, corner, 0, mixed);
    }
  }
}

void stores_of_tensors() {
  for (int type = 0; type <= 12; ++type) {
    Tensor t = plane(type);
    const std::string name = type_names[type];
    const int wide = static_cast<int>(t.sizes[0]);
    try_store("store_" + name, t, {3, 2});
    try_store("store_" + name + "_left", t, {-3, -2});
    try_store("store_" + name + "_right", t, {wide - 5, 17}, 128);
  }
  const std::vector<cuuint64_t> sizes{21, 9, 7, 5, 4};
  const std::vector<cuuint32_t> box{8, 4, 3, 2, 3};
  for (int rank = 1; rank <= 5; ++rank) {
    Tensor t;
    t.sizes.assign(sizes.begin(), sizes.begin() + rank);
    t.box.assign(box.begin(), box.begin() + rank);
    try_store(number("store_rank_%d", rank), t, {2, 1, 2, 1, 1});
    try_store(number("store_rank_%d_outside", rank), t, {-1, -1, 5, 4, 2});
    t.steps.assign(rank, 2);
    try_store(number("store_rank_%d_steps", rank), t, {1, 2, 1, 1, 0});
  }
}

// Numbers that do not overflow soon: random signs and fractions, exponents near one; every seventh a special
// one.
std::vector<char> numbers(int type, bool special) {
  std::vector<char> r(memory_bytes);
  const int size = type_bytes[type];
  const bool is_float = type >= f16;
  const int fraction = type == f16 ? 10 : type == 9 ? 7 : size == 8 ? 52 : 23;
  const std::uint64_t one = type == f16 ? 15 : size == 8 ? 1023 : 127;
  for (int i = 0; i < memory_bytes / size; ++i) {
    std::uint64_t bits = (std::uint64_t{rnd()} << 32) | rnd();
    if (is_float) {
      const std::uint64_t sign = bits >> 63;
      std::uint64_t exponent = one + rnd() % 6 - 3;
      std::uint64_t rest = bits & ((std::uint64_t{1} << fraction) - 1);
      if (special && rnd() % 3 == 0) {
        const unsigned kind = rnd() % 6;
        exponent = kind < 2 ? 0 : kind < 4 ? 2 * one + 1 : kind == 4 ? 2 * one : 1;
        if (kind == 0 || kind == 2) rest = 0;
      }
      bits = (sign << (8 * size - 1)) | (exponent << fraction) | rest;
    } else if (special && rnd() % 3 == 0) {
      bits = rnd() % 2 == 0 ? 0 : ~std::uint64_t{0};
    }
    memcpy(r.data() + i * size, &bits, size);
  }
  return r;
}

void reductions_of_tensors() {
  struct Case {
    int type;
    std::vector<int> operations;
  };
  const std::vector<int> integers{op_add, op_min, op_max, op_and, op_or, op_xor};
  const std::vector<int> halves{op_add, op_min, op_max};
  const std::vector<Case> cases{{u32, {op_add, op_min, op_max, op_inc, op_dec, op_and, op_or, op_xor}},
                                {3, integers},
                                {4, integers},
                                {5, {op_min, op_max}},
                                {f16, halves},
                                {9, halves},
                                {f32, {op_add}},
                                {8, {op_add}},
                                {10, {op_add}}};
  constexpr const char* names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
  for (const Case& one : cases)
    for (const int operation : one.operations)
      for (int special = 0; special < 2; ++special) {
        const std::string name = std::string("reduce_") + names[operation] + "_" + type_names[one.type] +
                                 (special ? "_special" : "");
        alignas(64) CUtensorMap map;
        const Tensor t = plane(one.type);
        if (!t.encode(&map)) {
          printf("%s refused\n", name.c_str());
          continue;
        }
        reset(numbers(one.type, special != 0));
        const std::vector<char> given = numbers(one.type, special != 0);
        C(cudaMemcpy(other, given.data(), memory_bytes, cudaMemcpyHostToDevice));
        allow_shared(reduce);
        reduce<<<1, 128, shared_given>>>(map, within(coordinates(t.type, {-1, 17})), operation, other);
        show_memory(name);
      }
}

void plain_bytes() {
  allow_shared(bytes_through);
  int k = 0;
  for (unsigned bytes : {16U, 48U, 1024U, 4096U})
    for (int pieces = 1; pieces <= 3; pieces += 2)
      for (unsigned offset : {0U, 16U, 144U}) {
        reset(random_bytes);
        bytes_through<<<1, 128, shared_given>>>(memory + 16 * k, memory + memory_bytes / 2, bytes, offset,
                                                pieces, k % 2, result);
        show_result(number("bytes_%d_pieces_%d_offset_%d", static_cast<int>(bytes), pieces,
                           static_cast<int>(offset)));
        show_memory(number("bytes_%d_pieces_%d_offset_%d_out", static_cast<int>(bytes), pieces,
                           static_cast<int>(offset)));
        ++k;
      }
  constexpr const char* names[] = {
#define X(NAME, TEXT) #NAME,
      BULK_REDUCTIONS(X)
#undef X
  };
  constexpr int types[] = {2, 3, 4, 6, 9, 7, 8, 2, 3, 4, 5, 6, 9, 2, 3, 4, 5, 6, 9, 2, 2, 2, 2, 2, 4, 4, 4};
  allow_shared(reduce_bytes);
  for (int reduction = 0; reduction < reductions; ++reduction)
    for (int special = 0; special < 2; ++special) {
      reset(numbers(types[reduction], special != 0));
      const std::vector<char> given = numbers(types[reduction], special != 0);
      C(cudaMemcpy(other, given.data(), memory_bytes, cudaMemcpyHostToDevice));
      reduce_bytes<<<1, 128, shared_given>>>(other, memory + 16, 2048, reduction);
      show_memory(std::string("bytes_") + names[reduction] + (special ? "_special" : ""));
    }
}

void within_blocks() {
  constexpr const char* names[] = {"copy",
#define X(NAME, TEXT) #NAME,
                                   SHARED_REDUCTIONS(X)
#undef X
  };
  allow_shared(within_shared);
  allow_shared(store_words);
  C(cudaMemcpy(other, random_bytes.data(), memory_bytes, cudaMemcpyHostToDevice));
  for (int reduction = 0; reduction < shared_reductions; ++reduction) {
    reset(random_bytes);
    within_shared<<<1, 128, shared_given>>>(other, 1024, reduction, result);
    show_result(std::string("shared_") + names[reduction]);
    reset(random_bytes);
    store_words<<<1, 128, shared_given>>>(other, reduction, result);
    show_result(std::string("words_") + names[reduction]);
  }
}

void maps_elsewhere() {
  constexpr const char* names[] = {"global", "address", "size_0",  "size_1", "stride",
                                   "box",    "step",    "swizzle", "type",   "fill"};
  const unsigned values[] = {0, 0, 45, 18, 256, 3, 1, 0, 0, 0};
  CUtensorMap* maps;
  C(cudaMalloc(&maps, sizeof(CUtensorMap)));
  allow_shared(load_through);
  for (int change = 0; change < 10; ++change) {
    alignas(64) CUtensorMap map;
    Tensor t = plane(f32);
    if (!t.encode(&map)) exit(1);
    reset(random_bytes);
    C(cudaMemcpy(maps, &map, sizeof map, cudaMemcpyHostToDevice));
    // A box of three or four rows, whichever is meant by 3: then the wait ends in vain, or not.
    load_through<<<1, 128, shared_given>>>(maps, coordinates(t.type, {40, 16}), t.bytes(), change, memory + 1024,
                                           values[change], result);
    show_result(std::string("map_") + names[change]);
    const std::vector<char> bytes = taken(maps, sizeof map);
    if (change == 0 && memcmp(bytes.data(), &map, sizeof map) != 0) printf("the map changed\n");
  }
  C(cudaFree(maps));
  alignas(64) CUtensorMap map;
  if (!plane(u32).encode(&map)) exit(1);
  reset(random_bytes);
  prefetch<<<1, 32>>>(map, coordinates(u32, {-3, 2}), memory);
  show_memory("prefetch");
}

int main(int argc, char** argv) {
  if (argc > 1) out = fopen(argv[1], "wb");
  cudaDriverEntryPointQueryResult found;
  void *tiled = nullptr, *im2col = nullptr;
  C(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &tiled, 12000, cudaEnableDefault, &found));
  C(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &im2col, 12000, cudaEnableDefault, &found));
  if (tiled == nullptr || im2col == nullptr) {
    printf("no tensor maps\n");
    return 1;
  }
  encode_tiled = reinterpret_cast<EncodeTiled>(tiled);
  encode_im2col = reinterpret_cast<EncodeIm2col>(im2col);
  C(cudaMalloc(&memory, memory_bytes));
  C(cudaMalloc(&other, memory_bytes));
  C(cudaMalloc(&result, shared_bytes + 4));
  for (char& byte : random_bytes) byte = static_cast<char>(rnd() >> 11);
  std::vector<char> stored(memory_bytes);
  for (char& byte : stored) byte = static_cast<char>(rnd() >> 11);
  C(cudaMemcpy(other, stored.data(), memory_bytes, cudaMemcpyHostToDevice));
  plain_bytes();
  C(cudaMemcpy(other, stored.data(), memory_bytes, cudaMemcpyHostToDevice));
  loads_of_types();
  loads_of_ranks();
  loads_with_steps();
  loads_with_swizzles();
  loads_otherwise();
  stores_of_tensors();
  columns();
  reductions_of_tensors();
  within_blocks();
  maps_elsewhere();
  if (out != nullptr) fclose(out);
}
