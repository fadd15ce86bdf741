// Which lane holds which element of a fragment (Jia2018 figures 4.2 to 4.7): by loading a matrix of its own
// indices, and, of the bare instructions, by ones in single places.
#include <mma.h>

#include "common.cuh"

using namespace nvcuda::wmma;
using RowA = fragment<matrix_a, 16, 16, 16, __half, row_major>;
using ColumnA = fragment<matrix_a, 16, 16, 16, __half, col_major>;
using RowB = fragment<matrix_b, 16, 16, 16, __half, row_major>;
using ColumnB = fragment<matrix_b, 16, 16, 16, __half, col_major>;
using Sum = fragment<accumulator, 16, 16, 16, float>;
using HalfSum = fragment<accumulator, 16, 16, 16, __half>;

// out[lane * elements + i]: the place, counted along memory, of the lane's i-th element; out[1023]: elements
// a lane.
#define LAYOUT(name, Fragment, load)                                                                     \
  extern "C" __global__ void layout_##name(u32* out) {                                                   \
    __shared__ __align__(32) __half halves[256];                                                         \
    __shared__ __align__(32) float floats[256];                                                          \
    for (int i = threadIdx.x; i < 256; i += 32) halves[i] = (float)i, floats[i] = (float)i;              \
    __syncthreads();                                                                                     \
    Fragment f;                                                                                          \
    load;                                                                                                \
    for (int i = 0; i < f.num_elements; ++i) out[threadIdx.x * f.num_elements + i] = (u32)(float)f.x[i]; \
    if (threadIdx.x == 0) out[1023] = f.num_elements;                                                    \
  }
LAYOUT(a_row, RowA, load_matrix_sync(f, halves, 16))
LAYOUT(a_column, ColumnA, load_matrix_sync(f, halves, 16))
LAYOUT(b_row, RowB, load_matrix_sync(f, halves, 16))
LAYOUT(b_column, ColumnB, load_matrix_sync(f, halves, 16))
LAYOUT(c_row, Sum, load_matrix_sync(f, floats, 16, mem_row_major))
LAYOUT(c_column, Sum, load_matrix_sync(f, floats, 16, mem_col_major))
LAYOUT(half_c_row, HalfSum, load_matrix_sync(f, halves, 16, mem_row_major))

// One instruction with a one in A at (lane, place) for each of them in turn and ones everywhere in B: which
// elements of D become one; and the same with A and B changed. touched[(lane * places + place) * 32 + l]: bit
// i: lane l's i-th element. With ones in one place of each: meet[a * b_places + b]: whether they meet in a
// product.
#define PLACES(name, a_words, b_words, sums, text)                                                           \
  static __device__ __forceinline__ u32 run_##name(u32 a_at, u32 b_at) {                                     \
    const u32 lane = threadIdx.x;                                                                            \
    u32 a[a_words], b[b_words];                                                                              \
    float d[sums];                                                                                           \
    for (int i = 0; i < sums; ++i) d[i] = 0;                                                                 \
    for (int i = 0; i < a_words; ++i) {                                                                      \
      a[i] = a_at == 0xffffffffu                                             ? 0x3c003c00u                   \
             : a_at / (2 * a_words) == lane && a_at % (2 * a_words) / 2 == i ? 0x3c00u << (a_at % 2 * 16)    \
                                                                             : 0;                            \
    }                                                                                                        \
    for (int i = 0; i < b_words; ++i) {                                                                      \
      b[i] = b_at == 0xffffffffu                                             ? 0x3c003c00u                   \
             : b_at / (2 * b_words) == lane && b_at % (2 * b_words) / 2 == i ? 0x3c00u << (b_at % 2 * 16)    \
                                                                             : 0;                            \
    }                                                                                                        \
    text;                                                                                                    \
    u32 mask = 0;                                                                                            \
    for (int i = 0; i < sums; ++i) mask |= (d[i] != 0) << i;                                                 \
    return mask;                                                                                             \
  }                                                                                                          \
  extern "C" __global__ void places_##name(u32* a_touches, u32* b_touches, u32* meet, u32 first, u32 last) { \
    for (u32 p = 0; p < 64 * a_words; ++p) a_touches[p * 32 + threadIdx.x] = run_##name(p, 0xffffffffu);     \
    for (u32 p = 0; p < 64 * b_words; ++p) b_touches[p * 32 + threadIdx.x] = run_##name(0xffffffffu, p);     \
    for (u32 p = first; p < last; ++p) {                                                                     \
      for (u32 q = 0; q < 64 * b_words; ++q) {                                                               \
        const u32 any = __ballot_sync(0xffffffffu, run_##name(p, q) != 0);                                   \
        if (threadIdx.x == 0) meet[p * 64 * b_words + q] = any != 0;                                         \
      }                                                                                                      \
    }                                                                                                        \
  }
#if __CUDA_ARCH__ == 700
PLACES(884, 2, 2, 8,
       asm volatile(
           "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, "
           "{%0,%1,%2,%3,%4,%5,%6,%7};"
           : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
           : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1])))
#endif
#if __CUDA_ARCH__ >= 750
PLACES(1688, 2, 1, 4,
       asm volatile(
           "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
           : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
           : "r"(a[0]), "r"(a[1]), "r"(b[0])))
#endif
#if __CUDA_ARCH__ >= 800
PLACES(
    16816, 4, 2, 4,
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])))
#endif
