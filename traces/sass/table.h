// The opcode table: what each opcode's word looks like, and how it is written.
//
// The data is in table/*.cpp, one place per opcode: a RowText is one line of text that names the word's
// fields in the order in which nvdisasm prints them. At first use the lines are compiled into Rows, which the
// decoder, the encoder, the printer and the assembler all walk; nothing about an opcode is written twice. The
// grammar of the lines is in docs/sass.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::sass::table {

struct RowText {
  const char* code;           // "981'", or a base and its operand forms: "010/1 4 5 6'"
  const char* architectures;  // "70+", "75-89", "90"
  Opcode opcode;
  const char* modifiers;
  const char* operands;
  const char* fixed =
      "";  // bits that are neither zero nor in a field: "74=1 87+4=15"; "guard=u" for UP guards
};

std::span<const RowText> integer_rows();
std::span<const RowText> float_rows();
std::span<const RowText> half_rows();
std::span<const RowText> conversion_rows();
std::span<const RowText> memory_rows();
std::span<const RowText> atomic_rows();
std::span<const RowText> control_rows();
std::span<const RowText> warp_rows();
std::span<const RowText> uniform_rows();
std::span<const RowText> matrix_rows();
std::span<const RowText> texture_rows();
std::span<const RowText> graphics_rows();
std::span<const RowText> hopper_rows();

// A field of up to three runs of bits; the first run holds the lowest bits of the value.
struct Field {
  struct Run {
    std::uint8_t first = 0;
    std::uint8_t width = 0;
  };
  std::array<Run, 3> runs{};
  std::uint8_t count = 0;

  [[nodiscard]] bool present() const { return count != 0; }
  [[nodiscard]] unsigned width() const;
  [[nodiscard]] std::uint64_t get(const Word& word) const {
    std::uint64_t value = word.bits(runs[0].first, runs[0].width);
    unsigned shift = runs[0].width;
    for (unsigned i = 1; i < count; ++i) {
      value |= word.bits(runs[i].first, runs[i].width) << shift;
      shift += runs[i].width;
    }
    return value;
  }
  void put(Word& word, std::uint64_t value) const;
};

inline constexpr std::uint8_t no_bit = 255;

// A part of the mnemonic after its name: a literal, or a field with a name for each value.
struct ModifierField {
  Modifier key = Modifier::count;  // count: a literal
  Field field;
  std::vector<std::string> names;  // with the leading '.'; empty for a value that prints nothing
  std::vector<bool> valid;
  bool all_valid = true;
};

enum class Number : std::uint8_t {
  unsigned_hex,
  signed_hex,
  decimal,
  fp32,
  fp64_high,
  fp16x2,
  bf16x2,
  fp16,
  bf16
};

// What tells how many registers an operand spans.
enum class Span : std::uint8_t { fixed, width, atomic, texture, texture_high, matrix, group };

enum class SelectorStyle : std::uint8_t { none, half2, half2_f32, byte, half };

struct AddressField {
  Field base;                      // general register; absent when only a uniform register addresses
  Field uniform;                   // UR that is added
  Field descriptor;                // UR of the memory descriptor
  Field offset;                    // signed bytes
  Field scale;                     // 0…3: the base times 1, 4, 8, 16
  std::uint8_t wide_bit = no_bit;  // 1: 64-bit base, printed .64; 0: printed .U32
  bool wide = false;               // a 64-bit base
  bool print_wide = false;
  bool hide_urz = false;         // an absent uniform register is not printed as URZ
  bool in_words = false;         // the offset counts words and is never negative
  bool bare_descriptor = false;  // desc[UR] with no register behind it
};

struct OperandField {
  OperandKind kind = OperandKind::none;
  Access access = Access::read;
  SourceSlot slot = SourceSlot::none;
  std::uint8_t reuse_bit = no_bit;
  std::uint8_t negate_bit = no_bit;
  std::uint8_t absolute_bit = no_bit;
  std::uint8_t invert_bit = no_bit;
  SelectorStyle selector_style = SelectorStyle::none;
  Field selector;
  Field index;  // register, predicate, special register …
  Field value;  // immediate, constant offset, displacement
  Field bank;
  bool sign = false;
  bool inverted = false;   // predicate: the field holds 7 - index
  std::uint8_t shift = 0;  // the value is the field times 2^shift
  Number number = Number::unsigned_hex;
  Span span = Span::fixed;
  std::uint8_t registers = 1;
  bool optional = false;  // not printed when it has its default value
  std::uint64_t default_raw = 0;
  bool spaced = false;             // a blank instead of a comma before it
  bool divided = false;            // a blank between the brackets of a constant
  std::string literal;             // printed as it stands: PR; or a prefix, a suffix
  std::string suffix;              // printed behind the operand: ".ROW"
  std::vector<std::string> names;  // a field whose values have names: texture shapes
  AddressField address;
};

struct Row {
  Opcode opcode = Opcode::unknown;
  std::uint16_t code = 0;          // 12 bits and bit 91 above them
  std::uint8_t architectures = 0;  // bit n: all_architectures[n]
  bool uniform_guard = false;
  Word mask;  // bits that must equal `value`
  Word value;
  std::vector<ModifierField> modifiers;
  std::vector<OperandField> operands;
  std::string name;
};

std::span<const Row> rows();
const Row& row(std::uint16_t index);

// The rows whose opcode bits and architecture fit, in the order in which they are tried.
std::span<const std::uint16_t> candidates(Architecture architecture, unsigned code);

// The index of an architecture in all_architectures.
unsigned architecture_index(Architecture architecture);

inline unsigned opcode_bits(const Word& word) {
  return static_cast<unsigned>((word.low & 0xfff) | ((word.high >> 15) & 0x1000));
}

// The same for every row: the bits of the guard and of the control word, which no row holds.
inline constexpr Word frame_mask{0xf000, 0x3ffffe0000000000};

}  // namespace warpgauge::sass::table
