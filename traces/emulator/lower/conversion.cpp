// Conversions. Format fields: floats 1 = binary16, 2 = binary32, 3 = binary64; integers: bit 0 signed, above
// it the logarithm of the bytes.
#include "traces/emulator/conversion_modes.h"
#include "traces/emulator/lower/lowering.h"

namespace warpgauge::emulator {
namespace {

using sass::Modifier;
using sass::Opcode;

FloatFormat float_format(unsigned field) {
  switch (field) {
    case 1:
      return FloatFormat::f16;
    case 2:
      return FloatFormat::f32;
    case 3:
      return FloatFormat::f64;
    case 4:
      return FloatFormat::bf16;
    default:
      Lowering::illegal("a float format");
  }
}

Reading reading_of(FloatFormat format) {
  return format == FloatFormat::f64 ? Reading::binary64 : Reading::binary32;
}
unsigned words_of(FloatFormat format) {
  return format == FloatFormat::f64 ? 2 : 1;
}

void flags(Lowering& l) {
  l.op.extra =
      (l.has(Modifier::ftz) ? convert_ftz : 0U) | (l.has(Modifier::saturate) ? convert_saturate : 0U) |
      (l.has(Modifier::relu) ? convert_relu : 0U) | (l.has(Modifier::satfinite) ? convert_satfinite : 0U);
}

void upper_half(Lowering& l) {
  const sass::Selector selector = l.sources[0]->selector;
  if (selector == sass::Selector::h1 || selector == sass::Selector::h1_h1) l.op.extra |= convert_high_half;
}

void lower_float_to_float(Lowering& l) {
  l.require(1, 1);
  const FloatFormat from = float_format(l.modifier(Modifier::source_format));
  const FloatFormat to = float_format(l.modifier(Modifier::destination_format));
  l.op.mode = static_cast<std::uint8_t>(from);
  l.op.mode2 = static_cast<std::uint8_t>(to);
  l.op.mode3 = static_cast<std::uint8_t>(l.modifier(Modifier::rounding));
  flags(l);
  upper_half(l);
  l.source_at(1, 0, reading_of(from));
  l.destination(words_of(to));
  l.execute(scalar::float_to_float);
}

void lower_round(Lowering& l) {
  l.require(1, 1);
  const FloatFormat format = float_format(l.modifier(Modifier::destination_format));
  l.op.mode = static_cast<std::uint8_t>(format);
  l.op.mode3 = static_cast<std::uint8_t>(l.modifier(Modifier::rounding));
  flags(l);
  upper_half(l);
  l.source_at(1, 0, reading_of(format));
  l.destination(words_of(format));
  l.execute(scalar::round_to_integral);
}

void lower_float_to_integer(Lowering& l) {
  l.require(1, 1);
  const FloatFormat from = float_format(l.modifier(Modifier::source_format));
  const unsigned to = l.modifier(Modifier::destination_format);
  l.op.mode = static_cast<std::uint8_t>(from);
  l.op.mode2 = to & 1U;
  l.op.bytes = static_cast<std::uint8_t>(1U << (to >> 1));
  l.op.mode3 = static_cast<std::uint8_t>(l.modifier(Modifier::rounding));
  flags(l);
  upper_half(l);
  l.source_at(1, 0, reading_of(from));
  l.destination(l.op.bytes == 8 ? 2 : 1);
  if (from == FloatFormat::f32 && l.op.bytes == 4)
    l.execute(l.op.mode2 != 0 ? l.vector.f2i_signed : l.vector.f2i_unsigned);
  else
    l.execute(scalar::float_to_integer);
}

std::uint8_t first_byte(const sass::Operand& operand) {
  switch (operand.selector) {
    case sass::Selector::b1:
      return 1;
    case sass::Selector::b2:
    case sass::Selector::h1:
      return 2;
    case sass::Selector::b3:
      return 3;
    default:
      return 0;
  }
}

void lower_integer_to_float(Lowering& l, unsigned from, FloatFormat to) {
  l.require(1, 1);
  l.op.mode = static_cast<std::uint8_t>(to);
  l.op.mode2 = from & 1U;
  l.op.bytes = static_cast<std::uint8_t>(1U << (from >> 1));
  l.op.mode3 = first_byte(*l.sources[0]);
  l.op.extra2 = l.modifier(Modifier::rounding);
  l.source_at(1, 0, l.op.bytes == 8 ? Reading::wide : Reading::integer);
  l.destination(words_of(to));
  if (to == FloatFormat::f32 && l.op.bytes == 4 && l.op.extra2 == 0)
    l.execute(l.op.mode2 != 0 ? l.vector.i2f_signed : l.vector.i2f_unsigned);
  else
    l.execute(scalar::integer_to_float);
}

// F2FP's fields. The result's format lies in three bits from Ada on, in one before.
enum : unsigned { pack_f16 = 0, pack_bf16 = 1, pack_tf32 = 3, pack_e5m2 = 4, pack_e4m3 = 5 };
enum : unsigned { from_f32 = 0, from_f16 = 1, from_e5m2 = 2, from_e4m3 = 3 };

// Two binary32 values to halves of a register.
void lower_pack_halves(Lowering& l, unsigned format) {
  l.require(2, 1);
  l.op.mode = static_cast<std::uint8_t>(format == pack_f16 ? FloatFormat::f16 : FloatFormat::bf16);
  l.source_at(0, 0, Reading::binary32);
  l.source_at(1, 1, Reading::binary32);
  l.execute(scalar::pack_floats);
}

// To 8-bit floats: two binary32 values, or both halves of a register, below a half of the last source.
void lower_pack_bytes(Lowering& l, unsigned format, unsigned from) {
  const std::size_t values = from == from_f16 ? 1 : 2;
  l.require(values + 1, 1);
  if (from > from_f16) Lowering::refuse("a conversion between these formats");
  l.op.mode = static_cast<std::uint8_t>(format == pack_e4m3 ? FloatFormat::e4m3 : FloatFormat::e5m2);
  if (values == 2) l.source_at(0, 0, Reading::binary32);
  l.source_at(1, values - 1, Reading::binary32);
  const sass::Operand& above = *l.sources[values];
  l.op.c = l.source_row(above, 1);
  l.op.extra2 = above.selector == sass::Selector::h1 ? 16 : 0;
  l.execute(values == 2 ? scalar::pack_bytes : scalar::pack_half_bytes);
}

void lower_pack(Lowering& l) {
  const unsigned format = l.modifier(Modifier::destination_format);
  const unsigned from = l.modifier(Modifier::source_format);
  const std::uint64_t layout = l.instruction.word.bits(89, 2) << 1 | l.instruction.word.bits(78, 1);
  enum : std::uint64_t { two = 0, lowest = 3, unpack = 2, two_merged = 5, halves_merged = 4 };
  flags(l);
  l.op.mode3 = static_cast<std::uint8_t>(l.modifier(Modifier::rounding));
  if (format <= pack_bf16 && from == from_f32 && layout == two) {
    lower_pack_halves(l, format);
  } else if (format == pack_f16 && from >= from_e5m2 && layout == unpack) {
    l.require(1, 1);
    l.op.mode = static_cast<std::uint8_t>(from == from_e4m3 ? FloatFormat::e4m3 : FloatFormat::e5m2);
    l.op.b = l.source_row(*l.sources[0], 1);
    upper_half(l);
    l.execute(scalar::unpack_bytes);
  } else if (format == pack_tf32 && from == from_f32 && layout == lowest) {
    l.require(1, 1);
    l.source_at(1, 0, Reading::binary32);
    l.execute(scalar::round_to_tensor_float);
  } else if (format >= pack_e5m2 && (layout == two_merged || layout == halves_merged)) {
    lower_pack_bytes(l, format, from);
  } else {
    Lowering::refuse("a conversion between these formats");
  }
  l.destination();
}

// The result's format: bit 0 signed, bit 1 two bytes.
void integer_result(Lowering& l) {
  const unsigned format = l.modifier(Modifier::destination_format);
  l.op.mode2 = format & 1U;
  l.op.bytes = (format & 2U) != 0 ? 2 : 1;
  l.destination();
}

void lower_integer_to_integer(Lowering& l) {
  l.require(1, 1);
  l.source_at(1, 0, Reading::integer);
  l.op.mode = 1;
  integer_result(l);
  l.execute(scalar::integer_to_integer);
}

void lower_pack_integers(Lowering& l) {
  // Hopper counts the kinds of saturation from another one on.
  const unsigned saturates = l.instruction.architecture == sass::Architecture::sm90 ? 1 : 0;
  if (l.modifier(Modifier::saturate) != saturates) l.refuse("I2IP that does not saturate, or at zero");
  l.require(2, 1);
  for (unsigned n = 0; n < 3; ++n) l.source_at(n, n, Reading::integer);
  integer_result(l);
  l.execute(scalar::pack_integers);
}

}  // namespace

bool lower_conversion(Lowering& l) {
  switch (l.instruction.opcode) {
    case Opcode::F2F:
      lower_float_to_float(l);
      return true;
    case Opcode::FRND:
      lower_round(l);
      return true;
    case Opcode::F2I:
      lower_float_to_integer(l);
      return true;
    case Opcode::I2F:
      lower_integer_to_float(l, l.modifier(Modifier::source_format),
                             float_format(l.modifier(Modifier::destination_format)));
      return true;
    case Opcode::I2FP:
      // The field holds the signedness alone: 32-bit integers.
      lower_integer_to_float(l, 4U | (l.modifier(Modifier::source_format) & 1U), FloatFormat::f32);
      return true;
    case Opcode::I2I:
      lower_integer_to_integer(l);
      return true;
    case Opcode::I2IP:
      lower_pack_integers(l);
      return true;
    case Opcode::F2FP:
      lower_pack(l);
      return true;
    default:
      return false;
  }
}

}  // namespace warpgauge::emulator
