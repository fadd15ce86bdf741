// The modifiers of an instruction: everything in its word that is neither an operand, the guard nor the
// control word. A modifier is a key and the raw value of its bit field; the enums below name the values.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpgauge::sass {

// Raw values follow the word: ftz, saturate … are 1 when set; `is_signed` is 1 for signed and 0 for .U32;
// `extended` (.X) adds the carry-in and turns negation into NOT; `scale` is FMUL's power of two; `lut` is the
// truth table of LOP3 where it is not an operand; `other_n` is for what one opcode alone has.
// `source_format` and `destination_format` of floats: 1 F16, 2 F32, 3 F64, 4 BF16; of integers: twice the
// binary logarithm of the bytes, plus one if signed (I2FP: that one bit alone). F2FP has codes of its own, as
// its row says.
// clang-format off
#define WARPGAUGE_MODIFIERS(X) \
  X(ftz) X(fmz) X(saturate) X(rounding) X(relu) X(nan_propagate) X(satfinite) X(scale) X(extended) \
  X(high) X(is_signed) X(is_signed_b) X(wrap) X(compare) X(combine) X(extended_compare) X(lut) X(lut2) \
  X(pand) X(bool_float) X(shift_right) X(shift_type) X(shift_amount) X(prmt_mode) X(byte_mask) \
  X(mufu_function) X(sign_extend_32) X(dot_mode) X(packed_16) X(format) X(accumulate_f32) X(merge_c) \
  X(minimum) X(shift_count) X(bf16) X(source_format) X(destination_format) X(ntz) X(extended_address) \
  X(width) X(cache_eviction) X(ordering) X(scope) X(order_kind) X(atomic_op) X(atomic_type) \
  X(prefetch_size) X(bypass) X(zero_fill) X(private_) X(unsigned_address) X(address_mode) \
  X(matrix_count) X(matrix_mode) X(matrix_type) X(shuffle_mode) X(vote_mode) X(match_any) X(reduce_op) \
  X(branch_kind) X(barrier_mode) X(barrier_reduce) X(defer_blocking) X(less_equal) X(no_inc) X(no_dec) \
  X(absolute_target) X(clear) X(exit_kind) X(sleep_kind) X(membar_kind) X(cctl_op) X(scoreboard_set) \
  X(wide_64) X(special) X(no_atexit) X(shape) X(input_type) X(input_type_b) X(output_type) X(sparse) \
  X(transpose_a) X(transpose_b) X(step) X(quad_pair) X(texture_shape) X(texture_mask) X(texture_lod) \
  X(texture_flags) X(other_0) X(other_1) X(other_2) X(other_3)
// clang-format on

enum class Modifier : std::uint8_t {
#define X(NAME) NAME,
  WARPGAUGE_MODIFIERS(X)
#undef X
      count
};

std::string_view modifier_name(Modifier modifier);

enum class Rounding : std::uint8_t { nearest_even, minus_infinity, plus_infinity, zero };

enum class FloatCompare : std::uint8_t {
  f,
  lt,
  eq,
  le,
  gt,
  ne,
  ge,
  num,
  nan,
  ltu,
  equ,
  leu,
  gtu,
  neu,
  geu,
  t
};
enum class IntegerCompare : std::uint8_t { f, lt, eq, le, gt, ne, ge, t };
enum class BoolOp : std::uint8_t { and_, or_, xor_ };
enum class ShiftType : std::uint8_t { s64, u64, s32, u32 };
enum class MufuFunction : std::uint8_t { cos, sin, ex2, lg2, rcp, rsq, rcp64h, rsq64h, sqrt, tanh };
enum class Width : std::uint8_t { u8, s8, u16, s16, b32, b64, b128, b128_u };
enum class ShuffleMode : std::uint8_t { idx, up, down, bfly };
enum class VoteMode : std::uint8_t { all, any, eq };
enum class AtomicOp : std::uint8_t { add, min, max, inc, dec, and_, or_, xor_, exch, safe_add };
enum class BarrierMode : std::uint8_t { sync, arrive, reduce, scan, sync_all };

}  // namespace warpgauge::sass
