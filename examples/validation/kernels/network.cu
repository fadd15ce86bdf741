// Layers of neural networks: softmax, normalisation, activations, attention in single precision.

#include <cstdint>

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    v += __shfl_xor_sync(0xFFFFFFFFU, v, d);
  }
  return v;
}

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    v = fmaxf(v, __shfl_xor_sync(0xFFFFFFFFU, v, d));
  }
  return v;
}

// A warp a row of 256 columns, kept in registers.
extern "C" __global__ void softmax_warp(const float* in, float* out, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) {
    return;
  }
  float v[8];
  float top = -1e30F;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] = in[row * 256 + i * 32 + lane];
    top = fmaxf(top, v[i]);
  }
  top = warp_max(top);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] = __expf(v[i] - top);
    sum += v[i];
  }
  sum = warp_sum(sum);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    out[row * 256 + i * 32 + lane] = v[i] / sum;
  }
}

// A block of 256 a row: three passes over the row.
extern "C" __global__ void softmax_block(const float* in, float* out, int columns) {
  __shared__ float partial[8];
  const float* row = in + static_cast<int64_t>(blockIdx.x) * columns;
  float* result = out + static_cast<int64_t>(blockIdx.x) * columns;
  const int warp = threadIdx.x / 32;
  float top = -1e30F;
  for (int c = threadIdx.x; c < columns; c += 256) {
    top = fmaxf(top, row[c]);
  }
  top = warp_max(top);
  if (threadIdx.x % 32 == 0) {
    partial[warp] = top;
  }
  __syncthreads();
  for (int w = 0; w < 8; ++w) {
    top = fmaxf(top, partial[w]);
  }
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) {
    sum += expf(row[c] - top);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) {
    partial[warp] = sum;
  }
  __syncthreads();
  sum = 0;
  for (int w = 0; w < 8; ++w) {
    sum += partial[w];
  }
  for (int c = threadIdx.x; c < columns; c += 256) {
    result[c] = expf(row[c] - top) / sum;
  }
}

// A thread a row of 64 columns: running maximum and sum, strided accesses.
extern "C" __global__ void softmax_thread(const float* in, float* out, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) {
    return;
  }
  float top = -1e30F;
  float sum = 0;
  for (int c = 0; c < 64; ++c) {
    const float v = in[row * 64 + c];
    const float higher = fmaxf(top, v);
    sum = sum * __expf(top - higher) + __expf(v - higher);
    top = higher;
  }
  for (int c = 0; c < 64; ++c) {
    out[row * 64 + c] = __expf(in[row * 64 + c] - top) / sum;
  }
}

extern "C" __global__ void layer_norm_warp(const float4* in, const float4* scale, const float4* shift, float4* out,
                                           int rows, int quads) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) {
    return;
  }
  const float4* line = in + static_cast<int64_t>(row) * quads;
  float sum = 0;
  float squares = 0;
  for (int i = lane; i < quads; i += 32) {
    const float4 v = line[i];
    sum += v.x + v.y + v.z + v.w;
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  const float mean = warp_sum(sum) / static_cast<float>(4 * quads);
  const float variance = warp_sum(squares) / static_cast<float>(4 * quads) - mean * mean;
  const float factor = rsqrtf(variance + 1e-5F);
  for (int i = lane; i < quads; i += 32) {
    const float4 v = line[i];
    const float4 g = scale[i];
    const float4 b = shift[i];
    out[static_cast<int64_t>(row) * quads + i] =
        make_float4((v.x - mean) * factor * g.x + b.x, (v.y - mean) * factor * g.y + b.y,
                    (v.z - mean) * factor * g.z + b.z, (v.w - mean) * factor * g.w + b.w);
  }
}

extern "C" __global__ void rms_norm_block(const float* in, const float* scale, float* out, int columns) {
  extern __shared__ float line[];
  __shared__ float partial[8];
  const float* row = in + static_cast<int64_t>(blockIdx.x) * columns;
  float squares = 0;
  for (int c = threadIdx.x; c < columns; c += 256) {
    const float v = row[c];
    line[c] = v;
    squares = fmaf(v, v, squares);
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) {
    partial[threadIdx.x / 32] = squares;
  }
  __syncthreads();
  squares = 0;
  for (int w = 0; w < 8; ++w) {
    squares += partial[w];
  }
  const float factor = rsqrtf(squares / static_cast<float>(columns) + 1e-6F);
  for (int c = threadIdx.x; c < columns; c += 256) {
    out[static_cast<int64_t>(blockIdx.x) * columns + c] = line[c] * factor * scale[c];
  }
}

// Bias and the tanh form of GELU.
extern "C" __global__ void bias_gelu(const float* in, const float* bias, float* out, int columns, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = in[i] + bias[i % columns];
    const float u = 0.7978846F * (x + 0.044715F * x * x * x);
    out[i] = 0.5F * x * (1.0F + tanhf(u));
  }
}

// Attention of one head of width 64: a warp a query, two outputs a lane, softmax kept online.
extern "C" __global__ void attention_warp(const float* q, const float* k, const float* v, float* out, int length) {
  const int query = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (query >= length) {
    return;
  }
  const float q0 = q[query * 64 + lane] * 0.125F;
  const float q1 = q[query * 64 + lane + 32] * 0.125F;
  float top = -1e30F;
  float sum = 0;
  float o0 = 0;
  float o1 = 0;
  for (int key = 0; key < length; ++key) {
    const float score = warp_sum(q0 * k[key * 64 + lane] + q1 * k[key * 64 + lane + 32]);
    const float higher = fmaxf(top, score);
    const float old = __expf(top - higher);
    const float weight = __expf(score - higher);
    sum = sum * old + weight;
    o0 = o0 * old + weight * v[key * 64 + lane];
    o1 = o1 * old + weight * v[key * 64 + lane + 32];
    top = higher;
  }
  out[query * 64 + lane] = o0 / sum;
  out[query * 64 + lane + 32] = o1 / sum;
}

// The same in tiles: 64 queries a block of 64 threads, keys and values of 32 rows in shared memory.
extern "C" __global__ void __launch_bounds__(64)
    attention_tiled(const float* q, const float* k, const float* v, float* out, int length) {
  __shared__ float ks[32][64];
  __shared__ float vs[32][64];
  const int query = blockIdx.x * 64 + threadIdx.x;
  float mine[64];
  float result[64];
#pragma unroll
  for (int d = 0; d < 64; ++d) {
    mine[d] = q[query * 64 + d] * 0.125F;
    result[d] = 0;
  }
  float top = -1e30F;
  float sum = 0;
  for (int base = 0; base < length; base += 32) {
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * 64; i += 64) {
      ks[i / 64][i % 64] = k[base * 64 + i];
      vs[i / 64][i % 64] = v[base * 64 + i];
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      float score = 0;
#pragma unroll
      for (int d = 0; d < 64; ++d) {
        score = fmaf(mine[d], ks[j][d], score);
      }
      const float higher = fmaxf(top, score);
      const float old = __expf(top - higher);
      const float weight = __expf(score - higher);
      sum = sum * old + weight;
#pragma unroll
      for (int d = 0; d < 64; ++d) {
        result[d] = result[d] * old + weight * vs[j][d];
      }
      top = higher;
    }
  }
#pragma unroll
  for (int d = 0; d < 64; ++d) {
    out[query * 64 + d] = result[d] / sum;
  }
}

// One query against a long cache, a block of 128 a head: scores, softmax, weighted sum.
extern "C" __global__ void attention_decode(const float* q, const float* k, const float* v, float* out, int length) {
  extern __shared__ float scores[];
  __shared__ float partial[4];
  const int t = threadIdx.x;
  const int64_t head = static_cast<int64_t>(blockIdx.x) * length * 64;
  const float* query = q + blockIdx.x * 64;
  float top = -1e30F;
  for (int key = t; key < length; key += 128) {
    const float4* line = reinterpret_cast<const float4*>(k + head + key * 64);
    float score = 0;
    for (int d = 0; d < 16; ++d) {
      const float4 x = line[d];
      score += x.x * query[4 * d] + x.y * query[4 * d + 1] + x.z * query[4 * d + 2] + x.w * query[4 * d + 3];
    }
    scores[key] = score * 0.125F;
    top = fmaxf(top, score * 0.125F);
  }
  top = warp_max(top);
  if (t % 32 == 0) {
    partial[t / 32] = top;
  }
  __syncthreads();
  top = fmaxf(fmaxf(partial[0], partial[1]), fmaxf(partial[2], partial[3]));
  __syncthreads();
  float sum = 0;
  for (int key = t; key < length; key += 128) {
    const float e = __expf(scores[key] - top);
    scores[key] = e;
    sum += e;
  }
  sum = warp_sum(sum);
  if (t % 32 == 0) {
    partial[t / 32] = sum;
  }
  __syncthreads();
  sum = partial[0] + partial[1] + partial[2] + partial[3];
  float result = 0;
  const int d = t % 64;
  for (int key = t / 64; key < length; key += 2) {
    result = fmaf(scores[key], v[head + key * 64 + d], result);
  }
  __syncthreads();
  if (t >= 64) {
    scores[d] = result;
  }
  __syncthreads();
  if (t < 64) {
    out[blockIdx.x * 64 + d] = (result + scores[d]) / sum;
  }
}
