// Instructions of warpgroups: matrix products and what orders them.
#include "traces/emulator/lower/lowering.h"
#include "traces/emulator/matrix_modes.h"

namespace warpgauge::emulator {
namespace {

using sass::Modifier;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;

// Bits of all four opcodes.
constexpr unsigned negate_a_bit = 72, negate_b_bit = 63, sparse_bit = 73;
constexpr std::uint64_t from_registers = 0x400;  // of the opcode

// The four uniform registers of both descriptors, of which A's two count for nothing if A comes from
// registers.
Row descriptors(Lowering& l) {
  for (const Operand& operand : l.instruction.operands()) {
    if (operand.kind != OperandKind::descriptor) continue;
    Operand first;
    first.kind = OperandKind::uniform_register;
    first.index = operand.index;
    return l.source_row(first, 4);
  }
  Lowering::illegal("a warpgroup's product without descriptors");
}

bool sparse(const Lowering& l) {
  return l.instruction.word.bits(sparse_bit, 1) != 0;
}

void float_inputs(Lowering& l) {
  const bool bytes = l.instruction.opcode == Opcode::QGMMA;
  const unsigned type = l.modifier(Modifier::input_type);
  MatrixInput a = MatrixInput::f16;
  MatrixInput b = MatrixInput::f16;
  TensorSum how = tensor_sum(l.instruction.architecture);
  std::uint32_t sign = 0x80008000U;
  if (bytes) {
    constexpr MatrixInput inputs[] = {MatrixInput::e4m3, MatrixInput::e5m2};
    a = inputs[type & 1U];
    b = inputs[l.modifier(Modifier::input_type_b) & 1U];
    how = byte_float_sum;
    sign = 0x80808080U;
  } else {
    constexpr MatrixInput inputs[] = {MatrixInput::f16, MatrixInput::bf16, MatrixInput::tf32};
    if (type > 2) Lowering::illegal("a matrix input format");
    a = b = inputs[type];
    if (a == MatrixInput::tf32) sign = 0x80000000U;
  }
  l.op.mode2 = matrix_inputs(a, b);
  l.op.mode3 = static_cast<std::uint8_t>(how.group);
  l.op.bytes = static_cast<std::uint8_t>(how.fraction_bits);
  if (l.instruction.word.bits(negate_a_bit, 1) != 0) l.op.xor_mask[0] = sign;
  if (l.instruction.word.bits(negate_b_bit, 1) != 0) l.op.xor_mask[1] = sign;
  if (l.modifier(Modifier::output_type) == 0) l.op.extra |= matrix_f16_result;
  if (l.has(Modifier::transpose_a)) l.op.extra |= matrix_a_transposed;
  if (l.has(Modifier::transpose_b)) l.op.extra |= matrix_b_transposed;
  l.op.inner = sparse(l) ? l.vector.matrix_half_sparse : l.vector.matrix_half;
}

void integer_inputs(Lowering& l) {
  l.op.mode3 = 2;
  if (l.instruction.opcode == Opcode::BGMMA) {
    l.op.extra |= matrix_and;
    l.op.inner = scalar::matrix_binary;
    return;
  }
  l.op.bytes = 8;
  if (l.modifier(Modifier::input_type) == 1) l.op.extra |= matrix_a_signed;
  if (l.modifier(Modifier::input_type_b) == 1) l.op.extra |= matrix_b_signed;
  if (l.has(Modifier::saturate)) l.op.extra |= matrix_saturate;
  l.op.inner = sparse(l) ? l.vector.matrix_integer_sparse : l.vector.matrix_integer;
}

void lower_product(Lowering& l, void (*inputs)(Lowering&)) {
  l.op.mode = sparse(l) ? 4 : 2;  // 16 bytes of k each
  inputs(l);
  const bool a_in_registers = (l.instruction.word.bits(0, 12) & from_registers) != 0;
  l.require(a_in_registers ? 2 : 1, 1);
  const unsigned span = l.destinations[0]->registers;
  const unsigned span_of_tile = (l.op.extra & matrix_f16_result) != 0 ? 2 : 4;
  if (span == 0 || span % span_of_tile != 0) Lowering::refuse("a warpgroup's product of this shape");
  l.op.extra2 = span / span_of_tile;
  if (a_in_registers) {
    l.op.extra |= matrix_a_registers;
    l.op.a = l.source_row(*l.sources[0], 4);
    if (l.op.a == Row::zero()) Lowering::refuse("a matrix operand that is RZ");
  }
  // Behind the accumulator. Of bytes all lanes have metadata and nothing selects.
  if (sparse(l)) l.metadata(a_in_registers ? 2 : 1, l.instruction.opcode == Opcode::HGMMA);
  l.op.b = descriptors(l);
  l.op.p = l.predicate_at(0, true);
  const Operand& accumulator = *l.sources[a_in_registers ? 1 : 0];
  l.op.c = l.source_row(accumulator, span);
  // RZ is one row.
  if (l.op.c == Row::zero()) l.op.p = Lowering::constant_predicate(false);
  l.destination(span);
  l.execute(scalar::warpgroup_product);
}

}  // namespace

bool lower_warpgroup(Lowering& l) {
  switch (l.instruction.opcode) {
    case Opcode::HGMMA:
    case Opcode::QGMMA:
      lower_product(l, float_inputs);
      return true;
    case Opcode::IGMMA:
    case Opcode::BGMMA:
      lower_product(l, integer_inputs);
      return true;
    // Products are carried out when they are issued.
    case Opcode::WARPGROUP:
    case Opcode::WARPGROUPSET:
      l.execute(scalar::no_operation);
      return true;
    // Every warp has the registers that its code names.
    case Opcode::USETMAXREG:
      l.predicate_results();
      l.execute(l.predicates_out.empty() ? scalar::no_operation : scalar::allocate_registers);
      return true;
    default:
      return false;
  }
}

}  // namespace warpgauge::emulator
