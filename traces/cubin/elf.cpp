#include "traces/cubin/elf.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpgauge::cubin {

Error::Error(const std::string& message, std::uint64_t offset)
    : std::runtime_error(fmt::format("{} (at offset {:#x})", message, offset)), offset_(offset) {}

namespace {

constexpr std::uint8_t magic[4] = {0x7f, 'E', 'L', 'F'};

std::string_view string_at(ByteView table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(table.data()) + offset;
  const auto* end = reinterpret_cast<const char*>(table.data()) + table.size();
  return {begin, std::find(begin, end, '\0')};
}

ElfHeader read_header(ByteView b) {
  if (!is_elf(b)) throw Error("not an ELF file", 0);
  if (b.size() < elf::header_bytes) throw Error("the ELF header is cut off", b.size());
  if (b[4] != 2 || b[5] != 1) throw Error("not a 64-bit little-endian ELF file", 4);
  ElfHeader h;
  h.os_abi = b[7];
  h.abi_version = b[8];
  h.type = read_at<std::uint16_t>(b, 16, "ELF header");
  h.machine = read_at<std::uint16_t>(b, 18, "ELF header");
  h.version = read_at<std::uint32_t>(b, 20, "ELF header");
  h.program_table = read_at<std::uint64_t>(b, 32, "ELF header");
  h.section_table = read_at<std::uint64_t>(b, 40, "ELF header");
  h.flags = read_at<std::uint32_t>(b, 48, "ELF header");
  h.program_count = read_at<std::uint16_t>(b, 56, "ELF header");
  return h;
}

Section read_section(ByteView b, std::uint64_t at) {
  Section s;
  s.type = read_at<std::uint32_t>(b, at + 4, "section header");
  s.flags = read_at<std::uint64_t>(b, at + 8, "section header");
  s.address = read_at<std::uint64_t>(b, at + 16, "section header");
  s.offset = read_at<std::uint64_t>(b, at + 24, "section header");
  s.size = read_at<std::uint64_t>(b, at + 32, "section header");
  s.link = read_at<std::uint32_t>(b, at + 40, "section header");
  s.info = read_at<std::uint32_t>(b, at + 44, "section header");
  s.alignment = read_at<std::uint64_t>(b, at + 48, "section header");
  s.entry_bytes = read_at<std::uint64_t>(b, at + 56, "section header");
  return s;
}

bool has_file_bytes(const Section& s) {
  return s.type != elf::section_nobits && s.type != elf::section_null && s.type != elf::section_cuda_global &&
         s.type != elf::section_cuda_shared;
}

struct SectionTable {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
  std::uint64_t names = 0;
};

// The numbers of sections and of the name table may be too large for the header; then section 0 holds them.
SectionTable find_section_table(ByteView b, const ElfHeader& h) {
  SectionTable t;
  t.offset = h.section_table;
  if (t.offset == 0) return t;
  if (read_at<std::uint16_t>(b, 58, "ELF header") != elf::section_header_bytes) {
    throw Error("section headers of an unknown size", 58);
  }
  t.count = read_at<std::uint16_t>(b, 60, "ELF header");
  t.names = read_at<std::uint16_t>(b, 62, "ELF header");
  if (t.count == 0)
    t.count = read_at<std::uint64_t>(slice(b, t.offset, 64, "section header"), 32, "section header");
  if (t.names == 0xffff)
    t.names = read_at<std::uint32_t>(slice(b, t.offset, 64, "section header"), 40, "section header");
  if (t.offset > b.size() || t.count > (b.size() - t.offset) / elf::section_header_bytes) {
    throw Error("the section table reaches beyond the end of the file", t.offset);
  }
  return t;
}

std::uint64_t extent_of(ByteView b, const ElfHeader& h, const SectionTable& t) {
  std::uint64_t end = elf::header_bytes;
  if (h.program_count != 0) {
    const std::uint64_t size = elf::program_header_bytes * h.program_count;
    slice(b, h.program_table, size, "the program table");
    end = std::max(end, h.program_table + size);
  }
  end = std::max(end, t.offset + t.count * elf::section_header_bytes);
  for (std::uint64_t i = 0; i < t.count; ++i) {
    const Section s = read_section(b, t.offset + i * elf::section_header_bytes);
    if (!has_file_bytes(s)) continue;
    slice(b, s.offset, s.size, "a section");
    end = std::max(end, s.offset + s.size);
  }
  return end;
}

ByteView section_names(ByteView b, const SectionTable& table) {
  if (table.names >= table.count) return {};
  const Section s = read_section(b, table.offset + table.names * elf::section_header_bytes);
  return has_file_bytes(s) ? slice(b, s.offset, s.size, "the section name table") : ByteView{};
}

}  // namespace

bool is_elf(ByteView bytes) {
  return bytes.size() >= 4 && std::equal(magic, magic + 4, bytes.begin());
}

std::uint64_t elf_extent(ByteView bytes) {
  const ElfHeader header = read_header(bytes);
  return extent_of(bytes, header, find_section_table(bytes, header));
}

std::vector<ElfRange> elf_sections(ByteView b) {
  const SectionTable table = find_section_table(b, read_header(b));
  const ByteView names = section_names(b, table);
  std::vector<ElfRange> result;
  result.reserve(static_cast<std::size_t>(table.count));
  for (std::uint64_t i = 0; i < table.count; ++i) {
    const std::uint64_t at = table.offset + i * elf::section_header_bytes;
    const Section s = read_section(b, at);
    if (!has_file_bytes(s)) continue;
    result.push_back({string_at(names, read_at<std::uint32_t>(b, at, "section header")), s.offset, s.size});
  }
  return result;
}

ElfFile::ElfFile(Bytes bytes) : bytes_(std::make_shared<const Bytes>(std::move(bytes))) {
  header_ = read_header(*bytes_);
  read_sections();
  read_symbols();
}

void ElfFile::read_sections() {
  const ByteView b = *bytes_;
  const SectionTable table = find_section_table(b, header_);
  extent_ = extent_of(b, header_, table);
  const ByteView names = section_names(b, table);
  sections_.reserve(static_cast<std::size_t>(table.count));
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < table.count; ++i) {
    const std::uint64_t at = table.offset + i * elf::section_header_bytes;
    Section s = read_section(b, at);
    s.index = static_cast<std::uint32_t>(i);
    s.name = string_at(names, read_at<std::uint32_t>(b, at, "section header"));
    if (has_file_bytes(s)) s.bytes = slice(b, s.offset, s.size, "a section");
    // A reader that copies each section must not be led to copy the same bytes over and over.
    total += s.bytes.size();
    if (total > 2 * b.size()) throw Error("the sections overlap", s.offset);
    sections_.push_back(s);
  }
}

void ElfFile::read_symbols() {
  const auto table = std::find_if(sections_.begin(), sections_.end(),
                                  [](const Section& s) { return s.type == elf::section_symtab; });
  if (table == sections_.end()) return;
  ByteView names;
  if (table->link < sections_.size()) names = sections_[table->link].bytes;
  ByteView wide_indices;
  for (const Section& s : sections_) {
    if (s.type == elf::section_symtab_indices && s.link == table->index) wide_indices = s.bytes;
  }
  const std::uint64_t count = table->bytes.size() / elf::symbol_bytes;
  symbols_.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const ByteView e =
        table->bytes.subspan(static_cast<std::size_t>(i * elf::symbol_bytes), elf::symbol_bytes);
    Symbol s;
    s.index = static_cast<std::uint32_t>(i);
    s.name = string_at(names, read_at<std::uint32_t>(e, 0, "symbol"));
    s.info = e[4];
    s.other = e[5];
    s.section = read_at<std::uint16_t>(e, 6, "symbol");
    if (s.section == 0xffff)
      s.section = read_at<std::uint32_t>(wide_indices, i * 4, "the symbol section indices");
    s.value = read_at<std::uint64_t>(e, 8, "symbol");
    s.size = read_at<std::uint64_t>(e, 16, "symbol");
    symbols_.push_back(s);
  }
}

const Section* ElfFile::find_section(std::string_view name) const {
  for (const Section& s : sections_) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::vector<Relocation> ElfFile::relocations(const Section& section) const {
  const bool rela = section.type == elf::section_rela;
  const std::size_t entry = rela ? 24 : 16;
  std::vector<Relocation> result;
  result.reserve(section.bytes.size() / entry);
  for (std::size_t at = 0; at + entry <= section.bytes.size(); at += entry) {
    Relocation r;
    r.offset = read_at<std::uint64_t>(section.bytes, at, "relocation");
    const auto info = read_at<std::uint64_t>(section.bytes, at + 8, "relocation");
    r.type = static_cast<std::uint32_t>(info);
    r.symbol = static_cast<std::uint32_t>(info >> 32U);
    r.addend = rela ? read_at<std::int64_t>(section.bytes, at + 16, "relocation") : 0;
    r.explicit_addend = rela;
    result.push_back(r);
  }
  return result;
}

}  // namespace warpgauge::cubin
