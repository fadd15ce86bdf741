// The tensor cores: WMMA for every architecture, and mma.sync of each shape and type where it exists.
#include <mma.h>

#include <cstdint>

template <class In, class Out, class LayoutA, class LayoutB>
__global__ void wmma(const In* a, const In* b, Out* c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, In, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, In, LayoutB> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Out> fc;
  wmma::fill_fragment(fc, Out(0));
  for (int i = 0; i < 4; ++i) {
    wmma::load_matrix_sync(fa, a + i * 256, 16);
    wmma::load_matrix_sync(fb, b + i * 256, 16);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
using nvcuda::wmma::col_major;
using nvcuda::wmma::row_major;
template __global__ void wmma<__half, float, row_major, col_major>(const __half*, const __half*, float*);
template __global__ void wmma<__half, float, col_major, row_major>(const __half*, const __half*, float*);
template __global__ void wmma<__half, float, row_major, row_major>(const __half*, const __half*, float*);
template __global__ void wmma<__half, float, col_major, col_major>(const __half*, const __half*, float*);
template __global__ void wmma<__half, __half, row_major, col_major>(const __half*, const __half*, __half*);
template __global__ void wmma<__half, __half, col_major, row_major>(const __half*, const __half*, __half*);
#ifndef VOLTA
template __global__ void wmma<signed char, int, row_major, col_major>(const signed char*, const signed char*, int*);
template __global__ void wmma<unsigned char, int, row_major, col_major>(const unsigned char*, const unsigned char*, int*);
#endif

#define MMA_FLOAT(NAME, SHAPE, TYPES, A, B)                                                             \
  extern "C" __global__ void NAME(float* d, const uint32_t* s) {                                        \
    uint32_t x[8];                                                                                      \
    for (int i = 0; i < 8; ++i) x[i] = s[i * 32 + threadIdx.x];                                         \
    float c[4] = {d[threadIdx.x], d[threadIdx.x + 32], d[threadIdx.x + 64], d[threadIdx.x + 96]};       \
    for (int i = 0; i < 3; ++i)                                                                         \
      asm volatile("mma.sync.aligned." SHAPE ".row.col." TYPES " {%0,%1,%2,%3}, " A ", " B ", {%0,%1,%2,%3};" \
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                     \
                   : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));                 \
    for (int i = 0; i < 4; ++i) d[threadIdx.x + 32 * i] = c[i];                                         \
  }
#define MMA_INT(NAME, SHAPE, TYPES, A, B)                                                               \
  extern "C" __global__ void NAME(int* d, const uint32_t* s) {                                          \
    uint32_t x[8];                                                                                      \
    for (int i = 0; i < 8; ++i) x[i] = s[i * 32 + threadIdx.x];                                         \
    int c[4] = {d[threadIdx.x], d[threadIdx.x + 32], d[threadIdx.x + 64], d[threadIdx.x + 96]};         \
    asm volatile("mma.sync.aligned." SHAPE ".row.col." TYPES " {%0,%1,%2,%3}, " A ", " B ", {%0,%1,%2,%3};" \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                       \
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));                   \
    for (int i = 0; i < 4; ++i) d[threadIdx.x + 32 * i] = c[i];                                         \
  }
#define MMA_INT_SMALL(NAME, SHAPE, TYPES)                                                               \
  extern "C" __global__ void NAME(int* d, const uint32_t* s) {                                          \
    int c[2] = {d[threadIdx.x], d[threadIdx.x + 32]};                                                   \
    asm volatile("mma.sync.aligned." SHAPE ".row.col." TYPES " {%0,%1}, {%2}, {%3}, {%0,%1};"           \
                 : "+r"(c[0]), "+r"(c[1]) : "r"(s[threadIdx.x]), "r"(s[threadIdx.x + 32]));             \
    d[threadIdx.x] = c[0];                                                                              \
    d[threadIdx.x + 32] = c[1];                                                                         \
  }
#define A2 "{%4,%5}"
#define A4 "{%4,%5,%6,%7}"
#define B1 "{%8}"
#define B2 "{%8,%9}"

#if __CUDA_ARCH__ >= 750 && !defined(VOLTA)
MMA_FLOAT(mma_1688_f16, "m16n8k8", "f32.f16.f16.f32", A2, B1)
extern "C" __global__ void mma_1688_half(uint32_t* d, const uint32_t* s) {
  uint32_t c[2] = {d[threadIdx.x], d[threadIdx.x + 32]};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
               : "+r"(c[0]), "+r"(c[1]) : "r"(s[threadIdx.x]), "r"(s[threadIdx.x + 32]), "r"(s[threadIdx.x + 64]));
  d[threadIdx.x] = c[0];
  d[threadIdx.x + 32] = c[1];
}
MMA_INT_SMALL(mma_8816_s8, "m8n8k16", "s32.s8.s8.s32")
MMA_INT_SMALL(mma_8816_u8s8, "m8n8k16", "s32.u8.s8.s32")
MMA_INT_SMALL(mma_8832_s4, "m8n8k32", "s32.s4.s4.s32")
MMA_INT_SMALL(mma_8832_u4s4, "m8n8k32", "s32.u4.s4.s32")
extern "C" __global__ void mma_88128_b1(int* d, const uint32_t* s) {
  int c[2] = {d[threadIdx.x], d[threadIdx.x + 32]};
  asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+r"(c[0]), "+r"(c[1]) : "r"(s[threadIdx.x]), "r"(s[threadIdx.x + 32]));
  d[threadIdx.x] = c[0];
  d[threadIdx.x + 32] = c[1];
}
extern "C" __global__ void matrix_loads(uint32_t* out) {
  __shared__ uint4 buffer[64];
  const unsigned from = unsigned(__cvta_generic_to_shared(buffer)) + threadIdx.x * 16;
  uint32_t a, b, c, d, e, f, g, h, i, j;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2+32];" : "=r"(b), "=r"(c) : "r"(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(d), "=r"(e), "=r"(f), "=r"(g) : "r"(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(h), "=r"(i) : "r"(from));
#if __CUDA_ARCH__ >= 750
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(j) : "r"(a));
#endif
  out[threadIdx.x] = a + b + c + d + e + f + g + h + i + j;
}
#endif
#if __CUDA_ARCH__ >= 800
MMA_FLOAT(mma_16816_f16, "m16n8k16", "f32.f16.f16.f32", A4, B2)
MMA_FLOAT(mma_16816_bf16, "m16n8k16", "f32.bf16.bf16.f32", A4, B2)
MMA_FLOAT(mma_1688_bf16, "m16n8k8", "f32.bf16.bf16.f32", A2, B1)
MMA_FLOAT(mma_1684_tf32, "m16n8k4", "f32.tf32.tf32.f32", A2, B1)
MMA_FLOAT(mma_1688_tf32, "m16n8k8", "f32.tf32.tf32.f32", A4, B2)
MMA_INT(mma_16816_s8, "m16n8k16", "s32.s8.s8.s32", A2, B1)
MMA_INT(mma_16832_s8, "m16n8k32", "s32.s8.s8.s32", A4, B2)
MMA_INT(mma_16832_u8s8, "m16n8k32", "s32.u8.s8.s32", A4, B2)
MMA_INT(mma_16832_s4, "m16n8k32", "s32.s4.s4.s32", A2, B1)
MMA_INT(mma_16864_s4, "m16n8k64", "s32.s4.s4.s32", A4, B2)
MMA_INT(mma_16864_u4, "m16n8k64", "s32.u4.s4.s32", A4, B2)
MMA_INT(mma_168128_b1, "m16n8k128", "s32.b1.b1.s32.xor.popc", A2, B1)
MMA_INT(mma_168256_b1, "m16n8k256", "s32.b1.b1.s32.and.popc", A4, B2)
extern "C" __global__ void mma_16816_half(uint32_t* d, const uint32_t* s) {
  uint32_t c[2] = {d[threadIdx.x], d[threadIdx.x + 32]};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(c[0]), "+r"(c[1])
               : "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[threadIdx.x]), "r"(s[threadIdx.x + 32]));
  d[threadIdx.x] = c[0];
  d[threadIdx.x + 32] = c[1];
}
extern "C" __global__ void mma_884_double(double* d, const double* s) {
  double c[2] = {d[threadIdx.x], d[threadIdx.x + 32]};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(c[0]), "+d"(c[1]) : "d"(s[threadIdx.x]), "d"(s[threadIdx.x + 32]));
  d[threadIdx.x] = c[0];
  d[threadIdx.x + 32] = c[1];
}
extern "C" __global__ void mma_sparse(float* d, const uint32_t* s, uint32_t e) {
  float c[4] = {0, 0, 0, 0};
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 0x1;"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(e));
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(e));
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(e));
  int q[4] = {0, 0, 0, 0};
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
               : "+r"(q[0]), "+r"(q[1]), "+r"(q[2]), "+r"(q[3])
               : "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(e));
  for (int i = 0; i < 4; ++i) d[i * 32 + threadIdx.x] = c[i] + float(q[i]);
}
extern "C" __global__ void packed_conversions(uint32_t* out, const float* in) {
  const float x = in[threadIdx.x], y = in[threadIdx.x + 32];
  uint32_t a, b, c, d, e;
  uint16_t f, g;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(a) : "f"(x), "f"(y));
  asm("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r"(b) : "f"(x), "f"(y));
  asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(c) : "f"(x), "f"(y));
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(x), "f"(y));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(e) : "f"(x));
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(f) : "f"(x));
  asm("cvt.rn.relu.f16.f32 %0, %1;" : "=h"(g) : "f"(y));
  out[threadIdx.x] = a + b + c + d + e + f + g;
}
#endif
#if __CUDA_ARCH__ >= 890
MMA_FLOAT(mma_16832_e4m3, "m16n8k32", "f32.e4m3.e4m3.f32", A4, B2)
MMA_FLOAT(mma_16832_e5m2, "m16n8k32", "f32.e5m2.e4m3.f32", A4, B2)
MMA_FLOAT(mma_16832_e4m3e5m2, "m16n8k32", "f32.e4m3.e5m2.f32", A4, B2)
extern "C" __global__ void eight_bit_conversions(uint32_t* out, const float* in) {
  const float x = in[threadIdx.x], y = in[threadIdx.x + 32];
  uint16_t a, b;
  uint32_t c, d;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(a) : "f"(x), "f"(y));
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(b) : "f"(x), "f"(y));
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(c) : "h"(a));
  asm("cvt.rn.relu.f16x2.e5m2x2 %0, %1;" : "=r"(d) : "h"(b));
  uint16_t e;
  asm("cvt.rn.satfinite.relu.e4m3x2.f16x2 %0, %1;" : "=h"(e) : "r"(c));
  out[threadIdx.x] = c + d + a + b + e;
}
#endif
