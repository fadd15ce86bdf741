// Loads and stores of every width and space.
#include "program.h"

PROGRAM(widths, {
  const unsigned char* b = reinterpret_cast<const unsigned char*>(in); const signed char* s = reinterpret_cast<const signed char*>(in);
  const unsigned short* h = reinterpret_cast<const unsigned short*>(in); const short* t = reinterpret_cast<const short*>(in);
  const unsigned k = x % static_cast<unsigned>(n);
  o[0] = b[k]; o[1] = static_cast<unsigned>(s[k + 1]); o[2] = h[k]; o[3] = static_cast<unsigned>(t[k + 1]);
  const uint2 d = reinterpret_cast<const uint2*>(in)[k]; const uint4 q = reinterpret_cast<const uint4*>(in)[k / 2]; o[4] = d.x ^ d.y; o[5] = q.x + q.y + q.z + q.w;
})
PROGRAM(narrow_stores, { unsigned char* b = reinterpret_cast<unsigned char*>(o); unsigned short* h = reinterpret_cast<unsigned short*>(o); b[1] = static_cast<unsigned char>(x); b[2] = static_cast<unsigned char>(y); h[3] = static_cast<unsigned short>(z); reinterpret_cast<uint2*>(o)[1] = make_uint2(x, y); reinterpret_cast<uint4*>(o)[1] = make_uint4(x, y, z, w); })
PROGRAM(local_arrays, { unsigned a[32]; unsigned char c[16]; for (int k = 0; k < 32; ++k) a[k] = x * static_cast<unsigned>(k) + y; for (int k = 0; k < 16; ++k) c[(k * 5 + z) & 15] = static_cast<unsigned char>(x >> k); unsigned r = 0; for (int k = 0; k < 20; ++k) { const unsigned j = (r + z + static_cast<unsigned>(k) * 7) & 31; r += a[j]; a[(j + w) & 31] ^= r; } o[0] = r; o[1] = a[w & 31]; o[2] = c[y & 15]; o[3] = a[5]; })
PROGRAM(local_wide, { double a[8]; for (int k = 0; k < 8; ++k) a[k] = static_cast<double>(x >> k); a[y & 7] += 0.5; double s = 0; for (int k = 0; k < 8; ++k) s += a[(static_cast<unsigned>(k) + z) & 7] * (k + 1); put(o, s); })
__constant__ unsigned table[256];
__constant__ unsigned long long wide_table[4] = {1, 0x123456789abcdefull, 3, ~0ull};
__constant__ unsigned char byte_table[64] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233};
PROGRAM(constant_indexed, { o[0] = table[x & 255]; put(o + 1, wide_table[y & 3]); o[3] = byte_table[z & 63]; o[4] = byte_table[blockIdx.x & 15] + static_cast<unsigned>(wide_table[1]); })
__device__ unsigned initialized[64] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
__device__ unsigned* pointer_to_initialized = initialized + 2;
PROGRAM(device_variables, { o[0] = initialized[x & 63]; o[1] = pointer_to_initialized[y & 31]; o[2] = static_cast<unsigned>(pointer_to_initialized - initialized); })
ENTRY generic_pointers(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[256];
  unsigned l[4];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = in[i]; for (int k = 0; k < 4; ++k) l[k] = in[i] + static_cast<unsigned>(k) * 3;
  __syncthreads();
  const unsigned which = in[i] % 3;
  const unsigned* p = which == 0 ? s : which == 1 ? l : in;
  unsigned* q = which == 0 ? s + t : which == 1 ? l + (t & 3) : out + i;
  const unsigned v = p[in[i + static_cast<unsigned>(n)] & 3];
  __syncthreads();
  *q = v * 2 + 1;
  __syncthreads();
  const unsigned r = which == 2 ? out[i] : which == 1 ? l[t & 3] + l[(t + 1) & 3] : s[t];
  out[i] = r + (which << 28) + (__isShared(q) ? 1u << 31 : 0);
}
ENTRY dynamic_shared(const unsigned* in, unsigned* out, int n) {
  extern __shared__ unsigned s[];
  __shared__ unsigned char odd[37];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 37) odd[t] = static_cast<unsigned char>(in[i]);
  for (int k = 0; k < n; ++k) s[t * static_cast<unsigned>(n) + static_cast<unsigned>(k)] = in[i] + static_cast<unsigned>(k);
  __syncthreads();
  unsigned r = odd[t % 37];
  for (int k = 0; k < n; ++k) r = r * 33 + s[(t * 5 + static_cast<unsigned>(k) * 17) % (256 * static_cast<unsigned>(n))];
  __syncthreads();
  reinterpret_cast<uint2*>(s)[t] = make_uint2(r, t); __syncthreads();
  const uint4 q = reinterpret_cast<uint4*>(s)[t / 2]; out[i] = q.x ^ q.z ^ (q.y << 8) ^ q.w;
}
struct Arguments { unsigned char a; unsigned short b; unsigned c; unsigned long long d; unsigned char e[5]; };
ENTRY shared_bytes(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned char b[1024]; __shared__ short h[256]; __shared__ double d[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  b[t * 3 % 1024] = static_cast<unsigned char>(in[i]); h[255 - t] = static_cast<short>(in[i] >> 8); d[t] = static_cast<double>(static_cast<int>(in[i]));
  __syncthreads();
  out[2 * i] = b[(t * 3 + 3) % 768] + static_cast<unsigned>(h[t ^ 5]); out[2 * i + 1] = static_cast<unsigned>(static_cast<int>(d[(t + 9) & 255] * 0.5)) + static_cast<unsigned>(n) * 0;
}
ENTRY cache_hints(const unsigned* in, unsigned* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; unsigned v, u;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(in + i)); asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(u) : "l"(in + i + static_cast<unsigned>(n)));
  v += __ldg(in + i) + __ldcs(in + i) + __ldlu(in + i) + *reinterpret_cast<const volatile unsigned*>(in + i);
  asm volatile("st.global.wt.u32 [%0], %1;" ::"l"(out + i), "r"(v ^ u)); __threadfence_system(); __stcs(out + n + i, v + u);
}
