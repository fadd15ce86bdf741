// Votes, shuffles, reductions over a warp, special registers and predicates.
#include "traces/emulator/lower/lowering.h"

namespace warpgauge::emulator {
namespace {

using sass::Modifier;
using sass::Opcode;

void lower_vote(Lowering& l, bool uniform) {
  l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::vote_mode));
  l.op.mode2 = uniform ? 1 : 0;
  l.op.p = l.predicate_at(0, true);
  l.destination();
  l.predicate_results();
  l.execute(scalar::vote);
}

void lower_special(Lowering& l, ExecuteFunction function) {
  if (l.special == nullptr) Lowering::illegal("no special register");
  l.require(0, 1);
  l.op.mode = static_cast<std::uint8_t>(l.special->index);
  l.execute(function);
}

// The operands are the sign bits of registers.
void lower_sign_logic(Lowering& l) {
  for (unsigned n = 0; n < 3; ++n) l.source_at(n, n, Reading::integer);
  l.op.extra = l.immediate(*l.sources[3]);
  l.op.extra2 = l.immediate(*l.sources[4]);
  l.predicate_results();
  l.execute(scalar::sign_logic);
}

void lower_predicate_logic(Lowering& l, bool uniform) {
  l.require(2);
  if (l.sources.size() == 5) {
    lower_sign_logic(l);
    return;
  }
  l.op.p = l.predicate_at(0, true);
  l.op.q = l.predicate_at(1, true);
  l.op.r = l.predicate_at(2, true);
  l.op.extra = l.immediate(*l.sources[0]);
  l.op.extra2 = l.immediate(*l.sources[1]);
  l.predicate_results();
  if (uniform)
    l.execute_uniform(scalar::predicate_logic);
  else
    l.execute(scalar::predicate_logic);
}

std::uint8_t byte_of(const sass::Operand& operand) {
  switch (operand.selector) {
    case sass::Selector::b1:
      return 1;
    case sass::Selector::b2:
      return 2;
    case sass::Selector::b3:
      return 3;
    default:
      return 0;
  }
}

void lower_predicates_to_register(Lowering& l, bool uniform) {
  l.require(2, 1);
  l.op.a = l.source_row(*l.sources[0], 1);
  l.op.extra = l.immediate(*l.sources[1]) & 0x7fU;
  l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::byte_mask));
  l.op.mode2 = uniform ? 1 : 0;
  l.destination();
  l.execute(scalar::predicates_to_register);
}

void lower_register_to_predicates(Lowering& l, bool uniform) {
  l.require(2);
  l.op.a = l.source_row(*l.sources[0], 1);
  l.op.extra = l.immediate(*l.sources[1]) & 0x7fU;
  l.op.mode = byte_of(*l.sources[0]);
  l.op.mode2 = uniform ? 1 : 0;
  l.execute(scalar::register_to_predicates);
}

}  // namespace

bool lower_warp_wide(Lowering& l) {
  switch (l.instruction.opcode) {
    case Opcode::VOTE:
      lower_vote(l, false);
      return true;
    case Opcode::VOTEU:
      lower_vote(l, true);
      return true;
    case Opcode::MATCH:
      l.require(1, 1);
      l.op.mode = l.has(Modifier::match_any) ? 1 : 0;
      l.op.mode2 = l.has(Modifier::wide_64) ? 1 : 0;
      l.op.a = l.source_row(*l.sources[0], l.has(Modifier::wide_64) ? 2 : 1);
      l.destination();
      l.predicate_results();
      l.execute(scalar::match);
      return true;
    case Opcode::SHFL:
      l.require(3, 1);
      for (unsigned n = 0; n < 3; ++n) l.source_at(n, n, Reading::integer);
      l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::shuffle_mode));
      l.destination();
      l.predicate_results();
      l.execute(scalar::shuffle);
      return true;
    case Opcode::REDUX:
      l.require(1, 1);
      l.op.a = l.source_row(*l.sources[0], 1);
      l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::reduce_op));
      l.op.mode2 = l.has(Modifier::is_signed) ? 1 : 0;
      l.destination();
      l.execute(scalar::reduce_warp);
      return true;
    case Opcode::R2UR:
      l.require(1, 1);
      l.op.a = l.source_row(*l.sources[0], 1);
      l.op.mode = l.modifier(Modifier::other_0) != 0 ? 1 : 0;
      l.destination();
      l.predicate_results();
      l.execute(scalar::broadcast_to_uniform);
      return true;
    case Opcode::S2R:
      lower_special(l, scalar::read_special);
      l.destination();
      return true;
    case Opcode::S2UR:
      lower_special(l, scalar::read_special_uniform);
      l.destination();
      return true;
    case Opcode::CS2R:
      lower_special(l, scalar::read_clock);
      l.op.mode2 = l.has(Modifier::wide_64) ? 1 : 0;
      l.destination(l.op.mode2 != 0 ? 2 : 1);
      return true;
    case Opcode::PLOP3:
      lower_predicate_logic(l, false);
      return true;
    case Opcode::UPLOP3:
      lower_predicate_logic(l, true);
      return true;
    case Opcode::P2R:
      lower_predicates_to_register(l, false);
      return true;
    case Opcode::UP2UR:
      lower_predicates_to_register(l, true);
      return true;
    case Opcode::R2P:
      lower_register_to_predicates(l, false);
      return true;
    case Opcode::UR2UP:
      lower_register_to_predicates(l, true);
      return true;
    case Opcode::UIADD3_64:
      for (const sass::Operand* const p : l.predicates_out)
        if (p->index != sass::Operand::pt) Lowering::refuse("a carry out of a sum of pairs");
      l.require(1, 1);
      for (unsigned k = 0; k < 3; ++k) l.source_at(k, k, Reading::wide);
      l.destination(2);
      l.execute(scalar::add_uniform_pairs);
      return true;
    case Opcode::ELECT:
      l.destination();
      l.predicate_results();
      l.execute(scalar::elect);
      return true;
    case Opcode::MOVM:
      l.require(1, 1);
      l.op.a = l.source_row(*l.sources[0], 1);
      l.destination();
      l.execute(scalar::move_matrix);
      return true;
    default:
      return false;
  }
}

}  // namespace warpgauge::emulator
