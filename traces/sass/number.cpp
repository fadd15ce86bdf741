#include "traces/sass/number.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace warpgauge::sass {
namespace {

using table::Number;

// nvdisasm forgets a NaN's payload; `negative` is its sign.
void append_value(std::string& out, double value, bool negative) {
  if (std::isnan(value)) {
    out += negative ? "-QNAN " : "+QNAN ";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-INF " : "+INF ";
    return;
  }
  if (value == 0) {
    out += std::signbit(value) ? "-0.0 " : "0";
    return;
  }
  // Twenty digits; from a thousand million up in exponential form with all digits written out.
  constexpr double exponential_from = 1e9;
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(),
                                   std::fabs(value) >= exponential_from ? "%.20e" : "%.20g", value);
  out.append(buffer.data(), static_cast<std::size_t>(length));
}

std::uint16_t half_from_double(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = 0;
  if (magnitude == 0) return sign;
  std::frexp(magnitude, &exponent);
  // The step between neighbours is 2^(exponent - 11), no finer than 2^-24.
  const int step = std::max(exponent - 11, -24);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -step)));
  if (step == -24) return static_cast<std::uint16_t>(sign | units);
  return static_cast<std::uint16_t>(sign | ((static_cast<std::uint32_t>(step + 24) << 10) + units));
}

}  // namespace

void append_hex(std::string& out, std::uint64_t value) {
  std::array<char, 18> buffer{'0', 'x'};
  const auto [end, error] = std::to_chars(buffer.data() + 2, buffer.data() + buffer.size(), value, 16);
  static_cast<void>(error);
  out.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
}

void append_signed_hex(std::string& out, std::int64_t value) {
  if (value < 0) {
    out += '-';
    append_hex(out, std::uint64_t{0} - static_cast<std::uint64_t>(value));
  } else {
    append_hex(out, static_cast<std::uint64_t>(value));
  }
}

void append_decimal(std::string& out, std::uint64_t value) {
  if (value < 10) {
    out += static_cast<char>('0' + value);
    return;
  }
  std::array<char, 20> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  static_cast<void>(error);
  out.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
}

double half_to_double(std::uint16_t bits) {
  const unsigned exponent = bits >> 10 & 0x1fU;
  const unsigned mantissa = bits & 0x3ffU;
  double value = 0;
  if (exponent == 31) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<double>(mantissa), -24);
  } else {
    value = std::ldexp(static_cast<double>(mantissa + 1024), static_cast<int>(exponent) - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

double bfloat_to_double(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

void append_float(std::string& out, Number number, std::uint64_t bits) {
  switch (number) {
    case Number::fp32:
      append_value(out, static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))),
                   (bits >> 31 & 1) != 0);
      return;
    case Number::fp64_high: {
      // Only here does nvdisasm tell a signalling NaN.
      const double value = std::bit_cast<double>(bits);
      if (std::isnan(value) && (bits >> 51 & 1) == 0) {
        out += bits >> 63 != 0 ? "-SNAN " : "+SNAN ";
      } else {
        append_value(out, value, bits >> 63 != 0);
      }
      return;
    }
    case Number::fp16:
      append_value(out, half_to_double(static_cast<std::uint16_t>(bits)), (bits >> 15 & 1) != 0);
      return;
    case Number::bf16:
      append_value(out, bfloat_to_double(static_cast<std::uint16_t>(bits)), (bits >> 15 & 1) != 0);
      return;
    case Number::fp16x2:
    case Number::bf16x2: {
      const Number half = number == Number::fp16x2 ? Number::fp16 : Number::bf16;
      append_float(out, half, bits >> 16 & 0xffff);
      out += ", ";
      append_float(out, half, bits & 0xffff);
      return;
    }
    default:
      append_hex(out, bits);
  }
}

std::optional<std::uint64_t> parse_float(Number number, std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const bool wide = number == Number::fp64_high;
  const std::uint64_t sign = wide ? std::uint64_t{1} << 63 : number == Number::fp32 ? 0x80000000 : 0x8000;
  const std::uint64_t infinity = wide                     ? 0x7ff0000000000000
                                 : number == Number::fp32 ? 0x7f800000
                                 : number == Number::fp16 ? 0x7c00
                                                          : 0x7f80;
  const std::uint64_t quiet = wide                     ? 0x7ff8000000000000
                              : number == Number::fp32 ? 0x7fc00000
                              : number == Number::fp16 ? 0x7e00
                                                       : 0x7fc0;
  if (text == "+INF") return infinity;
  if (text == "-INF") return infinity | sign;
  if (text == "+QNAN") return quiet;
  if (text == "-QNAN") return quiet | sign;
  if (wide && text == "+SNAN") return infinity | std::uint64_t{1} << 32;
  if (wide && text == "-SNAN") return sign | infinity | std::uint64_t{1} << 32;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  switch (number) {
    case Number::fp32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case Number::fp64_high: {
      // The word holds the upper half only; the lower is zero. Round to the nearest such double.
      const auto bits = std::bit_cast<std::uint64_t>(value);
      return (bits + 0x80000000) & ~std::uint64_t{0xffffffff};
    }
    case Number::fp16:
      return half_from_double(value);
    case Number::bf16: {
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) & 0xffff;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace warpgauge::sass
