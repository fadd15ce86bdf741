// What threads of many blocks do to the same words. The sums and orders that every thread may rely on hold whatever turns the accesses get;
// and who loses a race learns what the winner has left when its turn comes, not what was there when it asked.
#include <vector>

#include "check.h"

namespace {

// A maximum by compare and swap, as programs write it where the hardware has none.
__global__ void maxima(double* most, const double* values, int count, int* tries) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const double mine = values[i];
  auto* const word = reinterpret_cast<unsigned long long*>(most + (i & 15));
  unsigned long long seen = *word;
  int n = 0;
  while (__longlong_as_double(static_cast<long long>(seen)) < mine) {
    const unsigned long long expected = seen;
    seen = atomicCAS(word, expected, static_cast<unsigned long long>(__double_as_longlong(mine)));
    ++n;
    if (seen == expected) break;
  }
  tries[i] = n;
}

// Each thread's accesses to a word of its own, strong and weak, atomic and not, are in its order.
__global__ void own_order(int* words, int* wrong) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int* const mine = words + 5 * i % (8 * static_cast<int>(gridDim.x * blockDim.x));
  volatile int* const strong = mine;
  int bad = 0;
  for (int round = 1; round < 20; ++round) {
    *mine = round;
    atomicAdd(mine, 100);
    bad += *mine != round + 100;
    *strong = 3 * round;
    atomicAdd(mine, 5);
    bad += *strong != 3 * round + 5;
    const int before = *strong;
    *mine = 7;
    bad += before != 3 * round + 5;
    bad += atomicExch(mine, 9) != 7;
    *strong = round;
    *mine = round + 1;
    bad += atomicCAS(mine, round + 1, 50) != round + 1;
    bad += *mine != 50;
  }
  if (bad != 0) atomicAdd(wrong, bad);
}

// Blocks hand a number on, each to the next: what stands before the flag is there once the flag is.
__global__ void hand_on(int* data, volatile int* flags, int rounds, int* wrong) {
  const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  const int lane = static_cast<int>(threadIdx.x);
  for (int round = 1; round <= rounds; ++round) {
    if (block != 0 || round > 1) {
      const int wanted = block == 0 ? round - 1 : round;
      const int from = block == 0 ? blocks - 1 : block - 1;
      if (lane == 0) {
        while (flags[from] < wanted) {
        }
        __threadfence();
      }
      __syncthreads();
      if (__ldcg(data + from * 64 + lane) != wanted * 1000 + lane) atomicAdd(wrong, 1);
    }
    __syncthreads();
    data[block * 64 + lane] = round * 1000 + lane;
    __threadfence();
    __syncthreads();
    if (lane == 0) flags[block] = round;
  }
}

__global__ void count(int* sums, int* taken, const int* keys, int number) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < number; i += static_cast<int>(gridDim.x * blockDim.x)) {
    atomicAdd(sums + keys[i], 1);
    taken[atomicAdd(sums + 1024, 1)] = keys[i];
  }
}

template <class T>
T* zeros(std::size_t count) {
  T* made = nullptr;
  C(cudaMallocManaged(&made, count * sizeof(T)));
  for (std::size_t i = 0; i < count; ++i) made[i] = T{};
  return made;
}

}  // namespace

int main(int arguments, char**) {
  const bool timed = arguments == 1;
  constexpr int values = 40000, keys = 30000;
  bool right = true;
  const auto expect = [&](bool holds, const char* what) {
    if (!holds) std::printf("wrong: %s\n", what);
    right = right && holds;
  };
  unsigned seed = 7;
  const auto draw = [&] { return (seed = seed * 1664525U + 1013904223U) >> 8; };

  auto* const drawn = zeros<double>(values);
  auto* const most = zeros<double>(16);
  auto* const tries = zeros<int>(values);
  std::vector<double> largest(16);
  for (int i = 0; i < values; ++i) {
    drawn[i] = draw() / 16777216.0;
    if (drawn[i] > largest[i & 15]) largest[i & 15] = drawn[i];
  }
  maxima<<<(values + 255) / 256, 256>>>(most, drawn, values, tries);
  C(cudaDeviceSynchronize());
  for (int k = 0; k < 16; ++k) expect(most[k] == largest[k], "a maximum");
  double rounds = 0;
  for (int first = 0; first < values; first += 32) {
    int longest = 0;
    for (int i = first; i < first + 32 && i < values; ++i) longest = tries[i] > longest ? tries[i] : longest;
    rounds += longest;
  }
  rounds /= values / 32;
  std::printf("%.2f tries of a warp (an H200 3.56)\n", rounds);
  // Each would fail in turn, 6.3 in the mean, if it learned of no more than one that had won before.
  if (timed) expect(rounds > 2 && rounds < 5.6, "tries for a maximum");

  auto* const words = zeros<int>(8 * 40 * 128);
  auto* const wrong = zeros<int>(1);
  own_order<<<40, 128>>>(words, wrong);
  C(cudaDeviceSynchronize());
  expect(*wrong == 0, "a thread's own order");

  auto* const data = zeros<int>(24 * 64);
  auto* const flags = zeros<int>(24);
  hand_on<<<24, 64>>>(data, flags, 5, wrong);
  C(cudaDeviceSynchronize());
  expect(*wrong == 0, "what stands before a flag");

  auto* const key = zeros<int>(keys);
  auto* const sums = zeros<int>(1025);
  auto* const taken = zeros<int>(keys);
  std::vector<int> wanted(1024), got(1024);
  for (int i = 0; i < keys; ++i) ++wanted[key[i] = static_cast<int>(draw() % 1024)];
  count<<<100, 128>>>(sums, taken, key, keys);
  C(cudaDeviceSynchronize());
  for (int i = 0; i < keys; ++i) ++got[taken[i]];
  for (int k = 0; k < 1024; ++k) expect(sums[k] == wanted[k] && got[k] == wanted[k], "a count");
  expect(sums[1024] == keys, "the number of counts");
  if (right) std::printf("all as it should be\n");
}
