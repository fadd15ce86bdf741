// A cubin file, read: all its kernels, symbols and data, nothing applied yet.
//
// Two layouts are in use. Up to CUDA 12: EI_OSABI 0x33, ABI version 7, the SM in the low byte of e_flags.
// CUDA 13: EI_OSABI 0x41, ABI version 8, the SM in bits [8:16). Both are read; Image::abi_version says which
// it was.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/cubin/elf.h"
#include "traces/cubin/kernel.h"
#include "traces/sass/architecture.h"

namespace warpgauge::cubin {

// A __device__ or __constant__ variable.
struct Variable {
  std::string name;
  std::string section;  // .nv.global, .nv.global.init or .nv.constant3
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool local = false;  // static, or the compiler's own
  [[nodiscard]] bool is_constant() const { return section.starts_with(".nv.constant"); }
};

class Image {
 public:
  // Throws Error: not an ELF file, not a cubin, an unknown architecture, or anything that does not hold
  // together.
  explicit Image(Bytes file);
  static Image read_file(const std::string& path);

  [[nodiscard]] sass::Architecture architecture() const { return architecture_; }
  [[nodiscard]] unsigned abi_version() const { return elf_.header().abi_version; }
  [[nodiscard]] bool relocatable() const { return elf_.header().type == elf::type_relocatable; }
  [[nodiscard]] const ElfFile& elf() const { return elf_; }

  [[nodiscard]] const std::vector<Kernel>& kernels() const { return kernels_; }
  // By symbol, by demangled name, or by demangled name up to its parameter list. Throws Error, which lists
  // the kernels that are there, when none or more than one fits.
  [[nodiscard]] const Kernel& kernel(std::string_view name) const;

  // Device functions with a section of their own (code compiled for separate linking).
  [[nodiscard]] const std::vector<CodeSymbol>& functions() const { return functions_; }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  // Functions called but not defined here: vprintf, malloc, __assertfail …
  [[nodiscard]] const std::vector<std::string>& external_functions() const { return externals_; }
  // Banks of the whole module (3, 4 …), as in the file.
  [[nodiscard]] const std::map<unsigned, Bytes>& constant_banks() const { return constant_banks_; }

 private:
  void read_kernels();
  void read_variables();

  ElfFile elf_;
  sass::Architecture architecture_{};
  std::vector<Kernel> kernels_;
  std::vector<CodeSymbol> functions_;
  std::vector<Variable> variables_;
  std::vector<std::string> externals_;
  std::map<unsigned, Bytes> constant_banks_;
};

// The kernel of that name, as Image::kernel finds it.
const Kernel& find_kernel(const std::vector<Kernel>& kernels, std::string_view name);

// "k" of ".text.k"; and the bank number of ".nv.constant3" or ".nv.constant2.k", if it is one.
[[nodiscard]] std::optional<unsigned> constant_bank_number(std::string_view section_name);
[[nodiscard]] bool is_entry(const Symbol& symbol);  // marked as a kernel

// The architecture that the header of a cubin names, also one that Warpgauge does not read (87, 100 …).
[[nodiscard]] unsigned cubin_sm(const ElfHeader& header);

Bytes read_bytes(const std::string& path);  // a whole file; throws Error
void write_bytes(const std::string& path, ByteView bytes);

}  // namespace warpgauge::cubin
