// Addresses survive their compression, whatever their shape; the shapes are found.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "traces/native/address_codec.h"

namespace warpgauge::native {
namespace {

using Addresses = std::array<std::uint64_t, traces::warp_size>;

const std::uint8_t load = access_kind(traces::MemorySpace::global, traces::MemoryAccess::load);

template <class F>
Addresses make(F f) {
  Addresses addresses{};
  for (unsigned i = 0; i < traces::warp_size; ++i) addresses[i] = f(std::uint64_t{i});
  return addresses;
}

Shape shape_of(const Addresses& addresses, std::uint32_t mask = 0xffffffff) {
  AccessState state;
  return find_shape(addresses.data(), mask, state);
}

TEST(AddressShape, IsTheSimplestThatFits) {
  EXPECT_EQ(shape_of(make([](auto) { return 0x1000; })), Shape::uniform);
  EXPECT_EQ(shape_of(make([](auto i) { return 0x1000 + 4 * i; })), Shape::stride);
  EXPECT_EQ(shape_of(make([](auto i) { return 0x1000 - 64 * i; })), Shape::stride);
  EXPECT_EQ(shape_of(make([](auto i) { return 0x1000 + i % 8 * 4 + i / 8 * 512; })), Shape::bits);
  EXPECT_EQ(shape_of(make([](auto i) { return 0x1000 + i * i; })), Shape::list);
  EXPECT_EQ(shape_of(make([](auto i) { return 0x1000 + 12 * i; }), 0xa5), Shape::stride);
  EXPECT_EQ(shape_of(make([](auto i) { return i * i; }), 1U << 9), Shape::uniform);
  EXPECT_EQ(shape_of(make([](auto i) { return i == 31 ? 7 : 4 * i; })), Shape::list);
}

// Encodes a sequence of accesses of one instruction and reads it back.
std::size_t expect_round_trip(const std::vector<std::pair<Addresses, std::uint32_t>>& accesses,
                              std::uint8_t bytes, std::uint32_t guarded) {
  WarpBytes out;
  AccessState state;
  WarpLists lists;
  std::uint64_t recent = 0;
  for (const auto& [addresses, mask] : accesses)
    encode_access(out, state, lists, recent, load, bytes, guarded, mask, addresses.data());
  WarpCursor in{{out.tokens, 0}, {out.packed, 0}};
  AccessState decoded_state;
  WarpLists decoded_lists;
  std::array<std::uint64_t, 8> recents{};
  for (const auto& [addresses, mask] : accesses) {
    Addresses scratch{};
    const DecodedAccess decoded =
        decode_access(in, decoded_state, decoded_lists, recents, guarded, scratch.data());
    EXPECT_EQ(decoded.mask, mask);
    EXPECT_EQ(decoded.kind, load);
    EXPECT_EQ(decoded.bytes, bytes);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      EXPECT_EQ(decoded.addresses[lane], addresses[lane]) << "lane " << lane;
    }
  }
  EXPECT_TRUE(in.tokens.empty());
  EXPECT_TRUE(in.packed.empty());
  return out.size();
}

TEST(AddressCodec, APredictedAccessCostsOneByte) {
  std::vector<std::pair<Addresses, std::uint32_t>> accesses;
  for (std::uint64_t n = 0; n < 100; ++n)
    accesses.emplace_back(make([&](auto i) { return 0x7f4000000000 + 4096 * n + 4 * i; }), 0xffffffff);
  EXPECT_LT(expect_round_trip(accesses, 4, 0xffffffff), 100U + 20U);
}

TEST(AddressCodec, ScatteredAddressesCostTheirBits) {
  std::mt19937 random(1);
  std::vector<std::pair<Addresses, std::uint32_t>> accesses;
  for (unsigned n = 0; n < 100; ++n)
    accesses.emplace_back(make([&](auto) { return 0x7f4000000000 + 4 * (random() % 2048); }), 0xffffffff);
  // 11 bits a lane; the token, the form and the base besides.
  EXPECT_LT(expect_round_trip(accesses, 4, 0xffffffff), 100U * (44 + 8));
}

TEST(AddressCodec, AnyAddressesComeBack) {
  std::mt19937_64 random(7);
  for (unsigned n = 0; n < 2000; ++n) {
    std::vector<std::pair<Addresses, std::uint32_t>> accesses;
    const auto guarded = static_cast<std::uint32_t>(random() | 1);
    const auto bytes = static_cast<std::uint8_t>(1U << random() % 5);
    for (unsigned k = 0; k < 5; ++k) {
      const std::uint64_t base = random() >> random() % 64;
      const std::uint64_t range = (std::uint64_t{2} << random() % 63) - 1;
      const std::uint64_t step = random() % 3 == 0 ? bytes : random() >> random() % 64;
      const unsigned kind = static_cast<unsigned>(random() % 4);
      const auto addresses = make([&](auto i) {
        return kind == 0   ? base
               : kind == 1 ? base + step * i
               : kind == 2 ? base + i % 4 * step + i / 4 * bytes
                           : base + bytes * (random() & range);
      });
      auto mask = random() % 2 == 0 ? guarded : static_cast<std::uint32_t>(random());
      if (mask == 0) mask = 4;
      accesses.emplace_back(addresses, mask);
    }
    expect_round_trip(accesses, bytes, guarded);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpgauge::native
