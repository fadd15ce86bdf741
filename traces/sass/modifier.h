// The modifiers of an instruction: everything in its word that is neither an operand, the guard nor the
// control word. A modifier is a key and the raw value of its bit field; the enums below name the values.
#pragma once

#include <cstdint>

namespace warpgauge::sass {

enum class Modifier : std::uint8_t {
  // arithmetic
  ftz, fmz, saturate, rounding, relu, nan_propagate, satfinite,
  scale,            // FMUL's multiplication by a power of two
  extended,         // .X: add the carry-in; negation becomes NOT
  high,             // .HI
  is_signed,        // 1 = signed, 0 = .U32
  is_signed_b,      // second operand's signedness (IDP, IMMA)
  wrap,             // .W of shifts
  compare,          // FloatCompare or IntegerCompare, by opcode
  combine,          // BoolOp that joins the comparison with the predicate source
  extended_compare, // ISETP.EX
  lut,              // LOP3's and PLOP3's truth table
  lut2,             // PLOP3's second truth table
  pand,             // LOP3's .PAND
  bool_float,       // FSET.BF, HSET2.BF
  shift_right, shift_type, shift_amount,
  prmt_mode, byte_mask, mufu_function, sign_extend_32,
  dot_mode, packed_16, format, accumulate_f32, merge_c, minimum,
  shift_count,      // FLO.SH
  bf16, source_format, destination_format, ntz,
  // memory
  extended_address, // .E
  width, cache_eviction, ordering, scope, order_kind, atomic_op, atomic_type, prefetch_size, bypass, zero_fill,
  private_, unsigned_address, address_mode, matrix_count, matrix_mode, matrix_type,
  // warp and control
  shuffle_mode, vote_mode, match_any, reduce_op, branch_kind, barrier_mode, barrier_reduce, defer_blocking,
  less_equal, no_inc, no_dec, absolute_target, clear, exit_kind, sleep_kind, membar_kind, cctl_op, scoreboard_set,
  wide_64, special, no_atexit,
  // matrix
  shape, input_type, input_type_b, output_type, sparse, transpose_a, transpose_b, step, quad_pair,
  // textures and surfaces
  texture_shape, texture_mask, texture_lod, texture_flags,
  // anything that one opcode alone has
  other_0, other_1, other_2, other_3,
  count
};

enum class Rounding : std::uint8_t { nearest_even, minus_infinity, plus_infinity, zero };

enum class FloatCompare : std::uint8_t { f, lt, eq, le, gt, ne, ge, num, nan, ltu, equ, leu, gtu, neu, geu, t };
enum class IntegerCompare : std::uint8_t { f, lt, eq, le, gt, ne, ge, t };
enum class BoolOp : std::uint8_t { and_, or_, xor_ };
enum class ShiftType : std::uint8_t { s64, u64, s32, u32 };
enum class MufuFunction : std::uint8_t { cos, sin, ex2, lg2, rcp, rsq, rcp64h, rsq64h, sqrt, tanh };
enum class Width : std::uint8_t { u8, s8, u16, s16, b32, b64, b128 };
enum class ShuffleMode : std::uint8_t { idx, up, down, bfly };
enum class VoteMode : std::uint8_t { all, any, eq };
enum class AtomicOp : std::uint8_t { add, min, max, inc, dec, and_, or_, xor_, exch, safe_add };
enum class BarrierMode : std::uint8_t { sync, arrive, reduce, scan, sync_all };

}  // namespace warpgauge::sass
