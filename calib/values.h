// One value of a calibration to and from text, by its type.
#pragma once

#include <string>
#include <string_view>

#include "calib/calibration.h"
#include "calib/errors.h"

namespace warpgauge::calib {

std::string to_text(Integer value);
std::string to_text(Bytes value);
std::string to_text(Real value);  // shortest text that reads back as the same number
std::string to_text(Flag value);
std::string to_text(const List& value);  // "0,8192"
template <class E>
requires std::is_enum_v<E> std::string to_text(E value) {
  return std::string(name(value));
}

// Throw CalibrationError that says what was expected, without the key.
void from_text(std::string_view text, Integer& value);
void from_text(std::string_view text, Bytes& value);
void from_text(std::string_view text, Real& value);
void from_text(std::string_view text, Flag& value);
void from_text(std::string_view text, List& value);

// "lru, fifo, random": for messages.
std::string join(std::span<const std::string_view> names);

template <class E>
requires std::is_enum_v<E>
void from_text(std::string_view text, E& value) {
  const auto names = choices<E>();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) {
      value = static_cast<E>(i);
      return;
    }
  throw CalibrationError("expected one of " + join(names) + ", got \"" + std::string(text) + "\"");
}

// A number computed by a fit or given with a scaled unit: counts are rounded to the nearest, and refused when
// negative, not finite or too large.
void from_number(double number, Integer& value);
void from_number(double number, Bytes& value);
void from_number(double number, Real& value);

// As a number where the value is one: lists, flags and choices give nothing.
template <class T>
std::optional<double> to_number(const T& value) {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, Flag>)
    return static_cast<double>(value);
  else
    return std::nullopt;
}

// Calls f(key, value&) for the one key of this path; false where there is none.
template <class C, class F>
bool with_key(C& calibration, std::string_view path, F&& f) {
  bool found = false;
  visit(calibration, [&](const Key& key, auto& value) {
    if (!found && key.path == path) {
      found = true;
      f(key, value);
    }
  });
  return found;
}

}  // namespace warpgauge::calib
