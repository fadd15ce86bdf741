#include "calib/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace warpgauge::calib {
namespace {

template <class T>
void parse_unsigned(std::string_view text, T& value) {
  T parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error == std::errc::result_out_of_range)
    throw CalibrationError(
        fmt::format("{} is too large, the most is {}", text, std::numeric_limits<T>::max()));
  if (error != std::errc{} || end != text.data() + text.size())
    throw CalibrationError(fmt::format("expected a whole number, got \"{}\"", text));
  value = parsed;
}

template <class T>
void round_unsigned(double number, T& value) {
  const double rounded = std::round(number);
  // The comparison is with 2^32 or 2^64, which a double holds exactly.
  if (!(rounded >= 0) || rounded >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    throw CalibrationError(
        fmt::format("{} does not fit a count of {} bits", number, std::numeric_limits<T>::digits));
  value = static_cast<T>(rounded);
}

}  // namespace

std::string to_text(Integer value) {
  return fmt::format("{}", value);
}
std::string to_text(Bytes value) {
  return fmt::format("{}", value);
}
std::string to_text(Real value) {
  return fmt::format("{}", value);
}
std::string to_text(Flag value) {
  return value ? "true" : "false";
}

std::string to_text(const List& value) {
  std::string text;
  for (const std::uint64_t item : value) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}", item);
  }
  return text;
}

void from_text(std::string_view text, Integer& value) {
  parse_unsigned(text, value);
}
void from_text(std::string_view text, Bytes& value) {
  parse_unsigned(text, value);
}

void from_text(std::string_view text, Real& value) {
  double parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc{} || end != text.data() + text.size())
    throw CalibrationError(fmt::format("expected a number, got \"{}\"", text));
  from_number(parsed, value);
}

void from_text(std::string_view text, Flag& value) {
  if (text != "true" && text != "false")
    throw CalibrationError(fmt::format("expected true or false, got \"{}\"", text));
  value = text == "true";
}

void from_text(std::string_view text, List& value) {
  List parsed;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::uint64_t item = 0;
    parse_unsigned(text.substr(0, comma), item);
    parsed.push_back(item);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) throw CalibrationError("a list ends with a comma");
  }
  value = std::move(parsed);
}

std::string join(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view item : names) {
    if (!text.empty()) text += ", ";
    text += item;
  }
  return text;
}

void from_number(double number, Integer& value) {
  round_unsigned(number, value);
}
void from_number(double number, Bytes& value) {
  round_unsigned(number, value);
}

void from_number(double number, Real& value) {
  if (!std::isfinite(number) || number < 0)
    throw CalibrationError(fmt::format("expected a finite number, not negative, got {}", number));
  value = number;
}

}  // namespace warpgauge::calib
