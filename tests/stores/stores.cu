// Stores that come for lines which other stores have just written: what an H200 did with them is in h200.json.

__device__ __forceinline__ unsigned clock_now() {
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}
__device__ __forceinline__ unsigned load(const unsigned* from) {
  unsigned value;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ void wait_until(unsigned when) {
  while (static_cast<int>(clock_now() - when) < 0) {
  }
}
__device__ __forceinline__ void store(unsigned* to, unsigned value, int bytes) {
  if (bytes == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
  if (bytes == 1) asm volatile("st.global.u8 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// A block goes over `w` words in turns, from one row to the other and back: each is written at `off` words from where a warp's
// row of words begins, so that the last words of one warp share a line with the first of the next. `loads`: none, the word, or it
// and its two neighbours, before each store.
extern "C" __global__ void turns(unsigned* words, int loads, int off, int w, int n) {
  unsigned* from = words + blockIdx.x * 16384 + 64;
  unsigned* to = from + 8192;
  for (int turn = 0; turn < n; ++turn) {
    for (int i = threadIdx.x; i < w; i += blockDim.x) {
      unsigned value = turn;
      if (loads > 0) value += load(from + i + off);
      if (loads > 1) value += load(from + i + off - 1) + load(from + i + off + 1);
      store(to + i + off, value, 4);
    }
    __syncthreads();
    unsigned* const read = from;
    from = to;
    to = read;
  }
}

// A square of floats with rows of `w` words, in place, as an elimination has it: a warp a row.
extern "C" __global__ void rows(float* square, int w, int n) {
  for (int k = 0; k < n; ++k) {
    for (int y = threadIdx.y; y < w; y += blockDim.y)
      for (int x = threadIdx.x; x < w; x += blockDim.x) square[y * w + x] -= 0.5f * square[y * w + k];
    __syncthreads();
  }
}

// Each thread goes over the `fields` words of a struct of its own, in place.
extern "C" __global__ void structs(float* all, int fields, int n) {
  float* mine = all + threadIdx.x * fields;
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < fields; ++i) mine[i] = mine[i] * 0.5f + 1.f;
    __syncthreads();
  }
}

// Warp 0 stores a word (or a byte) to each of so many lines that the L1 has, warp 1 the next word to as many from `first` on, a
// while before or after; then warp 3 loads another word of each. seen[2 k]: how much later the second was about to store;
// seen[2 k + 1]: the lines whose load missed.
extern "C" __global__ void pairs(unsigned* words, unsigned* seen, int lines, int second, int first, int bytes, int trials) {
  __shared__ unsigned start, stored[2];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  unsigned random = 12345;
  for (int k = 0; k < trials; ++k) {
    unsigned* const here = words + (k & 63) * 1024;
    random = random * 1664525u + 1013904223u;
    unsigned sum = 0;
    for (int i = threadIdx.x; i < 32 * 4; i += blockDim.x) sum += load(here + i * 8);
    if (sum == 77) seen[0] = 1;
    __syncthreads();
    if (threadIdx.x == 0) start = clock_now() + 1500;
    __syncthreads();
    const unsigned begin = start;
    float chain = 1;
    if (warp == 1) {  // so that its loop is at any place when its time comes
      for (int i = 0; i < static_cast<int>(random >> 10 & 31); ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(chain));
      if (random >> 20 & 1) asm volatile("mov.b32 %0, 0f3f800000;" : "=f"(chain));
      if (random >> 21 & 1) asm volatile("add.f32 %0, %0, %0;" : "+f"(chain));
    }
    if (warp == 0) {
      wait_until(begin);
      const unsigned now = clock_now();
      if (lane < lines) store(here + lane * 32, k + lane, bytes);
      if (lane == 0) stored[0] = now;
    }
    if (warp == 1) {
      wait_until(begin + (random >> 15 & 63));
      const unsigned now = clock_now();
      if (lane >= first && lane < first + second) store(here + lane * 32 + 1, 2 * k + lane, bytes);
      if (lane == 0) stored[1] = now;
    }
    wait_until(begin + 2500);
    if (chain == 12345.f) seen[0] = 1;
    __syncthreads();
    if (warp == 3 && lane == 0) {
      unsigned lost = 0;
      for (int i = 0; i < lines || i < first + second; ++i) {
        const unsigned before = clock_now();
        const unsigned value = load(here + i * 32 + 19);
        asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0x7fffffff; @p trap;}" ::"r"(value) : "memory");
        lost |= (clock_now() - before > 150u ? 1u : 0u) << i;
      }
      seen[2 * k] = stored[1] - stored[0];
      seen[2 * k + 1] = lost;
    }
    __syncthreads();
  }
}
