// What the driver does when a module is loaded: the loader chooses where code and variables lie, and every
// relocation is applied.
//
// All code lies in one image, LoadedModule::code, which starts at address LoadOptions::code_base of the code
// address space; function f is at code_base + f.offset. Functions that the module calls but does not hold
// (vprintf, malloc,
// __assertfail …) get an address each in 16-byte slots after the code: an emulator that arrives there looks
// the address up in LoadedModule::externals and does what the function does.
//
// Variables lie in segments, one a section: .nv.global (zeros), .nv.global.init, and one for each constant
// bank that holds variables, since their address can be taken too. The caller's `allocate` says where, and
// the caller copies DataSegment::bytes there (the rest of the segment is zeros).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/cubin/image.h"

namespace warpgauge::cubin {

struct LoadOptions {
  std::uint64_t code_base = std::uint64_t{1} << 32;  // a multiple of 128; not 0, which is the null function
  // Returns the address of `size` bytes of device memory. Without one, segments are laid out one after the
  // other from data_base on.
  std::function<std::uint64_t(std::uint64_t size, std::uint64_t alignment)> allocate;
  std::uint64_t data_base = std::uint64_t{1} << 40;
};

struct LoadedVariable {
  std::string name;
  std::uint64_t address = 0;  // in device memory, also for a __constant__ variable
  std::uint64_t size = 0;
  std::optional<unsigned> constant_bank;  // of a __constant__ variable…
  std::uint64_t bank_offset = 0;          // …and its place there
  bool local = false;
};

struct DataSegment {
  std::string section;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  Bytes bytes;  // the first bytes; zeros follow up to `size`
  std::optional<unsigned> constant_bank;
};

struct LoadedFunction {
  std::string name;
  std::uint64_t offset = 0;  // in LoadedModule::code
  std::uint64_t size = 0;
  std::uint32_t registers = 0;
  std::uint32_t frame_bytes = 0;
  bool kernel = false;
};

struct ExternalFunction {
  std::string name;
  std::uint64_t address = 0;
};

struct LoadedModule {
  sass::Architecture architecture{};
  std::uint64_t code_base = 0;
  Bytes code;                   // of all functions, each aligned to 128 bytes
  std::vector<Kernel> kernels;  // relocated; Kernel::code_offset is the entry's place in `code`
  std::vector<LoadedFunction>
      functions;  // kernels and device functions with a section of their own, by offset
  std::vector<ExternalFunction> externals;
  std::vector<DataSegment> segments;
  std::vector<LoadedVariable> variables;
  std::map<unsigned, Bytes> constant_banks;  // of the module: 3, 4 …; Kernel::constant_banks has the others

  [[nodiscard]] const Kernel& kernel(std::string_view name) const;  // as Image::kernel
  [[nodiscard]] const LoadedVariable* find_variable(std::string_view name) const;
  [[nodiscard]] const ExternalFunction* external_at(std::uint64_t address) const;
};

// The code that a kernel may reach: its own section, or the whole module where functions have sections.
struct KernelProgram {
  ByteView code;              // of the module that was given
  std::uint64_t offset = 0;   // of it in LoadedModule::code
  std::uint32_t entry = 0;    // index of the kernel's first instruction
  std::uint64_t address = 0;  // of the code's first byte
};
KernelProgram program_of(const LoadedModule& module, const Kernel& kernel);

// Throws Error: an unlinked object, a relocation of a type that no loader applies, an undefined variable.
LoadedModule load(const Image& image, const LoadOptions& options = {});

}  // namespace warpgauge::cubin
