#include "traces/sass/assemble.h"

#include <charconv>
#include <map>
#include <optional>

#include "traces/sass/decode.h"
#include "traces/sass/match.h"
#include "traces/sass/print.h"
#include "traces/sass/sass_file.h"

namespace warpgauge::sass {
namespace {

constexpr std::string_view blanks = " \t\r";

// A piece of a line with the place where it began.
struct Piece {
  std::string_view text;
  std::size_t line = 0;
  std::size_t column = 0;

  [[nodiscard]] Piece trimmed() const {
    Piece out = *this;
    const auto first = out.text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
      out.text = {};
      return out;
    }
    out.column += first;
    out.text = out.text.substr(first, out.text.find_last_not_of(blanks) - first + 1);
    return out;
  }
  [[nodiscard]] Piece from(std::size_t at) const { return {text.substr(at), line, column + at}; }
  [[noreturn]] void fail(const std::string& what, std::size_t at = 0) const {
    throw AssemblyError(line, column + at, what);
  }
};

// Replaces comments by blanks, so that columns stay true.
std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] != '/' || (out[i + 1] != '/' && out[i + 1] != '*')) continue;
    const bool block = out[i + 1] == '*';
    std::size_t end = block ? out.find("*/", i + 2) : out.find('\n', i);
    if (end == std::string::npos) {
      end = out.size();
    } else if (block) {
      end += 2;
    }
    for (; i < end; ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
    --i;
  }
  return out;
}

bool is_label_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '$';
}

std::uint64_t parse_number(const Piece& piece, std::uint64_t largest) {
  std::string_view digits = piece.text;
  int base = 10;
  if (digits.starts_with("0x")) {
    digits.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc{} || stop != end || value > largest) {
    piece.fail("a number from 0 to " + std::to_string(largest) + " belongs here");
  }
  return value;
}

// Two digits a byte, in the order of the bytes.
void append_hex(const Piece& piece, std::vector<std::uint8_t>& bytes) {
  if (piece.text.size() % 2 != 0) piece.fail("two hexadecimal digits a byte belong here");
  for (std::size_t at = 0; at < piece.text.size(); at += 2) {
    std::uint8_t byte = 0;
    const char* begin = piece.text.data() + at;
    const auto [stop, error] = std::from_chars(begin, begin + 2, byte, 16);
    if (error != std::errc{} || stop != begin + 2)
      piece.fail("two hexadecimal digits a byte belong here", at);
    bytes.push_back(byte);
  }
}

std::vector<Piece> words_of(Piece piece) {
  std::vector<Piece> words;
  for (;;) {
    piece = piece.trimmed();
    if (piece.text.empty()) return words;
    const std::size_t end = std::min(piece.text.find_first_of(blanks), piece.text.size());
    words.push_back({piece.text.substr(0, end), piece.line, piece.column});
    piece = piece.from(end);
  }
}

// [B0-2---:R1:W-:Y:S04]
std::size_t parse_control(const Piece& piece, Control& control) {
  static constexpr std::string_view shape = "[B------:R-:W-:-:S00]";
  const std::string_view text = piece.text;
  if (text.size() < shape.size()) piece.fail("a control word looks like " + std::string(shape));
  const auto expect = [&](std::size_t at, char c) {
    if (text[at] != c)
      piece.fail(std::string("'") + c + "' belongs here; a control word looks like " + std::string(shape),
                 at);
  };
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{9}, std::size_t{11}, std::size_t{12},
        std::size_t{14}, std::size_t{16}, std::size_t{17}, std::size_t{20}}) {
    expect(at, shape[at]);
  }
  control.wait_mask = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const char c = text[2 + i];
    if (c == static_cast<char>('0' + i)) {
      control.wait_mask = static_cast<std::uint8_t>(control.wait_mask | 1U << i);
    } else if (c != '-') {
      piece.fail("the barriers to wait for are written in their own places: B012345", 2 + i);
    }
  }
  const auto barrier = [&](std::size_t at) -> std::uint8_t {
    if (text[at] == '-') return Control::no_barrier;
    if (text[at] < '0' || text[at] > '6') piece.fail("a barrier is - or 0 to 5", at);
    return static_cast<std::uint8_t>(text[at] - '0');
  };
  control.read_barrier = barrier(10);
  control.write_barrier = barrier(13);
  if (text[15] != 'Y' && text[15] != '-') piece.fail("yield is Y or -", 15);
  control.yield = text[15] == 'Y';
  if (text[18] < '0' || text[18] > '1' || text[19] < '0' || text[19] > '9' ||
      (text[18] == '1' && text[19] > '5')) {
    piece.fail("the stall count is 00 to 15", 18);
  }
  control.stall = static_cast<std::uint8_t>((text[18] - '0') * 10 + (text[19] - '0'));
  return shape.size();
}

Word parse_pair(Piece piece) {
  const auto comma = piece.text.find(',');
  if (comma == std::string_view::npos) piece.fail("two 64-bit halves belong here: 0x…, 0x…");
  const Piece low = Piece{piece.text.substr(0, comma), piece.line, piece.column}.trimmed();
  const Piece high = piece.from(comma + 1).trimmed();
  return {parse_number(low, ~std::uint64_t{0}), parse_number(high, ~std::uint64_t{0})};
}

constexpr std::string_view unknown_word = ".unknown";
constexpr std::string_view residue_mark = "{^";

class Assembler {
 public:
  explicit Assembler(Architecture architecture) : architecture_(architecture) {}

  void add_label(const Piece& name, std::uint64_t offset) {
    if (!labels_.emplace(name.text, offset).second)
      name.fail("the label " + std::string(name.text) + " is there twice");
  }

  Instruction instruction(Piece piece, std::uint64_t offset) const {
    piece = piece.trimmed();
    Instruction out;
    out.architecture = architecture_;
    out.control.stall = 1;
    if (piece.text.starts_with('[')) piece = piece.from(parse_control(piece, out.control)).trimmed();
    if (piece.text.starts_with(unknown_word)) {
      out.word = parse_pair(piece.from(unknown_word.size()));
      return out;
    }
    Word residue;
    if (const auto at = piece.text.find(residue_mark); at != std::string_view::npos) {
      const Piece tail = piece.from(at + residue_mark.size()).trimmed();
      if (!tail.text.ends_with('}')) tail.fail("the closing } is missing");
      residue = parse_pair({tail.text.substr(0, tail.text.size() - 1), tail.line, tail.column});
      piece = Piece{piece.text.substr(0, at), piece.line, piece.column}.trimmed();
    }
    const LabelLookup lookup = [&](std::string_view name) -> std::optional<std::int64_t> {
      const auto it = labels_.find(name);
      if (it == labels_.end()) return std::nullopt;
      return static_cast<std::int64_t>(it->second);
    };
    if (const auto failure = match_instruction(piece.text, offset, lookup, out)) {
      piece.fail(failure->reason, failure->position);
    }
    Word word = encode(out, offset);
    word.low ^= residue.low;
    word.high ^= residue.high;
    return decode(word, architecture_, offset);
  }

 private:
  Architecture architecture_;
  std::map<std::string, std::uint64_t, std::less<>> labels_;
};

struct Line {
  Piece instruction;
  std::uint64_t offset = 0;
};

// Divides text into header directives, labels and instructions.
class Scanner {
 public:
  std::vector<Piece> directives;
  std::vector<std::pair<Piece, std::uint64_t>> labels;
  std::vector<Line> lines;

  void scan(std::string_view text) {
    std::size_t number = 0;
    while (!text.empty()) {
      const auto end = text.find('\n');
      scan_line({text.substr(0, end), ++number, 1});
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
  }

 private:
  void scan_line(Piece piece) {
    for (;;) {
      piece = piece.trimmed();
      if (piece.text.empty()) return;
      const std::size_t name = label_length(piece.text);
      if (name != 0) {
        labels.emplace_back(Piece{piece.text.substr(0, name), piece.line, piece.column}, offset());
        piece = piece.from(name + 1);
        continue;
      }
      const auto semicolon = piece.text.find(';');
      const Piece statement = Piece{piece.text.substr(0, semicolon), piece.line, piece.column}.trimmed();
      if (statement.text.starts_with('.') && !statement.text.starts_with(unknown_word)) {
        directives.push_back(statement);
      } else if (!statement.text.empty()) {
        lines.push_back({statement, offset()});
      }
      if (semicolon == std::string_view::npos) return;
      piece = piece.from(semicolon + 1);
    }
  }

  [[nodiscard]] std::uint64_t offset() const { return lines.size() * instruction_bytes; }

  static std::size_t label_length(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && is_label_character(text[length])) ++length;
    return length < text.size() && text[length] == ':' ? length : 0;
  }
};

std::vector<Word> assemble_lines(const Scanner& scanner, Architecture architecture) {
  Assembler assembler(architecture);
  for (const auto& [label, offset] : scanner.labels) assembler.add_label(label, offset);
  std::vector<Word> words;
  words.reserve(scanner.lines.size());
  for (const Line& line : scanner.lines) {
    words.push_back(assembler.instruction(line.instruction, line.offset).word);
  }
  return words;
}

std::uint32_t number_32(const Piece& piece) {
  return static_cast<std::uint32_t>(parse_number(piece, 0xffffffff));
}

void read_directive(const std::vector<Piece>& words, SassFile& file) {
  const Piece& name = words.front();
  const auto arguments = [&](std::size_t least, std::size_t most) {
    if (words.size() - 1 < least || words.size() - 1 > most) {
      name.fail(std::string(name.text) + " takes " + std::to_string(least) +
                (least == most ? "" : " or " + std::to_string(most)) + (most == 1 ? " value" : " values"));
    }
  };
  if (name.text == ".architecture") {
    arguments(1, 1);
    const auto architecture = parse_architecture(words[1].text);
    if (!architecture) words[1].fail("not one of sm_70, sm_75, sm_80, sm_86, sm_89, sm_90");
    file.architecture = *architecture;
  } else if (name.text == ".kernel") {
    arguments(1, 1);
    if (!file.kernel.empty()) words[0].fail("one .kernel to an .architecture");
    file.kernel = words[1].text;
  } else if (name.text == ".registers") {
    arguments(1, 1);
    file.registers = static_cast<std::uint32_t>(parse_number(words[1], 255));
  } else if (name.text == ".shared") {
    arguments(1, 1);
    file.shared_bytes = number_32(words[1]);
  } else if (name.text == ".barriers") {
    arguments(1, 1);
    file.barriers = static_cast<std::uint32_t>(parse_number(words[1], 16));
  } else if (name.text == ".frame") {
    arguments(1, 1);
    file.frame_bytes = number_32(words[1]);
  } else if (name.text == ".max_threads") {
    arguments(3, 3);
    for (std::size_t i = 0; i < 3; ++i) file.max_threads[i] = number_32(words[i + 1]);
  } else if (name.text == ".parameter") {
    arguments(1, 2);
    SassParameter parameter;
    parameter.size = number_32(words[1]);
    if (words.size() == 3) parameter.offset = number_32(words[2]);
    file.parameters.push_back(parameter);
  } else if (name.text == ".constant2") {
    arguments(1, 1);
    append_hex(words[1], file.constant2);
  } else {
    name.fail("no directive is called " + std::string(name.text));
  }
}

}  // namespace

AssemblyError::AssemblyError(std::size_t line, std::size_t column, const std::string& what)
    : std::runtime_error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what),
      line_(line),
      column_(column) {}

std::vector<Word> assemble(std::string_view text, Architecture architecture) {
  const std::string clean = without_comments(text);
  Scanner scanner;
  scanner.scan(clean);
  if (!scanner.directives.empty()) {
    scanner.directives.front().fail("a header line has no place in code alone");
  }
  return assemble_lines(scanner, architecture);
}

Instruction assemble_instruction(std::string_view text, Architecture architecture, std::uint64_t offset) {
  const auto end = text.find_first_of(";\n");
  return Assembler(architecture).instruction({text.substr(0, end), 1, 1}, offset);
}

SassFile parse_sass_file(std::string_view text) {
  const std::string clean = without_comments(text);
  Scanner scanner;
  scanner.scan(clean);
  SassFile file;
  bool has_architecture = false;
  bool has_registers = false;
  for (const Piece& directive : scanner.directives) {
    const std::vector<Piece> words = words_of(directive);
    read_directive(words, file);
    has_architecture = has_architecture || words.front().text == ".architecture";
    has_registers = has_registers || words.front().text == ".registers";
  }
  if (!has_architecture) throw AssemblyError(1, 1, "the file names no .architecture");
  if (file.kernel.empty()) throw AssemblyError(1, 1, "the file names no .kernel");
  if (!has_registers) throw AssemblyError(1, 1, "the file says nothing of .registers");
  file.code = assemble_lines(scanner, file.architecture);
  return file;
}

std::string print_exact(const Instruction& instruction, std::uint64_t offset) {
  std::string text;
  print_control_to(text, instruction.control);
  text += ' ';
  print_to(text, instruction);
  if (instruction.opcode == Opcode::unknown) return text;
  const Word wanted = encode(instruction, offset);
  const Word got = assemble_instruction(text, instruction.architecture, offset).word;
  if (got == wanted) return text;
  Instruction residue;
  residue.word = {wanted.low ^ got.low, wanted.high ^ got.high};
  std::string bits = print(residue);
  return text + " {^" + bits.substr(unknown_word.size() + 1) + "}";
}

}  // namespace warpgauge::sass
