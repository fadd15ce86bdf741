#include "traces/accelsim/line.h"

#include <bit>
#include <charconv>

#include "traces/accelsim/number.h"

namespace warpgauge::accelsim {
namespace {

class Tokens {
 public:
  Tokens(std::string_view text, const TextSource& source) : rest_(text), source_(source) {}

  std::string_view next() {
    skip();
    if (rest_.empty()) source_.fail("an instruction's line ends early");
    const std::size_t end = std::min(rest_.find_first_of(" \t"), rest_.size());
    const std::string_view token = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return token;
  }
  [[nodiscard]] bool done() {
    skip();
    return rest_.empty();
  }

  template <class T>
  T number(int base, const char* what) {
    return parse_number<T>(next(), base, what, source_);
  }
  std::uint64_t hex(const char* what) { return number<std::uint64_t>(16, what); }

 private:
  void skip() {
    const std::size_t begin = rest_.find_first_not_of(" \t");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }

  std::string_view rest_;
  const TextSource& source_;
};

// "R12"; version 6 also names "UR4", "P0" and "UP1", which are passed over.
std::uint16_t parse_register(std::string_view token, unsigned version, const TextSource& source) {
  std::string_view digits = token;
  if (digits.starts_with('R')) {
    digits.remove_prefix(1);
    std::uint16_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc{} && end == digits.data() + digits.size() && number <= 255) return number;
  } else if (version >= 6 && (token.starts_with("UR") || token.starts_with("P") || token.starts_with("UP"))) {
    return no_register;
  }
  source.fail("\"" + std::string(token.substr(0, 40)) + "\" is not a register");
}

bool is_bulk_copy(std::string_view opcode) {
  for (const char* name : {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF", "UBLKRED"})
    if (opcode.starts_with(name)) return true;
  return false;
}

enum : unsigned { mode_list, mode_stride, mode_delta };

void parse_addresses(TraceLine& line, Tokens& tokens, const TextSource& source) {
  const auto mode = tokens.number<unsigned>(10, "an address mode");
  if (mode == mode_list) {
    for (std::uint32_t rest = line.mask; rest != 0; rest &= rest - 1)
      line.addresses[static_cast<std::size_t>(std::countr_zero(rest))] = tokens.hex("an address");
    return;
  }
  if (mode > mode_delta) source.fail("address mode " + std::to_string(mode) + " is not known");
  std::uint64_t address = tokens.hex("an address");
  std::uint64_t stride = 0;
  if (mode == mode_stride) stride = static_cast<std::uint64_t>(tokens.number<std::int64_t>(10, "a stride"));
  bool first = true;
  for (std::uint32_t rest = line.mask; rest != 0; rest &= rest - 1) {
    if (!first)
      address += mode == mode_stride
                     ? stride
                     : static_cast<std::uint64_t>(tokens.number<std::int64_t>(10, "a difference"));
    first = false;
    line.addresses[static_cast<std::size_t>(std::countr_zero(rest))] = address;
  }
}

void append_number(std::string& out, std::int64_t value) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

void append_hex(std::string& out, std::uint64_t value, unsigned digits) {
  char text[20];
  const auto end = std::to_chars(text, text + sizeof text, value, 16).ptr;
  const auto length = static_cast<unsigned>(end - text);
  if (length < digits) out.append(digits - length, '0');
  out.append(text, end);
}

// Mode 1 where it is legal; else mode 2 with a difference for each lane but the first, which is what the
// tracer writes. Accel-Sim 1.x's reader takes the immediate for one more difference; it is 0 for every
// instruction that has addresses, so that both readings give the same.
void append_addresses(std::string& out, const TraceLine& line) {
  if (line.mask == 0) {
    out += "2 0x0 ";
    return;
  }
  const auto first = static_cast<unsigned>(std::countr_zero(line.mask));
  const std::uint32_t others = line.mask & (line.mask - 1);
  const std::uint32_t shifted = line.mask >> first;
  const bool contiguous = (shifted & (shifted + 1)) == 0;
  const std::uint64_t base = line.addresses[first];
  bool strided = contiguous && others != 0;
  std::int64_t stride = 0;
  if (strided) {
    stride = static_cast<std::int64_t>(line.addresses[first + 1] - base);
    strided = stride == static_cast<std::int32_t>(stride);
    std::uint64_t last = base;
    for (std::uint32_t rest = others; strided && rest != 0; rest &= rest - 1) {
      const std::uint64_t address = line.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
      strided = address - last == static_cast<std::uint64_t>(stride);
      last = address;
    }
  }
  out += strided ? "1 0x" : "2 0x";
  append_hex(out, base, 1);
  out += ' ';
  if (strided) {
    append_number(out, stride);
    out += ' ';
    return;
  }
  std::uint64_t last = base;
  for (std::uint32_t rest = others; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = line.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    append_number(out, static_cast<std::int64_t>(address - last));
    out += ' ';
    last = address;
  }
}

void append_register(std::string& out, std::uint16_t number) {
  out += 'R';
  append_number(out, number);
  out += ' ';
}

}  // namespace

void parse_line(TraceLine& line, std::string_view text, const LineFormat& format, const TextSource& source) {
  Tokens tokens(text, source);
  if (format.line_info) tokens.number<std::uint64_t>(10, "a line number");
  line.pc = tokens.hex("an instruction's place");
  const std::uint64_t mask = tokens.hex("a mask");
  if (mask > 0xffffffff) source.fail("a mask of more than 32 lanes");
  line.mask = static_cast<std::uint32_t>(mask);
  const auto destinations = tokens.number<unsigned>(10, "a count of destinations");
  if (destinations > (format.version >= 6 ? 8U : 1U))
    source.fail("more destinations than an instruction has");
  line.destination = no_register;
  for (unsigned i = 0; i < destinations; ++i) {
    const std::uint16_t number = parse_register(tokens.next(), format.version, source);
    if (line.destination == no_register) line.destination = number;
  }
  line.opcode = tokens.next();
  const auto count = tokens.number<unsigned>(10, "a count of sources");
  if (count > (format.version >= 6 ? 16U : 5U)) source.fail("more sources than an instruction has");
  line.source_count = 0;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint16_t number = parse_register(tokens.next(), format.version, source);
    if (number != no_register && line.source_count < most_sources) line.sources[line.source_count++] = number;
  }
  if (format.version >= 6 && line.opcode.find("GMMA") != std::string_view::npos)
    tokens.number<unsigned>(10, "whether a group is committed");
  line.width = tokens.number<std::uint32_t>(10, "a width");
  line.immediate = 0;
  if (format.version >= 6 && is_bulk_copy(line.opcode)) {
    line.width = 0;  // bulk copies are not modelled: their addresses are passed over
    return;
  }
  if (line.width != 0) parse_addresses(line, tokens, source);
  if (!tokens.done()) line.immediate = tokens.number<std::int64_t>(10, "an immediate");
  if (format.version < 6 && !tokens.done()) source.fail("an instruction's line goes on after its end");
}

void append_line(std::string& out, const TraceLine& line) {
  append_hex(out, line.pc, 4);
  out += ' ';
  append_hex(out, line.mask, 8);
  if (line.destination == no_register) {
    out += " 0 ";
  } else {
    out += " 1 ";
    append_register(out, line.destination);
  }
  out += line.opcode;
  out += ' ';
  append_number(out, line.source_count);
  out += ' ';
  for (unsigned i = 0; i < line.source_count; ++i) append_register(out, line.sources[i]);
  append_number(out, line.width);
  out += ' ';
  if (line.width != 0) append_addresses(out, line);
  append_number(out, line.immediate);
  out += '\n';
}

}  // namespace warpgauge::accelsim
