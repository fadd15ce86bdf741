// Lists of addresses that are not new cost next to nothing, new ones the bits of their range; whatever the
// order in which forms follow each other, the addresses come back.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "traces/native/address_codec.h"

namespace warpgauge::native {
namespace {

using Addresses = std::array<std::uint64_t, traces::warp_size>;
constexpr std::uint32_t all_lanes = 0xffffffff;

// One warp's accesses, each of an instruction of its own number, written and read back.
class Codec {
 public:
  explicit Codec(unsigned instructions) : written_(instructions), read_(instructions) {}

  // Returns by how many bytes the streams have grown.
  std::size_t add(unsigned instruction, const Addresses& addresses, std::uint32_t mask = all_lanes,
                  std::uint8_t bytes = 4) {
    const std::size_t before = out_.size();
    encode_access(out_, written_[instruction], lists_, recent_, kind, bytes, all_lanes, mask,
                  addresses.data());
    accesses_.push_back({instruction, addresses, mask, bytes});
    return out_.size() - before;
  }

  void expect_back() {
    WarpCursor in{{out_.tokens, 0}, {out_.packed, 0}};
    WarpLists lists;
    std::array<std::uint64_t, 8> recent{};
    for (const Access& access : accesses_) {
      Addresses scratch{};
      const DecodedAccess decoded =
          decode_access(in, read_[access.instruction], lists, recent, all_lanes, scratch.data());
      ASSERT_EQ(decoded.mask, access.mask);
      ASSERT_EQ(decoded.bytes, access.bytes);
      for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        ASSERT_EQ(decoded.addresses[lane], access.addresses[lane]) << "lane " << lane;
      }
    }
    EXPECT_TRUE(in.tokens.empty());
    EXPECT_TRUE(in.packed.empty());
  }

 private:
  static constexpr std::uint8_t kind = access_kind(traces::MemorySpace::global, traces::MemoryAccess::load);
  struct Access {
    unsigned instruction;
    Addresses addresses;
    std::uint32_t mask;
    std::uint8_t bytes;
  };
  WarpBytes out_;
  WarpLists lists_;
  std::vector<AccessState> written_;
  std::vector<AccessState> read_;
  std::uint64_t recent_ = 0;
  std::vector<Access> accesses_;
};

template <class F>
Addresses make(F f) {
  Addresses addresses{};
  for (unsigned lane = 0; lane < traces::warp_size; ++lane) addresses[lane] = f(std::uint64_t{lane});
  return addresses;
}

// Where rows of a sparse matrix begin: distances between lanes that follow no rule.
Addresses rows(std::mt19937& random) {
  std::uint64_t at = 0x7f4000000000;
  return make([&](auto) { return at += 4 * (1 + random() % 30); });
}

TEST(LaneList, AnUnrolledLoopsNextLoadsCostTwoBytes) {
  std::mt19937 random(1);
  Codec codec(4);
  const Addresses first = rows(random);
  for (unsigned turn = 0; turn < 50; ++turn) {
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint64_t distance = 16 * turn + 4 * i;
      const std::size_t grown = codec.add(i, make([&](auto lane) { return first[lane] + distance; }));
      if (turn > 1) {
        EXPECT_EQ(grown, 2U);
      }
    }
  }
  codec.expect_back();
}

TEST(LaneList, AnotherArrayAtTheSameIndicesCostsTwoBytesWhateverItsElements) {
  std::mt19937 random(2);
  Codec codec(3);
  for (unsigned turn = 0; turn < 50; ++turn) {
    const Addresses index = make([&](auto) { return random() % 100000; });
    codec.add(0, make([&](auto lane) { return 0x7f4000000000 + 4 * index[lane]; }));
    const std::size_t wider =
        codec.add(1, make([&](auto lane) { return 0x7f5000000000 + 8 * index[lane]; }), all_lanes, 8);
    const std::size_t narrower =
        codec.add(2, make([&](auto lane) { return 0x7f6000000000 + 2 * index[lane]; }), 0x00ffff00, 2);
    if (turn < 2) continue;
    EXPECT_LE(wider, 2U + 4U);
    EXPECT_LE(narrower, 2U + 4U);
  }
  codec.expect_back();
}

TEST(LaneList, AGatherCostsTheBitsOfItsArray) {
  std::mt19937 random(3);
  Codec codec(2);
  std::size_t late = 0;
  for (unsigned turn = 0; turn < 200; ++turn) {
    const std::size_t grown =
        codec.add(turn % 2, make([&](auto) { return 0x7f4000000100 + 4 * (random() % (1 << 19)); }));
    if (turn >= 100) late += grown;
  }
  // 19 bits a lane, a token and the form; once the array has been wider than it seemed.
  EXPECT_LE(late, 100U * (19 * 32 / 8 + 2) + 12U);
  codec.expect_back();
}

TEST(LaneList, AWalkCostsTheBitsOfItsSteps) {
  std::mt19937 random(4);
  Codec codec(1);
  Addresses at = make([&](auto) { return 0x7f4000000000 + 4 * (random() % (1 << 22)); });
  const std::uint64_t steps[] = {4, ~std::uint64_t{3}, 8192, ~std::uint64_t{8191}};
  for (unsigned turn = 0; turn < 100; ++turn) {
    for (std::uint64_t& address : at) address += steps[random() % 4];
    const std::size_t grown = codec.add(0, at);
    if (turn > 2) {
      EXPECT_EQ(grown, 2U + 2 * 32 / 8);
    }
  }
  codec.expect_back();
}

TEST(LaneList, AnyOrderOfFormsComesBack) {
  std::mt19937_64 random(5);
  for (unsigned n = 0; n < 300; ++n) {
    Codec codec(5);
    std::vector<Addresses> seen{make([&](auto) { return random(); })};
    for (unsigned k = 0; k < 60; ++k) {
      const auto bytes = static_cast<std::uint8_t>(1U << random() % 5);
      const std::uint64_t base = random() >> random() % 64;
      const std::uint64_t range = (std::uint64_t{2} << random() % 63) - 1;
      const Addresses& other = seen[random() % seen.size()];
      const unsigned form = static_cast<unsigned>(random() % 6);
      const auto addresses = make([&](auto lane) {
        switch (form) {
          case 0:
            return base + bytes * (random() & range);
          case 1:
            return other[lane] + base;
          case 2:
            return other[lane] + (random() % 5) * bytes - base;
          case 3:
            return base + (other[lane] - other[0]) / 2;
          case 4:
            return base + lane * lane;
          default:
            return 0x7f4000000000 + bytes * (random() % 5000);
        }
      });
      auto mask = random() % 2 == 0 ? all_lanes : static_cast<std::uint32_t>(random());
      if (mask == 0) mask = 2;
      codec.add(static_cast<unsigned>(random() % 5), addresses, mask, bytes);
      if (seen.size() < 12)
        seen.push_back(addresses);
      else
        seen[random() % 12] = addresses;
    }
    codec.expect_back();
    if (HasFatalFailure()) return;
  }
}

// Damaged streams; what they say is not known beforehand, but nothing outside the lists is read.
TEST(LaneList, WhatNamesNothingIsRefused) {
  const auto decode = [](const Bytes& tokens, const Bytes& packed) {
    WarpCursor in{{tokens, 0}, {packed, 0}};
    AccessState state;
    WarpLists lists;
    std::array<std::uint64_t, 8> recent{};
    Addresses scratch{};
    decode_access(in, state, lists, recent, all_lanes, scratch.data());
  };
  const std::uint8_t kind = access_kind(traces::MemorySpace::global, traces::MemoryAccess::load);
  const std::uint8_t token = 2 | 4 | 3 << 4;  // a shape and a kind follow: a list
  const Bytes packed(300);
  EXPECT_NO_THROW(decode({token, kind, 4, 5 | 8, 9, 2, 0}, packed));         // a new window of 9 bits
  EXPECT_THROW(decode({token, kind, 4, 5 | 8, 9, 2, 0}, {1, 2, 3}), Error);  // … without its numbers
  EXPECT_THROW(decode({token, kind, 4, 5 | 8, 0, 2, 0}, packed), Error);     // … of no bits
  EXPECT_THROW(decode({token, kind, 4, 5 | 8, 57, 2, 0}, packed), Error);    // … of too many
  EXPECT_THROW(decode({token, kind, 4, 5 | 8, 9, 5, 0}, packed), Error);     // … of no known width
  EXPECT_THROW(decode({token, kind, 4, 5 | 4 << 4}, packed), Error);         // a window that is not kept
  EXPECT_THROW(decode({token, kind, 4, 5}, packed), Error);                  // … that was not written
  EXPECT_THROW(decode({token, kind, 4, 6 | 1 << 4}, packed), Error);         // an earlier list of none
  EXPECT_THROW(decode({token, kind, 4, 6 | 8}, packed), Error);              // an unknown form
  EXPECT_THROW(decode({token, kind, 4, 7 | 15 << 4}, packed), Error);        // steps from no list
  EXPECT_THROW(decode({token, kind, 4, 1 << 4 | 1}, packed), Error);         // differences of an entry
  EXPECT_THROW(decode({token, kind, 4, 4, 1, 2, 3}, packed), Error);         // … that are not there
}

}  // namespace
}  // namespace warpgauge::native
