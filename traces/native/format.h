// The layout of a trace file; docs/traces.md describes it whole.
//
//   file header   magic, version
//   records       in any order, a page before the kernel that names it; each a header and one zstd frame
//   index         the last record: where modules and kernels are
//   footer        where the index is, and how long the file is
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/native/bytes.h"
#include "traces/warp_stream.h"

namespace warpgauge::native {

// In the place of a wish for a carve-out in percent, where something follows and there is no wish.
inline constexpr std::uint8_t no_carveout = 101;

inline constexpr std::uint64_t file_magic = 0x0a1a0a0d54475789;    // 89 'W' 'G' 'T' CR LF SUB LF
inline constexpr std::uint64_t footer_magic = 0x0a1a444e45544757;  // 'W' 'G' 'T' 'E' 'N' 'D' SUB LF
inline constexpr std::uint32_t format_version = 2;
inline constexpr std::size_t file_header_bytes = 16;
inline constexpr std::size_t record_header_bytes = 24;
inline constexpr std::size_t footer_bytes = 24;

enum class RecordTag : std::uint32_t {
  module_ = 0x4c444f4d,  // "MODL"
  page = 0x45474150,     // "PAGE"
  kernel = 0x4c4e524b,   // "KRNL"
  index = 0x58444e49,    // "INDX"
};

// A page holds whole blocks' last pieces up to this size, or one earlier piece of one warp.
inline constexpr std::size_t page_bytes = std::size_t{256} << 10;
inline constexpr std::size_t piece_bytes = std::size_t{32} << 10;
// What a reader accepts: a page may be as long as the block that filled it.
inline constexpr std::uint64_t most_page_bytes = std::uint64_t{4} << 20;
inline constexpr std::uint64_t most_record_bytes = std::uint64_t{1} << 30;

struct RecordHeader {
  RecordTag tag{};
  std::uint64_t stored = 0;  // bytes of the frame that follows
  std::uint64_t raw = 0;     // … and decompressed
};

void put_record_header(Bytes& out, const RecordHeader& header);
// `bytes` has record_header_bytes. Throws Error when its check sum does not fit.
RecordHeader read_record_header(ByteView bytes, std::uint64_t file_offset);

// Where the control words of a kernel's code come from.
enum class ControlWords : std::uint8_t {
  compiler,  // they are the cubin's own
  absent,    // there was no cubin: they say nothing
};

// A module as it was loaded.
struct ModuleImage {
  Bytes cubin;
  std::uint64_t code_base = 0;
  std::vector<std::uint64_t> segments;  // addresses, in the order in which the loader asked for them
  friend bool operator==(const ModuleImage&, const ModuleImage&) = default;
};

// A launch, without its instructions.
struct KernelInfo {
  std::uint32_t module = 0;        // of the file's
  std::uint32_t launch_index = 0;  // in the program
  traces::LaunchShape shape;
  std::uint32_t entry = 0;
  ControlWords control_words = ControlWords::compiler;
  Bytes parameters;                   // as they lie in constant bank 0
  std::vector<std::uint8_t> classes;  // of each instruction: see code_map.h
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

void put_kernel_info(Bytes& out, const KernelInfo& info);
KernelInfo get_kernel_info(Cursor& in);

}  // namespace warpgauge::native
