// Names of what is compiled once per host instruction set.
#pragma once

#include "traces/emulator/vector/kernels.h"

#define WARPGAUGE_JOIN2(A, B) A##_##B
#define WARPGAUGE_JOIN(A, B) WARPGAUGE_JOIN2(A, B)
// fill_integer becomes fill_integer_avx2 in the files compiled with WARPGAUGE_HOST_VARIANT=avx2.
#define WARPGAUGE_VARIANT(NAME) WARPGAUGE_JOIN(NAME, WARPGAUGE_HOST_VARIANT)

#define WARPGAUGE_DECLARE_FILLS(VARIANT)             \
  void fill_integer_##VARIANT(VectorKernels& table); \
  void fill_float_##VARIANT(VectorKernels& table);   \
  void fill_double_##VARIANT(VectorKernels& table);  \
  void fill_half_##VARIANT(VectorKernels& table);    \
  void fill_matrix_##VARIANT(VectorKernels& table);  \
  void fill_memory_##VARIANT(VectorKernels& table);

namespace warpgauge::emulator {
WARPGAUGE_DECLARE_FILLS(baseline)
WARPGAUGE_DECLARE_FILLS(avx2)
WARPGAUGE_DECLARE_FILLS(avx512)
}  // namespace warpgauge::emulator
