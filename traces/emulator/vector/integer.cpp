// Integer and logic instructions of a whole warp. Compiled once per host instruction set.
// Semantics: the reference on SASS encoding, section 3.1, and PTX ISA for the byte and bit operations.
#include "traces/emulator/vector/lanes.h"
#include "traces/emulator/vector/variant.h"

namespace warpgauge::emulator {
namespace {

void mov(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain b{source(w, op.b)};
  for_lanes(row(w, op.destination), mask, [=](unsigned i) { return b[i]; });
}

void sel(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  const Input b = input_b(w, op);
  const std::uint32_t choose = value(w, op.p);
  for_lanes(row(w, op.destination), mask,
            [=](unsigned i) { return (choose & lane_bit[i]) != 0 ? a[i] : b[i]; });
}

void iadd3(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  const Input b = input_b(w, op);
  const Input c = input_c(w, op);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) { return a[i] + b[i] + c[i]; });
}

// With carries in (p, q) and out: the exact sum's bits 32 and up are the number of carries, 0…2.
void iadd3_carry(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  const Input b = input_b(w, op);
  const Input c = input_c(w, op);
  const std::uint32_t p = value(w, op.p);
  const std::uint32_t q = value(w, op.q);
  const std::uint64_t ones = std::uint64_t{op.add[0]} + op.add[1] + op.add[2];
  const auto sum = [=](unsigned i) {
    return std::uint64_t{a.partial(i)} + b.partial(i) + c.partial(i) + ones + lane_of(p, i) + lane_of(q, i);
  };
  std::uint32_t low[lanes];
  std::uint32_t carry[lanes];
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) {
    const std::uint64_t s = sum(i);
    low[i] = low_word(s);
    carry[i] = high_word(s);
  }
  const std::uint32_t one = gather_bits([&](unsigned i) { return carry[i] >= 1; });
  const std::uint32_t two = gather_bits([&](unsigned i) { return carry[i] >= 2; });
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return low[i]; });
  set_predicate(w, op.predicate_destination, one, mask);
  set_predicate(w, op.predicate_destination2, two, mask);
}

void imad(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const Input c = input_c(w, op);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) { return a[i] * b[i] + c[i]; });
}

// Any modifiers, carry in, carry out of the 32-bit addition.
void imad_extended(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  const Input b = input_b(w, op);
  const Input c = input_c(w, op);
  const std::uint32_t p = value(w, op.p);
  const std::uint64_t one = op.add[2];
  std::uint32_t low[lanes];
  std::uint32_t carry[lanes];
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) {
    const std::uint64_t s = std::uint64_t{a[i] * b[i]} + c.partial(i) + one + lane_of(p, i);
    low[i] = low_word(s);
    carry[i] = high_word(s);
  }
  const std::uint32_t out = gather_bits([&](unsigned i) { return carry[i] != 0; });
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return low[i]; });
  set_predicate(w, op.predicate_destination, out, mask);
}

inline std::uint64_t signed_product(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                    static_cast<std::int32_t>(b));
}

void imad_wide_signed(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const std::uint32_t* const c = source(w, op.c);
  for_lanes_wide(row(w, op.destination), mask,
                 [=](unsigned i) { return signed_product(a[i], b[i]) + wide(c[i], c[i + lanes]); });
}

void imad_wide_unsigned(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const std::uint32_t* const c = source(w, op.c);
  for_lanes_wide(row(w, op.destination), mask,
                 [=](unsigned i) { return std::uint64_t{a[i]} * b[i] + wide(c[i], c[i + lanes]); });
}

// mode: 1 signed. Negation of the addend is NOT plus one, and the one takes part in the carry.
struct WideSum {
  std::uint64_t low;
  bool carry;
};

inline WideSum wide_sum(const Warp& w, const MicroOp& op, unsigned i) {
  const std::uint32_t a = input_a(w, op)[i];
  const std::uint32_t b = input_b(w, op)[i];
  const std::uint32_t* const c = source(w, op.c);
  const std::uint64_t product = op.mode != 0 ? signed_product(a, b) : std::uint64_t{a} * b;
  const std::uint64_t addend =
      wide((c[i] & op.and_mask[2]) ^ op.xor_mask[2], (c[i + lanes] & op.and_mask[2]) ^ op.xor_mask[2]);
  const std::uint64_t first = product + addend;
  const std::uint64_t second = first + op.add[2] + lane_of(value(w, op.p), i);
  return {second, first < product || second < first};
}

void imad_wide_carry(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  WideSum sums[lanes];
  for (unsigned i = 0; i < lanes; ++i) sums[i] = wide_sum(w, op, i);
  for_lanes_wide(row(w, op.destination), mask, [&](unsigned i) { return sums[i].low; });
  set_predicate(w, op.predicate_destination, gather_bits([&](unsigned i) { return sums[i].carry; }), mask);
}

void imad_high(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  WideSum sums[lanes];
  for (unsigned i = 0; i < lanes; ++i) sums[i] = wide_sum(w, op, i);
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return high_word(sums[i].low); });
  set_predicate(w, op.predicate_destination, gather_bits([&](unsigned i) { return sums[i].carry; }), mask);
}

// extra: shift. mode: 1 = high part of c:a shifted; mode2: 1 = c is the sign of a.
void lea(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Input b = input_b(w, op);
  const Plain c{source(w, op.c)};
  const unsigned shift = op.extra;
  const std::uint32_t p = value(w, op.p);
  const bool high = op.mode != 0;
  const bool from_sign = op.mode2 != 0;
  const std::uint32_t flip = op.xor_mask[0];
  const std::uint64_t ones = std::uint64_t{op.add[0]} + op.add[1];
  std::uint32_t low[lanes];
  std::uint32_t carry[lanes];
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) {
    const std::uint32_t sign = static_cast<std::uint32_t>(static_cast<std::int32_t>(a[i]) >> 31);
    const std::uint64_t pair = wide(a[i], from_sign ? sign : c[i]) << shift;
    const std::uint32_t term = (high ? high_word(pair) : low_word(pair)) ^ flip;
    const std::uint64_t s = std::uint64_t{term} + b.partial(i) + ones + lane_of(p, i);
    low[i] = low_word(s);
    carry[i] = high_word(s);
  }
  const std::uint32_t out = gather_bits([&](unsigned i) { return carry[i] != 0; });
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return low[i]; });
  set_predicate(w, op.predicate_destination, out, mask);
}

// Bit (a << 2 | b << 1 | c) of the table, for each bit of the operands.
struct TruthTable {
  std::uint32_t m[8];
  explicit TruthTable(std::uint32_t lut) {
    for (unsigned k = 0; k < 8; ++k) m[k] = 0U - ((lut >> k) & 1U);
  }
  [[nodiscard]] std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t b0c = m[0] ^ ((m[0] ^ m[1]) & c);
    const std::uint32_t b1c = m[2] ^ ((m[2] ^ m[3]) & c);
    const std::uint32_t d0c = m[4] ^ ((m[4] ^ m[5]) & c);
    const std::uint32_t d1c = m[6] ^ ((m[6] ^ m[7]) & c);
    const std::uint32_t low = b0c ^ ((b0c ^ b1c) & b);
    const std::uint32_t high = d0c ^ ((d0c ^ d1c) & b);
    return low ^ ((low ^ high) & a);
  }
};

void lop3(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  const Input b = input_b(w, op);
  const Input c = input_c(w, op);
  const TruthTable table(op.extra);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) { return table.apply(a[i], b[i], c[i]); });
}

void lop3_and(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  for_lanes(row(w, op.destination), mask, [=](unsigned i) { return a[i] & b[i]; });
}

void lop3_or(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  for_lanes(row(w, op.destination), mask, [=](unsigned i) { return a[i] | b[i]; });
}

void lop3_xor(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  for_lanes(row(w, op.destination), mask, [=](unsigned i) { return a[i] ^ b[i]; });
}

// Pd = (result != 0) OR Ps; mode 1: AND.
void lop3_predicate(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  const Input b = input_b(w, op);
  const Input c = input_c(w, op);
  const TruthTable table(op.extra);
  std::uint32_t result[lanes];
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) result[i] = table.apply(a[i], b[i], c[i]);
  const std::uint32_t set = gather_bits([&](unsigned i) { return result[i] != 0; });
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return result[i]; });
  const std::uint32_t other = value(w, op.p);
  set_predicate(w, op.predicate_destination, op.mode != 0 ? set & other : set | other, mask);
}

// extra2: 31 where the shift wraps, all ones where it is clamped.
void shift_left_low(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const std::uint32_t keep = op.extra2;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint32_t n = b[i] & keep;
    return n < 32 ? a[i] << (n & 31U) : 0U;
  });
}

void shift_right_high_unsigned(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain b{source(w, op.b)};
  const Plain c{source(w, op.c)};
  const std::uint32_t keep = op.extra2;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint32_t n = b[i] & keep;
    return n < 32 ? c[i] >> (n & 31U) : 0U;
  });
}

void shift_right_high_signed(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain b{source(w, op.b)};
  const Plain c{source(w, op.c)};
  const std::uint32_t keep = op.extra2;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint32_t n = b[i] & keep;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(c[i]) >> (n < 32 ? n : 31U));
  });
}

// c:a shifted. mode: 1 = right, mode2: 1 = arithmetic, mode3: 1 = high word. extra: 32 or 64, the width that
// shift counts wrap at or are clamped to; extra2: 1 = wrap.
void funnel(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const Plain c{source(w, op.c)};
  const std::uint32_t width = op.extra;
  const bool wrap = op.extra2 != 0;
  const bool right = op.mode != 0;
  const bool arithmetic = op.mode2 != 0;
  const bool high = op.mode3 != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint64_t x = wide(a[i], c[i]);
    const std::uint32_t n = wrap ? b[i] & (width - 1) : (b[i] < width ? b[i] : width);
    const std::uint32_t step = n & 63U;
    const std::uint64_t sign = static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> 63);
    const std::uint64_t left_shifted = n < 64 ? x << step : 0;
    const std::uint64_t right_logical = n < 64 ? x >> step : 0;
    const std::uint64_t right_arithmetic =
        n < 64 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> step) : sign;
    const std::uint64_t shifted = right ? (arithmetic ? right_arithmetic : right_logical) : left_shifted;
    return high ? high_word(shifted) : low_word(shifted);
  });
}

struct Ordering {
  std::uint32_t less;
  std::uint32_t equal;
};

// extra: 0x80000000 for unsigned comparisons, which makes them signed ones; else 0.
inline Ordering compare(const Warp& w, const MicroOp& op) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const std::uint32_t bias = op.extra;
  return {gather_bits([=](unsigned i) {
            return static_cast<std::int32_t>(a[i] ^ bias) < static_cast<std::int32_t>(b[i] ^ bias);
          }),
          gather_bits([=](unsigned i) { return a[i] == b[i]; })};
}

// Bits of `how`: the IntegerCompare values are sums of 1 = less, 2 = equal, 4 = greater.
inline std::uint32_t decide(unsigned how, Ordering o) {
  return ((how & 1U) != 0 ? o.less : 0U) | ((how & 2U) != 0 ? o.equal : 0U) |
         ((how & 4U) != 0 ? ~(o.less | o.equal) : 0U);
}

void isetp(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  store_comparison(w, op, decide(op.mode, compare(w, op)), mask);
}

// The operands are high words; where they are equal the low words' comparison `q` decides.
void isetp_extended(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Ordering o = compare(w, op);
  const std::uint32_t high = decide(op.mode, {o.less, 0}) & ~o.equal;
  store_comparison(w, op, high | (o.equal & value(w, op.q)), mask);
}

inline std::uint32_t smaller_or_larger(std::uint32_t a, std::uint32_t b, std::uint32_t bias, bool smaller) {
  const bool a_less = static_cast<std::int32_t>(a ^ bias) < static_cast<std::int32_t>(b ^ bias);
  return a_less == smaller ? a : b;
}

inline std::uint32_t positive_part(std::uint32_t x, bool relu) {
  return relu && (x & 0x80000000U) != 0 ? 0U : x;
}

// p: minimum where it holds. extra: as in compare(). mode: RELU.
void minmax(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  const Input b = input_b(w, op);
  const std::uint32_t bias = op.extra;
  const std::uint32_t smaller = value(w, op.p);
  const bool relu = op.mode != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    return positive_part(smaller_or_larger(a[i], b[i], bias, (smaller & lane_bit[i]) != 0), relu);
  });
}

// minmax(a + b, c)
void add_minmax(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  const Input b = input_b(w, op);
  const Input c = input_c(w, op);
  const std::uint32_t bias = op.extra;
  const std::uint32_t smaller = value(w, op.p);
  const bool relu = op.mode != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    return positive_part(smaller_or_larger(a[i] + b[i], c[i], bias, (smaller & lane_bit[i]) != 0), relu);
  });
}

// minmax(a, b, c)
void minmax3(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  const Input b = input_b(w, op);
  const Input c = input_c(w, op);
  const std::uint32_t bias = op.extra;
  const std::uint32_t smaller = value(w, op.p);
  const bool relu = op.mode != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const bool take_smaller = (smaller & lane_bit[i]) != 0;
    const std::uint32_t first = smaller_or_larger(a[i], b[i], bias, take_smaller);
    return positive_part(smaller_or_larger(first, c[i], bias, take_smaller), relu);
  });
}

// The same on each half of a register: halves are moved to the upper end, where 32-bit comparisons order
// them.
template <class F>
inline std::uint32_t by_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c, F f) {
  const std::uint32_t low = f(a << 16, b << 16, c << 16) >> 16;
  const std::uint32_t high = f(a & 0xffff0000U, b & 0xffff0000U, c & 0xffff0000U) & 0xffff0000U;
  return low | high;
}

// mode3: 1 = b is negated, half by half.
inline std::uint32_t second_half_operand(std::uint32_t b, bool negated) {
  return negated ? 0U - b : b;
}

void add_halves(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const bool negated = op.mode3 != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    return by_halves(a[i], b[i], 0, [=](std::uint32_t x, std::uint32_t y, std::uint32_t) {
      return x + second_half_operand(y, negated);
    });
  });
}

void minmax_halves(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const std::uint32_t bias = op.extra;
  const std::uint32_t smaller = value(w, op.p);
  const bool relu = op.mode != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const bool take_smaller = (smaller & lane_bit[i]) != 0;
    return by_halves(a[i], b[i], 0, [=](std::uint32_t x, std::uint32_t y, std::uint32_t) {
      return positive_part(smaller_or_larger(x, y, bias, take_smaller), relu);
    });
  });
}

// VIMNMX with predicates: the result is a, or a's half; the lower half's predicate stands first.
void minmax_choice(Block& block, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input a = input_a(w, op);
  std::uint32_t first[lanes];
  for (unsigned i = 0; i < lanes; ++i) first[i] = a[i];
  minmax(block, w, op, mask);
  const std::uint32_t* const result = row(w, op.destination);
  std::uint32_t chosen = 0;
  for (unsigned i = 0; i < lanes; ++i) chosen |= result[i] == first[i] ? lane_bit[i] : 0U;
  set_predicate(w, op.predicate_destination, chosen, mask);
}

void minmax_halves_choice(Block& block, Warp& w, const MicroOp& op, std::uint32_t mask) {
  std::uint32_t first[lanes];
  const Plain a{source(w, op.a)};
  for (unsigned i = 0; i < lanes; ++i) first[i] = a[i];
  minmax_halves(block, w, op, mask);
  const std::uint32_t* const result = row(w, op.destination);
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    low |= (result[i] & 0xffffU) == (first[i] & 0xffffU) ? lane_bit[i] : 0U;
    high |= result[i] >> 16 == first[i] >> 16 ? lane_bit[i] : 0U;
  }
  set_predicate(w, op.predicate_destination, low, mask);
  set_predicate(w, op.predicate_destination2, high, mask);
}

void add_minmax_halves(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const Plain c{source(w, op.c)};
  const std::uint32_t bias = op.extra;
  const std::uint32_t smaller = value(w, op.p);
  const bool relu = op.mode != 0;
  const bool negated = op.mode3 != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const bool take_smaller = (smaller & lane_bit[i]) != 0;
    return by_halves(a[i], b[i], c[i], [=](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
      return positive_part(smaller_or_larger(x + second_half_operand(y, negated), z, bias, take_smaller),
                           relu);
    });
  });
}

void minmax3_halves(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const Plain c{source(w, op.c)};
  const std::uint32_t bias = op.extra;
  const std::uint32_t smaller = value(w, op.p);
  const bool relu = op.mode != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const bool take_smaller = (smaller & lane_bit[i]) != 0;
    return by_halves(a[i], b[i], c[i], [=](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
      const std::uint32_t first = smaller_or_larger(x, y, bias, take_smaller);
      return positive_part(smaller_or_larger(first, z, bias, take_smaller), relu);
    });
  });
}

void iabs(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input b = input_b(w, op);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint32_t x = b[i];
    return (x & 0x80000000U) != 0 ? 0U - x : x;
  });
}

void popc(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input b = input_b(w, op);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    std::uint32_t x = b[i];
    x -= (x >> 1) & 0x55555555U;
    x = (x & 0x33333333U) + ((x >> 2) & 0x33333333U);
    x = (x + (x >> 4)) & 0x0f0f0f0fU;
    return (x * 0x01010101U) >> 24;
  });
}

// Highest set bit; mode 1: of the bits that differ from the sign; mode2 1: counted from the top.
void flo(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input b = input_b(w, op);
  std::uint32_t result[lanes];
  for (unsigned i = 0; i < lanes; ++i) {
    std::uint32_t x = b[i];
    if (op.mode != 0 && (x & 0x80000000U) != 0) x = ~x;
    const std::uint32_t from_top = x == 0 ? 0 : static_cast<std::uint32_t>(__builtin_clz(x));
    result[i] = x == 0 ? all_lanes : op.mode2 != 0 ? from_top : 31U - from_top;
  }
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return result[i]; });
  const std::uint32_t found = gather_bits([&](unsigned i) { return result[i] != all_lanes; });
  set_predicate(w, op.predicate_destination, found, mask);
}

void brev(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Input b = input_b(w, op);
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    std::uint32_t x = b[i];
    x = ((x >> 1) & 0x55555555U) | ((x & 0x55555555U) << 1);
    x = ((x >> 2) & 0x33333333U) | ((x & 0x33333333U) << 2);
    x = ((x >> 4) & 0x0f0f0f0fU) | ((x & 0x0f0f0f0fU) << 4);
    x = ((x >> 8) & 0x00ff00ffU) | ((x & 0x00ff00ffU) << 8);
    return (x >> 16) | (x << 16);
  });
}

// b ones from bit a on. mode: position and width wrap at 32 instead of being clamped.
void bmsk(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const bool wrap = op.mode != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint32_t position = wrap ? a[i] & 31U : a[i];
    const std::uint32_t width = wrap ? b[i] & 31U : b[i];
    const std::uint32_t ones = width < 32 ? (1U << (width & 31U)) - 1U : all_lanes;
    return position < 32 ? ones << (position & 31U) : 0U;
  });
}

// a extended from its low b bits. mode: signed; mode2: b wraps at 32 instead of being clamped.
void sgxt(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const bool is_signed = op.mode != 0;
  const bool wrap = op.mode2 != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const std::uint32_t bits = wrap ? b[i] & 31U : b[i];
    const std::uint32_t drop = bits < 32 ? 32U - bits : 0U;
    const std::uint32_t top = drop < 32 ? a[i] << (drop & 31U) : 0U;
    const std::uint32_t step = drop < 32 ? drop : 31U;
    return is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(top) >> step) : top >> step;
  });
}

// The selector that PTX's prmt derives from its mode.
inline std::uint32_t selector(unsigned mode, std::uint32_t control) {
  constexpr std::uint16_t forward4[4] = {0x3210, 0x4321, 0x5432, 0x6543};
  constexpr std::uint16_t backward4[4] = {0x5670, 0x6701, 0x7012, 0x0123};
  constexpr std::uint16_t replicate8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
  constexpr std::uint16_t edge_left[4] = {0x3210, 0x3211, 0x3222, 0x3333};
  constexpr std::uint16_t edge_right[4] = {0x0000, 0x1110, 0x2210, 0x3210};
  constexpr std::uint16_t replicate16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
  const unsigned k = control & 3U;
  switch (mode) {
    case 1:
      return forward4[k];
    case 2:
      return backward4[k];
    case 3:
      return replicate8[k];
    case 4:
      return edge_left[k];
    case 5:
      return edge_right[k];
    case 6:
      return replicate16[k];
    default:
      return control;
  }
}

inline std::uint32_t permute(std::uint32_t a, std::uint32_t c, std::uint32_t control) {
  const std::uint64_t bytes = wide(a, c);
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t nibble = (control >> (4 * k)) & 15U;
    const std::uint32_t byte = low_word(bytes >> (8 * (nibble & 7U))) & 255U;
    const std::uint32_t replicated = (byte & 128U) != 0 ? 255U : 0U;
    result |= ((nibble & 8U) != 0 ? replicated : byte) << (8 * k);
  }
  return result;
}

void prmt(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const Plain c{source(w, op.c)};
  if (op.mode == 0) {
    for_lanes(row(w, op.destination), mask, [=](unsigned i) { return permute(a[i], c[i], b[i]); });
    return;
  }
  std::uint32_t control[lanes];
  for (unsigned i = 0; i < lanes; ++i) control[i] = selector(op.mode, b[i]);
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return permute(a[i], c[i], control[i]); });
}

void absolute_difference(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const Plain c{source(w, op.c)};
  const std::uint32_t bias = op.extra;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    const bool less = static_cast<std::int32_t>(a[i] ^ bias) < static_cast<std::int32_t>(b[i] ^ bias);
    return (less ? b[i] - a[i] : a[i] - b[i]) + c[i];
  });
}

// mode: bytes of a and b are signed. mode2: the differences are added to c; else each stays in its byte.
void absolute_difference4(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const Plain c{source(w, op.c)};
  const bool accumulate = op.mode2 != 0;
  const bool is_signed = op.mode != 0;
  for_lanes(row(w, op.destination), mask, [=](unsigned i) {
    std::uint32_t sum = accumulate ? c[i] : 0;
    for (unsigned k = 0; k < 4; ++k) {
      const std::uint32_t x = (a[i] >> (8 * k)) & 255U;
      const std::uint32_t y = (b[i] >> (8 * k)) & 255U;
      const std::int32_t sx = is_signed ? static_cast<std::int8_t>(x) : static_cast<std::int32_t>(x);
      const std::int32_t sy = is_signed ? static_cast<std::int8_t>(y) : static_cast<std::int32_t>(y);
      const auto difference = static_cast<std::uint32_t>(sx < sy ? sy - sx : sx - sy);
      sum += accumulate ? difference : difference << (8 * k);
    }
    return sum;
  });
}

inline std::int32_t element(std::uint32_t x, unsigned bits, unsigned k, bool is_signed) {
  const std::uint32_t field = x << (32 - bits * (k + 1));
  return is_signed ? static_cast<std::int32_t>(field) >> (32 - bits)
                   : static_cast<std::int32_t>(field >> (32 - bits));
}

// mode: 1 = a signed, mode2: 1 = b signed, mode3: 0 = four bytes, 1 = two halves with b's low bytes,
// 2 = with b's high bytes.
void dot_product(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Plain a{source(w, op.a)};
  const Plain b{source(w, op.b)};
  const Input c = input_c(w, op);
  const bool a_signed = op.mode != 0;
  const bool b_signed = op.mode2 != 0;
  const unsigned kind = op.mode3;
  std::uint32_t result[lanes];
  for (unsigned i = 0; i < lanes; ++i) {
    std::uint32_t sum = c[i];
    if (kind == 0) {
      for (unsigned k = 0; k < 4; ++k)
        sum += static_cast<std::uint32_t>(element(a[i], 8, k, a_signed) * element(b[i], 8, k, b_signed));
    } else {
      const unsigned first = kind == 2 ? 2 : 0;
      for (unsigned k = 0; k < 2; ++k)
        sum += static_cast<std::uint32_t>(element(a[i], 16, k, a_signed) *
                                          element(b[i], 8, first + k, b_signed));
    }
    result[i] = sum;
  }
  for_lanes(row(w, op.destination), mask, [&](unsigned i) { return result[i]; });
}

}  // namespace

void WARPGAUGE_VARIANT(fill_integer)(VectorKernels& table) {
#define FILL(KERNEL) table.KERNEL = KERNEL;
  FILL(mov)
  FILL(sel)
  FILL(iadd3)
  FILL(iadd3_carry)
  FILL(imad)
  FILL(imad_extended) FILL(imad_wide_signed) FILL(imad_wide_unsigned) FILL(imad_wide_carry) FILL(imad_high)
      FILL(lea) FILL(lop3) FILL(lop3_and) FILL(lop3_or) FILL(lop3_xor) FILL(lop3_predicate)
          FILL(shift_left_low) FILL(shift_right_high_unsigned) FILL(shift_right_high_signed) FILL(funnel)
              FILL(isetp) FILL(isetp_extended) FILL(minmax) FILL(add_minmax) FILL(minmax3) FILL(add_halves)
                  FILL(minmax_halves) FILL(add_minmax_halves) FILL(minmax3_halves) FILL(minmax_choice)
                      FILL(minmax_halves_choice) FILL(iabs) FILL(popc) FILL(flo) FILL(brev) FILL(bmsk)
                          FILL(sgxt) FILL(prmt) FILL(absolute_difference) FILL(absolute_difference4)
                              FILL(dot_product)
#undef FILL
}

}  // namespace warpgauge::emulator
