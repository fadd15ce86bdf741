// One kernel of a cubin: its machine code and everything that a launch needs to know of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "traces/cubin/bytes.h"
#include "traces/sass/architecture.h"

namespace warpgauge::cubin {

// Where an argument lies: `offset` from Kernel::parameter_base, in bytes.
struct Parameter {
  std::uint32_t ordinal = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// A device function that the compiler kept inside a kernel's section, or any other label there.
struct CodeSymbol {
  std::string name;
  std::uint64_t offset = 0;  // from the start of the section
  std::uint64_t size = 0;
};

struct IndirectBranch {
  std::uint32_t offset = 0;  // of the BRX or JMX, from the start of the section
  std::vector<std::uint32_t> targets;
};

struct Kernel {
  std::string name;  // the symbol, mangled
  sass::Architecture architecture{};

  // The bytes of the kernel's own section; its entry is at 0. As they are in the file when the kernel came
  // out of an Image, with relocations applied when it came out of a LoadedModule.
  Bytes code;
  std::uint64_t code_offset = 0;  // of `code` in LoadedModule::code; 0 in an Image

  std::uint32_t registers = 0;  // a thread, as the compiler counted them (before the allocation unit)

  // Bytes of shared memory that a block owns before dynamic shared memory. On sm_90 the section begins with
  // 0x400 bytes that belong to the system; `static_shared_bytes` contains them, and a kernel without a
  // section of its own has none here. See user_shared_bytes().
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t reserved_shared_bytes = 0;  // 0x400 on sm_90, else 0

  std::uint32_t frame_bytes = 0;  // local memory of a thread: the kernel's own frame
  std::uint32_t stack_bytes = 0;  // …and with the deepest chain of calls that the compiler could see
  std::uint32_t barriers = 0;     // named barriers, 0…16
  std::array<std::uint32_t, 3> max_threads{};       // __launch_bounds__; zeros when not given
  std::array<std::uint32_t, 3> required_threads{};  // .reqntid; zeros when not given
  std::array<std::uint32_t, 3> cluster{};           // __cluster_dims__; zeros when not given

  std::uint32_t parameter_base = 0;   // offset in constant bank 0: 0x160 up to sm_89, 0x210 on sm_90
  std::uint32_t parameter_bytes = 0;  // of all of them, with padding
  std::vector<Parameter> parameters;  // by ordinal

  // The banks that belong to this kernel alone: 0 (zeros, as long as parameters reach; a launch fills it) and
  // 2 (compiler's constants and jump tables). Banks of the whole module (3 = __constant__, 4 = addresses)
  // stand in Image::constant_banks and LoadedModule::constant_banks.
  std::map<unsigned, Bytes> constant_banks;

  std::vector<CodeSymbol> functions;
  std::vector<std::uint32_t> exit_offsets;
  std::vector<std::uint32_t> s2r_ctaid_offsets;
  std::vector<std::uint32_t> coop_group_offsets;  // warp-collective instructions
  std::vector<IndirectBranch> indirect_branches;

  [[nodiscard]] std::uint32_t user_shared_bytes() const {
    return static_shared_bytes > reserved_shared_bytes ? static_shared_bytes - reserved_shared_bytes : 0;
  }
  // Where a block's dynamic shared memory begins: after the static and the reserved bytes, at a multiple
  // of 16.
  [[nodiscard]] std::uint32_t dynamic_shared_offset() const {
    const std::uint32_t used =
        static_shared_bytes > reserved_shared_bytes ? static_shared_bytes : reserved_shared_bytes;
    return (used + 15U) & ~15U;
  }
  [[nodiscard]] std::uint32_t local_bytes() const {
    return stack_bytes > frame_bytes ? stack_bytes : frame_bytes;
  }
  // C++'s spelling of the name; the name itself where it is not mangled.
  [[nodiscard]] std::string demangled_name() const;
};

}  // namespace warpgauge::cubin
