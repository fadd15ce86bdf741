#include "traces/sass/row_text.h"

namespace warpgauge::sass::table {
namespace {

// [r24 x90 u32 d32 o40+24 s78], [u24 h a64+8]
AddressField parse_address(const RowText& text, std::string_view body) {
  AddressField address;
  for (const std::string_view part : split(body, ' ')) {
    if (part.empty()) continue;
    Cursor in(text, part);
    switch (in.take()) {
      case 'r':
        address.base = in.field(8);
        break;
      case 'u':
        address.uniform = in.field(6);
        break;
      case 'd':
        address.descriptor = in.field(6);
        break;
      case 'o':
        address.offset = in.field(1);
        break;
      case 'a':
        address.offset = in.field(1);
        address.in_words = true;
        break;
      case 's':
        address.scale = in.field(2);
        break;
      case 'x':
        address.print_wide = true;
        if (in.digit()) {
          address.wide_bit = in.bit();
        } else {
          address.wide = true;
        }
        break;
      case 'w':
        address.wide = true;
        break;
      case 'h':
        address.hide_urz = true;
        break;
      case 'b':
        address.bare_descriptor = true;
        break;
      default:
        fail(text, "an address has no part " + std::string(part));
    }
  }
  return address;
}

void set_register(OperandField& operand, unsigned first) {
  operand.kind = OperandKind::register_;
  operand.index = one_run(first, 8);
}

// The three operand positions of the arithmetic forms; see docs/sass.md.
enum class Place : std::uint8_t { at_32, at_64, immediate, constant, bindless, uniform };

Place place(const RowText& text, char role, char form, bool tick) {
  // B is the middle source, C the last; E and D stand for a second source that moves to C's place unless it
  // is a register, which is at [32:40) for E and at [64:72) for D.
  const bool last = role != 'B';
  switch (form) {
    case '1':
      if (role == 'B' || role == 'E') return Place::at_32;
      return Place::at_64;
    case '2':
      return last ? Place::immediate : Place::at_64;
    case '3':
      if (!last) return Place::at_64;
      return tick ? Place::bindless : Place::constant;
    case '4':
      return last ? Place::at_64 : Place::immediate;
    case '5':
      if (last) return Place::at_64;
      return tick ? Place::bindless : Place::constant;
    case '6':
      return last ? Place::at_64 : Place::uniform;
    case '7':
      return last ? Place::uniform : Place::at_64;
    default:
      fail(text, std::string("no operand form ") + form);
  }
}

class OperandParser {
 public:
  OperandParser(const RowText& text, Form form) : text_(text), form_(form) {}

  OperandField parse(std::string_view token) {
    OperandField operand;
    if (token.front() == '_') {
      operand.spaced = true;
      token.remove_prefix(1);
    }
    if (token.front() == '?') {
      operand.optional = true;
      token.remove_prefix(1);
    }
    if (token.front() == '\'') {
      operand.kind = OperandKind::bitset;
      operand.access = Access::none;
      operand.literal = token.substr(1, token.size() - 2);
      return operand;
    }
    if (token.front() == '[') {
      const auto close = token.find(']');
      operand.kind = OperandKind::address;
      operand.address = parse_address(text_, token.substr(1, close - 1));
      operand.slot = SourceSlot::a;
      Cursor in(text_, token.substr(close + 1));
      attributes(operand, in);
      return operand;
    }
    Cursor in(text_, token);
    const std::string_view name = in.until("@:=!");
    named(operand, name);
    if (in.take_if('@')) {
      const Field field = in.field(0);
      if (operand.index.present() || operand.value.present()) {
        const std::uint8_t width =
            operand.index.present() ? operand.index.runs[0].width : operand.value.runs[0].width;
        Field resized = field;
        for (unsigned i = 0; i < resized.count; ++i) {
          if (resized.runs[i].width <= 1) resized.runs[i].width = width;
        }
        (operand.index.present() ? operand.index : operand.value) = resized;
      } else {
        operand.value = field;
      }
      if (is_predicate(operand) && operand.negate_bit != no_bit) {
        operand.negate_bit = static_cast<std::uint8_t>(operand.index.runs[0].first + 3);
      }
    }
    attributes(operand, in);
    return operand;
  }

 private:
  void named(OperandField& operand, std::string_view name) {
    if (name == "Rd") {
      set_register(operand, 16);
      operand.access = Access::write;
    } else if (name == "Ra") {
      set_register(operand, 24);
      slot(operand, SourceSlot::a);
      bits(72, 73);
    } else if (name == "Rb") {
      set_register(operand, 32);
      slot(operand, SourceSlot::b);
      bits(63, 62);
    } else if (name == "Rc") {
      set_register(operand, 64);
      slot(operand, SourceSlot::c);
      bits(75, 74);
    } else if (name == "URd" || name == "URa" || name == "URb" || name == "URc") {
      operand.kind = OperandKind::uniform_register;
      const char which = name.back();
      operand.index = one_run(which == 'd' ? 16 : which == 'a' ? 24 : which == 'b' ? 32 : 64, 6);
      if (which == 'd') operand.access = Access::write;
      if (which == 'a') bits(72, 73);
      if (which == 'b') bits(63, 62);
      if (which == 'c') bits(75, 74);
    } else if (name == "Re") {
      set_register(operand, 40);  // the sparse selector
    } else if (name == "URx") {
      operand.kind = OperandKind::uniform_register;
      operand.index = one_run(40, 6);
    } else if (name == "texmask") {
      operand.kind = OperandKind::immediate;
      operand.value = one_run(72, 4);
      operand.access = Access::none;
    } else if (name == "Pd" || name == "Pq" || name == "Ps" || name == "Pr" || name == "Pt" || name == "P" ||
               name == "UPd" || name == "UPq" || name == "UPs" || name == "UPr" || name == "UPt" ||
               name == "UP") {
      operand.kind = name.front() == 'U' ? OperandKind::uniform_predicate : OperandKind::predicate;
      const char which = name.back();
      const unsigned first = which == 'd'   ? 81
                             : which == 'q' ? 84
                             : which == 's' ? 87
                             : which == 'r' ? 77
                                            : 68;
      operand.index = one_run(first, 3);
      operand.default_raw = 7;
      if (which == 'd' || which == 'q') {
        operand.access = Access::write;
      } else {
        operand.negate_bit = static_cast<std::uint8_t>(first + 3);
      }
    } else if (name == "B" || name == "C" || name == "D" || name == "E") {
      arithmetic(operand, name.front());
    } else if (name == "UB" || name == "UC") {
      uniform_arithmetic(operand, name.back());
    } else if (name == "Bar") {
      operand.kind = OperandKind::convergence;
      operand.index = one_run(16, 4);
    } else if (name == "SR") {
      operand.kind = OperandKind::special_register;
      operand.index = one_run(72, 8);
    } else if (name == "SB") {
      operand.kind = OperandKind::dependence;
      operand.index = one_run(44, 3);
    } else if (name == "i" || name == "s") {
      operand.kind = OperandKind::immediate;
      operand.sign = name == "s";
      operand.number = operand.sign ? Number::signed_hex : Number::unsigned_hex;
      operand.access = Access::none;
    } else if (name == "I") {
      operand.kind = OperandKind::immediate;
      operand.value = one_run(32, 32);
      operand.access = Access::none;
    } else if (name == "T" || name == "TR") {
      // T is absolute; TR is what an indirect branch adds to the next instruction's address and its register.
      operand.kind = name == "T" ? OperandKind::target : OperandKind::immediate;
      operand.number = Number::signed_hex;
      operand.sign = true;
      operand.shift = 2;
      operand.access = Access::none;
    } else if (name == "const") {
      constant(operand);
    } else if (name == "indexed" || name == "flat") {
      constant(operand);
      operand.value = one_run(38, 16);
      operand.shift = 0;
      if (name == "indexed") operand.address.base = one_run(24, 8);
    } else if (name == "indexedU") {
      constant(operand);
      operand.value = one_run(38, 16);
      operand.shift = 0;
      operand.sign = true;
      operand.address.uniform = one_run(24, 6);
    } else if (name == "indexedX" || name == "flatX") {
      bindless(operand);
      operand.value = one_run(38, 16);
      operand.shift = 0;
      operand.sign = true;
      if (name == "indexedX") {
        operand.index = one_run(24, 6);
        operand.address.base = one_run(64, 8);
      }
    } else if (name == "bindless") {
      bindless(operand);
    } else if (name == "N") {
      operand.kind = OperandKind::immediate;  // a field whose values have names
      operand.access = Access::none;
    } else if (name == "desc" || name == "gdesc") {
      operand.kind = OperandKind::descriptor;
      operand.index = one_run(32, 6);
      operand.literal = "desc[";
    } else if (name == "set") {
      operand.kind = OperandKind::bitset;
      operand.access = Access::none;
    } else if (name == "state") {
      operand.kind = OperandKind::state;
      operand.index = one_run(24, 6);
    } else {
      fail(text_, "no operand " + std::string(name));
    }
  }

  void slot(OperandField& operand, SourceSlot which) {
    operand.slot = which;
    operand.reuse_bit = static_cast<std::uint8_t>(which) - 1;
  }
  void bits(unsigned negate, unsigned absolute) {
    negate_ = static_cast<std::uint8_t>(negate);
    absolute_ = static_cast<std::uint8_t>(absolute);
  }

  void constant(OperandField& operand) {
    operand.kind = OperandKind::constant;
    operand.value = one_run(40, 14);
    operand.shift = 2;
    operand.sign = true;
    operand.bank = one_run(54, 5);
    bits(63, 62);
  }
  void bindless(OperandField& operand) {
    operand.kind = OperandKind::bindless_constant;
    operand.value = one_run(40, 14);
    operand.shift = 2;
    operand.index = one_run(32, 6);
    bits(63, 62);
  }

  void arithmetic(OperandField& operand, char role) {
    half_at_64_ = false;
    switch (place(text_, role, form_.digit, form_.tick)) {
      case Place::at_32:
        set_register(operand, 32);
        bits(63, 62);
        break;
      case Place::at_64:
        set_register(operand, 64);
        bits(75, 74);
        half_at_64_ = true;
        break;
      case Place::immediate:
        operand.kind = OperandKind::immediate;
        operand.value = one_run(32, 32);
        operand.access = Access::none;
        bits(no_bit, no_bit);
        return;
      case Place::constant:
        constant(operand);
        return;
      case Place::bindless:
        bindless(operand);
        return;
      case Place::uniform:
        operand.kind = OperandKind::uniform_register;
        operand.index = one_run(32, 6);
        bits(63, 62);
        return;
    }
    slot(operand, role == 'B' ? SourceSlot::b : SourceSlot::c);
  }

  // Uniform-datapath forms: the register positions hold UR.
  void uniform_arithmetic(OperandField& operand, char role) {
    arithmetic(operand, role);
    if (operand.kind == OperandKind::register_) {
      operand.kind = OperandKind::uniform_register;
      operand.index.runs[0].width = 6;
      operand.slot = SourceSlot::none;
      operand.reuse_bit = no_bit;
    }
  }

  [[nodiscard]] std::uint8_t own_bit(Cursor& in, std::uint8_t usual) const {
    return in.digit() ? in.bit() : usual;
  }

  void attributes(OperandField& operand, Cursor& in) {
    const bool immediate = operand.kind == OperandKind::immediate;
    if (in.take_if(':')) {
      // Half-precision opcodes keep the signs of a register at [64:72) beside its selector.
      if (half_at_64_ && in.rest().find_first_of("zYZ") != std::string_view::npos) bits(84, 83);
      while (!in.done() && in.peek() != '=' && in.peek() != '!') {
        switch (const char c = in.take()) {
          case '-': {
            const auto bit = own_bit(in, is_predicate(operand) ? operand.negate_bit : negate_);
            if (!immediate) operand.negate_bit = bit;
            break;
          }
          case '+':
            operand.negate_bit = no_bit;
            break;
          case '|': {
            const auto bit = own_bit(in, absolute_);
            if (!immediate) operand.absolute_bit = bit;
            break;
          }
          case '~': {
            const auto bit = own_bit(in, negate_);
            if (!immediate) operand.invert_bit = bit;
            break;
          }
          case 'Y':
          case 'z': {
            const unsigned usual = operand.index.present() && operand.index.runs[0].first == 24 &&
                                           operand.kind == OperandKind::register_
                                       ? 74
                                   : operand.index.runs[0].first == 64 ? 81
                                                                       : 60;
            const auto first = in.digit() ? in.bit() : static_cast<std::uint8_t>(usual);
            if (immediate) break;
            operand.selector_style = c == 'Y' ? SelectorStyle::half2_f32 : SelectorStyle::half2;
            operand.selector = one_run(first, 2);
            operand.divided = true;
            break;
          }
          case 'Z':
            break;
          case 'y':
          case 'x': {
            const auto first = in.digit() ? in.bit() : std::uint8_t{60};
            if (immediate) break;
            operand.selector_style = c == 'y' ? SelectorStyle::byte : SelectorStyle::half;
            operand.selector = one_run(first, c == 'y' ? 2 : 1);
            operand.divided = true;
            break;
          }
          case 'n':
            operand.registers = in.bit();
            break;
          case 'w':
            operand.span = Span::width;
            break;
          case 't':
            operand.span = Span::atomic;
            break;
          case 'm':
            operand.span = Span::texture;
            break;
          case 'H':
            if (immediate) {
              number(operand, Number::fp16);
            } else {
              operand.span = Span::texture_high;
            }
            break;
          case 'g':
            operand.span = Span::group;
            break;
          case 'M':
            operand.span = Span::matrix;
            break;
          case '^':
            operand.inverted = true;
            break;
          case 'W':
            operand.access = Access::write;
            break;
          case 'X':
            operand.access = Access::read_write;
            break;
          case 'R':
            operand.access = Access::read;
            break;
          case 'S':
            switch (in.take()) {
              case 'a':
                slot(operand, SourceSlot::a);
                break;
              case 'b':
                slot(operand, SourceSlot::b);
                break;
              case 'c':
                slot(operand, SourceSlot::c);
                break;
              default:
                operand.slot = SourceSlot::none;
                operand.reuse_bit = no_bit;
            }
            break;
          case 'N':
            operand.reuse_bit = no_bit;
            break;
          case 'f':
            number(operand, Number::fp32);
            break;
          case 'F':
            number(operand, Number::fp16);
            break;
          case 'd':
            number(operand, Number::fp64_high);
            break;
          case 'h':
            number(operand, Number::fp16x2);
            break;
          case 'b':
            number(operand, Number::bf16x2);
            break;
          case 'B':
            number(operand, Number::bf16);
            break;
          case 'i':
            if (!immediate) break;
            operand.number = Number::signed_hex;
            operand.sign = true;
            break;
          case 'c':
            operand.divided = true;
            break;
          case 'u':
            operand.number = Number::unsigned_hex;
            break;
          case 'D':
            operand.number = Number::decimal;
            break;
          case 'k':
            operand.shift = in.bit();
            break;
          case 'p':
            operand.suffix = in.until("}");
            in.take();
            break;
          case 'q':
            operand.literal = in.until("}");
            in.take();
            break;
          case '(':
            for (const std::string_view name : split(in.until(")"), ';')) operand.names.emplace_back(name);
            in.take();
            break;
          default:
            fail(text_, std::string("no operand attribute ") + c);
        }
      }
    }
    if (in.take_if('=')) {
      operand.default_raw = in.number();
    } else if (operand.optional && operand.kind == OperandKind::register_) {
      operand.default_raw = Operand::rz;
    } else if (operand.optional && operand.kind == OperandKind::uniform_register) {
      operand.default_raw = Operand::urz;
    }
    if (!in.done()) fail(text_, "left over: " + std::string(in.rest()));
    if (operand.kind == OperandKind::float_immediate || operand.kind == OperandKind::immediate) {
      operand.slot = SourceSlot::none;
      operand.reuse_bit = no_bit;
    }
    if (operand.access == Access::write) {
      operand.slot = SourceSlot::none;
      operand.reuse_bit = no_bit;
    }
  }

  static bool is_predicate(const OperandField& operand) {
    return operand.kind == OperandKind::predicate || operand.kind == OperandKind::uniform_predicate;
  }

  static void number(OperandField& operand, Number number) {
    if (operand.kind != OperandKind::immediate) return;
    operand.number = number;
    operand.kind = OperandKind::float_immediate;
  }

  const RowText& text_;
  Form form_;
  std::uint8_t negate_ = no_bit;
  std::uint8_t absolute_ = no_bit;
  bool half_at_64_ = false;
};

}  // namespace

OperandField parse_operand(const RowText& text, Form form, std::string_view token) {
  return OperandParser(text, form).parse(with_lists(token));
}

}  // namespace warpgauge::sass::table
