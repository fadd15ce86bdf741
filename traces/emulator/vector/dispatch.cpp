#include <cstdlib>
#include <string_view>

#include "traces/emulator/vector/kernels.h"
#include "traces/emulator/vector/variant.h"

namespace warpgauge::emulator {
namespace {

#define WARPGAUGE_TABLE(VARIANT)    \
  VectorKernels table_##VARIANT() { \
    VectorKernels table;            \
    table.name = #VARIANT;          \
    fill_integer_##VARIANT(table);  \
    fill_float_##VARIANT(table);    \
    fill_double_##VARIANT(table);   \
    fill_half_##VARIANT(table);     \
    fill_matrix_##VARIANT(table);   \
    fill_memory_##VARIANT(table);   \
    return table;                   \
  }

WARPGAUGE_TABLE(baseline)
#if defined(WARPGAUGE_HOST_X86)
WARPGAUGE_TABLE(avx2)
WARPGAUGE_TABLE(avx512)
#endif
#undef WARPGAUGE_TABLE

}  // namespace

bool host_has(HostLevel level) {
#if defined(WARPGAUGE_HOST_X86)
  switch (level) {
    case HostLevel::baseline:
      return true;
    case HostLevel::avx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
             __builtin_cpu_supports("bmi2") != 0;
    case HostLevel::avx512:
      return host_has(HostLevel::avx2) && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512cd") != 0;
  }
  return false;
#else
  return level == HostLevel::baseline;
#endif
}

HostLevel host_level() {
  static const HostLevel level = [] {
    const char* const asked = std::getenv("WARPGAUGE_HOST_LEVEL");
    const std::string_view limit = asked == nullptr ? "" : asked;
    if (limit == "baseline") return HostLevel::baseline;
    if (host_has(HostLevel::avx512) && limit != "avx2") return HostLevel::avx512;
    return host_has(HostLevel::avx2) ? HostLevel::avx2 : HostLevel::baseline;
  }();
  return level;
}

// Filling a table runs code that was compiled for its level: only the tables that the host can run are made.
const VectorKernels& vector_kernels(HostLevel level) {
#if defined(WARPGAUGE_HOST_X86)
  if (level == HostLevel::avx512) {
    static const VectorKernels avx512 = table_avx512();
    return avx512;
  }
  if (level == HostLevel::avx2) {
    static const VectorKernels avx2 = table_avx2();
    return avx2;
  }
#else
  (void)level;
#endif
  static const VectorKernels baseline = table_baseline();
  return baseline;
}

}  // namespace warpgauge::emulator
