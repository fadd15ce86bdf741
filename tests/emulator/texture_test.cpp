// Shapes of memory that textures read, and what of it a fetch weighs.
#include "traces/emulator/texture.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

namespace warpgauge::emulator {
namespace {

Image image_of(unsigned width, unsigned height, unsigned depth, unsigned channels = 1, unsigned bytes = 4) {
  Image image;
  image.address = 1U << 20;
  image.format = {static_cast<std::uint8_t>(channels), static_cast<std::uint8_t>(bytes), TexelFormat::Kind::float_};
  image.layout = Image::Layout::blocks;
  image.dimensions = depth > 1 ? 3 : height > 1 ? 2 : 1;
  image.width = width;
  image.height = height;
  image.depth = depth;
  return image;
}

TEST(TextureImage, EveryTexelOfAnArrayHasAPlaceOfItsOwnInsideIt) {
  for (const auto& [w, h, d, channels, bytes] :
       {std::array{37, 23, 1, 1, 4}, {1, 1, 1, 4, 4}, {64, 1, 1, 1, 1}, {17, 300, 1, 2, 2}, {33, 9, 5, 4, 1}}) {
    const Image image = image_of(static_cast<unsigned>(w), static_cast<unsigned>(h), static_cast<unsigned>(d),
                                 static_cast<unsigned>(channels), static_cast<unsigned>(bytes));
    std::set<DeviceAddress> places;
    for (unsigned z = 0; z < image.depth; ++z)
      for (unsigned y = 0; y < image.height; ++y)
        for (unsigned x = 0; x < image.width; ++x) {
          const DeviceAddress place = image.place(std::uint64_t{x} * image.format.bytes(), y, z);
          EXPECT_GE(place, image.address);
          EXPECT_LE(place + image.format.bytes(), image.address + image.bytes());
          EXPECT_EQ(place % image.format.bytes(), 0U);
          EXPECT_TRUE(places.insert(place).second);
        }
  }
}

// As an H200 counts them: by_hand_h200.json, textures_that_hit.
TEST(TextureImage, ASectorIsSixteenBytesOfTwoRowsAndALineThirtyTwoOfFour) {
  const Image image = image_of(64, 64, 1);
  const auto parts = [&](unsigned columns, unsigned rows, unsigned bytes) {
    std::set<DeviceAddress> found;
    for (unsigned y = 0; y < rows; ++y)
      for (unsigned x = 0; x < columns; ++x) found.insert(image.place(x * 4, y, 0) / bytes);
    return found.size();
  };
  EXPECT_EQ(parts(4, 2, 32), 1U);
  EXPECT_EQ(parts(8, 1, 32), 2U);
  EXPECT_EQ(parts(1, 8, 32), 4U);
  EXPECT_EQ(parts(8, 4, 128), 1U);
  EXPECT_EQ(parts(16, 4, 128), 2U);
  EXPECT_EQ(parts(8, 8, 128), 2U);
}

TEST(TextureFilter, WeightsOfAnyPlaceMakeOne) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> at(-3, 40);
  for (const Image& image : {image_of(37, 1, 1), image_of(37, 23, 1), image_of(17, 11, 9)}) {
    for (const bool normalized : {false, true}) {
      for (const AddressMode mode : {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border}) {
        Texture t{image, {}};
        t.sampler.modes = {mode, mode, mode};
        t.sampler.linear = true;
        t.sampler.normalized_coordinates = normalized;
        for (int i = 0; i < 200; ++i) {
          const Footprint f = footprint(t, {at(random), at(random), at(random)}, 0);
          unsigned sum = 0;
          for (unsigned p = 0; p < f.count; ++p) sum += f.parts[p].weight;
          ASSERT_EQ(sum, 256U);
          ASSERT_LE(f.count, Footprint::most);
        }
      }
    }
  }
}

// Which texel of a row of eight the nearest is.
int nearest(AddressMode mode, bool normalized, float x) {
  Texture t{image_of(8, 1, 1), {}};
  t.sampler.modes = {mode, mode, mode};
  t.sampler.normalized_coordinates = normalized;
  const Footprint f = footprint(t, {x, 0, 0}, 0);
  if (f.parts[0].border) return -1;
  for (unsigned i = 0; i < 8; ++i)
    if (t.image.place(i * 4, 0, 0) == f.parts[0].address) return static_cast<int>(i);
  return -2;
}

TEST(TextureFilter, PlacesOutsideAreAtTheEdgeOrInARepetitionOrOutside) {
  EXPECT_EQ(nearest(AddressMode::clamp, false, -5), 0);
  EXPECT_EQ(nearest(AddressMode::clamp, false, 7.99F), 7);
  EXPECT_EQ(nearest(AddressMode::clamp, false, 1e30F), 7);
  EXPECT_EQ(nearest(AddressMode::border, false, -0.01F), -1);
  EXPECT_EQ(nearest(AddressMode::border, false, 8), -1);
  EXPECT_EQ(nearest(AddressMode::wrap, true, 1.3F), 2);
  EXPECT_EQ(nearest(AddressMode::wrap, true, -0.1F), 7);
  EXPECT_EQ(nearest(AddressMode::mirror, true, 1.1F), 7);
  EXPECT_EQ(nearest(AddressMode::mirror, true, -0.2F), 1);
  EXPECT_EQ(nearest(AddressMode::wrap, false, 9), 7) << "of coordinates in texels wrapping is clamping";
}

TEST(TextureFilter, HalfwayBetweenTwoTexelsIsTheirMean) {
  Texture t{image_of(8, 1, 1), {}};
  t.sampler.linear = true;
  const Footprint f = footprint(t, {4.0F, 0, 0}, 0);
  std::array<Texel, Footprint::most> texels{};
  float sum = 0;
  for (unsigned p = 0; p < f.count; ++p) {
    const float value = f.parts[p].address == t.image.place(12, 0, 0) ? 1.0F : 2.0F;
    std::memcpy(texels[p].data(), &value, sizeof value);
    sum += f.parts[p].weight * value;
  }
  EXPECT_EQ(sum, 384.0F);
  float result = 0;
  const Texel out = filtered(t, f, texels.data());
  std::memcpy(&result, out.data(), sizeof result);
  EXPECT_EQ(result, 1.5F);
}

TEST(TextureTable, HandlesOfThoseThatAreGoneFindNothingAndAreGivenAgain) {
  TextureTable table;
  const std::uint64_t first = table.add({image_of(4, 1, 1), {}});
  const std::uint64_t second = table.add({image_of(8, 1, 1), {}});
  EXPECT_NE(first, 0U);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(second)->image.width, 8U);
  EXPECT_TRUE(table.remove(first));
  EXPECT_FALSE(table.remove(first));
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.add({image_of(2, 1, 1), {}}), first);
}

}  // namespace
}  // namespace warpgauge::emulator
