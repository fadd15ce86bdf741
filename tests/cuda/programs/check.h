// C(call): a program ends with a line that begins with "error" where a call of the runtime fails.
#pragma once

#include <cstdio>
#include <cstdlib>

#define C(x)                                                              \
  do {                                                                    \
    cudaError_t e = (x);                                                  \
    if (e != cudaSuccess) {                                               \
      std::printf("error %s line %d\n", cudaGetErrorString(e), __LINE__); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)
