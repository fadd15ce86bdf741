// F2FP with floats of 8 bits and of tensor cores' 19. Semantics: PTX ISA, cvt with .e4m3x2, .e5m2x2 and
// .tf32.
#include "traces/emulator/access.h"
#include "traces/emulator/conversion_modes.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/float_format.h"

namespace warpgauge::emulator::scalar {
namespace {

constexpr std::uint32_t nan8 = 0x7f;

struct ByteFormat {
  unsigned fraction_bits;
  int lowest_exponent;  // of normal numbers
  double largest;
  std::uint32_t overflow;  // e5m2 has an infinity, e4m3 a NaN alone
};

constexpr ByteFormat e5m2{2, -14, 57344.0, 0x7c};
constexpr ByteFormat e4m3{3, -6, 448.0, nan8};

const ByteFormat& byte_format(unsigned format) {
  return static_cast<FloatFormat>(format) == FloatFormat::e4m3 ? e4m3 : e5m2;
}

// To nearest, ties to even: PTX has no other rounding to these formats.
std::uint32_t to_byte(double x, const ByteFormat& format, unsigned flags) {
  if (is_nan(x)) return nan8;
  if ((flags & convert_relu) != 0 && !(x > 0)) x = 0.0;
  const double rounded = round_fraction(x, format.fraction_bits, format.lowest_exponent, round_nearest);
  const std::uint64_t raw = as_bits(rounded);
  const auto sign = static_cast<std::uint32_t>(raw >> 56) & 0x80U;
  double magnitude = as_double(raw & 0x7fffffffffffffffU);
  if (magnitude > format.largest) {
    if ((flags & convert_satfinite) == 0) return sign | format.overflow;
    magnitude = format.largest;
  }
  const unsigned bits = format.fraction_bits;
  // In units of the smallest denormal, normal numbers of the lowest exponent are what denormals would be.
  const double quantum =
      as_double(static_cast<std::uint64_t>(format.lowest_exponent - static_cast<int>(bits) + 1023) << 52);
  const std::uint64_t value = as_bits(magnitude);
  const int exponent = static_cast<int>(value >> 52) - 1023;
  if (exponent < format.lowest_exponent) return sign | static_cast<std::uint32_t>(magnitude / quantum);
  const auto biased = static_cast<std::uint32_t>(exponent - format.lowest_exponent + 1);
  return sign | (biased << bits) | (static_cast<std::uint32_t>(value >> (52 - bits)) & ((1U << bits) - 1));
}

// A byte as binary16, exactly.
std::uint32_t byte_to_half(std::uint32_t byte, const ByteFormat& format) {
  const std::uint32_t magnitude = byte & 0x7fU;
  if (format.overflow != nan8) return magnitude > 0x7cU ? canonical_nan16 : byte << 8;
  if (magnitude == nan8) return canonical_nan16;
  const std::uint32_t sign = (byte & 0x80U) << 8;
  if (magnitude >= 8) return sign | ((magnitude << 7) + (8U << 10));  // the exponents' biases differ by 8
  return sign | encode_half(static_cast<double>(magnitude) * 0x1p-9, round_nearest);
}

double source_float(const MicroOp& op, const std::uint32_t* words, unsigned slot, unsigned lane) {
  return static_cast<double>(as_float((words[lane] & op.and_mask[slot]) ^ op.xor_mask[slot]));
}

// What lies above the two bytes: a half of c. extra2: 16 for the upper one.
std::uint32_t merged(const MicroOp& op, const std::uint32_t* c, unsigned lane, std::uint32_t low) {
  return (c[lane] >> op.extra2) << 16 | low;
}

}  // namespace

// F2FP.PACK_AB_MERGE_C: a above b above a half of c. mode: the result's format.
void pack_bytes(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  const std::uint32_t* const c = source(warp, op.c);
  std::uint32_t* const destination = row(warp, op.destination);
  const ByteFormat& format = byte_format(op.mode);
  each_lane(mask, [&](unsigned i) {
    const std::uint32_t pair = to_byte(source_float(op, a, 0, i), format, op.extra) << 8 |
                               to_byte(source_float(op, b, 1, i), format, op.extra);
    destination[i] = merged(op, c, i, pair);
  });
}

// F2FP.UNPACK_B_MERGE_C: both halves of b as bytes, below a half of c.
void pack_half_bytes(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  const std::uint32_t* const c = source(warp, op.c);
  std::uint32_t* const destination = row(warp, op.destination);
  const ByteFormat& format = byte_format(op.mode);
  each_lane(mask, [&](unsigned i) {
    const auto byte = [&](std::uint32_t half) {
      return to_byte(static_cast<double>(half_to_float(half)), format, op.extra);
    };
    destination[i] = merged(op, c, i, byte(b[i] >> 16) << 8 | byte(b[i] & 0xffffU));
  });
}

// F2FP.UNPACK_B: the two bytes of a half of b as binary16. mode: their format.
void unpack_bytes(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  const ByteFormat& format = byte_format(op.mode);
  const unsigned shift = (op.extra & convert_high_half) != 0 ? 16 : 0;
  const bool relu = (op.extra & convert_relu) != 0;
  each_lane(mask, [&](unsigned i) {
    const auto half = [&](std::uint32_t byte) {
      const std::uint32_t bits = byte_to_half(byte & 0xffU, format);
      return relu && (bits & 0x8000U) != 0 ? 0U : bits;
    };
    destination[i] = half(b[i] >> (shift + 8)) << 16 | half(b[i] >> shift);
  });
}

// The NaN of 19 bits.
constexpr std::uint32_t tensor_nan = 0x7fffe000U;

// F2FP.TF32: binary32 with 10 fraction bits. mode3: rounding.
void round_to_tensor_float(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  each_lane(mask, [&](unsigned i) {
    double x = source_float(op, b, 1, i);
    if ((op.extra & convert_relu) != 0 && !(x > 0) && !is_nan(x)) x = 0.0;
    destination[i] =
        is_nan(x) ? tensor_nan : as_bits(round_to_float(round_fraction(x, 10, -126, op.mode3), op.mode3));
  });
}

}  // namespace warpgauge::emulator::scalar
