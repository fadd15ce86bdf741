#include "traces/native/address_codec.h"

#include <algorithm>
#include <bit>

namespace warpgauge::native {
namespace {

// The token: what differs from what the state predicts.
constexpr std::uint8_t token_base = 1;   // a difference to the predicted base follows
constexpr std::uint8_t token_shape = 2;  // bits 4 and 5 hold the shape, addends follow
constexpr std::uint8_t token_kind = 4;   // space, access and bytes follow
constexpr std::uint8_t token_mask = 8;   // the lanes follow
constexpr unsigned token_shape_at = 4;
constexpr std::uint8_t token_none = 0xc0;
constexpr std::uint8_t token_empty = 0xc1;

constexpr std::uint32_t all_lanes = 0xffffffff;

// Bytes of a list's differences, by code; bit 3 of the code says that they count accesses, not bytes.
constexpr std::array<unsigned, 5> widths{1, 2, 3, 4, 8};
constexpr std::uint8_t list_scaled = 8;
constexpr std::uint8_t list_packed = 5;
constexpr unsigned most_packed_bits = 56;

bool fits_32(std::int64_t value) {
  return value == static_cast<std::int32_t>(value);
}
// A list is packed where the lanes' distances from the lowest address need fewer bits than their differences
// need bytes: scattered addresses. Differences suit what zstd finds patterns in.
struct List {
  std::array<std::uint64_t, traces::warp_size> values{};  // differences, or distances from `base`
  std::uint64_t base = 0;                                 // the first lane's address, or the lowest
  unsigned count = 0;
  unsigned shift = 0;
  unsigned code = 0;  // of a width; list_packed
  unsigned bits = 0;
};

List make_list(const std::uint64_t* addresses, std::uint32_t mask, std::uint8_t bytes) {
  List list;
  const std::uint64_t first = addresses[std::countr_zero(mask)];
  std::uint64_t joined = 0;
  std::uint64_t lowest = first;
  std::uint64_t highest = first;
  unsigned lanes = 0;
  std::array<std::uint64_t, traces::warp_size> active;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    active[lanes++] = address;
    joined |= address - first;
    lowest = std::min(lowest, address);
    highest = std::max(highest, address);
  }
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes));
  list.shift = (joined & ((std::uint64_t{1} << shift) - 1)) == 0 ? shift : 0;
  std::uint64_t magnitudes = 0;
  for (unsigned i = 1; i < lanes; ++i) {
    const std::int64_t delta = static_cast<std::int64_t>(active[i] - active[i - 1]) >> list.shift;
    list.values[i - 1] = static_cast<std::uint64_t>(delta);
    magnitudes |= static_cast<std::uint64_t>(delta ^ (delta >> 63));
  }
  const unsigned delta_bits = 65 - static_cast<unsigned>(std::countl_zero(magnitudes));
  while (8 * widths[list.code] < delta_bits) ++list.code;
  list.bits = 64 - static_cast<unsigned>(std::countl_zero((highest - lowest) >> list.shift));
  list.base = first;
  list.count = lanes - 1;
  if (list.bits > most_packed_bits || 8 * list.bits * lanes > 7 * 8 * widths[list.code] * list.count)
    return list;
  list.code = list_packed;
  list.base = lowest;
  list.count = lanes;
  for (unsigned i = 0; i < lanes; ++i) list.values[i] = (active[i] - lowest) >> list.shift;
  return list;
}

void encode_list(Bytes& out, const List& list) {
  // The longest list has 31 differences of 8 bytes; whole words are stored, whose ends the next ones
  // overwrite.
  std::array<std::uint8_t, 2 + traces::warp_size * sizeof(std::uint64_t) + sizeof(std::uint64_t)> buffer;
  std::uint8_t* to = buffer.data();
  *to++ = static_cast<std::uint8_t>(list.code | (list.shift != 0 ? list_scaled : 0U));
  if (list.code != list_packed) {
    for (unsigned i = 0; i < list.count; ++i, to += widths[list.code])
      std::memcpy(to, &list.values[i], sizeof(std::uint64_t));
  } else {
    *to++ = static_cast<std::uint8_t>(list.bits);
    std::uint64_t word = 0;
    unsigned filled = 0;
    for (unsigned i = 0; i < list.count; ++i) {
      word |= list.values[i] << filled;
      filled += list.bits;
      std::memcpy(to, &word, sizeof word);
      to += filled / 8;
      word >>= filled / 8 * 8;
      filled %= 8;
    }
    if (filled != 0) ++to;
  }
  out.insert(out.end(), buffer.data(), to);
}

void decode_packed(Cursor& in, std::uint64_t base, unsigned shift, std::uint32_t mask,
                   std::uint64_t* addresses) {
  const unsigned bits = in.byte();
  if (bits == 0 || bits > most_packed_bits) in.fail("an unknown form of address list");
  const unsigned count = static_cast<unsigned>(std::popcount(mask));
  const std::size_t bytes = (std::size_t{count} * bits + 7) / 8;
  std::array<std::uint8_t, traces::warp_size * most_packed_bits / 8 + sizeof(std::uint64_t)> copy;
  std::memcpy(copy.data(), in.take(bytes), bytes);
  const std::uint64_t ones = (std::uint64_t{1} << bits) - 1;
  const auto value = [&](unsigned at) {
    std::uint64_t word = 0;
    std::memcpy(&word, copy.data() + at / 8, sizeof word);
    return base + ((word >> (at % 8) & ones) << shift);
  };
  if (mask == all_lanes) {
    for (unsigned i = 0; i < traces::warp_size; ++i) addresses[i] = value(i * bits);
    return;
  }
  unsigned at = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1, at += bits)
    addresses[std::countr_zero(rest)] = value(at);
}

void decode_list(Cursor& in, std::uint64_t base, std::uint8_t bytes, std::uint32_t mask,
                 std::uint64_t* addresses) {
  const std::uint8_t code = in.byte();
  if ((code & 7U) > list_packed || code > (list_scaled | 7U)) in.fail("an unknown form of address list");
  const unsigned shift = (code & list_scaled) != 0 ? static_cast<unsigned>(std::countr_zero(bytes)) : 0;
  if ((code & 7U) == list_packed) {
    decode_packed(in, base, shift, mask, addresses);
    return;
  }
  const unsigned width = widths[code & 7U];
  std::uint64_t address = base;
  addresses[std::countr_zero(mask)] = address;
  const unsigned count = static_cast<unsigned>(std::popcount(mask)) - 1;
  const std::uint8_t* from = in.take(std::size_t{count} * width);
  const unsigned unused = 64 - 8 * width;
  for (std::uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
    std::uint64_t raw = 0;
    std::memcpy(&raw, from, width);
    from += width;
    const auto delta = static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << unused) >> unused);
    address += delta << shift;
    addresses[std::countr_zero(rest)] = address;
  }
}

std::uint64_t extended(std::int32_t value) {
  return static_cast<std::uint64_t>(std::int64_t{value});
}

void expand(const AccessState& state, std::uint64_t* addresses) {
  const std::uint64_t base = state.base;
  switch (state.shape) {
    case Shape::uniform:
      for (unsigned i = 0; i < traces::warp_size; ++i) addresses[i] = base;
      break;
    case Shape::stride: {
      const std::uint64_t stride = extended(state.addends[0]);
      for (unsigned i = 0; i < traces::warp_size; ++i) addresses[i] = base + stride * i;
      break;
    }
    case Shape::bits:
      addresses[0] = base;
      for (unsigned bit = 0; bit < lane_bits; ++bit) {
        const std::uint64_t addend = extended(state.addends[bit]);
        for (unsigned i = 0; i < (1U << bit); ++i) addresses[i + (1U << bit)] = addresses[i] + addend;
      }
      break;
    case Shape::list:
      break;
  }
}

void decode_kind(Cursor& in, std::uint8_t& kind, std::uint8_t& bytes) {
  kind = in.byte();
  bytes = in.byte();
  const bool known =
      space_of(kind) > traces::MemorySpace::none && space_of(kind) <= traces::MemorySpace::texture &&
      access_of(kind) > traces::MemoryAccess::none && access_of(kind) <= traces::MemoryAccess::copy;
  if (!known || bytes > 16 || !std::has_single_bit(bytes)) in.fail("an unknown kind of access");
}

unsigned addend_count(Shape shape) {
  return shape == Shape::stride ? 1 : shape == Shape::bits ? lane_bits : 0;
}

}  // namespace

Shape find_shape(const std::uint64_t* addresses, std::uint32_t mask, AccessState& state) {
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  state.base = addresses[first];
  if ((mask & (mask - 1)) == 0) return Shape::uniform;
  if (mask == all_lanes) {
    // Sums over the bits of the lane's number; a stride is one of them.
    std::array<std::uint64_t, lane_bits> addends{};
    bool narrow = true;
    for (unsigned bit = 0; bit < lane_bits; ++bit) {
      addends[bit] = addresses[1U << bit] - addresses[0];
      narrow = narrow && fits_32(static_cast<std::int64_t>(addends[bit]));
    }
    std::uint64_t different = 0;
    for (unsigned bit = 1; bit < lane_bits; ++bit)
      for (unsigned i = 1; i < (1U << bit); ++i)
        different |= addresses[i + (1U << bit)] ^ (addresses[i] + addends[bit]);
    if (different != 0 || !narrow) return Shape::list;
    bool strided = true;
    for (unsigned bit = 0; bit < lane_bits; ++bit) {
      state.addends[bit] = static_cast<std::int32_t>(addends[bit]);
      strided = strided && addends[bit] == addends[0] << bit;
    }
    if (!strided) return Shape::bits;
    return addends[0] == 0 ? Shape::uniform : Shape::stride;
  }
  const std::uint32_t others = mask & (mask - 1);
  const auto second = static_cast<unsigned>(std::countr_zero(others));
  const auto difference = static_cast<std::int64_t>(addresses[second] - addresses[first]);
  const auto distance = static_cast<std::int64_t>(second - first);
  if (difference % distance != 0 || !fits_32(difference / distance)) return Shape::list;
  const auto stride = static_cast<std::uint64_t>(difference / distance);
  for (std::uint32_t rest = others; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (addresses[lane] != addresses[first] + stride * (lane - first)) return Shape::list;
  }
  if (stride == 0) return Shape::uniform;
  state.addends[0] = static_cast<std::int32_t>(difference / distance);
  state.base = addresses[first] - stride * first;
  return Shape::stride;
}

void encode_access(Bytes& out, AccessState& state, std::uint64_t& recent, std::uint8_t kind,
                   std::uint8_t bytes, std::uint32_t guarded, std::uint32_t mask,
                   const std::uint64_t* addresses) {
  AccessState now;
  now.shape = find_shape(addresses, mask, now);
  List list;
  if (now.shape == Shape::list) {
    list = make_list(addresses, mask, bytes);
    now.base = list.base;
  }
  std::uint8_t token = 0;
  if (kind != state.kind || bytes != state.bytes) token |= token_kind;
  const bool own_mask = mask != guarded;
  if (own_mask != state.own_mask || (own_mask && mask != state.mask)) token |= token_mask;
  bool same_shape = now.shape == state.shape && now.shape != Shape::list;
  for (unsigned i = 0; i < addend_count(now.shape); ++i)
    same_shape = same_shape && now.addends[i] == state.addends[i];
  if (!same_shape)
    token =
        static_cast<std::uint8_t>(token | token_shape | static_cast<unsigned>(now.shape) << token_shape_at);
  const std::uint64_t predicted = state.seen ? state.base + state.delta : recent;
  if (now.base != predicted) token |= token_base;
  out.push_back(token);
  if ((token & token_kind) != 0) {
    out.push_back(kind);
    out.push_back(bytes);
  }
  if ((token & token_mask) != 0) put(out, mask);
  if ((token & token_base) != 0) put_signed(out, now.base - predicted);
  if ((token & token_shape) != 0) {
    for (unsigned i = 0; i < addend_count(now.shape); ++i) put_signed(out, extended(now.addends[i]));
  }
  if (now.shape == Shape::list) encode_list(out, list);
  now.delta = state.seen ? now.base - state.base : 0;
  now.seen = true;
  now.kind = kind;
  now.bytes = bytes;
  now.own_mask = own_mask;
  now.mask = mask;
  state = now;
  recent = now.base;
}

void encode_no_access(Bytes& out) {
  out.push_back(token_none);
}

void encode_empty_access(Bytes& out, std::uint8_t kind, std::uint8_t bytes) {
  out.push_back(token_empty);
  out.push_back(kind);
  out.push_back(bytes);
}

DecodedAccess decode_access(Cursor& in, AccessState& state, std::array<std::uint64_t, 8>& recent,
                            std::uint32_t guarded, std::uint64_t* addresses) {
  const std::uint8_t token = in.byte();
  if (token == token_none) return {};
  if (token == token_empty) {
    DecodedAccess empty;
    decode_kind(in, empty.kind, empty.bytes);
    return empty;
  }
  if (token >= 0x40) in.fail("an unknown access");
  if ((token & token_kind) != 0) decode_kind(in, state.kind, state.bytes);
  if (state.kind == 0) in.fail("an access of no kind");
  if ((token & token_mask) != 0) {
    state.mask = in.get<std::uint32_t>();
    state.own_mask = state.mask != guarded;
  }
  const std::uint32_t mask = state.own_mask ? state.mask : guarded;
  if (mask == 0) in.fail("an access of no lanes");
  std::uint64_t& last = recent[static_cast<std::size_t>(space_of(state.kind))];
  std::uint64_t base = state.seen ? state.base + state.delta : last;
  if ((token & token_base) != 0) base += in.difference();
  if ((token & token_shape) != 0) {
    state.shape = static_cast<Shape>(token >> token_shape_at & 3U);
    for (unsigned i = 0; i < addend_count(state.shape); ++i)
      state.addends[i] = static_cast<std::int32_t>(in.difference());
  } else if (state.shape == Shape::list) {
    in.fail("a list without its differences");
  }
  state.delta = state.seen ? base - state.base : 0;
  state.base = base;
  state.seen = true;
  last = base;
  if (state.shape == Shape::list)
    decode_list(in, base, state.bytes, mask, addresses);
  else
    expand(state, addresses);
  return {mask, state.kind, state.bytes};
}

}  // namespace warpgauge::native
