// Numbers as nvdisasm writes them, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traces/sass/table.h"

namespace warpgauge::sass {

void append_hex(std::string& out, std::uint64_t value);
void append_signed_hex(std::string& out, std::int64_t value);
void append_decimal(std::string& out, std::uint64_t value);

// `bits` in the number's own type; pairs of halves print the upper one first.
void append_float(std::string& out, table::Number number, std::uint64_t bits);

// One number of a type, as append_float writes it: its bits. A pair of halves is two such numbers.
std::optional<std::uint64_t> parse_float(table::Number number, std::string_view text);

double half_to_double(std::uint16_t bits);
double bfloat_to_double(std::uint16_t bits);

}  // namespace warpgauge::sass
