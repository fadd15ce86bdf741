// Single, double and packed half precision instructions.
#include "traces/emulator/half_flags.h"
#include "traces/emulator/lower/lowering.h"

namespace warpgauge::emulator {
namespace {

using sass::Modifier;
using sass::Opcode;

// As vector/float.cpp reads MicroOp::mode2.
enum : std::uint8_t { flag_ftz = 1, flag_saturate = 2, flag_fmz = 4, flag_nan = 8 };

std::uint8_t flags_of(const Lowering& l) {
  return static_cast<std::uint8_t>(
      (l.has(Modifier::ftz) ? flag_ftz : 0) | (l.has(Modifier::saturate) ? flag_saturate : 0) |
      (l.has(Modifier::fmz) ? flag_fmz : 0) | (l.has(Modifier::nan_propagate) ? flag_nan : 0));
}

void sources(Lowering& l, unsigned count, Reading reading) {
  l.require(count);
  for (unsigned n = 0; n < count; ++n) l.source_at(n, n, reading);
}

// Rounded to nearest without other modifiers, with FTZ, or anything else.
ExecuteFunction by_flags(Lowering& l, ExecuteFunction plain, ExecuteFunction ftz, ExecuteFunction general) {
  l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::rounding));
  l.op.mode2 = flags_of(l);
  if (l.op.mode == 0 && l.op.mode2 == 0) return plain;
  if (l.op.mode == 0 && l.op.mode2 == flag_ftz) return ftz;
  return general;
}

ExecuteFunction lower_multiply(Lowering& l) {
  sources(l, 2, Reading::binary32);
  l.destination();
  // 1, 2, 3: divided by 8, 4, 2; 5, 6, 7: times 2, 4, 8.
  constexpr int exponents[] = {0, -3, -2, -1, 0, 1, 2, 3};
  l.op.immediate = exponents[l.modifier(Modifier::scale) & 7U];
  const ExecuteFunction function = by_flags(l, l.vector.fmul, l.vector.fmul_ftz, l.vector.fmul_general);
  return l.op.immediate != 0 ? l.vector.fmul_general : function;
}

void comparison(Lowering& l) {
  l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::compare));
  l.op.mode2 = static_cast<std::uint8_t>(l.modifier(Modifier::combine));
  l.op.mode3 = l.has(Modifier::ftz) ? 1 : 0;
  l.op.p = l.predicate_at(0, true);
}

ExecuteFunction lower_double(Lowering& l, unsigned count, ExecuteFunction nearest) {
  sources(l, count, Reading::binary64);
  l.require(count, 1);
  l.destination(2);
  l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::rounding));
  if (l.op.mode == 0) return nearest;
  l.op.mode2 = static_cast<std::uint8_t>(l.instruction.opcode == Opcode::DADD   ? 0
                                         : l.instruction.opcode == Opcode::DMUL ? 1
                                                                                : 2);
  return scalar::double_directed;
}

unsigned half_flags(const Lowering& l) {
  return (l.has(Modifier::ftz) ? half_ftz : 0U) | (l.has(Modifier::saturate) ? half_saturate : 0U) |
         (l.has(Modifier::relu) ? half_relu : 0U) | (l.has(Modifier::bf16) ? half_bf16 : 0U) |
         (l.has(Modifier::fmz) ? half_fmz : 0U) | (l.has(Modifier::nan_propagate) ? half_nan : 0U);
}

std::uint8_t halves(const sass::Operand& operand) {
  switch (operand.selector) {
    case sass::Selector::f32:
      return half_f32;
    case sass::Selector::h0_h0:
      return half_low;
    case sass::Selector::h1_h1:
      return half_high;
    default:
      return half_both;
  }
}

// Sources a, b, c as packed halves. An immediate may be given as two, the high half first.
void packed_sources(Lowering& l, unsigned count) {
  unsigned slot = 0;
  std::uint8_t selectors[3] = {};
  for (std::size_t n = 0; n < l.sources.size() && slot < count; ++n, ++slot) {
    const sass::Operand& operand = *l.sources[n];
    const bool split = l.is_immediate(operand) && n + 1 < l.sources.size() &&
                       l.is_immediate(*l.sources[n + 1]) && l.sources.size() > count;
    if (split) {
      sass::Operand joined = operand;
      joined.value = ((operand.value & 0xffff) << 16) | (l.sources[n + 1]->value & 0xffff);
      l.source(slot, joined, Reading::packed);
      ++n;
    } else {
      l.source(slot, operand, Reading::packed);
      selectors[slot] = halves(operand);
    }
  }
  if (slot < count) Lowering::illegal("an operand is missing");
  l.op.mode = selectors[0];
  l.op.mode2 = selectors[1];
  l.op.mode3 = selectors[2];
  l.op.extra = half_flags(l);
  l.destination();
}

void packed_comparison(Lowering& l) {
  packed_sources(l, 2);
  l.op.extra2 = l.modifier(Modifier::compare) | (l.modifier(Modifier::combine) << 4);
  l.op.p = l.predicate_at(0, true);
}

// HFMA2 with the second source .H0_NH1, which multiplies complex numbers: the form with registers alone.
bool turns_second(const Lowering& l) {
  constexpr std::uint64_t registers_alone = 0x231;
  constexpr unsigned turned_bit = 86;
  return l.instruction.word.bits(0, 12) == registers_alone && l.instruction.word.bits(turned_bit, 1) != 0;
}

// Compilers load 32-bit constants as -0 * 0 + c.
bool loads_constant(const Lowering& l) {
  const auto nan = [](std::int64_t half, std::int64_t infinity) { return (half & 0x7fff) > infinity; };
  const std::int64_t infinity = l.has(Modifier::bf16) ? 0x7f80 : 0x7c00;
  bool plain = l.op.a == Row::zero() && l.op.b == Row::zero() && l.op.xor_mask[0] != 0 &&
               l.op.xor_mask[1] == 0 && l.op.xor_mask[2] == 0 && l.op.and_mask[2] == all_lanes &&
               (l.op.extra & ~unsigned{half_bf16}) == 0;
  for (std::size_t n = 2; n < l.sources.size(); ++n) {
    const std::int64_t value = l.sources[n]->value;
    plain = plain && l.is_immediate(*l.sources[n]) && !nan(value, infinity) && !nan(value >> 16, infinity);
  }
  return plain;
}

// The 64H functions read the upper word of a double; an immediate is the whole double.
void special_function_source(Lowering& l) {
  constexpr unsigned rcp64h = 6;
  constexpr unsigned rsq64h = 7;
  const unsigned function = l.modifier(Modifier::mufu_function);
  if ((function == rcp64h || function == rsq64h) && l.is_immediate(*l.sources[0])) {
    sass::Operand upper = *l.sources[0];
    upper.value = static_cast<std::int64_t>(static_cast<std::uint64_t>(upper.value) >> 32);
    l.source(1, upper, Reading::binary32);
    return;
  }
  l.source_at(1, 0, l.has(Modifier::packed_16) ? Reading::packed : Reading::binary32);
}

ExecuteFunction choose(Lowering& l) {
  switch (l.instruction.opcode) {
    case Opcode::FADD:
      sources(l, 2, Reading::binary32);
      l.destination();
      return by_flags(l, l.vector.fadd, l.vector.fadd_ftz, l.vector.fadd_general);
    case Opcode::FMUL:
      return lower_multiply(l);
    case Opcode::FFMA:
      sources(l, 3, Reading::binary32);
      l.destination();
      return by_flags(l, l.vector.ffma, l.vector.ffma_ftz, l.vector.ffma_general);
    case Opcode::FMNMX:
      sources(l, 2, Reading::binary32);
      l.destination();
      l.op.mode2 = flags_of(l);
      l.op.p = l.predicate_at(0, true);
      return l.vector.fmnmx;
    case Opcode::FSEL:
      sources(l, 2, Reading::binary32);
      l.destination();
      l.op.mode2 = flags_of(l);
      l.op.p = l.predicate_at(0, true);
      return l.vector.fsel;
    case Opcode::FSET:
      sources(l, 2, Reading::binary32);
      l.destination();
      comparison(l);
      l.op.extra = 0x3f800000U;  // always a float, .BF
      return l.vector.fset;
    case Opcode::FSETP:
      sources(l, 2, Reading::binary32);
      l.predicate_results();
      comparison(l);
      return l.vector.fsetp;
    case Opcode::DADD:
      return lower_double(l, 2, l.vector.dadd);
    case Opcode::DMUL:
      return lower_double(l, 2, l.vector.dmul);
    case Opcode::DFMA:
      return lower_double(l, 3, l.vector.dfma);
    case Opcode::DSETP:
      sources(l, 2, Reading::binary64);
      l.predicate_results();
      comparison(l);
      return l.vector.dsetp;
    case Opcode::DMNMX:
      sources(l, 2, Reading::binary64);
      l.destination(2);
      l.op.p = l.predicate_at(0, true);
      return l.vector.dmnmx;
    case Opcode::HADD2:
    case Opcode::HADD2_32I:
      packed_sources(l, 2);
      if (l.has(Modifier::accumulate_f32)) l.op.extra |= half_f32_result;
      return l.vector.hadd2;
    case Opcode::HMUL2:
      packed_sources(l, 2);
      return l.vector.hmul2;
    case Opcode::HFMA2:
    case Opcode::HFMA2_MMA:
      packed_sources(l, 3);
      if (turns_second(l)) l.op.mode2 = half_turned;
      if (loads_constant(l)) {
        l.op.b = l.op.c;
        return l.vector.mov;
      }
      return l.vector.hfma2;
    case Opcode::HMNMX2:
      packed_sources(l, 2);
      l.op.p = l.predicate_at(0, true);
      return l.vector.hmnmx2;
    case Opcode::VHMNMX:
      if (l.modifier(Modifier::other_0) != 0) Lowering::refuse("a minimum that joins signs");
      packed_sources(l, 3);
      l.op.p = l.predicate_at(0, true);
      return l.vector.hmnmx3;
    case Opcode::HSET2:
      packed_comparison(l);
      l.op.immediate = l.has(Modifier::bool_float) ? (l.has(Modifier::bf16) ? 0x3f80 : 0x3c00) : 0xffff;
      return l.vector.hset2;
    case Opcode::HSETP2:
      packed_comparison(l);
      l.predicate_results();
      if (l.has(Modifier::pand)) l.op.extra2 |= 256U;
      return l.vector.hsetp2;
    case Opcode::FCHK:
      sources(l, 2, Reading::binary32);
      l.predicate_results();
      return scalar::check_division;
    case Opcode::MUFU:
      l.require(1, 1);
      special_function_source(l);
      l.destination();
      l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::mufu_function));
      l.op.mode2 = static_cast<std::uint8_t>(l.modifier(Modifier::packed_16));  // none, F16, BF16
      if (l.op.mode2 != 0) {
        const auto selector = static_cast<sass::Selector>(l.sources[0]->selector);
        l.op.mode3 = selector == sass::Selector::h1 || selector == sass::Selector::h1_h1 ? 1 : 0;
      }
      return scalar::special_function;
    case Opcode::FSWZADD:
      l.require(3, 1);
      l.source_at(0, 0, Reading::binary32);
      l.source_at(1, 1, Reading::binary32);
      l.op.extra = l.immediate(*l.sources[2]);
      l.destination();
      return scalar::swizzle_add;
    default:
      return nullptr;
  }
}

}  // namespace

bool lower_float(Lowering& l) {
  const ExecuteFunction function = choose(l);
  if (function == nullptr) return false;
  l.execute(function);
  return true;
}

}  // namespace warpgauge::emulator
