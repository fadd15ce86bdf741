// What passes between the SMs and the memory system.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "model/sm/types.h"

namespace warpgauge::model {

// Where the L2 sees constant banks, of 256 KiB each: no data lies there.
inline constexpr std::uint64_t constant_window = std::uint64_t{1} << 50;

// A barrier asks all slices that the SM has asked since its last one whether they have what it sent (docs/h200.md, fences).
// A call is a function of the driver's, which keeps its warp for its own time and waits for what it shares with others.
enum class RequestKind : std::uint8_t { load, store, atomic, reduction, code, barrier, call };

struct MemoryRequest {
  Cycle at = 0;            // leaves the SM
  // Byte address / line bytes. Of calls: the sectors of the host's memory that it writes in part, or, if it has no `turns`
  // there, the cycles between two such calls of the chip.
  std::uint64_t line = 0;
  std::uint32_t id = 0;    // the SM's own, returned with the reply
  std::uint16_t sm = 0;
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;  // mask within the line
  std::uint8_t lanes = 0;    // that take part
  // Of calls: atomics of one word of the host's. Of atomics: sector accesses. Lanes on one word take turns, and each turn comes back to the word's sector.
  std::uint8_t turns = 0;
  std::uint8_t deepest = 0;   // of atomics: most lanes on one word
  bool copy = false;          // of loads: to shared memory, past the L1
  bool alone = false;         // of loads: no other is joined with it
  bool system = false;        // of loads: what the whole system has written
  bool promotes = false;      // of loads: wants the L2 to have 256 bytes, and it looks one sector more up
  bool prefetch = false;      // of loads: nothing comes back but that it is done
  bool joined = false;        // of stores: sectors that another request of this line, on its way, has not
  bool whole_line = false;    // of loads: what is missing is fetched with all of its line
  bool partial = false;       // of stores: a sector is covered in part; of atomics: not each turn has a whole one
  bool floating = false;      // of atomics: floating-point addition
  bool padded = false;        // of atomics: takes as much of the way as if its one lane's operand came as a sector, see padded_lines
  bool wide = false;          // of atomics: 64 bits
  bool two_operands = false;  // of atomics: compare and swap
  std::uint32_t before_stores = 0;  // of calls: cycles of the warp's own before those
  bool deferred = false;      // what it asks for takes place at its turn (traces::WarpStream::carry_out)
  std::uint8_t launch = 0;    // of data: whose warp it is of, by the number that the launch has while it runs
  std::uint32_t words = ~std::uint32_t{0};  // of stores: of the sectors' words, those that it writes; of one that is `joined`, of the whole line; of calls: cycles of the warp's own
};

// Atomics are carried out where the line has its home, whether their results are wanted or not.
inline bool is_atomic(RequestKind kind) { return kind == RequestKind::atomic || kind == RequestKind::reduction; }

// What it brings is for its line's home.
inline bool has_operands(RequestKind kind) { return is_atomic(kind) || kind == RequestKind::store; }

// Compare and swap sends what to compare with and what to swap in one after the other; but where each turn
// has one lane, on one word or alone in its line, both go together and as fast as additions (probe
// atomics.types: atom_cas_b32 by lanes of a sector and of a word; by hand, tries_at_locks: lanes alone in
// their sectors of a line).
inline bool two_messages(const MemoryRequest& request) {
  return request.two_operands && request.lanes > request.deepest;
}

// Whether each turn of an atomic is one lane's, whose operand goes with the header.
inline bool lanes_alone(const MemoryRequest& request) { return request.lanes == request.turns && !request.padded; }

// What a request takes of its SM's way out, in bytes; `header` is that of one without data.
inline double bytes_out(const MemoryRequest& request, double header, double sector) {
  switch (request.kind) {
    case RequestKind::load:
    case RequestKind::code:
    case RequestKind::barrier:
    case RequestKind::call:
      return header;
    case RequestKind::store:
      // Whole sectors need no mask beside them.
      return std::popcount(request.sectors) * sector + (request.partial ? header : 0);
    case RequestKind::atomic:
    case RequestKind::reduction: {
      // Lanes on one word take turns, each with a header and the operands of the sectors that have lanes left; where one lane is left,
      // its operand fits into the header. At least so many turns have but one:
      const unsigned twice = 2U * request.deepest;
      const unsigned single = request.padded || twice <= request.lanes ? 0 : std::min<unsigned>(twice - request.lanes, request.turns);
      const double bytes = request.deepest * header + (request.turns - single) * sector;
      return two_messages(request) ? 2 * bytes : bytes;
    }
  }
  return header;
}

// Words of a store that its request, on its way when they joined it, has not told of.
struct LateWords {
  std::uint64_t line = 0;
  std::uint32_t words = 0;
};

// A request that is `deferred` has its turn.
struct Turn {
  std::uint32_t id = 0;  // the request's
  std::uint16_t sm = 0;
};

// Loads and atomics return data, stores and reductions a notice that the L2 has them.
struct MemoryReply {
  Cycle at = 0;  // reaches the SM
  std::uint32_t id = 0;
  std::uint16_t sm = 0;
  bool of_code = false;  // or of constants
  std::uint8_t launch = 0;  // the request's
  bool prefetch = false;    // the request's: no launch's end waits for it
};

}  // namespace warpgauge::model
