#include "traces/sass/table.h"

#include <algorithm>

#include "traces/sass/row_text.h"

namespace warpgauge::sass::table {
namespace {

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
  for (const std::string_view token : words_of(text.modifiers))
    row.modifiers.push_back(parse_modifier(text, token));
  for (const std::string_view token : operands_of(text.operands))
    row.operands.push_back(parse_operand(text, form, token));
  // All predicates at once: what stands first is written.
  for (OperandField& operand : row.operands) {
    if (operand.literal == "PR" || operand.literal == "UPR") {
      operand.access = &operand == row.operands.data() ? Access::write : Access::read;
    }
  }
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
  for (const auto texts : {integer_rows(), float_rows(), half_rows(), conversion_rows(), memory_rows(),
                           atomic_rows(), control_rows(), warp_rows(), uniform_rows(), matrix_rows(),
                           texture_rows(), graphics_rows(), hopper_rows()}) {
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
