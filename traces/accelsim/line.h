// One instruction of a trace, as text: docs/traces.md has the tokens.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "traces/accelsim/text_source.h"
#include "traces/warp_stream.h"

namespace warpgauge::accelsim {

inline constexpr unsigned most_sources = 4;  // what Accel-Sim 1.x accepts
inline constexpr std::uint16_t no_register = 0xffff;

struct TraceLine {
  std::uint64_t pc = 0;    // bytes from the beginning of the code
  std::uint32_t mask = 0;  // lanes that execute it
  std::uint16_t destination = no_register;
  std::string_view opcode;  // "LDG.E.64.SYS"
  std::uint8_t source_count = 0;
  std::array<std::uint16_t, most_sources> sources{};
  std::uint32_t width = 0;                                   // bytes a lane; 0: not a memory access
  std::array<std::uint64_t, traces::warp_size> addresses{};  // of the lanes in `mask`
  std::int64_t immediate = 0;
};

// What the lines of a kernel look like.
struct LineFormat {
  unsigned version = 5;    // of the tracer: 3 to 6
  bool line_info = false;  // a source line's number comes first
};

// `text` is the source's last line, which the line's opcode points into. Throws Error.
void parse_line(TraceLine& line, std::string_view text, const LineFormat& format, const TextSource& source);

// Appends the line as version 5 has it, with its end.
void append_line(std::string& out, const TraceLine& line);

}  // namespace warpgauge::accelsim
