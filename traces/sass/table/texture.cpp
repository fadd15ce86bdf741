// Opcode table: texture.
#include "traces/sass/table.h"

namespace warpgauge::sass::table {
namespace {

constexpr RowText texts[] = {
    {"918", "70+", Opcode::NOP, "", ""},
};

}  // namespace

std::span<const RowText> texture_rows() {
  return texts;
}

}  // namespace warpgauge::sass::table
