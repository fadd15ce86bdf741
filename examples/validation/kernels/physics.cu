// Particles and signals: n-body, short-range forces, Fourier transforms, random walks.

#include <cstdint>

// All pairs; tiles of 256 bodies in shared memory. A body is x, y, z, mass.
extern "C" __global__ void nbody_tiled(const float4* bodies, float4* force, int n) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 me = bodies[i];
  float fx = 0;
  float fy = 0;
  float fz = 0;
  for (int base = 0; base < n; base += 256) {
    tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; ++j) {
      const float4 b = tile[j];
      const float dx = b.x - me.x;
      const float dy = b.y - me.y;
      const float dz = b.z - me.z;
      const float square = dx * dx + dy * dy + dz * dz + 0.01F;
      const float inverse = rsqrtf(square);
      const float pull = b.w * inverse * inverse * inverse;
      fx = fmaf(dx, pull, fx);
      fy = fmaf(dy, pull, fy);
      fz = fmaf(dz, pull, fz);
    }
    __syncthreads();
  }
  force[i] = make_float4(fx, fy, fz, 0.0F);
}

// The same without shared memory: every lane reads the same body.
extern "C" __global__ void nbody_global(const float4* bodies, float4* force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = bodies[i];
  float fx = 0;
  float fy = 0;
  float fz = 0;
  for (int j = 0; j < n; ++j) {
    const float4 b = bodies[j];
    const float dx = b.x - me.x;
    const float dy = b.y - me.y;
    const float dz = b.z - me.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01F);
    const float pull = b.w * inverse * inverse * inverse;
    fx = fmaf(dx, pull, fx);
    fy = fmaf(dy, pull, fy);
    fz = fmaf(dz, pull, fz);
  }
  force[i] = make_float4(fx, fy, fz, 0.0F);
}

// Lennard-Jones over a neighbour list with a cut-off: the branch diverges.
extern "C" __global__ void lennard_jones(const float4* atoms, const uint32_t* neighbours, float* energy, int n,
                                         int per_atom) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  const float4 me = atoms[i];
  float sum = 0;
  for (int k = 0; k < per_atom; ++k) {
    const float4 b = atoms[neighbours[k * n + i]];
    const float dx = b.x - me.x;
    const float dy = b.y - me.y;
    const float dz = b.z - me.z;
    const float square = dx * dx + dy * dy + dz * dz;
    if (square < 0.5F && square > 1e-6F) {
      const float inverse = 0.01F / square;
      const float cube = inverse * inverse * inverse;
      sum += cube * (cube - 1.0F);
    }
  }
  energy[i] = sum;
}

// 512 complex points a block of 256, radix 2, in shared memory; input in bit-reversed order.
extern "C" __global__ void fft_radix2(const float2* in, float2* out) {
  __shared__ float2 cell[512];
  const int base = blockIdx.x * 512;
  const int t = threadIdx.x;
  for (int i = t; i < 512; i += 256) {
    cell[__brev(i) >> 23] = in[base + i];
  }
  for (int half = 1; half < 512; half *= 2) {
    __syncthreads();
    const int k = t & (half - 1);
    const int low = 2 * (t - k) + k;
    float s;
    float c;
    sincospif(-static_cast<float>(k) / static_cast<float>(half), &s, &c);
    const float2 a = cell[low];
    const float2 b = cell[low + half];
    const float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    cell[low] = make_float2(a.x + w.x, a.y + w.y);
    cell[low + half] = make_float2(a.x - w.x, a.y - w.y);
  }
  __syncthreads();
  for (int i = t; i < 512; i += 256) {
    out[base + i] = cell[i];
  }
}

// 1024 points a block of 256, radix 4, five stages, fast twiddles (Stockham's order).
extern "C" __global__ void fft_radix4(const float2* in, float2* out) {
  __shared__ float2 cell[1024];
  const int t = threadIdx.x;
  float2 v[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    v[r] = in[blockIdx.x * 1024 + t + 256 * r];
  }
  for (int done = 1; done < 1024; done *= 4) {
    const int k = t & (done - 1);
    const float angle = -1.5707963F * static_cast<float>(k) / static_cast<float>(done);
#pragma unroll
    for (int r = 1; r < 4; ++r) {
      float s;
      float c;
      __sincosf(angle * static_cast<float>(r), &s, &c);
      v[r] = make_float2(v[r].x * c - v[r].y * s, v[r].x * s + v[r].y * c);
    }
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y);
    const float2 b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y);
    const float2 d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    const int to = (t - k) * 4 + k;
    __syncthreads();
    cell[to] = make_float2(a.x + c.x, a.y + c.y);
    cell[to + done] = make_float2(b.x + d.x, b.y + d.y);
    cell[to + 2 * done] = make_float2(a.x - c.x, a.y - c.y);
    cell[to + 3 * done] = make_float2(b.x - d.x, b.y - d.y);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      v[r] = cell[t + 256 * r];
    }
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    out[blockIdx.x * 1024 + t + 256 * r] = v[r];
  }
}

__device__ __forceinline__ uint32_t xorshift(uint32_t& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

// How many random points lie in the quarter circle.
extern "C" __global__ void monte_carlo_pi(uint32_t* hits, int points) {
  uint32_t state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761U + 12345U;
  uint32_t inside = 0;
  for (int i = 0; i < points; ++i) {
    const float x = static_cast<float>(xorshift(state) >> 8) * 0x1p-24F;
    const float y = static_cast<float>(xorshift(state) >> 8) * 0x1p-24F;
    inside += x * x + y * y < 1.0F ? 1U : 0U;
  }
  hits[blockIdx.x * blockDim.x + threadIdx.x] = inside;
}

// Philox 4x32-10 counters, Box-Muller, the payoff of an option.
extern "C" __global__ void monte_carlo_option(float* value, int paths) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int p = 0; p < paths; ++p) {
    uint32_t c0 = thread;
    uint32_t c1 = static_cast<uint32_t>(p);
    uint32_t c2 = 0x1234U;
    uint32_t c3 = 0x5678U;
    uint32_t k0 = 0xCAFEBABEU;
    uint32_t k1 = 0x0BADF00DU;
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const uint32_t h0 = __umulhi(0xD2511F53U, c0);
      const uint32_t l0 = 0xD2511F53U * c0;
      const uint32_t h1 = __umulhi(0xCD9E8D57U, c2);
      const uint32_t l1 = 0xCD9E8D57U * c2;
      c0 = h1 ^ c1 ^ k0;
      c1 = l1;
      c2 = h0 ^ c3 ^ k1;
      c3 = l0;
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    const float u = (static_cast<float>(c0 >> 8) + 0.5F) * 0x1p-24F;
    const float w = static_cast<float>(c1 >> 8) * 0x1p-24F;
    const float normal = sqrtf(-2.0F * logf(u)) * cospif(2.0F * w);
    const float price = 100.0F * expf(0.03F + 0.2F * normal);
    sum += fmaxf(price - 105.0F, 0.0F);
  }
  value[thread] = sum / static_cast<float>(paths);
}

// A walk on a grid of costs: each step's address depends on the last random number.
extern "C" __global__ void random_walk(const float* cost, float* total, int log_side, int steps) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t mask = (1U << log_side) - 1U;
  uint32_t state = thread * 747796405U + 2891336453U;
  uint32_t x = thread & mask;
  uint32_t y = (thread >> log_side) & mask;
  float sum = 0;
  for (int i = 0; i < steps; ++i) {
    const uint32_t r = xorshift(state);
    if ((r & 1U) != 0) {
      x = (x + ((r & 2U) - 1U)) & mask;
    } else {
      y = (y + ((r & 2U) - 1U)) & mask;
    }
    sum += cost[(y << log_side) + x];
  }
  total[thread] = sum;
}
