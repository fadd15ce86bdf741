// Matrix instructions of Turing and later. Minimum architecture: sm_75
#include <cuda_fp16.h>
#include <mma.h>

#include "program.h"
using namespace nvcuda;

// One warp a block multiplies 16x16x16; integers in halves give exact sums.
template <class Input, class Output, class LayoutA, class LayoutB>
__device__ void product(const unsigned* in, unsigned* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, Input, LayoutA> a; wmma::fragment<wmma::matrix_b, 16, 16, 16, Input, LayoutB> b; wmma::fragment<wmma::accumulator, 16, 16, 16, Output> c;
  const Input* base = reinterpret_cast<const Input*>(in) + blockIdx.x * 512; wmma::load_matrix_sync(a, base, 16); wmma::load_matrix_sync(b, base + 256, 16); wmma::fill_fragment(c, static_cast<Output>(1)); wmma::mma_sync(c, a, b, c); wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(reinterpret_cast<Output*>(out) + blockIdx.x * 256, c, 16, wmma::mem_row_major);
}
ENTRY wmma_f16_f32(const unsigned* in, unsigned* out, int) { product<__half, float, wmma::row_major, wmma::col_major>(in, out); }
ENTRY wmma_f16_f32_rows(const unsigned* in, unsigned* out, int) { product<__half, float, wmma::row_major, wmma::row_major>(in, out); }
ENTRY wmma_f16_f16(const unsigned* in, unsigned* out, int) { product<__half, __half, wmma::col_major, wmma::row_major>(in, out); }
ENTRY wmma_s8_s32(const unsigned* in, unsigned* out, int) { product<signed char, int, wmma::row_major, wmma::col_major>(in, out); }
ENTRY wmma_u8_s32(const unsigned* in, unsigned* out, int) { product<unsigned char, int, wmma::col_major, wmma::row_major>(in, out); }
ENTRY mma_s4(const unsigned* in, unsigned* out, int) { const unsigned i = blockIdx.x * 32 + threadIdx.x; int c0 = 3, c1 = -4; asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(c0), "+r"(c1) : "r"(in[i]), "r"(in[i + 4096])); asm volatile("mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(c0), "+r"(c1) : "r"(in[i]), "r"(in[i + 4096])); out[2 * i] = static_cast<unsigned>(c0); out[2 * i + 1] = static_cast<unsigned>(c1); }
ENTRY mma_b1(const unsigned* in, unsigned* out, int) { const unsigned i = blockIdx.x * 32 + threadIdx.x; int c0 = 1, c1 = 2; asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(c0), "+r"(c1) : "r"(in[i]), "r"(in[i + 4096])); out[2 * i] = static_cast<unsigned>(c0); out[2 * i + 1] = static_cast<unsigned>(c1); }
ENTRY load_matrices(const unsigned* in, unsigned* out, int) {
  __shared__ __align__(16) unsigned s[256]; const unsigned t = threadIdx.x; for (unsigned k = 0; k < 8; ++k) s[t * 8 + k] = in[blockIdx.x * 256 + t * 8 + k]; __syncwarp();
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(s)) + t * 32; unsigned a, b, c, d, e, f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address)); asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(e), "=r"(f) : "r"(address));
  unsigned* o = out + (blockIdx.x * 32 + t) * 8; o[0] = a; o[1] = b; o[2] = c; o[3] = d; o[4] = e; o[5] = f; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(address + 16)); o[6] = a;
}
