// Bulk copies of plain bytes: into shared memory and out of it, within it, and words that threads store
// there. See bulk_copies.h.
//
// Build: nvcc -std=c++17 -arch=sm_90a -cudart shared -o bulk_bytes bulk_bytes.cu
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "bulk_copies.h"
#include "check.h"

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

// Within the block's own shared memory, which is that of a cluster of one.
#define SHARED_REDUCTIONS(X)                                                              \
  X(add_u32, "add.u32")                                                                   \
  X(add_s32, "add.s32")                                                                   \
  X(add_u64, "add.u64")                                                                   \
  X(inc_u32, "inc.u32")                                                                   \
  X(dec_u32, "dec.u32") X(min_u32, "min.u32") X(max_u32, "max.u32") X(min_s32, "min.s32") \
      X(max_s32, "max.s32") X(and_b32, "and.b32") X(or_b32, "or.b32") X(xor_b32, "xor.b32")
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
  X(dec_u32, "dec.u32")
  X(min_u32, "min.u32") X(max_u32, "max.u32") X(min_s32, "min.s32") X(max_s32, "max.s32")
      X(and_b32, "and.b32") X(or_b32, "or.b32") X(xor_b32, "xor.b32")
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

int main(int argc, char** argv) {
  set_up(argc, argv);
  plain_bytes();
  within_blocks();
  finish();
}
