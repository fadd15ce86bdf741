// The attribute records of .nv.info sections.
// A record is: format byte, attribute byte, then by format nothing (1, two bytes of padding), a byte (2), a
// half word (3), or a half word with the payload's length and the payload (4).
#pragma once

#include <cstdint>
#include <vector>

#include "traces/cubin/bytes.h"

namespace warpgauge::cubin {

// Numbers as NVIDIA's cuobjdump names them (EIATTR_…).
enum class Attribute : std::uint8_t {
  ctaid_z_used = 0x04,
  max_threads = 0x05,                // 3 words: __launch_bounds__
  parameter_bank = 0x0a,             // symbol, then half words: base and size of the parameters in bank 0
  externs = 0x0f,                    // symbols
  required_threads = 0x10,           // 3 words
  frame_size = 0x11,                 // symbol, bytes
  min_stack_size = 0x12,             // symbol, bytes
  parameter_info = 0x17,             // index, half words ordinal and offset, size word
  parameter_size = 0x19,             // half word
  max_registers = 0x1b,              // half word
  exit_offsets = 0x1c,               // words
  s2r_ctaid_offsets = 0x1d,          // words
  crs_stack_size = 0x1e,             // word
  max_stack_size = 0x23,             // symbol, bytes
  coop_group_offsets = 0x28,         // words
  coop_group_mask_registers = 0x29,  // words
  wmma_used = 0x2b,
  register_count = 0x2f,           // symbol, registers
  int_warp_wide_offsets = 0x31,    // words
  indirect_branch_targets = 0x34,  // branch, 0, count, targets …
  software_workaround_2861232 = 0x35,
  software_workaround = 0x36,  // word
  api_version = 0x37,          // word: 118 = CUDA 11.8, 130 = CUDA 13.0
  mbarrier_count = 0x38,
  mbarrier_offsets = 0x39,
  ctas_per_cluster = 0x3d,  // 3 words
  explicit_cluster = 0x3e,
  max_cluster_rank = 0x3f,     // word
  parameter_info_v2 = 0x45,    // index, half words ordinal and offset, size: beyond 4 KiB
  syscall_offsets = 0x46,      // words
  barrier_count = 0x4c,        // byte; from CUDA 12.x on
  sparse_mma_mask = 0x50,      // half word
  mercury_isa_version = 0x5f,  // half word
};

struct AttributeRecord {
  Attribute attribute{};
  std::uint8_t format = 0;
  std::uint16_t value = 0;                                // formats 2 and 3
  ByteView payload;                                       // format 4
  std::uint64_t offset = 0;                               // of the record in the section
  [[nodiscard]] std::uint32_t word(std::size_t i) const;  // the payload's i-th; throws Error
  [[nodiscard]] std::size_t words() const { return payload.size() / 4; }
};

// Throws Error for a record that reaches beyond the section or has an unknown format.
std::vector<AttributeRecord> read_attributes(ByteView section);

}  // namespace warpgauge::cubin
