// Bulk copies of boxes and columns of tensors of all types, sizes, steps, swizzles and fills, in both
// directions. See bulk_copies.h.
//
// Build: nvcc -std=c++17 -arch=sm_90a -cudart shared -o bulk_tensors bulk_tensors.cu
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bulk_copies.h"
#include "bulk_tensors.h"
#include "check.h"

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

__global__ void prefetch(const __grid_constant__ CUtensorMap map, Coordinates c, const char* memory) {
  if (threadIdx.x != 0) return;
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(c.at[0]),
               "r"(c.at[1])
               : "memory");
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(memory), "r"(4096) : "memory");
}

// ---- the host's side

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
    load_through<<<1, 128, shared_given>>>(maps, coordinates(t.type, {40, 16}), t.bytes(), change,
                                           memory + 1024, values[change], result);
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
  set_up(argc, argv);
  find_encoders();
  loads_of_types();
  loads_of_ranks();
  loads_with_steps();
  loads_with_swizzles();
  loads_otherwise();
  stores_of_tensors();
  columns();
  maps_elsewhere();
  finish();
}
