// Integer, logic and move instructions, of lanes and of the uniform datapath.
#include "traces/emulator/lower/lowering.h"

namespace warpgauge::emulator {
namespace {

using sass::Modifier;
using sass::Opcode;

// The lanes' instruction of which a uniform one is the scalar form.
Opcode vector_form(Opcode opcode) {
  switch (opcode) {
    case Opcode::UMOV:
      return Opcode::MOV;
    case Opcode::UIADD3:
      return Opcode::IADD3;
    case Opcode::UIMAD:
      return Opcode::IMAD;
    case Opcode::UIMAD_WIDE:
      return Opcode::IMAD_WIDE;
    case Opcode::UIMAD_HI:
      return Opcode::IMAD_HI;
    case Opcode::ULOP3:
      return Opcode::LOP3;
    case Opcode::ULEA:
      return Opcode::LEA;
    case Opcode::USHF:
      return Opcode::SHF;
    case Opcode::USEL:
      return Opcode::SEL;
    case Opcode::UISETP:
      return Opcode::ISETP;
    case Opcode::UPRMT:
      return Opcode::PRMT;
    case Opcode::UFLO:
      return Opcode::FLO;
    case Opcode::UBREV:
      return Opcode::BREV;
    case Opcode::UPOPC:
      return Opcode::POPC;
    case Opcode::USGXT:
      return Opcode::SGXT;
    case Opcode::UBMSK:
      return Opcode::BMSK;
    default:
      return opcode;
  }
}

// a, b, c = the first three sources.
void three_sources(Lowering& l, Reading reading) {
  for (unsigned n = 0; n < 3; ++n) l.source_at(n, n, reading);
}

bool writes_predicate(const Lowering& l) {
  return l.op.predicate_destination != Predicate::discard ||
         l.op.predicate_destination2 != Predicate::discard;
}

ExecuteFunction lower_add(Lowering& l) {
  l.require(3, 1);
  three_sources(l, Reading::integer);
  l.destination();
  l.predicate_results();
  const bool extended = l.has(Modifier::extended);
  if (!extended && !writes_predicate(l)) return l.vector.iadd3;
  l.op.p = extended ? l.predicate_at(0, false) : Lowering::constant_predicate(false);
  l.op.q = extended ? l.predicate_at(1, false) : Lowering::constant_predicate(false);
  return l.vector.iadd3_carry;
}

ExecuteFunction lower_multiply_add(Lowering& l) {
  l.require(3, 1);
  three_sources(l, Reading::integer);
  l.destination();
  l.predicate_results();
  if (l.has(Modifier::extended) || writes_predicate(l)) {
    l.op.p = l.has(Modifier::extended) ? l.predicate_at(0, false) : Lowering::constant_predicate(false);
    return l.vector.imad_extended;
  }
  const bool plain_factors = l.op.xor_mask[0] == 0 && l.op.xor_mask[1] == 0;
  if (!plain_factors) {
    l.op.p = Lowering::constant_predicate(false);
    return l.vector.imad_extended;
  }
  const bool no_product = l.op.a == Row::zero() || l.op.b == Row::zero();
  if (no_product && l.op.xor_mask[2] == 0) {
    l.op.b = l.op.c;
    return l.vector.mov;
  }
  return l.vector.imad;
}

ExecuteFunction lower_multiply_wide(Lowering& l, bool high) {
  l.require(3, 1);
  l.source_at(0, 0, Reading::integer);
  l.source_at(1, 1, Reading::integer);
  l.source_at(2, 2, Reading::wide);
  const bool is_signed = l.has(Modifier::is_signed);
  // A 32-bit immediate addend is extended as the product's factors are.
  if (l.is_immediate(*l.sources[2])) {
    sass::Operand extended = *l.sources[2];
    const auto word = static_cast<std::uint32_t>(extended.value);
    extended.value =
        is_signed ? static_cast<std::int64_t>(static_cast<std::int32_t>(word)) : std::int64_t{word};
    l.source(2, extended, Reading::wide);
  }
  l.destination(high ? 1 : 2);
  l.predicate_results();
  l.op.mode = is_signed ? 1 : 0;
  const bool extended = l.has(Modifier::extended);
  l.op.p = extended ? l.predicate_at(0, false) : Lowering::constant_predicate(false);
  if (high) return l.vector.imad_high;
  const bool plain = l.op.xor_mask[0] == 0 && l.op.xor_mask[1] == 0 && l.op.xor_mask[2] == 0;
  if (extended || writes_predicate(l) || !plain) return l.vector.imad_wide_carry;
  return is_signed ? l.vector.imad_wide_signed : l.vector.imad_wide_unsigned;
}

// Sources: a, b, c where there is a high part that no sign replaces, and the shift.
ExecuteFunction lower_lea(Lowering& l) {
  const bool high = l.has(Modifier::high);
  const bool from_sign = l.has(Modifier::sign_extend_32);
  const std::size_t shift = high && !from_sign ? 3 : 2;
  l.require(shift + 1, 1);
  l.source_at(0, 0, Reading::integer);
  l.source_at(1, 1, Reading::integer);
  if (shift == 3) l.source_at(2, 2, Reading::integer);
  l.op.extra = l.immediate(*l.sources[shift]);
  l.op.mode = high ? 1 : 0;
  l.op.mode2 = from_sign ? 1 : 0;
  l.op.p = l.has(Modifier::extended) ? l.predicate_at(0, false) : Lowering::constant_predicate(false);
  l.destination();
  l.predicate_results();
  return l.vector.lea;
}

ExecuteFunction lower_logic(Lowering& l) {
  l.require(4, l.destinations.empty() ? 0 : 1);
  three_sources(l, Reading::integer);
  l.op.extra = l.immediate(*l.sources[3]) & 0xffU;
  l.destination();
  l.predicate_results();
  if (writes_predicate(l)) {
    l.op.p = l.predicate_at(0, false);
    l.op.mode = l.has(Modifier::pand) ? 1 : 0;
    return l.vector.lop3_predicate;
  }
  const bool two = l.op.c == Row::zero() && l.op.xor_mask[0] == 0 && l.op.xor_mask[1] == 0;
  // With c = 0 only the table's even bits count.
  switch (two ? l.op.extra & 0x55U : 0xffU) {
    case 0x40U:
      return l.vector.lop3_and;
    case 0x54U:
      return l.vector.lop3_or;
    case 0x14U:
      return l.vector.lop3_xor;
    default:
      return l.vector.lop3;
  }
}

ExecuteFunction lower_shift(Lowering& l) {
  l.require(3, 1);
  three_sources(l, Reading::integer);
  l.destination();
  const bool right = l.has(Modifier::shift_right);
  const bool high = l.has(Modifier::high);
  const bool wrap = l.has(Modifier::wrap);
  const auto type = l.instruction.modifier_as<sass::ShiftType>(Modifier::shift_type);
  const bool arithmetic = type == sass::ShiftType::s32 || type == sass::ShiftType::s64;
  const bool narrow = type == sass::ShiftType::s32 || type == sass::ShiftType::u32;
  l.op.extra2 = wrap ? 31U : all_lanes;
  if (narrow && !right && !high) return l.vector.shift_left_low;
  if (narrow && right && high)
    return arithmetic ? l.vector.shift_right_high_signed : l.vector.shift_right_high_unsigned;
  l.op.mode = right ? 1 : 0;
  l.op.mode2 = arithmetic ? 1 : 0;
  l.op.mode3 = high ? 1 : 0;
  l.op.extra = narrow ? 32 : 64;
  l.op.extra2 = wrap ? 1 : 0;
  return l.vector.funnel;
}

// From sm_90 on the field of the signedness has a second bit: two 16-bit integers in a register.
bool packed_halves(const Lowering& l) {
  return l.has(Modifier::packed_16) || (l.modifier(Modifier::is_signed) & 2U) != 0;
}

std::uint32_t comparison_bias(bool is_signed) {
  return is_signed ? 0U : 0x80000000U;
}

ExecuteFunction lower_compare(Lowering& l) {
  l.require(2);
  l.source_at(0, 0, Reading::integer);
  l.source_at(1, 1, Reading::integer);
  l.predicate_results();
  l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::compare));
  l.op.mode2 = static_cast<std::uint8_t>(l.modifier(Modifier::combine));
  l.op.extra = comparison_bias((l.modifier(Modifier::is_signed) & 1U) != 0);
  l.op.p = l.predicate_at(0, true);
  if (!l.has(Modifier::extended_compare)) return l.vector.isetp;
  l.op.q = l.predicate_at(1, true);
  return l.vector.isetp_extended;
}

// p: minimum where it holds. The packed forms take no modifiers but the negation of b.
void minmax_fields(Lowering& l) {
  l.destination();
  l.op.p = l.predicate_at(0, true);
  l.op.extra = comparison_bias((l.modifier(Modifier::is_signed) & 1U) != 0);
  l.op.mode = l.has(Modifier::relu) ? 1 : 0;
}

ExecuteFunction lower_minmax(Lowering& l) {
  l.require(2, 1);
  l.source_at(0, 0, Reading::integer);
  l.source_at(1, 1, Reading::integer);
  minmax_fields(l);
  l.predicate_results();
  if (writes_predicate(l)) {
    if (l.has(Modifier::relu)) Lowering::refuse("predicates of a minimum or maximum that is not negative");
    if (!packed_halves(l) && l.op.predicate_destination2 != Predicate::discard)
      Lowering::refuse("two predicates of one minimum or maximum");
    return packed_halves(l) ? l.vector.minmax_halves_choice : l.vector.minmax_choice;
  }
  return packed_halves(l) ? l.vector.minmax_halves : l.vector.minmax;
}

ExecuteFunction lower_minmax3(Lowering& l) {
  l.require(3, 1);
  three_sources(l, Reading::integer);
  minmax_fields(l);
  return packed_halves(l) ? l.vector.minmax3_halves : l.vector.minmax3;
}

ExecuteFunction lower_add_minmax(Lowering& l) {
  l.require(3, 1);
  three_sources(l, Reading::integer);
  minmax_fields(l);
  l.op.mode3 = l.op.add[1] != 0 ? 1 : 0;
  return packed_halves(l) ? l.vector.add_minmax_halves : l.vector.add_minmax;
}

// A single source, which the executors read as b.
void one_source(Lowering& l) {
  l.require(1, 1);
  l.source_at(1, 0, Reading::integer);
  l.destination();
}

void two_sources(Lowering& l) {
  l.require(2, 1);
  l.source_at(0, 0, Reading::integer);
  l.source_at(1, 1, Reading::integer);
  l.destination();
}

void sources_and_destination(Lowering& l) {
  l.require(3, 1);
  three_sources(l, Reading::integer);
  l.destination();
}

ExecuteFunction lower_move(Lowering& l) {
  one_source(l);
  if (l.sources.size() > 1 && (l.immediate(*l.sources[1]) & 15U) != 15U)
    Lowering::refuse("a move of some lanes of quads");
  return l.vector.mov;
}

ExecuteFunction choose(Lowering& l) {
  switch (vector_form(l.instruction.opcode)) {
    case Opcode::MOV:
      return lower_move(l);
    case Opcode::SEL:
      two_sources(l);
      l.op.p = l.predicate_at(0, true);
      return l.vector.sel;
    case Opcode::IADD3:
      return lower_add(l);
    case Opcode::IMAD:
      return lower_multiply_add(l);
    case Opcode::IMAD_WIDE:
      return lower_multiply_wide(l, false);
    case Opcode::IMAD_HI:
      return lower_multiply_wide(l, true);
    case Opcode::LEA:
      return lower_lea(l);
    case Opcode::LOP3:
      return lower_logic(l);
    case Opcode::SHF:
      return lower_shift(l);
    case Opcode::ISETP:
      return lower_compare(l);
    case Opcode::IMNMX:
    case Opcode::VIMNMX:
      return lower_minmax(l);
    case Opcode::VIADD:
      two_sources(l);
      l.op.mode3 = l.op.add[1] != 0 ? 1 : 0;
      return packed_halves(l) ? l.vector.add_halves : l.vector.iadd3;
    case Opcode::VIMNMX3:
      return lower_minmax3(l);
    case Opcode::VIADDMNMX:
      return lower_add_minmax(l);
    case Opcode::IABS:
      one_source(l);
      return l.vector.iabs;
    case Opcode::POPC:
      one_source(l);
      return l.vector.popc;
    case Opcode::BREV:
      one_source(l);
      return l.vector.brev;
    case Opcode::FLO:
      one_source(l);
      l.predicate_results();
      l.op.mode = l.has(Modifier::is_signed) ? 1 : 0;
      l.op.mode2 = l.has(Modifier::shift_count) ? 1 : 0;
      return l.vector.flo;
    case Opcode::BMSK:
      two_sources(l);
      l.op.mode = l.has(Modifier::wrap) ? 1 : 0;
      return l.vector.bmsk;
    case Opcode::SGXT:
      two_sources(l);
      l.op.mode = l.has(Modifier::is_signed) ? 1 : 0;
      l.op.mode2 = l.has(Modifier::wrap) ? 1 : 0;
      return l.vector.sgxt;
    case Opcode::PRMT:
      sources_and_destination(l);
      l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::prmt_mode));
      return l.vector.prmt;
    case Opcode::VABSDIFF:
      sources_and_destination(l);
      l.op.extra = comparison_bias((l.modifier(Modifier::is_signed) & 1U) != 0);
      return l.vector.absolute_difference;
    case Opcode::VABSDIFF4:
      sources_and_destination(l);
      l.op.mode = l.has(Modifier::is_signed) ? 1 : 0;
      l.op.mode2 = l.modifier(Modifier::other_0) != 0 ? 1 : 0;  // .ACC
      return l.vector.absolute_difference4;
    case Opcode::IDP:
      sources_and_destination(l);
      l.op.mode = l.has(Modifier::is_signed) ? 1 : 0;
      l.op.mode2 = l.has(Modifier::is_signed_b) ? 1 : 0;
      // The field's values: 0 four bytes, 1 two halves with the low bytes, 3 with the high ones.
      l.op.mode3 =
          l.modifier(Modifier::dot_mode) == 3 ? 2 : static_cast<std::uint8_t>(l.modifier(Modifier::dot_mode));
      return l.vector.dot_product;
    default:
      return nullptr;
  }
}

}  // namespace

bool lower_integer(Lowering& l) {
  const ExecuteFunction function = choose(l);
  if (function == nullptr) return false;
  if (vector_form(l.instruction.opcode) != l.instruction.opcode)
    l.execute_uniform(function);
  else
    l.execute(function);
  return true;
}

}  // namespace warpgauge::emulator
