#include "traces/sass/match.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <vector>

#include "traces/sass/number.h"
#include "traces/sass/print.h"
#include "traces/sass/table.h"

namespace warpgauge::sass {
namespace {

using table::ModifierField;
using table::OperandField;
using table::Row;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

// The text and how far it has been read; remembers the farthest failure.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t position() const { return at_; }
  void rewind(std::size_t to) { at_ = to; }
  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : text_[at_]; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  // A word that no letter, digit or dot follows.
  bool take_word(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
  }
  std::string_view take_identifier() {
    const std::size_t first = at_;
    while (is_word(peek())) ++at_;
    return text_.substr(first, at_ - first);
  }
  std::string_view take_until(std::string_view stops) {
    const std::size_t first = at_;
    while (!done() && stops.find(peek()) == std::string_view::npos) ++at_;
    return text_.substr(first, at_ - first);
  }
  std::optional<std::uint64_t> take_decimal(std::uint64_t largest) {
    if (!is_digit(peek())) return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{} || value > largest) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  // 12, 0x1f, -0x1f
  std::optional<std::int64_t> take_integer() {
    const std::size_t first = at_;
    const bool negative = take('-');
    const bool hex = take("0x") || take("0X");
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, hex ? 16 : 10);
    if (error != std::errc{}) {
      at_ = first;
      return std::nullopt;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return static_cast<std::int64_t>(negative ? std::uint64_t{0} - value : value);
  }

  bool fail(std::string_view reason) {
    if (at_ >= farthest_.position || farthest_.reason.empty()) farthest_ = {at_, std::string(reason)};
    return false;
  }
  [[nodiscard]] const MatchFailure& farthest() const { return farthest_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  MatchFailure farthest_;
};

class RowMatcher {
 public:
  RowMatcher(const Row& row, Reader& in, std::uint64_t offset, const LabelLookup& labels,
             Instruction& instruction)
      : row_(row), in_(in), offset_(offset), labels_(labels), instruction_(instruction) {}

  bool match() {
    if (!in_.take(row_.name)) return false;
    instruction_.opcode = row_.opcode;
    if (row_.opcode == Opcode::IMAD) {
      // IMAD.MOV, .IADD and .SHL name a use and leave no trace in the word.
      const std::size_t here = in_.position();
      for (const std::string_view alias : {".MOV", ".IADD", ".SHL"}) {
        if (in_.take(alias) && match_modifiers(0)) return true;
        in_.rewind(here);
      }
    }
    return match_modifiers(0);
  }

 private:
  bool match_modifiers(std::size_t index) {
    if (index == row_.modifiers.size()) {
      if (!in_.done() && in_.peek() != ' ' && in_.peek() != '\t') return in_.fail("modifier not known here");
      return match_operands(0, true);
    }
    const ModifierField& modifier = row_.modifiers[index];
    const std::size_t here = in_.position();
    // Names that print something first: a shorter match would leave the longer one's tail.
    for (const bool empty : {false, true}) {
      for (std::size_t value = 0; value < modifier.names.size(); ++value) {
        if (modifier.key != Modifier::count && !modifier.valid[value]) continue;
        const std::string& name = modifier.names[value];
        if (name.empty() != empty || !in_.take(name)) continue;
        const char next = in_.peek();
        if (next == '.' || next == ' ' || next == '\t' || next == '\0') {
          set_modifier(modifier, value);
          if (match_modifiers(index + 1)) return true;
        }
        in_.rewind(here);
      }
    }
    return in_.fail("modifier not known here");
  }

  void set_modifier(const ModifierField& modifier, std::size_t value) {
    if (modifier.key == Modifier::count) return;
    instruction_.modifiers[static_cast<std::size_t>(modifier.key)] = static_cast<std::uint8_t>(value);
  }

  bool match_operands(std::size_t index, bool first) {
    if (index == row_.operands.size()) {
      in_.skip_blanks();
      return in_.done() || in_.fail(first ? "no operand belongs here" : "operand too many or not known");
    }
    const OperandField& field = row_.operands[index];
    Operand& operand = instruction_.operand_storage[index];
    const std::size_t here = in_.position();
    const std::uint8_t reuse = instruction_.control.reuse;
    if (match_separator(field, first)) {
      operand = {};
      operand.kind = field.kind;
      if (match_operand(field, operand) && match_operands(index + 1, false)) return true;
    }
    in_.rewind(here);
    instruction_.control.reuse = reuse;
    if (!field.optional) return false;
    operand = default_operand(field);
    return match_operands(index + 1, first);
  }

  bool match_separator(const OperandField& field, bool first) {
    const std::size_t here = in_.position();
    in_.skip_blanks();
    if (first) return in_.position() != here || in_.fail("a blank and an operand are missing");
    if (field.spaced) return in_.position() != here || in_.fail("a blank and an operand are missing");
    if (!in_.take(',')) return in_.fail("a comma and an operand are missing");
    in_.skip_blanks();
    return true;
  }

  static Operand default_operand(const OperandField& field) {
    Operand operand;
    operand.kind = field.kind;
    std::uint64_t raw = field.default_raw;
    if (field.negate_bit != table::no_bit && (raw & 8) != 0) {
      operand.negate = true;
      raw &= 7;
    }
    if (field.index.present()) {
      operand.index = static_cast<std::uint16_t>(field.inverted ? 7 - raw : raw);
    } else {
      operand.value = static_cast<std::int64_t>(raw << field.shift);
    }
    return operand;
  }

  bool match_operand(const OperandField& field, Operand& operand) {
    switch (field.kind) {
      case OperandKind::predicate:
        return match_predicate(field, operand, "P");
      case OperandKind::uniform_predicate:
        return match_predicate(field, operand, "UP");
      default:
        break;
    }
    match_signs(field, operand);
    if (!match_body(field, operand)) return false;
    const bool inside = field.kind != OperandKind::register_ ||
                        (field.selector_style == table::SelectorStyle::half && operand.absolute);
    if (inside) match_selector(field, operand);
    if (operand.absolute && !in_.take('|')) return in_.fail("the closing | is missing");
    if (field.reuse_bit != table::no_bit && in_.take(".reuse")) {
      operand.reuse = true;
      instruction_.control.reuse =
          static_cast<std::uint8_t>(instruction_.control.reuse | 1U << field.reuse_bit);
    }
    if (!inside) match_selector(field, operand);
    if (!in_.take(field.suffix)) return in_.fail("'" + field.suffix + "' is missing");
    const char next = in_.peek();
    if (is_word(next)) return in_.fail("not an operand of this instruction");
    return true;
  }

  void match_signs(const OperandField& field, Operand& operand) {
    if (field.negate_bit != table::no_bit) operand.negate = in_.take('-');
    if (field.invert_bit != table::no_bit) operand.invert = in_.take('~');
    if (field.absolute_bit != table::no_bit) operand.absolute = in_.take('|');
  }

  void match_selector(const OperandField& field, Operand& operand) {
    struct Named {
      std::string_view text;
      Selector selector;
    };
    using enum Selector;
    static constexpr std::array halves2{Named{".H0_H0", h0_h0}, Named{".H1_H1", h1_h1}, Named{".F32", f32},
                                        Named{".INVALID1", f32}};
    static constexpr std::array bytes{Named{".B1", b1}, Named{".B2", b2}, Named{".B3", b3}};
    static constexpr std::array halves{Named{".H1", h1}};
    const auto choose = [&](std::span<const Named> names, Selector otherwise) {
      operand.selector = otherwise;
      for (const Named& named : names) {
        if (in_.take(named.text)) {
          operand.selector = named.selector;
          return;
        }
      }
    };
    switch (field.selector_style) {
      case table::SelectorStyle::none:
        return;
      case table::SelectorStyle::half2:
      case table::SelectorStyle::half2_f32:
        return choose(halves2, whole);
      case table::SelectorStyle::byte:
        return choose(bytes, b0);
      case table::SelectorStyle::half:
        return choose(halves, h0);
    }
  }

  bool match_predicate(const OperandField& field, Operand& operand, std::string_view name) {
    if (field.negate_bit != table::no_bit) operand.negate = in_.take('!');
    if (in_.take(name)) {
      if (in_.take_word("T")) {
        operand.index = Operand::pt;
        return true;
      }
      if (const auto number = in_.take_decimal(6); number && !is_word(in_.peek())) {
        operand.index = static_cast<std::uint16_t>(*number);
        return true;
      }
    }
    return in_.fail(name == "P" ? "a predicate (P0 to P6, PT) belongs here"
                                : "a uniform predicate (UP0 to UP6, UPT) belongs here");
  }

  bool match_register(std::uint16_t& index) {
    const std::size_t here = in_.position();
    if (in_.take('R')) {
      if (in_.take('Z')) {
        index = Operand::rz;
        return true;
      }
      if (const auto number = in_.take_decimal(254)) {
        index = static_cast<std::uint16_t>(*number);
        return true;
      }
    }
    in_.rewind(here);
    return in_.fail("a register (R0 to R254, RZ) belongs here");
  }

  bool match_uniform(std::uint16_t& index) {
    const std::size_t here = in_.position();
    if (in_.take("UR")) {
      if (in_.take('Z')) {
        index = Operand::urz;
        return true;
      }
      if (const auto number = in_.take_decimal(62)) {
        index = static_cast<std::uint16_t>(*number);
        return true;
      }
    }
    in_.rewind(here);
    return in_.fail("a uniform register (UR0 to UR62, URZ) belongs here");
  }

  bool match_numbered(Operand& operand, std::string_view name, std::uint64_t largest) {
    const std::size_t here = in_.position();
    if (in_.take(name)) {
      if (const auto number = in_.take_decimal(largest)) {
        operand.index = static_cast<std::uint16_t>(*number);
        return true;
      }
    }
    in_.rewind(here);
    return in_.fail(std::string(name) + "0 to " + std::string(name) + std::to_string(largest) +
                    " belongs here");
  }

  bool match_body(const OperandField& field, Operand& operand) {
    switch (field.kind) {
      case OperandKind::register_:
        return match_register(operand.index);
      case OperandKind::uniform_register:
        return match_uniform(operand.index);
      case OperandKind::convergence:
        return match_numbered(operand, "B", 15);
      case OperandKind::dependence:
        return in_.peek() == 'I' ? match_numbered(operand, "INVALID", 7) : match_numbered(operand, "SB", 7);
      case OperandKind::immediate:
        return match_immediate(field, operand);
      case OperandKind::float_immediate:
        return match_float(field, operand);
      case OperandKind::constant:
        return match_constant(field, operand);
      case OperandKind::bindless_constant:
        return match_bindless(field, operand);
      case OperandKind::address:
        return match_address(field, operand);
      case OperandKind::descriptor:
        return in_.take(field.literal) && match_uniform(operand.index) && in_.take(']')
                   ? true
                   : in_.fail("a descriptor belongs here");
      case OperandKind::special_register:
        return match_special(operand);
      case OperandKind::target:
        return match_target(field, operand);
      case OperandKind::state:
        return match_state(operand);
      case OperandKind::bitset:
        return match_bits(field, operand);
      default:
        return false;
    }
  }

  bool fits(const OperandField& field, std::int64_t value) {
    const unsigned width = field.value.width() + field.shift;
    if ((value & ((std::int64_t{1} << field.shift) - 1)) != 0)
      return in_.fail("the number is not a multiple of its unit");
    if (width >= 63) return true;
    const std::int64_t bound = std::int64_t{1} << width;
    // 32-bit fields take both readings of their top bit; narrower ones only their own.
    const bool both = width >= 32;
    const std::int64_t low = field.sign || both ? -bound / 2 : 0;
    const std::int64_t high = field.sign && !both ? bound / 2 : bound;
    return (value >= low && value < high) || in_.fail("the number does not fit its field");
  }

  // The value as decoding would give it.
  static std::int64_t settled(const OperandField& field, std::int64_t value) {
    const unsigned width = field.value.width() + field.shift;
    if (width >= 64) return value;
    const unsigned spare = 64 - width;
    const auto shifted = static_cast<std::uint64_t>(value) << spare;
    return field.sign ? static_cast<std::int64_t>(shifted) >> spare
                      : static_cast<std::int64_t>(shifted >> spare);
  }

  bool match_immediate(const OperandField& field, Operand& operand) {
    if (!field.literal.empty() && !in_.take(field.literal))
      return in_.fail("'" + field.literal + "' belongs here");
    if (!field.names.empty()) {
      for (std::size_t i = 0; i < field.names.size(); ++i) {
        if (!field.names[i].empty() && in_.take_word(field.names[i])) {
          operand.value = static_cast<std::int64_t>(i);
          return true;
        }
      }
      return in_.fail("a name belongs here, such as " + field.names.front());
    }
    if (const auto label = match_label()) {
      operand.value = *label;
      return true;
    }
    const std::size_t here = in_.position();
    const auto value = in_.take_integer();
    if (!value) return in_.fail("a number belongs here");
    const std::size_t end = in_.position();
    in_.rewind(here);
    if (!fits(field, *value)) return false;
    in_.rewind(end);
    operand.value = settled(field, *value);
    return true;
  }

  bool match_float(const OperandField& field, Operand& operand) {
    const auto one = [&](table::Number number) -> std::optional<std::uint64_t> {
      const std::size_t here = in_.position();
      const auto bits = parse_float(number, in_.take_until(", \t"));
      if (!bits) {
        in_.rewind(here);
        in_.fail("a floating-point number belongs here");
      }
      return bits;
    };
    const bool half = field.number == table::Number::fp16x2;
    if (!half && field.number != table::Number::bf16x2) {
      const auto bits = one(field.number);
      if (bits) operand.value = static_cast<std::int64_t>(*bits);
      if (bits) in_.skip_blanks();
      return bits.has_value();
    }
    const table::Number part = half ? table::Number::fp16 : table::Number::bf16;
    const auto high = one(part);
    if (!high) return false;
    in_.skip_blanks();
    if (!in_.take(',')) return in_.fail("the lower half is missing");
    in_.skip_blanks();
    const auto low = one(part);
    if (!low) return false;
    operand.value = static_cast<std::int64_t>(*high << 16 | *low);
    in_.skip_blanks();
    return true;
  }

  // `[Rn+URn+offset]` behind c[bank] and cx[UR]; the opening bracket is already read.
  bool match_constant_offset(const OperandField& field, Operand& operand) {
    operand.index = field.address.base.present() ? Operand::rz : operand.index;
    if (operand.kind == OperandKind::constant && field.address.uniform.present())
      operand.uniform_index = Operand::urz;
    bool more = true;
    if (field.address.base.present() && in_.peek() == 'R') {
      if (!match_register(operand.index)) return false;
      more = in_.take('+');
    }
    if (more && operand.kind == OperandKind::constant && field.address.uniform.present() &&
        in_.peek() == 'U') {
      if (!match_uniform(operand.uniform_index)) return false;
      more = in_.take('+');
    }
    if (more) {
      const auto value = in_.take_integer();
      if (!value) return in_.fail("an offset belongs here");
      if (!fits(field, *value)) return false;
      operand.value = settled(field, *value);
    }
    return in_.take(']') || in_.fail("the closing ] is missing");
  }

  bool match_constant(const OperandField& field, Operand& operand) {
    if (!in_.take("c[")) return in_.fail("a constant c[bank][offset] belongs here");
    const auto bank = in_.take_integer();
    if (!bank || *bank < 0 || *bank > 31) return in_.fail("a constant bank (0x0 to 0x1f) belongs here");
    operand.bank = static_cast<std::uint8_t>(*bank);
    if (!in_.take(']')) return in_.fail("the closing ] is missing");
    in_.skip_blanks();
    if (!in_.take('[')) return in_.fail("[offset] is missing");
    return match_constant_offset(field, operand);
  }

  bool match_bindless(const OperandField& field, Operand& operand) {
    if (!in_.take("cx[")) return in_.fail("a constant cx[UR][offset] belongs here");
    if (!match_uniform(operand.uniform_index)) return false;
    if (!in_.take(']')) return in_.fail("the closing ] is missing");
    in_.skip_blanks();
    if (!in_.take('[')) return in_.fail("[offset] is missing");
    return match_constant_offset(field, operand);
  }

  bool match_base(const table::AddressField& address, Operand& operand) {
    if (!address.base.present()) return in_.fail("no register can be the base here");
    if (!match_register(operand.index)) return false;
    if (address.print_wide) {
      if (in_.take(".64")) {
        operand.wide_base = true;
      } else if (in_.take(".U32")) {
        operand.wide_base = false;
        if (address.wide_bit == table::no_bit) return in_.fail("the base is a 64-bit register pair (.64)");
      } else {
        return in_.fail(".64 or .U32 is missing");
      }
    }
    if (address.scale.present() && in_.take(".X")) {
      const auto scale = in_.take_decimal(16);
      if (!scale || (*scale != 4 && *scale != 8 && *scale != 16))
        return in_.fail("the scale is X4, X8 or X16");
      operand.scale = static_cast<std::uint8_t>(*scale);
    }
    return true;
  }

  bool match_address(const OperandField& field, Operand& operand) {
    const table::AddressField& address = field.address;
    if (!in_.take(field.literal)) return in_.fail("'" + field.literal + "[' belongs here");
    if (address.descriptor.present()) {
      if (!in_.take("desc[")) return in_.fail("a descriptor desc[UR] belongs here");
      if (!match_uniform(operand.descriptor_index)) return false;
      if (!in_.take(']')) return in_.fail("the closing ] is missing");
    }
    if (!in_.take('[')) return in_.fail("an address belongs here");
    operand.index = address.base.present() ? Operand::rz : Operand::no_base;
    if (address.uniform.present()) operand.uniform_index = Operand::urz;
    operand.wide_base = address.wide || address.wide_bit != table::no_bit;
    bool more = true;
    bool uniform_written = false;
    if (in_.peek() == 'R') {
      if (!match_base(address, operand)) return false;
      more = in_.take('+');
    }
    if (more && in_.peek() == 'U') {
      if (!address.uniform.present()) return in_.fail("no uniform register can be added here");
      if (!match_uniform(operand.uniform_index)) return false;
      uniform_written = true;
      more = in_.take('+');
    }
    if (address.uniform.present() && !address.hide_urz && !uniform_written)
      return in_.fail("a uniform register (URZ for none) belongs here");
    if (more) {
      const std::size_t here = in_.position();
      auto value = in_.take_integer();
      if (!value || !address.offset.present()) return in_.fail("no offset belongs here");
      if (address.in_words) {
        const std::int64_t bound = std::int64_t{4} << address.offset.width();
        if (*value < 0 || *value >= bound || *value % 4 != 0) {
          in_.rewind(here);
          return in_.fail("the offset does not fit its field");
        }
        operand.value = *value;
        return in_.take(']') || in_.fail("the closing ] is missing");
      }
      const std::int64_t bound = std::int64_t{1} << (address.offset.width() - 1);
      const bool alone = operand.index == Operand::rz && !uniform_written;
      if (alone && *value >= bound && *value < 2 * bound) *value -= 2 * bound;
      if (*value < -bound || *value >= bound) {
        in_.rewind(here);
        return in_.fail("the offset does not fit its field");
      }
      operand.value = *value;
    }
    return in_.take(']') || in_.fail("the closing ] is missing");
  }

  bool match_special(Operand& operand) {
    const std::size_t here = in_.position();
    const auto number = special_register_number(in_.take_identifier(), instruction_.architecture);
    if (!number) {
      in_.rewind(here);
      return in_.fail("a special register belongs here");
    }
    operand.index = static_cast<std::uint16_t>(*number);
    return true;
  }

  // `(label) or label.
  std::optional<std::int64_t> match_label() {
    const std::size_t here = in_.position();
    const bool quoted = in_.take("`(");
    const char first = in_.peek();
    if (is_word(first) && !is_digit(first)) {
      const std::string_view name = in_.take_identifier();
      if (const auto value = labels_(name); value && (!quoted || in_.take(')'))) return value;
    }
    in_.rewind(here);
    return std::nullopt;
  }

  bool match_target(const OperandField& field, Operand& operand) {
    const std::size_t here = in_.position();
    auto value = match_label();
    if (!value) value = in_.take_integer();
    if (!value) return in_.fail("a label or an address belongs here");
    const std::size_t end = in_.position();
    in_.rewind(here);
    if (!fits(field,
              static_cast<std::int64_t>(static_cast<std::uint64_t>(*value) - offset_ - instruction_bytes))) {
      return false;
    }
    in_.rewind(end);
    operand.value = *value;
    return true;
  }

  bool match_state(Operand& operand) {
    const std::size_t here = in_.position();
    if (const auto index = thread_state_number(in_.take_identifier())) {
      operand.index = static_cast<std::uint16_t>(*index);
      return true;
    }
    in_.rewind(here);
    if (match_numbered(operand, "INVALID", 63)) return true;
    return in_.fail("a thread state (B0 to B15, MACTIVE …) belongs here");
  }

  bool match_bits(const OperandField& field, Operand& operand) {
    if (!field.value.present())
      return in_.take_word(field.literal) || in_.fail(field.literal + " belongs here");
    if (!in_.take('{')) return in_.fail("a list {…} belongs here");
    while (in_.peek() != '}') {
      const auto bit = in_.take_decimal(field.value.width() - 1);
      if (!bit) return in_.fail("a number belongs here");
      operand.value |= std::int64_t{1} << *bit;
      in_.take(',');
    }
    return in_.take('}');
  }

  const Row& row_;
  Reader& in_;
  std::uint64_t offset_;
  const LabelLookup& labels_;
  Instruction& instruction_;
};

using RowsByName = std::map<std::string, std::vector<std::uint16_t>, std::less<>>;

const RowsByName& rows_by_name() {
  static const RowsByName index = [] {
    RowsByName map;
    const auto rows = table::rows();
    for (std::size_t i = 0; i < rows.size(); ++i) map[rows[i].name].push_back(static_cast<std::uint16_t>(i));
    return map;
  }();
  return index;
}

bool match_guard(Reader& in, Guard& guard) {
  guard = {};
  if (!in.take('@')) return true;
  guard.negate = in.take('!');
  guard.uniform = in.take('U');
  if (!in.take('P')) return in.fail("a predicate belongs behind @");
  if (in.take('T')) {
    guard.predicate = Operand::pt;
  } else {
    const auto number = in.take_decimal(6);
    if (!number) return in.fail("a predicate (P0 to P6, PT) belongs behind @");
    guard.predicate = static_cast<std::uint8_t>(*number);
  }
  if (in.peek() != ' ' && in.peek() != '\t') return in.fail("a blank belongs behind the guard");
  in.skip_blanks();
  return true;
}

}  // namespace

std::optional<MatchFailure> match_instruction(std::string_view text, std::uint64_t offset,
                                              const LabelLookup& labels, Instruction& instruction) {
  Reader in(text);
  in.skip_blanks();
  Guard guard;
  const std::size_t before_guard = in.position();
  if (!match_guard(in, guard)) return in.farthest();
  const bool guarded = in.position() != before_guard;
  const std::size_t start = in.position();
  const std::string_view word = in.rest().substr(0, in.rest().find_first_of(" \t"));
  const unsigned architecture = table::architecture_index(instruction.architecture);
  const Control control = instruction.control;
  bool named = false;
  bool exists = false;
  // IMAD.WIDE is an opcode of its own beside IMAD: try the longest name that fits, then its shorter heads.
  for (std::size_t length = word.size();;) {
    const auto found = rows_by_name().find(word.substr(0, length));
    if (found != rows_by_name().end()) {
      named = true;
      for (const std::uint16_t index : found->second) {
        const Row& row = table::row(index);
        if ((row.architectures >> architecture & 1) == 0) continue;
        exists = true;
        if (guarded && guard.uniform != row.uniform_guard) {
          in.rewind(before_guard);
          in.fail(row.uniform_guard ? "a uniform predicate (@UP) guards this instruction"
                                    : "a predicate that is not uniform (@P) guards this instruction");
          continue;
        }
        in.rewind(start);
        instruction.control = control;
        instruction.modifiers = {};
        instruction.operand_storage = {};
        instruction.row = index;
        instruction.guard = guard;
        instruction.guard.uniform = row.uniform_guard;
        instruction.operand_count = static_cast<std::uint8_t>(row.operands.size());
        if (RowMatcher(row, in, offset, labels, instruction).match()) return std::nullopt;
      }
    }
    const auto dot = word.substr(0, length).rfind('.');
    if (dot == std::string_view::npos || dot == 0) break;
    length = dot;
  }
  if (!named) return MatchFailure{start, "no instruction is called '" + std::string(word) + "'"};
  if (!exists) {
    return MatchFailure{start, std::string(name(instruction.architecture)) + " has no " + std::string(word)};
  }
  return in.farthest();
}

}  // namespace warpgauge::sass
