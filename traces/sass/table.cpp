#include "traces/sass/table.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace warpgauge::sass::table {
namespace {

[[noreturn]] void fail(const RowText& text, const std::string& what) {
  throw std::logic_error("opcode table, row " + std::string(text.code) + " " +
                         std::string(mnemonic(text.opcode)) + ": " + what);
}

// Modifier groups that many opcodes share: $name in a row.
const std::map<std::string_view, std::string_view>& shared_modifiers() {
  static const std::map<std::string_view, std::string_view> groups{
      {"$ftz", "ftz@80(,FTZ)"},
      {"$sat", "saturate@77(,SAT)"},
      {"$rnd", "rounding@78+2(,RM,RP,RZ)"},
      {"$fmz", "fmz@76(,FMZ)"},
      {"$u32", "is_signed@73(U32,)"},
      {"$bool", "combine@74+2(AND,OR,XOR,-)"},
      {"$icmp", "compare@76+3(F,LT,EQ,LE,GT,NE,GE,T)"},
      {"$fcmp", "compare@76+4(F,LT,EQ,LE,GT,NE,GE,NUM,NAN,LTU,EQU,LEU,GTU,NEU,GEU,T)"},
      {"$width", "width@73+3(U8,S8,U16,S16,,64,128,-)"},
      {"$widthu", "width@73+3(U8,S8,U16,S16,,64,128,U.128)"},
      {"$cache", "cache_eviction@84+3(EF,,EL,LU,EU,NA,-,-)"},
      {"$e", "extended_address@72(,E)"},
      {"$E", "extended_address@72(-,E)"},
      {"$wide", "width@73+3(-,-,-,-,,64,128,-)"},
      // What writes has no read-only path.
      {"$sorder",
       "ordering@77+4(,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,STRONG.SM.PRIVATE,STRONG.SM,"
       "STRONG.GPU.PRIVATE,STRONG.GPU,MMIO.GPU,CONSTANT.SM,STRONG.SYS,CONSTANT.SM.PRIVATE,MMIO.SYS,CONSTANT."
       "VC,"
       "CONSTANT.VC.PRIVATE,CONSTANT.GPU)"},
      {"$ltc", "prefetch_size@68+2(,LTC64B,LTC128B,LTC256B)"},
      // Volta and Turing: what kind of access, then for whom it is ordered.
      {"$kind", "order_kind@79+2(CONSTANT,,STRONG,MMIO)"},
      {"$scope", "scope@77+2(CTA,SM,GPU,SYS)"},
      // From Ampere on one code for both; the compiler emits those without PRIVATE.
      {"$order",
       "ordering@77+4(,CONSTANT.PRIVATE,CONSTANT.CTA,CONSTANT.CTA.PRIVATE,CONSTANT,STRONG.SM,STRONG.GPU."
       "PRIVATE,"
       "STRONG.GPU,MMIO.GPU,CONSTANT.SM,STRONG.SYS,CONSTANT.SM.PRIVATE,MMIO.SYS,CONSTANT.VC,CONSTANT.VC."
       "PRIVATE,"
       "CONSTANT.GPU)"},
      {"$aop", "atomic_op@87+4(ADD,MIN,MAX,INC,DEC,AND,OR,XOR,EXCH,SAFEADD)"},
      {"$rop", "atomic_op@87+3(ADD,MIN,MAX,INC,DEC,AND,OR,XOR)"},
      {"$atype", "atomic_type@73+3(,S32,64,F32.FTZ.RN,F16x2.RN,S64,F64.RN,-)"},
      {"$itype", "atomic_type@73+3(,S32,64,S64,128,-,-,-)"},
      {"$ird", "rounding@78+2(,FLOOR,CEIL,TRUNC)"},
  };
  return groups;
}

// HGMMA's and IGMMA's shapes: 64 rows, 8 to 256 columns.
// IGMMA leaves most of the codes unused.
std::string integer_group_shapes() {
  std::string names;
  for (unsigned code = 0; code <= 51; ++code) {
    if (code != 0) names += ',';
    const bool used = code % 3 == 0;
    const unsigned n = code < 12 ? 8 * (code / 3 + 1) : 16 * (code / 3 - 1);
    names += used ? "64x" + std::to_string(n) + "x32" : "-";
  }
  return names;
}

std::string group_shapes(std::string_view depth, std::string_view deeper) {
  std::string names;
  for (const std::string_view k : {depth, deeper}) {
    for (unsigned n = 8; n <= 256 && !k.empty(); n += 8) {
      if (!names.empty()) names += ',';
      names += "64x" + std::to_string(n) + "x" + std::string(k);
    }
  }
  return names;
}

std::string binary_group_shapes() {
  std::string names = "64x8x256,64x16x256,64x24x256";
  for (unsigned n = 32; n <= 256; n += 16) names += ",64x" + std::to_string(n) + "x256";
  return names;
}

// FSWZADD adds, subtracts or drops each of two neighbours: two bits for each lane of a quad.
std::string swizzles() {
  constexpr std::string_view pairs[] = {"PP", "PN", "NP", "ZP"};
  std::string names;
  for (unsigned code = 0; code < 256; ++code) {
    if (code != 0) names += ';';
    for (int lane = 3; lane >= 0; --lane) names += pairs[code >> (2 * lane) & 3];
  }
  return names;
}

std::string with_shapes(std::string_view token) {
  std::string text(token);
  for (const auto& [name, shapes] :
       {std::pair{"$hgmma", group_shapes("16", "8")}, std::pair{"$igmma", integer_group_shapes()},
        std::pair{"$swizzles", swizzles()}, std::pair{"$qgmma", group_shapes("32", "")},
        std::pair{"$bgmma", binary_group_shapes()}}) {
    const auto at = text.find(name);
    if (at != std::string::npos) text.replace(at, std::string_view(name).size(), shapes);
  }
  return text;
}

Modifier modifier_key(const RowText& text, std::string_view name) {
  static const std::map<std::string_view, Modifier> keys = [] {
    std::map<std::string_view, Modifier> map;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Modifier::count); ++i) {
      map.emplace(modifier_name(static_cast<Modifier>(i)), static_cast<Modifier>(i));
    }
    return map;
  }();
  const auto it = keys.find(name);
  if (it == keys.end()) fail(text, "no modifier key " + std::string(name));
  return it->second;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

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

Field one_run(unsigned first, unsigned width) {
  Field field;
  field.runs[0] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(width)};
  field.count = 1;
  return field;
}

ModifierField parse_modifier(const RowText& text, std::string_view token) {
  ModifierField modifier;
  if (token.front() == '.') {
    modifier.names.emplace_back(token);
    return modifier;
  }
  Cursor in(text, token);
  modifier.key = modifier_key(text, in.until("@"));
  in.take();
  modifier.field = in.field(1);
  if (in.take() != '(') fail(text, "no names in " + std::string(token));
  for (const std::string_view name : split(in.until(")"), ',')) {
    modifier.valid.push_back(name != "-");
    modifier.names.push_back(name.empty() || name == "-" ? std::string{} : "." + std::string(name));
  }
  const std::size_t size = std::size_t{1} << modifier.field.width();
  if (modifier.names.size() > size) fail(text, "too many names in " + std::string(token));
  modifier.names.resize(size);
  modifier.valid.resize(size, false);
  modifier.all_valid = std::find(modifier.valid.begin(), modifier.valid.end(), false) == modifier.valid.end();
  return modifier;
}

// [r24 x90 u32 d32 o40+24 s78]
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
      case 'z':
        address.print_urz = true;
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

struct Form {
  char digit = '\0';
  bool tick = false;
};

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
      if (name == "indexedX") operand.address.base = one_run(24, 8);
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
    operand.sign = true;
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
            break;
          }
          case 'Z':
            break;
          case 'y':
            operand.selector_style = SelectorStyle::byte;
            operand.selector = one_run(in.digit() ? in.bit() : 60, 2);
            break;
          case 'x':
            operand.selector_style = SelectorStyle::half;
            operand.selector = one_run(in.digit() ? in.bit() : 60, 1);
            break;
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
            operand.number = Number::signed_hex;
            operand.sign = true;
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

void claim(Word& mask, const Field& field) {
  for (unsigned i = 0; i < field.count; ++i) {
    for (unsigned b = field.runs[i].first; b < unsigned{field.runs[i].first} + field.runs[i].width; ++b) {
      (b < 64 ? mask.low : mask.high) &= ~(std::uint64_t{1} << (b % 64));
    }
  }
}

void claim_bit(Word& mask, std::uint8_t bit) {
  if (bit != no_bit) claim(mask, one_run(bit, 1));
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// Top-level commas only: an address holds blanks, names are divided by ';'.
std::vector<std::string_view> operands_of(std::string_view text) {
  std::vector<std::string_view> operands;
  for (const std::string_view part : split(text, ',')) {
    if (!trim(part).empty()) operands.push_back(trim(part));
  }
  return operands;
}

std::uint8_t architectures_of(const RowText& text) {
  Cursor in(text, text.architectures);
  const auto low = in.number();
  std::uint64_t high = low;
  if (in.take_if('+')) high = 1000;
  if (in.take_if('-')) high = in.number();
  std::uint8_t mask = 0;
  for (std::size_t i = 0; i < std::size(all_architectures); ++i) {
    const auto sm = static_cast<std::uint64_t>(all_architectures[i]);
    if (sm >= low && sm <= high) mask = static_cast<std::uint8_t>(mask | (1U << i));
  }
  return mask;
}

constexpr std::uint8_t sm_70_only = 1;

Row compile(const RowText& text, unsigned code, Form form) {
  Row row;
  row.opcode = text.opcode;
  row.code = static_cast<std::uint16_t>(code);
  row.architectures = architectures_of(text);
  // Volta has no uniform datapath; bit 91 is always zero there.
  if ((code & 0x1000) != 0) row.architectures = static_cast<std::uint8_t>(row.architectures & ~sm_70_only);
  row.name = mnemonic(text.opcode);
  for (std::string_view token : words_of(text.modifiers)) {
    const auto group = shared_modifiers().find(token);
    if (group != shared_modifiers().end()) token = group->second;
    row.modifiers.push_back(parse_modifier(text, with_shapes(token)));
  }
  OperandParser parser(text, form);
  for (const std::string_view token : operands_of(text.operands))
    row.operands.push_back(parser.parse(with_shapes(token)));
  if (row.operands.size() > Instruction::max_operands) fail(text, "too many operands");

  row.mask = {~frame_mask.low, ~frame_mask.high};
  row.value.low = code & 0xfff;
  row.value.high = std::uint64_t{code >> 12} << 27;
  Word free{~std::uint64_t{0}, ~std::uint64_t{0}};
  for (const std::string_view token : words_of(text.fixed)) {
    if (token == "guard=u") {
      row.uniform_guard = true;
      continue;
    }
    Cursor in(text, token);
    const Field field = in.field(1);
    in.take_if('=');
    field.put(row.value, in.number());
    claim(free, field);
  }
  for (const ModifierField& modifier : row.modifiers) {
    if (modifier.key == Modifier::count) continue;
    const auto valid = std::count(modifier.valid.begin(), modifier.valid.end(), true);
    if (valid == 1) {
      const auto only =
          std::find(modifier.valid.begin(), modifier.valid.end(), true) - modifier.valid.begin();
      modifier.field.put(row.value, static_cast<std::uint64_t>(only));
    } else {
      claim(row.mask, modifier.field);
    }
  }
  for (const OperandField& operand : row.operands) {
    for (const Field* field : {&operand.index, &operand.value, &operand.bank, &operand.selector,
                               &operand.address.base, &operand.address.uniform, &operand.address.descriptor,
                               &operand.address.offset, &operand.address.scale}) {
      claim(row.mask, *field);
    }
    claim_bit(row.mask, operand.negate_bit);
    claim_bit(row.mask, operand.absolute_bit);
    claim_bit(row.mask, operand.invert_bit);
    claim_bit(row.mask, operand.address.wide_bit);
  }
  // A bit that is both fixed and in a field stays fixed: rows use it to narrow a field.
  row.mask.low |= ~free.low;
  row.mask.high |= ~free.high;
  row.value.low &= row.mask.low;
  row.value.high &= row.mask.high;
  return row;
}

struct Table {
  std::vector<Row> rows;
  std::array<std::vector<std::uint32_t>, std::size(all_architectures)> first;  // by opcode bits
  std::array<std::vector<std::uint16_t>, std::size(all_architectures)> index;
};

unsigned parse_code(const RowText& text, std::string_view code) {
  unsigned value = 0;
  for (const char c : code) {
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<unsigned>(c - 'a' + 10);
    } else if (c == '\'') {
      value |= 0x1000;
    } else {
      fail(text, "bad code");
    }
  }
  return value;
}

void add_rows(std::vector<Row>& rows, std::span<const RowText> texts) {
  for (const RowText& text : texts) {
    const std::string_view code = text.code;
    const auto slash = code.find('/');
    if (slash == std::string_view::npos) {
      rows.push_back(compile(text, parse_code(text, code), Form{}));
      continue;
    }
    const unsigned base = parse_code(text, code.substr(0, slash));
    for (const std::string_view form : words_of(code.substr(slash + 1))) {
      const Form parsed{form[0], form.size() > 1 && form[1] == '\''};
      const unsigned bits =
          base + 0x200U * static_cast<unsigned>(parsed.digit - '0') + (parsed.tick ? 0x1000U : 0U);
      rows.push_back(compile(text, bits, parsed));
    }
  }
}

Table build() {
  Table table;
  for (const auto texts :
       {integer_rows(), float_rows(), half_rows(), conversion_rows(), memory_rows(), atomic_rows(),
        control_rows(), warp_rows(), uniform_rows(), matrix_rows(), texture_rows(), hopper_rows()}) {
    add_rows(table.rows, texts);
  }
  constexpr unsigned codes = 0x2000;
  for (std::size_t a = 0; a < std::size(all_architectures); ++a) {
    std::vector<std::vector<std::uint16_t>> buckets(codes);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if ((table.rows[r].architectures >> a & 1) != 0) {
        buckets[table.rows[r].code].push_back(static_cast<std::uint16_t>(r));
      }
    }
    for (const auto& bucket : buckets) {
      table.first[a].push_back(static_cast<std::uint32_t>(table.index[a].size()));
      table.index[a].insert(table.index[a].end(), bucket.begin(), bucket.end());
    }
    table.first[a].push_back(static_cast<std::uint32_t>(table.index[a].size()));
  }
  return table;
}

const Table& table() {
  static const Table instance = build();
  return instance;
}

}  // namespace

unsigned Field::width() const {
  unsigned total = 0;
  for (unsigned i = 0; i < count; ++i) total += runs[i].width;
  return total;
}

void Field::put(Word& word, std::uint64_t value) const {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned first = runs[i].first;
    const unsigned width = runs[i].width;
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    const std::uint64_t part = value & mask;
    value >>= width;
    if (first >= 64) {
      word.high = (word.high & ~(mask << (first - 64))) | part << (first - 64);
      continue;
    }
    word.low = (word.low & ~(mask << first)) | part << first;
    if (first + width > 64) {
      const unsigned spilled = 64 - first;
      word.high = (word.high & ~(mask >> spilled)) | part >> spilled;
    }
  }
}

std::span<const Row> rows() {
  return table().rows;
}
const Row& row(std::uint16_t index) {
  return table().rows[index];
}

unsigned architecture_index(Architecture architecture) {
  switch (architecture) {
    case Architecture::sm70:
      return 0;
    case Architecture::sm75:
      return 1;
    case Architecture::sm80:
      return 2;
    case Architecture::sm86:
      return 3;
    case Architecture::sm89:
      return 4;
    case Architecture::sm90:
      return 5;
  }
  return 0;
}

std::span<const std::uint16_t> candidates(Architecture architecture, unsigned code) {
  const unsigned a = architecture_index(architecture);
  const Table& t = table();
  return {t.index[a].data() + t.first[a][code], t.first[a][code + 1] - t.first[a][code]};
}

}  // namespace warpgauge::sass::table
