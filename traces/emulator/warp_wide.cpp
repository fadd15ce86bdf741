// Votes, shuffles, matches, reductions, special registers, predicates as registers.
#include <chrono>

#include "traces/emulator/access.h"
#include "traces/emulator/divergence.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/float_format.h"
#include "traces/emulator/special_register.h"

namespace warpgauge::emulator::scalar {
namespace {

void broadcast(Warp& warp, Row destination, std::uint32_t value_of_all) {
  std::uint32_t* const d = row(warp, destination);
  for (unsigned i = 0; i < lanes; ++i) d[i] = value_of_all;
}

}  // namespace

// Uniform instructions run the vector executor on rows whose lanes are all the same.
void uniform_forward(Block& block, Warp& warp, const MicroOp& op, std::uint32_t) {
  op.inner(block, warp, op, all_lanes);
}

// UIADD3.64: three pairs.
void add_uniform_pairs(Block&, Warp& warp, const MicroOp& op, std::uint32_t) {
  std::uint64_t sum = 0;
  for (unsigned k = 0; k < 3; ++k) {
    const std::uint32_t* const words = source(warp, k == 0 ? op.a : k == 1 ? op.b : op.c);
    const std::uint64_t flip = op.xor_mask[k] != 0 ? ~std::uint64_t{0} : 0;
    sum += (((std::uint64_t{words[lanes]} << 32) | words[0]) ^ flip) + op.add[k];
  }
  broadcast(warp, op.destination, static_cast<std::uint32_t>(sum));
  broadcast(warp, Row{op.destination.bits + lanes}, static_cast<std::uint32_t>(sum >> 32));
}

// mode: VoteMode; mode2: 1 = the destinations are uniform. p: what is voted on.
void vote(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t ballot = value(warp, op.p) & mask;
  bool outcome = ballot != 0;
  if (static_cast<sass::VoteMode>(op.mode) == sass::VoteMode::all) outcome = ballot == mask;
  if (static_cast<sass::VoteMode>(op.mode) == sass::VoteMode::eq) outcome = ballot == mask || ballot == 0;
  if (op.mode2 != 0) {
    broadcast(warp, op.destination, ballot);
    set_predicate(warp, op.predicate_destination, outcome ? all_lanes : 0, all_lanes);
    return;
  }
  std::uint32_t* const d = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) { d[i] = ballot; });
  set_predicate(warp, op.predicate_destination, outcome ? all_lanes : 0, mask);
}

// mode: 1 = ANY; mode2: 1 = 64-bit values.
void match(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const auto key = [&](unsigned i) {
    return op.mode2 != 0 ? (std::uint64_t{a[i + lanes]} << 32) | a[i] : std::uint64_t{a[i]};
  };
  std::uint32_t result[lanes] = {};
  bool all_same = true;
  std::uint32_t leaders = 0;  // the first lane of each value
  const std::uint64_t first = key(static_cast<unsigned>(std::countr_zero(mask)));
  each_lane(mask, [&](unsigned i) {
    each_lane(mask, [&](unsigned k) {
      if (key(i) == key(k)) result[i] |= 1U << k;
    });
    all_same = all_same && key(i) == first;
    leaders |= result[i] & (0U - result[i]);
  });
  block.measure = static_cast<std::uint8_t>(std::popcount(leaders));
  std::uint32_t* const d = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) { d[i] = op.mode != 0 ? result[i] : all_same ? mask : 0U; });
  set_predicate(warp, op.predicate_destination, all_same ? all_lanes : 0, mask);
}

// mode: ShuffleMode. a value, b lane or distance, c clamp and segment mask: PTX shfl. A lane that is not
// running gives its register all the same, which is what the hardware's crossbar reads.
void shuffle(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  const std::uint32_t* const c = source(warp, op.c);
  const auto mode = static_cast<sass::ShuffleMode>(op.mode);
  std::uint32_t result[lanes];
  std::uint32_t in_range = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    const std::uint32_t distance = b[i] & 31U;
    const std::uint32_t clamp = c[i] & 31U;
    const std::uint32_t segment = (c[i] >> 8) & 31U;
    const std::uint32_t last = (i & segment) | (clamp & ~segment);
    std::uint32_t from = i;
    bool valid = false;
    switch (mode) {
      case sass::ShuffleMode::up:
        from = i - distance;
        valid = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
        break;
      case sass::ShuffleMode::down:
        from = i + distance;
        valid = from <= last;
        break;
      case sass::ShuffleMode::bfly:
        from = i ^ distance;
        valid = from <= last;
        break;
      case sass::ShuffleMode::idx:
        from = (i & segment) | (distance & ~segment);
        valid = from <= last;
        break;
    }
    if (valid) in_range |= 1U << i;
    result[i] = a[valid ? from : i];
  }
  std::uint32_t* const d = row(warp, op.destination);
  if (mask == all_lanes) {
    for (unsigned i = 0; i < lanes; ++i) d[i] = result[i];
  } else {
    each_lane(mask, [&](unsigned i) { d[i] = result[i]; });
  }
  set_predicate(warp, op.predicate_destination, in_range, mask);
}

// REDUX. mode: 0 AND, 1 OR, 2 XOR, 3 SUM, 4 MIN, 5 MAX; mode2: 1 = signed.
void reduce_warp(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  std::uint32_t total = a[std::countr_zero(mask)];
  const std::uint32_t bias = op.mode2 != 0 ? 0x80000000U : 0;
  each_lane(mask & (mask - 1), [&](unsigned i) {
    const bool less = (a[i] ^ bias) < (total ^ bias);
    switch (op.mode) {
      case 0:
        total &= a[i];
        break;
      case 1:
        total |= a[i];
        break;
      case 2:
        total ^= a[i];
        break;
      case 3:
        total += a[i];
        break;
      case 4:
        total = less ? a[i] : total;
        break;
      default:
        total = less ? total : a[i];
    }
  });
  broadcast(warp, op.destination, total);
}

// R2UR: the value of the lowest lane. Pd: which lanes have another value; mode 1 (.OR): or had one in an R2UR
// before. Compilers go round a loop with those until none is left.
void broadcast_to_uniform(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t first = a[std::countr_zero(mask)];
  std::uint32_t others = op.mode != 0 ? warp.predicates[op.predicate_destination] : 0;
  each_lane(mask, [&](unsigned i) { others |= (a[i] != first ? 1U : 0U) << i; });
  broadcast(warp, op.destination, first);
  set_predicate(warp, op.predicate_destination, others, mask);
}

// S2R. mode: number.
void read_special(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (is_clock(op.mode)) make_progress(block);
  alignas(64) std::uint32_t values[lanes];
  special_register_row(block, warp, op.mode, values);
  block.context->kernels->choose_rows(row(warp, op.destination), mask, 1, values);
}

void read_special_uniform(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  broadcast(warp, op.destination,
            special_register(block, warp, op.mode, static_cast<unsigned>(std::countr_zero(mask))));
}

// CS2R. mode: number of the lower half; mode2: 1 = a pair.
void read_clock(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (is_clock(op.mode)) make_progress(block);
  const std::uint32_t low = special_register(block, warp, op.mode, 0);
  std::uint32_t* const d = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) { d[i] = low; });
  if (op.mode2 == 0) return;
  const std::uint32_t high = op.mode == special_zero ? 0 : special_register(block, warp, op.mode + 1U, 0);
  each_lane(mask, [&](unsigned i) { d[i + lanes] = high; });
}

// P2R: Rd = (Ra & ~imm) | (PR & imm) in byte mode of the word; extra: imm; mode2: 1 = uniform predicates.
void predicates_to_register(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint8_t first = op.mode2 != 0 ? Predicate::uniform : 0;
  std::uint32_t* const d = row(warp, op.destination);
  const std::uint32_t lanes_written = op.mode2 != 0 ? all_lanes : mask;
  const unsigned shift = 8U * op.mode;
  each_lane(lanes_written, [&](unsigned i) {
    std::uint32_t bits = 0;
    for (unsigned p = 0; p < 7; ++p) bits |= ((warp.predicates[first + p] >> i) & 1U) << p;
    d[i] = (a[i] & ~(op.extra << shift)) | ((bits & op.extra) << shift);
  });
}

// R2P: predicates named by imm receive the bits of byte mode of Ra.
void register_to_predicates(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint8_t first = op.mode2 != 0 ? Predicate::uniform : 0;
  const std::uint32_t lanes_written = op.mode2 != 0 ? all_lanes : mask;
  const unsigned shift = 8U * op.mode;
  for (unsigned p = 0; p < 7; ++p) {
    if (((op.extra >> p) & 1U) == 0) continue;
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < lanes; ++i) bits |= ((a[i] >> (shift + p)) & 1U) << i;
    set_predicate(warp, static_cast<std::uint8_t>(first + p), bits, lanes_written);
  }
}

namespace {

// extra, extra2: the tables of the two results; index bits: p = 4, q = 2, r = 1.
void store_logic(Warp& warp, const MicroOp& op, std::uint32_t mask, std::uint32_t p, std::uint32_t q,
                 std::uint32_t r) {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  for (unsigned k = 0; k < 8; ++k) {
    const std::uint32_t minterm =
        ((k & 4U) != 0 ? p : ~p) & ((k & 2U) != 0 ? q : ~q) & ((k & 1U) != 0 ? r : ~r);
    if (((op.extra >> k) & 1U) != 0) first |= minterm;
    if (((op.extra2 >> k) & 1U) != 0) second |= minterm;
  }
  set_predicate(warp, op.predicate_destination, first, mask);
  set_predicate(warp, op.predicate_destination2, second, mask);
}

std::uint32_t signs(const std::uint32_t* words) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < lanes; ++i) bits |= (words[i] >> 31) << i;
  return bits;
}

}  // namespace

// PLOP3 of predicates, and of the sign bits of a, b and c.
void predicate_logic(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  store_logic(warp, op, mask, value(warp, op.p), value(warp, op.q), value(warp, op.r));
}

void sign_logic(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  store_logic(warp, op, mask, signs(source(warp, op.a)), signs(source(warp, op.b)),
              signs(source(warp, op.c)));
}

// ELECT: one lane of those that run.
void elect(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t leader = mask & (0U - mask);
  set_predicate(warp, op.predicate_destination, leader, mask);
  broadcast(warp, op.destination, static_cast<std::uint32_t>(std::countr_zero(mask)));
}

// MOVM: the transposed 8 by 8 matrix of 16-bit elements, two a lane: row l / 4, columns 2(l % 4) and the
// next.
void move_matrix(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  std::uint32_t result[lanes];
  for (unsigned i = 0; i < lanes; ++i) {
    result[i] = 0;
    for (unsigned k = 0; k < 2; ++k) {
      const unsigned r = 2 * (i % 4) + k;
      const unsigned column = i / 4;
      const std::uint32_t word = a[4 * r + column / 2];
      result[i] |= ((word >> (16 * (column % 2))) & 0xffffU) << (16 * k);
    }
  }
  std::uint32_t* const d = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) { d[i] = result[i]; });
}

// FSWZADD: a and b added with signs that depend on the lane's place in its quad. extra: two bits a place:
// 0 a + b, 1 a - b, 2 b - a, 3 zero... of the quad's first lane highest.
void swizzle_add(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const d = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) {
    const float x = as_float(a[i]);
    const float y = as_float(b[i]);
    float sum = 0.0F;
    switch ((op.extra >> (2 * (3 - i % 4))) & 3U) {
      case 0:
        sum = x + y;
        break;
      case 1:
        sum = x - y;
        break;
      case 2:
        sum = y - x;
        break;
      default:
        break;
    }
    d[i] = canonical32(sum);
  });
}

}  // namespace warpgauge::emulator::scalar
