// HMMA, IMMA and DMMA of a whole warp: D = A B + C over its fragments, laid out as PTX's mma describes them.
// Compiled once per host instruction set.
//
// With g = lane / 4 and t = lane % 4 a lane has rows g and g + 8 of A and D, column g of B, columns 2t and 2t
// + 1 of D. Results lie by row and column while they are summed: column is the vector's index, so that a
// row's factor is the same for all of it. Of eight rows that is two words of D, lane by lane: element 2 *
// lane + word.
#include <cmath>

#include "traces/emulator/executors.h"
#include "traces/emulator/float_format.h"
#include "traces/emulator/matrix_modes.h"
#include "traces/emulator/sparse_places.h"
#include "traces/emulator/vector/lanes.h"
#include "traces/emulator/vector/variant.h"

namespace warpgauge::emulator {
namespace {

constexpr unsigned columns = 8;
constexpr unsigned rows_of_group = 8;  // rows g of all lanes; A has one or two such groups
constexpr unsigned of_group = rows_of_group * columns;
constexpr unsigned most_k = 128;  // IMMA.SP.168128.S4

using Floats = float __attribute__((vector_size(columns * sizeof(float))));
using Integers = std::int32_t __attribute__((vector_size(columns * sizeof(std::int32_t))));

// Vectors in memory, wherever they lie: one access each, where memcpy would make several.
using FloatsAt = float __attribute__((vector_size(columns * sizeof(float)), aligned(4), may_alias));
using IntegersAt =
    std::int32_t __attribute__((vector_size(columns * sizeof(std::int32_t)), aligned(4), may_alias));

inline const FloatsAt& at(const float* from) {
  return *reinterpret_cast<const FloatsAt*>(from);
}
inline IntegersAt& at(std::int32_t* to) {
  return *reinterpret_cast<IntegersAt*>(to);
}

// Words of D by element, for the lanes in `mask`. `from`: as the head of this file says.
inline void store_pairs(Warp& warp, const MicroOp& op, std::uint32_t mask, const std::uint32_t* from,
                        unsigned row_groups) {
  std::uint32_t* const d = row(warp, op.destination);
  for (unsigned word = 0; word < 2 * row_groups; ++word) {
    const std::uint32_t* const pairs = from + word / 2 * of_group + word % 2;
    for_lanes(d + word * lanes, mask, [=](unsigned lane) { return pairs[2 * lane]; });
  }
}

// Factors of B, lane by lane, to the columns of their four k's, which lie `stride` apart.
inline void spread(const float* value, float* by_k, unsigned stride) {
  WARPGAUGE_LANES
  for (unsigned column = 0; column < columns; ++column) {
    by_k[column] = value[4 * column];
    by_k[stride + column] = value[4 * column + 1];
    by_k[2 * stride + column] = value[4 * column + 2];
    by_k[3 * stride + column] = value[4 * column + 3];
  }
}

// ------------------------------------------------------------------------------ floats of tensor cores

// Factors are exact binary32 numbers, and their powers the powers of two that their leading bits stand for (0
// of a zero).
constexpr unsigned most_words = 8;  // of A a lane, all columns of a sparse one written out
constexpr unsigned most_of_k = 64;

// Beyond these exponents, and for infinities and NaNs, sums go the slow way: inside them every power below is
// a normal number. Factors: 2^±30, whose products' quanta are 2^-85 at least; sums: 2^-85 to 2^100.
constexpr std::uint32_t bias = 127;
constexpr std::uint32_t least_factor = (bias - 30) << 23, most_factor = (bias + 31) << 23;
constexpr std::uint32_t least_sum = (bias - 85) << 23, most_sum = (bias + 100) << 23;
constexpr std::uint32_t exponent_bits = 0x7f800000U;
constexpr std::uint32_t magnitude_bits = 0x7fffffffU;

// As half_to_float, in a third of the operations: infinities and NaNs go the slow way.
inline float widen_half(std::uint32_t half) {
  return as_float(((half & 0x8000U) << 16) | ((half & 0x7fffU) << 13)) * 0x1p112F;
}

// One part of each lane's word. Not zero if any of them has to go the slow way.
template <MatrixInput input>
inline std::uint32_t convert(const std::uint32_t* words, std::uint32_t xor_mask, unsigned part,
                             float* value) {
  std::uint32_t hard = 0;
  WARPGAUGE_LANES
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::uint32_t word = words[lane] ^ xor_mask;
    if constexpr (input == MatrixInput::e4m3) {
      const std::uint32_t byte = (word >> (8 * part)) & 0xffU;
      value[lane] = as_float(((byte & 0x80U) << 24) | ((byte & 0x7fU) << 20)) * 0x1p120F;
      hard |= (byte & 0x7fU) == 0x7fU ? 1U : 0U;
    } else if constexpr (input == MatrixInput::e5m2) {
      const std::uint32_t half = ((word >> (8 * part)) & 0xffU) << 8;
      value[lane] = widen_half(half);
      hard |= (half & 0x7fffU) >= 0x7c00U ? 1U : 0U;
    } else if constexpr (input == MatrixInput::f16) {
      const std::uint32_t half = (word >> (16 * part)) & 0xffffU;
      value[lane] = widen_half(half);
      hard |= (half & 0x7fffU) >= 0x7c00U ? 1U : 0U;
    } else {
      // Bits that are the upper ones of binary32's.
      const std::uint32_t bits =
          input == MatrixInput::bf16 ? (word << (16 * (1 - part))) & 0xffff0000U : word & 0xffffe000U;
      const std::uint32_t magnitude = bits & magnitude_bits;
      value[lane] = as_float(bits);
      hard |= magnitude - 1 < least_factor - 1 || magnitude >= most_factor ? 1U : 0U;
    }
  }
  return hard;
}

// A denormal of few bits counts as if its leading bit were that of the smallest normal number.
template <MatrixInput input>
inline void take_powers(const float* value, unsigned count, float* power) {
  constexpr std::uint32_t least = input == MatrixInput::e4m3 ? (bias - 6) << 23
                                  : input == MatrixInput::f16 || input == MatrixInput::e5m2
                                      ? (bias - 14) << 23
                                      : 0;
  WARPGAUGE_LANES
  for (unsigned i = 0; i < count; ++i) {
    const auto own = static_cast<std::int32_t>(as_bits(value[i]) & exponent_bits);
    const auto floor = static_cast<std::int32_t>(value[i] == 0.0F ? 0U : least);
    power[i] = as_float(static_cast<std::uint32_t>(own > floor ? own : floor));
  }
}

// All factors of an instruction. A's by word and part, lane by lane: 4 * row + t of its row group; B's by k
// and column.
struct Factors {
  float a[most_words * 4][lanes];
  float a_power[most_words * 4][lanes];
  float b[most_of_k][columns];
  float b_power[most_of_k][columns];
};

// The sums of eight rows: their integers in units of `quantum`, of the first products with the accumulator
// and of the others, which together may not fit 32 bits.
struct Sums {
  std::int32_t first[of_group];
  std::int32_t second[of_group];
  std::int32_t quantum[of_group];  // the bits of a float
};

// Calls step(factor of A for each of `rows` rows, factors of B) for `count` k's from `begin` on, which is a
// multiple of `count`. A lane's word has `per_word` of them.
template <unsigned per_word, unsigned count, unsigned rows, class Step>
inline void each_k(const float (*a)[lanes], const float (*b)[columns], unsigned begin, unsigned row_group,
                   unsigned first_row, Step step) {
  constexpr unsigned of_word = 4 * per_word;
  constexpr unsigned words = count < of_word ? 1 : count / of_word;
  constexpr unsigned places = count < of_word ? count / per_word : 4;
  const unsigned first_word = begin / of_word;
  const float* const first =
      &a[(2 * first_word + row_group) * per_word][4 * first_row + begin % of_word / per_word];
  const float* column = b[begin];
  for (unsigned word = 0; word < words; ++word) {
    for (unsigned t = 0; t < places; ++t) {
      for (unsigned part = 0; part < per_word; ++part) {
        step(first + (2 * word * per_word + part) * lanes + t, at(column));
        column += columns;
      }
    }
  }
}

// c + the products of `count` k's as the tensor core adds them: exact products, all cut off `fraction` bits
// below the largest exponent.
template <unsigned per_word, unsigned count>
inline void add_rows(const Factors& factors, unsigned begin, unsigned row_group, unsigned first_row,
                     unsigned fraction, const float* c, Sums& sums) {
  constexpr unsigned rows = 4;
  const Integers floor = Integers{} + static_cast<std::int32_t>((bias - 86) << 23);
  Floats accumulator[rows];
  Integers power[rows];  // the bits of positive floats: in the order of their values
  for (unsigned r = 0; r < rows; ++r) {
    accumulator[r] = at(c + (first_row + r) * columns);
    const Integers own =
        reinterpret_cast<Integers>(accumulator[r]) & static_cast<std::int32_t>(exponent_bits);
    power[r] = own > floor ? own : floor;
  }
  each_k<per_word, count, rows>(factors.a_power, factors.b_power, begin, row_group, first_row,
                                [&](const float* a, const FloatsAt& b) {
                                  for (unsigned r = 0; r < rows; ++r) {
                                    const auto product = reinterpret_cast<Integers>(b * a[4 * r]);
                                    power[r] = power[r] > product ? power[r] : product;
                                  }
                                });
  Integers sum[rows];
  Floats scale[rows];
  for (unsigned r = 0; r < rows; ++r) {
    // 2 * bias + fraction would be too much for a signed exponent's place.
    const Integers above_one = power[r] - static_cast<std::int32_t>(bias << 23);
    scale[r] = reinterpret_cast<Floats>(static_cast<std::int32_t>((bias + fraction) << 23) - above_one);
    const Integers quantum = power[r] - static_cast<std::int32_t>(fraction << 23);
    at(sums.quantum + (first_row + r) * columns) = quantum;
    sum[r] = __builtin_convertvector(accumulator[r] * scale[r], Integers);
  }
  const auto add = [&](const float* a, const FloatsAt& b) {
    for (unsigned r = 0; r < rows; ++r) sum[r] += __builtin_convertvector(b * a[4 * r] * scale[r], Integers);
  };
  // Of bytes' products fewer bits are kept.
  constexpr unsigned half = count > 16 ? count / 2 : count > 8 && per_word < 4 ? 8 : count;
  each_k<per_word, half, rows>(factors.a, factors.b, begin, row_group, first_row, add);
  for (unsigned r = 0; r < rows; ++r) {
    at(sums.first + (first_row + r) * columns) = sum[r];
    sum[r] = Integers{};
  }
  if constexpr (count > half)
    each_k<per_word, half, rows>(factors.a, factors.b, begin + half, row_group, first_row, add);
  for (unsigned r = 0; r < rows; ++r) at(sums.second + (first_row + r) * columns) = sum[r];
}

// What is left of a sum in binary32: cut off.
inline float cut_off(const Sums& sums, unsigned i) {
  const double whole = static_cast<double>(sums.first[i]) + static_cast<double>(sums.second[i]);
  return static_cast<float>(as_double(as_bits(whole) & ~((std::uint64_t{1} << 29) - 1))) *
         as_float(static_cast<std::uint32_t>(sums.quantum[i]));
}

// What of that is stored: of bytes' products not all.
template <unsigned per_word>
inline float kept(float sum) {
  return per_word == 4 ? as_float(as_bits(sum) & byte_float_kept_bits) : sum;
}

// …and in binary16: rounded to nearest, and positive where it becomes zero.
inline std::uint32_t rounded_half(const Sums& sums, unsigned i) {
  const double whole = static_cast<double>(sums.first[i]) + static_cast<double>(sums.second[i]);
  // To binary32 with what is lost in its last bit, so that the second rounding is that of the whole sum.
  constexpr std::uint64_t lost_bits = (std::uint64_t{1} << 29) - 1;
  const std::uint64_t raw = as_bits(whole);
  const std::uint64_t odd = (raw & ~lost_bits) | ((raw & lost_bits) != 0 ? lost_bits + 1 : 0);
  const std::uint32_t bits =
      as_bits(static_cast<float>(as_double(odd)) * as_float(static_cast<std::uint32_t>(sums.quantum[i])));
  const std::uint32_t magnitude = bits & magnitude_bits;
  const std::uint32_t normal = (magnitude - ((bias - 15) << 23) + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  // Below the smallest normal half the last bit is 2^-24, which is that of 0.5 in binary32.
  const std::uint32_t denormal = as_bits(as_float(magnitude) + 0.5F) - as_bits(0.5F);
  const std::uint32_t half = magnitude < (bias - 14) << 23 ? denormal : normal < 0x7c00U ? normal : 0x7c00U;
  return half == 0 ? 0 : half | ((bits >> 16) & 0x8000U);
}

// Where a dense product's registers, element by element and lane by lane, have column k of row g, or of row g + 8.
inline float& written_out(float (*to)[lanes], unsigned per_word, unsigned k, unsigned upper, unsigned g) {
  const unsigned in_word = k % (4 * per_word);
  return to[(k / (4 * per_word) * 2 + upper) * per_word + in_word % per_word][4 * g + in_word / per_word];
}

// What is to be in Factors::a of a sparse A: all columns, of which half are zeros; zeros add nothing, and of
// four columns next to each other two are none, so that a sum of as many columns has room as a dense one of
// half. Not zero if any of it has to go the slow way, as two elements of one column do.
template <MatrixInput of_a, unsigned words>
inline std::uint32_t write_out(Warp& warp, const MicroOp& op, float (*to)[lanes]) {
  constexpr unsigned per_word = elements_of_word(of_a);
  constexpr SparseForm form = sparse_form(32 / per_word);
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const metadata = source(warp, op.d);
  const auto selector = static_cast<unsigned>(op.immediate);
  __builtin_memset(to, 0, std::size_t{2} * words * per_word * lanes * sizeof(float));
  std::uint32_t hard = 0;
  for (unsigned word = 0; word < words; ++word) {
    std::uint64_t taken[lanes] = {};
    for (unsigned part = 0; part < per_word; ++part) {
      float value[lanes];
      hard |= convert<of_a>(a + word * lanes, op.xor_mask[0], part, value);
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const unsigned k = sparse_place(metadata, form, selector, words / 2, lane, word % 2, word / 2, part);
        if constexpr (per_word == 1) {
          const std::uint32_t choice =
              sparse_choice(metadata, form, selector, 2 * words, lane / 4, word % 2, word / 2 * 4 + lane % 4);
          hard |= choice != 4 && choice != 14 ? 1U : 0U;
        }
        hard |= static_cast<std::uint32_t>(taken[lane] >> k) & 1U;
        taken[lane] |= std::uint64_t{1} << k;
        written_out(to, per_word, k, word % 2, lane / 4) = value[lane];
      }
    }
  }
  return hard;
}

template <MatrixInput of_a, MatrixInput of_b, unsigned words, bool sparse = false>
void multiply_floats(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  constexpr unsigned per_word = elements_of_word(of_a);
  constexpr unsigned k_of_word = 4 * per_word;
  constexpr unsigned k = words * k_of_word;
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  const std::uint32_t* const c = source(warp, op.c);
  const bool half = (op.extra & matrix_f16_result) != 0;

  std::uint32_t hard = 0;
  float sum[2 * of_group];
  const auto take = [&](float* to, auto get) {
    std::uint32_t bits[2][lanes];
    for (unsigned part = 0; part < 2; ++part) {
      WARPGAUGE_LANES
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const std::uint32_t own = get(lane, part);
        const std::uint32_t magnitude = own & magnitude_bits;
        bits[part][lane] = own;
        hard |= magnitude - 1 < least_sum - 1 || magnitude >= most_sum ? 1U : 0U;
      }
    }
    // Together, and long before they are read: parts that are read as one vector must have left the store
    // queue.
    WARPGAUGE_LANES
    for (unsigned lane = 0; lane < lanes; ++lane) {
      to[2 * lane] = as_float(bits[0][lane]);
      to[2 * lane + 1] = as_float(bits[1][lane]);
    }
  };
  for (unsigned upper = 0; upper < 2; ++upper) {
    const std::uint32_t* const from = c + (half ? upper : 2 * upper) * lanes;
    if (half) {
      take(sum + upper * of_group, [=](unsigned lane, unsigned part) {
        const std::uint32_t bits = (from[lane] >> (16 * part)) & 0xffffU;
        return (bits & 0x7fffU) >= 0x7c00U ? exponent_bits : as_bits(widen_half(bits));
      });
    } else {
      take(sum + upper * of_group, [=](unsigned lane, unsigned part) { return from[part * lanes + lane]; });
    }
  }
  Factors factors;
  if constexpr (sparse) {
    hard |= write_out<of_a, words>(warp, op, factors.a);
  } else {
    for (unsigned word = 0; word < 2 * words; ++word)
      for (unsigned part = 0; part < per_word; ++part)
        hard |= convert<of_a>(a + word * lanes, op.xor_mask[0], part, factors.a[word * per_word + part]);
  }
  for (unsigned word = 0; word < words; ++word) {
    for (unsigned part = 0; part < per_word; ++part) {
      float value[lanes];
      hard |= convert<of_b>(b + word * lanes, op.xor_mask[1], part, value);
      spread(value, factors.b[word * k_of_word + part], per_word * columns);
    }
  }
  if (hard != 0) {
    scalar::matrix_half(block, warp, op, mask);
    return;
  }
  take_powers<of_a>(factors.a[0], 2 * words * per_word * lanes, factors.a_power[0]);
  take_powers<of_b>(factors.b[0], k * columns, factors.b_power[0]);

  std::uint32_t result[2 * of_group];
  const auto add = [&]<unsigned count>() {
    for (unsigned upper = 0; upper < 2; ++upper) {
      float* const own = sum + upper * of_group;
      std::uint32_t* const out = result + upper * of_group;
      for (unsigned begin = 0; begin < k; begin += count) {
        Sums sums;
        add_rows<per_word, count>(factors, begin, upper, 0, op.bytes, own, sums);
        add_rows<per_word, count>(factors, begin, upper, 4, op.bytes, own, sums);
        if (half && begin + count == k) {
          WARPGAUGE_LANES
          for (unsigned i = 0; i < of_group; ++i) out[i] = rounded_half(sums, i);
        } else {
          WARPGAUGE_LANES
          for (unsigned i = 0; i < of_group; ++i) own[i] = kept<per_word>(cut_off(sums, i));
        }
      }
      if (!half) __builtin_memcpy(out, own, of_group * sizeof(float));
    }
  };
  const unsigned together = sparse ? 2U * op.mode3 : op.mode3;  // columns
  if (together <= 4 || k == 4) {
    add.template operator()<4>();
  } else if (together <= 8 || k == 8) {
    add.template operator()<(k < 8 ? k : 8)>();
  } else if (together <= 16 || k == 16) {
    add.template operator()<(k < 16 ? k : 16)>();
  } else if (together <= 32 || k == 32) {
    add.template operator()<(k < 32 ? k : 32)>();
  } else {
    add.template operator()<k>();
  }
  if (half) {
    std::uint32_t* const d = row(warp, op.destination);
    for (unsigned upper = 0; upper < 2; ++upper) {
      const std::uint32_t* const pairs = result + upper * of_group;
      for_lanes(d + upper * lanes, mask,
                [=](unsigned lane) { return pairs[2 * lane] | (pairs[2 * lane + 1] << 16); });
    }
  } else {
    store_pairs(warp, op, mask, result, 2);
  }
}

template <MatrixInput input>
void multiply_alike(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (op.mode == 1)
    multiply_floats<input, input, 1>(block, warp, op, mask);
  else
    multiply_floats<input, input, 2>(block, warp, op, mask);
}

// mode: registers of B (each 16 bytes of k a lane's quad; two of 8-bit formats), mode2: matrix_inputs(),
// mode3 and bytes: TensorSum. 16 by 8.
void matrix_half(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const bool wide_exponent = matrix_input_b(op.mode2) == MatrixInput::e5m2;
  switch (matrix_input_a(op.mode2)) {
    case MatrixInput::f16:
      return multiply_alike<MatrixInput::f16>(block, warp, op, mask);
    case MatrixInput::bf16:
      return multiply_alike<MatrixInput::bf16>(block, warp, op, mask);
    case MatrixInput::tf32:
      return multiply_alike<MatrixInput::tf32>(block, warp, op, mask);
    case MatrixInput::e4m3:
      return wide_exponent ? multiply_floats<MatrixInput::e4m3, MatrixInput::e5m2, 2>(block, warp, op, mask)
                           : multiply_floats<MatrixInput::e4m3, MatrixInput::e4m3, 2>(block, warp, op, mask);
    case MatrixInput::e5m2:
      return wide_exponent ? multiply_floats<MatrixInput::e5m2, MatrixInput::e5m2, 2>(block, warp, op, mask)
                           : multiply_floats<MatrixInput::e5m2, MatrixInput::e4m3, 2>(block, warp, op, mask);
  }
}

template <MatrixInput input>
void multiply_sparse(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (op.mode == 2)
    multiply_floats<input, input, 2, true>(block, warp, op, mask);
  else
    multiply_floats<input, input, 4, true>(block, warp, op, mask);
}

// As matrix_half, of a sparse A: half of it in as many registers. d: its metadata, immediate: the selector.
void matrix_half_sparse(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const bool wide_exponent = matrix_input_b(op.mode2) == MatrixInput::e5m2;
  switch (matrix_input_a(op.mode2)) {
    case MatrixInput::f16:
      return multiply_sparse<MatrixInput::f16>(block, warp, op, mask);
    case MatrixInput::bf16:
      return multiply_sparse<MatrixInput::bf16>(block, warp, op, mask);
    case MatrixInput::tf32:
      return multiply_sparse<MatrixInput::tf32>(block, warp, op, mask);
    case MatrixInput::e4m3:
      return wide_exponent
                 ? multiply_floats<MatrixInput::e4m3, MatrixInput::e5m2, 4, true>(block, warp, op, mask)
                 : multiply_floats<MatrixInput::e4m3, MatrixInput::e4m3, 4, true>(block, warp, op, mask);
    case MatrixInput::e5m2:
      return wide_exponent
                 ? multiply_floats<MatrixInput::e5m2, MatrixInput::e5m2, 4, true>(block, warp, op, mask)
                 : multiply_floats<MatrixInput::e5m2, MatrixInput::e4m3, 4, true>(block, warp, op, mask);
  }
}

// -----------------------------------------------------------------------------------------------------
// integers

// One element of each lane's word, as an exact binary32 number.
inline void convert_integer(const std::uint32_t* words, unsigned bits, unsigned i, bool is_signed,
                            float* value) {
  const unsigned left = 32 - bits * (i + 1);
  const unsigned right = 32 - bits;
  WARPGAUGE_LANES
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::uint32_t field = words[lane] << left;
    const std::int32_t number =
        is_signed ? static_cast<std::int32_t>(field) >> right : static_cast<std::int32_t>(field >> right);
    value[lane] = static_cast<float>(number);
  }
}

// Elements of A, lane by lane, as a dense product's registers have them: `row_groups` words next to each
// other for each of B's. Two of one column add up.
inline void write_out_integers(Warp& warp, const MicroOp& op, float (*to)[lanes]) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const metadata = source(warp, op.d);
  const auto selector = static_cast<unsigned>(op.immediate);
  const unsigned bits = op.bytes;
  const unsigned per_word = 32 / bits;
  const unsigned words = op.mode;
  const SparseForm form = sparse_form(bits);
  __builtin_memset(to, 0, std::size_t{2} * words * per_word * lanes * sizeof(float));
  for (unsigned word = 0; word < words; ++word) {
    for (unsigned part = 0; part < per_word; ++part) {
      float value[lanes];
      convert_integer(a + word * lanes, bits, part, (op.extra & matrix_a_signed) != 0, value);
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const unsigned k = sparse_place(metadata, form, selector, words / 2, lane, word % 2, word / 2, part);
        written_out(to, per_word, k, word % 2, lane / 4) += value[lane];
      }
    }
  }
}

// bytes: bits of an element, 8 or 4; mode: words of B a lane, mode3: rows / 8. The sums of at most 32
// products of 8 bits or 64 of 4, also of a sparse A, are below 2^22: exact in binary32, in any order.
template <bool sparse>
void multiply_integers(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  const std::uint32_t* const c = source(warp, op.c);
  const unsigned row_groups = op.mode3;
  const unsigned bits = op.bytes;
  const unsigned per_word = 32 / bits;
  const unsigned words = op.mode;
  float rows[(sparse ? 4 : 2) * 2 * 8][lanes];
  if constexpr (sparse) {
    write_out_integers(warp, op, rows);
  } else {
    for (unsigned word = 0; word < row_groups * words; ++word)
      for (unsigned i = 0; i < per_word; ++i)
        convert_integer(a + word * lanes, bits, i, (op.extra & matrix_a_signed) != 0,
                        rows[word * per_word + i]);
  }
  float factors[sparse ? most_k : most_k / 2][columns];
  for (unsigned word = 0; word < words; ++word) {
    for (unsigned i = 0; i < per_word; ++i) {
      float value[lanes];
      convert_integer(b + word * lanes, bits, i, (op.extra & matrix_b_signed) != 0, value);
      spread(value, factors[(word * per_word + i) * 4], columns);
    }
  }
  std::int32_t sums[2 * of_group];
  for (unsigned upper = 0; upper < row_groups; ++upper) {
    Floats sum[rows_of_group] = {};
    for (unsigned word = 0; word < words; ++word) {
      for (unsigned i = 0; i < per_word; ++i) {
        const float* const of_a = rows[(word * row_groups + upper) * per_word + i];
        for (unsigned t = 0; t < 4; ++t) {
          const Floats factor = at(factors[(word * per_word + i) * 4 + t]);
          for (unsigned r = 0; r < rows_of_group; ++r) sum[r] += factor * of_a[4 * r + t];
        }
      }
    }
    for (unsigned r = 0; r < rows_of_group; ++r) {
      const Integers whole = __builtin_convertvector(sum[r], Integers);
      at(sums + upper * of_group + r * columns) = whole;
    }
  }
  const bool saturates = (op.extra & matrix_saturate) != 0;
  std::uint32_t result[2 * of_group];
  for (unsigned word = 0; word < 2 * row_groups; ++word) {
    const unsigned first = word / 2 * of_group + word % 2;
    WARPGAUGE_LANES
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const std::uint32_t addend = c[word * lanes + lane];
      const auto product = static_cast<std::uint32_t>(sums[first + 2 * lane]);
      const std::uint32_t wrapped = addend + product;
      // Both have one sign and the sum has the other.
      const bool overflows = (((addend ^ wrapped) & (product ^ wrapped)) >> 31) != 0;
      const std::uint32_t limit = (addend >> 31) != 0 ? 0x80000000U : 0x7fffffffU;
      result[first + 2 * lane] = saturates && overflows ? limit : wrapped;
    }
  }
  store_pairs(warp, op, mask, result, row_groups);
}

void matrix_integer(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  multiply_integers<false>(warp, op, mask);
}

void matrix_integer_sparse(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  multiply_integers<true>(warp, op, mask);
}

// ------------------------------------------------------------------------------------------------------
// doubles

// A chain of fused multiply-adds in the order of k. mode: doubles of B a lane, mode3: rows / 8.
void matrix_double(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto get = [&](Row from, unsigned operand, unsigned number, unsigned lane) {
    const std::uint32_t* const w = source(warp, from) + 2 * number * lanes + lane;
    return as_double(wide(w[0], (w[lanes] & op.and_mask[operand]) ^ op.xor_mask[operand]));
  };
  const unsigned row_groups = op.mode3;
  double factors[16][columns];
  for (unsigned step = 0; step < op.mode; ++step)
    for (unsigned lane = 0; lane < lanes; ++lane)
      factors[4 * step + lane % 4][lane / 4] = get(op.b, 1, step, lane);
  std::uint32_t result[4 * 2][lanes];
  for (unsigned upper = 0; upper < row_groups; ++upper) {
    double sums[of_group];
    for (unsigned word = 0; word < 2; ++word)
      for (unsigned lane = 0; lane < lanes; ++lane)
        sums[2 * lane + word] = get(op.c, 2, 2 * upper + word, lane);
    for (unsigned step = 0; step < op.mode; ++step) {
      double of_a[lanes];
      for (unsigned lane = 0; lane < lanes; ++lane)
        of_a[lane] = get(op.a, 0, row_groups * step + upper, lane);
      for (unsigned r = 0; r < rows_of_group; ++r) {
        for (unsigned t = 0; t < 4; ++t) {
          const double* const of_b = factors[4 * step + t];
          const double factor = of_a[4 * r + t];
          double* const sum = sums + r * columns;
          WARPGAUGE_LANES
          for (unsigned column = 0; column < columns; ++column)
            sum[column] = std::fma(factor, of_b[column], sum[column]);
        }
      }
    }
    for (unsigned word = 0; word < 2; ++word) {
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const std::uint64_t bits = as_bits(sums[2 * lane + word]);
        result[2 * (2 * upper + word)][lane] = low_word(bits);
        result[2 * (2 * upper + word) + 1][lane] = high_word(bits);
      }
    }
  }
  std::uint32_t* const d = row(warp, op.destination);
  for (unsigned word = 0; word < 4 * row_groups; ++word)
    for_lanes(d + word * lanes, mask, [&](unsigned lane) { return result[word][lane]; });
}

}  // namespace

void WARPGAUGE_VARIANT(fill_matrix)(VectorKernels& table) {
#define FILL(KERNEL) table.KERNEL = KERNEL;
  FILL(matrix_half)
  FILL(matrix_half_sparse) FILL(matrix_integer) FILL(matrix_integer_sparse) FILL(matrix_double)
#undef FILL
}

}  // namespace warpgauge::emulator
