// Branches that part a warp, loops of unequal length, recursion, early exits.

#include <cstdint>

// `ways` paths a warp, chosen by the data.
extern "C" __global__ void switch_ways(const uint32_t* in, uint32_t* out, uint32_t ways, int rounds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  uint32_t v = in[i];
  for (int r = 0; r < rounds; ++r) {
    switch ((v >> 4) % ways) {
      case 0: v = v * 1664525U + 1013904223U; break;
      case 1: v = (v ^ (v >> 7)) * 0x9E3779B1U; break;
      case 2: v = __brev(v) + 12345U; break;
      case 3: v = v - (v << 5) + 77U; break;
      case 4: v = v * v + 3U; break;
      case 5: v = (v >> 3) ^ (v << 11) ^ 0x5BD1E995U; break;
      case 6: v = __popc(v) * 0x01000193U + v; break;
      default: v = __funnelshift_l(v, v, 9) + 0xE6546B64U; break;
    }
  }
  out[i] = v;
}

extern "C" __global__ void collatz(uint32_t* out, uint32_t first, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  unsigned long long v = first + static_cast<uint32_t>(i);
  uint32_t steps = 0;
  while (v > 1) {
    v = (v & 1U) != 0 ? 3 * v + 1 : v / 2;
    ++steps;
  }
  out[i] = steps;
}

extern "C" __global__ void mandelbrot(uint32_t* out, int width, int height, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  const float cr = -2.0F + 2.6F * static_cast<float>(x) / static_cast<float>(width);
  const float ci = -1.3F + 2.6F * static_cast<float>(y) / static_cast<float>(height);
  float zr = 0;
  float zi = 0;
  int k = 0;
  while (k < limit && zr * zr + zi * zi < 4.0F) {
    const float t = zr * zr - zi * zi + cr;
    zi = 2.0F * zr * zi + ci;
    zr = t;
    ++k;
  }
  out[y * width + x] = static_cast<uint32_t>(k);
}

// A thread does as many steps as its lane says, so the warp thins out.
extern "C" __global__ void thinning(uint32_t* out, int per_lane) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = thread;
  const int steps = static_cast<int>(thread % 32U) * per_lane;
  for (int i = 0; i < steps; ++i) {
    v = v * 1664525U + static_cast<uint32_t>(i);
  }
  out[thread] = v;
}

// Three quarters of the blocks leave at once; the rest are whole.
extern "C" __global__ void early_exit(const uint32_t* in, uint32_t* out, int rounds) {
  if ((blockIdx.x & 3U) != 0) {
    return;
  }
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = in[thread];
  for (int i = 0; i < rounds; ++i) {
    v = v * v + 1U;
    if (v % 61U == 0U) {
      break;
    }
  }
  out[thread] = v;
}

// Recursion with a real stack: the call is not inlined, both arms recurse.
__device__ __noinline__ uint32_t fibonacci(uint32_t n) {
  return n < 2U ? n : fibonacci(n - 1U) + fibonacci(n - 2U);
}

extern "C" __global__ void recursive_fibonacci(uint32_t* out, uint32_t base) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = fibonacci(base + thread % 4U);
}

// Recursive descent over an implicit tree whose shape is hashed from the path: lanes part and meet again.
__device__ __noinline__ uint32_t walk(uint32_t node, int depth) {
  if (depth == 0) {
    return node & 0xFFU;
  }
  const uint32_t h = (node ^ (node >> 13)) * 0x5BD1E995U;
  uint32_t sum = h >> 30;
  if ((h & 3U) != 0) {
    sum += walk(h + 1U, depth - 1);
  }
  if ((h & 12U) != 0) {
    sum += walk(h ^ 0x55555555U, depth - 1);
  }
  return sum;
}

extern "C" __global__ void recursive_tree(uint32_t* out, int depth) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = walk(thread * 2654435761U, depth);
}

// Queens by backtracking over bit masks, the stack in local memory; a thread a pair of first rows.
extern "C" __global__ void queens(uint32_t* out, int size) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t all = (1U << size) - 1U;
  const uint32_t a = thread % static_cast<uint32_t>(size);
  const uint32_t b = thread / static_cast<uint32_t>(size) % static_cast<uint32_t>(size);
  uint32_t count = 0;
  if (a + 1U < b || b + 1U < a) {
    uint32_t columns[12];
    uint32_t left[12];
    uint32_t right[12];
    uint32_t open[12];
    int row = 2;
    columns[2] = (1U << a) | (1U << b);
    left[2] = ((1U << a) << 2) | ((1U << b) << 1);
    right[2] = ((1U << a) >> 2) | ((1U << b) >> 1);
    open[2] = all & ~(columns[2] | left[2] | right[2]);
    while (row >= 2) {
      if (open[row] == 0) {
        --row;
        continue;
      }
      const uint32_t bit = open[row] & (0U - open[row]);
      open[row] ^= bit;
      if (row + 1 == size) {
        ++count;
        continue;
      }
      columns[row + 1] = columns[row] | bit;
      left[row + 1] = (left[row] | bit) << 1;
      right[row + 1] = (right[row] | bit) >> 1;
      ++row;
      open[row] = all & ~(columns[row] | left[row] | right[row]);
    }
  }
  out[thread] = count;
}
