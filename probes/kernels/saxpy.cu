// y = a x + y with accesses of 32, 64 and 128 bits (Jia2019 figure 1.1).
#include "common.cuh"

#define SAXPY(name, vector, each)                                                                 \
  extern "C" __global__ void name(vector* y, const vector* x, float a, u32 count) {               \
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) { \
      vector u = x[i], v = y[i];                                                                  \
      each;                                                                                       \
      y[i] = v;                                                                                   \
    }                                                                                             \
  }
SAXPY(saxpy_32, float, v += a * u)
SAXPY(saxpy_64, float2, (v.x += a * u.x, v.y += a * u.y))
SAXPY(saxpy_128, float4, (v.x += a * u.x, v.y += a * u.y, v.z += a * u.z, v.w += a * u.w))
