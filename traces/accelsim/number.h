// Numbers and blanks in the lines of a foreign trace.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "traces/accelsim/text_source.h"

namespace warpgauge::accelsim {

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// All of `text`; base 16 with or without 0x. `what` is said to be missing where there is none.
template <class T>
T parse_number(std::string_view text, int base, const char* what, const TextSource& source) {
  std::string_view digits = text;
  if (base == 16 && (digits.starts_with("0x") || digits.starts_with("0X"))) digits.remove_prefix(2);
  T value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size())
    source.fail("\"" + std::string(text.substr(0, 40)) + "\" is not " + what);
  return value;
}

}  // namespace warpgauge::accelsim
