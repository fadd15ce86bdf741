// A bounded reader of 64-bit little-endian ELF files: host executables and cubins alike.
// Any bytes may be given: what does not hold together ends in cubin::Error, never in a crash, and memory use
// stays proportional to the file. Layout after the System V gABI; CUDA's own parts are read in image.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/cubin/bytes.h"

namespace warpgauge::cubin {

namespace elf {
inline constexpr std::uint16_t machine_cuda = 190;
inline constexpr std::uint16_t type_relocatable = 1;
inline constexpr std::uint16_t type_executable = 2;

inline constexpr std::uint32_t section_null = 0;
inline constexpr std::uint32_t section_progbits = 1;
inline constexpr std::uint32_t section_symtab = 2;
inline constexpr std::uint32_t section_strtab = 3;
inline constexpr std::uint32_t section_rela = 4;
inline constexpr std::uint32_t section_note = 7;
inline constexpr std::uint32_t section_nobits = 8;
inline constexpr std::uint32_t section_rel = 9;
inline constexpr std::uint32_t section_symtab_indices = 18;
// CUDA's own types. Unlinked objects of CUDA 13 use one for each kind of data section.
inline constexpr std::uint32_t section_cuda_info = 0x70000000;
inline constexpr std::uint32_t section_cuda_callgraph = 0x70000001;
inline constexpr std::uint32_t section_cuda_global = 0x70000007;
inline constexpr std::uint32_t section_cuda_shared = 0x7000000a;
inline constexpr std::uint32_t section_cuda_relocation_action = 0x7000000b;
inline constexpr std::uint32_t section_cuda_constant0 = 0x70000064;  // bank n: + n
inline constexpr std::uint32_t section_cuda_compat = 0x70000086;

inline constexpr std::uint64_t flag_write = 1;
inline constexpr std::uint64_t flag_alloc = 2;
inline constexpr std::uint64_t flag_execute = 4;
inline constexpr std::uint64_t flag_info_link = 0x40;

inline constexpr std::uint64_t header_bytes = 64;
inline constexpr std::uint64_t section_header_bytes = 64;
inline constexpr std::uint64_t program_header_bytes = 56;
inline constexpr std::uint64_t symbol_bytes = 24;

inline constexpr unsigned symbol_object = 1;
inline constexpr unsigned symbol_function = 2;
inline constexpr unsigned symbol_section = 3;
inline constexpr unsigned bind_local = 0;
inline constexpr unsigned bind_global = 1;
}  // namespace elf

struct ElfHeader {
  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint32_t version = 0;
  std::uint32_t flags = 0;
  std::uint64_t section_table = 0;  // file offsets
  std::uint64_t program_table = 0;
  std::uint16_t program_count = 0;
};

struct Section {
  std::uint32_t index = 0;
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t size = 0;    // in memory, which for NOBITS sections is not in the file
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t alignment = 0;
  std::uint64_t entry_bytes = 0;
  ByteView bytes;  // empty for NOBITS
  [[nodiscard]] bool in_file() const { return bytes.size() == size; }
};

struct Symbol {
  std::uint32_t index = 0;
  std::string_view name;
  std::uint8_t info = 0;
  std::uint8_t other = 0;
  std::uint32_t section = 0;  // 0 = undefined
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  [[nodiscard]] unsigned type() const { return info & 15U; }
  [[nodiscard]] unsigned binding() const { return info >> 4U; }
};

struct Relocation {
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;
  std::int64_t addend = 0;      // 0 for REL
  bool explicit_addend = true;  // RELA; in a REL section the addend lies in the patched field
};

// Cheap: the bytes are shared, views point into them.
class ElfFile {
 public:
  // Throws Error. Also accepts a buffer with bytes after the file's end.
  explicit ElfFile(Bytes bytes);

  [[nodiscard]] const ElfHeader& header() const { return header_; }
  [[nodiscard]] ByteView bytes() const { return *bytes_; }
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  [[nodiscard]] const Section* find_section(std::string_view name) const;
  // Of the first symbol table; empty when there is none. Symbol i is element i.
  [[nodiscard]] const std::vector<Symbol>& symbols() const { return symbols_; }
  [[nodiscard]] std::vector<Relocation> relocations(const Section& rel_or_rela) const;
  // Bytes from the header to the end of the last thing the headers name: the file's own length.
  [[nodiscard]] std::uint64_t extent() const { return extent_; }

 private:
  void read_sections();
  void read_symbols();

  std::shared_ptr<const Bytes> bytes_;
  ElfHeader header_;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
  std::uint64_t extent_ = 0;
};

[[nodiscard]] bool is_elf(ByteView bytes);

// A section by name and place, without copying the file: for large host libraries. NOBITS sections are left
// out.
struct ElfRange {
  std::string_view name;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};
[[nodiscard]] std::vector<ElfRange> elf_sections(ByteView bytes);

// The length of the ELF file that starts at bytes[0], from its headers alone; throws Error.
[[nodiscard]] std::uint64_t elf_extent(ByteView bytes);

}  // namespace warpgauge::cubin
