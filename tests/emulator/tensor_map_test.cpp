// Tensor maps as words, and where swizzling puts pieces.
#include "traces/emulator/tensor_map.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace warpgauge::emulator {
namespace {

TensorMap random_map(std::mt19937& generator) {
  const auto below = [&](std::uint64_t end) {
    return ((std::uint64_t{generator()} << 32) | generator()) % end;
  };
  TensorMap map;
  map.columns = below(2) != 0;
  map.rank = static_cast<unsigned>(map.columns ? 3 + below(3) : 1 + below(5));
  map.type = static_cast<TensorMap::Type>(below(13));
  map.interleave = static_cast<TensorMap::Interleave>(below(3));
  map.swizzle = static_cast<TensorMap::Swizzle>(below(4));
  map.promotion = static_cast<TensorMap::Promotion>(below(4));
  map.fills_nan = below(2) != 0;
  map.address = below(std::uint64_t{1} << 56) * 16;
  for (unsigned i = 0; i < map.rank; ++i) {
    map.sizes[i] = below(4) == 0 ? std::uint64_t{1} << 32 : 1 + below(std::uint64_t{1} << 32);
    map.steps[i] = static_cast<std::uint16_t>(1 + below(8));
    if (i + 1 < map.rank) map.strides[i] = below(std::uint64_t{1} << 36) * 16;
    if (!map.columns) map.box[i] = static_cast<std::uint16_t>(1 + below(256));
  }
  if (!map.columns) return map;
  const unsigned width = map.rank == 3 ? 16 : map.rank == 4 ? 8 : 5;
  const auto corner = [&] {
    const std::uint64_t range = std::uint64_t{1} << width;
    return static_cast<std::int16_t>(static_cast<std::int64_t>(below(range)) -
                                     static_cast<std::int64_t>(range / 2));
  };
  for (unsigned i = 0; i + 2 < map.rank; ++i) {
    map.lower[i] = corner();
    map.upper[i] = corner();
  }
  map.channels = static_cast<std::uint16_t>(1 + below(256));
  map.pixels = static_cast<std::uint16_t>(1 + below(1024));
  return map;
}

TEST(TensorMap, IsWhatItsWordsSay) {
  std::mt19937 generator(5);
  for (int i = 0; i < 2000; ++i) {
    const TensorMap map = random_map(generator);
    const auto again = decode(encode(map));
    ASSERT_TRUE(again.has_value());
    ASSERT_EQ(*again, map) << i;
  }
}

// As an H200's driver makes them; words that are zero are left out.
TEST(TensorMap, HasTheWordsOfTheCard) {
  const auto words = [](const TensorMap& map) {
    std::map<unsigned, std::uint32_t> found;
    const TensorMapWords all = encode(map);
    for (unsigned i = 0; i < all.size(); ++i)
      if (all[i] != 0) found[i] = all[i];
    return found;
  };
  using Words = std::map<unsigned, std::uint32_t>;
  TensorMap box;
  box.type = TensorMap::Type::u32;
  box.rank = 5;
  box.address = 0x7f1234567000;
  box.sizes = {100, 20, 7, 5, 3};
  box.strides = {512, (std::uint64_t{1} << 40) - 32, 81920, 1048576};
  box.box = {16, 5, 4, 3, 2};
  box.steps = {1, 3, 1, 1, 1};
  EXPECT_EQ(words(box), (Words{{0, 0x34567000},
                               {1, 0x7f12},
                               {2, 0x140},
                               {3, 0x20},
                               {4, 0xfffffffe},
                               {5, 0x1400},
                               {6, 0x10000},
                               {7, 0xf0},
                               {8, 0x63},
                               {9, 0x13},
                               {10, 6},
                               {11, 4},
                               {12, 2},
                               {13, 0x0f000010},
                               {14, 0x01020304},
                               {16, 0x600},
                               {18, 0x10}}));
  box.rank = 2;
  box.type = TensorMap::Type::tf32_ftz;
  box.swizzle = TensorMap::Swizzle::bytes64;
  box.promotion = TensorMap::Promotion::bytes128;
  box.fills_nan = true;
  EXPECT_EQ(words(box).at(2), 0x0005c410U);
  EXPECT_EQ(words(box).at(18), 0x200U);

  TensorMap columns = box;
  columns.columns = true;
  columns.type = TensorMap::Type::f16;
  columns.swizzle = TensorMap::Swizzle::none;
  columns.promotion = TensorMap::Promotion::none;
  columns.fills_nan = false;
  columns.rank = 5;
  columns.steps = {1, 1, 1, 1, 1};
  columns.lower = {-16, -15, -14};
  columns.upper = {15, 14, 13};
  columns.channels = 32;
  columns.pixels = 40;
  EXPECT_EQ(words(columns).at(2), 0x341U);
  EXPECT_EQ(words(columns).at(13), 0x1f000000U);
  EXPECT_EQ(words(columns).at(14), 0x35cf4a30U);
  EXPECT_EQ(words(columns).at(15), 0x27U);
  EXPECT_EQ(words(columns).at(16), 0xa00U);
}

TEST(TensorMap, IsNotWhatHasNoKnownType) {
  TensorMapWords words;
  words.fill(0xffffffffU);
  EXPECT_FALSE(decode(words).has_value());
}

TEST(TensorMap, HasAsManyElementsAsItsStepsLeave) {
  TensorMap map;
  map.type = TensorMap::Type::f16;
  map.rank = 3;
  map.box = {8, 9, 5};
  map.steps = {2, 2, 8};
  EXPECT_EQ(copied_elements(map, 0), 8U);  // where elements lie side by side, steps count for nothing
  EXPECT_EQ(copied_elements(map, 1), 5U);
  EXPECT_EQ(copied_elements(map, 2), 1U);
  EXPECT_EQ(shared_bytes(map), 2U * 8 * 5);
}

TEST(TensorMap, ExchangesPiecesWithinTheSwizzle) {
  EXPECT_EQ(swizzled(TensorMap::Swizzle::none, 0x3f4), 0x3f4U);
  EXPECT_EQ(swizzled(TensorMap::Swizzle::bytes32, 0x3f4), 0x3e4U);
  EXPECT_EQ(swizzled(TensorMap::Swizzle::bytes64, 0x3f4), 0x3c4U);
  EXPECT_EQ(swizzled(TensorMap::Swizzle::bytes128, 0x3f4), 0x384U);
  EXPECT_EQ(swizzled(TensorMap::Swizzle::bytes128, 0x2f4), 0x2a4U);
  for (const auto swizzle :
       {TensorMap::Swizzle::bytes32, TensorMap::Swizzle::bytes64, TensorMap::Swizzle::bytes128}) {
    std::set<std::uint32_t> places;
    for (std::uint32_t offset = 0; offset < 2048; ++offset) {
      const std::uint32_t place = swizzled(swizzle, offset);
      places.insert(place);
      EXPECT_EQ(place / 128, offset / 128);
      EXPECT_EQ(swizzled(swizzle, place), offset);
    }
    EXPECT_EQ(places.size(), 2048U);
  }
}

TEST(TensorMap, FlushesAndRoundsWhatIsLoaded) {
  const auto loaded = [](TensorMap::Type type, std::uint32_t word) {
    convert_loaded(type, std::as_writable_bytes(std::span(&word, 1)));
    return word;
  };
  EXPECT_EQ(loaded(TensorMap::Type::f32, 0x80000001U), 0x80000001U);
  EXPECT_EQ(loaded(TensorMap::Type::f32_ftz, 0x80000001U), 0x80000000U);
  EXPECT_EQ(loaded(TensorMap::Type::tf32, 0x3f803000U), 0x3f804000U);
  EXPECT_EQ(loaded(TensorMap::Type::tf32, 0x3f800fffU), 0x3f800000U);
}

TEST(TensorMap, FillsWithZerosOrNan) {
  TensorMap map;
  map.type = TensorMap::Type::f16;
  std::vector<std::uint16_t> row(3, 1);
  fill_outside(map, std::as_writable_bytes(std::span(row)));
  EXPECT_EQ(row, (std::vector<std::uint16_t>{0, 0, 0}));
  map.fills_nan = true;
  fill_outside(map, std::as_writable_bytes(std::span(row)));
  EXPECT_EQ(row, (std::vector<std::uint16_t>{0x7ff7, 0x7ff7, 0x7ff7}));
}

}  // namespace
}  // namespace warpgauge::emulator
