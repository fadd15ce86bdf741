#include "traces/cubin/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "traces/cubin/nv_info.h"
#include "traces/cubin/relocation.h"
#include "traces/sass/instruction.h"

namespace warpgauge::cubin {

namespace {

constexpr std::uint64_t code_alignment = 128;
constexpr std::uint64_t external_slot_bytes = 16;
constexpr std::uint64_t largest_segment = std::uint64_t{1} << 40;

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Of a section that is in memory after loading: where its bytes are here, and its address there.
struct Place {
  std::uint64_t address = 0;
  Bytes* bytes = nullptr;
  std::uint64_t offset = 0;  // of the section in *bytes
  std::uint64_t size = 0;
};

class Loader {
 public:
  Loader(const Image& image, const LoadOptions& options)
      : image_(image), elf_(image.elf()), options_(options) {}

  LoadedModule run() {
    if (image_.relocatable())
      throw Error("an unlinked object: link it (nvlink, nvcc -dlink) before loading", 16);
    module_.architecture = image_.architecture();
    module_.code_base = options_.code_base;
    module_.kernels = image_.kernels();
    module_.constant_banks = image_.constant_banks();
    place_code();
    place_banks();
    place_data();
    place_externals();
    for (const Section& s : elf_.sections()) {
      if (s.type == elf::section_rel || s.type == elf::section_rela) apply(s);
    }
    finish();
    return std::move(module_);
  }

 private:
  void place_code() {
    std::uint64_t at = 0;
    std::unordered_map<std::string_view, Kernel*> kernel_of;
    for (Kernel& k : module_.kernels) kernel_of.emplace(k.name, &k);
    for (const Section& s : elf_.sections()) {
      if (!s.name.starts_with(".text.")) continue;
      LoadedFunction f;
      f.name = s.name.substr(6);
      f.offset = at;
      f.size = s.bytes.size();
      f.registers = s.info >> 24U;
      if (const auto k = kernel_of.find(f.name); k != kernel_of.end()) {
        k->second->code_offset = at;
        f.kernel = true;
        f.registers = k->second->registers;
        f.frame_bytes = k->second->frame_bytes;
      }
      module_.code.insert(module_.code.end(), s.bytes.begin(), s.bytes.end());
      places_[s.index] = {options_.code_base + at, &module_.code, at, f.size};
      function_of_section_[s.index] = module_.functions.size();
      module_.functions.push_back(std::move(f));
      at = align_up(module_.code.size(), code_alignment);
      module_.code.resize(static_cast<std::size_t>(at));
    }
    read_function_facts();
  }

  void read_function_facts() {
    const Section* info = elf_.find_section(".nv.info");
    if (info == nullptr) return;
    for (const AttributeRecord& r : read_attributes(info->bytes)) {
      if (r.words() < 2 || r.word(0) >= elf_.symbols().size()) continue;
      const Symbol& symbol = elf_.symbols()[r.word(0)];
      const auto f = function_of_section_.find(symbol.section);
      if (f == function_of_section_.end() || module_.functions[f->second].name != symbol.name) continue;
      if (r.attribute == Attribute::register_count) module_.functions[f->second].registers = r.word(1);
      if (r.attribute == Attribute::frame_size) module_.functions[f->second].frame_bytes = r.word(1);
    }
  }

  // A kernel's own banks, which relocations may fill. Their variables' "address" is the offset in the bank.
  void place_banks() {
    std::unordered_map<std::string_view, Kernel*> kernel_of;
    for (Kernel& k : module_.kernels) kernel_of.emplace(k.name, &k);
    for (const Section& s : elf_.sections()) {
      const auto bank = constant_bank_number(s.name);
      const auto dot = s.name.find('.', 12);
      if (!bank || dot == std::string_view::npos) continue;
      const auto k = kernel_of.find(s.name.substr(dot + 1));
      if (k == kernel_of.end()) continue;
      const auto bytes = k->second->constant_banks.find(*bank);
      if (bytes == k->second->constant_banks.end() || bytes->second.size() < s.size) continue;
      places_[s.index] = {0, &bytes->second, 0, s.size};
    }
  }

  void place_data() {
    std::uint64_t next = options_.data_base;
    for (const Section& s : elf_.sections()) {
      const auto bank = constant_bank_number(s.name);
      const bool module_bank = bank && module_.constant_banks.contains(*bank) && !places_.contains(s.index);
      if (s.name != ".nv.global" && s.name != ".nv.global.init" && !module_bank) continue;
      if (s.size > largest_segment) throw Error(fmt::format("{} is impossibly large", s.name), s.offset);
      const std::uint64_t alignment = std::clamp<std::uint64_t>(s.alignment, 256, 4096);
      DataSegment segment;
      segment.section = s.name;
      segment.size = s.size;
      if (module_bank) segment.constant_bank = bank;
      segment.bytes.assign(s.bytes.begin(), s.bytes.end());
      if (options_.allocate) {
        segment.address = options_.allocate(std::max<std::uint64_t>(s.size, 1), alignment);
      } else {
        segment.address = align_up(next, alignment);
        next = segment.address + s.size;
      }
      segment_of_section_[s.index] = module_.segments.size();
      module_.segments.push_back(std::move(segment));
    }
    for (const auto& [index, which] : segment_of_section_) {
      DataSegment& d = module_.segments[which];
      places_[index] = {d.address, &d.bytes, 0, d.size};
    }
  }

  void place_externals() {
    std::uint64_t address = options_.code_base + align_up(module_.code.size(), code_alignment);
    for (const Symbol& s : elf_.symbols()) {
      if (s.section != 0 || s.type() != elf::symbol_function) continue;
      external_address_[s.index] = address;
      module_.externals.push_back({std::string(s.name), address});
      address += external_slot_bytes;
    }
  }

  std::uint64_t value_of(const Symbol& s) const {
    if (const auto e = external_address_.find(s.index); e != external_address_.end()) return e->second;
    if (s.section == 0) {
      if (s.binding() == elf::bind_global && s.type() == elf::symbol_object) {
        throw Error(fmt::format("the variable {} is not defined in the module", s.name));
      }
      return s.value;  // weak or without a type: the linker's own marks, which stand for 0
    }
    const auto place = places_.find(s.section);
    return place == places_.end() ? s.value : place->second.address + s.value;
  }

  void apply(const Section& section) {
    if (section.info >= elf_.sections().size()) throw Error("relocations for no section", section.offset);
    const Section& target = elf_.sections()[section.info];
    const auto place = places_.find(target.index);
    if (place == places_.end()) return;  // debugging information
    for (const Relocation& r : elf_.relocations(section)) {
      const auto rule = relocation_rule(r.type);
      if (!rule)
        throw Error(fmt::format("{}: relocation type {:#x} cannot be applied", section.name, r.type),
                    section.offset);
      if (r.symbol >= elf_.symbols().size())
        throw Error(fmt::format("{}: no symbol {}", section.name, r.symbol), section.offset);
      Bytes& bytes = *place->second.bytes;
      const std::uint64_t end =
          std::min<std::uint64_t>(place->second.offset + place->second.size, bytes.size());
      if (r.offset > end - place->second.offset || rule->bytes > end - place->second.offset - r.offset) {
        throw Error(fmt::format("{}: a relocation lies outside its section", section.name), r.offset);
      }
      const std::span<std::uint8_t> field(bytes.data() + place->second.offset + r.offset, rule->bytes);
      const std::uint64_t addend =
          r.explicit_addend ? static_cast<std::uint64_t>(r.addend) : read_field(field, *rule);
      write_field(field, *rule, value_of(elf_.symbols()[r.symbol]) + addend);
    }
  }

  void finish() {
    for (Kernel& k : module_.kernels) {
      const auto from = module_.code.begin() + static_cast<std::ptrdiff_t>(k.code_offset);
      k.code.assign(from, from + static_cast<std::ptrdiff_t>(k.code.size()));
    }
    for (const DataSegment& d : module_.segments) {
      if (d.constant_bank) module_.constant_banks[*d.constant_bank] = d.bytes;
    }
    for (const Symbol& s : elf_.symbols()) {
      const auto which = segment_of_section_.find(s.section);
      if (s.type() != elf::symbol_object || which == segment_of_section_.end()) continue;
      const DataSegment& d = module_.segments[which->second];
      LoadedVariable v;
      v.name = s.name;
      v.address = d.address + s.value;
      v.size = s.size;
      v.constant_bank = d.constant_bank;
      v.bank_offset = d.constant_bank ? s.value : 0;
      v.local = s.binding() == elf::bind_local;
      module_.variables.push_back(std::move(v));
    }
  }

  const Image& image_;
  const ElfFile& elf_;
  const LoadOptions& options_;
  LoadedModule module_;
  std::unordered_map<std::uint32_t, Place> places_;
  std::unordered_map<std::uint32_t, std::size_t> function_of_section_;
  std::unordered_map<std::uint32_t, std::size_t> segment_of_section_;
  std::unordered_map<std::uint32_t, std::uint64_t> external_address_;
};

}  // namespace

LoadedModule load(const Image& image, const LoadOptions& options) {
  return Loader(image, options).run();
}

const Kernel& LoadedModule::kernel(std::string_view name) const {
  return find_kernel(kernels, name);
}

const LoadedVariable* LoadedModule::find_variable(std::string_view name) const {
  for (const LoadedVariable& v : variables) {
    if (v.name == name) return &v;
  }
  return nullptr;
}

const ExternalFunction* LoadedModule::external_at(std::uint64_t address) const {
  for (const ExternalFunction& e : externals) {
    if (e.address == address) return &e;
  }
  return nullptr;
}

KernelProgram program_of(const LoadedModule& module, const Kernel& kernel) {
  const bool own_functions = std::any_of(module.functions.begin(), module.functions.end(),
                                         [](const LoadedFunction& f) { return !f.kernel; });
  KernelProgram program;
  program.offset = own_functions ? 0 : kernel.code_offset;
  program.code = own_functions ? ByteView(module.code)
                               : ByteView(module.code).subspan(kernel.code_offset, kernel.code.size());
  program.entry = static_cast<std::uint32_t>((kernel.code_offset - program.offset) / sass::instruction_bytes);
  program.address = module.code_base + program.offset;
  return program;
}

}  // namespace warpgauge::cubin
