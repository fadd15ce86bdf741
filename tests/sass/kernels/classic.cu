// The kernels that every book has: vector, matrix, reduction, scan, stencil, histogram, softmax, sort, n-body.
#include <cfloat>

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

template <class T, int TILE, int PER_THREAD>
__global__ void gemm(int m, int n, int k, T alpha, const T* a, const T* b, T beta, T* c) {
  __shared__ T as[TILE][TILE + 1], bs[TILE][TILE + 1];
  T sum[PER_THREAD][PER_THREAD] = {};
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  constexpr int threads = TILE / PER_THREAD;
  for (int step = 0; step < k; step += TILE) {
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
      as[i / TILE][i % TILE] = row + i / TILE < m && step + i % TILE < k ? a[(row + i / TILE) * k + step + i % TILE] : T(0);
      bs[i / TILE][i % TILE] = step + i / TILE < k && column + i % TILE < n ? b[(step + i / TILE) * n + column + i % TILE] : T(0);
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < TILE; ++l)
#pragma unroll
      for (int i = 0; i < PER_THREAD; ++i)
#pragma unroll
        for (int j = 0; j < PER_THREAD; ++j)
          sum[i][j] += as[threadIdx.x / threads * PER_THREAD + i][l] * bs[l][threadIdx.x % threads * PER_THREAD + j];
    __syncthreads();
  }
  for (int i = 0; i < PER_THREAD; ++i)
    for (int j = 0; j < PER_THREAD; ++j) {
      const int r = row + threadIdx.x / threads * PER_THREAD + i, q = column + threadIdx.x % threads * PER_THREAD + j;
      if (r < m && q < n) c[r * n + q] = alpha * sum[i][j] + beta * c[r * n + q];
    }
}
template __global__ void gemm<float, 32, 4>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void gemm<float, 64, 8>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void gemm<double, 32, 4>(int, int, int, double, const double*, const double*, double, double*);
template __global__ void gemm<int, 32, 2>(int, int, int, int, const int*, const int*, int, int*);

template <class T>
__global__ void reduce(const T* in, T* out, int n) {
  __shared__ T part[32];
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T(0);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}
template __global__ void reduce<float>(const float*, float*, int);
template __global__ void reduce<double>(const double*, double*, int);
template __global__ void reduce<int>(const int*, int*, int);
template __global__ void reduce<unsigned long long>(const unsigned long long*, unsigned long long*, int);

template <class T>
__global__ void scan(T* data, int n) {
  extern __shared__ unsigned char raw[];
  T* temp = reinterpret_cast<T*>(raw);
  const int t = threadIdx.x;
  int offset = 1;
  temp[2 * t] = data[2 * t];
  temp[2 * t + 1] = data[2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) temp[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const T x = temp[offset * (2 * t + 1) - 1];
      temp[offset * (2 * t + 1) - 1] = temp[offset * (2 * t + 2) - 1];
      temp[offset * (2 * t + 2) - 1] += x;
    }
  }
  __syncthreads();
  data[2 * t] = temp[2 * t];
  data[2 * t + 1] = temp[2 * t + 1];
}
template __global__ void scan<int>(int*, int);
template __global__ void scan<float>(float*, int);
template __global__ void scan<double>(double*, int);

template <class T>
__global__ void stencil(const T* in, T* out, int nx, int ny, int nz, T centre, T side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  for (int z = 1; z < nz - 1; ++z) {
    const int i = (z * ny + y) * nx + x;
    out[i] = centre * in[i] + side * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
  }
}
template __global__ void stencil<float>(const float*, float*, int, int, int, float, float);
template __global__ void stencil<double>(const double*, double*, int, int, int, double, double);

extern "C" __global__ void histogram(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(bins + in[i], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(out + i, bins[i]);
}

extern "C" __global__ void softmax(const float* in, float* out, int columns) {
  const float* row = in + blockIdx.x * columns;
  float top = -FLT_MAX;
  for (int i = threadIdx.x; i < columns; i += 32) top = fmaxf(top, row[i]);
  for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += expf(row[i] - top);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int i = threadIdx.x; i < columns; i += 32) out[blockIdx.x * columns + i] = expf(row[i] - top) / sum;
}

extern "C" __global__ void bitonic(unsigned* data, int j, int k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ unsigned(j);
  if (other > i) {
    const unsigned a = data[i], b = data[other];
    if (((i & unsigned(k)) == 0) == (a > b)) {
      data[i] = b;
      data[other] = a;
    }
  }
}

extern "C" __global__ void bodies(const float4* position, float4* force, int n) {
  __shared__ float4 tile[256];
  const float4 me = position[blockIdx.x * blockDim.x + threadIdx.x];
  float3 sum = {0, 0, 0};
  for (int base = 0; base < n; base += 256) {
    tile[threadIdx.x] = position[base + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int i = 0; i < 256; ++i) {
      const float dx = tile[i].x - me.x, dy = tile[i].y - me.y, dz = tile[i].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
      const float s = tile[i].w * r * r * r;
      sum.x += dx * s;
      sum.y += dy * s;
      sum.z += dz * s;
    }
    __syncthreads();
  }
  force[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(sum.x, sum.y, sum.z, 0);
}

template <int N>
__global__ void fourier(float2* data) {
  float2 v[N];
  for (int i = 0; i < N; ++i) v[i] = data[threadIdx.x + i * blockDim.x];
#pragma unroll
  for (int half = N / 2; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < N; ++i)
      if ((i & half) == 0) {
        float s, c;
        sincospif(-float(i % half) / float(half), &s, &c);
        const float2 a = v[i], b = v[i + half];
        v[i] = make_float2(a.x + b.x, a.y + b.y);
        const float x = a.x - b.x, y = a.y - b.y;
        v[i + half] = make_float2(x * c - y * s, x * s + y * c);
      }
  for (int i = 0; i < N; ++i) data[threadIdx.x + i * blockDim.x] = v[i];
}
template __global__ void fourier<8>(float2*);
template __global__ void fourier<16>(float2*);
template __global__ void fourier<32>(float2*);
