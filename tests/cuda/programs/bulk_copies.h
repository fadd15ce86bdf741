// What the programs of bulk copies have in common. Each of them prints its copies' names and the FNV-1a sum
// of the memory that each was to fill; of a description that is not accepted, "refused". With a file as
// argument it writes the memory there as well, each behind a name of 56 bytes and its length in 8.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

constexpr int memory_bytes = 1 << 17;  // of the tensor
constexpr int shared_bytes = 1 << 14;  // looked at
constexpr int shared_given = shared_bytes + 1024;

inline std::uint32_t state = 12345;
inline std::uint32_t rnd() {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
inline FILE* out;
inline std::uint64_t fnv(const std::vector<char>& bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return sum;
}
inline void say(const std::string& name, const std::vector<char>& bytes) {
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

__device__ inline unsigned window(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// The first place at a multiple of 1,024 bytes, where swizzling begins anew.
__device__ inline char* begin_of_shared() {
  extern __shared__ char given[];
  const unsigned at = window(given);
  return given + ((at + 1023) / 1024 * 1024 - at);
}

__device__ inline void make_barrier(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// Gives up where the bytes do not come.
__device__ inline unsigned wait_for(unsigned barrier) {
  unsigned done = 0;
  for (int i = 0; i < (1 << 14) && done == 0; ++i)
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  return done;
}
__device__ inline void finish_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ inline void fill_shared(char* shared, const char* from) {
  for (int i = threadIdx.x * 4; i < shared_bytes; i += blockDim.x * 4)
    *reinterpret_cast<unsigned*>(shared + i) =
        from == nullptr ? 0xabababab : *reinterpret_cast<const unsigned*>(from + i);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}
__device__ inline void show_shared(const char* shared, unsigned* to, unsigned done) {
  for (int i = threadIdx.x * 4; i < shared_bytes; i += blockDim.x * 4)
    to[i / 4] = *reinterpret_cast<const unsigned*>(shared + i);
  if (threadIdx.x == 0) to[shared_bytes / 4] = done;
}

// ---- the host's side

inline char *memory, *other;  // the tensor's, and what is stored
inline unsigned* result;
inline std::vector<char> random_bytes(memory_bytes);

inline void reset(const std::vector<char>& bytes) {
  C(cudaMemcpy(memory, bytes.data(), memory_bytes, cudaMemcpyHostToDevice));
  C(cudaMemset(result, 0, shared_bytes + 4));
}
inline std::vector<char> taken(const void* from, std::size_t bytes) {
  C(cudaDeviceSynchronize());
  std::vector<char> r(bytes);
  C(cudaMemcpy(r.data(), from, bytes, cudaMemcpyDeviceToHost));
  return r;
}
inline void show_result(const std::string& name) {
  say(name, taken(result, shared_bytes + 4));
}
inline void show_memory(const std::string& name) {
  say(name, taken(memory, memory_bytes));
}

template <class Kernel>
void allow_shared(Kernel* kernel) {
  C(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_given));
}

inline std::string number(const char* text, int a, int b = -1, int c = -1) {
  char name[64];
  snprintf(name, sizeof name, text, a, b, c);
  return name;
}

// The same bytes in every program, as on the card.
inline void set_up(int argc, char** argv) {
  if (argc > 1) out = fopen(argv[1], "wb");
  C(cudaMalloc(&memory, memory_bytes));
  C(cudaMalloc(&other, memory_bytes));
  C(cudaMalloc(&result, shared_bytes + 4));
  for (char& byte : random_bytes) byte = static_cast<char>(rnd() >> 11);
  std::vector<char> stored(memory_bytes);
  for (char& byte : stored) byte = static_cast<char>(rnd() >> 11);
  C(cudaMemcpy(other, stored.data(), memory_bytes, cudaMemcpyHostToDevice));
}
inline void finish() {
  if (out != nullptr) fclose(out);
}
