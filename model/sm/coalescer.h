// From the addresses of a warp's lanes to what the memory unit handles: lines with sectors, and passes over
// banks.
#pragma once

#include <array>
#include <cstdint>

#include "model/sm/spec.h"
#include "traces/warp_stream.h"

namespace warpgauge::model {

inline constexpr unsigned max_lines_per_access = 64;  // 32 lanes, each over the border of two lines at worst

// Left uninitialized on purpose: queues hold many, and only those that are in use are ever touched.
struct LineAccess {
  std::uint64_t line;    // byte address / line bytes
  std::uint8_t sectors;  // bit n: sector n of the line
  std::uint8_t lanes;    // that address it
  std::uint8_t turns;    // of atomics, see atomic_turns
  std::uint8_t deepest;  // of atomics: most lanes on one word
  std::uint32_t words;   // bit n: word n of the line, or a part of it
};

struct Coalesced {
  unsigned lines = 0;
  unsigned sectors = 0;
  bool uniform = false;     // all lanes at one address
  bool contiguous = false;  // lane after lane without gap, aligned or not
};

// What follows may be told how the addresses lie, and then need not look.

// Whether all lanes of `mask`, which is not empty, are at one address.
bool is_uniform(const std::uint64_t* addresses, std::uint32_t mask);

// Lines in the order in which the lanes first touch them. `bytes` is a lane's access: 1, 2, 4, 8 or 16.
Coalesced coalesce(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned line_bytes,
                   unsigned sector_bytes, std::array<LineAccess, max_lines_per_access>& lines,
                   traces::LanePlaces known = {});

// Passes over `banks` banks of `bank_bytes` for a shared-memory access: the largest number of distinct words
// that one bank must serve, counted for half-warps of 64-bit and quarter-warps of 128-bit accesses and
// summed. Where `merge` holds, groups go in pairs if the lanes' words allow it (probe shared.patterns: every
// one of 4,200 patterns on the H200, partly active warps among them).
unsigned bank_passes(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned banks,
                     unsigned bank_bytes, bool merge, traces::LanePlaces known = {});

// For an atomic's lines: the accesses to sectors that it takes. Lanes on one word take turns, and every turn
// of the warp goes once to each sector in which a lane is left. Sets `turns` and `deepest` of each line;
// returns the sum of turns.
unsigned atomic_turns(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned line_bytes,
                      unsigned sector_bytes, std::array<LineAccess, max_lines_per_access>& lines,
                      unsigned line_count);

// Lines of an atomic of which each turn is one lane's go two to a place of the way to the L2, others take places of their own: of an
// odd number of such lines before another one, the last has a place for itself. Bit n: line n.
std::uint32_t padded_lines(const std::array<LineAccess, max_lines_per_access>& lines, unsigned count);

// For a copy to shared memory that goes past the L1: where the sectors of a line go to more sectors of shared memory than
// they are, because those begin in their middle, the line is asked for once for each of these, with all sectors that it takes
// something of. Adds these requests behind `coalesced.lines` and returns how many a line has at most, or 0; `coalesced.sectors`
// counts a sector for each. (An H200's counters: rows of 64 bytes that go to rows of 80 count 20 sectors at the tags instead of 16, and 24 come
// from the L2.)
unsigned split_copy(const std::uint64_t* addresses, const std::uint64_t* shared_addresses, std::uint32_t mask,
                    unsigned line_bytes, unsigned sector_bytes, std::array<LineAccess, max_lines_per_access>& lines,
                    Coalesced& coalesced);

// Cycles that a copy of 16 bytes a lane which goes past the L1 takes on its way into shared memory, when its lines have come: one for
// each line, or three eighths for each of its sectors, if that is more; of lanes whose sector shared memory has in two a cycle and a
// quarter for the line and five sixteenths for each (docs/h200.md, "Copies past the L1").
unsigned copy_cycles(const std::uint64_t* addresses, const std::uint64_t* shared_addresses, std::uint32_t mask,
                     unsigned line_bytes);

// In which turn the tags look up each of `count` lines, one of each bank a turn; how many turns there are.
unsigned turns_of(const std::array<LineAccess, max_lines_per_access>& lines, unsigned count, const TagBanks& banks,
                  std::array<std::uint8_t, max_lines_per_access>& turn);

// How many these are.
unsigned lookup_passes(const std::array<LineAccess, max_lines_per_access>& lines, unsigned count, const TagBanks& banks);

// Passes of lines that each turn of the tags has brought by themselves: the sum of the turns' passes over the data array, in which a
// turn's lanes count by the words that one bank holds, or with `every_lane` by themselves, whatever their words (docs/h200.md,
// "Lines that are read in turns").
unsigned turn_passes(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned line_bytes, unsigned banks,
                     unsigned bank_bytes, const std::array<LineAccess, max_lines_per_access>& lines, unsigned count,
                     const TagBanks& tag_banks, bool every_lane);

// The most lanes whose accesses take part of one bank, those on one word counted each: the passes of an atomic on shared
// memory. Of 64 bits a lane takes two banks (probe atomics.types: 32 lanes exchange words of their own in two passes, one
// word in 32).
unsigned bank_lanes(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned banks,
                    unsigned bank_bytes);

// The largest number of lanes on one word: how long an atomic on shared memory keeps coming back to it.
unsigned same_word_lanes(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes);

}  // namespace warpgauge::model
