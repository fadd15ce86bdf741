// Binary64 instructions of a whole warp, rounded to nearest. Compiled once per host instruction set.
#include "traces/emulator/float_format.h"
#include "traces/emulator/vector/lanes.h"
#include "traces/emulator/vector/variant.h"

namespace warpgauge::emulator {
namespace {

// A register pair with absolute value and negation.
struct Double {
  const std::uint32_t* words;
  std::uint32_t and_mask, xor_mask;
  [[nodiscard]] std::uint64_t bits(unsigned i) const {
    return wide(words[i], (words[i + lanes] & and_mask) ^ xor_mask);
  }
  [[nodiscard]] std::uint64_t raw(unsigned i) const { return wide(words[i], words[i + lanes]); }
  double operator[](unsigned i) const { return as_double(bits(i)); }
};

inline Double double_a(const Warp& w, const MicroOp& op) {
  return {source(w, op.a), op.and_mask[0], op.xor_mask[0]};
}
inline Double double_b(const Warp& w, const MicroOp& op) {
  return {source(w, op.b), op.and_mask[1], op.xor_mask[1]};
}
inline Double double_c(const Warp& w, const MicroOp& op) {
  return {source(w, op.c), op.and_mask[2], op.xor_mask[2]};
}

constexpr std::uint64_t default_nan64 = 0xfff8000000000000U;

// The first operand that is a NaN as its registers hold it (neither negated nor made absolute), made quiet; a
// new NaN has the sign bit set.
inline std::uint64_t finish(double result, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  constexpr std::uint64_t quiet = 0x0008000000000000U;
  if (!is_nan(result)) return as_bits(result);
  if (is_nan(as_double(a))) return a | quiet;
  if (is_nan(as_double(b))) return b | quiet;
  if (is_nan(as_double(c))) return c | quiet;
  return default_nan64;
}

void dadd(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Double a = double_a(w, op);
  const Double b = double_b(w, op);
  for_lanes_wide(row(w, op.destination), mask,
                 [=](unsigned i) { return finish(a[i] + b[i], a.raw(i), b.raw(i), 0); });
}

void dmul(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Double a = double_a(w, op);
  const Double b = double_b(w, op);
  for_lanes_wide(row(w, op.destination), mask,
                 [=](unsigned i) { return finish(a[i] * b[i], a.raw(i), b.raw(i), 0); });
}

void dfma(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Double a = double_a(w, op);
  const Double b = double_b(w, op);
  const Double c = double_c(w, op);
  for_lanes_wide(row(w, op.destination), mask, [=](unsigned i) {
    return finish(__builtin_fma(a[i], b[i], c[i]), a.raw(i), b.raw(i), c.raw(i));
  });
}

// Totally ordered as integers, -0 below +0.
inline std::int64_t order_key(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits ^ (0x7fffffffffffffffU & (0U - (bits >> 63))));
}

// DSETP.MIN and .MAX: Pd = a is the smaller or larger, a NaN losing; Pq = both are NaNs, so that the result
// is one.
void choose_comparison(Warp& w, const MicroOp& op, std::uint32_t mask, bool smaller) {
  const Double a = double_a(w, op);
  const Double b = double_b(w, op);
  std::uint32_t first = 0;
  std::uint32_t nan = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    const bool a_nan = is_nan(a[i]);
    const bool b_nan = is_nan(b[i]);
    const bool a_chosen = (order_key(a.bits(i)) < order_key(b.bits(i))) == smaller;
    first |= !a_nan && (b_nan || a_chosen) ? lane_bit[i] : 0U;
    nan |= a_nan && b_nan ? lane_bit[i] : 0U;
  }
  const std::uint32_t other = value(w, op.p);
  set_predicate(w, op.predicate_destination, combine(op.mode2, first, other), mask);
  set_predicate(w, op.predicate_destination2, combine(op.mode2, nan, other), mask);
}

// mode: FloatCompare, where 0 and 15, which would be constant, are MIN and MAX.
void dsetp(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  if (op.mode == 0 || op.mode == 15) {
    choose_comparison(w, op, mask, op.mode == 0);
    return;
  }
  const Double a = double_a(w, op);
  const Double b = double_b(w, op);
  std::uint32_t less = 0;
  std::uint32_t equal = 0;
  std::uint32_t greater = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    const double x = a[i];
    const double y = b[i];
    less |= x < y ? lane_bit[i] : 0U;
    equal |= x == y ? lane_bit[i] : 0U;
    greater |= x > y ? lane_bit[i] : 0U;
  }
  const unsigned how = op.mode;
  const std::uint32_t compared = ((how & 1U) != 0 ? less : 0U) | ((how & 2U) != 0 ? equal : 0U) |
                                 ((how & 4U) != 0 ? greater : 0U) |
                                 ((how & 8U) != 0 ? ~(less | equal | greater) : 0U);
  store_comparison(w, op, compared, mask);
}

inline std::uint64_t choose_double(std::uint64_t a, std::uint64_t b, bool smaller) {
  if (is_nan(as_double(a))) return is_nan(as_double(b)) ? a | 0x0008000000000000U : b;
  if (is_nan(as_double(b))) return a;
  return (order_key(a) < order_key(b)) == smaller ? a : b;
}

void dmnmx(Block&, Warp& w, const MicroOp& op, std::uint32_t mask) {
  const Double a = double_a(w, op);
  const Double b = double_b(w, op);
  const std::uint32_t smaller = value(w, op.p);
  std::uint64_t result[lanes];
  for (unsigned i = 0; i < lanes; ++i)
    result[i] = choose_double(a.bits(i), b.bits(i), (smaller & lane_bit[i]) != 0);
  for_lanes_wide(row(w, op.destination), mask, [&](unsigned i) { return result[i]; });
}

}  // namespace

void WARPGAUGE_VARIANT(fill_double)(VectorKernels& table) {
#define FILL(KERNEL) table.KERNEL = KERNEL;
  FILL(dadd) FILL(dmul) FILL(dfma) FILL(dsetp) FILL(dmnmx)
#undef FILL
}

}  // namespace warpgauge::emulator
