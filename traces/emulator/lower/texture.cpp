// Texture fetches, surface loads and stores. Where operands stand is what compilers make of CUDA C++ for sm_75, sm_80
// and sm_90.
#include <algorithm>
#include <bit>

#include "traces/emulator/lower/lowering.h"
#include "traces/emulator/memory_access.h"
#include "traces/emulator/texture_access.h"

namespace warpgauge::emulator {
namespace {

using sass::Modifier;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;

// The handle: sources from `first` on are a bank and a word of it, or a uniform register, or (of a surface) a register.
Row handle_of(Lowering& l, std::size_t first) {
  if (l.sources.size() == first + 1 && l.sources[first]->kind == OperandKind::register_)
    return l.source_row(*l.sources[first], 1);
  if (l.sources.size() < first + 2) Lowering::illegal("a texture without a handle");
  if (l.sources[first]->kind == OperandKind::uniform_register) return l.source_row(*l.sources[first], 1);
  Operand constant;
  constant.kind = OperandKind::constant;
  constant.bank = static_cast<std::uint8_t>(l.sources[first]->value);
  constant.value = l.sources[first + 1]->value * 4;
  return l.source_row(constant, 1);
}

void lower_fetch(Lowering& l) {
  const Opcode opcode = l.instruction.opcode;
  for (const Operand* const p : l.predicates_out)
    if (!p->hidden && p->index != Operand::pt) Lowering::refuse("a fetch that says whether its texels are there");
  if (l.has(Modifier::format)) Lowering::refuse("a fetch that gives 16-bit floats");
  if (l.has(Modifier::other_2)) Lowering::refuse("a fetch beside its coordinates");
  if (l.has(Modifier::other_3)) Lowering::refuse("a fetch that compares depths, or of one of several samples");
  const auto shape = static_cast<TextureShape>(l.instruction.word.bits(61, 3));
  if (shape == TextureShape::invalid) Lowering::illegal("a texture of no known shape");

  enum : unsigned { lod_zero = 1, lod_bias = 2, lod_given = 3, lod_clamped = 4 };
  const unsigned lod = opcode == Opcode::TLD4 ? lod_zero : l.modifier(Modifier::texture_lod);
  if (lod >= lod_clamped || (opcode == Opcode::TXD && lod != 0)) Lowering::refuse("a fetch with a clamped level of detail");
  // Then what follows the two registers is the shape and the mask alone.
  const bool in_register = l.sources.size() == 4 && l.sources[1]->kind == OperandKind::register_;
  const unsigned coordinates = coordinates_of(shape) + (has_layer(shape) ? 1U : 0U);
  // Of arrays of one level what says which is read, and passed over.
  const unsigned words = coordinates + (opcode != Opcode::TXD && (lod == lod_bias || lod == lod_given) ? 1U : 0U);
  const bool split = opcode != Opcode::TXD && l.has(Modifier::other_0);  // .SCR
  const unsigned in_a = split ? (words + 1) / 2 : coordinates;

  if (l.sources.empty() || l.destinations.size() != 2) Lowering::illegal("a fetch without operands");
  l.op.a = l.source_row(*l.sources[0], in_a);
  const bool has_b = l.sources.size() >= 2 && l.sources[1]->kind == OperandKind::register_;
  const unsigned in_b = (in_register ? 1U : 0U) + (coordinates > in_a ? coordinates - in_a : 0U);
  if (in_b != 0 && !has_b) Lowering::illegal("a fetch without its second register");
  if (has_b) l.op.b = l.source_row(*l.sources[1], std::max(in_b, 1U));
  l.op.c = in_register ? l.op.b : handle_of(l, has_b ? 2 : 1);
  l.op.extra = in_a;
  l.op.extra2 = in_register ? 1 : 0;

  l.op.bytes = static_cast<std::uint8_t>(l.instruction.word.bits(72, 4));
  const auto wanted = static_cast<unsigned>(std::popcount(l.op.bytes));
  // The first two of those that are wanted, then the others.
  l.op.destination = l.destination_row(*l.destinations[1], std::min(wanted, 2U));
  l.op.destination2 = wanted > 2 ? l.destination_row(*l.destinations[0], wanted - 2) : Row::discard();
  l.op.mode = static_cast<std::uint8_t>(opcode == Opcode::TLD    ? TextureOperation::texel
                                        : opcode == Opcode::TLD4 ? TextureOperation::gather
                                                                 : TextureOperation::filter);
  l.op.mode2 = static_cast<std::uint8_t>(shape);
  if (opcode == Opcode::TLD4) l.op.mode3 = static_cast<std::uint8_t>(l.modifier(Modifier::texture_lod));
  l.op.memory = true;
  l.execute(scalar::fetch_texture);
}

void lower_surface(Lowering& l, bool load) {
  if (!l.has(Modifier::other_0)) Lowering::refuse("a surface addressed by texels");
  const auto shape = static_cast<SurfaceShape>(l.modifier(Modifier::texture_shape));
  if (shape > SurfaceShape::d3 || l.address == nullptr) Lowering::illegal("a surface of no known shape");
  const Cell cell = cell_of(l);
  const unsigned words = cell_words(cell);
  Operand base = *l.address;
  base.kind = OperandKind::register_;
  if (base.index == Operand::no_base) base.index = Operand::rz;
  l.op.a = l.source_row(base, words_of(shape));
  l.op.c = handle_of(l, load ? 0 : 1);
  l.op.mode = static_cast<std::uint8_t>(cell);
  l.op.mode2 = static_cast<std::uint8_t>(shape);
  l.op.mode3 = static_cast<std::uint8_t>(l.modifier(Modifier::other_1));
  l.op.memory = true;
  if (load) {
    l.destination(words);
    l.execute(scalar::load_surface);
  } else {
    l.op.d = l.source_row(*l.sources[0], words);
    l.execute(scalar::store_surface);
  }
}

}  // namespace

bool lower_texture(Lowering& l) {
  switch (l.instruction.opcode) {
    case Opcode::TEX:
    case Opcode::TLD:
    case Opcode::TLD4:
    case Opcode::TXD:
      lower_fetch(l);
      return true;
    case Opcode::SULD:
      lower_surface(l, true);
      return true;
    case Opcode::SUST:
      lower_surface(l, false);
      return true;
    default:
      return false;
  }
}

}  // namespace warpgauge::emulator
