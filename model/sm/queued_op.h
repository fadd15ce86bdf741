// What an instruction asks of the memory pipeline, as it waits in the queue of its processing block: lines and sectors,
// passes over tags and data, and how long its registers are held. Known when it issues; what it then waits for is the
// memory unit's.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "model/sm/coalescer.h"
#include "model/sm/decoded.h"
#include "model/sm/event.h"
#include "model/sm/remote_parts.h"
#include "model/sm/spec.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

struct QueuedOp {
  Cycle ready = 0;  // earliest start of service
  QueuedKind kind = QueuedKind::none;
  traces::MemorySpace space = traces::MemorySpace::none;
  traces::MemoryAccess access = traces::MemoryAccess::none;
  std::uint8_t warp = 0;
  std::uint8_t read_counter = 7;
  std::uint8_t write_counter = 7;
  std::uint8_t bytes = 4;
  std::uint8_t group = SmEvent::no_group;
  std::uint8_t same_word = 0;
  std::uint8_t split_lines = 0;  // of line_count: requests for more of a line (split_copy)
  std::uint32_t generation = 0;     // of the warp slot
  std::uint32_t ticket = traces::Issued::no_ticket;  // see traces::Issued
  std::uint32_t results = 0;        // LoadResults
  std::uint8_t interval = 4;        // of the address unit
  std::uint8_t unit_interval = 1;   // of the unit that all processing blocks share
  LaterReads later;
  bool past_l1 = false;
  bool system = false;  // see StaticOp
  bool alone = false;   // see MemoryRequest
  Keep keep = Keep::as_others;
  bool frame_stays = false;
  bool prefetch = false;          // see StaticOp
  bool whole_line = false;        // see StaticOp
  bool floating = false;          // atomics: addition of floating-point numbers
  bool two_operands = false;      // atomics: compare and swap
  std::uint32_t padded = 0;       // atomics: of the lines, see padded_lines
  bool empties_l1 = false;        // CCTL.IVALL
  bool flushes_bulk = false;      // UTMACMDFLUSH
  traces::Issued::Object object = traces::Issued::Object::none;  // what it does at a barrier object ...
  std::uint32_t object_address = 0;                              // ... there
  std::uint32_t bulk = no_bulk;   // the copy that it asks for
  static constexpr std::uint32_t no_bulk = ~std::uint32_t{0};
  std::uint16_t passes = 1;       // of the tags or the data, whichever are more: wavefronts
  std::uint16_t data_passes = 1;  // over the data array
  std::uint16_t turn_passes = 1;  // over it of lines that are not read together, but as they passed the tags
  float line_return_cycles = 0;   // of the way back, of an atomic's results for each of its lines
  std::uint32_t texture = 0;           // handle
  std::uint16_t texture_requests = 0;  // of the texture units, and the sectors that these look up
  std::uint16_t texture_sectors = 0;
  std::uint16_t copy_cycles = 0;  // of a copy past the L1, on its way into shared memory
  std::uint16_t floor_passes = 1;
  std::uint16_t tag_passes = 1;
  std::uint16_t war = 1;  // from its start to the release of its sources, and of its result
  std::uint16_t raw = 1;
  std::uint16_t line_count = 0;
  std::uint16_t sector_count = 0;
  RemoteParts remote;
  std::array<LineAccess, max_lines_per_access> lines;
};

// Lines whose words lie in banks of their own pass the data array four at a time.
constexpr unsigned line_passes(unsigned lines) { return (lines + 3) / 4; }

// Bytes of a line that a store writes: lanes on one word write it once. Of local memory a lane has whole
// words of a line, or part of one.
inline unsigned written_bytes(const QueuedOp& op, const LineAccess& access) {
  const unsigned words = 4U * static_cast<unsigned>(std::popcount(access.words));
  return op.space == traces::MemorySpace::local && op.bytes >= 4
             ? words
             : std::min(unsigned{access.lanes} * op.bytes, words);
}

// Who issues it: its warp slot, the slot's use, its group of results (or SmEvent::no_group), and where the warp's local memory begins,
// in lines.
struct Issuer {
  unsigned warp = 0;
  std::uint32_t generation = 0;
  std::uint8_t group = SmEvent::no_group;
  std::uint64_t local_base = 0;
};

// Makes a queue's entry of an instruction, all but its times. An entry is used again and again: of its lines only the first
// `line_count` are written.
void make_queued(QueuedOp& entry, const SmSpec& spec, const StaticOp& op, const traces::Issued& issued,
                 const Issuer& issuer);

}  // namespace warpgauge::model
