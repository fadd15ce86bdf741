// What addresses name: the block's own shared memory or another block's, and both halves of a constant bank. Built by
// build_cubins beside it.
#include <cooperative_groups.h>

// All blocks add to the first one's sums. An atomic of floats takes the way of the own block's shared memory where the
// address lies there, and else the other blocks'.
extern "C" __global__ void __cluster_dims__(2, 1, 1) add_to_first(float* out) {
  __shared__ float sums[32];
  const auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x < 32) sums[threadIdx.x] = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(sums, 0) + threadIdx.x % 32, static_cast<float>(cluster.block_rank() + 1));
  cluster.sync();
  if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = sums[threadIdx.x];
}

__device__ unsigned spaces_of(const void* p) {
  unsigned own, cluster, global, local;
  asm volatile("{\n.reg .pred p;\nisspacep.shared::cta p, %1;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(own) : "l"(p));
  asm volatile("{\n.reg .pred p;\nisspacep.shared::cluster p, %1;\nselp.u32 %0, 2, 0, p;\n}" : "=r"(cluster) : "l"(p));
  asm volatile("{\n.reg .pred p;\nisspacep.global p, %1;\nselp.u32 %0, 4, 0, p;\n}" : "=r"(global) : "l"(p));
  asm volatile("{\n.reg .pred p;\nisspacep.local p, %1;\nselp.u32 %0, 8, 0, p;\n}" : "=r"(local) : "l"(p));
  return own | cluster | global | local;
}

// Of the first block's shared memory, the second's, the thread's own and the device's.
extern "C" __global__ void __cluster_dims__(2, 1, 1) name_spaces(unsigned* out) {
  __shared__ int there;
  volatile int own = static_cast<int>(threadIdx.x);
  there = own;
  const auto cluster = cooperative_groups::this_cluster();
  unsigned* const row = out + 4 * blockIdx.x;
  row[0] = spaces_of(cluster.map_shared_rank(&there, 0));
  row[1] = spaces_of(cluster.map_shared_rank(&there, 1));
  row[2] = spaces_of(const_cast<int*>(&own));
  row[3] = spaces_of(out);
  cluster.sync();
}

// A few numbers on both sides of the bank's middle, which is at 8192.
struct Numbers {
  int values[8320];
  constexpr Numbers() : values() {
    for (int i = 8160; i < 8320; ++i) values[i] = i;
  }
};
__constant__ Numbers numbers;

// Places alone, as operands and loaded, and with a lane's number added.
extern "C" __global__ void read_both_halves(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = numbers.values[8160 + lane];
  out[32 + lane] = numbers.values[8192 + lane];
  out[64 + lane] = numbers.values[8200 - lane];
  out[96 + lane] = numbers.values[8191];
  out[128 + lane] = numbers.values[8192];
  out[160 + lane] = numbers.values[8319] * lane;
  out[192 + lane] = reinterpret_cast<const unsigned short*>(numbers.values)[2 * 8300];
}
