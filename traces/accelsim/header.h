// What comes before a kernel's instructions, and the list of a run's kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/accelsim/line.h"
#include "traces/accelsim/text_source.h"
#include "traces/warp_stream.h"

namespace warpgauge::accelsim {

struct KernelHeader {
  std::string name;
  std::uint32_t id = 0;  // from 1
  traces::Dim3 grid;
  traces::Dim3 block;
  std::uint32_t shared_bytes = 0;  // static and dynamic
  std::uint32_t registers = 0;
  unsigned binary_version = 0;  // 70, 75 …
  std::uint64_t stream = 0;
  std::uint64_t shared_base = 0;  // of generic addresses that mean shared memory
  std::uint64_t local_base = 0;
  LineFormat lines;
};

// Reads up to the line that begins with '#', or, where there is none, to the first block. Throws Error.
KernelHeader parse_header(TextSource& source);
std::string format_header(const KernelHeader& header);

struct Command {
  enum class Kind : std::uint8_t { kernel, copy_to_device, other };
  Kind kind = Kind::other;
  std::string file;           // of a kernel, as the list names it
  std::uint64_t address = 0;  // of a copy
  std::uint64_t bytes = 0;
};

// A kernelslist.g. Throws Error.
std::vector<Command> parse_list(TextSource& source);

}  // namespace warpgauge::accelsim
