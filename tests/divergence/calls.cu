// Lanes of a warp that call functions which call themselves: each says, again and again, which lanes run with it.
// A lane's word is a hash of all that it has seen, in order. Each kernel twice: plain, and `_yielding`, with a volatile
// load in each function, for which the compiler puts a YIELD before it and into loops.
#include <cstdint>

namespace {

constexpr int lanes = 32;

__device__ __forceinline__ std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}

// Notes which lanes are at `place`.
template <bool yields>
__device__ __forceinline__ void note(std::uint32_t* words, std::uint32_t place) {
  std::uint32_t* const mine = words + blockIdx.x * lanes + threadIdx.x;
  std::uint32_t word;
  if constexpr (yields)
    word = *static_cast<volatile std::uint32_t*>(mine);
  else
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(mine));
  word = ((word ^ __activemask()) * 16777619U ^ place) * 16777619U;
  asm volatile("st.global.u32 [%0], %1;" ::"l"(mine), "r"(word));
}

template <bool y>
__device__ __noinline__ std::uint32_t straight(std::uint32_t* w, int depth, std::uint32_t x) {
  note<y>(w, depth << 4 | 1);
  if (depth <= 0) return x;
  const std::uint32_t below = straight<y>(w, depth - 1, x * 3 + 1);
  note<y>(w, depth << 4 | 2);
  return below + depth;
}

template <bool y>
__device__ __noinline__ std::uint32_t either(std::uint32_t* w, int depth, std::uint32_t x) {
  note<y>(w, depth << 4 | 1);
  if (depth <= 0) return x;
  std::uint32_t below;
  if (mixed(x) & 1) {
    below = either<y>(w, depth - 1, x * 3 + 1);
    note<y>(w, depth << 4 | 2);
  } else {
    below = either<y>(w, depth - 1, x * 5 + 2);
    note<y>(w, depth << 4 | 3);
  }
  note<y>(w, depth << 4 | 4);
  return below + depth;
}

template <bool y>
__device__ __noinline__ std::uint32_t fibonacci(std::uint32_t* w, int n) {
  note<y>(w, n << 4 | 1);
  if (n < 2) return n;
  const std::uint32_t a = fibonacci<y>(w, n - 1);
  note<y>(w, n << 4 | 2);
  const std::uint32_t b = fibonacci<y>(w, n - 2);
  note<y>(w, n << 4 | 3);
  return a + b;
}

template <bool y>
__device__ __noinline__ std::uint32_t tree(std::uint32_t* w, int depth, std::uint32_t x) {
  note<y>(w, depth << 4 | 1);
  if (depth <= 0) return x;
  std::uint32_t sum = 0;
  const int children = mixed(x) % 3;
  for (int i = 0; i < children; ++i) {
    sum += tree<y>(w, depth - 1, x * 3 + i);
    note<y>(w, depth << 4 | 2);
  }
  note<y>(w, depth << 4 | 3);
  return sum + depth;
}

template <bool y>
__device__ __noinline__ std::uint32_t walk(std::uint32_t* w, int depth, std::uint32_t x) {
  note<y>(w, depth << 4 | 1);
  if (depth == 0) return x & 0xff;
  const std::uint32_t h = (x ^ x >> 13) * 0x5bd1e995U;
  std::uint32_t sum = h >> 30;
  if ((h & 3) != 0) {
    sum += walk<y>(w, depth - 1, h + 1);
    note<y>(w, depth << 4 | 2);
  }
  if ((h & 12) != 0) {
    sum += walk<y>(w, depth - 1, h ^ 0x55555555U);
    note<y>(w, depth << 4 | 3);
  }
  note<y>(w, depth << 4 | 4);
  return sum;
}

template <bool y>
__device__ __noinline__ std::uint32_t cases(std::uint32_t* w, int depth, std::uint32_t x) {
  note<y>(w, depth << 4 | 1);
  if (depth == 0) return x;
  const std::uint32_t h = mixed(x);
  std::uint32_t sum = 0;
  switch (h & 3) {
    case 0: sum = cases<y>(w, depth - 1, h) * 3; note<y>(w, depth << 4 | 2); break;
    case 1: sum = cases<y>(w, depth - 1, h + 1) + cases<y>(w, depth - 1, h + 2); note<y>(w, depth << 4 | 3); break;
    case 2: sum = cases<y>(w, depth - 1, h ^ 7) - 1; note<y>(w, depth << 4 | 4); break;
  }
  note<y>(w, depth << 4 | 5);
  return sum + depth;
}

template <bool y>
__device__ std::uint32_t pong(std::uint32_t* w, int depth, std::uint32_t x);

template <bool y>
__device__ __noinline__ std::uint32_t ping(std::uint32_t* w, int depth, std::uint32_t x) {
  note<y>(w, depth << 4 | 1);
  if (depth <= 0) return x;
  std::uint32_t sum;
  if (mixed(x) % 3 == 0) {
    sum = ping<y>(w, depth - 1, x * 3 + 1) + pong<y>(w, depth - 2, x + 7);
    note<y>(w, depth << 4 | 2);
  } else {
    sum = pong<y>(w, depth - 1, x * 5 + 2);
    note<y>(w, depth << 4 | 3);
  }
  note<y>(w, depth << 4 | 4);
  return sum + depth;
}

template <bool y>
__device__ __noinline__ std::uint32_t pong(std::uint32_t* w, int depth, std::uint32_t x) {
  note<y>(w, depth << 4 | 5);
  if (depth <= 0) return x;
  std::uint32_t sum = x;
  if (mixed(x) & 2) {
    sum = ping<y>(w, depth - 1, x * 7 + 1);
    note<y>(w, depth << 4 | 6);
  }
  note<y>(w, depth << 4 | 7);
  return sum + depth;
}

template <bool y>
__device__ __noinline__ void quicksort(std::uint32_t* w, int* a, int low, int high) {
  note<y>(w, 1);
  while (low < high) {
    const int pivot = a[(low + high) >> 1];
    int i = low;
    int j = high;
    while (i <= j) {
      while (a[i] < pivot) ++i;
      while (a[j] > pivot) --j;
      if (i <= j) {
        const int t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    note<y>(w, 2);
    if (j - low < high - i) {
      quicksort<y>(w, a, low, j);
      note<y>(w, 3);
      low = i;
    } else {
      quicksort<y>(w, a, i, high);
      note<y>(w, 4);
      high = j;
    }
    note<y>(w, 5);
  }
  note<y>(w, 6);
}

template <bool y>
__device__ __noinline__ int ackermann(std::uint32_t* w, int m, int n, int depth) {
  note<y>(w, m << 8 | n << 4 | 1);
  if (depth > 40) return n;
  if (m == 0) return n + 1;
  if (n == 0) {
    const int result = ackermann<y>(w, m - 1, 1, depth + 1);
    note<y>(w, 2);
    return result;
  }
  const int below = ackermann<y>(w, m, n - 1, depth + 1);
  note<y>(w, 3);
  const int result = ackermann<y>(w, m - 1, below, depth + 1);
  note<y>(w, 4);
  return result;
}

__device__ __forceinline__ std::uint32_t seed() {
  return mixed((blockIdx.x * lanes + threadIdx.x) * 77 + 5);
}

// Blocks of one warp: 2, 3, 8 or all of its lanes take part, and each four blocks a little deeper.
__device__ __forceinline__ bool takes_part() {
  const unsigned kind = blockIdx.x % 4;
  return threadIdx.x < (kind == 0 ? 2 : kind == 1 ? 3 : kind == 2 ? 8 : 32);
}
__device__ __forceinline__ int more(int depths) {
  return 1 + blockIdx.x / 4 % depths;
}

}  // namespace

// words: 32 for each block, zero before; results: as many.
#define CALLS(name, call)                                                                              \
  extern "C" __global__ void name(std::uint32_t* words, std::uint32_t* results) {                      \
    constexpr bool y = false;                                                                          \
    const std::uint32_t x = seed();                                                                    \
    if (takes_part()) results[blockIdx.x * lanes + threadIdx.x] = call;                                \
  }                                                                                                    \
  extern "C" __global__ void name##_yielding(std::uint32_t* words, std::uint32_t* results) {           \
    constexpr bool y = true;                                                                           \
    const std::uint32_t x = seed();                                                                    \
    if (takes_part()) results[blockIdx.x * lanes + threadIdx.x] = call;                                \
  }

CALLS(calls_straight, straight<y>(words, 1 + x % 5, x))
CALLS(calls_either, either<y>(words, more(4), x))
CALLS(calls_either_apart, either<y>(words, 1 + x % 4, x))
CALLS(calls_fibonacci, fibonacci<y>(words, 2 + x % (1 + more(5))))
CALLS(calls_tree, tree<y>(words, more(5), x))
CALLS(calls_walk, walk<y>(words, more(5), x))
CALLS(calls_cases, cases<y>(words, more(6), x))
CALLS(calls_ping, ping<y>(words, more(6), x))
CALLS(calls_ackermann, ackermann<y>(words, more(2), x % 4, 0))

template <bool y>
__device__ std::uint32_t sorted(std::uint32_t* words, std::uint32_t x) {
  int a[24];
  const int count = 3 * more(8);
  for (int k = 0; k < count; ++k) a[k] = mixed(x + k) >> 8;
  quicksort<y>(words, a, 0, count - 1);
  std::uint32_t sum = 0;
  for (int k = 0; k < count; ++k) sum = sum * 31 + a[k];
  return sum;
}
CALLS(calls_quicksort, sorted<y>(words, x))
