// Matrix instructions on operands from a buffer: a warp a tile. Words of A, B and C lie lane by lane.
#include <cstdint>
#define KERNEL(name, na, nb, nc, text, constraints...)                      \
  extern "C" __global__ void name(const uint32_t* in, uint32_t* out, int) { \
    const unsigned tile = blockIdx.x, lane = threadIdx.x;                   \
    const uint32_t* p = in + (tile * 32 + lane) * (na + nb + nc);           \
    uint32_t a[8], b[4], c[8];                                              \
    for (int i = 0; i < na; ++i) a[i] = p[i];                               \
    for (int i = 0; i < nb; ++i) b[i] = p[na + i];                          \
    for (int i = 0; i < nc; ++i) c[i] = p[na + nb + i];                     \
    text;                                                                   \
    for (int i = 0; i < nc; ++i) out[(tile * 32 + lane) * nc + i] = c[i];   \
  }
#define C4 "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
#define C2 "+r"(c[0]), "+r"(c[1])
#define A4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define A2 "r"(a[0]), "r"(a[1])
#define B2 "r"(b[0]), "r"(b[1])
KERNEL(
    f16_f32_k16, 4, 2, 4,
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : C4
        : A4, B2))
KERNEL(
    f16_f32_k8, 2, 1, 4,
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                 : C4
                 : A2, "r"(b[0])))
KERNEL(f16_f16_k16, 4, 2, 2,
       asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
                    : C2
                    : A4, B2))
KERNEL(f16_f16_k8, 2, 1, 2,
       asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%0,%1};"
                    : C2
                    : A2, "r"(b[0])))
KERNEL(bf16_f32_k16, 4, 2, 4,
       asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                    "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                    : C4
                    : A4, B2))
KERNEL(bf16_f32_k8, 2, 1, 4,
       asm volatile(
           "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
           : C4
           : A2, "r"(b[0])))
KERNEL(tf32_f32_k8, 4, 2, 4,
       asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                    "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                    : C4
                    : A4, B2))
KERNEL(tf32_f32_k4, 2, 1, 4,
       asm volatile(
           "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
           : C4
           : A2, "r"(b[0])))
extern "C" __global__ void f64_k4(const double* in, double* out, int) {
  const unsigned tile = blockIdx.x, lane = threadIdx.x;
  const double* p = in + (tile * 32 + lane) * 4;
  double c0 = p[2], c1 = p[3];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
               : "+d"(c0), "+d"(c1)
               : "d"(p[0]), "d"(p[1]));
  double* o = out + (tile * 32 + lane) * 2;
  o[0] = c0;
  o[1] = c1;
}
extern "C" __global__ void f64_k16(const double* in, double* out, int) {
  const unsigned tile = blockIdx.x, lane = threadIdx.x;
  const double* p = in + (tile * 32 + lane) * 16;
  double c0 = p[12], c1 = p[13], c2 = p[14], c3 = p[15];
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};"
      : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
      : "d"(p[0]), "d"(p[1]), "d"(p[2]), "d"(p[3]), "d"(p[4]), "d"(p[5]), "d"(p[6]), "d"(p[7]), "d"(p[8]),
        "d"(p[9]), "d"(p[10]), "d"(p[11]));
  double* o = out + (tile * 32 + lane) * 4;
  o[0] = c0;
  o[1] = c1;
  o[2] = c2;
  o[3] = c3;
}
