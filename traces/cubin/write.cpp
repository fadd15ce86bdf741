#include "traces/cubin/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "traces/cubin/elf.h"
#include "traces/cubin/nv_info.h"

namespace warpgauge::cubin {

namespace {

constexpr std::uint32_t toolkit = 118;
constexpr std::uint32_t reserved_shared_sm90 = 0x400;
constexpr std::uint64_t code_alignment = 128;
constexpr std::uint32_t largest_parameters = 4096;
constexpr std::uint32_t most_registers = 255;
constexpr std::uint32_t most_barriers = 16;
constexpr std::size_t instruction_bytes = 16;

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// The few instructions that attributes speak of; opcodes are bits [0, 12).
constexpr unsigned opcode_exit = 0x94d;
constexpr unsigned opcode_s2r = 0x919;
constexpr unsigned opcode_s2ur = 0x9c3;
constexpr unsigned opcode_imma = 0x237;
constexpr unsigned opcode_hmma = 0x23c;
constexpr unsigned opcode_bmma = 0x23d;
constexpr unsigned opcode_dmma = 0x23f;
constexpr unsigned special_register_ctaid_z = 0x27;

struct CodeFacts {
  std::vector<std::uint32_t> exits;
  bool uses_ctaid_z = false;
  bool uses_matrix_unit = false;
};

CodeFacts study(ByteView code) {
  CodeFacts facts;
  for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    const unsigned opcode = (code[at] | code[at + 1] << 8U) & 0xfffU;
    if (opcode == opcode_exit) facts.exits.push_back(static_cast<std::uint32_t>(at));
    if ((opcode == opcode_s2r || opcode == opcode_s2ur) && code[at + 9] == special_register_ctaid_z) {
      facts.uses_ctaid_z = true;
    }
    if (opcode == opcode_imma || opcode == opcode_hmma || opcode == opcode_bmma || opcode == opcode_dmma) {
      facts.uses_matrix_unit = true;
    }
  }
  return facts;
}

// The compiler ends a kernel with a branch to itself and fills up with NOPs.
void fill_up(Bytes& code, sass::Architecture architecture) {
  // sm_90 keeps the low eight bits of the distance, in words of four bytes, at bit 16.
  constexpr std::array<std::uint8_t, 16> branch_to_itself = {0x47, 0x79, 0,    0,    0xf0, 0xff, 0xff, 0xff,
                                                             0xff, 0xff, 0x83, 0x03, 0,    0xc0, 0x0f, 0};
  constexpr std::array<std::uint8_t, 16> branch_to_itself_sm90 = {
      0x47, 0x79, 0xfc, 0, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0x83, 0x03, 0, 0xc0, 0x0f, 0};
  constexpr std::array<std::uint8_t, 16> nop = {0x18, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x0f, 0};
  if (code.size() % code_alignment == 0) return;
  const auto& branch = architecture == sass::Architecture::sm90 ? branch_to_itself_sm90 : branch_to_itself;
  code.insert(code.end(), branch.begin(), branch.end());
  while (code.size() % code_alignment != 0) code.insert(code.end(), nop.begin(), nop.end());
}

// Records of a .nv.info section.
class Attributes {
 public:
  void flag(Attribute a) { head(1, a, 0); }
  void half(Attribute a, std::uint16_t value) { head(3, a, value); }
  void words(Attribute a, std::span<const std::uint32_t> values) {
    head(4, a, static_cast<std::uint16_t>(values.size() * 4));
    for (const std::uint32_t v : values) append(bytes_, v);
  }
  void words(Attribute a, std::initializer_list<std::uint32_t> values) {
    words(a, std::span<const std::uint32_t>(values.begin(), values.size()));
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void head(std::uint8_t format, Attribute a, std::uint16_t value) {
    append(bytes_, format);
    append(bytes_, static_cast<std::uint8_t>(a));
    append(bytes_, value);
  }
  Bytes bytes_;
};

class StringTable {
 public:
  std::uint32_t add(std::string_view text) {
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back(0);
    return at;
  }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_{0};
};

struct NewSection {
  std::string name;
  std::uint32_t type = elf::section_progbits;
  std::uint64_t flags = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t alignment = 1;
  std::uint64_t entry_bytes = 0;
  Bytes bytes;
  std::uint64_t size = 0;  // of NOBITS; else bytes.size()
  std::uint64_t offset = 0;
};

class Writer {
 public:
  explicit Writer(const ModuleSource& module) : module_(module) {}

  Bytes run() {
    check();
    // Indices are fixed first, since sections and symbols name each other by index.
    sections_.resize(first_own_section);
    for (const KernelSource& k : module_.kernels) plan_kernel(k);
    if (!module_.constant3.empty()) add_section(constant(".nv.constant3", module_.constant3, 0));
    make_symbols();
    make_module_info();
    for (std::size_t i = 0; i < module_.kernels.size(); ++i) make_kernel_info(i);
    return lay_out();
  }

 private:
  static constexpr std::uint32_t section_names = 1;
  static constexpr std::uint32_t strings = 2;
  static constexpr std::uint32_t symbol_table = 3;
  static constexpr std::uint32_t module_info = 4;
  static constexpr std::uint32_t first_own_section = 5;

  struct Planned {
    std::uint32_t info = 0;
    std::uint32_t text = 0;
    std::uint32_t constant0 = 0;
    std::uint32_t constant0_symbol = 0;
    std::uint32_t symbol = 0;
    std::uint32_t parameter_bytes = 0;
  };

  [[nodiscard]] bool is_sm90() const { return module_.architecture == sass::Architecture::sm90; }

  void check() const {
    if (module_.kernels.empty()) throw Error("a cubin needs a kernel");
    std::set<std::string> names;
    for (const KernelSource& k : module_.kernels) {
      if (k.name.empty() || k.name.find('\0') != std::string::npos) throw Error("a kernel needs a name");
      if (!names.insert(k.name).second) throw Error(fmt::format("two kernels are named {}", k.name));
      if (k.code.empty() || k.code.size() % instruction_bytes != 0) {
        throw Error(fmt::format("{}: code must be whole instructions of 16 bytes", k.name));
      }
      if (k.registers > most_registers)
        throw Error(fmt::format("{}: {} registers; 255 is the most", k.name, k.registers));
      if (k.barriers > most_barriers)
        throw Error(fmt::format("{}: {} barriers; 16 is the most", k.name, k.barriers));
      if (k.constant2.size() > 0x10000)
        throw Error(fmt::format("{}: constant bank 2 exceeds 64 KiB", k.name));
      std::uint32_t end = 0;
      for (const Parameter& p : k.parameters) {
        if (p.offset < end)
          throw Error(fmt::format("{}: parameter {} overlaps the one before it", k.name, p.ordinal));
        if (p.size == 0 || p.size > largest_parameters || p.offset > largest_parameters - p.size) {
          throw Error(fmt::format("{}: parameters exceed 4096 bytes", k.name));
        }
        end = p.offset + p.size;
      }
    }
    if (module_.constant3.size() > 0x10000) throw Error("constant bank 3 exceeds 64 KiB");
  }

  std::uint32_t add_section(NewSection s) {
    sections_.push_back(std::move(s));
    return static_cast<std::uint32_t>(sections_.size() - 1);
  }

  static NewSection constant(std::string name, Bytes bytes, std::uint32_t text) {
    NewSection s;
    s.name = std::move(name);
    s.flags = elf::flag_alloc;
    s.info = text;
    s.alignment = 4;
    s.bytes = std::move(bytes);
    return s;
  }

  void plan_kernel(const KernelSource& k) {
    Planned p;
    for (const Parameter& a : k.parameters)
      p.parameter_bytes = std::max(p.parameter_bytes, a.offset + a.size);
    NewSection info;
    info.name = ".nv.info." + k.name;
    info.type = elf::section_cuda_info;
    info.link = symbol_table;
    info.alignment = 4;
    p.info = add_section(std::move(info));
    p.constant0 = static_cast<std::uint32_t>(sections_.size());
    const bool has_constant2 = !k.constant2.empty();
    p.text = p.constant0 + 1 + (has_constant2 ? 1 : 0);
    sections_[p.info].info = p.text;
    add_section(constant(".nv.constant0." + k.name,
                         Bytes(parameter_base(module_.architecture) + p.parameter_bytes), p.text));
    if (has_constant2) add_section(constant(".nv.constant2." + k.name, k.constant2, p.text));

    NewSection text;
    text.name = ".text." + k.name;
    text.flags = elf::flag_alloc | elf::flag_execute | std::uint64_t{k.barriers} << 20U;
    text.link = symbol_table;
    text.alignment = code_alignment;
    text.bytes = k.code;
    fill_up(text.bytes, module_.architecture);
    add_section(std::move(text));

    std::uint32_t shared = k.shared_bytes;
    if (is_sm90() && (shared != 0 || k.barriers != 0)) shared += reserved_shared_sm90;
    if (shared != 0) {
      NewSection s;
      s.name = ".nv.shared." + k.name;
      s.type = elf::section_nobits;
      s.flags = elf::flag_alloc | elf::flag_write;
      s.info = p.text;
      s.alignment = 16;
      s.size = shared;
      add_section(std::move(s));
    }
    planned_.push_back(p);
  }

  std::uint32_t add_symbol(std::string_view name, std::uint8_t info, std::uint8_t other,
                           std::uint32_t section, std::uint64_t size) {
    const auto index = static_cast<std::uint32_t>(symbols_.size() / elf::symbol_bytes);
    append(symbols_, name.empty() ? 0U : string_table_.add(name));
    append(symbols_, info);
    append(symbols_, other);
    append(symbols_, static_cast<std::uint16_t>(section));
    append(symbols_, std::uint64_t{0});
    append(symbols_, size);
    return index;
  }

  // A symbol for each section that is in memory, then the kernels.
  void make_symbols() {
    add_symbol("", 0, 0, 0, 0);
    for (std::uint32_t i = first_own_section; i < sections_.size(); ++i) {
      if ((sections_[i].flags & elf::flag_alloc) == 0) continue;
      const std::uint32_t symbol = add_symbol(sections_[i].name, elf::symbol_section, 0, i, 0);
      for (Planned& p : planned_) {
        if (p.constant0 == i) p.constant0_symbol = symbol;
      }
    }
    const auto first_global = static_cast<std::uint32_t>(symbols_.size() / elf::symbol_bytes);
    constexpr std::uint8_t global_function = elf::bind_global << 4U | elf::symbol_function;
    constexpr std::uint8_t entry = 0x10;
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      NewSection& text = sections_[planned_[i].text];
      planned_[i].symbol =
          add_symbol(module_.kernels[i].name, global_function, entry, planned_[i].text, text.bytes.size());
      text.info = planned_[i].symbol;
      // Up to sm_89 the section header holds the register count as well.
      if (!is_sm90()) text.info |= module_.kernels[i].registers << 24U;
    }
    NewSection& table = sections_[symbol_table];
    table.name = ".symtab";
    table.type = elf::section_symtab;
    table.link = strings;
    table.info = first_global;
    table.alignment = 8;
    table.entry_bytes = elf::symbol_bytes;
    table.bytes = symbols_;
  }

  void make_module_info() {
    Attributes a;
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      const KernelSource& k = module_.kernels[i];
      const std::uint32_t symbol = planned_[i].symbol;
      a.words(Attribute::register_count, {symbol, k.registers});
      a.words(Attribute::max_stack_size, {symbol, 0});
      a.words(Attribute::min_stack_size, {symbol, k.frame_bytes});
      a.words(Attribute::frame_size, {symbol, k.frame_bytes});
    }
    NewSection& s = sections_[module_info];
    s.name = ".nv.info";
    s.type = elf::section_cuda_info;
    s.link = symbol_table;
    s.alignment = 4;
    s.bytes = a.take();
  }

  void make_kernel_info(std::size_t i) {
    const KernelSource& k = module_.kernels[i];
    const Planned& p = planned_[i];
    const CodeFacts facts = study(sections_[p.text].bytes);
    Attributes a;
    // Marks of the compiler's workarounds, as ptxas sets them for these architectures.
    if (module_.architecture <= sass::Architecture::sm75) a.words(Attribute::software_workaround, {1});
    a.words(Attribute::api_version, {toolkit});
    if (module_.architecture == sass::Architecture::sm80 ||
        module_.architecture == sass::Architecture::sm86) {
      a.flag(Attribute::software_workaround_2861232);
    }
    a.words(Attribute::parameter_bank,
            {p.constant0_symbol, parameter_base(module_.architecture) | p.parameter_bytes << 16U});
    a.half(Attribute::parameter_size, static_cast<std::uint16_t>(p.parameter_bytes));
    for (auto q = k.parameters.rbegin(); q != k.parameters.rend(); ++q) {
      constexpr std::uint32_t in_bank = 0x1f000;  // "space" and "cbank" fields of every parameter seen
      a.words(Attribute::parameter_info, {0, q->ordinal | q->offset << 16U, q->size << 18U | in_bank});
    }
    a.half(Attribute::max_registers, 0xff);
    if (facts.uses_matrix_unit) a.flag(Attribute::wmma_used);
    if (!facts.exits.empty()) a.words(Attribute::exit_offsets, facts.exits);
    if (facts.uses_ctaid_z) a.flag(Attribute::ctaid_z_used);
    if (k.max_threads[0] != 0) a.words(Attribute::max_threads, k.max_threads);
    sections_[p.info].bytes = a.take();
  }

  Bytes lay_out() {
    StringTable names;
    std::vector<std::uint32_t> name_offsets(sections_.size());
    sections_[section_names].name = ".shstrtab";
    sections_[section_names].type = elf::section_strtab;
    sections_[strings].name = ".strtab";
    sections_[strings].type = elf::section_strtab;
    sections_[0].type = elf::section_null;
    for (std::size_t i = 1; i < sections_.size(); ++i) name_offsets[i] = names.add(sections_[i].name);
    sections_[section_names].bytes = names.bytes();
    sections_[strings].bytes = string_table_.bytes();

    Bytes file(elf::header_bytes);
    for (std::size_t i = 1; i < sections_.size(); ++i) {
      NewSection& s = sections_[i];
      if (s.type != elf::section_nobits) {
        file.resize(align_up(file.size(), s.alignment));
        s.size = s.bytes.size();
      }
      s.offset = file.size();
      file.insert(file.end(), s.bytes.begin(), s.bytes.end());
    }
    file.resize(align_up(file.size(), 8));
    const std::uint64_t section_table = file.size();
    for (std::size_t i = 0; i < sections_.size(); ++i)
      append_section_header(file, sections_[i], name_offsets[i]);
    const std::uint64_t program_table = file.size();
    const std::uint16_t programs = append_program_headers(file);
    write_header(file, section_table, program_table, programs);
    return file;
  }

  static void append_section_header(Bytes& file, const NewSection& s, std::uint32_t name) {
    const bool null = s.type == elf::section_null;
    append(file, name);
    append(file, s.type);
    append(file, s.flags);
    append(file, std::uint64_t{0});
    append(file, s.offset);
    append(file, s.size);
    append(file, s.link);
    append(file, s.info);
    append(file, null ? std::uint64_t{0} : s.alignment);
    append(file, s.entry_bytes);
  }

  // One segment for each run of sections with the same rights, and the headers' own.
  std::uint16_t append_program_headers(Bytes& file) const {
    struct Segment {
      std::uint32_t flags;
      std::uint64_t offset, file_size, memory_size;
    };
    constexpr std::uint32_t executable = 1;
    constexpr std::uint32_t writable = 2;
    constexpr std::uint32_t readable = 4;
    std::vector<Segment> segments;
    for (const NewSection& s : sections_) {
      if ((s.flags & elf::flag_alloc) == 0) continue;
      std::uint32_t flags = readable;
      if ((s.flags & elf::flag_execute) != 0) flags |= executable;
      if ((s.flags & elf::flag_write) != 0) flags |= writable;
      if (segments.empty() || segments.back().flags != flags) segments.push_back({flags, s.offset, 0, 0});
      Segment& g = segments.back();
      if (s.type == elf::section_nobits) {
        g.memory_size += s.size;
      } else {
        g.file_size = s.offset + s.size - g.offset;
        g.memory_size = g.file_size;
      }
    }
    constexpr std::uint32_t type_load = 1;
    constexpr std::uint32_t type_headers = 6;
    const std::uint64_t at = file.size();
    const std::uint64_t own_size = (segments.size() + 2) * elf::program_header_bytes;
    const auto add = [&](std::uint32_t type, const Segment& g) {
      append(file, type);
      append(file, g.flags);
      append(file, g.offset);
      append(file, std::uint64_t{0});
      append(file, std::uint64_t{0});
      append(file, g.file_size);
      append(file, g.memory_size);
      append(file, std::uint64_t{8});
    };
    add(type_headers, {readable, at, own_size, own_size});
    add(type_load, {readable, at, own_size, own_size});
    for (const Segment& g : segments) add(type_load, g);
    return static_cast<std::uint16_t>(segments.size() + 2);
  }

  void write_header(Bytes& file, std::uint64_t section_table, std::uint64_t program_table,
                    std::uint16_t programs) const {
    constexpr std::uint8_t identity[9] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7};
    std::copy(std::begin(identity), std::end(identity), file.begin());
    const auto sm = static_cast<std::uint32_t>(module_.architecture);
    constexpr std::uint32_t addresses_of_64_bits = 0x500;
    const char* what = "ELF header";
    write_at(file, 16, elf::type_executable, what);
    write_at(file, 18, elf::machine_cuda, what);
    write_at(file, 20, toolkit, what);
    write_at(file, 32, program_table, what);
    write_at(file, 40, section_table, what);
    write_at(file, 48, sm | addresses_of_64_bits | sm << 16U, what);
    write_at(file, 52, static_cast<std::uint16_t>(elf::header_bytes), what);
    write_at(file, 54, static_cast<std::uint16_t>(elf::program_header_bytes), what);
    write_at(file, 56, programs, what);
    write_at(file, 58, static_cast<std::uint16_t>(elf::section_header_bytes), what);
    write_at(file, 60, static_cast<std::uint16_t>(sections_.size()), what);
    write_at(file, 62, static_cast<std::uint16_t>(section_names), what);
  }

  const ModuleSource& module_;
  std::vector<NewSection> sections_;
  std::vector<Planned> planned_;
  StringTable string_table_;
  Bytes symbols_;
};

}  // namespace

std::uint32_t parameter_base(sass::Architecture architecture) {
  return architecture == sass::Architecture::sm90 ? 0x210 : 0x160;
}

std::vector<Parameter> lay_out_parameters(std::span<const std::uint32_t> sizes) {
  std::vector<Parameter> result;
  std::uint32_t at = 0;
  for (const std::uint32_t size : sizes) {
    const std::uint32_t alignment = size == 0 ? 1 : std::min<std::uint32_t>(size & (~size + 1), 16);
    at = static_cast<std::uint32_t>(align_up(at, alignment));
    result.push_back({static_cast<std::uint32_t>(result.size()), at, size});
    at += size;
  }
  return result;
}

Bytes write_cubin(const ModuleSource& module) {
  return Writer(module).run();
}

}  // namespace warpgauge::cubin
