// Conversions between formats. Semantics: PTX ISA, cvt.
#include <cmath>

#include "traces/emulator/access.h"
#include "traces/emulator/conversion_modes.h"
#include "traces/emulator/executors.h"
#include "traces/emulator/float_format.h"

namespace warpgauge::emulator::scalar {
namespace {

// A source of any format, as binary64: exact. `words` is the lane's register.
double read_float(const MicroOp& op, const std::uint32_t* words, FloatFormat format, unsigned lane) {
  const std::uint32_t low = words[lane];
  switch (format) {
    case FloatFormat::f64: {
      const std::uint64_t high = (words[lane + lanes] & op.and_mask[1]) ^ op.xor_mask[1];
      return as_double((high << 32) | low);
    }
    case FloatFormat::f16: {
      const std::uint32_t half = (op.extra & convert_high_half) != 0 ? low >> 16 : low & 0xffffU;
      const double magnitude = static_cast<double>(half_to_float(half));
      const double absolute = op.and_mask[1] != all_lanes ? std::fabs(magnitude) : magnitude;
      return op.xor_mask[1] != 0 ? -absolute : absolute;
    }
    case FloatFormat::bf16: {
      const std::uint32_t half = (op.extra & convert_high_half) != 0 ? low & 0xffff0000U : low << 16;
      return static_cast<double>(as_float((half & op.and_mask[1]) ^ op.xor_mask[1]));
    }
    default: {
      const std::uint32_t bits = (low & op.and_mask[1]) ^ op.xor_mask[1];
      return static_cast<double>(as_float((op.extra & convert_ftz) != 0 ? flush32(bits) : bits));
    }
  }
}

double saturated(double x) {
  return x > 0 ? (x < 1 ? x : 1.0) : 0.0;
}

// To an integral value in the given rounding.
double integral(double x, unsigned rounding) {
  switch (rounding) {
    case round_down:
      return std::floor(x);
    case round_up:
      return std::ceil(x);
    case round_zero:
      return std::trunc(x);
    default: {
      // To nearest, ties to even, whatever the host's mode.
      const double down = std::floor(x);
      const double rest = x - down;
      if (rest < 0.5) return std::copysign(down, x);
      if (rest > 0.5) return std::copysign(down + 1, x);
      return std::copysign(std::fmod(down, 2.0) == 0 ? down : down + 1, x);
    }
  }
}

void write_float(std::uint32_t* destination, unsigned lane, double x, FloatFormat format, unsigned rounding,
                 unsigned flags) {
  switch (format) {
    case FloatFormat::f64: {
      const std::uint64_t bits = as_bits(x);
      destination[lane] = static_cast<std::uint32_t>(bits);
      destination[lane + lanes] = static_cast<std::uint32_t>(bits >> 32);
      break;
    }
    case FloatFormat::f16:
      destination[lane] = round_to_half(x, rounding);
      break;
    case FloatFormat::bf16:
      destination[lane] = round_to_bfloat(x, rounding);
      break;
    default: {
      const std::uint32_t bits = canonical32(round_to_float(x, rounding));
      destination[lane] = (flags & convert_ftz) != 0 ? flush32(bits) : bits;
    }
  }
}

std::uint32_t pack_one(double x, FloatFormat format, unsigned rounding, unsigned flags) {
  if ((flags & convert_relu) != 0 && !(x > 0) && !is_nan(x)) x = 0.0;
  switch (format) {
    case FloatFormat::bf16:
      return round_to_bfloat(x, rounding);
    default: {
      const std::uint32_t half = round_to_half(x, rounding);
      const bool overflow = (half & 0x7fffU) == 0x7c00U;
      return (flags & convert_satfinite) != 0 && overflow ? (half & 0x8000U) | 0x7bffU : half;
    }
  }
}

// The integer that a lane's source holds. bytes of it, mode2: signed, mode3: which byte or half.
std::int64_t read_integer(const MicroOp& op, const std::uint32_t* words, unsigned lane) {
  const std::uint32_t low = words[lane];
  const bool is_signed = op.mode2 != 0;
  switch (op.bytes) {
    case 1: {
      const auto byte = static_cast<std::uint8_t>(low >> (8 * op.mode3));
      return is_signed ? static_cast<std::int8_t>(byte) : std::int64_t{byte};
    }
    case 2: {
      const auto half = static_cast<std::uint16_t>(low >> (8 * op.mode3));
      return is_signed ? static_cast<std::int16_t>(half) : std::int64_t{half};
    }
    case 4:
      return is_signed ? static_cast<std::int32_t>(low) : std::int64_t{low};
    default:
      return static_cast<std::int64_t>((std::uint64_t{words[lane + lanes]} << 32) | low);
  }
}

// A 64-bit magnitude as a binary64 value with what is lost kept in the last bit: right for a later rounding
// to 24 or 11 bits; and rounded itself for 53.
double to_double(std::uint64_t magnitude, bool negative, unsigned rounding, bool to_odd) {
  if (magnitude >> 53 == 0) {
    const auto exact = static_cast<double>(magnitude);
    return negative ? -exact : exact;
  }
  const unsigned drop = 11U - static_cast<unsigned>(__builtin_clzll(magnitude));
  std::uint64_t kept = magnitude >> drop;
  const std::uint64_t lost = magnitude & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  if (to_odd) {
    kept |= lost != 0 ? 1U : 0U;
  } else {
    const bool up = rounding == round_nearest ? lost > half || (lost == half && (kept & 1U) != 0)
                    : rounding == round_up    ? lost != 0 && !negative
                    : rounding == round_down  ? lost != 0 && negative
                                              : false;
    kept += up ? 1U : 0U;
  }
  const double scaled = static_cast<double>(kept) * static_cast<double>(std::uint64_t{1} << drop);
  return negative ? -scaled : scaled;
}

}  // namespace

// F2F. mode: source format, mode2: result's, mode3: rounding. b: source.
void float_to_float(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  const auto from = static_cast<FloatFormat>(op.mode);
  const auto to = static_cast<FloatFormat>(op.mode2);
  each_lane(mask, [&](unsigned i) {
    double x = read_float(op, b, from, i);
    if ((op.extra & convert_saturate) != 0) x = saturated(x);
    write_float(destination, i, x, to, op.mode3, op.extra);
  });
}

// FRND. mode: format, mode3: rounding.
void round_to_integral(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  const auto format = static_cast<FloatFormat>(op.mode);
  each_lane(mask, [&](unsigned i) {
    write_float(destination, i, integral(read_float(op, b, format, i), op.mode3), format, round_nearest,
                op.extra);
  });
}

// F2I. mode: source format, bytes and mode2 (signed): result, mode3: rounding. Out of range becomes the
// nearest end of the range; a NaN 0, or the top bit where either side has 64 bits.
void float_to_integer(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  const auto format = static_cast<FloatFormat>(op.mode);
  const bool is_signed = op.mode2 != 0;
  const unsigned bits = 8U * op.bytes;
  const double lowest = is_signed ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0.0;
  const double beyond = std::ldexp(1.0, static_cast<int>(bits) - (is_signed ? 1 : 0));
  const std::uint64_t all = ~std::uint64_t{0};
  const std::uint64_t largest = is_signed ? all >> (65 - bits) : all >> (64 - bits);
  const std::uint64_t smallest = is_signed ? all << (bits - 1) : 0;
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  each_lane(mask, [&](unsigned i) {
    const double x = read_float(op, b, format, i);
    std::uint64_t result = 0;
    if (is_nan(x)) {
      result = format == FloatFormat::f64 || bits == 64 ? top : 0;
    } else {
      const double whole = integral(x, op.mode3);
      if (whole < lowest)
        result = smallest;
      else if (whole >= beyond)
        result = largest;
      else
        result = is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                           : static_cast<std::uint64_t>(whole);
    }
    destination[i] = static_cast<std::uint32_t>(result);
    if (bits == 64) destination[i + lanes] = static_cast<std::uint32_t>(result >> 32);
  });
}

// I2F. bytes, mode2 (signed) and mode3 (which byte): source; mode: result's format; extra2: rounding.
void integer_to_float(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  const auto format = static_cast<FloatFormat>(op.mode);
  each_lane(mask, [&](unsigned i) {
    const std::int64_t x = read_integer(op, b, i);
    const bool negative = op.mode2 != 0 && x < 0;
    const std::uint64_t magnitude =
        negative ? 0U - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
    write_float(destination, i, to_double(magnitude, negative, op.extra2, format != FloatFormat::f64), format,
                op.extra2, 0);
  });
}

// F2FP: a to the upper half, b to the lower. mode: result's format, mode3: rounding.
void pack_floats(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  const auto format = static_cast<FloatFormat>(op.mode);
  each_lane(mask, [&](unsigned i) {
    const double high = static_cast<double>(as_float((a[i] & op.and_mask[0]) ^ op.xor_mask[0]));
    const double low = static_cast<double>(as_float((b[i] & op.and_mask[1]) ^ op.xor_mask[1]));
    destination[i] =
        (pack_one(high, format, op.mode3, op.extra) << 16) | pack_one(low, format, op.mode3, op.extra);
  });
}

// I2I: saturates. bytes and mode2: result; the source is a 32-bit integer, signed if mode is 1.
void integer_to_integer(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const b = source(warp, op.b);
  std::uint32_t* const destination = row(warp, op.destination);
  const unsigned bits = 8U * op.bytes;
  const bool to_signed = op.mode2 != 0;
  const std::int64_t largest = (std::int64_t{1} << (bits - (to_signed ? 1 : 0))) - 1;
  const std::int64_t smallest = to_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  each_lane(mask, [&](unsigned i) {
    const std::uint32_t word = (b[i] ^ op.xor_mask[1]) + op.add[1];
    const std::int64_t x = op.mode != 0 ? static_cast<std::int32_t>(word) : std::int64_t{word};
    const std::int64_t y = x > largest ? largest : x < smallest ? smallest : x;
    destination[i] = static_cast<std::uint32_t>(y);
  });
}

// I2IP: saturated a above saturated b above c's. bytes: 1 or 2 a field; mode2: signed result.
void pack_integers(Block&, Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* const a = source(warp, op.a);
  const std::uint32_t* const b = source(warp, op.b);
  const std::uint32_t* const c = source(warp, op.c);
  std::uint32_t* const destination = row(warp, op.destination);
  const unsigned bits = 8U * op.bytes;
  const bool to_signed = op.mode2 != 0;
  const std::int64_t largest = (std::int64_t{1} << (bits - (to_signed ? 1 : 0))) - 1;
  const std::int64_t smallest = to_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::uint32_t field = (1U << bits) - 1;
  const auto clamp = [&](std::uint32_t word) {
    const std::int64_t x = static_cast<std::int32_t>(word);
    return static_cast<std::uint32_t>(x > largest ? largest : x < smallest ? smallest : x) & field;
  };
  each_lane(mask, [&](unsigned i) {
    const std::uint32_t pair = (clamp(a[i]) << bits) | clamp(b[i]);
    destination[i] = bits == 16 ? pair : pair | (c[i] << 16);
  });
}

}  // namespace warpgauge::emulator::scalar
