// Code that does not fit the instruction caches: long straight lines and large switches.

#include <cstdint>

__device__ constexpr uint32_t mix(uint32_t s) { return (s ^ (s >> 15)) * 0x2C1B3C6DU | 1U; }

// kSteps dependent-by-four integer steps, each with its own constant, so nothing folds into a loop.
template <int kFirst, int kLast>
struct Line {
  static __device__ __forceinline__ void run(uint32_t (&v)[4]) {
    constexpr int kMiddle = (kFirst + kLast) / 2;
    Line<kFirst, kMiddle>::run(v);
    Line<kMiddle, kLast>::run(v);
  }
};
template <int kFirst>
struct Line<kFirst, kFirst + 1> {
  static __device__ __forceinline__ void run(uint32_t (&v)[4]) {
    constexpr uint32_t kConstant = mix(kFirst * 2654435761U);
    v[kFirst % 4] = (v[kFirst % 4] ^ kConstant) + v[(kFirst + 1) % 4];
  }
};

template <int kSteps>
__device__ __forceinline__ void straight(uint32_t* out, int rounds) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v[4] = {thread, thread * 3U, thread * 5U, thread * 7U};
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    Line<0, kSteps>::run(v);
  }
  out[thread] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

extern "C" __global__ void straight_16k(uint32_t* out, int rounds) { straight<512>(out, rounds); }
extern "C" __global__ void straight_64k(uint32_t* out, int rounds) { straight<2048>(out, rounds); }
extern "C" __global__ void straight_256k(uint32_t* out, int rounds) { straight<8192>(out, rounds); }

// Single precision: a long polynomial net, 96 KiB.
template <int kFirst, int kLast>
struct FloatLine {
  static __device__ __forceinline__ void run(float (&v)[8]) {
    constexpr int kMiddle = (kFirst + kLast) / 2;
    FloatLine<kFirst, kMiddle>::run(v);
    FloatLine<kMiddle, kLast>::run(v);
  }
};
template <int kFirst>
struct FloatLine<kFirst, kFirst + 1> {
  static __device__ __forceinline__ void run(float (&v)[8]) {
    // Within 0.25 of zero, so that values within 0.5 stay there.
    constexpr float kConstant = static_cast<float>(mix(kFirst * 2654435761U) >> 8) * 0x1p-25F - 0.25F;
    v[kFirst % 8] = fmaf(v[kFirst % 8], v[(kFirst + 3) % 8], kConstant);
  }
};

extern "C" __global__ void straight_ffma(const float* in, float* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] = in[thread] * (0.5F / static_cast<float>(i + 1));
  }
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    FloatLine<0, 6144>::run(v);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    sum += v[i];
  }
  out[thread] = sum;
}

// Warps of a block take different stretches of a long code: the caches are shared by all.
extern "C" __global__ void straight_by_warp(uint32_t* out, int rounds) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v[4] = {thread, thread * 3U, thread * 5U, thread * 7U};
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    switch ((threadIdx.x / 32 + r) % 4) {
      case 0: Line<0, 900>::run(v); break;
      case 1: Line<900, 1800>::run(v); break;
      case 2: Line<1800, 2700>::run(v); break;
      default: Line<2700, 3600>::run(v); break;
    }
  }
  out[thread] = v[0] ^ v[1] ^ v[2] ^ v[3];
}
