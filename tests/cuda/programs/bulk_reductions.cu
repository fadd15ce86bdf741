// Bulk reductions into global memory: of plain bytes and of boxes of tensors. See bulk_copies.h.
//
// Build: nvcc -std=c++17 -arch=sm_90a -cudart shared -o bulk_reductions bulk_reductions.cu
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bulk_copies.h"
#include "bulk_tensors.h"
#include "check.h"

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

#define BULK_REDUCTIONS(X)                                                                              \
  X(add_u32, "add.u32")                                                                                 \
  X(add_s32, "add.s32")                                                                                 \
  X(add_u64, "add.u64")                                                                                 \
  X(add_f16, "add.noftz.f16")                                                                           \
  X(add_bf16, "add.noftz.bf16") X(add_f32, "add.f32") X(add_f64, "add.f64") X(min_u32, "min.u32")       \
      X(min_s32, "min.s32") X(min_u64, "min.u64") X(min_s64, "min.s64") X(min_f16, "min.f16")           \
          X(min_bf16, "min.bf16") X(max_u32, "max.u32") X(max_s32, "max.s32") X(max_u64, "max.u64")     \
              X(max_s64, "max.s64") X(max_f16, "max.f16") X(max_bf16, "max.bf16") X(inc_u32, "inc.u32") \
                  X(dec_u32, "dec.u32") X(and_b32, "and.b32") X(or_b32, "or.b32") X(xor_b32, "xor.b32") \
                      X(and_b64, "and.b64") X(or_b64, "or.b64") X(xor_b64, "xor.b64")
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

// ---- the host's side

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

void reductions_of_bytes() {
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

int main(int argc, char** argv) {
  set_up(argc, argv);
  find_encoders();
  reductions_of_bytes();  // first: so were the numbers drawn on the card
  reductions_of_tensors();
  finish();
}
