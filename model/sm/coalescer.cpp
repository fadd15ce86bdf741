#include "model/sm/coalescer.h"

#include <algorithm>
#include <bit>

namespace warpgauge::model {
namespace {

constexpr std::uint32_t all_lanes = ~std::uint32_t{0};

bool is_contiguous(const std::uint64_t* addresses, unsigned bytes) {
  std::uint64_t difference = 0;
  for (unsigned lane = 0; lane < 32; ++lane) difference |= addresses[lane] ^ (addresses[0] + lane * bytes);
  return difference == 0;
}

// Passes of one group of lanes over `banks` banks of `bytes`, both powers of two: the most distinct words
// that one bank holds. A wide access is one word of as many banks fewer, since its lanes are aligned to their
// width.
unsigned group_passes(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned banks) {
  const int shift = std::countr_zero(bytes);
  std::uint64_t taken = 0;  // banks that hold a word
  std::array<std::uint64_t, 64> first;
  std::array<std::uint8_t, 64> more{};   // distinct words beyond the first
  std::array<std::uint64_t, 32> others;  // those words
  unsigned other_count = 0;
  unsigned most = 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const std::uint64_t word = addresses[std::countr_zero(m)] >> shift;
    const unsigned bank = static_cast<unsigned>(word) & (banks - 1);
    if (((taken >> bank) & 1) == 0) {
      taken |= std::uint64_t{1} << bank;
      first[bank] = word;
      continue;
    }
    if (first[bank] == word) continue;
    bool known = false;
    for (unsigned i = 0; i < other_count && !known; ++i) known = others[i] == word;
    if (known) continue;
    others[other_count++] = word;
    most = std::max<unsigned>(most, ++more[bank]);
  }
  return most + 1;
}

// Words of a line from byte `from` of it to byte `to`.
std::uint32_t words_between(std::uint64_t from, std::uint64_t to) {
  constexpr unsigned word_bytes = 4;
  return ((std::uint32_t{2} << to / word_bytes) - 1) & ~((std::uint32_t{1} << from / word_bytes) - 1);
}

// Whether each active lane is at the same address as the lane `distance` (1 or 2) away, where that is active.
bool shares_words(const std::uint64_t* addresses, std::uint32_t mask, unsigned distance) {
  const std::uint32_t firsts = distance == 1 ? 0x55555555U : 0x33333333U;
  for (std::uint32_t m = mask & (mask >> distance) & firsts; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    if (addresses[lane] != addresses[lane + distance]) return false;
  }
  return true;
}

}  // namespace

bool is_uniform(const std::uint64_t* addresses, std::uint32_t mask) {
  const std::uint64_t first = addresses[std::countr_zero(mask)];
  std::uint64_t difference = 0;
  if (mask == all_lanes) {
    for (unsigned lane = 0; lane < 32; ++lane) difference |= addresses[lane] ^ first;
    return difference == 0;
  }
  for (std::uint32_t m = mask; m != 0; m &= m - 1) difference |= addresses[std::countr_zero(m)] ^ first;
  return difference == 0;
}

Coalesced coalesce(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned line_bytes,
                   unsigned sector_bytes, std::array<LineAccess, max_lines_per_access>& lines,
                   traces::LanePlaces known) {
  Coalesced result;
  if (mask == 0) return result;
  const unsigned sectors_per_line = line_bytes / sector_bytes;
  const auto add_range = [&](std::uint64_t first, std::uint64_t last, unsigned lanes) {
    for (std::uint64_t line = first / line_bytes; line <= last / line_bytes; ++line) {
      const std::uint64_t base = line * line_bytes;
      const unsigned from = first > base ? static_cast<unsigned>((first - base) / sector_bytes) : 0;
      const unsigned to = last < base + line_bytes ? static_cast<unsigned>((last - base) / sector_bytes)
                                                   : sectors_per_line - 1;
      const unsigned sectors = ((2U << to) - 1) & ~((1U << from) - 1);
      // Neighbouring lanes mostly share a line, so look backwards.
      unsigned at = result.lines;
      while (at > 0 && lines[at - 1].line != line) --at;
      if (at == 0) {
        at = ++result.lines;
        lines[at - 1] = {line, 0, 0, 0, 0, 0};
      }
      lines[at - 1].sectors |= static_cast<std::uint8_t>(sectors);
      lines[at - 1].words |= words_between(std::max(first, base) - base, std::min(last, base + line_bytes - 1) - base);
      lines[at - 1].lanes = static_cast<std::uint8_t>(lines[at - 1].lanes + lanes);
    }
  };

  if (mask == all_lanes && !known.same && (known.consecutive || is_contiguous(addresses, bytes))) {
    result.contiguous = true;
    const std::uint64_t first = addresses[0];
    const std::uint64_t last = first + 32ULL * bytes - 1;
    for (std::uint64_t line = first / line_bytes; line <= last / line_bytes; ++line) {
      const std::uint64_t base = line * line_bytes;
      const std::uint64_t from = std::max(first, base);
      const std::uint64_t to = std::min(last, base + line_bytes - 1);
      const unsigned low = static_cast<unsigned>((from - base) / sector_bytes);
      const unsigned high = static_cast<unsigned>((to - base) / sector_bytes);
      lines[result.lines++] = {line, static_cast<std::uint8_t>(((2U << high) - 1) & ~((1U << low) - 1)),
                               static_cast<std::uint8_t>((to - from + bytes) / bytes), 0, 0,
                               words_between(from - base, to - base)};
    }
  } else {
    result.uniform = known.same || is_uniform(addresses, mask);
    if (result.uniform) {
      const std::uint64_t first = addresses[std::countr_zero(mask)];
      add_range(first, first + bytes - 1, static_cast<unsigned>(std::popcount(mask)));
    } else {
      for (std::uint32_t m = mask; m != 0; m &= m - 1) {
        const std::uint64_t first = addresses[std::countr_zero(m)];
        add_range(first, first + bytes - 1, 1);
      }
    }
  }
  for (unsigned i = 0; i < result.lines; ++i) {
    result.sectors += static_cast<unsigned>(std::popcount(lines[i].sectors));
  }
  return result;
}

unsigned bank_passes(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned banks,
                     unsigned bank_bytes, bool merge, traces::LanePlaces known) {
  if (mask == 0) return 0;
  const unsigned words = std::max(1U, bytes / bank_bytes);
  if (mask == all_lanes && addresses[0] % (std::uint64_t{32} * bytes) == 0 && !known.same &&
      (known.consecutive || is_contiguous(addresses, bytes))) {
    return std::max(1U, 32 * bytes / (banks * bank_bytes));
  }
  if (words == 1) {
    return known.same || is_uniform(addresses, mask) ? 1 : group_passes(addresses, mask, bank_bytes, banks);
  }
  // A wide access is made for half or quarter warps one after the other; loads for two of them at once where
  // neighbouring lanes, or next but one, want the same word all over the warp. A group without active lanes
  // leaves its turn to others, but no access takes fewer turns than it has groups.
  unsigned groups = words >= 4 ? 4 : 2;
  if (merge && (shares_words(addresses, mask, 1) || shares_words(addresses, mask, 2))) groups /= 2;
  const unsigned lanes = 32 / groups;
  unsigned passes = 0;
  for (unsigned g = 0; g < groups; ++g) {
    const std::uint32_t group = lanes == 32 ? mask : mask & (((1U << lanes) - 1) << (g * lanes));
    if (group != 0) passes += group_passes(addresses, group, bytes, banks / words);
  }
  return std::max(groups, passes);
}

unsigned copy_cycles(const std::uint64_t* addresses, const std::uint64_t* shared_addresses, std::uint32_t mask,
                     unsigned line_bytes) {
  constexpr unsigned half_sector = 16;
  // Sixteenths of a cycle.
  constexpr unsigned least_of_a_line = 16, sector = 6, first_split = 20, split = 5;
  struct Line {
    std::uint64_t number = 0;
    unsigned sectors = 0;  // whole ones
    unsigned split = 0;    // lanes whose sector shared memory has in two
  };
  std::array<Line, 32> lines;
  unsigned count = 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    const auto beside = [&](unsigned other) {
      return other < 32 && (mask >> other & 1) != 0 && addresses[other] == (addresses[lane] ^ half_sector);
    };
    const bool first = (addresses[lane] & half_sector) == 0;
    unsigned other = first ? lane + 1 : lane - 1;  // the neighbour, as a rule
    if (!beside(other)) {
      for (other = 0; other < 32 && !beside(other);) ++other;
    }
    const std::uint64_t number = addresses[lane] / line_bytes;
    unsigned at = count;
    while (at > 0 && lines[at - 1].number != number) --at;
    if (at == 0) lines[(at = ++count) - 1] = {number};
    Line& line = lines[at - 1];
    if (other < 32 && shared_addresses[other] != (shared_addresses[lane] ^ half_sector)) {
      ++line.split;
    } else if (first || other == 32) {
      ++line.sectors;
    }
  }
  unsigned cycles = 0;
  for (unsigned i = 0; i < count; ++i) {
    const Line& line = lines[i];
    if (line.sectors != 0) cycles += std::max(least_of_a_line, sector * line.sectors);
    if (line.split != 0) cycles += first_split + split * line.split;
  }
  return (cycles + 15) / 16;
}

unsigned split_copy(const std::uint64_t* addresses, const std::uint64_t* shared_addresses, std::uint32_t mask,
                    unsigned line_bytes, unsigned sector_bytes, std::array<LineAccess, max_lines_per_access>& lines,
                    Coalesced& coalesced) {
  const unsigned whole = coalesced.lines;
  unsigned most = 0;
  for (unsigned i = 0; i < whole; ++i) {
    struct Piece {
      std::uint64_t place = 0;  // a sector of shared memory
      std::uint8_t sectors = 0;  // of the line that it takes something of
    };
    std::array<Piece, 32> pieces{};
    unsigned count = 0;
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(m));
      if (addresses[lane] / line_bytes != lines[i].line) continue;
      const std::uint64_t place = shared_addresses[lane] / sector_bytes;
      unsigned at = 0;
      while (at < count && pieces[at].place != place) ++at;
      if (at == count) pieces[count++] = {place, 0};
      pieces[at].sectors |= static_cast<std::uint8_t>(1U << (addresses[lane] % line_bytes / sector_bytes));
    }
    const auto sectors = static_cast<unsigned>(std::popcount(lines[i].sectors));
    if (count <= sectors || coalesced.lines + count - 1 > max_lines_per_access) continue;
    coalesced.sectors += count - sectors;
    most = std::max(most, count);
    for (unsigned piece = 1; piece < count; ++piece) {
      LineAccess& more = lines[coalesced.lines++];
      more = lines[i];
      more.sectors = pieces[piece].sectors;
    }
    lines[i].sectors = pieces[0].sectors;
  }
  return most;
}

unsigned turns_of(const std::array<LineAccess, max_lines_per_access>& lines, unsigned count, const TagBanks& banks,
                  std::array<std::uint8_t, max_lines_per_access>& turn) {
  std::array<std::uint8_t, std::size_t{1} << TagBanks::most_bits> next{};
  unsigned turns = 0;
  for (unsigned i = 0; i < count; ++i) {
    turn[i] = next[banks.of(lines[i].line) % next.size()]++;
    turns = std::max<unsigned>(turns, turn[i] + 1U);
  }
  return turns;
}

unsigned lookup_passes(const std::array<LineAccess, max_lines_per_access>& lines, unsigned count, const TagBanks& banks) {
  if (count <= 1) return 1;
  std::array<std::uint8_t, max_lines_per_access> turn;
  return turns_of(lines, count, banks, turn);
}

unsigned bank_lanes(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned banks,
                    unsigned bank_bytes) {
  std::array<std::uint8_t, 64> lanes{};
  unsigned most = 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const std::uint64_t word = addresses[std::countr_zero(m)] / bank_bytes;
    for (unsigned next = 0; next < std::max(1U, bytes / bank_bytes); ++next)
      most = std::max<unsigned>(most, ++lanes[(word + next) & (banks - 1)]);
  }
  return most;
}

unsigned turn_passes(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned line_bytes, unsigned banks,
                     unsigned bank_bytes, const std::array<LineAccess, max_lines_per_access>& lines, unsigned count,
                     const TagBanks& tag_banks, bool every_lane) {
  std::array<std::uint8_t, max_lines_per_access> turn;
  const unsigned turns = turns_of(lines, count, tag_banks, turn);
  std::array<std::uint32_t, max_lines_per_access> lanes{};  // of each turn
  const int shift = std::countr_zero(line_bytes);
  unsigned at = 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    const std::uint64_t line = addresses[lane] >> shift;
    // Lines are in the order of the lanes that first name them.
    if (lines[at].line != line) {
      for (at = 0; at + 1 < count && lines[at].line != line; ++at) {}
    }
    lanes[turn[at]] |= std::uint32_t{1} << lane;
  }
  const unsigned words = std::max(1U, bytes / bank_bytes);
  unsigned passes = 0;
  for (unsigned t = 0; t < turns; ++t) {
    if (every_lane) {
      passes += bank_lanes(addresses, lanes[t], bytes, banks, bank_bytes);
    } else {
      passes += group_passes(addresses, lanes[t], std::max(bytes, bank_bytes), banks / words);
    }
  }
  return passes;
}

unsigned same_word_lanes(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes) {
  if (mask == 0) return 0;
  if (is_uniform(addresses, mask)) return static_cast<unsigned>(std::popcount(mask));
  std::array<std::uint64_t, 32> words;
  unsigned count = 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1)
    words[count++] = addresses[std::countr_zero(m)] / std::max(4U, bytes);
  std::sort(words.begin(), words.begin() + count);
  unsigned most = 1;
  unsigned run = 1;
  for (unsigned i = 1; i < count; ++i) {
    run = words[i] == words[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

unsigned atomic_turns(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes, unsigned line_bytes,
                      unsigned sector_bytes, std::array<LineAccess, max_lines_per_access>& lines,
                      unsigned line_count) {
  for (unsigned i = 0; i < line_count; ++i) lines[i].turns = lines[i].deepest = 0;
  std::array<std::uint64_t, 32> words;
  unsigned count = 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) words[count++] = addresses[std::countr_zero(m)];
  std::sort(words.begin(), words.begin() + count);
  unsigned total = 0;
  for (unsigned i = 0; i < count;) {
    // The words of one sector, and the most lanes on one of them.
    const std::uint64_t sector = words[i] / sector_bytes;
    unsigned most = 0;
    while (i < count && words[i] / sector_bytes == sector) {
      const std::uint64_t word = words[i] / bytes;
      unsigned lanes = 0;
      for (; i < count && words[i] / bytes == word; ++i) ++lanes;
      most = std::max(most, lanes);
    }
    total += most;
    const std::uint64_t line = sector * sector_bytes / line_bytes;
    for (unsigned l = 0; l < line_count; ++l) {
      if (lines[l].line != line) continue;
      lines[l].turns = static_cast<std::uint8_t>(lines[l].turns + most);
      lines[l].deepest = std::max(lines[l].deepest, static_cast<std::uint8_t>(most));
    }
  }
  return total;
}

std::uint32_t padded_lines(const std::array<LineAccess, max_lines_per_access>& lines, unsigned count) {
  std::uint32_t padded = 0;
  unsigned alone = 0;  // such lines in a row
  for (unsigned i = 0; i < std::min(count, 32U); ++i) {
    if (lines[i].lanes == lines[i].turns && std::has_single_bit(lines[i].sectors)) {
      ++alone;
      continue;
    }
    if (alone % 2 != 0) padded |= std::uint32_t{1} << (i - 1);
    alone = 0;
  }
  return padded;
}

}  // namespace warpgauge::model
