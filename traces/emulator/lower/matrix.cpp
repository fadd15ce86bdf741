// Matrix instructions. Shapes follow from the registers that the operands span.
#include "traces/emulator/lower/lowering.h"
#include "traces/emulator/matrix_modes.h"

namespace warpgauge::emulator {
namespace {

using sass::Modifier;
using sass::Opcode;

// Sources a, b, c and the destination, each as many registers as it spans.
struct Spans {
  unsigned d = 0;
  unsigned a = 0;
  unsigned b = 0;
};

Spans operands(Lowering& l) {
  l.require(3, 1);
  const Spans spans{l.destinations[0]->registers, l.sources[0]->registers, l.sources[1]->registers};
  if (spans.d == 0 || spans.a == 0 || spans.b == 0) Lowering::refuse("a matrix operand that is RZ");
  l.op.a = l.source_row(*l.sources[0], spans.a);
  l.op.b = l.source_row(*l.sources[1], spans.b);
  l.op.c = l.source_row(*l.sources[2], spans.d);
  l.destination(spans.d);
  return spans;
}

void negations(Lowering& l, std::uint32_t bits) {
  for (unsigned n = 0; n < 3; ++n)
    if (l.sources[n]->negate) l.op.xor_mask[n] = bits;
}

void lower_half(Lowering& l) {
  const bool f32 = l.modifier(Modifier::output_type) == 1;
  if (!f32) l.op.extra |= matrix_f16_result;
  const TensorSum how = tensor_sum(l.instruction.architecture);
  l.op.mode3 = static_cast<std::uint8_t>(how.group);
  l.op.bytes = static_cast<std::uint8_t>(how.fraction_bits);
  if (l.instruction.word.bits(0, 9) == 0x036) {
    operands(l);
    l.op.mode = static_cast<std::uint8_t>(l.modifier(Modifier::step));
    if (l.modifier(Modifier::transpose_a) != 0) l.op.extra |= matrix_a_column;
    if (l.modifier(Modifier::transpose_b) != 0) l.op.extra |= matrix_b_column;
    if (f32 != (l.modifier(Modifier::input_type) == 1)) Lowering::refuse("accumulators of two formats");
    l.execute(scalar::matrix_half_volta);
    return;
  }
  const bool sparse = l.has(Modifier::sparse);
  const Spans spans = operands(l);
  if (sparse ? spans.a != spans.b || (spans.b != 2 && spans.b != 4) : spans.a != 2 * spans.b || spans.b > 2)
    Lowering::refuse("a matrix product of this shape");
  l.op.mode = static_cast<std::uint8_t>(spans.b);
  constexpr MatrixInput inputs[] = {MatrixInput::f16, MatrixInput::bf16, MatrixInput::tf32};
  const unsigned input = l.modifier(Modifier::input_type);
  if (input > 2) Lowering::illegal("a matrix input format");
  l.op.mode2 = matrix_inputs(inputs[input], inputs[input]);
  negations(l, inputs[input] == MatrixInput::tf32 ? 0x80000000U : 0x80008000U);
  if (sparse) l.metadata(3, true);
  l.execute(sparse ? l.vector.matrix_half_sparse : l.vector.matrix_half);
}

void lower_integer_product(Lowering& l, bool binary) {
  const Spans spans = operands(l);
  l.op.mode3 = static_cast<std::uint8_t>(spans.d / 2);
  l.op.mode = static_cast<std::uint8_t>(spans.b);
  const bool sparse = !binary && l.has(Modifier::sparse);
  const bool fits = sparse ? spans.a == spans.b && l.op.mode3 == 2 && (spans.b == 2 || spans.b == 4)
                           : spans.a == spans.b * l.op.mode3 && l.op.mode3 <= 2;
  if (!fits) Lowering::refuse("a matrix product of this shape");
  if (binary) {
    if (l.modifier(Modifier::other_0) != 0) l.op.extra |= matrix_and;
    l.execute(scalar::matrix_binary);
    return;
  }
  // Bit 0 of a type: signed; bit 1: 4 bits.
  const unsigned a_type = l.modifier(Modifier::is_signed);
  const unsigned b_type = l.modifier(Modifier::is_signed_b);
  if ((a_type >> 1) != (b_type >> 1)) Lowering::refuse("factors of two widths");
  l.op.bytes = (a_type & 2U) != 0 ? 4 : 8;
  if ((a_type & 1U) != 0) l.op.extra |= matrix_a_signed;
  if ((b_type & 1U) != 0) l.op.extra |= matrix_b_signed;
  if (l.has(Modifier::saturate)) l.op.extra |= matrix_saturate;
  if (sparse) l.metadata(3, true);
  l.execute(sparse ? l.vector.matrix_integer_sparse : l.vector.matrix_integer);
}

void lower_double(Lowering& l) {
  const Spans spans = operands(l);
  if (l.modifier(Modifier::rounding) != 0) Lowering::refuse("a matrix product in a directed rounding");
  l.op.mode3 = static_cast<std::uint8_t>(spans.d / 4);
  l.op.mode = static_cast<std::uint8_t>(spans.b / 2);
  if (spans.a != spans.b * l.op.mode3 || l.op.mode3 > 2) Lowering::refuse("a matrix product of this shape");
  negations(l, 0x80000000U);
  l.execute(l.vector.matrix_double);
}

}  // namespace

bool lower_matrix(Lowering& l) {
  switch (l.instruction.opcode) {
    case Opcode::HMMA:
      lower_half(l);
      return true;
    case Opcode::IMMA:
      lower_integer_product(l, false);
      return true;
    case Opcode::BMMA:
      lower_integer_product(l, true);
      return true;
    case Opcode::DMMA:
      lower_double(l);
      return true;
    default:
      return false;
  }
}

}  // namespace warpgauge::emulator
