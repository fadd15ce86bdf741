// A .sass file: a kernel's code under a small header. From it the cubin writer makes a file that a card
// loads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::sass {

struct SassParameter {
  std::uint32_t size = 0;               // bytes
  std::optional<std::uint32_t> offset;  // bytes from the parameters' base; laid out as C does when absent
};

struct SassFile {
  Architecture architecture = Architecture::sm90;
  std::string kernel;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  std::uint32_t barriers = 0;
  std::uint32_t frame_bytes = 0;               // local memory a thread
  std::array<std::uint32_t, 3> max_threads{};  // zeros: no bound
  std::vector<SassParameter> parameters;
  std::vector<std::uint8_t> constant2;  // the kernel's own constants, bank 2
  std::vector<Word> code;
};

// Header lines `.architecture sm_90`, `.kernel NAME`, `.registers N`, `.shared BYTES`, `.barriers N`,
// `.frame BYTES`, `.max_threads X Y Z`, and as often as needed `.parameter BYTES [OFFSET]` and `.constant2
// HEX`, whose bytes follow each other; then the code. Architecture, kernel and registers must be there.
// Throws AssemblyError.
SassFile parse_sass_file(std::string_view text);

}  // namespace warpgauge::sass
