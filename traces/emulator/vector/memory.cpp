// Addresses of a warp's lanes and the words behind them. Compiled once per host instruction set.
#include <cstddef>

#include "traces/emulator/vector/lanes.h"
#include "traces/emulator/vector/variant.h"

namespace warpgauge::emulator {
namespace {

// Memory has no type: words of it may be anything's.
using AnyWord [[gnu::may_alias]] = std::uint32_t;
using AnyPair [[gnu::may_alias]] = std::uint64_t;

inline AnyWord& word_at(std::uint64_t address) {
  return *reinterpret_cast<AnyWord*>(address);
}
inline AnyPair& pair_at(std::uint64_t address) {
  return *reinterpret_cast<AnyPair*>(address);
}

void global_addresses(const Warp& warp, const MicroOp& op, std::uint64_t* addresses) {
  const std::uint32_t* const low = source(warp, op.a);
  const std::uint32_t* const high = source(warp, op.wide_a);
  const std::uint32_t* const uniform = source(warp, op.b);
  const std::uint64_t constant = wide(uniform[0], uniform[lanes]) + static_cast<std::uint64_t>(op.immediate);
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) addresses[i] = wide(low[i], high[i]) + constant;
}

void window_addresses(const Warp& warp, const MicroOp& op, std::uint64_t* addresses) {
  const std::uint32_t* const base = source(warp, op.a);
  const std::uint32_t constant = source(warp, op.b)[0] + static_cast<std::uint32_t>(op.immediate);
  const std::uint32_t scale = op.extra2;
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) addresses[i] = base[i] * scale + constant;
}

void same_address(std::uint64_t address, std::uint64_t* addresses) {
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) addresses[i] = address;
}

// The addresses of the lanes in `mask`; lanes outside it get one of them.
inline void masked(const std::uint64_t* addresses, std::uint32_t mask, std::uint64_t* out) {
  const std::uint64_t any = addresses[__builtin_ctz(mask)];
  WARPGAUGE_LANES
  for (unsigned i = 0; i < lanes; ++i) out[i] = (lane_bit[i] & mask) != 0 ? addresses[i] : any;
}

Pattern pattern(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes) {
  alignas(64) std::uint64_t chosen[lanes];
  if (mask == all_lanes) {
    const std::uint64_t first = addresses[0];
    std::uint64_t different = 0;
    for (unsigned i = 0; i < lanes; ++i) different |= addresses[i] ^ (first + std::uint64_t{i} * bytes);
    if (different == 0) return {first, 0, true};
  } else {
    masked(addresses, mask, chosen);
    addresses = chosen;
  }
  const std::uint64_t first = addresses[0];
  std::uint64_t different = 0;
  for (unsigned i = 0; i < lanes; ++i) different |= addresses[i] ^ first;
  return {first, different, false};
}

Bounds bounds(const std::uint64_t* addresses, std::uint32_t mask) {
  alignas(64) std::uint64_t chosen[lanes];
  if (mask != all_lanes) {
    masked(addresses, mask, chosen);
    addresses = chosen;
  }
  std::uint64_t lowest = addresses[0];
  std::uint64_t highest = addresses[0];
  for (unsigned i = 0; i < lanes; ++i) {
    lowest = addresses[i] < lowest ? addresses[i] : lowest;
    highest = addresses[i] > highest ? addresses[i] : highest;
  }
  return {lowest, highest};
}

// The whole row, which a mask then chooses from: nothing that `destination` has can be an address any more.
inline void gather(std::uint32_t* destination, unsigned words, std::uint64_t base,
                   const std::uint64_t* addresses) {
  if (words == 1) {
    WARPGAUGE_LANES
    for (unsigned i = 0; i < lanes; ++i) destination[i] = word_at(base + addresses[i]);
    return;
  }
  for (unsigned k = 0; k < words; k += 2, base += 8) {
    std::uint32_t* const low = destination + std::size_t{k} * lanes;
    std::uint32_t* const high = low + lanes;
    WARPGAUGE_LANES
    for (unsigned i = 0; i < lanes; ++i) {
      const std::uint64_t v = pair_at(base + addresses[i]);
      low[i] = low_word(v);
      high[i] = high_word(v);
    }
  }
}

void choose_rows(std::uint32_t* destination, std::uint32_t mask, unsigned rows, const std::uint32_t* from) {
  for (unsigned k = 0; k < rows; ++k, destination += lanes, from += lanes)
    for_lanes(destination, mask, [from](unsigned i) { return from[i]; });
}

void load_words(std::uint32_t* destination, std::uint32_t mask, unsigned words, std::uint64_t base,
                const std::uint64_t* addresses, const Pattern& where) {
  if (where.consecutive && words == 1) {
    const AnyWord* const from = &word_at(base + where.first);
    WARPGAUGE_LANES
    for (unsigned i = 0; i < lanes; ++i) destination[i] = from[i];
  } else if (where.same()) {
    for (unsigned k = 0; k < words; ++k) {
      const std::uint32_t word = word_at(base + where.first + 4 * std::uint64_t{k});
      for_lanes(destination + std::size_t{k} * lanes, mask, [=](unsigned) { return word; });
    }
  } else if (mask == all_lanes) {
    gather(destination, words, base, addresses);
  } else {
    alignas(64) std::uint64_t chosen[lanes];
    alignas(64) std::uint32_t rows[4 * lanes];
    masked(addresses, mask, chosen);
    gather(rows, words, base, chosen);
    choose_rows(destination, mask, words, rows);
  }
}

// Of lanes that write to the same place the last one's word stays.
void store_words(const std::uint32_t* data, unsigned words, std::uint64_t base,
                 const std::uint64_t* addresses, const Pattern& where) {
  if (where.consecutive && words == 1) {
    AnyWord* const to = &word_at(base + where.first);
    WARPGAUGE_LANES
    for (unsigned i = 0; i < lanes; ++i) to[i] = data[i];
  } else if (words == 1) {
    for (unsigned i = 0; i < lanes; ++i) word_at(base + addresses[i]) = data[i];
  } else {
    for (unsigned i = 0; i < lanes; ++i) {
      for (unsigned k = 0; k < words; k += 2)
        pair_at(base + addresses[i] + 4 * std::uint64_t{k}) =
            wide(data[i + k * lanes], data[i + (k + 1) * lanes]);
    }
  }
}

}  // namespace

void WARPGAUGE_VARIANT(fill_memory)(VectorKernels& table) {
  table.memory = {global_addresses, window_addresses, same_address, pattern,
                  bounds,           load_words,       store_words,  choose_rows};
}

}  // namespace warpgauge::emulator
