// Volta's HMMA, BMMA, and HMMA of operands that vector/matrix.cpp leaves: D = A B + C over the fragments of a
// warp, laid out as PTX's mma describes them. With g = lane / 4 and t = lane % 4: rows g and g + 8 of A and
// D, column g of B, columns 2t and 2t + 1 of D.
#include <algorithm>
#include <bit>
#include <cmath>

#include "traces/emulator/access.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/float_format.h"
#include "traces/emulator/matrix_modes.h"
#include "traces/emulator/sparse_places.h"

namespace warpgauge::emulator::scalar {
namespace {

// A finite number as significand * 2^exponent, with the exponent that its format's leading bit stands for.
struct Addend {
  std::int64_t significand = 0;
  int lowest = 0;    // exponent of the significand's last bit
  int exponent = 0;  // of the leading bit; a product's is the sum of its factors', normalised or not
};

struct Factor {
  std::int32_t significand = 0;  // signed
  std::int16_t lowest = 0;
  std::int16_t exponent = 0;
  bool infinite = false;
  bool nan = false;
};

Factor make_factor(std::uint32_t bits, unsigned mantissa, unsigned exponent_bits) {
  const std::uint32_t field = (bits >> mantissa) & ((1U << exponent_bits) - 1U);
  const std::uint32_t fraction = bits & ((1U << mantissa) - 1U);
  const bool negative = ((bits >> (mantissa + exponent_bits)) & 1U) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  Factor f;
  if (field == (1U << exponent_bits) - 1U) {
    f.infinite = fraction == 0;
    f.nan = fraction != 0;
    f.significand = negative ? -1 : 1;
    return f;
  }
  const auto significand = static_cast<std::int32_t>(field == 0 ? fraction : fraction | (1U << mantissa));
  f.significand = negative ? -significand : significand;
  f.exponent = static_cast<std::int16_t>((field == 0 ? 1 : static_cast<int>(field)) - bias);
  f.lowest = static_cast<std::int16_t>(f.exponent - static_cast<int>(mantissa));
  return f;
}

Factor input_factor(std::uint32_t bits, MatrixInput input) {
  switch (input) {
    case MatrixInput::f16:
      return make_factor(bits, 10, 5);
    case MatrixInput::bf16:
      return make_factor(bits, 7, 8);
    case MatrixInput::tf32:
      return make_factor(bits >> 13, 10, 8);
    case MatrixInput::e5m2:
      return make_factor(bits, 2, 5);
    case MatrixInput::e4m3: {
      // No infinities: the largest exponent is as any other, but for one NaN of each sign.
      if ((bits & 0x7fU) != 0x7fU && (bits & 0x78U) == 0x78U) {
        Factor f = make_factor(bits & ~0x40U, 3, 4);
        f.exponent = 8;
        f.lowest = 5;
        return f;
      }
      return make_factor(bits, 3, 4);
    }
  }
  return {};
}

// significand * 2^lowest, cut off to binary32.
std::uint32_t cut_to_float(std::int64_t significand, int lowest) {
  if (significand == 0) return 0;
  const std::uint32_t sign = significand < 0 ? 0x80000000U : 0;
  const auto magnitude = static_cast<std::uint64_t>(significand < 0 ? -significand : significand);
  const int top = 63 - __builtin_clzll(magnitude);
  const int exponent = top + lowest;
  if (exponent > 127) return sign | 0x7f800000U;
  const int last = std::max(exponent, -126) - 23;  // exponent of the result's last bit
  const int shift = last - lowest;
  const std::uint64_t kept = shift >= 64 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
  if (exponent < -126) return sign | static_cast<std::uint32_t>(kept);
  return sign | (static_cast<std::uint32_t>(exponent + 127) << 23) |
         (static_cast<std::uint32_t>(kept) & 0x7fffffU);
}

struct Special {
  bool nan = false;
  bool positive = false;  // an infinity of that sign takes part
  bool negative = false;
  void infinity(bool is_negative) { (is_negative ? negative : positive) = true; }
};

std::uint32_t float_to_half_bits(std::uint32_t bits) {
  return round_to_half(static_cast<double>(as_float(bits)), round_nearest);
}
std::uint32_t half_to_float_bits(std::uint32_t half) {
  return as_bits(half_to_float(half & 0xffffU));
}

constexpr unsigned most_k = 64;  // columns of a sparse A of bytes

// c + the products of one group, as the tensor core adds them. `c` is binary32; so is the result, cut off,
// unless it is to be binary16: that is the whole sum rounded to nearest, as the H200 gives it.
std::uint32_t add_group(const Factor* a, const Factor* b, unsigned count, std::uint32_t c, int fraction_bits,
                        bool to_half) {
  const auto in_format = [to_half](std::uint32_t bits) { return to_half ? float_to_half_bits(bits) : bits; };
  const Factor accumulator = make_factor(c, 23, 8);
  Special special;
  special.nan = accumulator.nan;
  if (accumulator.infinite) special.infinity(accumulator.significand < 0);
  Addend addends[most_k + 1];
  unsigned used = 0;
  if (!accumulator.infinite && !accumulator.nan && accumulator.significand != 0)
    addends[used++] = {accumulator.significand, accumulator.lowest, accumulator.exponent};
  for (unsigned k = 0; k < count; ++k) {
    if (a[k].nan || b[k].nan) {
      special.nan = true;
    } else if (a[k].infinite || b[k].infinite) {
      if (a[k].significand == 0 || b[k].significand == 0)
        special.nan = true;
      else
        special.infinity((a[k].significand < 0) != (b[k].significand < 0));
    } else if (a[k].significand != 0 && b[k].significand != 0) {
      addends[used++] = {std::int64_t{a[k].significand} * b[k].significand, a[k].lowest + b[k].lowest,
                         a[k].exponent + b[k].exponent};
    }
  }
  if (special.nan || (special.positive && special.negative)) return in_format(canonical_nan32);
  if (special.positive || special.negative) return in_format(special.negative ? 0xff800000U : 0x7f800000U);
  // A sum of zeros alone: negative only if the accumulator is and no product was positive.
  if (used == 0) return in_format(c & 0x7fffffffU);
  int largest = addends[0].exponent;
  for (unsigned k = 1; k < used; ++k) largest = std::max(largest, addends[k].exponent);
  const int quantum = largest - fraction_bits;
  std::int64_t sum = 0;
  for (unsigned k = 0; k < used; ++k) {
    const int shift = addends[k].lowest - quantum;
    const std::int64_t magnitude = std::abs(addends[k].significand);
    const std::int64_t aligned = shift >= 0 ? magnitude << shift : shift <= -63 ? 0 : magnitude >> -shift;
    sum += addends[k].significand < 0 ? -aligned : aligned;
  }
  if (to_half) {
    const std::uint32_t rounded = round_to_half(std::ldexp(static_cast<double>(sum), quantum), round_nearest);
    return rounded == 0x8000U ? 0 : rounded;  // what rounds to zero is positive
  }
  return cut_to_float(sum, quantum);
}

// One element of D, in its format: the products of a row and a column, group by group.
std::uint32_t dot(const Factor* a, const Factor* b, unsigned k, std::uint32_t c, TensorSum how,
                  bool to_half) {
  for (unsigned first = 0; first < k; first += how.group)
    c = add_group(a + first, b + first, std::min(how.group, k - first), c, how.fraction_bits,
                  to_half && first + how.group >= k);
  return c;
}

TensorSum how_to_add(const MicroOp& op) {
  return {op.mode3, op.bytes};
}

// The accumulator of one element, in any of the registers' formats.
struct Accumulator {
  const std::uint32_t* words;
  bool half;
  // Element 0, 1: row g, columns 2t and 2t + 1; 2, 3: row g + 8.
  [[nodiscard]] std::uint32_t get(unsigned lane, unsigned element) const {
    if (!half) return words[element * lanes + lane];
    return half_to_float_bits(words[element / 2 * lanes + lane] >> (16 * (element % 2)));
  }
};

}  // namespace

// HMMA from Turing on and a warpgroup's product of eight columns, of any operands, A sparse or not. mode:
// registers of B (each 16 bytes of k a lane's quad), mode2: matrix_inputs(), mode3 and bytes: TensorSum. 16
// by 8. Of a sparse A d is the metadata and immediate the selector.
void matrix_half(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  const MatrixInput of_a = matrix_input_a(op.mode2);
  const MatrixInput of_b = matrix_input_b(op.mode2);
  const unsigned per_word = elements_of_word(of_a);
  const bool sparse = (op.extra & matrix_sparse) != 0;
  const unsigned k_words = op.mode;
  const unsigned a_words = sparse ? k_words / 2 : k_words;
  const unsigned stored = a_words * 4 * per_word;  // elements of a row of A that its registers hold
  const SparseForm form = sparse_form(32 / per_word);
  const bool halves = sparse && per_word == 1;  // chosen one by one
  Factor rows[16][most_k];
  std::uint8_t choices[16][most_k];  // of a sparse A: the k of each, or which halves
  Factor columns[8][most_k];
  std::uint32_t words_of_b[8][most_k];
  const auto field = [&](std::uint32_t bits, unsigned part) {
    return per_word == 1 ? bits : (bits >> (32 / per_word * part)) & ((1U << 32 / per_word) - 1U);
  };
  const auto choice = [&](unsigned lane, unsigned upper, unsigned word, unsigned part) {
    const auto selector = static_cast<unsigned>(op.immediate);
    const std::uint32_t* const metadata = source(warp, op.d);
    return halves ? sparse_choice(metadata, form, selector, stored, lane / 4, upper, 4 * word + lane % 4)
                  : sparse_place(metadata, form, selector, a_words, lane, upper, word, part);
  };
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const unsigned g = lane / 4;
    const unsigned t = lane % 4;
    // Registers of A: rows g and g + 8 for the first k's, then for the next ones.
    for (unsigned word = 0; word < a_words; ++word) {
      for (unsigned upper = 0; upper < 2; ++upper) {
        const std::uint32_t bits = (a[(2 * word + upper) * lanes + lane] & op.and_mask[0]) ^ op.xor_mask[0];
        for (unsigned part = 0; part < per_word; ++part) {
          const unsigned at = (4 * word + t) * per_word + part;
          rows[g + 8 * upper][at] = input_factor(field(bits, part), of_a);
          if (sparse) choices[g + 8 * upper][at] = static_cast<std::uint8_t>(choice(lane, upper, word, part));
        }
      }
    }
    for (unsigned word = 0; word < k_words; ++word) {
      const std::uint32_t bits = (b[word * lanes + lane] & op.and_mask[1]) ^ op.xor_mask[1];
      words_of_b[g][4 * word + t] = bits;
      for (unsigned part = 0; part < per_word; ++part)
        columns[g][(4 * word + t) * per_word + part] = input_factor(field(bits, part), of_b);
    }
  }
  const auto of_column = [&](unsigned column, unsigned row_of_a, unsigned k) {
    const unsigned chosen = choices[row_of_a][k];
    return halves ? input_factor(sparse_tf32(words_of_b[column] + 2 * k, chosen), of_b)
                  : columns[column][chosen];
  };
  const bool half = (op.extra & matrix_f16_result) != 0;
  const Accumulator c{source(warp, op.c), half};
  const TensorSum how = how_to_add(op);
  std::uint32_t result[4][lanes];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (unsigned element = 0; element < 4; ++element) {
      const unsigned row_of_a = lane / 4 + 8 * (element / 2);
      const unsigned column = 2 * (lane % 4) + element % 2;
      Factor chosen[most_k];
      for (unsigned k = 0; sparse && k < stored; ++k) chosen[k] = of_column(column, row_of_a, k);
      const std::uint32_t sum =
          dot(rows[row_of_a], sparse ? chosen : columns[column], stored, c.get(lane, element), how, half);
      const bool finite = (sum & 0x7f800000U) != 0x7f800000U;
      result[element][lane] = per_word == 4 && !half && finite ? sum & byte_float_kept_bits : sum;
    }
  }
  std::uint32_t* const d = row(warp, op.destination);
  each_lane(mask, [&](unsigned lane) {
    if (half) {
      for (unsigned word = 0; word < 2; ++word)
        d[word * lanes + lane] = result[2 * word][lane] | (result[2 * word + 1][lane] << 16);
    } else {
      for (unsigned element = 0; element < 4; ++element) d[element * lanes + lane] = result[element][lane];
    }
  });
}

// Volta's HMMA.884: each quad pair (lanes 4q…4q+3 and 4q+16…4q+19) computes an 8 by 8 product over k = 4, a
// step of its columns at a time. mode: step.
void matrix_half_volta(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  const std::uint32_t* const c = source(warp, op.c);
  const TensorSum how = how_to_add(op);
  const bool half = (op.extra & matrix_f16_result) != 0;
  const auto element_of = [](const std::uint32_t* words, unsigned lane, unsigned i) {
    return (words[i / 2 * lanes + lane] >> (16 * (i % 2))) & 0xffffU;
  };
  std::uint32_t result[2][lanes];
  for (unsigned quad = 0; quad < 4; ++quad) {
    Factor rows[8][4];
    Factor columns[8][4];
    for (unsigned upper = 0; upper < 2; ++upper) {
      for (unsigned n = 0; n < 4; ++n) {
        const unsigned lane = 4 * quad + 16 * upper + n;
        for (unsigned i = 0; i < 4; ++i) {
          const Factor from_a = input_factor(element_of(a, lane, i), MatrixInput::f16);
          const Factor from_b = input_factor(element_of(b, lane, i), MatrixInput::f16);
          if ((op.extra & matrix_a_column) != 0)
            rows[i + 4 * upper][n] = from_a;
          else
            rows[n + 4 * upper][i] = from_a;
          if ((op.extra & matrix_b_column) != 0)
            columns[n + 4 * upper][i] = from_b;
          else
            columns[i + 4 * upper][n] = from_b;
        }
      }
    }
    for (unsigned upper = 0; upper < 2; ++upper) {
      for (unsigned n = 0; n < 4; ++n) {
        const unsigned lane = 4 * quad + 16 * upper + n;
        if (half) {
          for (unsigned word = 0; word < 2; ++word) {
            std::uint32_t packed = 0;
            for (unsigned part = 0; part < 2; ++part) {
              const unsigned column = 4U * op.mode + 2 * word + part;
              const std::uint32_t sum =
                  dot(rows[n + 4 * upper], columns[column], 4,
                      half_to_float_bits(c[word * lanes + lane] >> (16 * part)), how, true);
              packed |= sum << (16 * part);
            }
            result[word][lane] = packed;
          }
        } else {
          for (unsigned word = 0; word < 2; ++word) {
            const unsigned i = 2U * op.mode + word;
            const unsigned r = (n & 1U) + (i & 2U) + 4 * upper;
            const unsigned column = (i & 4U) + (n & 2U) + (i & 1U);
            result[word][lane] = dot(rows[r], columns[column], 4, c[word * lanes + lane], how, false);
          }
        }
      }
    }
  }
  std::uint32_t* const d = row(warp, op.destination);
  each_lane(mask, [&](unsigned lane) {
    d[lane] = result[0][lane];
    d[lanes + lane] = result[1][lane];
  });
}

// BMMA: bits joined by XOR or AND, counted and summed over k. mode: words of k a lane, mode3: rows / 8.
void matrix_binary(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  const std::uint32_t* const c = source(warp, op.c);
  const bool conjunction = (op.extra & matrix_and) != 0;
  const unsigned row_groups = op.mode3;
  std::uint32_t result[4][lanes];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (unsigned element = 0; element < 2 * row_groups; ++element) {
      const unsigned g = lane / 4;
      const unsigned upper = element / 2;
      const unsigned column = 2 * (lane % 4) + element % 2;
      std::uint32_t sum = c[element * lanes + lane];
      for (unsigned word = 0; word < op.mode; ++word) {
        for (unsigned t = 0; t < 4; ++t) {
          const std::uint32_t x = a[(row_groups * word + upper) * lanes + 4 * g + t];
          const std::uint32_t y = b[word * lanes + 4 * column + t];
          sum += static_cast<std::uint32_t>(std::popcount(conjunction ? x & y : x ^ y));
        }
      }
      result[element][lane] = sum;
    }
  }
  std::uint32_t* const d = row(warp, op.destination);
  each_lane(mask, [&](unsigned lane) {
    for (unsigned element = 0; element < 2 * row_groups; ++element)
      d[element * lanes + lane] = result[element][lane];
  });
}

}  // namespace warpgauge::emulator::scalar
