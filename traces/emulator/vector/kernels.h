// The executors that are compiled for several instruction sets of the host. Their results are the same on
// all.
#pragma once

#include <cstdint>
#include <string_view>

#include "traces/emulator/micro_op.h"

#define WARPGAUGE_VECTOR_KERNELS(X)                                                                         \
  /* integer */                                                                                             \
  X(mov)                                                                                                    \
  X(sel)                                                                                                    \
  X(iadd3)                                                                                                  \
  X(iadd3_carry) X(imad) X(imad_extended) X(imad_wide_signed) X(imad_wide_unsigned) X(imad_wide_carry)      \
      X(imad_high) X(lea) X(lop3) X(lop3_and) X(lop3_or) X(lop3_xor) X(lop3_predicate) X(shift_left_low)    \
          X(shift_right_high_unsigned) X(shift_right_high_signed) X(funnel) X(isetp) X(isetp_extended)      \
              X(minmax) X(add_minmax) X(minmax3) X(add_halves) X(minmax_halves) X(add_minmax_halves)        \
                  X(minmax3_halves) X(minmax_choice) X(minmax_halves_choice) X(iabs) X(popc) X(flo) X(brev) \
                      X(bmsk) X(sgxt) X(prmt) X(absolute_difference) X(absolute_difference4)                \
                          X(dot_product) /* binary32 */                                                     \
      X(fadd) X(fadd_ftz) X(fadd_general) X(fmul) X(fmul_ftz) X(fmul_general) X(ffma) X(ffma_ftz)           \
          X(ffma_general) X(fmnmx) X(fsel) X(fset) X(fsetp)             /* binary64 */                      \
      X(dadd) X(dmul) X(dfma) X(dsetp) X(dmnmx)                         /* packed halves */                 \
      X(hadd2) X(hmul2) X(hfma2) X(hmnmx2) X(hmnmx3) X(hsetp2) X(hset2) /* conversions */                   \
      X(i2f_signed) X(i2f_unsigned) X(f2i_signed) X(f2i_unsigned)       /* matrices */                      \
      X(matrix_half) X(matrix_half_sparse) X(matrix_integer) X(matrix_integer_sparse) X(matrix_double)

namespace warpgauge::emulator {

// What the addresses of the lanes in a mask have in common.
struct Pattern {
  std::uint64_t first = 0;      // one of them; the lowest where they are consecutive
  std::uint64_t different = 0;  // bits in which others differ from it; of consecutive ones 0
  bool consecutive = false;     // all 32 lanes, each where the one before it ends
  [[nodiscard]] bool same() const { return different == 0 && !consecutive; }
  [[nodiscard]] std::uint64_t joined() const { return first | different; }
};
struct Bounds {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
};

// Parts of loads and stores. `addresses`: one a lane; `mask` is not empty. Words lie in rows of 32 lanes, as
// many rows as a lane has words: 1, 2 or 4. `base` is where the host has address 0; each lane's access is
// aligned to its size.
struct MemoryKernels {
  // [base + uniform + offset] of all lanes: 64 bits, and 32 bits with the base scaled by op.extra2.
  void (*global_addresses)(const Warp& warp, const MicroOp& op, std::uint64_t* addresses) = nullptr;
  void (*window_addresses)(const Warp& warp, const MicroOp& op, std::uint64_t* addresses) = nullptr;
  void (*same_address)(std::uint64_t address, std::uint64_t* addresses) = nullptr;
  Pattern (*pattern)(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes) = nullptr;
  Bounds (*bounds)(const std::uint64_t* addresses, std::uint32_t mask) = nullptr;
  void (*load_words)(std::uint32_t* destination, std::uint32_t mask, unsigned words, std::uint64_t base,
                     const std::uint64_t* addresses, const Pattern& where) = nullptr;
  // By all lanes.
  void (*store_words)(const std::uint32_t* data, unsigned words, std::uint64_t base,
                      const std::uint64_t* addresses, const Pattern& where) = nullptr;
  // The lanes in `mask` of `from`, the others stay.
  void (*choose_rows)(std::uint32_t* destination, std::uint32_t mask, unsigned rows,
                      const std::uint32_t* from) = nullptr;
};

struct VectorKernels {
  std::string_view name;
  MemoryKernels memory;
#define X(KERNEL) ExecuteFunction KERNEL = nullptr;
  WARPGAUGE_VECTOR_KERNELS(X)
#undef X
};

enum class HostLevel : unsigned char { baseline, avx2, avx512 };

// The best that this host runs; WARPGAUGE_HOST_LEVEL=baseline|avx2|avx512 in the environment lowers it.
HostLevel host_level();
bool host_has(HostLevel level);
const VectorKernels& vector_kernels(HostLevel level);

}  // namespace warpgauge::emulator
