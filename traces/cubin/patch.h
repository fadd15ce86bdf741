// Changes a compiled cubin in place: code words and the metadata that goes with them.
// Nothing else of the file changes: a field that stays as it was leaves the bytes as they were. Only where a
// record has to be added, its section moves to the end of the file.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "traces/cubin/bytes.h"
#include "traces/cubin/image.h"
#include "traces/sass/instruction.h"

namespace warpgauge::cubin {

class Patch {
 public:
  explicit Patch(Bytes file);  // throws Error for what Image refuses

  // All name a kernel by its symbol and throw KernelNotFound when it is not there, Error when the value does
  // not fit.

  void set_word(std::string_view kernel, std::uint64_t offset, const sass::Word& word);
  // `code` replaces the section's first bytes; what lies beyond it stays. It cannot be longer than the
  // section.
  void set_code(std::string_view kernel, ByteView code);
  // In the REGCOUNT record, and up to sm_89 in the section header as well.
  void set_registers(std::string_view kernel, std::uint32_t registers);  // 1…255
  // Without the bytes that sm_90 reserves; the kernel must have a shared section.
  void set_shared_bytes(std::string_view kernel, std::uint32_t bytes);
  // ABI version 7 keeps the number of named barriers in the section header, version 8 in a record.
  void set_barriers(std::string_view kernel, std::uint32_t barriers);  // 0…16
  void set_frame_bytes(std::string_view kernel, std::uint32_t bytes);  // FRAME_SIZE and MIN_STACK_SIZE
  void set_max_threads(std::string_view kernel, const std::array<std::uint32_t, 3>& threads);

  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  // File offsets, found anew for each change, since an added record moves its section.
  struct Place {
    std::uint64_t text_header = 0;
    std::uint64_t text = 0;
    std::uint64_t text_size = 0;
    std::uint32_t symbol = 0;
  };
  [[nodiscard]] Place find(std::string_view kernel) const;
  void set_function_record(const Place& place, std::uint8_t attribute, std::uint32_t value);
  void add_record(std::string_view section, ByteView record);

  Bytes bytes_;
  sass::Architecture architecture_{};
  unsigned abi_version_ = 0;
};

}  // namespace warpgauge::cubin
