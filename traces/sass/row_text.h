// Reads the lines of the opcode table: what compiles table/*.cpp into rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/sass/table.h"

namespace warpgauge::sass::table {

// A line that cannot be read is a mistake of the table: throws std::logic_error that names the row.
[[noreturn]] void fail(const RowText& text, const std::string& what);

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::vector<std::string_view> words_of(std::string_view text);

// One run of bits.
Field one_run(unsigned first, unsigned width);

// Reads the pieces of one token from left to right.
class Cursor {
 public:
  Cursor(const RowText& text, std::string_view token) : text_(text), rest_(token) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  [[nodiscard]] bool digit() const { return peek() >= '0' && peek() <= '9'; }
  char take() {
    if (rest_.empty()) fail(text_, "the token ends too soon");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool take_if(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_if(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::uint64_t number() {
    if (!digit()) fail(text_, "a number is missing before '" + std::string(rest_) + "'");
    std::uint64_t value = 0;
    while (digit()) value = value * 10 + static_cast<std::uint64_t>(take() - '0');
    return value;
  }
  std::uint8_t bit() { return static_cast<std::uint8_t>(number()); }
  std::string_view until(std::string_view stops) {
    const auto at = std::min(rest_.find_first_of(stops), rest_.size());
    const auto part = rest_.substr(0, at);
    rest_.remove_prefix(at);
    return part;
  }
  // 78+2 or 75/78 or 16+8/34+48
  Field field(std::uint8_t default_width) {
    Field field;
    do {
      if (field.count == field.runs.size()) fail(text_, "a field of more than three runs");
      Field::Run run{bit(), default_width};
      if (take_if('+')) run.width = bit();
      if (run.width == 0) run.width = 1;
      field.runs[field.count++] = run;
    } while (take_if('/'));
    return field;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  const RowText& text_;
  std::string_view rest_;
};

// The digit of an operand form and whether bit 91 goes with it; digit 0 where the opcode has no forms.
struct Form {
  char digit = '\0';
  bool tick = false;
};

// `token` may name a shared group ($ftz) and lists that are too long to write ($hgmma).
ModifierField parse_modifier(const RowText& text, std::string_view token);
OperandField parse_operand(const RowText& text, Form form, std::string_view token);

// Lists that are too long to write, by their $names.
std::string with_lists(std::string_view token);

}  // namespace warpgauge::sass::table
