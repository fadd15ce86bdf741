// The usual algorithms, each in a small form.
#include "program.h"

PROGRAM(hash_rounds, { unsigned a = x, b = y, c = z; for (int k = 0; k < 24; ++k) { a = (a << 5 | a >> 27) + (b ^ c) + 0x9e3779b9u; b = (b << 30 | b >> 2) ^ a; c += a * 2246822519u; c ^= c >> 15; } o[0] = a; o[1] = b; o[2] = c; })
PROGRAM(prime_test, { const unsigned v = (x & 0xffff) | 1; unsigned p = v > 2; for (unsigned d = 3; d * d <= v; d += 2) if (v % d == 0) { p = 0; break; } o[0] = p; unsigned a = x | 1, b = y | 1; while (b) { const unsigned t = a % b; a = b; b = t; } o[1] = a; })
PROGRAM(big_multiply, { unsigned long long r[4] = {0, 0, 0, 0}; const unsigned a[4] = {x, y, z, w}; for (int i2 = 0; i2 < 4; ++i2) { unsigned long long carry = 0; for (int j = 0; i2 + j < 4; ++j) { carry += r[i2 + j] + static_cast<unsigned long long>(a[i2]) * a[3 - j]; r[i2 + j] = carry & 0xffffffffu; carry >>= 32; } } for (int k = 0; k < 4; ++k) o[k] = static_cast<unsigned>(r[k]); })
PROGRAM(mandelbrot_fixed, { int a = static_cast<int>(x % 12288) - 8192, b = static_cast<int>(y % 8192) - 4096, p = 0, q = 0, k = 0; while (k < 100 && ((p * p + q * q) >> 12) < 16384) { const int t = ((p * p - q * q) >> 12) + a; q = ((2 * p * q) >> 12) + b; p = t; ++k; } o[0] = static_cast<unsigned>(k); })
PROGRAM(newton_roots, { float v = 1.0f + static_cast<float>(x & 0xffff), r = v; for (int k = 0; k < 12; ++k) r = 0.5f * (r + v / r); o[0] = bits(r); double d = 1.0 + static_cast<double>(y), s = d; for (int k = 0; k < 20; ++k) s = 0.5 * (s + d / s); put(o + 1, s); })
ENTRY block_scan(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[512]; const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t; unsigned at = 0; s[t] = in[i]; __syncthreads();
  for (unsigned d = 1; d < 256; d *= 2) { const unsigned v = s[at + t] + (t >= d ? s[at + t - d] : 0); at ^= 256; s[at + t] = v; __syncthreads(); }
  out[i] = s[at + t] + static_cast<unsigned>(n) * 0;
}
ENTRY bitonic_sort(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[256]; const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t; s[t] = in[i]; __syncthreads();
  for (unsigned k = 2; k <= 256; k *= 2) for (unsigned j = k / 2; j; j /= 2) { const unsigned p = t ^ j; if (p > t) { const unsigned a = s[t], b = s[p]; if ((a > b) == ((t & k) == 0)) { s[t] = b; s[p] = a; } } __syncthreads(); }
  out[i] = s[t] + static_cast<unsigned>(n) * 0;
}
ENTRY compaction(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned counts[8]; const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t; const bool keep = in[i] % 3 == 0; const unsigned b = __ballot_sync(~0u, keep);
  if (t % 32 == 0) counts[t / 32] = __popc(b); __syncthreads();
  unsigned base = blockIdx.x * blockDim.x; for (unsigned k = 0; k < t / 32; ++k) base += counts[k];
  if (keep) out[base + __popc(b & ((1u << (t % 32)) - 1))] = in[i]; (void)n;
}
ENTRY matrix_product_f32(const unsigned* in, unsigned* out, int n) {
  __shared__ float a[16][17], b[16][17]; const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y), row = static_cast<int>(blockIdx.y) * 16 + ty, column = static_cast<int>(blockIdx.x) * 16 + tx; float s = 0;
  for (int k = 0; k < n; k += 16) { a[ty][tx] = static_cast<float>(in[row * n + k + tx] >> 8) * 0x1p-20f; b[ty][tx] = static_cast<float>(in[n * n + (k + ty) * n + column] >> 8) * -0x1p-22f; __syncthreads(); for (int l = 0; l < 16; ++l) s += a[ty][l] * b[l][tx]; __syncthreads(); }
  out[row * n + column] = __float_as_uint(s);
}
ENTRY stencil_f64(const unsigned* in, unsigned* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); if (i < 1 || i >= n - 1) return;
  const double a = in[i - 1], b = in[i], c = in[i + 1]; put(out + 2 * i, 0.25 * a + 0.5 * b + 0.25 * c);
}
ENTRY histogram_256(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[256]; s[threadIdx.x] = 0; __syncthreads();
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += static_cast<int>(gridDim.x * blockDim.x)) { const unsigned v = in[i]; atomicAdd(s + (v & 255), 1u); atomicAdd(s + (v >> 24), 1u); }
  __syncthreads(); atomicAdd(out + threadIdx.x, s[threadIdx.x]);
}
ENTRY fourier_16(const unsigned* in, unsigned* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); if (i * 16 >= n) return; float re[16], im[16];
  for (int k = 0; k < 16; ++k) { re[k] = static_cast<float>(in[i * 16 + k] >> 16); im[k] = 0; }
  const float c[8] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f, -0.70710678f, -0.92387953f}, s[8] = {0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f, -0.92387953f, -0.70710678f, -0.38268343f};
#pragma unroll
  for (int h = 8; h >= 1; h /= 2)
#pragma unroll
    for (int g = 0; g < 16; g += 2 * h)
#pragma unroll
      for (int k = 0; k < h; ++k) { const int p = g + k, q = p + h, t = k * (8 / h); const float dr = re[p] - re[q], di = im[p] - im[q]; re[p] += re[q]; im[p] += im[q]; re[q] = dr * c[t] - di * s[t]; im[q] = dr * s[t] + di * c[t]; }
  for (int k = 0; k < 16; ++k) out[i * 32 + k] = __float_as_uint(re[k]), out[i * 32 + 16 + k] = __float_as_uint(im[k]);
}
ENTRY eight_queens(const unsigned* in, unsigned* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; unsigned count = 0, columns[9], left[9], right[9], free_[9]; int d = 0; const unsigned all = 255; columns[0] = 1u << (in[i] & 7); left[0] = columns[0] << 1; right[0] = columns[0] >> 1; free_[0] = all & ~(columns[0] | left[0] | right[0]);
  while (d >= 0) { if (free_[d] == 0) { --d; continue; } const unsigned b = free_[d] & (0u - free_[d]); free_[d] ^= b; if (d == 6) { ++count; continue; } columns[d + 1] = columns[d] | b; left[d + 1] = (left[d] | b) << 1; right[d + 1] = (right[d] | b) >> 1; ++d; free_[d] = all & ~(columns[d] | left[d] | right[d]); }
  out[i] = count + static_cast<unsigned>(n) * 0;
}
ENTRY life_step(const unsigned* in, unsigned* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); if (i >= n) return; const int size = 64, r = i / size, c = i % size; int live = 0;
  for (int dy = -1; dy <= 1; ++dy) for (int dx = -1; dx <= 1; ++dx) if (dy || dx) live += static_cast<int>(in[((r + dy + size) % size) * size + (c + dx + size) % size] & 1);
  out[i] = live == 3 || (live == 2 && (in[i] & 1));
}
