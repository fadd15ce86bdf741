#include "traces/cubin/image.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "traces/cubin/nv_info.h"

namespace warpgauge::cubin {

namespace {

constexpr std::string_view text_prefix = ".text.";
constexpr std::string_view constant_prefix = ".nv.constant";
constexpr std::uint32_t sm90_reserved_shared_bytes = 0x400;
constexpr std::uint64_t largest_shared_bytes = 1U << 24U;  // far above any card; keeps sums within 32 bits
constexpr std::uint64_t largest_bank_bytes = 1U << 16U;

std::vector<std::uint32_t> payload_words(const AttributeRecord& r) {
  std::vector<std::uint32_t> words(r.words());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = r.word(i);
  return words;
}

std::array<std::uint32_t, 3> payload_triple(const AttributeRecord& r) {
  return {r.word(0), r.word(1), r.word(2)};
}

std::vector<IndirectBranch> indirect_branches(const AttributeRecord& r) {
  std::vector<IndirectBranch> branches;
  for (std::size_t i = 0; i + 3 <= r.words();) {
    IndirectBranch b;
    b.offset = r.word(i);
    const std::uint32_t count = r.word(i + 2);
    i += 3;
    for (std::uint32_t t = 0; t < count && i < r.words(); ++t) b.targets.push_back(r.word(i++));
    branches.push_back(std::move(b));
  }
  return branches;
}

Parameter parameter(const AttributeRecord& r) {
  const std::uint32_t place = r.word(1);
  return {place & 0xffffU, place >> 16U, r.word(2) >> 18U};
}

// The newer form, for parameters beyond 4 KiB: the size has a word of its own.
Parameter parameter_v2(const AttributeRecord& r) {
  const std::uint32_t place = r.word(1);
  return {place & 0xffffU, place >> 16U, r.word(2) & 0xffffU};
}

void apply_attribute(Kernel& k, const AttributeRecord& r) {
  switch (r.attribute) {
    case Attribute::max_threads:
      k.max_threads = payload_triple(r);
      break;
    case Attribute::required_threads:
      k.required_threads = payload_triple(r);
      break;
    case Attribute::ctas_per_cluster:
      k.cluster = payload_triple(r);
      break;
    case Attribute::parameter_bank:
      k.parameter_base = r.word(1) & 0xffffU;
      k.parameter_bytes = r.word(1) >> 16U;
      break;
    case Attribute::parameter_size:
      k.parameter_bytes = r.value;
      break;
    case Attribute::parameter_info:
      k.parameters.push_back(parameter(r));
      break;
    case Attribute::parameter_info_v2:
      k.parameters.push_back(parameter_v2(r));
      break;
    case Attribute::exit_offsets:
      k.exit_offsets = payload_words(r);
      break;
    case Attribute::s2r_ctaid_offsets:
      k.s2r_ctaid_offsets = payload_words(r);
      break;
    case Attribute::coop_group_offsets:
      k.coop_group_offsets = payload_words(r);
      break;
    case Attribute::indirect_branch_targets:
      k.indirect_branches = indirect_branches(r);
      break;
    case Attribute::barrier_count:
      k.barriers = std::max<std::uint32_t>(k.barriers, r.value);
      break;
    default:
      break;
  }
}

// The module's own .nv.info speaks of each function by the index of its symbol.
struct FunctionFacts {
  std::optional<std::uint32_t> registers;
  std::uint32_t frame_bytes = 0;
  std::uint32_t stack_bytes = 0;
};

std::unordered_map<std::uint32_t, FunctionFacts> function_facts(const ElfFile& elf) {
  std::unordered_map<std::uint32_t, FunctionFacts> facts;
  const Section* info = elf.find_section(".nv.info");
  if (info == nullptr) return facts;
  for (const AttributeRecord& r : read_attributes(info->bytes)) {
    if (r.words() < 2) continue;
    FunctionFacts& f = facts[r.word(0)];
    if (r.attribute == Attribute::register_count) f.registers = r.word(1);
    if (r.attribute == Attribute::frame_size) f.frame_bytes = r.word(1);
    if (r.attribute == Attribute::min_stack_size) f.stack_bytes = r.word(1);
  }
  return facts;
}

using SectionsByName = std::unordered_map<std::string_view, const Section*>;

const Section* of_kernel(const SectionsByName& sections, std::string_view prefix, std::string_view kernel) {
  const auto found = sections.find(fmt::format("{}{}", prefix, kernel));
  return found == sections.end() ? nullptr : found->second;
}

void read_kernel_banks(Kernel& k, const SectionsByName& sections) {
  for (unsigned bank = 0; bank < 18; ++bank) {
    const Section* s = of_kernel(sections, fmt::format("{}{}.", constant_prefix, bank), k.name);
    if (s == nullptr) continue;
    if (s->size > largest_bank_bytes)
      throw Error(fmt::format("constant bank {} exceeds 64 KiB", bank), s->offset);
    k.constant_banks[bank] = s->in_file() ? Bytes(s->bytes.begin(), s->bytes.end()) : Bytes(s->size);
  }
  // Up to CUDA 11 the file holds zeros for bank 0, later ones may leave it out.
  const std::uint64_t reach = std::uint64_t{k.parameter_base} + k.parameter_bytes;
  Bytes& bank0 = k.constant_banks[0];
  if (bank0.size() < reach) bank0.resize(static_cast<std::size_t>(reach));
}

void read_shared(Kernel& k, const SectionsByName& sections) {
  if (k.architecture == sass::Architecture::sm90) k.reserved_shared_bytes = sm90_reserved_shared_bytes;
  const Section* s = of_kernel(sections, ".nv.shared.", k.name);
  if (s == nullptr) return;
  if (s->size > largest_shared_bytes) throw Error("a shared section of an impossible size", s->offset);
  k.static_shared_bytes = static_cast<std::uint32_t>(s->size);
}

std::string kernel_list(const std::vector<Kernel>& kernels) {
  constexpr std::size_t most = 20;
  std::vector<std::string> names;
  for (const Kernel& k : kernels) {
    if (names.size() == most) {
      names.push_back(fmt::format("… {} in all", kernels.size()));
      break;
    }
    names.push_back(k.name);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

unsigned cubin_sm(const ElfHeader& h) {
  return h.abi_version >= 8 ? (h.flags >> 8U) & 0xffU : h.flags & 0xffU;
}

bool is_entry(const Symbol& symbol) {
  return symbol.type() == elf::symbol_function && (symbol.other & 0x10U) != 0;
}

std::optional<unsigned> constant_bank_number(std::string_view name) {
  if (!name.starts_with(constant_prefix)) return std::nullopt;
  name.remove_prefix(constant_prefix.size());
  unsigned bank = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), bank);
  if (error != std::errc{} || bank > 31) return std::nullopt;
  if (end != name.data() + name.size() && *end != '.') return std::nullopt;
  return bank;
}

std::string Kernel::demangled_name() const {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (text == nullptr) return name;
  std::string result(text);
  std::free(text);
  return result;
}

Image::Image(Bytes file) : elf_(std::move(file)) {
  const ElfHeader& h = elf_.header();
  if (h.machine != elf::machine_cuda) {
    throw Error(fmt::format("not a cubin: an ELF file for machine {}, not {}", h.machine, elf::machine_cuda),
                18);
  }
  const auto architecture = sass::architecture_from_number(cubin_sm(h));
  if (!architecture) throw Error(fmt::format("a cubin for sm_{}, which is not supported", cubin_sm(h)), 48);
  architecture_ = *architecture;
  read_kernels();
  read_variables();
}

Image Image::read_file(const std::string& path) {
  try {
    return Image(read_bytes(path));
  } catch (const Error& e) {
    const std::string text = e.what();
    throw Error(text.starts_with(path) ? text : fmt::format("{}: {}", path, text));
  }
}

void Image::read_kernels() {
  const auto facts = function_facts(elf_);
  SectionsByName by_name;
  std::unordered_map<std::uint32_t, std::vector<const Symbol*>> symbols_of;
  for (const Section& s : elf_.sections()) by_name.emplace(s.name, &s);
  for (const Symbol& s : elf_.symbols()) {
    if (s.type() == elf::symbol_function) symbols_of[s.section].push_back(&s);
  }
  for (const Section& s : elf_.sections()) {
    if (!s.name.starts_with(text_prefix)) continue;
    const std::string_view name = s.name.substr(text_prefix.size());
    const Symbol* entry = nullptr;
    for (const Symbol* symbol : symbols_of[s.index]) {
      if (symbol->name == name) entry = symbol;
    }
    if (entry == nullptr || !is_entry(*entry)) {
      functions_.push_back({std::string(name), 0, s.size});
      continue;
    }
    if (by_name.at(s.name) != &s) throw Error(fmt::format("two sections are named {}", s.name), s.offset);
    Kernel k;
    k.name = name;
    k.architecture = architecture_;
    k.code.assign(s.bytes.begin(), s.bytes.end());
    k.registers = s.info >> 24U;
    k.barriers = (s.flags >> 20U) & 0x1fU;
    if (const auto f = facts.find(entry->index); f != facts.end()) {
      k.registers = f->second.registers.value_or(k.registers);
      k.frame_bytes = f->second.frame_bytes;
      k.stack_bytes = f->second.stack_bytes;
    }
    if (const Section* info = of_kernel(by_name, ".nv.info.", name)) {
      for (const AttributeRecord& r : read_attributes(info->bytes)) apply_attribute(k, r);
    }
    std::sort(k.parameters.begin(), k.parameters.end(),
              [](const Parameter& a, const Parameter& b) { return a.ordinal < b.ordinal; });
    read_kernel_banks(k, by_name);
    read_shared(k, by_name);
    for (const Symbol* symbol : symbols_of[s.index]) {
      if (symbol != entry) k.functions.push_back({std::string(symbol->name), symbol->value, symbol->size});
    }
    std::sort(k.functions.begin(), k.functions.end(),
              [](const CodeSymbol& a, const CodeSymbol& b) { return a.offset < b.offset; });
    kernels_.push_back(std::move(k));
  }
}

void Image::read_variables() {
  for (const Section& s : elf_.sections()) {
    const auto bank = constant_bank_number(s.name);
    if (!bank || s.name.find('.', constant_prefix.size()) != std::string_view::npos) continue;
    if (s.size > largest_bank_bytes)
      throw Error(fmt::format("constant bank {} exceeds 64 KiB", *bank), s.offset);
    constant_banks_[*bank] = s.in_file() ? Bytes(s.bytes.begin(), s.bytes.end()) : Bytes(s.size);
  }
  for (const Symbol& s : elf_.symbols()) {
    if (s.section == 0 && s.type() == elf::symbol_function) externals_.emplace_back(s.name);
    if (s.type() != elf::symbol_object || s.section == 0 || s.section >= elf_.sections().size()) continue;
    const Section& section = elf_.sections()[s.section];
    if (section.name != ".nv.global" && section.name != ".nv.global.init" && section.name != ".nv.constant3")
      continue;
    variables_.push_back(
        {std::string(s.name), std::string(section.name), s.value, s.size, s.binding() == elf::bind_local});
  }
}

const Kernel& find_kernel(const std::vector<Kernel>& kernels, std::string_view name) {
  for (const Kernel& k : kernels) {
    if (k.name == name) return k;
  }
  const Kernel* found = nullptr;
  for (const Kernel& k : kernels) {
    const std::string full = k.demangled_name();
    std::string_view stem = full;
    stem = stem.substr(0, stem.find('('));
    if (const auto space = stem.find(' '); stem.starts_with("void ") && space != std::string_view::npos) {
      stem.remove_prefix(space + 1);
    }
    if (full != name && stem != name && stem.substr(0, stem.find('<')) != name) continue;
    if (found != nullptr) {
      throw KernelNotFound(
          fmt::format("more than one kernel is named {}: {} and {}", name, found->name, k.name));
    }
    found = &k;
  }
  if (found == nullptr)
    throw KernelNotFound(fmt::format("no kernel is named {}; there are: {}", name, kernel_list(kernels)));
  return *found;
}

const Kernel& Image::kernel(std::string_view name) const {
  return find_kernel(kernels_, name);
}

Bytes read_bytes(const std::string& path) {
  std::error_code failed;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || std::filesystem::is_directory(path, failed))
    throw Error(fmt::format("{}: cannot be opened", path));
  const auto size = in.tellg();
  if (size < 0) throw Error(fmt::format("{}: cannot be read", path));
  Bytes bytes(static_cast<std::size_t>(size));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), size);
  if (!in) throw Error(fmt::format("{}: cannot be read", path));
  return bytes;
}

void write_bytes(const std::string& path, ByteView bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  if (!out) throw Error(fmt::format("{}: cannot be written", path));
}

}  // namespace warpgauge::cubin
