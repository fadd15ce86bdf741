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

bool fits_32(std::int64_t value) {
  return value == static_cast<std::int32_t>(value);
}
std::uint64_t extended(std::int32_t value) {
  return static_cast<std::uint64_t>(std::int64_t{value});
}

void expand(Shape shape, std::uint64_t base, const std::array<std::int32_t, lane_bits>& addends,
            std::uint64_t* addresses) {
  switch (shape) {
    case Shape::uniform:
      for (unsigned i = 0; i < traces::warp_size; ++i) addresses[i] = base;
      break;
    case Shape::stride: {
      const std::uint64_t stride = extended(addends[0]);
      for (unsigned i = 0; i < traces::warp_size; ++i) addresses[i] = base + stride * i;
      break;
    }
    case Shape::bits:
      addresses[0] = base;
      for (unsigned bit = 0; bit < lane_bits; ++bit) {
        const std::uint64_t addend = extended(addends[bit]);
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

std::uint64_t expected_base(const AccessState& state, std::uint64_t recent) {
  return state.seen ? state.base + state.delta : recent;
}

void advance(AccessState& state, std::uint64_t& recent, const ListBase& base) {
  state.offset = base.offset;
  if (!base.follows) return;
  state.delta = state.seen ? base.base - state.base : 0;
  state.base = base.base;
  state.seen = true;
  recent = base.base;
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

void encode_access(WarpBytes& out, AccessState& state, WarpLists& lists, std::uint64_t& recent,
                   std::uint8_t kind, std::uint8_t bytes, std::uint32_t guarded, std::uint32_t mask,
                   const std::uint64_t* addresses) {
  AccessState now = state;
  now.shape = find_shape(addresses, mask, now);
  const bool is_list = now.shape == Shape::list;
  ListBase base{expected_base(state, recent), state.offset, now.base, true};
  ListForm form;
  if (is_list)
    form = choose_form(lists.history(), state.list, base, addresses, mask, bytes);
  else
    form.difference = now.base - base.expected;
  std::uint8_t token = 0;
  if (kind != state.kind || bytes != state.bytes) token |= token_kind;
  const bool own_mask = mask != guarded;
  if (own_mask != state.own_mask || (own_mask && mask != state.mask)) token |= token_mask;
  bool same_shape = now.shape == state.shape;
  for (unsigned i = 0; i < addend_count(now.shape); ++i)
    same_shape = same_shape && now.addends[i] == state.addends[i];
  if (!same_shape)
    token =
        static_cast<std::uint8_t>(token | token_shape | static_cast<unsigned>(now.shape) << token_shape_at);
  if (form.difference != 0) token |= token_base;
  out.tokens.push_back(token);
  if ((token & token_kind) != 0) {
    out.tokens.push_back(kind);
    out.tokens.push_back(bytes);
  }
  if ((token & token_mask) != 0) put(out.tokens, mask);
  if ((token & token_base) != 0) put_signed(out.tokens, form.difference);
  if ((token & token_shape) != 0) {
    for (unsigned i = 0; i < addend_count(now.shape); ++i) put_signed(out.tokens, extended(now.addends[i]));
  }
  if (is_list)
    now.list =
        static_cast<std::uint8_t>(encode_list(out, lists.history(), form, base, addresses, mask, bytes));
  now.base = state.base;
  now.kind = kind;
  now.bytes = bytes;
  now.own_mask = own_mask;
  now.mask = mask;
  state = now;
  advance(state, recent, base);
}

void encode_no_access(WarpBytes& out) {
  out.tokens.push_back(token_none);
}

void encode_empty_access(WarpBytes& out, std::uint8_t kind, std::uint8_t bytes) {
  out.tokens.push_back(token_empty);
  out.tokens.push_back(kind);
  out.tokens.push_back(bytes);
}

DecodedAccess decode_access(WarpCursor& in, AccessState& state, WarpLists& lists,
                            std::array<std::uint64_t, 8>& recent, std::uint32_t guarded,
                            std::uint64_t* scratch) {
  Cursor& tokens = in.tokens;
  const std::uint8_t token = tokens.byte();
  if (token == token_none) return {};
  if (token == token_empty) {
    DecodedAccess empty;
    decode_kind(tokens, empty.kind, empty.bytes);
    empty.addresses = scratch;
    return empty;
  }
  if (token >= 0x40) tokens.fail("an unknown access");
  if ((token & token_kind) != 0) decode_kind(tokens, state.kind, state.bytes);
  if (state.kind == 0) tokens.fail("an access of no kind");
  if ((token & token_mask) != 0) {
    state.mask = tokens.get<std::uint32_t>();
    state.own_mask = state.mask != guarded;
  }
  const std::uint32_t mask = state.own_mask ? state.mask : guarded;
  if (mask == 0) tokens.fail("an access of no lanes");
  std::uint64_t& last = recent[static_cast<std::size_t>(space_of(state.kind))];
  ListBase base{expected_base(state, last), state.offset, 0, true};
  const std::uint64_t difference = (token & token_base) != 0 ? tokens.difference() : 0;
  if ((token & token_shape) != 0) {
    state.shape = static_cast<Shape>(token >> token_shape_at & 3U);
    for (unsigned i = 0; i < addend_count(state.shape); ++i)
      state.addends[i] = static_cast<std::int32_t>(tokens.difference());
  }
  DecodedAccess decoded{mask, state.kind, state.bytes, scratch};
  if (state.shape == Shape::list) {
    state.list = static_cast<std::uint8_t>(
        decode_list(in, lists.history(), base, difference, mask, state.bytes, scratch, decoded.addresses));
  } else {
    base.base = base.expected + difference;
    expand(state.shape, base.base, state.addends, scratch);
  }
  advance(state, last, base);
  return decoded;
}

}  // namespace warpgauge::native
